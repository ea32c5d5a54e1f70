/* Copies, sums and fillings of tensors of any strides. */
#ifndef WL_API_CUDNN_POINTWISE_H
#define WL_API_CUDNN_POINTWISE_H

#include "api/cudnn/tensor.h"

/* y = alpha * x + beta * y. x has y's type, and its dimensions or size 1 in them. A status. */
int wl_cudnn_blend(void *stream, const struct wl_cudnn_tensor *y_shape, void *y,
                   const struct wl_cudnn_tensor *x_shape, const void *x, double alpha, double beta);

/* One value of y's type everywhere. A status. */
int wl_cudnn_fill(void *stream, const struct wl_cudnn_tensor *shape, void *y, const void *value);

#endif
