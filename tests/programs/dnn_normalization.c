/* cuDNN's batch normalisation, compared with its definition. */
#include "dnn_values.h"

int cudnnBatchNormalizationForwardTraining(void *handle, int mode, const void *alpha,
                                           const void *beta, void *x_shape, void *x, void *y_shape,
                                           void *y, void *parameter_shape, void *scale, void *bias,
                                           double momentum, void *running_mean,
                                           void *running_variance, double epsilon, void *mean,
                                           void *inverse);
int cudnnBatchNormalizationForwardTrainingEx(
    void *handle, int mode, int operation, const void *alpha, const void *beta, void *x_shape,
    void *x, void *z_shape, void *z, void *y_shape, void *y, void *parameter_shape, void *scale,
    void *bias, double momentum, void *running_mean, void *running_variance, double epsilon,
    void *mean, void *inverse, void *activation, void *space, size_t space_bytes, void *reserve,
    size_t reserve_bytes);
int cudnnBatchNormalizationForwardInference(void *handle, int mode, const void *alpha,
                                            const void *beta, void *x_shape, void *x, void *y_shape,
                                            void *y, void *parameter_shape, void *scale, void *bias,
                                            void *mean, void *variance, double epsilon);
int cudnnBatchNormalizationBackward(void *handle, int mode, const void *alpha, const void *beta,
                                    const void *parameter_alpha, const void *parameter_beta,
                                    void *x_shape, void *x, void *dy_shape, void *dy,
                                    void *dx_shape, void *dx, void *parameter_shape, void *scale,
                                    void *dscale, void *dbias, double epsilon, void *mean,
                                    void *inverse);
int cudnnBatchNormalizationBackwardEx(void *handle, int mode, int operation, const void *alpha,
                                      const void *beta, const void *parameter_alpha,
                                      const void *parameter_beta, void *x_shape, void *x,
                                      void *y_shape, void *y, void *dy_shape, void *dy,
                                      void *dz_shape, void *dz, void *dx_shape, void *dx,
                                      void *parameter_shape, void *scale, void *bias, void *dscale,
                                      void *dbias, double epsilon, void *mean, void *inverse,
                                      void *activation, void *space, size_t space_bytes,
                                      void *reserve, size_t reserve_bytes);
int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void *handle, int mode, int operation,
                                                             void *x, void *z, void *y,
                                                             void *parameters, void *activation,
                                                             size_t *bytes);
int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void *handle, int mode, int operation,
                                                      void *x, void *y, void *dy, void *dz,
                                                      void *dx, void *parameters, void *activation,
                                                      size_t *bytes);
int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void *handle, int mode, int operation,
                                                         void *activation, void *x, size_t *bytes);
int cudnnNormalizationForwardTraining(void *handle, int mode, int operation, int algorithm,
                                      const void *alpha, const void *beta, void *x_shape, void *x,
                                      void *parameter_shape, void *scale, void *bias,
                                      double momentum, void *statistics_shape, void *running_mean,
                                      void *running_variance, double epsilon, void *mean,
                                      void *inverse, void *activation, void *z_shape, void *z,
                                      void *y_shape, void *y, void *space, size_t space_bytes,
                                      void *reserve, size_t reserve_bytes, int groups);
int cudnnNormalizationForwardInference(void *handle, int mode, int operation, int algorithm,
                                       const void *alpha, const void *beta, void *x_shape, void *x,
                                       void *parameter_shape, void *scale, void *bias,
                                       void *statistics_shape, void *mean, void *variance,
                                       void *z_shape, void *z, void *activation, void *y_shape,
                                       void *y, double epsilon, int groups);
int cudnnNormalizationBackward(void *handle, int mode, int operation, int algorithm,
                               const void *alpha, const void *beta, const void *parameter_alpha,
                               const void *parameter_beta, void *x_shape, void *x, void *y_shape,
                               void *y, void *dy_shape, void *dy, void *dz_shape, void *dz,
                               void *dx_shape, void *dx, void *parameter_shape, void *scale,
                               void *bias, void *dscale, void *dbias, double epsilon,
                               void *statistics_shape, void *mean, void *inverse, void *activation,
                               void *space, size_t space_bytes, void *reserve, size_t reserve_bytes,
                               int groups);
