/* cuDNN's calls of reductions and of softmax. They need no memory of the program's. */
#include "api/cudnn/reduce.h"

#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "reduce.ptx"};

/* The dimensions, as bits, that `c` keeps of a's. */
static int kept_dims(const struct wl_cudnn_tensor *a, const struct wl_cudnn_tensor *c)
{
    int kept = 0;
    for (int i = 0; i < a->rank; i++)
        if (c->dims[i] == a->dims[i])
            kept |= 1 << i;
    return kept;
}

/* false: the tensors' dimensions do not belong together. */
static bool describe(struct wl_dnn_reduction *made, int kept, bool is_ordered,
                     const struct wl_cudnn_tensor *const *tensors, int count)
{
    if (!wl_cudnn_walk(&made->kept, kept, is_ordered, tensors, count) ||
        !wl_cudnn_walk(&made->folded, ~kept, is_ordered, tensors, count))
        return false;
    made->group = wl_cudnn_group(made->folded.count);
    return true;
}

static uint64_t threads_of(const struct wl_dnn_reduction *r)
{
    return (uint64_t)r->kept.count * (uint64_t)r->group;
}

int wl_cudnn_reduce(void *stream, const struct wl_cudnn_reducing *what)
{
    struct wl_dnn_reduction r = {
        .operation = what->operation,
        .propagates_nan = what->propagates_nan,
    };
    const struct wl_cudnn_tensor *const tensors[] = {what->a_shape, what->c_shape};
    const int type = what->a_shape->type;
    if (what->a_shape->rank != what->c_shape->rank ||
        !describe(&r, kept_dims(what->a_shape, what->c_shape), true, tensors, 2))
        return WL_CUDNN_BAD_PARAM;
    const void *a = what->a;
    void *c = what->c;
    int *indices = what->indices;
    if (type != what->c_shape->type || type == WL_CUDNN_INT8) {
        struct wl_dnn_any from = {(void *)(uintptr_t)a, type}, to = {c, what->c_shape->type};
        float alpha = (float)what->alpha, beta = (float)what->beta;
        void *parameters[] = {&r, &from, &to, &indices, &alpha, &beta};
        return wl_cudnn_run_named(&kernels, "warplens_dnn_reduce_any", threads_of(&r), stream,
                                  parameters);
    }
    union wl_cudnn_scalar factors[] = {wl_cudnn_scalar(type, what->alpha),
                                       wl_cudnn_scalar(type, what->beta)};
    void *parameters[] = {&r, &a, &c, &indices, &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "reduce", type, threads_of(&r), stream, parameters);
}

/* ---- reductions ---- */

/* Types of a and c, as cuDNN has them: single precision stands beside halves and integers of 8
 * bits.
 */
static bool are_reduced(int from, int to, int compute_type)
{
    if (from == to && wl_cudnn_is_floating(to))
        return wl_cudnn_has_sums(to, compute_type);
    return compute_type == WL_CUDNN_FLOAT &&
           (from == WL_CUDNN_FLOAT  ? to == WL_CUDNN_HALF || to == WL_CUDNN_INT8
            : from == WL_CUDNN_HALF ? to == WL_CUDNN_FLOAT
            : from == WL_CUDNN_INT8 ? to == WL_CUDNN_FLOAT || to == WL_CUDNN_INT8
                                    : false);
}

/* Whether an operation tells which element its result is; indices have 32 bits whatever their type
 * is set to. */
static bool tells_indices(const struct wl_cudnn_reduction *reduction)
{
    return reduction->has_indices &&
           (reduction->operation == WL_DNN_MINIMUM || reduction->operation == WL_DNN_MAXIMUM ||
            reduction->operation == WL_DNN_LARGEST);
}

