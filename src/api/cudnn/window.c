/* cuDNN's pooling and its normalisation of responses. */
#include <limits.h>

#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "window.ptx"};

/* A tensor's description and its elements; data NULL: not given. */
struct operand {
    const struct wl_cudnn_tensor *shape;
    const void *data;
};

/* Whether each is there, and of the first one's type; those from `similar` on also of its
 * dimensions. */
static bool are_given(const struct operand *operands, int count, int similar)
{
    for (int i = 0; i < count; i++)
        if (!operands[i].shape || !operands[i].data ||
            operands[i].shape->type != operands[0].shape->type ||
            (i >= similar && !wl_cudnn_has_dims_of(operands[i].shape, operands[0].shape)))
            return false;
    return true;
}

/* ---- sizes ---- */

int cudnnGetPoolingNdForwardOutputDim(const void *pooling, const void *x_shape, int rank, int *dims)
{
    const struct wl_cudnn_pooling *p = wl_cudnn_pooling_check(pooling);
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    if (!p || !x || !dims || p->spatial + 2 != x->rank || rank != x->rank)
        return WL_CUDNN_BAD_PARAM;
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (int i = 0; i < p->spatial; i++) {
        const long long room = x->dims[2 + i] + 2LL * p->pads[i] - p->window[i];
        if (room < 0 || room / p->strides[i] >= INT_MAX)
            return WL_CUDNN_BAD_PARAM;
        dims[2 + i] = (int)(room / p->strides[i]) + 1;
    }
    return WL_CUDNN_OK;
}

int cudnnGetPooling2dForwardOutputDim(const void *pooling, const void *x_shape, int *n, int *c,
                                      int *h, int *w)
{
    int dims[4], *const results[] = {n, c, h, w};
    const int status = cudnnGetPoolingNdForwardOutputDim(pooling, x_shape, 4, dims);
    for (int i = 0; !status && i < 4; i++)
        if (results[i])
            *results[i] = dims[i];
    return status;
}

/* ---- pooling ---- */

static bool is_average(const struct wl_cudnn_pooling *p)
{
    return p->mode == WL_CUDNN_POOLING_AVERAGE || p->mode == WL_CUDNN_POOLING_AVERAGE_PADDED;
}

/* The windows of y in x: programs may have more of them than fit, whose ends are padding. */
static int take(const char *call, const struct wl_cudnn_pooling *p, const struct wl_cudnn_tensor *x,
                const struct wl_cudnn_tensor *y, struct wl_dnn_pooling *taken)
{
    if (!p || x->rank != y->rank || x->rank != p->spatial + 2 || x->dims[0] != y->dims[0] ||
        x->dims[1] != y->dims[1])
        return WL_CUDNN_BAD_PARAM;
    if (p->spatial > WL_DNN_SPATIAL || !wl_cudnn_is_floating(x->type))
        return wl_cudnn_refuse(call, "these types or dimensions");
    *taken = (struct wl_dnn_pooling){
        .batch = x->dims[0],
        .channels = x->dims[1],
        .is_average = is_average(p),
        .counts_padding = p->mode == WL_CUDNN_POOLING_AVERAGE_PADDED,
        .propagates_nan = p->propagates_nan,
    };
    const int missing = WL_DNN_SPATIAL - p->spatial;
    for (int d = 0; d < WL_DNN_SPATIAL; d++) {
        const int i = d - missing;
        taken->in[d] = i < 0 ? 1 : x->dims[2 + i];
        taken->out[d] = i < 0 ? 1 : y->dims[2 + i];
        taken->window[d] = i < 0 ? 1 : p->window[i];
        taken->pads[d] = i < 0 ? 0 : p->pads[i];
        taken->strides[d] = i < 0 ? 1 : p->strides[i];
    }
    wl_cudnn_spread(x, taken->x);
    wl_cudnn_spread(y, taken->y);
    return WL_CUDNN_OK;
}

int cudnnPoolingForward(const void *handle, const void *pooling, const void *alpha,
                        const void *x_shape, const void *x, const void *beta, const void *y_shape,
                        void *y)
{
    const struct operand operands[] = {{wl_cudnn_tensor_check(x_shape), x},
                                       {wl_cudnn_tensor_check(y_shape), y}};
    struct wl_dnn_pooling taken;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !are_given(operands, 2, 2) ||
        !wl_cudnn_is_writable(operands[1].shape))
        return WL_CUDNN_BAD_PARAM;
    const int type = operands[0].shape->type,
              status = take(__func__, wl_cudnn_pooling_check(pooling), operands[0].shape,
                            operands[1].shape, &taken);
    if (status)
        return status;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    void *parameters[] = {&taken, &x, &y, &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "pool", type, (uint64_t)wl_cudnn_tensor_count(operands[1].shape),
                        stream, parameters);
}