int cudnnGetNormalizationForwardTrainingWorkspaceSize(void *handle, int mode, int operation,
                                                      int algorithm, void *x, void *z, void *y,
                                                      void *parameters, void *activation,
                                                      void *statistics, size_t *bytes, int groups);
int cudnnGetNormalizationBackwardWorkspaceSize(void *handle, int mode, int operation, int algorithm,
                                               void *x, void *y, void *dy, void *dz, void *dx,
                                               void *parameters, void *activation, void *statistics,
                                               size_t *bytes, int groups);
int cudnnGetNormalizationTrainingReserveSpaceSize(void *handle, int mode, int operation,
                                                  int algorithm, void *activation, void *x,
                                                  size_t *bytes, int groups);
int cudnnDeriveNormTensorDescriptor(void *parameters, void *statistics, void *x_shape, int mode,
                                    int groups);
int cudnnDeriveBNTensorDescriptor(void *made, void *x_shape, int mode);
int cudnnGetTensorNdDescriptor(void *self, int wanted, int *type, int *rank, int *dims,
                               int *strides);
int cudnnCreateActivationDescriptor(void **made);
int cudnnDestroyActivationDescriptor(void *self);
int cudnnSetActivationDescriptor(void *self, int mode, int propagates_nan, double coefficient);

enum { PER_ACTIVATION, SPATIAL, PERSISTENT };
enum { ALONE, WITH_ACTIVATION, WITH_ADDEND };
enum { RELU = 1, TANH = 2 };
static const double EPSILON = 0.01, MOMENTUM = 0.25;

static void *handle, *relu;

struct normalization_case {
    int rank, dims[RANK], mode;
    enum layout layout;
};
static const struct normalization_case cases[] = {
    {4, {4, 3, 5, 6}, SPATIAL, PLAIN},
    {4, {2, 5, 30, 30}, PERSISTENT, CHANNELS_LAST},
    {5, {3, 2, 2, 3, 4}, SPATIAL, GAPS},
    {4, {6, 3, 2, 2}, PER_ACTIVATION, PLAIN},
    {5, {5, 2, 2, 1, 3}, PER_ACTIVATION, CHANNELS_LAST},
    {4, {1, 3, 1, 1}, SPATIAL, PLAIN},
};

/* All tensors of one case; the last ones are of parameters. */
struct problem {
    const struct normalization_case *of;
    struct tensor x, y, z, dy, dx, dz;
    struct tensor scale, bias, running_mean, running_variance, mean, inverse, dscale, dbias;
    size_t folded;
    double *means, *variances; /* of x */
};

/* The parameter of element i. */
static size_t parameter_of(const struct problem *p, size_t i)
{
    size_t each = p->x.count / (size_t)p->x.dims[0];
    if (p->of->mode == PER_ACTIVATION)
        return i % each;
    return i % each / (each / (size_t)p->x.dims[1]);
}

static void measure(struct problem *p)
{
    p->folded = p->x.count / p->scale.count;
    p->means = calloc(p->scale.count, sizeof *p->means);
    p->variances = calloc(p->scale.count, sizeof *p->variances);
    for (size_t i = 0; i < p->x.count; i++)
        p->means[parameter_of(p, i)] += p->x.values[i] / (double)p->folded;
    for (size_t i = 0; i < p->x.count; i++) {
        const double distance = p->x.values[i] - p->means[parameter_of(p, i)];
        p->variances[parameter_of(p, i)] += distance * distance / (double)p->folded;
    }
}