static int tell_bytes(const void *handle, const void *reduction, const void *a_shape,
                      const void *c_shape, size_t *bytes, bool is_of_indices)
{
    const struct wl_cudnn_reduction *of = wl_cudnn_reduction_check(reduction);
    const struct wl_cudnn_tensor *c = wl_cudnn_tensor_check(c_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !of || !wl_cudnn_tensor_check(a_shape) || !c || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes =
        is_of_indices && tells_indices(of) ? (size_t)wl_cudnn_tensor_count(c) * sizeof(int32_t) : 0;
    return WL_CUDNN_OK;
}

int cudnnGetReductionIndicesSize(const void *handle, const void *reduction, const void *a_shape,
                                 const void *c_shape, size_t *bytes)
{
    return tell_bytes(handle, reduction, a_shape, c_shape, bytes, true);
}

int cudnnGetReductionWorkspaceSize(const void *handle, const void *reduction, const void *a_shape,
                                   const void *c_shape, size_t *bytes)
{
    return tell_bytes(handle, reduction, a_shape, c_shape, bytes, false);
}

int cudnnReduceTensor(const void *handle, const void *reduction, void *indices,
                      size_t indices_bytes, void *space, size_t space_bytes, const void *alpha,
                      const void *a_shape, const void *a, const void *beta, const void *c_shape,
                      void *c)
{
    const struct wl_cudnn_reduction *of = wl_cudnn_reduction_check(reduction);
    const struct wl_cudnn_tensor *a_is = wl_cudnn_tensor_check(a_shape),
                                 *c_is = wl_cudnn_tensor_check(c_shape);
    void *stream;
    (void)space;
    (void)space_bytes;
    if (!wl_cudnn_stream(handle, &stream) || !of || !alpha || !beta || !a_is || !c_is || !a || !c ||
        wl_cudnn_has_dims_of(a_is, c_is) || !wl_cudnn_is_writable(c_is) ||
        (a_is->type == WL_CUDNN_DOUBLE) != (c_is->type == WL_CUDNN_DOUBLE))
        return WL_CUDNN_BAD_PARAM;
    const bool has_indices = tells_indices(of);
    if (has_indices &&
        (!indices || indices_bytes < (size_t)wl_cudnn_tensor_count(c_is) * sizeof(int32_t)))
        return WL_CUDNN_BAD_PARAM;
    if (!are_reduced(a_is->type, c_is->type, of->compute_type))
        return wl_cudnn_refuse(__func__, "these types");
    return wl_cudnn_reduce(stream, &(struct wl_cudnn_reducing){
                                       .operation = of->operation,
                                       .propagates_nan = of->propagates_nan,
                                       .a_shape = a_is,
                                       .a = a,
                                       .c_shape = c_is,
                                       .c = c,
                                       .indices = has_indices ? indices : NULL,
                                       .alpha = wl_cudnn_read_scalar(a_is->type, alpha),
                                       .beta = wl_cudnn_read_scalar(a_is->type, beta),
                                   });
}

/* ---- softmax ---- */

/* cudnnSoftmaxAlgorithm_t; the first two are one. */
enum { FAST = 0, ACCURATE = 1, LOGARITHM = 2 };
/* cudnnSoftmaxMode_t: over all of an n, or over c at each place */
enum { INSTANCE = 0, CHANNEL = 1 };

/* What both ways share; tensors: the result first. */
static int soften(const char *call, const char *kernel, const void *handle, int algorithm, int mode,
                  const void *alpha, const void *beta, const struct wl_cudnn_tensor *const *tensors,
                  int count, const void **data)
{
    struct wl_dnn_reduction r = {.operation = 0};
    const int kept = mode == INSTANCE ? 1 : WL_CUDNN_ALL_DIMS & ~2;
    int is_logarithm = algorithm == LOGARITHM;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || algorithm < FAST || algorithm > LOGARITHM ||
        (mode != INSTANCE && mode != CHANNEL) || !alpha || !beta)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < count; i++)
        if (!tensors[i] || !data[i] || tensors[i]->type != tensors[0]->type ||
            !wl_cudnn_has_dims_of(tensors[i], tensors[0]))
            return WL_CUDNN_BAD_PARAM;
    const int type = tensors[0]->type;
    if (!wl_cudnn_is_floating(type))
        return wl_cudnn_refuse(call, "these types");
    if (!wl_cudnn_is_writable(tensors[0]) || !describe(&r, kept, false, tensors, count))
        return WL_CUDNN_BAD_PARAM;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    void *parameters[7] = {&r, &is_logarithm};
    for (int i = 0; i < count; i++)
        parameters[2 + i] = &data[i];
    parameters[2 + count] = &factors[0];
    parameters[3 + count] = &factors[1];
    return wl_cudnn_run(&kernels, kernel, type, threads_of(&r), stream, parameters);
}

int cudnnSoftmaxForward(const void *handle, int algorithm, int mode, const void *alpha,
                        const void *x_shape, const void *x, const void *beta, const void *y_shape,
                        void *y)
{
    const struct wl_cudnn_tensor *const tensors[] = {wl_cudnn_tensor_check(y_shape),
                                                     wl_cudnn_tensor_check(x_shape)};
    const void *data[] = {y, x};
    return soften(__func__, "soften", handle, algorithm, mode, alpha, beta, tensors, 2, data);
}

int cudnnSoftmaxBackward(const void *handle, int algorithm, int mode, const void *alpha,
                         const void *y_shape, const void *y, const void *dy_shape, const void *dy,
                         const void *beta, const void *dx_shape, void *dx)
{
    const struct wl_cudnn_tensor *const tensors[] = {wl_cudnn_tensor_check(dx_shape),
                                                     wl_cudnn_tensor_check(y_shape),
                                                     wl_cudnn_tensor_check(dy_shape)};
    const void *data[] = {dx, y, dy};
    return soften(__func__, "soften_back", handle, algorithm, mode, alpha, beta, tensors, 3, data);
}
