/* cuDNN's pooling and its normalisation of responses, compared with their definitions. */
#include <float.h>

#include "dnn_values.h"

int cudnnCreatePoolingDescriptor(void **made);
int cudnnDestroyPoolingDescriptor(void *self);
int cudnnSetPoolingNdDescriptor(void *self, int mode, int propagates_nan, int spatial,
                                const int *window, const int *pads, const int *strides);
int cudnnSetPooling2dDescriptor(void *self, int mode, int propagates_nan, int window_h,
                                int window_w, int pad_h, int pad_w, int stride_h, int stride_w);
int cudnnGetPoolingNdDescriptor(void *self, int wanted, int *mode, int *propagates_nan,
                                int *spatial, int *window, int *pads, int *strides);
int cudnnGetPooling2dDescriptor(void *self, int *mode, int *propagates_nan, int *window_h,
                                int *window_w, int *pad_h, int *pad_w, int *stride_h,
                                int *stride_w);
int cudnnGetPoolingNdForwardOutputDim(void *pooling, void *x_shape, int rank, int *dims);
int cudnnGetPooling2dForwardOutputDim(void *pooling, void *x_shape, int *n, int *c, int *h, int *w);
int cudnnPoolingForward(void *handle, void *pooling, const void *alpha, void *x_shape, void *x,
                        const void *beta, void *y_shape, void *y);
int cudnnPoolingBackward(void *handle, void *pooling, const void *alpha, void *y_shape, void *y,
                         void *dy_shape, void *dy, void *x_shape, void *x, const void *beta,
                         void *dx_shape, void *dx);
int cudnnCreateLRNDescriptor(void **made);
int cudnnDestroyLRNDescriptor(void *self);
int cudnnSetLRNDescriptor(void *self, unsigned width, double alpha, double beta, double k);
int cudnnGetLRNDescriptor(void *self, unsigned *width, double *alpha, double *beta, double *k);
int cudnnLRNCrossChannelForward(void *handle, void *descriptor, int mode, const void *alpha,
                                void *x_shape, void *x, const void *beta, void *y_shape, void *y);
int cudnnLRNCrossChannelBackward(void *handle, void *descriptor, int mode, const void *alpha,
                                 void *y_shape, void *y, void *dy_shape, void *dy, void *x_shape,
                                 void *x, const void *beta, void *dx_shape, void *dx);

int cudnnDivisiveNormalizationForward(void *handle, void *descriptor, int mode, const void *alpha,
                                      void *x_shape, void *x, void *means, void *memory,
                                      void *more_memory, const void *beta, void *y_shape, void *y);
int cudnnDivisiveNormalizationBackward(void *handle, void *descriptor, int mode, const void *alpha,
                                       void *x_shape, void *x, void *means, void *dy, void *memory,
                                       void *more_memory, const void *beta, void *dx_shape,
                                       void *dx, void *dmeans);

enum { LARGEST, PADDED_MEAN, MEAN, LARGEST_DETERMINISTIC };

static void *handle, *pooling, *lrn;

/* ---- pooling ---- */

struct pooling_case {
    int spatial, in[3], window[3], pads[3], strides[3];
    int more; /* outputs beyond those that fit, in each dimension */
};
static const struct pooling_case cases[] = {
    {2, {7, 6}, {3, 2}, {1, 0}, {2, 1}, 0},
    {2, {6, 6}, {2, 2}, {0, 0}, {2, 2}, 0},
    {2, {7, 7}, {3, 3}, {0, 0}, {2, 2}, 0},
    {2, {6, 8}, {3, 3}, {0, 0}, {2, 2}, 1}, /* as Caffe rounds sizes up */
    {3, {4, 5, 3}, {2, 3, 2}, {1, 1, 0}, {1, 2, 1}, 0},
    {2, {5, 4}, {5, 4}, {0, 0}, {1, 1}, 0},
};

/* The window of an output: what becomes of its elements, and which of them get what of a gradient.
 */
