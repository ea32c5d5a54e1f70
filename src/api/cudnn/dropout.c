/* cuDNN's dropout. Random numbers are the stand-in's own; the same seed leaves out the same
 * elements. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "dropout.ptx"};

static struct wl_cudnn_dropout *check(const void *handle, void *descriptor, void **stream)
{
    return wl_cudnn_stream(handle, stream) ? wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_DROPOUT)
                                           : NULL;
}

int cudnnDropoutGetStatesSize(const void *handle, size_t *bytes)
{
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = sizeof(struct wl_dnn_random);
    return WL_CUDNN_OK;
}

/* A byte for each element. */
int cudnnDropoutGetReserveSpaceSize(const void *x_shape, size_t *bytes)
{
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    if (!x || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = (size_t)wl_cudnn_tensor_count(x);
    return WL_CUDNN_OK;
}

/* Takes over what is set; without states those there are stay, and go on. */
static int set(struct wl_cudnn_dropout *self, float rate, void *states, size_t bytes,
               unsigned long long seed)
{
    if (!self || !(rate >= 0 && rate <= 1) || (states && bytes < sizeof(struct wl_dnn_random)))
        return WL_CUDNN_BAD_PARAM;
    self->rate = rate;
    if (states)
        self->states = states;
    self->seed = seed;
    return WL_CUDNN_OK;
}

int cudnnSetDropoutDescriptor(void *descriptor, const void *handle, float rate, void *states,
                              size_t bytes, unsigned long long seed)
{
    void *stream;
    const int status = set(check(handle, descriptor, &stream), rate, states, bytes, seed);
    void *parameters[] = {&states, &seed};
    if (status || !states)
        return status;
    return wl_cudnn_run_named(&kernels, "warplens_dnn_seed", 1, stream, parameters);
}

/* The states go on from where they are. */
int cudnnRestoreDropoutDescriptor(void *descriptor, const void *handle, float rate, void *states,
                                  size_t bytes, unsigned long long seed)
{
    void *stream;
    return states ? set(check(handle, descriptor, &stream), rate, states, bytes, seed)
                  : WL_CUDNN_BAD_PARAM;
}

int cudnnGetDropoutDescriptor(void *descriptor, const void *handle, float *rate, void **states,
                              unsigned long long *seed)
{
    void *stream;
    const struct wl_cudnn_dropout *self = check(handle, descriptor, &stream);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    if (rate)
        *rate = self->rate;
    if (states)
        *states = self->states;
    if (seed)
        *seed = self->seed;
    return WL_CUDNN_OK;
}

/* What both ways share: a way through `to` and `from`, a status. */
static int take(const char *call, const struct wl_cudnn_tensor *to,
                const struct wl_cudnn_tensor *from, size_t reserve_bytes, struct wl_dnn_walk *walk)
{
    if (!to || !from || to->type != from->type || !wl_cudnn_has_dims_of(to, from) ||
        !wl_cudnn_is_writable(to) || reserve_bytes < (size_t)wl_cudnn_tensor_count(to))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(to->type))
        return wl_cudnn_refuse(call, "these types");
    /* in the order of the dimensions: strides of the two ways may differ */
    wl_cudnn_walk(walk, WL_CUDNN_ALL_DIMS, true, (const struct wl_cudnn_tensor *[]){to, from}, 2);
    return WL_CUDNN_OK;
}

int cudnnDropoutForward(const void *handle, void *descriptor, const void *x_shape, const void *x,
                        const void *y_shape, void *y, void *reserve, size_t reserve_bytes)
{
    void *stream;
    struct wl_cudnn_dropout *self = check(handle, descriptor, &stream);
    const struct wl_cudnn_tensor *y_is = wl_cudnn_tensor_check(y_shape);
    struct wl_dnn_walk walk;
    if (!self || !x || !y || !reserve || !self->states)
        return WL_CUDNN_BAD_PARAM;
    int status = take(__func__, y_is, wl_cudnn_tensor_check(x_shape), reserve_bytes, &walk);
    if (status)
        return status;
    float rate = self->rate;
    unsigned long long count = (unsigned long long)walk.count;
    void *parameters[] = {&walk, &y, &x, &reserve, &self->states, &rate};
    status = wl_cudnn_run(&kernels, "drop", y_is->type, count, stream, parameters);
    if (status)
        return status;
    return wl_cudnn_run_named(&kernels, "warplens_dnn_draw", 1, stream,
                              (void *[]){&self->states, &count});
}

int cudnnDropoutBackward(const void *handle, void *descriptor, const void *dy_shape, const void *dy,
                         const void *dx_shape, void *dx, void *reserve, size_t reserve_bytes)
{
    void *stream;
    struct wl_cudnn_dropout *self = check(handle, descriptor, &stream);
    const struct wl_cudnn_tensor *dx_is = wl_cudnn_tensor_check(dx_shape);
    struct wl_dnn_walk walk;
    if (!self || !dy || !dx || !reserve)
        return WL_CUDNN_BAD_PARAM;
    const int status = take(__func__, dx_is, wl_cudnn_tensor_check(dy_shape), reserve_bytes, &walk);
    if (status)
        return status;
    float rate = self->rate;
    void *parameters[] = {&walk, &dx, &dy, &reserve, &rate};
    return wl_cudnn_run(&kernels, "drop_back", dx_is->type, (uint64_t)walk.count, stream,
                        parameters);
}
