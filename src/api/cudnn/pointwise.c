/* cuDNN's calls that compute each element by itself. */
#include "api/cudnn/pointwise.h"

#include <string.h>

#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "pointwise.ptx"};

static int refuse_types(const char *call)
{
    return wl_cudnn_refuse(call, "these types");
}

int wl_cudnn_blend(void *stream, const struct wl_cudnn_tensor *y_shape, void *y,
                   const struct wl_cudnn_tensor *x_shape, const void *x, double alpha, double beta)
{
    struct wl_dnn_walk walk;
    const int type = y_shape->type;
    union wl_cudnn_scalar factors[] = {wl_cudnn_scalar(type, alpha), wl_cudnn_scalar(type, beta)};
    void *parameters[] = {&walk, &y, &x, &factors[0], &factors[1]};
    if (!wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false,
                       (const struct wl_cudnn_tensor *[]){y_shape, x_shape}, 2))
        return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_run(&kernels, "blend", type, (uint64_t)walk.count, stream, parameters);
}

int wl_cudnn_fill(void *stream, const struct wl_cudnn_tensor *shape, void *y, const void *value)
{
    struct wl_dnn_walk walk;
    uint64_t bits = 0;
    const size_t bytes = wl_cudnn_type_bytes(shape->type);
    void *parameters[] = {&walk, &y, &bits};
    memcpy(&bits, value, bytes);
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, &shape, 1);
    return wl_cudnn_run_named(&kernels,
                              bytes == 1   ? "warplens_dnn_fill_1"
                              : bytes == 2 ? "warplens_dnn_fill_2"
                              : bytes == 4 ? "warplens_dnn_fill_4"
                                           : "warplens_dnn_fill_8",
                              (uint64_t)walk.count, stream, parameters);
}

/* ---- any types ---- */

static int blend_any(void *stream, const struct wl_cudnn_tensor *y_shape, void *y,
                     const struct wl_cudnn_tensor *x_shape, const void *x, double alpha,
                     double beta)
{
    struct wl_dnn_walk walk;
    struct wl_dnn_any to = {y, y_shape->type}, from = {(void *)(uintptr_t)x, x_shape->type};
    void *parameters[] = {&walk, &to, &from, &alpha, &beta};
    if (!wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false,
                       (const struct wl_cudnn_tensor *[]){y_shape, x_shape}, 2))
        return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_run_named(&kernels, "warplens_dnn_blend_any", (uint64_t)walk.count, stream,
                              parameters);
}

static int set_any(void *stream, const struct wl_cudnn_tensor *shape, void *y, double value)
{
    struct wl_dnn_walk walk;
    struct wl_dnn_any to = {y, shape->type};
    void *parameters[] = {&walk, &to, &value};
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, &shape, 1);
    return wl_cudnn_run_named(&kernels, "warplens_dnn_set_any", (uint64_t)walk.count, stream,
                              parameters);
}

/* ---- sums and copies ---- */

/* Times 0 all becomes 0. */
static int scale(void *stream, const struct wl_cudnn_tensor *shape, void *y, double factor)
{
    return factor == 0 ? set_any(stream, shape, y, 0)
           : wl_cudnn_is_floating(shape->type)
               ? wl_cudnn_blend(stream, shape, y, shape, y, factor, 0)
               : blend_any(stream, shape, y, shape, y, factor, 0);
}

int cudnnAddTensor(const void *handle, const void *alpha, const void *a_shape, const void *a,
                   const void *beta, const void *c_shape, void *c)
{
    const struct wl_cudnn_tensor *a_is = wl_cudnn_tensor_check(a_shape),
                                 *c_is = wl_cudnn_tensor_check(c_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !a_is || !c_is || !a || !c ||
        a_is->type != c_is->type || !wl_cudnn_is_writable(c_is))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_any(c_is->type))
        return refuse_types(__func__);
    const double factor = wl_cudnn_read_scalar(c_is->type, alpha),
                 own = wl_cudnn_read_scalar(c_is->type, beta);
    if (factor == 0) /* a is not looked at */
        return scale(stream, c_is, c, own);
    return c_is->type == WL_CUDNN_INT8 ? blend_any(stream, c_is, c, a_is, a, factor, own)
                                       : wl_cudnn_blend(stream, c_is, c, a_is, a, factor, own);
}

