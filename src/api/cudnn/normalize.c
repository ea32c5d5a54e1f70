#include "api/cudnn/normalize.h"

#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/library.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "normalize.ptx"};

/* What a call is given, looked at; NULL: there is no such tensor, or it plays no part. */
struct taken {
    void *stream;
    const struct wl_cudnn_tensor *x, *y, *z, *dy, *dx, *dz, *parameters;
    int kept; /* dimensions, as bits: those that parameters have */
    bool has_activation, has_addend;
};

/* Whether parameters of the mode belong to x. */
static bool are_parameters(const struct wl_cudnn_tensor *parameters,
                           const struct wl_cudnn_tensor *x, int mode)
{
    if (parameters->rank != x->rank || parameters->dims[0] != 1 ||
        parameters->type != (x->type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : WL_CUDNN_FLOAT) ||
        parameters->dims[1] != x->dims[1])
        return false;
    for (int i = 2; i < x->rank; i++)
        if (parameters->dims[i] != (mode == WL_CUDNN_PER_ACTIVATION ? x->dims[i] : 1))
            return false;
    return true;
}

/* A tensor of x's dimensions and type, if one is needed; false: it is none. */
static bool take_one(const struct taken *taken, const struct wl_cudnn_operand *given,
                     bool is_needed, const struct wl_cudnn_tensor **found)
{
    *found = is_needed ? wl_cudnn_tensor_check(given->shape) : NULL;
    return !is_needed || (*found && given->data && (*found)->type == taken->x->type &&
                          wl_cudnn_has_dims_of(*found, taken->x));
}

static int take(const struct wl_cudnn_normalizing *given, bool is_gradient, struct taken *taken)
{
    *taken = (struct taken){
        .x = wl_cudnn_tensor_check(given->x.shape),
        .parameters = wl_cudnn_tensor_check(given->parameter_shape),
        .has_activation = given->operation != WL_CUDNN_ALONE,
        .has_addend = given->operation == WL_CUDNN_WITH_ADDEND,
    };
    if (!wl_cudnn_stream(given->handle, &taken->stream) || !taken->x || !given->x.data ||
        !taken->parameters || taken->x->rank < 4 || taken->x->rank > 5 ||
        given->mode < WL_CUDNN_PER_ACTIVATION || given->mode > WL_CUDNN_SPATIAL_PERSISTENT ||
        given->operation < WL_CUDNN_ALONE || given->operation > WL_CUDNN_WITH_ADDEND ||
        !(given->epsilon >= 0) || !are_parameters(taken->parameters, taken->x, given->mode))
        return WL_CUDNN_BAD_PARAM;
    if (given->statistics_shape) {
        const struct wl_cudnn_tensor *statistics = wl_cudnn_tensor_check(given->statistics_shape);
        if (!statistics || !wl_cudnn_is_same(statistics, taken->parameters))
            return WL_CUDNN_BAD_PARAM;
    }
    const bool needs_y = !is_gradient || taken->has_activation;
    if (!take_one(taken, &given->y, needs_y, &taken->y) ||
        !take_one(taken, &given->z, !is_gradient && taken->has_addend, &taken->z) ||
        !take_one(taken, &given->dy, is_gradient, &taken->dy) ||
        !take_one(taken, &given->dx, is_gradient, &taken->dx) ||
        !take_one(taken, &given->dz, is_gradient && taken->has_addend, &taken->dz))
        return WL_CUDNN_BAD_PARAM;
    if (taken->has_activation) {
        const struct wl_dnn_activation *after = wl_cudnn_activation_check(given->activation);
        if (!after)
            return WL_CUDNN_BAD_PARAM;
        if (after->mode != WL_DNN_RELU)
            return wl_cudnn_refuse(given->call, "activations other than ReLU");
    }
    if (!wl_cudnn_is_floating(taken->x->type))
        return wl_cudnn_refuse(given->call, "these types");
    taken->kept = given->mode == WL_CUDNN_PER_ACTIVATION ? WL_CUDNN_ALL_DIMS & ~1 : 2;
    return WL_CUDNN_OK;
}

static struct wl_dnn_normalization describe(const struct wl_cudnn_normalizing *given,
                                            const struct taken *taken,
                                            const struct wl_cudnn_tensor *const *tensors, int count)
{
    struct wl_dnn_normalization made = {
        .has_activation = taken->has_activation,
        .epsilon = given->epsilon,
    };
    wl_cudnn_walk(&made.kept, taken->kept, false, tensors, count);
    wl_cudnn_walk(&made.folded, ~taken->kept, false, tensors, count);
    made.group = wl_cudnn_group(made.folded.count);
    return made;
}

/* NULL where nothing is kept: there is no activation, or no memory. */
static void *reserve_of(const struct wl_cudnn_normalizing *given, const struct taken *taken)
{
    return taken->has_activation && given->reserve_bytes >= (size_t)wl_cudnn_tensor_count(taken->x)
               ? given->reserve
               : NULL;
}

