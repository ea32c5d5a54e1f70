/* cuDNN's calls that compute each element by itself, and descriptors of tensors and filters. */
#include "dnn_values.h"

int cudnnSetTensor4dDescriptor(void *self, int format, int type, int n, int c, int h, int w);
int cudnnSetTensor4dDescriptorEx(void *self, int type, int n, int c, int h, int w, int n_stride,
                                 int c_stride, int h_stride, int w_stride);
int cudnnSetTensorNdDescriptorEx(void *self, int format, int type, int rank, const int *dims);
int cudnnGetTensor4dDescriptor(void *self, int *type, int *n, int *c, int *h, int *w, int *n_stride,
                               int *c_stride, int *h_stride, int *w_stride);
int cudnnGetTensorNdDescriptor(void *self, int wanted, int *type, int *rank, int *dims,
                               int *strides);
int cudnnGetTensorSizeInBytes(void *self, size_t *bytes);
int cudnnSetFilter4dDescriptor(void *self, int type, int format, int k, int c, int h, int w);
int cudnnGetFilter4dDescriptor(void *self, int *type, int *format, int *k, int *c, int *h, int *w);
int cudnnGetFilterNdDescriptor(void *self, int wanted, int *type, int *format, int *rank,
                               int *dims);
int cudnnGetFilterSizeInBytes(void *self, size_t *bytes);
int cudnnCreateOpTensorDescriptor(void **made);
int cudnnDestroyOpTensorDescriptor(void *self);
int cudnnSetOpTensorDescriptor(void *self, int operation, int compute_type, int propagates_nan);
int cudnnGetOpTensorDescriptor(void *self, int *operation, int *compute_type, int *propagates_nan);
int cudnnCreateActivationDescriptor(void **made);
int cudnnDestroyActivationDescriptor(void *self);
int cudnnSetActivationDescriptor(void *self, int mode, int propagates_nan, double coefficient);
int cudnnGetActivationDescriptor(void *self, int *mode, int *propagates_nan, double *coefficient);
int cudnnSetActivationDescriptorSwishBeta(void *self, double beta);
int cudnnGetActivationDescriptorSwishBeta(void *self, double *beta);
int cudnnAddTensor(void *handle, const void *alpha, void *a_shape, void *a, const void *beta,
                   void *c_shape, void *c);
int cudnnTransformTensor(void *handle, const void *alpha, void *x_shape, void *x, const void *beta,
                         void *y_shape, void *y);
int cudnnScaleTensor(void *handle, void *y_shape, void *y, const void *alpha);
int cudnnSetTensor(void *handle, void *y_shape, void *y, const void *value);
int cudnnOpTensor(void *handle, void *operation, const void *a_factor, void *a_shape, void *a,
                  const void *b_factor, void *b_shape, void *b, const void *c_factor, void *c_shape,
                  void *c);
int cudnnActivationForward(void *handle, void *activation, const void *alpha, void *x_shape,
                           void *x, const void *beta, void *y_shape, void *y);
int cudnnActivationBackward(void *handle, void *activation, const void *alpha, void *y_shape,
                            void *y, void *dy_shape, void *dy, void *x_shape, void *x,
                            const void *beta, void *dx_shape, void *dx);

enum { NCHW, NHWC, VECTORS };
enum { INT8 = 3, INT32 = 4, INT8X4 = 5, INT64 = 10 };
enum { SIGMOID, RELU, TANH, CLIPPED, ELU, IDENTITY, SWISH };
enum { ADD, MULTIPLY, LEAST, MOST, ROOT, NOT };
static const int DIMS[] = {2, 3, 4, 5};

static void *handle;

