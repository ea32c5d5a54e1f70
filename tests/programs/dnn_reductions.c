/* cuDNN's reductions, softmax and gradients of biases, compared with their definitions. */
#include <float.h>

#include "dnn_values.h"

int cudnnCreateReduceTensorDescriptor(void **made);
int cudnnDestroyReduceTensorDescriptor(void *self);
int cudnnSetReduceTensorDescriptor(void *self, int operation, int compute_type, int propagates_nan,
                                   int has_indices, int index_type);
int cudnnGetReduceTensorDescriptor(void *self, int *operation, int *compute_type,
                                   int *propagates_nan, int *has_indices, int *index_type);
int cudnnGetReductionIndicesSize(void *handle, void *reduction, void *a_shape, void *c_shape,
                                 size_t *bytes);
int cudnnGetReductionWorkspaceSize(void *handle, void *reduction, void *a_shape, void *c_shape,
                                   size_t *bytes);
int cudnnReduceTensor(void *handle, void *reduction, void *indices, size_t indices_bytes,
                      void *space, size_t space_bytes, const void *alpha, void *a_shape, void *a,
                      const void *beta, void *c_shape, void *c);
int cudnnSoftmaxForward(void *handle, int algorithm, int mode, const void *alpha, void *x_shape,
                        void *x, const void *beta, void *y_shape, void *y);
int cudnnSoftmaxBackward(void *handle, int algorithm, int mode, const void *alpha, void *y_shape,
                         void *y, void *dy_shape, void *dy, const void *beta, void *dx_shape,
                         void *dx);
int cudnnConvolutionBackwardBias(void *handle, const void *alpha, void *dy_shape, void *dy,
                                 const void *beta, void *db_shape, void *db);

enum { SUM, PRODUCT, MINIMUM, MAXIMUM, LARGEST, MEAN, NORM1, NORM2, PRODUCT_NO_ZEROS };
enum { FAST, ACCURATE, LOGARITHM };
enum { INSTANCE, CHANNEL };

static void *handle, *reduction;

/* ---- reductions ---- */

/* Dimensions of what is reduced, and of results: each of one or another part of them. */
static const int A[] = {2, 3, 4, 5};
static const int RESULTS[][4] = {
    {2, 1, 1, 5}, {1, 3, 1, 1}, {2, 1, 4, 1}, {1, 1, 1, 1}, {2, 3, 4, 1}};

/* The result that element i belongs to, and its number among those. */
static void places(const int *c, int i, int *result, int *number)
{
    int at[4];
    *result = *number = 0;
    for (int d = 3; d >= 0; i /= A[d--])
        at[d] = i % A[d];
    for (int d = 0; d < 4; d++)
        if (c[d] == A[d])
            *result = *result * A[d] + at[d];
        else
            *number = *number * A[d] + at[d];
}

static double start_of(int operation)
{
    return operation == PRODUCT || operation == PRODUCT_NO_ZEROS ? 1
           : operation == MINIMUM                                ? INFINITY
           : operation == MAXIMUM                                ? -INFINITY
           : operation == LARGEST                                ? -1
                                                                 : 0;
}

/* Of one more element. is_it: the result is that element. */
static double add_to(int operation, double sum, double x, bool *is_it)
{
    *is_it = operation == MINIMUM   ? x < sum
             : operation == MAXIMUM ? x > sum
             : operation == LARGEST ? fabs(x) > sum
                                    : false;
    switch (operation) {
    case MINIMUM:
    case MAXIMUM:
        return *is_it ? x : sum;
    case LARGEST:
        return *is_it ? fabs(x) : sum;
    case PRODUCT:
        return sum * x;
    case PRODUCT_NO_ZEROS:
        return x == 0 ? sum : sum * x;
    case NORM1:
        return sum + fabs(x);
    case NORM2:
        return sum + x * x;
    default:
        return sum + x;
    }
}

