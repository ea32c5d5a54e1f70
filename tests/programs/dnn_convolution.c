/* cuDNN's convolutions and their gradients, compared with sums by definition. */
#include "dnn_values.h"

int cudnnCreateConvolutionDescriptor(void **made);
int cudnnDestroyConvolutionDescriptor(void *self);
int cudnnSetConvolutionNdDescriptor(void *self, int spatial, const int *pads, const int *strides,
                                    const int *dilations, int mode, int compute_type);
int cudnnSetConvolution2dDescriptor(void *self, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type);
int cudnnGetConvolution2dDescriptor(void *self, int *pad_h, int *pad_w, int *stride_h,
                                    int *stride_w, int *dilation_h, int *dilation_w, int *mode,
                                    int *compute_type);
int cudnnGetConvolutionNdDescriptor(void *self, int wanted, int *spatial, int *pads, int *strides,
                                    int *dilations, int *mode, int *compute_type);
int cudnnSetConvolutionGroupCount(void *self, int groups);
int cudnnGetConvolutionGroupCount(void *self, int *groups);
int cudnnSetConvolutionMathType(void *self, int type);
int cudnnGetConvolutionMathType(void *self, int *type);
int cudnnSetConvolutionReorderType(void *self, int type);
int cudnnGetConvolutionReorderType(void *self, int *type);
int cudnnGetConvolutionNdForwardOutputDim(void *convolution, void *x_shape, void *w_shape, int rank,
                                          int *dims);
int cudnnGetConvolution2dForwardOutputDim(void *convolution, void *x_shape, void *w_shape, int *n,
                                          int *c, int *h, int *w);
int cudnnCreateActivationDescriptor(void **made);
int cudnnDestroyActivationDescriptor(void *self);
int cudnnSetActivationDescriptor(void *self, int mode, int propagates_nan, double coefficient);

struct performance {
    int algorithm, status;
    float time_ms;
    size_t memory_bytes;
    int determinism, math_type, reserved[3];
};

#define ASK(name, a, b, c)                                                                         \
    int cudnnGetConvolution##name##AlgorithmMaxCount(void *handle, int *count);                    \
    int cudnnGetConvolution##name##Algorithm_v7(void *handle, void *a, void *b, void *convolution, \
                                                void *c, int wanted, int *told,                    \
                                                struct performance *results);                      \
    int cudnnFindConvolution##name##Algorithm(void *handle, void *a, void *b, void *convolution,   \
                                              void *c, int wanted, int *told,                      \
                                              struct performance *results);                        \
    int cudnnFindConvolution##name##AlgorithmEx(                                                   \
        void *handle, void *a##_shape, void *a, void *b##_shape, void *b, void *convolution,       \
        void *c##_shape, void *c, int wanted, int *told, struct performance *results, void *space, \
        size_t space_bytes);                                                                       \
    int cudnnGetConvolution##name##WorkspaceSize(                                                  \
        void *handle, void *a, void *b, void *convolution, void *c, int algorithm, size_t *bytes); \
    int cudnnConvolution##name(void *handle, const void *alpha, void *a##_shape, void *a,          \
                               void *b##_shape, void *b, void *convolution, int algorithm,         \
                               void *space, size_t space_bytes, const void *beta, void *c##_shape, \
                               void *c);
ASK(Forward, x, w, y)
ASK(BackwardData, w, dy, dx)
ASK(BackwardFilter, x, dy, dw)
int cudnnConvolutionBiasActivationForward(void *handle, const void *alpha, void *x_shape, void *x,
                                          void *w_shape, void *w, void *convolution, int algorithm,
                                          void *space, size_t space_bytes, const void *z_factor,
                                          void *z_shape, void *z, void *bias_shape, void *bias,
                                          void *activation, void *y_shape, void *y);

int cudnnIm2Col(void *handle, void *x_shape, void *x, void *w_shape, void *convolution,
                void *columns);

enum { FLIPPED = 0, CROSS_CORRELATION = 1 };
enum { RELU = 1, TANH = 2, IDENTITY = 5 };

static void *handle;

struct convolution_case {
    int spatial, n, c, k, groups; /* c, k: of all groups */
    int in[3], taps[3], pads[3], strides[3], dilations[3];
    int mode;
};