static void test_tensor_descriptors(void)
{
    void *tensor;
    int type, rank, dims[4], strides[4], n, c, h, w;
    size_t bytes = 0;
    EXPECT(cudnnCreateTensorDescriptor(NULL), BAD_PARAM);
    EXPECT(cudnnCreateTensorDescriptor(&tensor), OK);
    bytes = 7;
    EXPECT(cudnnGetTensorSizeInBytes(tensor, &bytes), OK); /* nothing was described */
    EXPECT(bytes, 0);
    EXPECT(cudnnGetTensorNdDescriptor(tensor, 4, &type, &rank, dims, strides), OK);
    EXPECT(type * 10 + rank, 0);
    EXPECT(cudnnSetTensor4dDescriptor(tensor, NHWC, HALF, 2, 3, 4, 5), OK);
    EXPECT(cudnnGetTensor4dDescriptor(tensor, &type, &n, &c, &h, &w, &strides[0], &strides[1],
                                      &strides[2], &strides[3]),
           OK);
    EXPECT(type, HALF);
    EXPECT(n * 1000 + c * 100 + h * 10 + w, 2345);
    EXPECT(strides[0], 60);
    EXPECT(strides[1], 1);
    EXPECT(strides[2], 15);
    EXPECT(strides[3], 3);
    EXPECT(cudnnSetTensor4dDescriptorEx(tensor, DOUBLE, 2, 3, 4, 5, 100, 30, 6, 1), OK);
    EXPECT(cudnnGetTensorSizeInBytes(tensor, &bytes), OK);
    EXPECT(bytes, (100 + 60 + 18 + 4 + 1) * 8);
    EXPECT(cudnnSetTensorNdDescriptorEx(tensor, NCHW, FLOAT, 3, (int[]){7, 8, 9}), OK);
    EXPECT(cudnnGetTensorNdDescriptor(tensor, 2, &type, &rank, dims, strides), OK);
    EXPECT(rank, 3);
    EXPECT(dims[0] * 10 + dims[1], 78);
    EXPECT(strides[0], 72);
    EXPECT(strides[1], 9);
    EXPECT(cudnnGetTensor4dDescriptor(tensor, &type, &n, &c, &h, &w, &strides[0], &strides[1],
                                      &strides[2], &strides[3]),
           OK); /* of three dimensions */
    EXPECT(n * 100 + c * 10 + h, 789);
    EXPECT(strides[0] * 100 + strides[1] * 10 + strides[2], 7291);
    EXPECT(cudnnSetTensorNdDescriptorEx(tensor, NCHW, FLOAT, 2, (int[]){7, 8}), OK);
    EXPECT(cudnnGetTensorSizeInBytes(tensor, &bytes), OK);
    EXPECT(bytes, 224);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 4, (int[]){2, 3, 0, 5}, DIMS), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 4, DIMS, (int[]){2, 3, -4, 5}), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 4, DIMS, NULL), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 9, DIMS, DIMS), NOT_SUPPORTED);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 1, DIMS, DIMS), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, INT64, 4, DIMS, DIMS), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 4, DIMS, (int[]){60, 20, 5, 0}), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(tensor, FLOAT, 4, (int[]){1, 3, 4, 5}, (int[]){0, 20, 5, 1}),
           OK);
    EXPECT(cudnnSetTensor4dDescriptor(tensor, VECTORS, FLOAT, 1, 4, 1, 1), BAD_PARAM);
    EXPECT(cudnnSetTensor4dDescriptor(tensor, NCHW, FLOAT, 1 << 16, 1 << 15, 1, 1), NOT_SUPPORTED);
    EXPECT(cudnnSetTensor4dDescriptor(tensor, 3, FLOAT, 1, 1, 1, 1), BAD_PARAM);
    capture_stderr();
    EXPECT(cudnnSetTensor4dDescriptor(tensor, VECTORS, INT8X4, 2, 4, 4, 5), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "types other than plain numbers") != NULL, 1);
    EXPECT(cudnnDestroyTensorDescriptor(tensor), OK);
    EXPECT(cudnnDestroyTensorDescriptor(NULL), OK);
}

