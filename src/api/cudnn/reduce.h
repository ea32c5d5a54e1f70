/* Reductions of tensors to ones of fewer elements. */
#ifndef WL_API_CUDNN_REDUCE_H
#define WL_API_CUDNN_REDUCE_H

#include "api/cudnn/tensor.h"

/* c = alpha * what the operation makes of a's elements + beta * c. c has a's dimensions or size 1
 * in them, and a's type; or both are one of float, half and integers of 8 bits. */
struct wl_cudnn_reducing {
    int operation; /* WL_DNN_SUM and so on */
    int propagates_nan;
    const struct wl_cudnn_tensor *a_shape, *c_shape;
    const void *a;
    void *c;
    int *indices; /* NULL, or which of its elements each one of c is: counted in the order of a's
                     dimensions that c has not */
    double alpha, beta;
};

/* A status. */
int wl_cudnn_reduce(void *stream, const struct wl_cudnn_reducing *what);

#endif