static void check_reduction(int operation, const int *dims, int type, enum layout layout)
{
    struct tensor a = make_tensor(type, layout, 4, A), c = make_tensor(type, PLAIN, 4, dims);
    const union factor alpha = factor_of(type, 0.5), beta = factor_of(type, 2);
    double sums[120];
    int numbers[120] = {0}, told[120];
    size_t bytes = 77, space = 77;
    void *indices;
    for (size_t i = 0; i < c.count; i++)
        sums[i] = start_of(operation);
    for (int i = 0; i < 120; i++) {
        int result, number;
        bool is_it;
        places(dims, i, &result, &number);
        sums[result] = add_to(operation, sums[result], a.values[i], &is_it);
        if (is_it)
            numbers[result] = number;
    }
    for (size_t i = 0; i < c.count; i++) {
        if (operation == NORM2)
            sums[i] = sqrt(sums[i]);
        else if (operation == MEAN)
            sums[i] /= 120.0 / (double)c.count;
        sums[i] = 0.5 * sums[i] + 2 * c.values[i];
    }
    const bool has_indices = operation >= MINIMUM && operation <= LARGEST;
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, operation, type == DOUBLE ? DOUBLE : FLOAT, 0,
                                          1, 0),
           OK);
    EXPECT(cudnnGetReductionIndicesSize(handle, reduction, a.shape, c.shape, &bytes), OK);
    EXPECT(bytes, has_indices ? c.count * 4 : 0);
    EXPECT(cudnnGetReductionWorkspaceSize(handle, reduction, a.shape, c.shape, &space), OK);
    EXPECT(space, 0);
    EXPECT(cudaMalloc(&indices, sizeof told), 0);
    EXPECT(cudnnReduceTensor(handle, reduction, indices, bytes, NULL, 0, &alpha, a.shape, a.device,
                             &beta, c.shape, c.device),
           OK);
    expect_values("reduced", &c, sums, operation == SUM || operation == MEAN ? 16 : 4);
    EXPECT(cudaMemcpy(told, indices, bytes, DEVICE_TO_HOST), 0);
    for (size_t i = 0; has_indices && i < c.count; i++)
        EXPECT(told[i], numbers[i]);
    EXPECT(cudaFree(indices), 0);
    free_tensor(&a);
    free_tensor(&c);
}

/* Of what is no number: it is passed over, or is the result. */
static void check_nan(int operation, int propagates, double expected)
{
    struct tensor a = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 3}),
                  c = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 1});
    const float one = 1, zero = 0;
    a.values[0] = 2;
    a.values[1] = NAN;
    a.values[2] = -1;
    upload(&a);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, operation, FLOAT, propagates, 0, 0), OK);
    EXPECT(cudnnReduceTensor(handle, reduction, NULL, 0, NULL, 0, &one, a.shape, a.device, &zero,
                             c.shape, c.device),
           OK);
    expect_values("of no number", &c, &expected, 0);
    free_tensor(&a);
    free_tensor(&c);
}

/* As a real cuDNN 9.14 has them: a result is finite unless an element is beyond it, and no element
 * where none is a number or finite. */
static void check_nothing_found(int operation, double value, double expected)
{
    enum { NONE = 0x7fffffff };
    struct tensor a = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 3}),
                  c = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 1});
    const float one = 1, zero = 0;
    int index = 0;
    void *indices;
    a.values[0] = a.values[1] = a.values[2] = value;
    upload(&a);
    EXPECT(cudaMalloc(&indices, sizeof index), 0);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, operation, FLOAT, 0, 1, 0), OK);
    EXPECT(cudnnReduceTensor(handle, reduction, indices, sizeof index, NULL, 0, &one, a.shape,
                             a.device, &zero, c.shape, c.device),
           OK);
    expect_values("nothing found", &c, &expected, 0);
    EXPECT(cudaMemcpy(&index, indices, sizeof index, DEVICE_TO_HOST), 0);
    EXPECT(index, NONE);
    EXPECT(cudaFree(indices), 0);
    free_tensor(&a);
    free_tensor(&c);
}

/* Halves to floats and back, and integers of 8 bits. */
static void check_mixed(void)
{
    enum { INT8 = 3 };
    struct tensor a = make_tensor(HALF, CHANNELS_LAST, 4, A),
                  c = make_tensor(FLOAT, PLAIN, 4, RESULTS[1]),
                  back = make_tensor(HALF, PLAIN, 4, (int[]){1, 1, 1, 1});
    const float one = 1, two = 2, zero = 0;
    const signed char small[4] = {100, 100, -3, 50};
    double sum = 0;
    signed char *device, result[2];
    void *from, *to;
    for (int i = 0; i < 3; i++) {
        double part = 0;
        for (size_t k = 0; k < a.count; k++)
            if ((int)(k / 20 % 3) == i)
                part += a.values[k];
        c.values[i] = part;
        sum += part;
    }
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, SUM, FLOAT, 0, 0, 0), OK);
    EXPECT(cudnnReduceTensor(handle, reduction, NULL, 0, NULL, 0, &one, a.shape, a.device, &zero,
                             c.shape, c.device),
           OK);
    expect_values("halves in single precision", &c, c.values, 16);
    EXPECT(cudnnReduceTensor(handle, reduction, NULL, 0, NULL, 0, &two, c.shape, c.device, &zero,
                             back.shape, back.device),
           OK);
    sum *= 2;
    expect_values("sums as halves", &back, &sum, 16);
    EXPECT(cudnnCreateTensorDescriptor(&from), OK);
    EXPECT(cudnnCreateTensorDescriptor(&to), OK);
    EXPECT(cudnnSetTensorNdDescriptor(from, INT8, 4, (int[]){1, 1, 2, 2}, (int[]){4, 4, 2, 1}), OK);
    EXPECT(cudnnSetTensorNdDescriptor(to, INT8, 4, (int[]){1, 1, 2, 1}, (int[]){2, 2, 1, 1}), OK);
    EXPECT(cudaMalloc((void **)&device, 8), 0);
    EXPECT(cudaMemcpy(device, small, 4, HOST_TO_DEVICE), 0);
    EXPECT(cudnnReduceTensor(handle, reduction, NULL, 0, NULL, 0, &one, from, device, &zero, to,
                             device + 4),
           OK);
    EXPECT(cudaMemcpy(result, device + 4, 2, DEVICE_TO_HOST), 0);
    EXPECT(result[0], 127);
    EXPECT(result[1], 47);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudnnDestroyTensorDescriptor(from), OK);
    EXPECT(cudnnDestroyTensorDescriptor(to), OK);
    free_tensor(&a);
    free_tensor(&c);
    free_tensor(&back);
}