static void test_filter_descriptors(void)
{
    void *filter, *tensor;
    int type, format, rank, dims[4], k, c, h, w;
    size_t bytes = 0;
    EXPECT(cudnnCreateFilterDescriptor(&filter), OK);
    EXPECT(cudnnCreateTensorDescriptor(&tensor), OK);
    EXPECT(cudnnGetFilter4dDescriptor(filter, &type, &format, &k, &c, &h, &w), OK);
    EXPECT(type + format + k + c + h + w, 0); /* nothing was described */
    EXPECT(cudnnSetFilter4dDescriptor(filter, INT8, NHWC, 2, 3, 4, 5), OK);
    EXPECT(cudnnGetFilter4dDescriptor(filter, &type, &format, &k, &c, &h, &w), OK);
    EXPECT(type, INT8);
    EXPECT(format, NHWC);
    EXPECT(k * 1000 + c * 100 + h * 10 + w, 2345);
    EXPECT(cudnnGetFilterSizeInBytes(filter, &bytes), OK);
    EXPECT(bytes, 120);
    EXPECT(cudnnGetFilterNdDescriptor(filter, 3, &type, &format, &rank, dims), OK);
    EXPECT(rank, 4);
    EXPECT(dims[0] * 100 + dims[1] * 10 + dims[2], 234);
    EXPECT(cudnnGetFilterNdDescriptor(filter, 0, &type, &format, &rank, dims), BAD_PARAM);
    EXPECT(cudnnGetFilterNdDescriptor(filter, 9, &type, &format, &rank, dims), NOT_SUPPORTED);
    EXPECT(cudnnSetFilterNdDescriptor(filter, FLOAT, NCHW, 2, DIMS), BAD_PARAM);
    EXPECT(cudnnSetFilter4dDescriptor(filter, FLOAT, NCHW, 2, -3, 4, 5), BAD_PARAM);
    EXPECT(cudnnSetFilter4dDescriptor(tensor, FLOAT, NCHW, 2, 3, 4, 5), BAD_PARAM);
    EXPECT(cudnnGetFilterSizeInBytes(tensor, &bytes), BAD_PARAM);
    EXPECT(cudnnDestroyTensorDescriptor(filter), BAD_PARAM);
    EXPECT(cudnnDestroyFilterDescriptor(filter), OK);
    EXPECT(cudnnDestroyTensorDescriptor(tensor), OK);
}

/* ---- sums and copies ---- */

static void check_copies(int type)
{
    struct tensor x = make_tensor(type, CHANNELS_LAST, 4, DIMS),
                  y = make_tensor(type, GAPS, 4, DIMS),
                  bias = make_tensor(type, PLAIN, 4, (int[]){1, 3, 1, 1});
    const union factor a = factor_of(type, 0.5), b = factor_of(type, 2);
    for (size_t i = 0; i < y.count; i++)
        y.values[i] = 0.5 * x.values[i] + 2 * y.values[i];
    EXPECT(cudnnTransformTensor(handle, &a, x.shape, x.device, &b, y.shape, y.device), OK);
    expect_values("transformed", &y, y.values, 1);
    upload(&y);
    for (size_t i = 0; i < y.count; i++)
        y.values[i] = 0.5 * bias.values[i / 20 % 3] + 2 * y.values[i];
    EXPECT(cudnnAddTensor(handle, &a, bias.shape, bias.device, &b, y.shape, y.device), OK);
    expect_values("sum", &y, y.values, 4);
    upload(&y);
    EXPECT(cudnnScaleTensor(handle, x.shape, x.device, &a), OK);
    for (size_t i = 0; i < x.count; i++)
        x.values[i] *= 0.5;
    expect_values("scaled", &x, x.values, 0);
    EXPECT(cudnnTransformTensor(handle, &a, bias.shape, bias.device, &b, y.shape, y.device),
           BAD_PARAM);
    EXPECT(cudnnAddTensor(handle, &a, y.shape, y.device, &b, bias.shape, bias.device), BAD_PARAM);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&bias);
}

