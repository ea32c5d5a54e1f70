/* cuDNN's calls of batch normalisation. Those of the extended kind need no memory of the program's
 * to work in; what they keep from training tells where an activation was. */
#include "api/cudnn/normalize.h"

#include "api/cudnn/tensor.h"

int cudnnBatchNormalizationForwardTraining(const void *handle, int mode, const void *alpha,
                                           const void *beta, const void *x_shape, void *x,
                                           const void *y_shape, void *y,
                                           const void *parameter_shape, const void *scale,
                                           const void *bias, double momentum, void *running_mean,
                                           void *running_variance, double epsilon, void *mean,
                                           void *inverse)
{
    const struct wl_cudnn_normalizing given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    return wl_cudnn_normalize_train(
        &given, alpha, beta, scale, bias, momentum,
        (struct wl_cudnn_statistics){running_mean, running_variance, mean, inverse});
}

int cudnnBatchNormalizationForwardTrainingEx(
    const void *handle, int mode, int operation, const void *alpha, const void *beta,
    const void *x_shape, void *x, const void *z_shape, void *z, const void *y_shape, void *y,
    const void *parameter_shape, const void *scale, const void *bias, double momentum,
    void *running_mean, void *running_variance, double epsilon, void *mean, void *inverse,
    const void *activation, void *space, size_t space_bytes, void *reserve, size_t reserve_bytes)
{
    const struct wl_cudnn_normalizing given = {
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
        .reserve = reserve,
        .reserve_bytes = reserve_bytes,
    };
    (void)space;
    (void)space_bytes;
    return wl_cudnn_normalize_train(
        &given, alpha, beta, scale, bias, momentum,
        (struct wl_cudnn_statistics){running_mean, running_variance, mean, inverse});
}

int cudnnBatchNormalizationForwardInference(const void *handle, int mode, const void *alpha,
                                            const void *beta, const void *x_shape, void *x,
                                            const void *y_shape, void *y,
                                            const void *parameter_shape, const void *scale,
                                            const void *bias, const void *mean,
                                            const void *variance, double epsilon)
{
    const struct wl_cudnn_normalizing given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    return wl_cudnn_normalize_infer(&given, alpha, beta, scale, bias, mean, variance);
}

int cudnnBatchNormalizationBackward(const void *handle, int mode, const void *alpha,
                                    const void *beta, const void *parameter_alpha,
                                    const void *parameter_beta, const void *x_shape, void *x,
                                    const void *dy_shape, void *dy, const void *dx_shape, void *dx,
                                    const void *parameter_shape, const void *scale, void *dscale,
                                    void *dbias, double epsilon, const void *mean,
                                    const void *inverse)
{
    const struct wl_cudnn_normalizing given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .x = {x_shape, x},
        .dy = {dy_shape, dy},
        .dx = {dx_shape, dx},
        .parameter_shape = parameter_shape,
        .epsilon = epsilon,
    };
    return wl_cudnn_normalize_back(
        &given, (struct wl_cudnn_normalizing_back){alpha, beta, parameter_alpha, parameter_beta,
                                                   scale, dscale, dbias, mean, inverse});
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
    const struct wl_cudnn_normalizing given = {
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
        .reserve = reserve,
        .reserve_bytes = reserve_bytes,
    };
    (void)bias;
    (void)space;
    (void)space_bytes;
    return wl_cudnn_normalize_back(
        &given, (struct wl_cudnn_normalizing_back){alpha, beta, parameter_alpha, parameter_beta,
                                                   scale, dscale, dbias, mean, inverse});
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
    (void)activation;
    return wl_cudnn_normalize_reserve(handle, operation, x_shape, bytes);
}

int cudnnDeriveBNTensorDescriptor(void *made, const void *x_shape, int mode)
{
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    if (!x || mode < WL_CUDNN_PER_ACTIVATION || mode > WL_CUDNN_SPATIAL_PERSISTENT)
        return WL_CUDNN_BAD_PARAM;
    struct wl_cudnn_tensor parameters = *x;
    parameters.type = x->type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : WL_CUDNN_FLOAT;
    for (int i = 0; i < x->rank; i++)
        if (i == 0 || (i > 1 && mode != WL_CUDNN_PER_ACTIVATION))
            parameters.dims[i] = 1;
    wl_cudnn_tensor_pack(&parameters, false);
    return wl_cudnn_tensor_set(made, &parameters);
}

/* ---- the calls that replaced them in cuDNN 8 ---- */

/* cudnnNormAlgo_t; both are one. */
enum { STANDARD = 0, PERSISTENT = 1 };

/* Whether the rest of such a call is as cuDNN has it, which has no groups yet; a status. */
static int check(int mode, int algorithm, int groups)
{
    if ((mode != WL_CUDNN_PER_ACTIVATION && mode != WL_CUDNN_SPATIAL) ||
        (algorithm != STANDARD && algorithm != PERSISTENT))
        return WL_CUDNN_BAD_PARAM;
    return groups == 1 ? WL_CUDNN_OK : WL_CUDNN_NOT_SUPPORTED;
}