static const struct convolution_case cases[] = {
    {2, 2, 3, 4, 1, {7, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, CROSS_CORRELATION},
    {2, 1, 4, 6, 2, {9, 8}, {3, 2}, {2, 0}, {2, 3}, {2, 1}, CROSS_CORRELATION},
    {2, 2, 4, 4, 4, {5, 5}, {3, 3}, {1, 2}, {2, 1}, {1, 1}, FLIPPED},
    {1, 3, 2, 3, 1, {11}, {4}, {3}, {2}, {1}, CROSS_CORRELATION},
    {1, 2, 3, 2, 1, {10}, {3}, {5}, {1}, {3}, FLIPPED},
    {3, 1, 2, 3, 1, {4, 5, 6}, {2, 3, 2}, {1, 0, 1}, {1, 2, 2}, {2, 1, 1}, CROSS_CORRELATION},
    {3, 2, 2, 2, 2, {3, 4, 3}, {1, 2, 3}, {0, 1, 1}, {1, 1, 1}, {1, 2, 1}, FLIPPED},
};

/* The whole of one case. */
struct problem {
    const struct convolution_case *of;
    void *convolution;
    struct tensor x, w, y;
};

static struct problem make_problem(const struct convolution_case *of, int type, enum layout layout)
{
    struct problem p = {.of = of};
    int x[RANK] = {of->n, of->c}, w[RANK] = {of->k, of->c / of->groups}, y[RANK];
    for (int i = 0; i < of->spatial; i++) {
        x[2 + i] = of->in[i];
        w[2 + i] = of->taps[i];
    }
    EXPECT(cudnnCreateConvolutionDescriptor(&p.convolution), OK);
    EXPECT(cudnnSetConvolutionGroupCount(p.convolution, of->groups), OK);
    EXPECT(cudnnSetConvolutionNdDescriptor(p.convolution, of->spatial, of->pads, of->strides,
                                           of->dilations, of->mode,
                                           type == DOUBLE ? DOUBLE : FLOAT),
           OK);
    p.x = make_tensor(type, layout, of->spatial + 2, x);
    p.w = make_filter(type, layout == CHANNELS_LAST, of->spatial + 2, w);
    EXPECT(cudnnGetConvolutionNdForwardOutputDim(p.convolution, p.x.shape, p.w.shape,
                                                 of->spatial + 2, y),
           OK);
    for (int i = 0; i < of->spatial; i++)
        EXPECT(y[2 + i],
               1 + (of->in[i] + 2 * of->pads[i] - (of->taps[i] - 1) * of->dilations[i] - 1) /
                       of->strides[i]);
    EXPECT(y[0], of->n);
    EXPECT(y[1], of->k);
    p.y = make_tensor(type, layout, of->spatial + 2, y);
    return p;
}

static void free_problem(struct problem *p)
{
    EXPECT(cudnnDestroyConvolutionDescriptor(p->convolution), OK);
    free_tensor(&p->x);
    free_tensor(&p->w);
    free_tensor(&p->y);
}

/* Calls add for each product of the convolution, with the places of its elements in x, w and y. */
static void each_product(const struct problem *p,
                         void (*add)(double *sums, const struct problem *p, size_t x, size_t w,
                                     size_t y),
                         double *sums)
{
    const struct convolution_case *of = p->of;
    const int missing = 3 - of->spatial;
    for (size_t y = 0; y < p->y.count; y++)
        for (size_t w = 0; w < p->w.count; w++) {
            size_t rest_y = y, rest_w = w;
            int in[3] = {0}, is_inside = 1;
            for (int d = 2; d >= missing; d--) {
                const int i = d - missing, out = (int)(rest_y % (size_t)dim(&p->y, 2 + d)),
                          tap = (int)(rest_w % (size_t)dim(&p->w, 2 + d));
                rest_y /= (size_t)dim(&p->y, 2 + d);
                rest_w /= (size_t)dim(&p->w, 2 + d);
                in[d] = out * of->strides[i] - of->pads[i] +
                        (of->mode == FLIPPED ? of->taps[i] - 1 - tap : tap) * of->dilations[i];
                is_inside = is_inside && in[d] >= 0 && in[d] < of->in[i];
            }
            const int k = (int)(rest_y % (size_t)of->k), n = (int)rest_y / of->k,
                      channels = of->c / of->groups, c = (int)rest_w % channels;
            if (!is_inside || k != (int)rest_w / channels)
                continue;
            const int channel = k / (of->k / of->groups) * channels + c;
            add(sums, p, element(&p->x, n, channel, in[0], in[1], in[2]), w, y);
        }
}

static void add_output(double *sums, const struct problem *p, size_t x, size_t w, size_t y)
{
    sums[y] += p->x.values[x] * p->w.values[w];
}

static void add_input(double *sums, const struct problem *p, size_t x, size_t w, size_t y)
{
    sums[x] += p->y.values[y] * p->w.values[w];
}

static void add_filter(double *sums, const struct problem *p, size_t x, size_t w, size_t y)
{
    sums[w] += p->y.values[y] * p->x.values[x];
}

/* alpha * the sums + beta * what was there. */
static double *expected_of(const struct problem *p, const struct tensor *made,
                           void (*add)(double *, const struct problem *, size_t, size_t, size_t),
                           double alpha, double beta)
{
    double *sums = calloc(made->count, sizeof *sums);
    each_product(p, add, sums);
    for (size_t i = 0; i < made->count; i++)
        sums[i] = alpha * sums[i] + (beta != 0 ? beta * made->values[i] : 0);
    return sums;
}

/* With beta 0 what was there is nothing of the result. */
static void spoil(struct tensor *t)
{
    EXPECT(cudaMemset(t->device, 0xff, t->stored * type_bytes(t->type)), 0);
}

static void check_case(const struct convolution_case *of, int type, enum layout layout,
                       double alpha, double beta)
{
    struct problem p = make_problem(of, type, layout);
    const union factor a = factor_of(type, alpha), b = factor_of(type, beta);
    struct tensor x = p.x, w = p.w, y = p.y;
    double *expected = expected_of(&p, &y, add_output, alpha, beta);
    if (beta == 0)
        spoil(&y);
    EXPECT(cudnnConvolutionForward(handle, &a, x.shape, x.device, w.shape, w.device, p.convolution,
                                   1, NULL, 0, &b, y.shape, y.device),
           OK);
    expect_values("output", &y, expected, 4);
    free(expected);
    upload(&p.y);
    expected = expected_of(&p, &x, add_input, alpha, beta);
    if (beta == 0)
        spoil(&x);
    EXPECT(cudnnConvolutionBackwardData(handle, &a, w.shape, w.device, y.shape, y.device,
                                        p.convolution, 0, NULL, 0, &b, x.shape, x.device),
           OK);
    expect_values("input's gradient", &x, expected, 4);
    free(expected);
    upload(&p.x);
    expected = expected_of(&p, &w, add_filter, alpha, beta);
    if (beta == 0)
        spoil(&w);
    EXPECT(cudnnConvolutionBackwardFilter(handle, &a, x.shape, x.device, y.shape, y.device,
                                          p.convolution, 1, NULL, 0, &b, w.shape, w.device),
           OK);
    expect_values("filter's gradient", &w, expected, 4);
    free(expected);
    free_problem(&p);
}

static void test_sums(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
            check_case(&cases[i], dnn_types[t], PLAIN, 1, 0);
            check_case(&cases[i], dnn_types[t], CHANNELS_LAST, 0.5, -2);
        }
    check_case(&cases[0], FLOAT, GAPS, 1, 1);
}

