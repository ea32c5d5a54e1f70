/* Convolutions and their gradients. */
#ifndef WL_API_CUDNN_CONVOLVE_H
#define WL_API_CUDNN_CONVOLVE_H

#include "api/cudnn/kernels.h"
#include "api/cudnn/tensor.h"

enum { WL_CUDNN_SPATIAL_MAX = 6 };

struct wl_cudnn_convolution {
    int spatial; /* dimensions: 1, 2 or 3 are computed */
    int pads[WL_CUDNN_SPATIAL_MAX], strides[WL_CUDNN_SPATIAL_MAX], dilations[WL_CUDNN_SPATIAL_MAX];
    int groups;
    bool is_flipped;   /* the filter is turned round, as mathematics has it */
    int compute_type;  /* enum wl_cudnn_type */
    bool keeps_single; /* cuDNN would not round single precision for tensor cores */
};

enum wl_cudnn_way { WL_CUDNN_FORWARD, WL_CUDNN_DATA, WL_CUDNN_FILTER };

/* What the convolution of x and w is large; a status. */
int wl_cudnn_convolution_shape(const struct wl_cudnn_convolution *c,
                               const struct wl_cudnn_tensor *x, const struct wl_cudnn_tensor *w,
                               int dims[WL_CUDNN_RANK_MAX]);

/* WL_CUDNN_OK: wl_cudnn_convolve computes it. */
int wl_cudnn_can_convolve(enum wl_cudnn_way way, const struct wl_cudnn_convolution *c,
                          const struct wl_cudnn_tensor *x_shape,
                          const struct wl_cudnn_tensor *w_shape,
                          const struct wl_cudnn_tensor *y_shape);

/* out = alpha * result + beta * out, on the stream. x: input or its gradient, w: filter or its
 * gradient, y: output or its gradient. Sums are single-precision ones, double ones of doubles.
 * Gives a status. */
int wl_cudnn_convolve(void *stream, enum wl_cudnn_way way, const struct wl_cudnn_convolution *c,
                      const struct wl_cudnn_tensor *x_shape, void *x,
                      const struct wl_cudnn_tensor *w_shape, void *w,
                      const struct wl_cudnn_tensor *y_shape, void *y, double alpha, double beta);

/* What each tap of w meets in x, packed: rows are of c and taps, columns of n and outputs. A
 * status.
 */
int wl_cudnn_columns(void *stream, const struct wl_cudnn_convolution *c,
                     const struct wl_cudnn_tensor *x_shape, const void *x,
                     const struct wl_cudnn_tensor *w_shape, void *to);

/* y = activation(alpha * result + factor * z + bias), rounded once. z has y's dimensions and type;
 * epilogue.steps are not looked at. */
int wl_cudnn_convolve_fused(void *stream, const struct wl_cudnn_convolution *c,
                            const struct wl_cudnn_tensor *x_shape, void *x,
                            const struct wl_cudnn_tensor *w_shape, void *w,
                            const struct wl_cudnn_tensor *y_shape, void *y, double alpha,
                            const struct wl_cudnn_tensor *z_shape,
                            const struct wl_dnn_epilogue *epilogue);

#endif