static struct problem make_problem(const struct normalization_case *of, int type)
{
    struct problem p = {.of = of};
    int dims[RANK] = {1}, read[RANK], strides[RANK], rank, read_type;
    struct tensor *const whole[] = {&p.x, &p.y, &p.z, &p.dy, &p.dx, &p.dz};
    struct tensor *const parameters[] = {&p.scale, &p.bias,    &p.running_mean, &p.running_variance,
                                         &p.mean,  &p.inverse, &p.dscale,       &p.dbias};
    for (int i = 1; i < of->rank; i++)
        dims[i] = i == 1 || of->mode == PER_ACTIVATION ? of->dims[i] : 1;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = make_tensor(type, i == 4 ? PLAIN : of->layout, of->rank, of->dims);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        *parameters[i] = make_tensor(type == DOUBLE ? DOUBLE : FLOAT, PLAIN, of->rank, dims);
    for (size_t i = 0; i < p.running_variance.count; i++)
        p.running_variance.values[i] = fabs(p.running_variance.values[i]) + 0.125;
    upload(&p.running_variance);
    EXPECT(cudnnDeriveBNTensorDescriptor(p.scale.shape, p.x.shape, of->mode), OK);
    EXPECT(cudnnGetTensorNdDescriptor(p.scale.shape, RANK, &read_type, &rank, read, strides), OK);
    EXPECT(rank, of->rank);
    EXPECT(read_type, type == DOUBLE ? DOUBLE : FLOAT);
    for (int i = 0; i < rank; i++) {
        EXPECT(read[i], p.scale.dims[i]);
        EXPECT(strides[i], p.scale.strides[i]);
    }
    measure(&p);
    return p;
}