static void test_fused(int mode, double z_factor)
{
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        struct problem p = make_problem(&cases[0], dnn_types[t], PLAIN);
        struct tensor z = make_tensor(p.y.type, CHANNELS_LAST, p.y.rank, p.y.dims),
                      bias = make_tensor(p.y.type, PLAIN, 4, (int[]){1, p.y.dims[1], 1, 1});
        const union factor one = factor_of(p.y.type, 1), factor = factor_of(p.y.type, z_factor);
        void *activation;
        double *expected = expected_of(&p, &p.y, add_output, 1, 0);
        const size_t plane = (size_t)p.y.dims[2] * (size_t)p.y.dims[3];
        for (size_t i = 0; i < p.y.count; i++) {
            expected[i] += z_factor * z.values[i] + bias.values[i / plane % (size_t)p.y.dims[1]];
            if (mode == RELU && expected[i] < 0)
                expected[i] = 0;
        }
        EXPECT(cudnnCreateActivationDescriptor(&activation), OK);
        EXPECT(cudnnSetActivationDescriptor(activation, mode, 0, 0), OK);
        EXPECT(cudnnConvolutionBiasActivationForward(
                   handle, &one, p.x.shape, p.x.device, p.w.shape, p.w.device, p.convolution, 1,
                   NULL, 0, &factor, z.shape, z_factor != 0 ? z.device : NULL, bias.shape,
                   bias.device, activation, p.y.shape, p.y.device),
               OK);
        expect_values("with bias", &p.y, expected, 4);
        free(expected);
        EXPECT(cudnnConvolutionBiasActivationForward(handle, &one, p.x.shape, p.x.device, p.w.shape,
                                                     p.w.device, p.convolution, 1, NULL, 0, &factor,
                                                     z.shape, z.device, z.shape, z.device,
                                                     activation, p.y.shape, p.y.device),
               BAD_PARAM);
        EXPECT(cudnnSetActivationDescriptor(activation, TANH, 0, 0), OK);
        capture_stderr();
        EXPECT(cudnnConvolutionBiasActivationForward(handle, &one, p.x.shape, p.x.device, p.w.shape,
                                                     p.w.device, p.convolution, 1, NULL, 0, &factor,
                                                     z.shape, z.device, bias.shape, bias.device,
                                                     activation, p.y.shape, p.y.device),
               NOT_SUPPORTED);
        captured_stderr();
        EXPECT(cudnnDestroyActivationDescriptor(activation), OK);
        free_tensor(&z);
        free_tensor(&bias);
        free_problem(&p);
    }
}

