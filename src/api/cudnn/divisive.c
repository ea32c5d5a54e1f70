/* cuDNN's divisive normalisation: x divided by how far its neighbours are from a mean. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "divisive.ptx"};

/* What both ways share: a status. y: what is made, of x's dimensions and type. */
static int take(const char *call, const void *descriptor, const struct wl_cudnn_tensor *x,
                const struct wl_cudnn_tensor *y, struct wl_dnn_divisive *taken)
{
    const struct wl_cudnn_response *of = wl_cudnn_response_check(descriptor);
    if (!of || !x || !y || x->type != y->type || !wl_cudnn_has_dims_of(x, y) || x->rank < 4 ||
        !wl_cudnn_is_writable(x) || !wl_cudnn_is_writable(y))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(x->type) || x->rank > WL_DNN_RANK)
        return wl_cudnn_refuse(call, "these types or dimensions");
    *taken = (struct wl_dnn_divisive){
        .batch = x->dims[0],
        .channels = x->dims[1],
        .alpha = of->alpha,
        .beta = of->beta,
        .k = of->k,
    };
    const int width = (int)of->width, missing = WL_DNN_RANK - x->rank;
    for (int d = 0; d < WL_DNN_SPATIAL; d++) {
        const bool is_there = d >= missing;
        taken->sizes[d] = is_there ? x->dims[2 + d - missing] : 1;
        taken->before[d] = is_there ? (width - 1) / 2 : 0;
        taken->after[d] = is_there ? width - 1 - (width - 1) / 2 : 0;
        if (is_there)
            taken->alpha /= width; /* elements beyond the ends are 0 and count */
    }
    wl_cudnn_spread(x, taken->x);
    wl_cudnn_spread(y, taken->y);
    return WL_CUDNN_OK;
}

/* mode: cudnnDivNormMode_t has one. The memory of the program's is not needed here. */
int cudnnDivisiveNormalizationForward(const void *handle, const void *descriptor, int mode,
                                      const void *alpha, const void *x_shape, const void *x,
                                      const void *means, void *memory, void *more_memory,
                                      const void *beta, const void *y_shape, void *y)
{
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape);
    struct wl_dnn_divisive taken;
    void *stream;
    (void)mode;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !x || !y || !memory || !more_memory)
        return WL_CUDNN_BAD_PARAM;
    const int status = take(__func__, descriptor, x_is, wl_cudnn_tensor_check(y_shape), &taken);
    if (status)
        return status;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(x_is->type, alpha),
        wl_cudnn_take_scalar(x_is->type, beta),
    };
    void *parameters[] = {&taken, &x, &means, &y, &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "divide", x_is->type, (uint64_t)wl_cudnn_tensor_count(x_is),
                        stream, parameters);
}

/* slopes and factors: memory for a tensor as x each. */
int cudnnDivisiveNormalizationBackward(const void *handle, const void *descriptor, int mode,
                                       const void *alpha, const void *x_shape, const void *x,
                                       const void *means, const void *dy, void *slopes,
                                       void *factors, const void *beta, const void *dx_shape,
                                       void *dx, void *dmeans)
{
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape);
    struct wl_dnn_divisive taken;
    void *stream;
    (void)mode;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !x || !dy || !slopes || !factors ||
        !dx)
        return WL_CUDNN_BAD_PARAM;
    int status = take(__func__, descriptor, x_is, wl_cudnn_tensor_check(dx_shape), &taken);
    if (status)
        return status;
    union wl_cudnn_scalar scalars[] = {
        wl_cudnn_take_scalar(x_is->type, alpha),
        wl_cudnn_take_scalar(x_is->type, beta),
    };
    const uint64_t count = (uint64_t)wl_cudnn_tensor_count(x_is);
    void *first[] = {&taken, &x, &means, &dy, &slopes, &factors, &dmeans, &scalars[0], &scalars[1]};
    void *second[] = {&taken, &x, &means, &dy, &slopes, &factors, &dx, &scalars[0], &scalars[1]};
    status = wl_cudnn_run(&kernels, "divide_slopes", x_is->type, count, stream, first);
    if (!status)
        status = wl_cudnn_run(&kernels, "divide_back", x_is->type, count, stream, second);
    return status;
}