static void free_problem(struct problem *p)
{
    struct tensor *const all[] = {&p->x,
                                  &p->y,
                                  &p->z,
                                  &p->dy,
                                  &p->dx,
                                  &p->dz,
                                  &p->scale,
                                  &p->bias,
                                  &p->running_mean,
                                  &p->mean,
                                  &p->running_variance,
                                  &p->inverse,
                                  &p->dscale,
                                  &p->dbias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_tensor(all[i]);
    free(p->means);
    free(p->variances);
}

static double inverse_of(const struct problem *p, size_t parameter)
{
    return 1 / sqrt(p->variances[parameter] + EPSILON);
}

/* What y becomes: alpha * result + beta * y. */
static double *expected_output(const struct problem *p, int operation, double alpha, double beta)
{
    double *expected = calloc(p->x.count, sizeof *expected);
    for (size_t i = 0; i < p->x.count; i++) {
        const size_t k = parameter_of(p, i);
        double value = (p->x.values[i] - p->means[k]) * inverse_of(p, k) * p->scale.values[k] +
                       p->bias.values[k];
        if (operation == WITH_ADDEND)
            value += p->z.values[i];
        if (operation != ALONE && value < 0)
            value = 0;
        expected[i] = alpha * value + beta * p->y.values[i];
    }
    return expected;
}

static void check_statistics(const struct problem *p)
{
    double *expected = calloc(4 * p->scale.count, sizeof *expected), *const mean = expected,
           *const inverse = mean + p->scale.count, *const running_mean = inverse + p->scale.count,
           *const running_variance = running_mean + p->scale.count;
    const double folded = (double)p->folded;
    for (size_t k = 0; k < p->scale.count; k++) {
        mean[k] = p->means[k];
        inverse[k] = inverse_of(p, k);
        running_mean[k] = p->running_mean.values[k] * (1 - MOMENTUM) + p->means[k] * MOMENTUM;
        running_variance[k] =
            p->running_variance.values[k] * (1 - MOMENTUM) +
            p->variances[k] * folded / (folded - 1) * MOMENTUM; /* of one: no number */
    }
    expect_values("mean", &p->mean, mean, 1);
    expect_values("inverse", &p->inverse, inverse, 1);
    expect_values("running mean", &p->running_mean, running_mean, 1);
    expect_values("running variance", &p->running_variance, running_variance, 1);
    free(expected);
}

/* is_newer: with the calls that replaced the others. */
static void check_forward(const struct normalization_case *of, int type, int operation,
                          double alpha, double beta, bool is_newer)
{
    struct problem p = make_problem(of, type);
    const union factor a = factor_of(type, alpha), b = factor_of(type, beta);
    double *expected = expected_output(&p, operation, alpha, beta);
    if (is_newer)
        EXPECT(cudnnNormalizationForwardTraining(
                   handle, of->mode, operation, 0, &a, &b, p.x.shape, p.x.device, p.scale.shape,
                   p.scale.device, p.bias.device, MOMENTUM, p.mean.shape, p.running_mean.device,
                   p.running_variance.device, EPSILON, p.mean.device, p.inverse.device, relu,
                   p.z.shape, p.z.device, p.y.shape, p.y.device, NULL, 0, NULL, 0, 1),
               OK);
    else if (operation == ALONE)
        EXPECT(cudnnBatchNormalizationForwardTraining(
                   handle, of->mode, &a, &b, p.x.shape, p.x.device, p.y.shape, p.y.device,
                   p.scale.shape, p.scale.device, p.bias.device, MOMENTUM, p.running_mean.device,
                   p.running_variance.device, EPSILON, p.mean.device, p.inverse.device),
               OK);
    else
        EXPECT(cudnnBatchNormalizationForwardTrainingEx(
                   handle, of->mode, operation, &a, &b, p.x.shape, p.x.device, p.z.shape,
                   p.z.device, p.y.shape, p.y.device, p.scale.shape, p.scale.device, p.bias.device,
                   MOMENTUM, p.running_mean.device, p.running_variance.device, EPSILON,
                   p.mean.device, p.inverse.device, relu, NULL, 0, NULL, 0),
               OK);
    expect_values("training", &p.y, expected, 8);
    check_statistics(&p);
    free(expected);
    free_problem(&p);
}

static void check_inference(const struct normalization_case *of, int type, bool is_newer)
{
    struct problem p = make_problem(of, type);
    const union factor a = factor_of(type, 2), b = factor_of(type, 0.5);
    double *expected = calloc(p.x.count, sizeof *expected);
    for (size_t i = 0; i < p.x.count; i++) {
        const size_t k = parameter_of(&p, i);
        double value = (p.x.values[i] - p.running_mean.values[k]) /
                           sqrt(p.running_variance.values[k] + EPSILON) * p.scale.values[k] +
                       p.bias.values[k];
        if (is_newer)
            value = fmax(value + p.z.values[i], 0);
        expected[i] = 2 * value + 0.5 * p.y.values[i];
    }
    if (is_newer)
        EXPECT(cudnnNormalizationForwardInference(
                   handle, of->mode, WITH_ADDEND, 0, &a, &b, p.x.shape, p.x.device, p.scale.shape,
                   p.scale.device, p.bias.device, p.mean.shape, p.running_mean.device,
                   p.running_variance.device, p.z.shape, p.z.device, relu, p.y.shape, p.y.device,
                   EPSILON, 1),
               OK);
    else
        EXPECT(cudnnBatchNormalizationForwardInference(
                   handle, of->mode, &a, &b, p.x.shape, p.x.device, p.y.shape, p.y.device,
                   p.scale.shape, p.scale.device, p.bias.device, p.running_mean.device,
                   p.running_variance.device, EPSILON),
               OK);
    expect_values("inference", &p.y, expected, 16);
    free(expected);
    free_problem(&p);
}

/* The gradient by the chain rule: of each element of x through its own value, the mean and the
 * variance. gradients: of the parameters. */
static double *expected_gradient(const struct problem *p, int operation, double *dscale,
                                 double *dbias, double *dz)
{
    double *of_mean = calloc(p->scale.count, sizeof *of_mean),
           *of_variance = calloc(p->scale.count, sizeof *of_variance),
           *dx = calloc(p->x.count, sizeof *dx);
    const double folded = (double)p->folded;
    for (size_t i = 0; i < p->x.count; i++) {
        const size_t k = parameter_of(p, i);
        const double inverse = inverse_of(p, k), distance = p->x.values[i] - p->means[k],
                     dy = operation != ALONE && p->y.values[i] <= 0 ? 0 : p->dy.values[i],
                     scaled = dy * p->scale.values[k];
        dz[i] = dy;
        dscale[k] += dy * distance * inverse;
        dbias[k] += dy;
        of_mean[k] -= scaled * inverse;
        of_variance[k] -= 0.5 * scaled * distance * inverse * inverse * inverse;
    }
    for (size_t i = 0; i < p->x.count; i++) {
        const size_t k = parameter_of(p, i);
        dx[i] = dz[i] * p->scale.values[k] * inverse_of(p, k) + of_mean[k] / folded +
                of_variance[k] * 2 * (p->x.values[i] - p->means[k]) / folded;
    }
    free(of_mean);
    free(of_variance);
    return dx;
}

static void check_backward(const struct normalization_case *of, int type, int operation,
                           bool is_saved, bool is_newer)
{
    struct problem p = make_problem(of, type);
    const union factor a = factor_of(type, 2), b = factor_of(type, -1), c = factor_of(type, 0.5),
                       d = factor_of(type, 3);
    double *dscale = calloc(p.scale.count, sizeof *dscale),
           *dbias = calloc(p.scale.count, sizeof *dbias), *dz = calloc(p.x.count, sizeof *dz),
           *dx = expected_gradient(&p, operation, dscale, dbias, dz);
    for (size_t i = 0; i < p.x.count; i++)
        dx[i] = 2 * dx[i] - p.dx.values[i];
    for (size_t k = 0; k < p.scale.count; k++) {
        dscale[k] = 0.5 * dscale[k] + 3 * p.dscale.values[k];
        dbias[k] = 0.5 * dbias[k] + 3 * p.dbias.values[k];
        p.mean.values[k] = p.means[k];
        p.inverse.values[k] = inverse_of(&p, k);
    }
    upload(&p.mean);
    upload(&p.inverse);
    void *mean = is_saved ? p.mean.device : NULL, *inverse = is_saved ? p.inverse.device : NULL;
    if (is_newer)
        EXPECT(cudnnNormalizationBackward(
                   handle, of->mode, operation, 0, &a, &b, &c, &d, p.x.shape, p.x.device, p.y.shape,
                   p.y.device, p.dy.shape, p.dy.device, p.dz.shape, p.dz.device, p.dx.shape,
                   p.dx.device, p.scale.shape, p.scale.device, p.bias.device, p.dscale.device,
                   p.dbias.device, EPSILON, p.mean.shape, mean, inverse, relu, NULL, 0, NULL, 0, 1),
               OK);
    else if (operation == ALONE)
        EXPECT(cudnnBatchNormalizationBackward(
                   handle, of->mode, &a, &b, &c, &d, p.x.shape, p.x.device, p.dy.shape, p.dy.device,
                   p.dx.shape, p.dx.device, p.scale.shape, p.scale.device, p.dscale.device,
                   p.dbias.device, EPSILON, mean, inverse),
               OK);
    else
        EXPECT(cudnnBatchNormalizationBackwardEx(
                   handle, of->mode, operation, &a, &b, &c, &d, p.x.shape, p.x.device, p.y.shape,
                   p.y.device, p.dy.shape, p.dy.device, p.dz.shape, p.dz.device, p.dx.shape,
                   p.dx.device, p.scale.shape, p.scale.device, p.bias.device, p.dscale.device,
                   p.dbias.device, EPSILON, mean, inverse, relu, NULL, 0, NULL, 0),
               OK);
    const double scale = 8 + sqrt((double)p.folded);
    expect_values("input's gradient", &p.dx, dx, scale);
    expect_values("scale's gradient", &p.dscale, dscale, scale);
    expect_values("bias's gradient", &p.dbias, dbias, scale);
    if (operation == WITH_ADDEND)
        expect_values("addend's gradient", &p.dz, dz, 0);
    free(dscale);
    free(dbias);
    free(dz);
    free(dx);
    free_problem(&p);
}

static void test_values(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
            const int type = dnn_types[t];
            check_forward(&cases[i], type, ALONE, 1, 0, false);
            check_forward(&cases[i], type, WITH_ADDEND, 0.5, 2, false);
            check_inference(&cases[i], type, false);
            check_backward(&cases[i], type, ALONE, true, false);
            check_backward(&cases[i], type, WITH_ADDEND, false, false);
            if (cases[i].mode == PERSISTENT) /* the newer calls have no such mode */
                continue;
            check_forward(&cases[i], type, WITH_ADDEND, 0.5, 2, true);
            check_inference(&cases[i], type, true);
            check_backward(&cases[i], type, WITH_ADDEND, true, true);
        }
    check_forward(&cases[0], FLOAT, WITH_ACTIVATION, 1, 0, false);
    check_backward(&cases[0], FLOAT, WITH_ACTIVATION, true, false);
}