static double pool(const struct pooling_case *of, int mode, const struct tensor *x, int n, int c,
                   const int *out, double gradient, double *dx)
{
    const int missing = 3 - of->spatial;
    int whole = 1, padded = 1, count = 0;
    size_t found[128], most = 0;
    double sum = 0;
    for (int d = 0; d < of->spatial; d++) {
        const int begin = out[missing + d] * of->strides[d] - of->pads[d],
                  room = of->in[d] + of->pads[d] - begin; /* beyond the padding is nothing */
        whole *= of->window[d];
        padded *= of->window[d] < room ? of->window[d] : room;
    }
    for (int k = 0; k < whole; k++) {
        int at[3] = {0}, rest = k, is_inside = 1;
        for (int d = of->spatial - 1; d >= 0; d--) {
            const int in = out[missing + d] * of->strides[d] - of->pads[d] + rest % of->window[d];
            rest /= of->window[d];
            at[missing + d] = in;
            is_inside = is_inside && in >= 0 && in < of->in[d];
        }
        if (!is_inside)
            continue;
        found[count] = element(x, n, c, at[0], at[1], at[2]);
        if (!count || x->values[found[count]] > x->values[most])
            most = found[count];
        sum += x->values[found[count++]];
    }
    if (mode == LARGEST || mode == LARGEST_DETERMINISTIC) {
        dx[most] += gradient;
        return x->values[most];
    }
    const int divisor = mode == PADDED_MEAN ? padded : count;
    for (int k = 0; k < count; k++)
        dx[found[k]] += gradient / divisor;
    return sum / divisor;
}

static void check_pooling(const struct pooling_case *of, int mode, int type, enum layout layout)
{
    int dims[RANK] = {2, 3}, out[RANK];
    for (int d = 0; d < of->spatial; d++)
        dims[2 + d] = of->in[d];
    struct tensor x = make_tensor(type, layout, of->spatial + 2, dims),
                  dx = make_tensor(type, GAPS, of->spatial + 2, dims);
    EXPECT(cudnnSetPoolingNdDescriptor(pooling, mode, 0, of->spatial, of->window, of->pads,
                                       of->strides),
           OK);
    EXPECT(cudnnGetPoolingNdForwardOutputDim(pooling, x.shape, of->spatial + 2, out), OK);
    EXPECT(out[0] * 10 + out[1], 23);
    for (int d = 0; d < of->spatial; d++) {
        EXPECT(out[2 + d], (of->in[d] + 2 * of->pads[d] - of->window[d]) / of->strides[d] + 1);
        out[2 + d] += of->more;
    }
    struct tensor y = make_tensor(type, layout, of->spatial + 2, out),
                  dy = make_tensor(type, CHANNELS_LAST, of->spatial + 2, out);
    const union factor alpha = factor_of(type, 2), beta = factor_of(type, 0.5),
                       one = factor_of(type, 1), zero = factor_of(type, 0);
    double *gradients = calloc(x.count, sizeof *gradients),
           *values = calloc(y.count, sizeof *values);
    for (size_t i = 0; i < y.count; i++) {
        size_t rest = i;
        int at[3];
        for (int d = 2; d >= 0; d--) {
            at[d] = (int)(rest % (size_t)dim(&y, 2 + d));
            rest /= (size_t)dim(&y, 2 + d);
        }
        values[i] =
            2 * pool(of, mode, &x, (int)rest / 3, (int)rest % 3, at, dy.values[i], gradients) +
            0.5 * y.values[i];
    }
    for (size_t i = 0; i < x.count; i++)
        gradients[i] = 2 * gradients[i] + 0.5 * dx.values[i];
    EXPECT(
        cudnnPoolingForward(handle, pooling, &alpha, x.shape, x.device, &beta, y.shape, y.device),
        OK);
    expect_values("pooled", &y, values, 4);
    EXPECT(cudnnPoolingForward(handle, pooling, &one, x.shape, x.device, &zero, y.shape, y.device),
           OK);
    EXPECT(cudnnPoolingBackward(handle, pooling, &alpha, y.shape, y.device, dy.shape, dy.device,
                                x.shape, x.device, &beta, dx.shape, dx.device),
           OK);
    expect_values("pooling's gradient", &dx, gradients, 8);
    free(gradients);
    free(values);
    free_tensor(&x);
    free_tensor(&dx);
    free_tensor(&y);
    free_tensor(&dy);
}