/* Factors are double where x is of doubles. */
int cudnnTransformTensor(const void *handle, const void *alpha, const void *x_shape, const void *x,
                         const void *beta, const void *y_shape, void *y)
{
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *y_is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !x_is || !y_is || !x || !y ||
        !wl_cudnn_has_dims_of(x_is, y_is) || !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_any(x_is->type) || !wl_cudnn_is_any(y_is->type))
        return refuse_types(__func__);
    const double factor = wl_cudnn_read_scalar(x_is->type, alpha),
                 own = wl_cudnn_read_scalar(x_is->type, beta);
    return x_is->type == y_is->type && wl_cudnn_is_floating(y_is->type)
               ? wl_cudnn_blend(stream, y_is, y, x_is, x, factor, own)
               : blend_any(stream, y_is, y, x_is, x, factor, own);
}

int cudnnScaleTensor(const void *handle, const void *y_shape, void *y, const void *alpha)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !is || !y || !wl_cudnn_is_writable(is))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_any(is->type))
        return refuse_types(__func__);
    return scale(stream, is, y, wl_cudnn_read_scalar(is->type, alpha));
}

/* The value is a double for doubles and of single precision for all other types. */
int cudnnSetTensor(const void *handle, const void *y_shape, void *y, const void *value)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !is || !y || !value)
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_any(is->type))
        return refuse_types(__func__);
    return set_any(stream, is, y, wl_cudnn_read_scalar(is->type, value));
}

/* ---- two tensors ---- */

/* Types of a and b, which are alike, and of c, as cuDNN has them: one is float where they differ.
 */
static bool are_joined(int from, int to, int compute_type)
{
    if (from == to && wl_cudnn_is_floating(to))
        return wl_cudnn_has_sums(to, compute_type);
    return compute_type == WL_CUDNN_FLOAT && wl_cudnn_is_any(from) && wl_cudnn_is_any(to) &&
           from != WL_CUDNN_DOUBLE && to != WL_CUDNN_DOUBLE &&
           (from == to || from == WL_CUDNN_FLOAT || to == WL_CUDNN_FLOAT);
}

/* What cudnnOpTensor computes with: tensors are c, a, b, factors those of a, b, c. */
static int join(void *stream, const struct wl_cudnn_op *op,
                const struct wl_cudnn_tensor *const tensors[3], void *c, const void *a,
                const void *b, const double values[3])
{
    const int type = tensors[0]->type;
    int kind = op->operation, propagates_nan = op->propagates_nan;
    struct wl_dnn_walk walk;
    if (!wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, tensors, 3))
        return WL_CUDNN_BAD_PARAM;
    if (tensors[1]->type != type || !wl_cudnn_is_floating(type)) {
        const int from_type = tensors[1]->type;
        struct wl_dnn_any to = {c, type}, from = {(void *)(uintptr_t)a, from_type},
                          other = {(void *)(uintptr_t)b, from_type};
        double factors[] = {values[0], values[1], values[2]};
        void *parameters[] = {&walk,  &kind,       &propagates_nan, &to,        &from,
                              &other, &factors[0], &factors[1],     &factors[2]};
        return wl_cudnn_run_named(&kernels, "warplens_dnn_join_any", (uint64_t)walk.count, stream,
                                  parameters);
    }
    union wl_cudnn_scalar factors[3];
    for (int i = 0; i < 3; i++)
        factors[i] = wl_cudnn_scalar(type, values[i]);
    void *parameters[] = {&walk, &kind,       &propagates_nan, &c,         &a,
                          &b,    &factors[0], &factors[1],     &factors[2]};
    return wl_cudnn_run(&kernels, "join", type, (uint64_t)walk.count, stream, parameters);
}

int cudnnOpTensor(const void *handle, const void *operation, const void *a_factor,
                  const void *a_shape, const void *a, const void *b_factor, const void *b_shape,
                  const void *b, const void *c_factor, const void *c_shape, void *c)
{
    const struct wl_cudnn_op *op = wl_cudnn_op_check(operation);
    const struct wl_cudnn_tensor *tensors[] = {wl_cudnn_tensor_check(c_shape),
                                               wl_cudnn_tensor_check(a_shape), NULL};
    const bool has_b = op && op->operation < WL_DNN_ROOT;
    void *stream;
    if (has_b)
        tensors[2] = wl_cudnn_tensor_check(b_shape);
    if (!wl_cudnn_stream(handle, &stream) || !op || !a_factor || !c_factor || !tensors[0] ||
        !tensors[1] || !a || !c ||
        (has_b && (!tensors[2] || !b || !b_factor || tensors[2]->type != tensors[1]->type)) ||
        !wl_cudnn_has_dims_of(tensors[1], tensors[0]) || !wl_cudnn_is_writable(tensors[0]))
        return WL_CUDNN_BAD_PARAM;
    if (!are_joined(tensors[1]->type, tensors[0]->type, op->compute_type))
        return refuse_types(__func__);
    const int type = tensors[1]->type;
    return join(stream, op, tensors, c, a, has_b ? b : NULL,
                (double[]){
                    wl_cudnn_read_scalar(type, a_factor),
                    has_b ? wl_cudnn_read_scalar(type, b_factor) : 0,
                    wl_cudnn_read_scalar(type, c_factor),
                });
}