/* An addend of other dimensions, which the operation has not. */
static void test_unused(void)
{
    struct problem p = make_problem(&cases[0], FLOAT);
    const float one = 1, zero = 0;
    double *expected = expected_output(&p, ALONE, 1, 0);
    EXPECT(cudnnBatchNormalizationForwardTrainingEx(
               handle, SPATIAL, ALONE, &one, &zero, p.x.shape, p.x.device, p.scale.shape,
               p.scale.device, p.y.shape, p.y.device, p.scale.shape, p.scale.device, p.bias.device,
               1, NULL, NULL, EPSILON, NULL, NULL, NULL, NULL, 0, NULL, 0),
           OK);
    expect_values("without an addend", &p.y, expected, 8);
    free(expected);
    free_problem(&p);
}

static void test_sizes(void)
{
    struct problem p = make_problem(&cases[0], FLOAT);
    size_t bytes = 77;
    EXPECT(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
               handle, SPATIAL, ALONE, p.x.shape, NULL, p.y.shape, p.scale.shape, NULL, &bytes),
           OK);
    EXPECT(bytes, 0);
    bytes = 77;
    EXPECT(cudnnGetBatchNormalizationBackwardExWorkspaceSize(handle, SPATIAL, ALONE, p.x.shape,
                                                             NULL, p.dy.shape, NULL, p.dx.shape,
                                                             p.scale.shape, NULL, &bytes),
           OK);
    EXPECT(bytes, 0);
    bytes = 77;
    EXPECT(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, SPATIAL, ALONE, NULL,
                                                                p.x.shape, &bytes),
           OK);
    EXPECT(bytes, 0);
    EXPECT(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, SPATIAL, ALONE, NULL, NULL,
                                                                &bytes),
           BAD_PARAM);
    free_problem(&p);
}