/* What is told of algorithms, in each of three ways, and how much memory they need. */
#define CHECK_ALGORITHMS(name, count, a, b, c)                                                     \
    do {                                                                                           \
        int told = 0;                                                                              \
        size_t bytes = 77;                                                                         \
        struct performance results[8] = {{.algorithm = 77}};                                       \
        EXPECT(cudnnGetConvolution##name##AlgorithmMaxCount(handle, &told), OK);                   \
        EXPECT(told, (count) + 2);                                                                 \
        EXPECT(cudnnGetConvolution##name##Algorithm_v7(                                            \
                   handle, (a)->shape, (b)->shape, p.convolution, (c)->shape, 8, &told, results),  \
               OK);                                                                                \
        EXPECT(told, count);                                                                       \
        EXPECT(results[0].time_ms == -1, 1);                                                       \
        EXPECT(results[0].algorithm, 1);                                                           \
        EXPECT(results[0].status, OK);                                                             \
        EXPECT(results[0].determinism, 1);                                                         \
        EXPECT(results[0].math_type, 3);                                                           \
        EXPECT(cudnnFindConvolution##name##Algorithm(                                              \
                   handle, (a)->shape, (b)->shape, p.convolution, (c)->shape, 1, &told, results),  \
               OK);                                                                                \
        EXPECT(told, 1);                                                                           \
        EXPECT(cudnnFindConvolution##name##AlgorithmEx(                                            \
                   handle, (a)->shape, (a)->device, (b)->shape, (b)->device, p.convolution,        \
                   (c)->shape, (c)->device, 1, &told, results, NULL, 0),                           \
               OK);                                                                                \
        EXPECT(cudnnFindConvolution##name##AlgorithmEx(handle, (a)->shape, NULL, (b)->shape,       \
                                                       (b)->device, p.convolution, (c)->shape,     \
                                                       (c)->device, 1, &told, results, NULL, 0),   \
               BAD_PARAM);                                                                         \
        EXPECT(cudnnFindConvolution##name##Algorithm(                                              \
                   handle, (a)->shape, (b)->shape, p.convolution, (c)->shape, -1, &told, results), \
               OK);                                                                                \
        EXPECT(told, count);                                                                       \
        EXPECT(results[0].time_ms == 0, 1);                                                        \
        EXPECT(cudnnFindConvolution##name##Algorithm(                                              \
                   handle, (a)->shape, (b)->shape, p.convolution, (c)->shape, 0, &told, results),  \
               OK);                                                                                \
        EXPECT(told, 0);                                                                           \
        EXPECT(cudnnGetConvolution##name##WorkspaceSize(handle, (a)->shape, (b)->shape,            \
                                                        p.convolution, (c)->shape, 0, &bytes),     \
               OK);                                                                                \
        EXPECT(bytes, 0);                                                                          \
        EXPECT(cudnnGetConvolution##name##WorkspaceSize(handle, (a)->shape, (b)->shape,            \
                                                        p.convolution, (c)->shape, count, &bytes), \
               NOT_SUPPORTED);                                                                     \
    } while (0)