/* ---- activations ---- */

/* Whether the gradient asks y and not x. */
static bool asks_output(const struct wl_dnn_activation *activation)
{
    return activation->mode == WL_DNN_SIGMOID || activation->mode == WL_DNN_TANH ||
           activation->mode == WL_DNN_ELU;
}

static int activate_any(void *stream, struct wl_dnn_walk *walk,
                        struct wl_dnn_activation *activation, int type, void *y, const void *x,
                        double alpha, double beta)
{
    struct wl_dnn_any to = {y, type}, from = {(void *)(uintptr_t)x, type};
    void *parameters[] = {walk, activation, &to, &from, &alpha, &beta};
    return wl_cudnn_run_named(&kernels, "warplens_dnn_activate_any", (uint64_t)walk->count, stream,
                              parameters);
}

int cudnnActivationForward(const void *handle, const void *activation, const void *alpha,
                           const void *x_shape, const void *x, const void *beta,
                           const void *y_shape, void *y)
{
    const struct wl_dnn_activation *given = wl_cudnn_activation_check(activation);
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *y_is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !given || given->mode == WL_DNN_IDENTITY || !alpha ||
        !beta || !x_is || !y_is || !x || !y || !wl_cudnn_has_dims_of(x_is, y_is) ||
        x_is->type != y_is->type || !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_any(y_is->type))
        return refuse_types(__func__);
    struct wl_dnn_walk walk;
    struct wl_dnn_activation taken = *given;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(y_is->type, alpha),
        wl_cudnn_take_scalar(y_is->type, beta),
    };
    void *parameters[] = {&walk, &taken, &y, &x, &factors[0], &factors[1]};
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, (const struct wl_cudnn_tensor *[]){y_is, x_is},
                  2);
    if (y_is->type == WL_CUDNN_INT8)
        return activate_any(stream, &walk, &taken, y_is->type, y, x,
                            wl_cudnn_read_scalar(y_is->type, alpha),
                            wl_cudnn_read_scalar(y_is->type, beta));
    return wl_cudnn_run(&kernels, "activate", y_is->type, (uint64_t)walk.count, stream, parameters);
}

int cudnnActivationBackward(const void *handle, const void *activation, const void *alpha,
                            const void *y_shape, const void *y, const void *dy_shape,
                            const void *dy, const void *x_shape, const void *x, const void *beta,
                            const void *dx_shape, void *dx)
{
    const struct wl_dnn_activation *given = wl_cudnn_activation_check(activation);
    const struct wl_cudnn_tensor *tensors[] = {
        wl_cudnn_tensor_check(dx_shape), wl_cudnn_tensor_check(x_shape),
        wl_cudnn_tensor_check(y_shape), wl_cudnn_tensor_check(dy_shape)};
    void *stream;
    if (given && asks_output(given)) { /* the other one may be missing */
        tensors[1] = tensors[2];
        x = y;
    } else {
        tensors[2] = tensors[1];
        y = x;
    }
    if (!wl_cudnn_stream(handle, &stream) || !given || given->mode == WL_DNN_IDENTITY || !alpha ||
        !beta || !x || !y || !dy || !dx || !tensors[0] || !wl_cudnn_is_writable(tensors[0]))
        return WL_CUDNN_BAD_PARAM;
    for (int i = 1; i < 4; i++)
        if (!tensors[i] || tensors[i]->type != tensors[0]->type ||
            !wl_cudnn_has_dims_of(tensors[i], tensors[0]))
            return WL_CUDNN_BAD_PARAM;
    const int type = tensors[0]->type;
    if (!wl_cudnn_is_floating(type))
        return refuse_types(__func__);
    struct wl_dnn_walk walk;
    struct wl_dnn_activation taken = *given;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    void *parameters[] = {&walk, &taken, &dx, &x, &y, &dy, &factors[0], &factors[1]};
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, tensors, 4);
    return wl_cudnn_run(&kernels, "activate_back", type, (uint64_t)walk.count, stream, parameters);
}