static void test_newer_sizes(void)
{
    struct problem p = make_problem(&cases[0], FLOAT), other = make_problem(&cases[3], FLOAT);
    size_t bytes = 77;
    const float one = 1;
    EXPECT(cudnnGetNormalizationForwardTrainingWorkspaceSize(handle, SPATIAL, ALONE, 0, p.x.shape,
                                                             NULL, p.y.shape, p.scale.shape, NULL,
                                                             p.mean.shape, &bytes, 1),
           OK);
    EXPECT(bytes, 0);
    bytes = 77;
    EXPECT(cudnnGetNormalizationBackwardWorkspaceSize(handle, SPATIAL, ALONE, 1, p.x.shape, NULL,
                                                      p.dy.shape, NULL, p.dx.shape, p.scale.shape,
                                                      NULL, p.mean.shape, &bytes, 1),
           OK);
    EXPECT(bytes, 0);
    bytes = 77;
    EXPECT(cudnnGetNormalizationTrainingReserveSpaceSize(handle, SPATIAL, ALONE, 0, NULL, p.x.shape,
                                                         &bytes, 1),
           OK);
    EXPECT(bytes, 0);
    EXPECT(cudnnGetNormalizationTrainingReserveSpaceSize(handle, SPATIAL, ALONE, 0, NULL, p.x.shape,
                                                         &bytes, 2),
           NOT_SUPPORTED);
    EXPECT(
        cudnnDeriveNormTensorDescriptor(other.scale.shape, other.mean.shape, p.x.shape, SPATIAL, 1),
        OK);
    EXPECT(cudnnDeriveNormTensorDescriptor(other.scale.shape, other.mean.shape, p.x.shape,
                                           PERSISTENT, 1),
           BAD_PARAM);
    EXPECT(cudnnNormalizationForwardInference(
               handle, SPATIAL, ALONE, 0, &one, &one, p.x.shape, p.x.device, p.scale.shape,
               p.scale.device, p.bias.device, other.mean.shape, p.running_mean.device,
               p.running_variance.device, NULL, NULL, NULL, p.y.shape, p.y.device, EPSILON, 1),
           OK);
    EXPECT(cudnnNormalizationForwardInference(
               handle, SPATIAL, ALONE, 0, &one, &one, p.x.shape, p.x.device, p.scale.shape,
               p.scale.device, p.bias.device, other.inverse.shape, p.running_mean.device,
               p.running_variance.device, NULL, NULL, NULL, p.y.shape, p.y.device, EPSILON, 1),
           BAD_PARAM);
    free_problem(&p);
    free_problem(&other);
}

