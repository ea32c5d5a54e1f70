/* Batch normalisation, whichever calls ask for it. */
#ifndef WL_API_CUDNN_NORMALIZE_H
#define WL_API_CUDNN_NORMALIZE_H

#include "api/cudnn/cudnn.h"

/* cudnnBatchNormMode_t, and the first two of cudnnNormMode_t; the last one may be computed
 * otherwise, but to the same end. */
enum {
    WL_CUDNN_PER_ACTIVATION = 0,
    WL_CUDNN_SPATIAL = 1,
    WL_CUDNN_SPATIAL_PERSISTENT = 2,
};

/* cudnnBatchNormOps_t and cudnnNormOps_t */
enum { WL_CUDNN_ALONE = 0, WL_CUDNN_WITH_ACTIVATION = 1, WL_CUDNN_WITH_ADDEND = 2 };

/* A tensor's descriptor and its elements. */
struct wl_cudnn_operand {
    const void *shape;
    void *data;
};

/* What a call has beside its factors; what it has not is NULL. */
struct wl_cudnn_normalizing {
    const char *call;
    const void *handle;
    int mode, operation;
    struct wl_cudnn_operand x, y, z, dy, dx, dz;
    const void *parameter_shape, *activation;
    const void *statistics_shape; /* NULL: the parameters' */
    double epsilon;
    void *reserve; /* a byte for each element of x: where it passed the activation */
    size_t reserve_bytes;
};

/* How many bytes training keeps for the gradient, which without them is told by y. */
int wl_cudnn_normalize_reserve(const void *handle, int operation, const void *x_shape,
                               size_t *bytes);

/* What training writes beside y; each may be NULL. */
struct wl_cudnn_statistics {
    void *running_mean, *running_variance, *mean, *inverse;
};

/* Factors as programs pass them, of dx and of the parameters' gradients; then those. */
struct wl_cudnn_normalizing_back {
    const void *alpha, *beta, *parameter_alpha, *parameter_beta;
    const void *scale;
    void *dscale, *dbias;
    const void *mean, *inverse; /* as training left them, or NULL */
};

/* Each gives a status. */
int wl_cudnn_normalize_train(const struct wl_cudnn_normalizing *given, const void *alpha,
                             const void *beta, const void *scale, const void *bias, double momentum,
                             struct wl_cudnn_statistics statistics);
int wl_cudnn_normalize_infer(const struct wl_cudnn_normalizing *given, const void *alpha,
                             const void *beta, const void *scale, const void *bias,
                             const void *mean, const void *variance);
int wl_cudnn_normalize_back(const struct wl_cudnn_normalizing *given,
                            struct wl_cudnn_normalizing_back gradient);

#endif