/* Products of the filter as a matrix with what its taps meet are the convolution. */
static void check_columns(const struct convolution_case *of, int type)
{
    struct problem p = make_problem(of, type, GAPS);
    const size_t rows = p.w.count / (size_t)of->k, width = p.y.count / (size_t)of->k,
                 plane = width / (size_t)of->n;
    struct tensor columns = make_tensor(type, PLAIN, 3, (int[]){1, (int)rows, (int)width});
    double *expected = calloc(p.y.count, sizeof *expected), *sums = calloc(p.y.count, sizeof *sums);
    each_product(&p, add_output, expected);
    EXPECT(cudnnIm2Col(handle, p.x.shape, p.x.device, p.w.shape, p.convolution, columns.device),
           OK);
    double *told = download(&columns);
    for (size_t y = 0; y < p.y.count; y++) {
        const size_t n = y / plane / (size_t)of->k, k = y / plane % (size_t)of->k;
        for (size_t row = 0; row < rows; row++)
            sums[y] += p.w.values[k * rows + row] * told[row * width + n * plane + y % plane];
    }
    for (size_t y = 0; y < p.y.count; y++)
        EXPECT(fabs(sums[y] - expected[y]) < 1e-9, 1);
    EXPECT(cudnnSetConvolutionGroupCount(p.convolution, 2), OK);
    EXPECT(cudnnIm2Col(handle, p.x.shape, p.x.device, p.w.shape, p.convolution, columns.device),
           BAD_PARAM);
    free(expected);
    free(sums);
    free(told);
    free_tensor(&columns);
    free_problem(&p);
}

static void test_algorithms(void)
{
    struct problem p = make_problem(&cases[1], FLOAT, PLAIN);
    int type = 0;
    EXPECT(cudnnSetConvolutionMathType(p.convolution, 3), OK);
    EXPECT(cudnnGetConvolutionMathType(p.convolution, &type), OK);
    EXPECT(type, 3);
    EXPECT(cudnnSetConvolutionMathType(p.convolution, 4), BAD_PARAM);
    EXPECT(cudnnSetConvolutionReorderType(p.convolution, 1), OK);
    EXPECT(cudnnGetConvolutionReorderType(p.convolution, &type), OK);
    EXPECT(type, 1);
    CHECK_ALGORITHMS(Forward, 8, &p.x, &p.w, &p.y);
    CHECK_ALGORITHMS(BackwardData, 6, &p.w, &p.y, &p.x);
    CHECK_ALGORITHMS(BackwardFilter, 7, &p.x, &p.y, &p.w);
    free_problem(&p);
}

static void test_descriptors(void)
{
    void *convolution;
    int read[8] = {0}, pads[3], strides[3], dilations[3];
    EXPECT(cudnnCreateConvolutionDescriptor(NULL), BAD_PARAM);
    EXPECT(cudnnCreateConvolutionDescriptor(&convolution), OK);
    EXPECT(cudnnGetConvolutionNdDescriptor(convolution, 3, read, pads, strides, dilations, &read[1],
                                           &read[2]),
           OK); /* nothing was set */
    EXPECT(read[0] + read[1] + read[2], 0);
    EXPECT(cudnnGetConvolutionNdDescriptor(convolution, 7, read, pads, strides, dilations, &read[1],
                                           &read[2]),
           NOT_SUPPORTED);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, 1, 2, 3, 4, 5, 6, FLIPPED, HALF), OK);
    EXPECT(cudnnGetConvolution2dDescriptor(convolution, &read[0], &read[1], &read[2], &read[3],
                                           &read[4], &read[5], &read[6], &read[7]),
           OK);
    for (int i = 0; i < 6; i++)
        EXPECT(read[i], i + 1);
    EXPECT(read[6], FLIPPED);
    EXPECT(read[7], HALF);
    EXPECT(cudnnGetConvolutionNdDescriptor(convolution, 1, read, pads, strides, dilations, &read[1],
                                           &read[2]),
           OK);
    EXPECT(read[0], 2);
    EXPECT(pads[0], 1);
    EXPECT(strides[0], 3);
    EXPECT(dilations[0], 5);
    EXPECT(cudnnGetConvolutionGroupCount(convolution, read), OK);
    EXPECT(read[0], 1);
    EXPECT(cudnnSetConvolutionGroupCount(convolution, 0), BAD_PARAM);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, -1, 0, 1, 1, 1, 1, FLIPPED, FLOAT),
           BAD_PARAM);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 0, 1, 1, 1, FLIPPED, FLOAT),
           BAD_PARAM);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 0, FLIPPED, FLOAT),
           BAD_PARAM);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1, 2, FLOAT), BAD_PARAM);
    EXPECT(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1, 1, BFLOAT16), BAD_PARAM);
    EXPECT(cudnnDestroyConvolutionDescriptor(convolution), OK);
    EXPECT(cudnnDestroyConvolutionDescriptor(NULL), OK);
}

