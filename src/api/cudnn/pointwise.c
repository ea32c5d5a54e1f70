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

/* ---- sums and copies ---- */

/* What two tensors' calls share; is_spread: x may have size 1 where y has more. */
static int blend(const char *call, const void *handle, const void *alpha, const void *x_shape,
                 const void *x, const void *beta, const void *y_shape, void *y, bool is_spread)
{
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *y_is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !x_is || !y_is || !x || !y ||
        (!is_spread && !wl_cudnn_has_dims_of(x_is, y_is)) || !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    if (x_is->type != y_is->type || !wl_cudnn_is_floating(y_is->type))
        return refuse_types(call);
    return wl_cudnn_blend(stream, y_is, y, x_is, x, wl_cudnn_read_scalar(y_is->type, alpha),
                          wl_cudnn_read_scalar(y_is->type, beta));
}

int cudnnAddTensor(const void *handle, const void *alpha, const void *a_shape, const void *a,
                   const void *beta, const void *c_shape, void *c)
{
    return blend(__func__, handle, alpha, a_shape, a, beta, c_shape, c, true);
}

int cudnnTransformTensor(const void *handle, const void *alpha, const void *x_shape, const void *x,
                         const void *beta, const void *y_shape, void *y)
{
    return blend(__func__, handle, alpha, x_shape, x, beta, y_shape, y, false);
}

int cudnnScaleTensor(const void *handle, const void *y_shape, void *y, const void *alpha)
{
    static const double none = 0; /* in each type */
    return blend(__func__, handle, alpha, y_shape, y, &none, y_shape, y, false);
}

int cudnnSetTensor(const void *handle, const void *y_shape, void *y, const void *value)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !is || !y || !value)
        return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_fill(stream, is, y, value);
}

/* ---- two tensors ---- */

int cudnnOpTensor(const void *handle, const void *operation, const void *a_factor,
                  const void *a_shape, const void *a, const void *b_factor, const void *b_shape,
                  const void *b, const void *c_factor, const void *c_shape, void *c)
{
    const struct wl_cudnn_op *op = wl_cudnn_op_check(operation);
    const struct wl_cudnn_tensor *tensors[] = {wl_cudnn_tensor_check(c_shape),
                                               wl_cudnn_tensor_check(a_shape), NULL};
    const bool has_b = op && op->operation != WL_DNN_ROOT;
    void *stream;
    if (has_b)
        tensors[2] = wl_cudnn_tensor_check(b_shape);
    if (!wl_cudnn_stream(handle, &stream) || !op || !a_factor || !c_factor || !tensors[0] ||
        !tensors[1] || !a || !c || (has_b && (!tensors[2] || !b || !b_factor)) ||
        !wl_cudnn_is_writable(tensors[0]))
        return WL_CUDNN_BAD_PARAM;
    struct wl_dnn_walk walk;
    const int type = tensors[0]->type;
    if (!wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, tensors, 3))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(type) || tensors[1]->type != type ||
        (has_b && tensors[2]->type != type) || !wl_cudnn_has_sums(type, op->compute_type))
        return refuse_types(__func__);
    int kind = op->operation, propagates_nan = op->propagates_nan;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, a_factor),
        wl_cudnn_scalar(type, has_b ? wl_cudnn_read_scalar(type, b_factor) : 0),
        wl_cudnn_take_scalar(type, c_factor),
    };
    void *parameters[] = {&walk, &kind,       &propagates_nan, &c,         &a,
                          &b,    &factors[0], &factors[1],     &factors[2]};
    return wl_cudnn_run(&kernels, "join", type, (uint64_t)walk.count, stream, parameters);
}

/* ---- activations ---- */

int cudnnActivationForward(const void *handle, const void *activation, const void *alpha,
                           const void *x_shape, const void *x, const void *beta,
                           const void *y_shape, void *y)
{
    const struct wl_dnn_activation *given = wl_cudnn_activation_check(activation);
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *y_is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !given || !alpha || !beta || !x_is || !y_is || !x ||
        !y || !wl_cudnn_has_dims_of(x_is, y_is) || x_is->type != y_is->type ||
        !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(y_is->type))
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
    return wl_cudnn_run(&kernels, "activate", y_is->type, (uint64_t)walk.count, stream, parameters);
}

int cudnnActivationBackward(const void *handle, const void *activation, const void *alpha,
                            const void *y_shape, const void *y, const void *dy_shape,
                            const void *dy, const void *x_shape, const void *x, const void *beta,
                            const void *dx_shape, void *dx)
{
    const struct wl_dnn_activation *given = wl_cudnn_activation_check(activation);
    const struct wl_cudnn_tensor *const tensors[] = {
        wl_cudnn_tensor_check(dx_shape), wl_cudnn_tensor_check(x_shape),
        wl_cudnn_tensor_check(y_shape), wl_cudnn_tensor_check(dy_shape)};
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !given || !alpha || !beta || !x || !y || !dy || !dx ||
        !tensors[0] || !wl_cudnn_is_writable(tensors[0]))
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