static void test_reductions(void)
{
    int operation, type, propagates, has_indices, index_type;
    EXPECT(cudnnGetReduceTensorDescriptor(reduction, &operation, &type, &propagates, &has_indices,
                                          &index_type),
           OK); /* nothing was set */
    EXPECT(operation + type + propagates + has_indices + index_type, 0);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        for (size_t i = 0; i < sizeof RESULTS / sizeof *RESULTS; i++)
            for (operation = SUM; operation <= PRODUCT_NO_ZEROS; operation++)
                if (operation != PRODUCT_NO_ZEROS || i == 2) /* else too large for halves */
                    check_reduction(operation, RESULTS[i], dnn_types[t],
                                    i % 2 ? PLAIN : CHANNELS_LAST);
    check_nan(MAXIMUM, 0, 2);
    check_nan(MAXIMUM, 1, NAN);
    check_nothing_found(MAXIMUM, NAN, -FLT_MAX);
    check_nothing_found(MAXIMUM, -INFINITY, -FLT_MAX);
    check_nothing_found(MINIMUM, NAN, FLT_MAX);
    check_nothing_found(LARGEST, NAN, 0);
    check_mixed();
    check_nan(MINIMUM, 0, -1);
    EXPECT(cudnnGetReduceTensorDescriptor(reduction, &operation, &type, &propagates, &has_indices,
                                          &index_type),
           OK);
    EXPECT(operation, MINIMUM);
    EXPECT(type, FLOAT);
    EXPECT(propagates + has_indices + index_type, 0);
}

static void test_wrong_reductions(void)
{
    struct tensor a = make_tensor(FLOAT, PLAIN, 4, A), c = make_tensor(FLOAT, PLAIN, 4, RESULTS[1]),
                  other = make_tensor(FLOAT, PLAIN, 4, (int[]){2, 3, 4, 2});
    const float one = 1;
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, 9, FLOAT, 0, 0, 0), BAD_PARAM);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, MAXIMUM, BFLOAT16, 0, 0, 0), BAD_PARAM);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, MAXIMUM, FLOAT, 0, 1, 0), OK);
#define REDUCE(a, c)                                                                          \
    cudnnReduceTensor(handle, reduction, NULL, 0, NULL, 0, &one, (a).shape, (a).device, &one, \
                      (c).shape, (c).device)
    EXPECT(REDUCE(a, c), BAD_PARAM);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, MAXIMUM, FLOAT, 0, 0, 0), OK);
    EXPECT(REDUCE(a, c), OK);
    EXPECT(REDUCE(a, a), BAD_PARAM); /* nothing is reduced */
    EXPECT(REDUCE(a, other), BAD_PARAM);
    EXPECT(REDUCE(c, a), BAD_PARAM);
    EXPECT(cudnnSetReduceTensorDescriptor(reduction, MAXIMUM, DOUBLE, 0, 0, 0), OK);
    capture_stderr();
    EXPECT(REDUCE(a, c), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnReduceTensor (cuDNN) of these types") != NULL, 1);
    free_tensor(&a);
    free_tensor(&c);
    free_tensor(&other);
}

/* ---- gradients of biases ---- */

static void check_bias(int type, enum layout layout)
{
    struct tensor dy = make_tensor(type, layout, 5, (int[]){4, 3, 2, 5, 6}),
                  db = make_tensor(type, PLAIN, 5, (int[]){1, 3, 1, 1, 1});
    const union factor alpha = factor_of(type, 0.25), beta = factor_of(type, -1);
    double sums[3];
    for (int k = 0; k < 3; k++)
        sums[k] = -db.values[k];
    for (size_t i = 0; i < dy.count; i++)
        sums[i / 60 % 3] += 0.25 * dy.values[i];
    EXPECT(cudnnConvolutionBackwardBias(handle, &alpha, dy.shape, dy.device, &beta, db.shape,
                                        db.device),
           OK);
    expect_values("bias's gradient", &db, sums, 16);
    EXPECT(cudnnConvolutionBackwardBias(handle, &alpha, db.shape, db.device, &beta, dy.shape,
                                        dy.device),
           BAD_PARAM);
    free_tensor(&dy);
    free_tensor(&db);
}

