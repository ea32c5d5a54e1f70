/* cuDNN's calls of batch normalisation. Those of the extended kind need no memory of the program's:
 * where an activation was, the output tells. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "normalize.ptx"};

/* cudnnBatchNormMode_t; the last one may be computed otherwise, but to the same end. */
enum { PER_ACTIVATION = 0, SPATIAL = 1, SPATIAL_PERSISTENT = 2 };
/* cudnnBatchNormOps_t */
enum { ALONE = 0, WITH_ACTIVATION = 1, WITH_ADDEND = 2 };

/* A tensor's description and its elements. */
struct operand {
    const void *shape;
    void *data;
};

/* What a call has beside its factors; what it has not is NULL. */
struct given {
    const char *call;
    const void *handle;
    int mode, operation;
    struct operand x, y, z, dy, dx, dz;
    const void *parameter_shape, *activation;
    double epsilon;
};

/* The same, looked at. */
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
        if (parameters->dims[i] != (mode == PER_ACTIVATION ? x->dims[i] : 1))
            return false;
    return true;
}

/* A tensor of x's dimensions and type; NULL where none is given. */
static bool take_one(const struct taken *taken, const struct operand *given, bool is_needed,
                     const struct wl_cudnn_tensor **found)
{
    *found = wl_cudnn_tensor_check(given->shape);
    return is_needed ? *found && given->data && (*found)->type == taken->x->type &&
                           wl_cudnn_has_dims_of(*found, taken->x)
                     : true;
}

static int take(const struct given *given, bool is_gradient, struct taken *taken)
{
    *taken = (struct taken){
        .x = wl_cudnn_tensor_check(given->x.shape),
        .parameters = wl_cudnn_tensor_check(given->parameter_shape),
        .has_activation = given->operation != ALONE,
        .has_addend = given->operation == WITH_ADDEND,
    };
    if (!wl_cudnn_stream(given->handle, &taken->stream) || !taken->x || !given->x.data ||
        !taken->parameters || given->mode < PER_ACTIVATION || given->mode > SPATIAL_PERSISTENT ||
        given->operation < ALONE || given->operation > WITH_ADDEND || !(given->epsilon >= 0) ||
        !are_parameters(taken->parameters, taken->x, given->mode))
        return WL_CUDNN_BAD_PARAM;
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
    taken->kept = given->mode == PER_ACTIVATION ? WL_CUDNN_ALL_DIMS & ~1 : 2;
    return WL_CUDNN_OK;
}

static struct wl_dnn_normalization describe(const struct given *given, const struct taken *taken,
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

/* ---- training ---- */

/* What training writes beside y; each may be NULL. */
struct statistics {
    void *running_mean, *running_variance, *mean, *inverse;
};

static int train(const struct given *given, const void *alpha, const void *beta, const void *scale,
                 const void *bias, double momentum, struct statistics statistics)
{
    struct taken taken;
    const int status = take(given, false, &taken);
    if (status)
        return status;
    if (!alpha || !beta || !scale || !bias ||
        !statistics.running_mean != !statistics.running_variance ||
        !statistics.mean != !statistics.inverse)
        return WL_CUDNN_BAD_PARAM;
    struct wl_dnn_normalization n = describe(
        given, &taken,
        (const struct wl_cudnn_tensor *[]){taken.x, taken.y, taken.z, taken.parameters}, 4);
    const int type = taken.x->type;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_scalar(type, wl_cudnn_read_scalar(type, alpha)),
        wl_cudnn_scalar(type, wl_cudnn_read_scalar(type, beta)),
    };
    void *x = given->x.data, *y = given->y.data, *z = taken.has_addend ? given->z.data : NULL;
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
        &factors[0],
        &factors[1],
    };
    n.momentum = momentum;
    return wl_cudnn_run(&kernels, "train", type, (uint64_t)n.kept.count * (uint64_t)n.group,
                        taken.stream, parameters);
}

int cudnnBatchNormalizationForwardTraining(const void *handle, int mode, const void *alpha,
                                           const void *beta, const void *x_shape, void *x,
                                           const void *y_shape, void *y,
                                           const void *parameter_shape, const void *scale,
                                           const void *bias, double momentum, void *running_mean,
                                           void *running_variance, double epsilon, void *mean,
                                           void *inverse)
{
    const struct given given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    return train(&given, alpha, beta, scale, bias, momentum,
                 (struct statistics){running_mean, running_variance, mean, inverse});
}

int cudnnBatchNormalizationForwardTrainingEx(
    const void *handle, int mode, int operation, const void *alpha, const void *beta,
    const void *x_shape, void *x, const void *z_shape, void *z, const void *y_shape, void *y,
    const void *parameter_shape, const void *scale, const void *bias, double momentum,
    void *running_mean, void *running_variance, double epsilon, void *mean, void *inverse,
    const void *activation, void *space, size_t space_bytes, void *reserve, size_t reserve_bytes)
{
    const struct given given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .operation = operation,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .z = {z_shape, z},
        .parameter_shape = parameter_shape,
        .activation = activation,
        .epsilon = epsilon,
    };
    (void)space;
    (void)space_bytes;
    (void)reserve;
    (void)reserve_bytes;
    return train(&given, alpha, beta, scale, bias, momentum,
                 (struct statistics){running_mean, running_variance, mean, inverse});
}

/* ---- inference ---- */