/* A window with what is no number. */
static void check_nan(int propagates, double expected)
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 3}),
                  y = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 1});
    const float one = 1, zero = 0;
    x.values[0] = 1;
    x.values[1] = NAN;
    x.values[2] = 2;
    upload(&x);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, LARGEST, propagates, 1, 3, 0, 0, 1, 1), OK);
    EXPECT(cudnnPoolingForward(handle, pooling, &one, x.shape, x.device, &zero, y.shape, y.device),
           OK);
    expect_values("of no number", &y, &expected, 0);
    free_tensor(&x);
    free_tensor(&y);
}

/* As a real cuDNN has windows that lie in the padding (at the ends of both rows), and the least
 * element or none that is a number. */
static void check_empty_windows(int mode, double value, const double expected[6])
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 1, 1}),
                  y = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 1, 3});
    const float one = 1, zero = 0;
    x.values[0] = value;
    x.values[1] = NAN;
    upload(&x);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, mode, 0, 1, 1, 0, 1, 1, 1), OK);
    EXPECT(cudnnPoolingForward(handle, pooling, &one, x.shape, x.device, &zero, y.shape, y.device),
           OK);
    expect_values("empty windows", &y, expected, 0);
    free_tensor(&x);
    free_tensor(&y);
}

/* The gradient of means asks neither x nor y. */
static void check_missing(void)
{
    struct tensor y = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 1}),
                  x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 2, 2});
    const float one = 1, zero = 0;
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 2, 2, 0, 0, 2, 2), OK);
    EXPECT(cudnnPoolingBackward(handle, pooling, &one, NULL, NULL, y.shape, y.device, NULL, NULL,
                                &zero, x.shape, x.device),
           OK);
    for (int i = 0; i < 4; i++)
        x.values[i] = y.values[0] / 4;
    expect_values("gradient without x and y", &x, x.values, 0);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, LARGEST, 0, 2, 2, 0, 0, 2, 2), OK);
    EXPECT(cudnnPoolingBackward(handle, pooling, &one, NULL, NULL, y.shape, y.device, x.shape,
                                x.device, &zero, x.shape, x.device),
           BAD_PARAM);
    free_tensor(&x);
    free_tensor(&y);
}

static void test_pooling_descriptors(void)
{
    int read[8], window[3], pads[3], strides[3];
    EXPECT(cudnnGetPooling2dDescriptor(pooling, &read[0], &read[1], &read[2], &read[3], &read[4],
                                       &read[5], &read[6], &read[7]),
           OK); /* nothing was set */
    for (int i = 0; i < 8; i++)
        EXPECT(read[i], 0);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 1, 2, 3, 4, 5, 6, 7), OK);
    EXPECT(cudnnGetPooling2dDescriptor(pooling, &read[0], &read[1], &read[2], &read[3], &read[4],
                                       &read[5], &read[6], &read[7]),
           OK);
    EXPECT(read[0], MEAN);
    for (int i = 1; i < 8; i++)
        EXPECT(read[i], i);
    EXPECT(cudnnGetPoolingNdDescriptor(pooling, 1, &read[0], &read[1], &read[2], window, pads,
                                       strides),
           OK);
    EXPECT(read[2], 2);
    EXPECT(window[0] * 100 + pads[0] * 10 + strides[0], 246);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, 4, 0, 2, 3, 4, 5, 6, 7), BAD_PARAM);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 0, 3, 4, 5, 6, 7), BAD_PARAM);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 2, 3, -1, 5, 6, 7), BAD_PARAM);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 2, 3, 4, 5, 6, 0), BAD_PARAM);
}