/* One type's elements as another's; integers of 8 bits are rounded and have ends. */
static void check_conversion(int from, int to)
{
    static const double values[] = {0, 1, -3, 5, -6, 120, 300, -300};
    enum { COUNT = sizeof values / sizeof *values };
    struct tensor x = make_tensor(from, PLAIN, 4, (int[]){2, 2, 2, 1});
    const union factor zero = factor_of(from, 0), half = factor_of(from, 0.5);
    unsigned char *device, bytes[COUNT * 8];
    void *y;
    for (size_t i = 0; i < x.count; i++)
        x.values[i] = values[i];
    upload(&x);
    EXPECT(cudnnCreateTensorDescriptor(&y), OK);
    EXPECT(cudnnSetTensor4dDescriptor(y, NHWC, to, 2, 2, 2, 1), OK);
    EXPECT(cudaMalloc((void **)&device, sizeof bytes), 0);
    EXPECT(cudnnTransformTensor(handle, &half, x.shape, x.device, &zero, y, device), OK);
    EXPECT(cudaMemcpy(bytes, device, sizeof bytes, DEVICE_TO_HOST), 0);
    for (int i = 0; i < COUNT; i++) {
        const int at = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;
        if (to != INT8)
            EXPECT(read_number(to, bytes, (size_t)at) == values[i] / 2, 1);
        else
            EXPECT(((signed char *)bytes)[at],
                   (int)fmax(fmin(nearbyint(values[i] / 2), 127), -128));
    }
    EXPECT(cudaFree(device), 0);
    EXPECT(cudnnDestroyTensorDescriptor(y), OK);
    free_tensor(&x);
}

/* All becomes the value, which is of double precision for doubles and single for others. */
static void test_set(void)
{
    static const double value = 7;
    static const float single = 7;
    struct tensor x = make_tensor(FLOAT, GAPS, 4, DIMS);
    signed char *device, bytes[8];
    void *small;
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        const int type = dnn_types[t];
        struct tensor y = make_tensor(type, GAPS, 4, DIMS);
        for (size_t i = 0; i < y.count; i++)
            y.values[i] = 7;
        EXPECT(cudnnSetTensor(handle, y.shape, y.device,
                              type == DOUBLE ? (const void *)&value : &single),
               OK);
        expect_values("set", &y, y.values, 0);
        free_tensor(&y);
    }
    EXPECT(cudnnCreateTensorDescriptor(&small), OK);
    EXPECT(cudnnSetTensor4dDescriptor(small, NCHW, INT8, 1, 2, 2, 2), OK);
    EXPECT(cudaMalloc((void **)&device, sizeof bytes), 0);
    EXPECT(cudnnSetTensor(handle, small, device, &single), OK);
    EXPECT(cudaMemcpy(bytes, device, sizeof bytes, DEVICE_TO_HOST), 0);
    EXPECT(bytes[0] == 7 && bytes[7] == 7, 1);
    EXPECT(cudnnAddTensor(handle, &single, small, device, &single, small, device), OK);
    EXPECT(cudaMemcpy(bytes, device, sizeof bytes, DEVICE_TO_HOST), 0);
    EXPECT(bytes[0] == 98 && bytes[7] == 98, 1);
    void *tanh_of;
    EXPECT(cudnnCreateActivationDescriptor(&tanh_of), OK);
    EXPECT(cudnnSetActivationDescriptor(tanh_of, TANH, 0, 0), OK);
    EXPECT(
        cudnnActivationForward(handle, tanh_of, &single, small, device, &(float){0}, small, device),
        OK);
    EXPECT(cudaMemcpy(bytes, device, sizeof bytes, DEVICE_TO_HOST), 0);
    EXPECT(bytes[0] == 7 && bytes[7] == 7, 1);
    EXPECT(cudnnDestroyActivationDescriptor(tanh_of), OK);
    EXPECT(cudnnSetTensor4dDescriptor(small, NCHW, INT32, 1, 2, 1, 1), OK);
    EXPECT(cudnnSetTensor(handle, small, device, &single), NOT_SUPPORTED);
    EXPECT(cudnnSetTensor(handle, x.shape, NULL, &single), BAD_PARAM);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudnnDestroyTensorDescriptor(small), OK);
    free_tensor(&x);
}