int cudnnBatchNormalizationForwardInference(const void *handle, int mode, const void *alpha,
                                            const void *beta, const void *x_shape, void *x,
                                            const void *y_shape, void *y,
                                            const void *parameter_shape, const void *scale,
                                            const void *bias, const void *mean,
                                            const void *variance, double epsilon)
{
    const struct given given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    struct taken taken;
    const int status = take(&given, false, &taken);
    if (status)
        return status;
    if (!alpha || !beta || !scale || !bias || !mean || !variance)
        return WL_CUDNN_BAD_PARAM;
    const struct wl_cudnn_tensor *const tensors[] = {taken.y, taken.x, taken.parameters, NULL};
    struct wl_dnn_walk walk;
    wl_cudnn_walk(&walk, WL_CUDNN_ALL_DIMS, false, tensors, 4);
    const int type = taken.x->type;
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_scalar(type, wl_cudnn_read_scalar(type, alpha)),
        wl_cudnn_scalar(type, wl_cudnn_read_scalar(type, beta)),
        wl_cudnn_scalar(type, epsilon),
    };
    int has_activation = 0;
    void *z = NULL;
    void *parameters[] = {&walk,       &x,         &y,        &z,          &scale,
                          &bias,       &mean,      &variance, &factors[2], &has_activation,
                          &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "infer", type, (uint64_t)walk.count, taken.stream, parameters);
}

/* ---- the gradient ---- */

/* Factors as programs pass them, of dx and of the parameters' gradients; then those. */
struct gradient {
    const void *alpha, *beta, *parameter_alpha, *parameter_beta;
    const void *scale;
    void *dscale, *dbias;
    const void *mean, *inverse; /* as training left them, or NULL */
};

static int train_back(const struct given *given, struct gradient gradient)
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
         *dz = taken.has_addend ? given->dz.data : NULL;
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
                          (void *)(uintptr_t)factors};
    return wl_cudnn_run(&kernels, "train_back", type, (uint64_t)n.kept.count * (uint64_t)n.group,
                        taken.stream, parameters);
}

int cudnnBatchNormalizationBackward(const void *handle, int mode, const void *alpha,
                                    const void *beta, const void *parameter_alpha,
                                    const void *parameter_beta, const void *x_shape, void *x,
                                    const void *dy_shape, void *dy, const void *dx_shape, void *dx,
                                    const void *parameter_shape, const void *scale, void *dscale,
                                    void *dbias, double epsilon, const void *mean,
                                    const void *inverse)
{
    const struct given given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .dy = {dy_shape, dy},
        .dx = {dx_shape, dx},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    return train_back(&given, (struct gradient){alpha, beta, parameter_alpha, parameter_beta, scale,
                                                dscale, dbias, mean, inverse});
}

int cudnnBatchNormalizationBackwardEx(
    const void *handle, int mode, int operation, const void *alpha, const void *beta,
    const void *parameter_alpha, const void *parameter_beta, const void *x_shape, void *x,
    const void *y_shape, void *y, const void *dy_shape, void *dy, const void *dz_shape, void *dz,
    const void *dx_shape, void *dx, const void *parameter_shape, const void *scale,
    const void *bias, void *dscale, void *dbias, double epsilon, const void *mean,
    const void *inverse, const void *activation, void *space, size_t space_bytes, void *reserve,
    size_t reserve_bytes)
{
    const struct given given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .operation = operation,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .dy = {dy_shape, dy},
        .dx = {dx_shape, dx},
        .dz = {dz_shape, dz},
        .parameter_shape = parameter_shape,
        .activation = activation,
        .epsilon = epsilon,
    };
    (void)bias;
    (void)space;
    (void)space_bytes;
    (void)reserve;
    (void)reserve_bytes;
    return train_back(&given, (struct gradient){alpha, beta, parameter_alpha, parameter_beta, scale,
                                                dscale, dbias, mean, inverse});
}

/* ---- sizes ---- */

static int tell_none(const void *handle, const void *x_shape, size_t *bytes)
{
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !wl_cudnn_tensor_check(x_shape) || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = 0;
    return WL_CUDNN_OK;
}

int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    const void *handle, int mode, int operation, const void *x_shape, const void *z_shape,
    const void *y_shape, const void *parameter_shape, const void *activation, size_t *bytes)
{
    (void)mode;
    (void)operation;
    (void)z_shape;
    (void)y_shape;
    (void)parameter_shape;
    (void)activation;
    return tell_none(handle, x_shape, bytes);
}

int cudnnGetBatchNormalizationBackwardExWorkspaceSize(const void *handle, int mode, int operation,
                                                      const void *x_shape, const void *y_shape,
                                                      const void *dy_shape, const void *dz_shape,
                                                      const void *dx_shape,
                                                      const void *parameter_shape,
                                                      const void *activation, size_t *bytes)
{
    (void)mode;
    (void)operation;
    (void)y_shape;
    (void)dy_shape;
    (void)dz_shape;
    (void)dx_shape;
    (void)parameter_shape;
    (void)activation;
    return tell_none(handle, x_shape, bytes);
}

int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(const void *handle, int mode,
                                                         int operation, const void *activation,
                                                         const void *x_shape, size_t *bytes)
{
    (void)mode;
    (void)operation;
    (void)activation;
    return tell_none(handle, x_shape, bytes);
}

int cudnnDeriveBNTensorDescriptor(void *made, const void *x_shape, int mode)
{
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    if (!x || mode < PER_ACTIVATION || mode > SPATIAL_PERSISTENT)
        return WL_CUDNN_BAD_PARAM;
    struct wl_cudnn_tensor parameters = *x;
    parameters.type = x->type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : WL_CUDNN_FLOAT;
    for (int i = 0; i < x->rank; i++)
        if (i == 0 || (i > 1 && mode != PER_ACTIVATION))
            parameters.dims[i] = 1;
    wl_cudnn_tensor_pack(&parameters, false);
    return wl_cudnn_tensor_set(made, &parameters);
}