static void test_pooling(void)
{
    int n, c, h, w;
    const float one = 1, zero = 0;
    test_pooling_descriptors();
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int mode = LARGEST; mode <= LARGEST_DETERMINISTIC; mode++)
                check_pooling(&cases[i], mode, dnn_types[t], mode % 2 ? PLAIN : CHANNELS_LAST);
    check_nan(0, 2);
    check_nan(1, NAN);
    check_empty_windows(LARGEST, -INFINITY,
                        (double[]){-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX});
    check_empty_windows(MEAN, 5, (double[]){NAN, 5, NAN, NAN, NAN, NAN});
    check_empty_windows(PADDED_MEAN, 5, (double[]){0, 5, 0, 0, NAN, 0});
    check_missing();
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){2, 3, 6, 6}),
                  y = make_tensor(FLOAT, PLAIN, 4, (int[]){2, 3, 3, 3}),
                  other = make_tensor(FLOAT, PLAIN, 4, (int[]){2, 4, 3, 3});
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 2, 2, 0, 0, 2, 2), OK);
    EXPECT(cudnnGetPooling2dForwardOutputDim(pooling, x.shape, &n, &c, &h, &w), OK);
    EXPECT(n * 1000 + c * 100 + h * 10 + w, 2333);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, MEAN, 0, 7, 2, 0, 0, 2, 2), OK);
    EXPECT(cudnnGetPooling2dForwardOutputDim(pooling, x.shape, &n, &c, &h, &w), BAD_PARAM);
    EXPECT(cudnnPoolingForward(handle, pooling, &one, x.shape, x.device, &zero, other.shape,
                               other.device),
           BAD_PARAM);
    EXPECT(cudnnPoolingForward(handle, handle, &one, x.shape, x.device, &zero, y.shape, y.device),
           BAD_PARAM);
    EXPECT(cudnnSetPooling2dDescriptor(pooling, LARGEST, 0, 2, 2, 0, 0, 2, 2), OK);
    EXPECT(cudnnPoolingBackward(handle, pooling, &one, y.shape, y.device, y.shape, y.device,
                                x.shape, NULL, &zero, x.shape, x.device),
           BAD_PARAM);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&other);
}

/* ---- local responses ---- */

enum { CHANNELS = 7, PLANE = 6 };
static const double ALPHA = 0.5, BETA = 0.75, K = 2;

/* k + alpha / width * the sum of squares around element i. */
static double response(const struct tensor *x, unsigned width, size_t i)
{
    const int channel = (int)(i / PLANE) % CHANNELS, before = ((int)width - 1) / 2;
    double sum = 0;
    for (int c = channel - before; c < channel - before + (int)width; c++)
        if (c >= 0 && c < CHANNELS) {
            const double value = x->values[i + (size_t)c * PLANE - (size_t)channel * PLANE];
            sum += value * value;
        }
    return K + ALPHA / width * sum;
}

/* The gradient by differences: what all outputs of the element's n and place change by. */
static double response_slope(const struct tensor *x, const struct tensor *dy, unsigned width,
                             size_t i)
{
    const double step = 1e-5, value = x->values[i];
    const size_t whole = CHANNELS * PLANE;
    double difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        x->values[i] = value + sign * step;
        for (size_t c = 0; c < CHANNELS; c++) {
            const size_t k = i / whole * whole + c * PLANE + i % PLANE;
            difference += sign * dy->values[k] * x->values[k] * pow(response(x, width, k), -BETA);
        }
    }
    x->values[i] = value;
    return difference / (2 * step);
}