/* Of means x and y may be missing: no value is looked at. */
int cudnnPoolingBackward(const void *handle, const void *pooling, const void *alpha,
                         const void *y_shape, const void *y, const void *dy_shape, const void *dy,
                         const void *x_shape, const void *x, const void *beta, const void *dx_shape,
                         void *dx)
{
    struct operand inner[] = {{wl_cudnn_tensor_check(x_shape), x},
                              {wl_cudnn_tensor_check(dx_shape), dx}},
                   outer[] = {{wl_cudnn_tensor_check(y_shape), y},
                              {wl_cudnn_tensor_check(dy_shape), dy}};
    const struct wl_cudnn_pooling *p = wl_cudnn_pooling_check(pooling);
    struct wl_dnn_pooling taken;
    void *stream;
    if (p && is_average(p)) {
        inner[0] = inner[1];
        outer[0] = outer[1];
    }
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !are_given(inner, 2, 1) ||
        !are_given(outer, 2, 1) || inner[0].shape->type != outer[0].shape->type ||
        !wl_cudnn_is_writable(inner[1].shape))
        return WL_CUDNN_BAD_PARAM;
    const int type = inner[0].shape->type,
              status = take(__func__, p, inner[0].shape, outer[0].shape, &taken);
    if (status)
        return status;
    wl_cudnn_spread(inner[1].shape, taken.dx);
    wl_cudnn_spread(outer[1].shape, taken.dy);
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    void *parameters[] = {&taken, &x, &dy, &dx, &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "pool_back", type,
                        (uint64_t)wl_cudnn_tensor_count(inner[0].shape), stream, parameters);
}

/* ---- local responses ---- */

/* cudnnLRNMode_t has one */
enum { ACROSS_CHANNELS = 0 };

/* What both ways share. operands: the result first, then x, dy, dx in the order of the walk. */
static int respond(const char *call, const char *kernel, const void *handle, const void *descriptor,
                   int mode, const void *alpha, const void *beta, const struct operand *operands,
                   int count, struct wl_dnn_response *r, void **parameters)
{
    const struct wl_cudnn_response *of = wl_cudnn_response_check(descriptor);
    const struct wl_cudnn_tensor *shapes[4] = {NULL};
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !of || mode != ACROSS_CHANNELS || !alpha || !beta ||
        !are_given(operands, count, 1) || !wl_cudnn_is_writable(operands[count == 2 ? 0 : 3].shape))
        return WL_CUDNN_BAD_PARAM;
    const int type = operands[0].shape->type;
    if (!wl_cudnn_is_floating(type))
        return wl_cudnn_refuse(call, "these types");
    for (int i = 0; i < count; i++)
        shapes[i] = operands[i].shape;
    *r = (struct wl_dnn_response){
        .channels = shapes[0]->dims[1],
        .before = (int)(of->width - 1) / 2,
        .alpha = of->alpha / of->width,
        .beta = of->beta,
        .k = of->k,
        .y = shapes[0]->strides[1],
        .x = shapes[1]->strides[1],
        .dy = count > 2 ? shapes[2]->strides[1] : 0,
        .dx = count > 2 ? shapes[3]->strides[1] : 0,
    };
    r->after = (int)of->width - 1 - r->before;
    wl_cudnn_walk(&r->walk, WL_CUDNN_ALL_DIMS & ~2, false, shapes, count);
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    int next = 0;
    while (parameters[next])
        next++;
    parameters[next] = &factors[0];
    parameters[next + 1] = &factors[1];
    return wl_cudnn_run(&kernels, kernel, type, (uint64_t)wl_cudnn_tensor_count(shapes[0]), stream,
                        parameters);
}

int cudnnLRNCrossChannelForward(const void *handle, const void *descriptor, int mode,
                                const void *alpha, const void *x_shape, const void *x,
                                const void *beta, const void *y_shape, void *y)
{
    const struct operand operands[] = {{wl_cudnn_tensor_check(y_shape), y},
                                       {wl_cudnn_tensor_check(x_shape), x}};
    struct wl_dnn_response r;
    void *parameters[5] = {&r, &y, &x};
    return respond(__func__, "respond", handle, descriptor, mode, alpha, beta, operands, 2, &r,
                   parameters);
}

int cudnnLRNCrossChannelBackward(const void *handle, const void *descriptor, int mode,
                                 const void *alpha, const void *y_shape, const void *y,
                                 const void *dy_shape, const void *dy, const void *x_shape,
                                 const void *x, const void *beta, const void *dx_shape, void *dx)
{
    const struct operand operands[] = {{wl_cudnn_tensor_check(y_shape), y},
                                       {wl_cudnn_tensor_check(x_shape), x},
                                       {wl_cudnn_tensor_check(dy_shape), dy},
                                       {wl_cudnn_tensor_check(dx_shape), dx}};
    struct wl_dnn_response r;
    void *parameters[6] = {&r, &x, &dy, &dx};
    return respond(__func__, "respond_back", handle, descriptor, mode, alpha, beta, operands, 4, &r,
                   parameters);
}