/* What is no number, times 0. */
static void test_scale_by_zero(void)
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, DIMS), y = make_tensor(FLOAT, PLAIN, 4, DIMS);
    const float zero = 0, two = 2;
    for (size_t i = 0; i < x.count; i++)
        x.values[i] = NAN;
    upload(&x);
    for (size_t i = 0; i < x.count; i++) {
        x.values[i] = 0;
        y.values[i] *= 2;
    }
    EXPECT(cudnnAddTensor(handle, &zero, x.shape, x.device, &two, y.shape, y.device), OK);
    expect_values("nothing added", &y, y.values, 0);
    EXPECT(cudnnScaleTensor(handle, x.shape, x.device, &zero), OK);
    expect_values("scaled by 0", &x, x.values, 0);
    free_tensor(&x);
    free_tensor(&y);
}

/* ---- operations on two tensors ---- */

static double operate(int operation, double a, double b)
{
    switch (operation) {
    case ADD:
        return a + b;
    case MULTIPLY:
        return a * b;
    case LEAST:
        return fmin(a, b);
    case MOST:
        return fmax(a, b);
    case ROOT:
        return sqrt(a);
    default:
        return 1 - a;
    }
}

static void check_operations(void *op, int type)
{
    const union factor a_factor = factor_of(type, 2), b_factor = factor_of(type, -0.5),
                       c_factor = factor_of(type, 0.25);
    for (int operation = ADD; operation <= NOT; operation++) {
        struct tensor a = make_tensor(type, PLAIN, 4, DIMS),
                      b = make_tensor(type, PLAIN, 4, (int[]){1, 3, 4, 1}),
                      c = make_tensor(type, CHANNELS_LAST, 4, DIMS);
        for (size_t i = 0; i < a.count; i++) {
            if (operation == ROOT)
                a.values[i] = fabs(a.values[i]);
            c.values[i] = operate(operation, 2 * a.values[i], -0.5 * b.values[i / 5 % 12]) +
                          0.25 * c.values[i];
        }
        upload(&a);
        EXPECT(cudnnSetOpTensorDescriptor(op, operation, type == DOUBLE ? DOUBLE : FLOAT, 0), OK);
        EXPECT(cudnnOpTensor(handle, op, &a_factor, a.shape, a.device, &b_factor, b.shape,
                             operation >= ROOT ? NULL : b.device, &c_factor, c.shape, c.device),
               OK);
        expect_values("joined", &c, c.values, 4);
        free_tensor(&a);
        free_tensor(&b);
        free_tensor(&c);
    }
}

/* What is no number, in the first operand and in the second. */
static void check_nan(void *op, int propagates)
{
    struct tensor a = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 2}),
                  b = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 2});
    const float one = 1, zero = 0;
    a.values[0] = b.values[1] = NAN;
    b.values[0] = a.values[1] = 3;
    upload(&a);
    upload(&b);
    EXPECT(cudnnSetOpTensorDescriptor(op, MOST, FLOAT, propagates), OK);
    EXPECT(cudnnOpTensor(handle, op, &one, a.shape, a.device, &one, b.shape, b.device, &zero,
                         a.shape, a.device),
           OK);
    expect_values("of no numbers", &a, propagates ? (double[]){NAN, NAN} : (double[]){3, 3}, 0);
    free_tensor(&a);
    free_tensor(&b);
}