static void check_responses(unsigned width, int type, enum layout layout)
{
    static const int dims[] = {2, CHANNELS, 2, 3};
    struct tensor x = make_tensor(type, layout, 4, dims), y = make_tensor(type, GAPS, 4, dims),
                  dy = make_tensor(type, CHANNELS_LAST, 4, dims),
                  dx = make_tensor(type, PLAIN, 4, dims);
    const union factor alpha = factor_of(type, 2), beta = factor_of(type, 0.5);
    for (size_t i = 0; i < x.count; i++) {
        y.values[i] = 2 * x.values[i] * pow(response(&x, width, i), -BETA) + 0.5 * y.values[i];
        dx.values[i] = 2 * response_slope(&x, &dy, width, i) + 0.5 * dx.values[i];
    }
    EXPECT(cudnnSetLRNDescriptor(lrn, width, ALPHA, BETA, K), OK);
    EXPECT(cudnnLRNCrossChannelForward(handle, lrn, 0, &alpha, x.shape, x.device, &beta, y.shape,
                                       y.device),
           OK);
    expect_values("response", &y, y.values, 2);
    EXPECT(cudnnLRNCrossChannelBackward(handle, lrn, 0, &alpha, y.shape, y.device, dy.shape,
                                        dy.device, x.shape, x.device, &beta, dx.shape, dx.device),
           OK);
    expect_values("response's gradient", &dx, dx.values, type == DOUBLE ? 1e4 : 8);
    free_tensor(&x);
    free_tensor(&y);
    free_tensor(&dy);
    free_tensor(&dx);
}

static void test_responses(void)
{
    unsigned width;
    double alpha = 0, beta = 0, k = 0;
    const float one = 1, zero = 0;
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 3, 4}),
                  other = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 4, 3});
    EXPECT(cudnnGetLRNDescriptor(lrn, &width, &alpha, &beta, &k), OK);
    EXPECT(width == 5 && alpha == 1e-4 && beta == 0.75 && k == 2, 1); /* nothing was set */
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        check_responses(5, dnn_types[t], PLAIN);
        check_responses(4, dnn_types[t], CHANNELS_LAST);
        check_responses(16, dnn_types[t], PLAIN);
    }
    EXPECT(cudnnGetLRNDescriptor(lrn, &width, &alpha, &beta, &k), OK);
    EXPECT(width, 16);
    EXPECT(alpha == ALPHA && beta == BETA && k == K, 1);
    EXPECT(cudnnSetLRNDescriptor(lrn, 17, ALPHA, BETA, K), BAD_PARAM);
    EXPECT(cudnnSetLRNDescriptor(lrn, 0, ALPHA, BETA, K), BAD_PARAM);
    EXPECT(cudnnSetLRNDescriptor(lrn, 5, ALPHA, 0.001, K), BAD_PARAM);
    EXPECT(cudnnSetLRNDescriptor(lrn, 5, ALPHA, BETA, 0), BAD_PARAM);
    EXPECT(cudnnLRNCrossChannelForward(handle, lrn, 1, &one, x.shape, x.device, &zero, x.shape,
                                       x.device),
           BAD_PARAM);
    EXPECT(cudnnLRNCrossChannelForward(handle, lrn, 0, &one, x.shape, x.device, &zero, other.shape,
                                       other.device),
           BAD_PARAM);
    free_tensor(&x);
    free_tensor(&other);
}

/* ---- divisive normalisation ---- */

enum { SIZE = 5, PICTURE = SIZE * SIZE };
static const int PICTURES[] = {2, 2, SIZE, SIZE};

/* The places around one in its picture, as many as are told. */
static int around(unsigned width, size_t i, size_t places[16])
{
    const int at = (int)(i % PICTURE), before = ((int)width - 1) / 2;
    int count = 0;
    for (int h = at / SIZE - before; h < at / SIZE - before + (int)width; h++)
        for (int w = at % SIZE - before; w < at % SIZE - before + (int)width; w++)
            if (h >= 0 && h < SIZE && w >= 0 && w < SIZE)
                places[count++] = i / PICTURE * PICTURE + (size_t)(h * SIZE + w);
    return count;
}

/* What an element is divided by, before the power. */
static double spread(const struct tensor *x, const struct tensor *means, unsigned width, size_t i)
{
    size_t places[16];
    double sum = 0;
    for (int k = around(width, i, places) - 1; k >= 0; k--)
        sum += pow(x->values[places[k]] - means->values[i], 2);
    return K + ALPHA / (width * width) * sum;
}