/* ---- softmax ---- */

/* Which sum element i belongs to. */
static size_t sum_of(const struct tensor *t, int mode, size_t i)
{
    const size_t plane = (size_t)(t->dims[2] * t->dims[3]), whole = (size_t)t->dims[1] * plane;
    return mode == INSTANCE ? i / whole : i / whole * plane + i % plane;
}

static void check_softmax(int algorithm, int mode, int type, enum layout layout)
{
    struct tensor x = make_tensor(type, layout, 4, A), y = make_tensor(type, PLAIN, 4, A),
                  dy = make_tensor(type, CHANNELS_LAST, 4, A), dx = make_tensor(type, GAPS, 4, A);
    const union factor alpha = factor_of(type, 2), beta = factor_of(type, 0.5),
                       one = factor_of(type, 1), zero = factor_of(type, 0);
    double sums[120] = {0}, products[120] = {0}, result[120], expected[120];
    if (type == FLOAT || type == DOUBLE)
        for (size_t i = 0; i < x.count; i++) /* whose exponentials are no numbers */
            x.values[i] += 1000;
    upload(&x);
    const double shift = type == FLOAT || type == DOUBLE ? 1000 : 0;
    for (size_t i = 0; i < x.count; i++)
        sums[sum_of(&x, mode, i)] += exp(x.values[i] - shift);
    for (size_t i = 0; i < x.count; i++) {
        const double sum = sums[sum_of(&x, mode, i)];
        result[i] = algorithm == LOGARITHM ? x.values[i] - shift - log(sum)
                                           : exp(x.values[i] - shift) / sum;
        expected[i] = 2 * result[i] + 0.5 * y.values[i];
    }
    EXPECT(cudnnSoftmaxForward(handle, algorithm, mode, &alpha, x.shape, x.device, &beta, y.shape,
                               y.device),
           OK);
    expect_values("softmax", &y, expected, 1);
    EXPECT(cudnnSoftmaxForward(handle, algorithm, mode, &one, x.shape, x.device, &zero, x.shape,
                               x.device),
           OK);
    expect_values("softmax in place", &x, result, 0.01);
    for (size_t i = 0; i < x.count; i++)
        products[sum_of(&x, mode, i)] += dy.values[i] * (algorithm == LOGARITHM ? 1 : result[i]);
    for (size_t i = 0; i < x.count; i++) {
        const double product = products[sum_of(&x, mode, i)],
                     slope = algorithm == LOGARITHM ? dy.values[i] - exp(result[i]) * product
                                                    : result[i] * (dy.values[i] - product);
        expected[i] = 2 * slope + 0.5 * dx.values[i];
    }
    EXPECT(cudnnSoftmaxBackward(handle, algorithm, mode, &alpha, x.shape, x.device, dy.shape,
                                dy.device, &beta, dx.shape, dx.device),
           OK);
    expect_values("softmax's gradient", &dx, expected, 8);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&dy);
    free_tensor(&dx);
}

static void test_softmax(void)
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, A),
                  other = make_tensor(FLOAT, PLAIN, 4, RESULTS[1]);
    const float one = 1, zero = 0;
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        for (int algorithm = FAST; algorithm <= LOGARITHM; algorithm++)
            for (int mode = INSTANCE; mode <= CHANNEL; mode++)
                check_softmax(algorithm, mode, dnn_types[t], algorithm ? PLAIN : CHANNELS_LAST);
    EXPECT(
        cudnnSoftmaxForward(handle, 3, CHANNEL, &one, x.shape, x.device, &zero, x.shape, x.device),
        BAD_PARAM);
    EXPECT(cudnnSoftmaxForward(handle, FAST, 2, &one, x.shape, x.device, &zero, x.shape, x.device),
           BAD_PARAM);
    EXPECT(cudnnSoftmaxForward(handle, FAST, CHANNEL, &one, x.shape, x.device, &zero, other.shape,
                               other.device),
           BAD_PARAM);
    EXPECT(cudnnSoftmaxBackward(handle, FAST, CHANNEL, &one, x.shape, x.device, x.shape, NULL,
                                &zero, x.shape, x.device),
           BAD_PARAM);
    free_tensor(&x);
    free_tensor(&other);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudnnCreateReduceTensorDescriptor(&reduction), OK);
    test_reductions();
    test_wrong_reductions();
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        check_bias(dnn_types[t], t % 2 ? CHANNELS_LAST : PLAIN);
    test_softmax();
    EXPECT(cudnnDestroyReduceTensorDescriptor(reduction), OK);
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