/* dx after a training with such factors; what it keeps is told the gradient if has_reserve. */
static double *gradient_after(struct problem *p, double alpha, double beta, bool has_reserve)
{
    const float a = (float)alpha, b = (float)beta, one = 1, zero = 0;
    size_t bytes = 0;
    void *reserve = NULL;
    upload(&p->y);
    EXPECT(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, SPATIAL, WITH_ADDEND, relu,
                                                                p->x.shape, &bytes),
           OK);
    if (has_reserve)
        EXPECT(cudaMalloc(&reserve, bytes), 0);
    EXPECT(cudnnBatchNormalizationForwardTrainingEx(
               handle, SPATIAL, WITH_ADDEND, &a, &b, p->x.shape, p->x.device, p->z.shape,
               p->z.device, p->y.shape, p->y.device, p->scale.shape, p->scale.device,
               p->bias.device, 1, NULL, NULL, EPSILON, p->mean.device, p->inverse.device, relu,
               NULL, 0, reserve, has_reserve ? bytes : 0),
           OK);
    EXPECT(cudnnBatchNormalizationBackwardEx(
               handle, SPATIAL, WITH_ADDEND, &one, &zero, &one, &zero, p->x.shape, p->x.device,
               p->y.shape, p->y.device, p->dy.shape, p->dy.device, p->dz.shape, p->dz.device,
               p->dx.shape, p->dx.device, p->scale.shape, p->scale.device, p->bias.device,
               p->dscale.device, p->dbias.device, EPSILON, p->mean.device, p->inverse.device, relu,
               NULL, 0, reserve, has_reserve ? bytes : 0),
           OK);
    if (has_reserve)
        EXPECT(cudaFree(reserve), 0);
    return download(&p->dx);
}

/* Where an activation was is kept: what y was before, and a factor below 0, do not matter. */
static void test_reserve(void)
{
    struct problem p = make_problem(&cases[0], FLOAT);
    double *plain = gradient_after(&p, 1, 0, false), *kept = gradient_after(&p, -1, 3, true);
    EXPECT(memcmp(plain, kept, p.dx.count * sizeof *plain), 0);
    free(plain);
    free(kept);
    free_problem(&p);
}

/* Each of the running values may be missing. */
static void test_running_values(void)
{
    const float one = 1, zero = 0;
    for (int which = 0; which < 2; which++) {
        struct problem p = make_problem(&cases[0], FLOAT);
        struct tensor *const told = which ? &p.running_variance : &p.running_mean;
        const double folded = (double)p.folded;
        EXPECT(cudnnBatchNormalizationForwardTraining(
                   handle, SPATIAL, &one, &zero, p.x.shape, p.x.device, p.y.shape, p.y.device,
                   p.scale.shape, p.scale.device, p.bias.device, 1, which ? NULL : told->device,
                   which ? told->device : NULL, EPSILON, NULL, NULL),
               OK);
        for (size_t k = 0; k < told->count; k++)
            told->values[k] = which ? p.variances[k] * folded / (folded - 1) : p.means[k];
        expect_values("the only running value", told, told->values, 1);
        free_problem(&p);
    }
}