/* What a place passes on, per distance from its mean. */
static double passed(const struct tensor *x, const struct tensor *means, const struct tensor *dy,
                     unsigned width, size_t i)
{
    return -2 * ALPHA / (width * width) * BETA * dy->values[i] * x->values[i] *
           pow(spread(x, means, width, i), -BETA - 1);
}

/* The gradient of x as a real cuDNN has it: of even widths the window of an element is not turned
 * round, so that it is none. */
static void check_division(unsigned width, int type, bool has_means)
{
    struct tensor x = make_tensor(type, GAPS, 4, PICTURES),
                  means = make_tensor(type, GAPS, 4, PICTURES),
                  dy = make_tensor(type, GAPS, 4, PICTURES),
                  a = make_tensor(type, GAPS, 4, PICTURES),
                  b = make_tensor(type, GAPS, 4, PICTURES),
                  y = make_tensor(type, CHANNELS_LAST, 4, PICTURES),
                  dx = make_tensor(type, CHANNELS_LAST, 4, PICTURES),
                  dmeans = make_tensor(type, CHANNELS_LAST, 4, PICTURES);
    const union factor alpha = factor_of(type, 2), beta = factor_of(type, 0.5);
    for (size_t i = 0; i < x.count && !has_means; i++)
        means.values[i] = 0;
    for (size_t i = 0; i < x.count; i++) {
        size_t places[16];
        const double factor = pow(spread(&x, &means, width, i), -BETA);
        double gradient = dy.values[i] * factor, mean_gradient = 0;
        for (int k = around(width, i, places) - 1; k >= 0; k--) {
            gradient +=
                (x.values[i] - means.values[places[k]]) * passed(&x, &means, &dy, width, places[k]);
            mean_gradient -=
                (x.values[places[k]] - means.values[i]) * passed(&x, &means, &dy, width, i);
        }
        y.values[i] = 2 * x.values[i] * factor + 0.5 * y.values[i];
        dx.values[i] = 2 * gradient + 0.5 * dx.values[i];
        dmeans.values[i] = 2 * mean_gradient + 0.5 * dmeans.values[i];
    }
    EXPECT(cudnnSetLRNDescriptor(lrn, width, ALPHA, BETA, K), OK);
    EXPECT(cudnnDivisiveNormalizationForward(handle, lrn, 0, &alpha, x.shape, x.device,
                                             has_means ? means.device : NULL, a.device, b.device,
                                             &beta, y.shape, y.device),
           OK);
    expect_values("divided", &y, y.values, 2);
    EXPECT(cudnnDivisiveNormalizationBackward(handle, lrn, 0, &alpha, x.shape, x.device,
                                              has_means ? means.device : NULL, dy.device, a.device,
                                              b.device, &beta, dx.shape, dx.device, dmeans.device),
           OK);
    expect_values("division's gradient", &dx, dx.values, 16);
    expect_values("gradient of means", &dmeans, dmeans.values, 16);
    EXPECT(cudnnDivisiveNormalizationBackward(handle, lrn, 0, &alpha, x.shape, x.device, NULL,
                                              dy.device, a.device, NULL, &beta, dx.shape, dx.device,
                                              NULL),
           BAD_PARAM);
    struct tensor *const all[] = {&x, &means, &dy, &a, &b, &y, &dx, &dmeans};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_tensor(all[i]);
}

static void test_divisions(void)
{
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++)
        for (unsigned width = 1; width <= 4; width++)
            check_division(width, dnn_types[t], width % 2);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudnnCreatePoolingDescriptor(&pooling), OK);
    EXPECT(cudnnCreateLRNDescriptor(&lrn), OK);
    test_pooling();
    test_responses();
    test_divisions();
    EXPECT(cudnnDestroyLRNDescriptor(lrn), OK);
    EXPECT(cudnnDestroyPoolingDescriptor(pooling), OK);
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