/* c of another type than a and b, one of which is float. */
static void check_mixed(void *op, int from, int to)
{
    struct tensor a = make_tensor(from, PLAIN, 4, DIMS),
                  b = make_tensor(from, PLAIN, 4, (int[]){1, 3, 1, 1}),
                  c = make_tensor(to, CHANNELS_LAST, 4, DIMS);
    const float two = 2, half = 0.5;
    for (size_t i = 0; i < a.count; i++)
        c.values[i] = 2 * a.values[i] * (0.5 * b.values[i / 20 % 3]) + 0.5 * c.values[i];
    EXPECT(cudnnSetOpTensorDescriptor(op, MULTIPLY, FLOAT, 0), OK);
    EXPECT(cudnnOpTensor(handle, op, &two, a.shape, a.device, &half, b.shape, b.device, &half,
                         c.shape, c.device),
           OK);
    expect_values("joined to another type", &c, c.values, 4);
    EXPECT(cudnnOpTensor(handle, op, &two, b.shape, b.device, &half, b.shape, b.device, &half,
                         c.shape, c.device),
           BAD_PARAM); /* a is not spread */
    EXPECT(cudnnOpTensor(handle, op, &two, a.shape, a.device, &half, c.shape, c.device, &half,
                         c.shape, c.device),
           BAD_PARAM); /* a and b differ */
    free_tensor(&a);
    free_tensor(&b);
    free_tensor(&c);
}

static void test_operations(void)
{
    void *op;
    int operation, type, propagates;
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, DIMS);
    const float one = 1;
    EXPECT(cudnnCreateOpTensorDescriptor(&op), OK);
    EXPECT(cudnnOpTensor(handle, op, &one, x.shape, x.device, &one, x.shape, x.device, &one,
                         x.shape, x.device),
           BAD_PARAM);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        check_operations(op, dnn_types[t]);
    check_mixed(op, HALF, FLOAT);
    check_mixed(op, FLOAT, BFLOAT16);
    check_nan(op, 0);
    check_nan(op, 1);
    EXPECT(cudnnGetOpTensorDescriptor(op, &operation, &type, &propagates), OK);
    EXPECT(operation, MOST);
    EXPECT(type, FLOAT);
    EXPECT(propagates, 1);
    EXPECT(cudnnSetOpTensorDescriptor(op, 6, FLOAT, 0), BAD_PARAM);
    EXPECT(cudnnSetOpTensorDescriptor(op, ADD, INT32, 0), BAD_PARAM);
    EXPECT(cudnnSetOpTensorDescriptor(op, ADD, DOUBLE, 0), OK);
    capture_stderr();
    EXPECT(cudnnOpTensor(handle, op, &one, x.shape, x.device, &one, x.shape, x.device, &one,
                         x.shape, x.device),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "these types") != NULL, 1);
    EXPECT(cudnnDestroyOpTensorDescriptor(op), OK);
    free_tensor(&x);
}

/* ---- activations ---- */

static const double COEFFICIENT = 0.75, SWISH_BETA = 1.5;

static double activate(int mode, double x)
{
    switch (mode) {
    case SIGMOID:
        return 1 / (1 + exp(-x));
    case RELU:
        return fmax(x, 0);
    case TANH:
        return tanh(x);
    case CLIPPED:
        return fmin(fmax(x, 0), COEFFICIENT);
    case ELU:
        return x > 0 ? x : COEFFICIENT * expm1(x);
    case SWISH:
        return x / (1 + exp(-SWISH_BETA * x));
    default:
        return x;
    }
}

/* By the difference of values beside x, which no kink may be between. */
static double slope(int mode, double x)
{
    const double h = 1e-5;
    return (activate(mode, x + h) - activate(mode, x - h)) / (2 * h);
}