static void test_wrong_arguments(void)
{
    struct problem p = make_problem(&cases[0], FLOAT), other = make_problem(&cases[3], FLOAT);
    const float one = 1, zero = 0;
    void *tanh_after;
#define TRAIN(handle, mode, x_shape, y_shape, parameters, scale, mean, inverse)                   \
    cudnnBatchNormalizationForwardTraining(handle, mode, &one, &zero, x_shape, p.x.device,        \
                                           y_shape, p.y.device, parameters, scale, p.bias.device, \
                                           1, NULL, NULL, EPSILON, mean, inverse)
    EXPECT(TRAIN(NULL, SPATIAL, p.x.shape, p.y.shape, p.scale.shape, p.scale.device, NULL, NULL),
           BAD_PARAM);
    EXPECT(TRAIN(handle, 3, p.x.shape, p.y.shape, p.scale.shape, p.scale.device, NULL, NULL),
           BAD_PARAM);
    EXPECT(
        TRAIN(handle, SPATIAL, p.x.shape, other.y.shape, p.scale.shape, p.scale.device, NULL, NULL),
        BAD_PARAM);
    EXPECT(TRAIN(handle, PER_ACTIVATION, p.x.shape, p.y.shape, p.scale.shape, p.scale.device, NULL,
                 NULL),
           BAD_PARAM);
    EXPECT(TRAIN(handle, SPATIAL, p.x.shape, p.y.shape, p.scale.shape, NULL, NULL, NULL),
           BAD_PARAM);
    EXPECT(TRAIN(handle, SPATIAL, p.x.shape, p.y.shape, p.scale.shape, p.scale.device,
                 p.mean.device, NULL),
           BAD_PARAM);
    EXPECT(TRAIN(handle, SPATIAL, p.x.shape, p.y.shape, p.scale.shape, p.scale.device, NULL, NULL),
           OK);
    struct tensor flat = make_tensor(FLOAT, PLAIN, 3, (int[]){4, 3, 30}),
                  parameters = make_tensor(FLOAT, PLAIN, 3, (int[]){1, 3, 1});
    EXPECT(TRAIN(handle, SPATIAL, flat.shape, flat.shape, parameters.shape, p.scale.device, NULL,
                 NULL),
           BAD_PARAM); /* there are 4 or 5 dimensions */
    free_tensor(&flat);
    free_tensor(&parameters);
    EXPECT(cudnnCreateActivationDescriptor(&tanh_after), OK);
    EXPECT(cudnnSetActivationDescriptor(tanh_after, TANH, 0, 0), OK);
    capture_stderr();
    EXPECT(cudnnBatchNormalizationForwardTrainingEx(
               handle, SPATIAL, WITH_ACTIVATION, &one, &zero, p.x.shape, p.x.device, NULL, NULL,
               p.y.shape, p.y.device, p.scale.shape, p.scale.device, p.bias.device, 1, NULL, NULL,
               EPSILON, NULL, NULL, tanh_after, NULL, 0, NULL, 0),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "activations other than ReLU") != NULL, 1);
    EXPECT(cudnnDestroyActivationDescriptor(tanh_after), OK);
    free_problem(&p);
    free_problem(&other);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudnnCreateActivationDescriptor(&relu), OK);
    EXPECT(cudnnSetActivationDescriptor(relu, RELU, 0, 0), OK);
    test_values();
    test_unused();
    test_sizes();
    test_newer_sizes();
    test_reserve();
    test_running_values();
    test_wrong_arguments();
    EXPECT(cudnnDestroyActivationDescriptor(relu), OK);
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
