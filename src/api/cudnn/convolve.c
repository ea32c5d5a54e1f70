/* Convolutions and their gradients: checks of shapes, and launches of convolve.cu's kernels. */
#include "api/cudnn/convolve.h"

#include <limits.h>

#include "api/cudnn/cudnn.h"
#include "api/cudnn/direct.h"
#include "api/cudnn/kernels.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/library.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "convolve.ptx"};

int wl_cudnn_convolution_shape(const struct wl_cudnn_convolution *c,
                               const struct wl_cudnn_tensor *x, const struct wl_cudnn_tensor *w,
                               int dims[WL_CUDNN_RANK_MAX])
{
    if (c->spatial + 2 != x->rank || x->rank != w->rank || c->groups < 1 ||
        w->dims[0] % c->groups || (long long)w->dims[1] * c->groups != x->dims[1])
        return WL_CUDNN_BAD_PARAM;
    dims[0] = x->dims[0];
    dims[1] = w->dims[0];
    for (int i = 0; i < c->spatial; i++) {
        const long long reach = (w->dims[2 + i] - 1LL) * c->dilations[i] + 1,
                        room = x->dims[2 + i] + 2LL * c->pads[i] - reach;
        if (room < 0 || room / c->strides[i] >= INT_MAX)
            return WL_CUDNN_BAD_PARAM;
        dims[2 + i] = (int)(room / c->strides[i]) + 1;
    }
    return WL_CUDNN_OK;
}

int wl_cudnn_can_convolve(enum wl_cudnn_way way, const struct wl_cudnn_convolution *c,
                          const struct wl_cudnn_tensor *x_shape,
                          const struct wl_cudnn_tensor *w_shape,
                          const struct wl_cudnn_tensor *y_shape)
{
    const struct wl_cudnn_tensor *const made[] = {y_shape, x_shape, w_shape};
    int dims[WL_CUDNN_RANK_MAX];
    const int status = wl_cudnn_convolution_shape(c, x_shape, w_shape, dims);
    if (status)
        return status;
    if (y_shape->rank != x_shape->rank)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < y_shape->rank; i++)
        if (y_shape->dims[i] != dims[i])
            return WL_CUDNN_BAD_PARAM;
    if (x_shape->type != w_shape->type || y_shape->type != x_shape->type || c->spatial < 1 ||
        c->spatial > WL_DNN_SPATIAL || !wl_cudnn_is_floating(x_shape->type) ||
        !wl_cudnn_has_sums(x_shape->type, c->compute_type) || !wl_cudnn_is_writable(made[way]))
        return WL_CUDNN_NOT_SUPPORTED;
    return WL_CUDNN_OK;
}

static struct wl_dnn_convolution take(const struct wl_cudnn_convolution *c,
                                      const struct wl_cudnn_tensor *x,
                                      const struct wl_cudnn_tensor *w,
                                      const struct wl_cudnn_tensor *y)
{
    struct wl_dnn_convolution made = {
        .batch = x->dims[0],
        .groups = c->groups,
        .channels = w->dims[1],
        .filters = w->dims[0] / c->groups,
    };
    const int missing = WL_DNN_SPATIAL - c->spatial;
    for (int d = 0; d < WL_DNN_SPATIAL; d++) {
        const int i = d - missing;
        made.in[d] = i < 0 ? 1 : x->dims[2 + i];
        made.taps[d] = i < 0 ? 1 : w->dims[2 + i];
        made.out[d] = i < 0 ? 1 : y->dims[2 + i];
        made.pads[d] = i < 0 ? 0 : c->pads[i];
        made.strides[d] = i < 0 ? 1 : c->strides[i];
        made.dilations[d] = i < 0 ? 1 : c->dilations[i];
    }
    wl_cudnn_spread(x, made.x);
    wl_cudnn_spread(w, made.w);
    wl_cudnn_spread(y, made.y);
    return made;
}

/* What kernels take of a convolution; moves w to the first tap. */
static struct wl_dnn_convolution take_filter(const struct wl_cudnn_convolution *c,
                                             const struct wl_cudnn_tensor *x_shape,
                                             const struct wl_cudnn_tensor *w_shape, void **w,
                                             const struct wl_cudnn_tensor *y_shape)
{
    struct wl_dnn_convolution taken = take(c, x_shape, w_shape, y_shape);
    if (!c->is_flipped)
        return taken;
    long long last = 0; /* the tap that is stored last is the first, steps go back */
    for (int d = 0; d < WL_DNN_SPATIAL; d++) {
        last += (taken.taps[d] - 1) * taken.w[2 + d];
        taken.w[2 + d] = -taken.w[2 + d];
    }
    *w = (char *)*w + last * (long long)wl_cudnn_type_bytes(w_shape->type);
    return taken;
}