int cudnnNormalizationForwardTraining(
    const void *handle, int mode, int operation, int algorithm, const void *alpha, const void *beta,
    const void *x_shape, void *x, const void *parameter_shape, const void *scale, const void *bias,
    double momentum, const void *statistics_shape, void *running_mean, void *running_variance,
    double epsilon, void *mean, void *inverse, const void *activation, const void *z_shape, void *z,
    const void *y_shape, void *y, void *space, size_t space_bytes, void *reserve,
    size_t reserve_bytes, int groups)
{
    const struct wl_cudnn_normalizing given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .operation = operation,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .z = {z_shape, z},
        .parameter_shape = parameter_shape,
        .activation = activation,
        .statistics_shape = statistics_shape,
        .epsilon = epsilon,
        .reserve = reserve,
        .reserve_bytes = reserve_bytes,
    };
    (void)space;
    (void)space_bytes;
    if (check(mode, algorithm, groups))
        return check(mode, algorithm, groups);
    return wl_cudnn_normalize_train(
        &given, alpha, beta, scale, bias, momentum,
        (struct wl_cudnn_statistics){running_mean, running_variance, mean, inverse});
}

int cudnnNormalizationForwardInference(const void *handle, int mode, int operation, int algorithm,
                                       const void *alpha, const void *beta, const void *x_shape,
                                       void *x, const void *parameter_shape, const void *scale,
                                       const void *bias, const void *statistics_shape,
                                       const void *mean, const void *variance, const void *z_shape,
                                       void *z, const void *activation, const void *y_shape,
                                       void *y, double epsilon, int groups)
{
    const struct wl_cudnn_normalizing given = {
        .call = __func__,
        .handle = handle,
        .mode = mode,
        .operation = operation,
        .x = {x_shape, x},
        .y = {y_shape, y},
        .z = {z_shape, z},
        .parameter_shape = parameter_shape,
        .activation = activation,
        .statistics_shape = statistics_shape,
        .epsilon = epsilon,
    };
    if (check(mode, algorithm, groups))
        return check(mode, algorithm, groups);
    return wl_cudnn_normalize_infer(&given, alpha, beta, scale, bias, mean, variance);
}

int cudnnNormalizationBackward(const void *handle, int mode, int operation, int algorithm,
                               const void *alpha, const void *beta, const void *parameter_alpha,
                               const void *parameter_beta, const void *x_shape, void *x,
                               const void *y_shape, void *y, const void *dy_shape, void *dy,
                               const void *dz_shape, void *dz, const void *dx_shape, void *dx,
                               const void *parameter_shape, const void *scale, const void *bias,
                               void *dscale, void *dbias, double epsilon,
                               const void *statistics_shape, const void *mean, const void *inverse,
                               const void *activation, void *space, size_t space_bytes,
                               void *reserve, size_t reserve_bytes, int groups)
{
    const struct wl_cudnn_normalizing given = {
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
        .statistics_shape = statistics_shape,
        .epsilon = epsilon,
        .reserve = reserve,
        .reserve_bytes = reserve_bytes,
    };
    (void)bias;
    (void)space;
    (void)space_bytes;
    if (check(mode, algorithm, groups))
        return check(mode, algorithm, groups);
    return wl_cudnn_normalize_back(
        &given, (struct wl_cudnn_normalizing_back){alpha, beta, parameter_alpha, parameter_beta,
                                                   scale, dscale, dbias, mean, inverse});
}

int cudnnGetNormalizationForwardTrainingWorkspaceSize(
    const void *handle, int mode, int operation, int algorithm, const void *x_shape,
    const void *z_shape, const void *y_shape, const void *parameter_shape, const void *activation,
    const void *statistics_shape, size_t *bytes, int groups)
{
    (void)operation;
    (void)z_shape;
    (void)y_shape;
    (void)parameter_shape;
    (void)activation;
    (void)statistics_shape;
    const int status = check(mode, algorithm, groups);
    return status ? status : tell_none(handle, x_shape, bytes);
}

int cudnnGetNormalizationBackwardWorkspaceSize(const void *handle, int mode, int operation,
                                               int algorithm, const void *x_shape,
                                               const void *y_shape, const void *dy_shape,
                                               const void *dz_shape, const void *dx_shape,
                                               const void *parameter_shape, const void *activation,
                                               const void *statistics_shape, size_t *bytes,
                                               int groups)
{
    (void)operation;
    (void)y_shape;
    (void)dy_shape;
    (void)dz_shape;
    (void)dx_shape;
    (void)parameter_shape;
    (void)activation;
    (void)statistics_shape;
    const int status = check(mode, algorithm, groups);
    return status ? status : tell_none(handle, x_shape, bytes);
}

int cudnnGetNormalizationTrainingReserveSpaceSize(const void *handle, int mode, int operation,
                                                  int algorithm, const void *activation,
                                                  const void *x_shape, size_t *bytes, int groups)
{
    (void)activation;
    const int status = check(mode, algorithm, groups);
    return status ? status : wl_cudnn_normalize_reserve(handle, operation, x_shape, bytes);
}

int cudnnDeriveNormTensorDescriptor(void *parameters, void *statistics, const void *x_shape,
                                    int mode, int groups)
{
    int status = check(mode, STANDARD, groups);
    if (!status)
        status = cudnnDeriveBNTensorDescriptor(parameters, x_shape, mode);
    return status ? status : cudnnDeriveBNTensorDescriptor(statistics, x_shape, mode);
}