int wl_cudnn_normalize_reserve(const void *handle, int operation, const void *x_shape,
                               size_t *bytes)
{
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !x || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = operation == WL_CUDNN_ALONE ? 0 : (size_t)wl_cudnn_tensor_count(x);
    return WL_CUDNN_OK;
}

/* ---- training ---- */

int wl_cudnn_normalize_train(const struct wl_cudnn_normalizing *given, const void *alpha,
                             const void *beta, const void *scale, const void *bias, double momentum,
                             struct wl_cudnn_statistics statistics)
{
    struct taken taken;
    const int status = take(given, false, &taken);
    if (status)
        return status;
    if (!alpha || !beta || !scale || !bias || !statistics.mean != !statistics.inverse)
        return WL_CUDNN_BAD_PARAM;
    struct wl_dnn_normalization n = describe(
        given, &taken,
        (const struct wl_cudnn_tensor *[]){taken.x, taken.y, taken.z, taken.parameters}, 4);
    const int type = taken.x->type;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
    };
    void *x = given->x.data, *y = given->y.data, *z = taken.has_addend ? given->z.data : NULL,
         *passed = reserve_of(given, &taken);
    void *parameters[] = {
        &n,
        &x,
        &y,
        &z,
        &scale,
        &bias,
        &statistics.running_mean,
        &statistics.running_variance,
        &statistics.mean,
        &statistics.inverse,
        &passed,
        &factors[0],
        &factors[1],
    };
    n.momentum = momentum;
    wl_cudnn_set_library(&kernels, "train", type, wl_cudnn_norm_library(false, type));
    return wl_cudnn_run(&kernels, "train", type, (uint64_t)n.kept.count * (uint64_t)n.group,
                        taken.stream, parameters);
}

/* ---- inference ---- */

int wl_cudnn_normalize_infer(const struct wl_cudnn_normalizing *given, const void *alpha,
                             const void *beta, const void *scale, const void *bias,
                             const void *mean, const void *variance)
{
    struct taken taken;
    const int status = take(given, false, &taken);
    if (status)
        return status;
    if (!alpha || !beta || !scale || !bias || !mean || !variance)
        return WL_CUDNN_BAD_PARAM;
    const struct wl_cudnn_tensor *const tensors[] = {taken.y, taken.x, taken.parameters, taken.z};
    struct wl_dnn_walk walk;
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, tensors, 4);
    const int type = taken.x->type;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(type, alpha),
        wl_cudnn_take_scalar(type, beta),
        wl_cudnn_scalar(type, given->epsilon),
    };
    int has_activation = taken.has_activation;
    void *x = given->x.data, *y = given->y.data, *z = taken.has_addend ? given->z.data : NULL;
    void *parameters[] = {&walk,       &x,         &y,        &z,          &scale,
                          &bias,       &mean,      &variance, &factors[2], &has_activation,
                          &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "infer", type, (uint64_t)walk.count, taken.stream, parameters);
}

/* ---- the gradient ---- */

int wl_cudnn_normalize_back(const struct wl_cudnn_normalizing *given,
                            struct wl_cudnn_normalizing_back gradient)
{
    struct taken taken;
    const int status = take(given, true, &taken);
    if (status)
        return status;
    if (!gradient.alpha || !gradient.beta || !gradient.parameter_alpha ||
        !gradient.parameter_beta || !gradient.scale || !gradient.dscale || !gradient.dbias ||
        !gradient.mean != !gradient.inverse)
        return WL_CUDNN_BAD_PARAM;
    const struct wl_cudnn_tensor *const tensors[] = {taken.x,  taken.dy, taken.y,
                                                     taken.dx, taken.dz, taken.parameters};
    struct wl_dnn_normalization n = describe(given, &taken, tensors, 6);
    const int type = taken.x->type;
    const double values[] = {
        wl_cudnn_read_scalar(type, gradient.alpha),
        wl_cudnn_read_scalar(type, gradient.beta),
        wl_cudnn_read_scalar(type, gradient.parameter_alpha),
        wl_cudnn_read_scalar(type, gradient.parameter_beta),
    };
    const float singles[] = {(float)values[0], (float)values[1], (float)values[2],
                             (float)values[3]};
    const void *factors = type == WL_CUDNN_DOUBLE ? (const void *)values : singles;
    void *x = given->x.data, *dy = given->dy.data, *y = given->y.data, *dx = given->dx.data,
         *dz = taken.has_addend ? given->dz.data : NULL, *passed = reserve_of(given, &taken);
    void *parameters[] = {&n,
                          &x,
                          &dy,
                          &y,
                          &dx,
                          &dz,
                          &gradient.scale,
                          &gradient.dscale,
                          &gradient.dbias,
                          &gradient.mean,
                          &gradient.inverse,
                          &passed,
                          (void *)(uintptr_t)factors};
    wl_cudnn_set_library(&kernels, "train_back", type, wl_cudnn_norm_library(true, type));
    return wl_cudnn_run(&kernels, "train_back", type, (uint64_t)n.kept.count * (uint64_t)n.group,
                        taken.stream, parameters);
}