static void check_activation(void *activation, int mode, int type)
{
    struct tensor x = make_tensor(type, PLAIN, 4, DIMS),
                  y = make_tensor(type, CHANNELS_LAST, 4, DIMS),
                  dy = make_tensor(type, GAPS, 4, DIMS), dx = make_tensor(type, PLAIN, 4, DIMS);
    const union factor a = factor_of(type, 2), b = factor_of(type, 0.5), zero = factor_of(type, 0),
                       one = factor_of(type, 1);
    EXPECT(cudnnSetActivationDescriptor(activation, mode, 0, COEFFICIENT), OK);
    EXPECT(cudnnSetActivationDescriptorSwishBeta(activation, SWISH_BETA), OK);
    for (size_t i = 0; i < x.count; i++) {
        if (x.values[i] == 0 || x.values[i] == COEFFICIENT)
            x.values[i] += 0.125;
        y.values[i] = 2 * activate(mode, x.values[i]) + 0.5 * y.values[i];
        dx.values[i] = 2 * slope(mode, x.values[i]) * dy.values[i] + 0.5 * dx.values[i];
    }
    upload(&x);
    EXPECT(cudnnActivationForward(handle, activation, &a, x.shape, x.device, &b, y.shape, y.device),
           OK);
    expect_values("activated", &y, y.values, 2);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, y.shape,
                                  y.device),
           OK);
    EXPECT(cudnnActivationBackward(handle, activation, &a, y.shape, y.device, dy.shape, dy.device,
                                   x.shape, x.device, &b, dx.shape, dx.device),
           OK);
    expect_values("activation's gradient", &dx, dx.values, type == DOUBLE ? 1e4 : 8);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&dy);
    free_tensor(&dx);
}

/* Far from 0 too, and of what is no number. */
static void check_ends(void *activation)
{
    static const double values[] = {-1000, -80, -1e-9, 1e-9, 80, 1000, NAN};
    enum { COUNT = sizeof values / sizeof *values };
    const union factor one[] = {factor_of(FLOAT, 1), factor_of(DOUBLE, 1)};
    const double zero = 0;
    for (int type = FLOAT; type <= DOUBLE; type++)
        for (int mode = SIGMOID; mode <= SWISH; mode++) {
            if (mode == IDENTITY)
                continue;
            struct tensor x = make_tensor(type, PLAIN, 4, (int[]){1, 1, 1, COUNT});
            double expected[COUNT];
            for (int i = 0; i < COUNT; i++) {
                x.values[i] = type == FLOAT ? (float)values[i] : values[i];
                expected[i] = isnan(values[i]) ? mode == RELU || mode == CLIPPED ? 0 : NAN
                                               : activate(mode, x.values[i]);
            }
            upload(&x);
            EXPECT(cudnnSetActivationDescriptor(activation, mode, 0, COEFFICIENT), OK);
            EXPECT(cudnnSetActivationDescriptorSwishBeta(activation, SWISH_BETA), OK);
            EXPECT(cudnnActivationForward(handle, activation, &one[type], x.shape, x.device, &zero,
                                          x.shape, x.device),
                   OK);
            expect_values("at the ends", &x, expected, mode == ELU ? 1 : 1e-30);
            free_tensor(&x);
        }
}

/* What a real cuDNN 9.14 gives where a definition leaves it open: ELU's gradient is told by y, and
 * is whole where y is 0; no bound is below a clipped ReLU's; a ReLU's gradient needs no y. */
static void check_conventions(void *activation)
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 4}),
                  y = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 4}),
                  dx = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 4});
    const float one = 1, two = 2, zero = 0;
    memcpy(x.values, (double[]){-1, 2, -1, 2}, 4 * sizeof *x.values);
    memcpy(y.values, (double[]){0, 1, -0.5, -0.5}, 4 * sizeof *y.values);
    upload(&x);
    upload(&y);
    EXPECT(cudnnSetActivationDescriptor(activation, ELU, 0, 2), OK);
    EXPECT(cudnnActivationBackward(handle, activation, &two, y.shape, y.device, x.shape, x.device,
                                   x.shape, x.device, &zero, dx.shape, dx.device),
           OK);
    expect_values("ELU's gradient", &dx, (double[]){-2, 4, -3, 6}, 0);
    EXPECT(cudnnSetActivationDescriptor(activation, CLIPPED, 0, -3), OK);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, dx.shape,
                                  dx.device),
           OK);
    expect_values("bound below 0", &dx, (double[]){-3, -3, -3, -3}, 0);
    EXPECT(cudnnSetActivationDescriptor(activation, RELU, 0, 0), OK);
    EXPECT(cudnnActivationBackward(handle, activation, &two, NULL, NULL, x.shape, x.device, x.shape,
                                   x.device, &zero, dx.shape, dx.device),
           OK);
    expect_values("gradient without y", &dx, (double[]){0, 4, 0, 4}, 0);
    EXPECT(cudnnSetActivationDescriptor(activation, TANH, 0, 0), OK);
    EXPECT(cudnnActivationBackward(handle, activation, &two, NULL, NULL, x.shape, x.device, x.shape,
                                   x.device, &zero, dx.shape, dx.device),
           BAD_PARAM);
    EXPECT(cudnnActivationBackward(handle, activation, &one, x.shape, x.device, y.shape, y.device,
                                   NULL, NULL, &zero, dx.shape, dx.device),
           OK);
    expect_values("gradient without x", &dx, (double[]){0, -3, 0, 1.5}, 0);
    EXPECT(cudnnSetActivationDescriptor(activation, IDENTITY, 0, 0), OK);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, x.shape,
                                  x.device),
           BAD_PARAM);
    EXPECT(cudnnActivationBackward(handle, activation, &one, y.shape, y.device, x.shape, x.device,
                                   x.shape, x.device, &zero, dx.shape, dx.device),
           BAD_PARAM);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&dx);
}