int wl_cudnn_convolve(void *stream, enum wl_cudnn_way way, const struct wl_cudnn_convolution *c,
                      const struct wl_cudnn_tensor *x_shape, void *x,
                      const struct wl_cudnn_tensor *w_shape, void *w,
                      const struct wl_cudnn_tensor *y_shape, void *y, double alpha, double beta)
{
    static const char *const names[] = {
        [WL_CUDNN_FORWARD] = "forward",
        [WL_CUDNN_DATA] = "backward_data",
        [WL_CUDNN_FILTER] = "backward_filter",
    };
    const struct wl_cudnn_tensor *const made[] = {y_shape, x_shape, w_shape};
    const int status = wl_cudnn_can_convolve(way, c, x_shape, w_shape, y_shape);
    if (status)
        return status;
    struct wl_dnn_convolution taken = take_filter(c, x_shape, w_shape, &w, y_shape);
    union wl_cudnn_scalar factors[] = {wl_cudnn_scalar(x_shape->type, alpha),
                                       wl_cudnn_scalar(x_shape->type, beta)};
    void *parameters[] = {&taken, &x, &w, &y, &factors[0], &factors[1]};
    wl_cudnn_set_direct(&kernels, names[way], x_shape->type,
                        wl_cudnn_direct(way, x_shape->type, false));
    wl_cudnn_set_library(&kernels, names[way], x_shape->type,
                         wl_cudnn_convolution_library(way, x_shape->type, c->keeps_single));
    return wl_cudnn_run(&kernels, names[way], x_shape->type,
                        (uint64_t)wl_cudnn_tensor_count(made[way]), stream, parameters);
}

int wl_cudnn_columns(void *stream, const struct wl_cudnn_convolution *c,
                     const struct wl_cudnn_tensor *x_shape, const void *x,
                     const struct wl_cudnn_tensor *w_shape, void *to)
{
    struct wl_cudnn_tensor y_shape = *x_shape;
    const int status = wl_cudnn_convolution_shape(c, x_shape, w_shape, y_shape.dims);
    if (status)
        return status;
    long long count = y_shape.dims[0], rows = w_shape->dims[1];
    for (int i = 0; i < c->spatial; i++) {
        count *= y_shape.dims[2 + i];
        rows *= w_shape->dims[2 + i];
    }
    if (c->spatial > WL_DNN_SPATIAL || c->groups != 1 || !wl_cudnn_is_floating(x_shape->type) ||
        w_shape->type != x_shape->type || count > INT_MAX || rows > INT_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    struct wl_dnn_convolution taken = take(c, x_shape, w_shape, &y_shape);
    int is_flipped = c->is_flipped;
    void *parameters[] = {&taken, &x, &to, &is_flipped};
    return wl_cudnn_run(&kernels, "columns", x_shape->type, (uint64_t)count * (uint64_t)rows,
                        stream, parameters);
}

int wl_cudnn_convolve_fused(void *stream, const struct wl_cudnn_convolution *c,
                            const struct wl_cudnn_tensor *x_shape, void *x,
                            const struct wl_cudnn_tensor *w_shape, void *w,
                            const struct wl_cudnn_tensor *y_shape, void *y, double alpha,
                            const struct wl_cudnn_tensor *z_shape,
                            const struct wl_dnn_epilogue *epilogue)
{
    const int status = wl_cudnn_can_convolve(WL_CUDNN_FORWARD, c, x_shape, w_shape, y_shape);
    if (status)
        return status;
    struct wl_dnn_convolution taken = take_filter(c, x_shape, w_shape, &w, y_shape);
    struct wl_dnn_epilogue after = *epilogue;
    union wl_cudnn_scalar factor = wl_cudnn_scalar(x_shape->type, alpha);
    void *parameters[] = {&taken, &x, &w, &y, &factor, &after};
    wl_cudnn_spread(z_shape, after.steps);
    wl_cudnn_set_direct(&kernels, "forward_fused", x_shape->type,
                        wl_cudnn_direct(WL_CUDNN_FORWARD, x_shape->type, true));
    wl_cudnn_set_library(
        &kernels, "forward_fused", x_shape->type,
        wl_cudnn_convolution_library(WL_CUDNN_FORWARD, x_shape->type, c->keeps_single));
    return wl_cudnn_run(&kernels, "forward_fused", x_shape->type,
                        (uint64_t)wl_cudnn_tensor_count(y_shape), stream, parameters);
}