static void test_wrong_arguments(void)
{
    struct problem p = make_problem(&cases[0], FLOAT, PLAIN),
                   other = make_problem(&cases[1], FLOAT, PLAIN);
    const float one = 1, zero = 0;
    int n, c, h, w;
    EXPECT(
        cudnnGetConvolution2dForwardOutputDim(p.convolution, p.x.shape, p.w.shape, &n, &c, &h, &w),
        OK);
    EXPECT(n, 2);
    EXPECT(c, 4);
    EXPECT(h, 7);
    EXPECT(w, 6);
    EXPECT(cudnnGetConvolution2dForwardOutputDim(p.convolution, p.x.shape, other.w.shape, &n, &c,
                                                 &h, &w),
           BAD_PARAM);
    int dims[] = {7, 7, 7, 7, 7};
    EXPECT(cudnnGetConvolutionNdForwardOutputDim(p.convolution, p.x.shape, p.w.shape, 5, dims),
           BAD_PARAM);
    EXPECT(cudnnGetConvolutionNdForwardOutputDim(p.convolution, p.x.shape, p.w.shape, 2, dims), OK);
    EXPECT(dims[0] * 100 + dims[1] * 10 + dims[2], 247);
#define FORWARD(handle, alpha, x, w, convolution, algorithm, y)                          \
    cudnnConvolutionForward(handle, alpha, (x).shape, (x).device, (w).shape, (w).device, \
                            convolution, algorithm, NULL, 0, &zero, (y).shape, (y).device)
    EXPECT(FORWARD(NULL, &one, p.x, p.w, p.convolution, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, NULL, p.x, p.w, p.convolution, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, p.x, p.w, NULL, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, p.x, p.w, p.convolution, 8, p.y), NOT_SUPPORTED);
    EXPECT(FORWARD(handle, &one, p.x, p.w, p.convolution, 0, p.x), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, other.x, p.w, p.convolution, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, p.x, other.w, p.convolution, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, p.w, p.x, p.convolution, 0, p.y), BAD_PARAM);
    EXPECT(FORWARD(handle, &one, p.x, p.w, p.convolution, 3, p.y), NOT_SUPPORTED);
    EXPECT(cudnnSetConvolution2dDescriptor(p.convolution, 1, 1, 1, 1, 1, 1, 1, DOUBLE), OK);
    capture_stderr();
    EXPECT(FORWARD(handle, &one, p.x, p.w, p.convolution, 0, p.y), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnConvolutionForward (cuDNN) of these types") != NULL, 1);
    struct problem half = make_problem(&cases[0], HALF, PLAIN);
    EXPECT(cudnnSetConvolution2dDescriptor(p.convolution, 1, 1, 1, 1, 1, 1, 1, FLOAT), OK);
    EXPECT(FORWARD(handle, &one, half.x, p.w, p.convolution, 0, p.y), NOT_SUPPORTED);
    free_problem(&half);
    free_problem(&p);
    free_problem(&other);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    test_descriptors();
    test_sums();
    test_fused(RELU, 0);
    test_fused(IDENTITY, 0.5);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        check_columns(&cases[0], dnn_types[t]);
        check_columns(&cases[4], dnn_types[t]);
    }
    test_algorithms();
    test_wrong_arguments();
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