static void test_activations(void)
{
    void *activation;
    int mode, propagates;
    double coefficient = 0, beta = 0;
    const float one = 1, zero = 0;
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, DIMS),
                  other = make_tensor(FLOAT, PLAIN, 4, (int[]){2, 3, 5, 4});
    EXPECT(cudnnCreateActivationDescriptor(&activation), OK);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, x.shape,
                                  x.device),
           BAD_PARAM); /* nothing was set */
    EXPECT(cudnnGetActivationDescriptorSwishBeta(activation, &beta), OK);
    EXPECT(beta == 1, 1);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        for (mode = SIGMOID; mode <= SWISH; mode++)
            if (mode != IDENTITY)
                check_activation(activation, mode, dnn_types[t]);
    check_conventions(activation);
    check_ends(activation);
    EXPECT(cudnnGetActivationDescriptor(activation, &mode, &propagates, &coefficient), OK);
    EXPECT(mode, SWISH);
    EXPECT(propagates, 0);
    EXPECT(coefficient == COEFFICIENT, 1);
    EXPECT(cudnnSetActivationDescriptor(activation, RELU, 0, 0), OK);
    EXPECT(cudnnGetActivationDescriptorSwishBeta(activation, &beta), OK);
    EXPECT(beta == SWISH_BETA, 1);
    x.values[0] = NAN;
    upload(&x);
    for (size_t i = 0; i < x.count; i++)
        x.values[i] = isnan(x.values[i]) ? NAN : fmax(x.values[i], 0);
    EXPECT(cudnnSetActivationDescriptor(activation, RELU, 1, 0), OK);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, x.shape,
                                  x.device),
           OK);
    expect_values("kept", &x, x.values, 0);
    EXPECT(cudnnActivationForward(handle, activation, &one, x.shape, x.device, &zero, other.shape,
                                  other.device),
           BAD_PARAM);
    EXPECT(
        cudnnActivationForward(handle, x.shape, &one, x.shape, x.device, &zero, x.shape, x.device),
        BAD_PARAM);
    EXPECT(cudnnSetActivationDescriptor(activation, 7, 0, 0), BAD_PARAM);
    EXPECT(cudnnDestroyActivationDescriptor(activation), OK);
    free_tensor(&x);
    free_tensor(&other);
}

int main(void)
{
    test_tensor_descriptors();
    test_filter_descriptors();
    EXPECT(cudnnCreate(&handle), OK);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        check_copies(dnn_types[t]);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        check_conversion(dnn_types[t], INT8);
        for (size_t i = 0; i < sizeof dnn_types / sizeof *dnn_types; i++)
            check_conversion(dnn_types[t], dnn_types[i]);
    }
    test_set();
    test_scale_by_zero();
    test_operations();
    test_activations();
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
