/* cuDNN's transformation of tensors: padding, folding, and the input's gradient of a strided
 * convolution by one without strides. Expected values are those of a real cuDNN 9.14. */
#include "dnn_values.h"

int cudnnCreateTensorTransformDescriptor(void **made);
int cudnnDestroyTensorTransformDescriptor(void *self);
int cudnnSetTensorTransformDescriptor(void *self, uint32_t rank, int format, const int32_t *before,
                                      const int32_t *after, const uint32_t *folds,
                                      unsigned direction);
int cudnnGetTensorTransformDescriptor(void *self, uint32_t wanted, int *format, int32_t *before,
                                      int32_t *after, uint32_t *folds, unsigned *direction);
int cudnnInitTransformDest(void *transform, void *x_shape, void *y_shape, size_t *bytes);
int cudnnTransformTensorEx(void *handle, void *transform, const void *alpha, void *x_shape, void *x,
                           const void *beta, void *y_shape, void *y);
int cudnnTransformFilter(void *handle, void *transform, const void *alpha, void *x_shape, void *x,
                         const void *beta, void *y_shape, void *y);
int cudnnGetFoldedConvBackwardDataDescriptors(void *handle, void *w_shape, void *dy_shape,
                                              void *convolution, void *dx_shape, int format,
                                              void *folded_filter, void *padded_dy,
                                              void *folded_convolution, void *folded_dx,
                                              void *fold_filter, void *pad_dy, void *fold_dx,
                                              void *unfold_dx);
int cudnnGetTensorSizeInBytes(void *self, size_t *bytes);
int cudnnGetFilterSizeInBytes(void *self, size_t *bytes);
int cudnnCreateConvolutionDescriptor(void **made);
int cudnnDestroyConvolutionDescriptor(void *self);
int cudnnSetConvolution2dDescriptor(void *self, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type);
int cudnnSetConvolutionGroupCount(void *self, int groups);
int cudnnConvolutionBackwardData(void *handle, const void *alpha, void *w_shape, void *w,
                                 void *dy_shape, void *dy, void *convolution, int algorithm,
                                 void *space, size_t space_bytes, const void *beta, void *dx_shape,
                                 void *dx);

enum { NCHW, NHWC };
enum { FOLD, UNFOLD };

static void *handle;

struct folding_case {
    int dims[4];
    bool is_channels_last;
    int format;
    int32_t before[4], after[4];
    uint32_t folds[2], direction;
    int count;
    double values[48]; /* in the order of memory */
};

static const struct folding_case cases[] = {
    {{1, 2, 2, 3},
     false,
     NHWC,
     {0},
     {0},
     {1, 1},
     FOLD,
     12,
     {1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12}},
    {{1, 2, 2, 3}, false, NCHW, {0, 0, 1}, {0, 2, 0, 1}, {1, 1}, FOLD, 48, {0, 0, 0,  0,  1, 2,
                                                                            3, 0, 4,  5,  6, 0,
                                                                            0, 0, 0,  0,  7, 8,
                                                                            9, 0, 10, 11, 12}},
    {{1, 2, 2, 3}, true, NCHW, {0, 0, 1}, {0, 2, 0, 1}, {1, 1}, FOLD, 48, {0, 0, 0,  0, 1, 3,  5, 0,
                                                                           7, 9, 11, 0, 0, 0,  0, 0,
                                                                           2, 4, 6,  0, 8, 10, 12}},
    {{1, 2, 3, 3},
     false,
     NCHW,
     {0, 0, -1},
     {0},
     {1, 1},
     FOLD,
     12,
     {4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 18}},
    {{1, 1, 4, 4},
     false,
     NCHW,
     {0},
     {0},
     {2, 2},
     FOLD,
     16,
     {1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16}},
    {{1, 2, 4, 3}, false, NHWC, {0}, {0}, {2, 1}, FOLD, 24, {1, 13, 4,  16, 2, 14, 5,  17,
                                                             3, 15, 6,  18, 7, 19, 10, 22,
                                                             8, 20, 11, 23, 9, 21, 12, 24}},
    {{1, 4, 2, 2},
     false,
     NCHW,
     {0},
     {0},
     {2, 2},
     UNFOLD,
     16,
     {1, 5, 2, 6, 9, 13, 10, 14, 3, 7, 4, 8, 11, 15, 12, 16}},
    {{1, 1, 3, 3},
     false,
     NCHW,
     {0},
     {0},
     {2, 2},
     FOLD,
     16,
     {1, 3, 7, 9, 2, 0, 8, 0, 4, 6, 0, 0, 5}},
    {{1, 2, 2, 2}, false, NCHW, {0}, {0}, {2, 2}, UNFOLD, 16, {1, 5, 2, 6, 0, 0, 0, 0, 3, 7, 4, 8}},
};

static void check_case(const struct folding_case *of)
{
    enum { BYTES = 48 * sizeof(float) };
    struct tensor x = make_tensor(FLOAT, of->is_channels_last ? CHANNELS_LAST : PLAIN, 4, of->dims);
    const float one = 1, zero = 0;
    float numbers[48], *y;
    void *transform, *y_shape;
    size_t bytes = 0;
    for (size_t i = 0; i < x.count; i++) /* counted in the order of memory */
        x.values[i] = (double)place(&x, i) + 1;
    upload(&x);
    EXPECT(cudnnCreateTensorTransformDescriptor(&transform), OK);
    EXPECT(cudnnCreateTensorDescriptor(&y_shape), OK);
    EXPECT(cudnnSetTensorTransformDescriptor(transform, 4, of->format, of->before, of->after,
                                             of->folds, of->direction),
           OK);
    EXPECT(cudnnInitTransformDest(transform, x.shape, y_shape, &bytes), OK);
    EXPECT(bytes, (size_t)of->count * sizeof *y);
    EXPECT(cudaMalloc((void **)&y, BYTES), 0);
    EXPECT(cudnnTransformTensorEx(handle, transform, &one, x.shape, x.device, &zero, y_shape, y),
           OK);
    EXPECT(cudaMemcpy(numbers, y, BYTES, DEVICE_TO_HOST), 0);
    for (int i = 0; i < of->count; i++)
        EXPECT(numbers[i] == (float)of->values[i], 1);
    EXPECT(cudaFree(y), 0);
    EXPECT(cudnnDestroyTensorDescriptor(y_shape), OK);
    EXPECT(cudnnDestroyTensorTransformDescriptor(transform), OK);
    free_tensor(&x);
}

/* The gradient of a convolution's input with strides, pads and taps as told, both ways. */
static void check_gradient(int stride, int pad, int taps, int size, int mode)
{
    enum { TRANSFORMS = 4, N = 2, C = 3, K = 4 };
    const int out = (size + 2 * pad - taps) / stride + 1;
    struct tensor w = make_filter(FLOAT, false, 4, (int[]){K, C, taps, taps}),
                  dy = make_tensor(FLOAT, PLAIN, 4, (int[]){N, K, out, out}),
                  dx = make_tensor(FLOAT, PLAIN, 4, (int[]){N, C, size, size}),
                  other = make_tensor(FLOAT, PLAIN, 4, (int[]){N, C, size, size});
    const float one = 1, zero = 0;
    void *convolution, *folded, *filter, *padded, *gradient, *transforms[TRANSFORMS], *data[2];
    size_t bytes[2] = {0};
    for (int i = 0; i < TRANSFORMS; i++)
        EXPECT(cudnnCreateTensorTransformDescriptor(&transforms[i]), OK);
    EXPECT(cudnnCreateConvolutionDescriptor(&convolution), OK);
    EXPECT(cudnnCreateConvolutionDescriptor(&folded), OK);
    EXPECT(cudnnCreateFilterDescriptor(&filter), OK);
    EXPECT(cudnnCreateTensorDescriptor(&padded), OK);
    EXPECT(cudnnCreateTensorDescriptor(&gradient), OK);
    EXPECT(
        cudnnSetConvolution2dDescriptor(convolution, pad, pad, stride, stride, 1, 1, mode, FLOAT),
        OK);
    EXPECT(cudnnConvolutionBackwardData(handle, &one, w.shape, w.device, dy.shape, dy.device,
                                        convolution, 1, NULL, 0, &zero, dx.shape, dx.device),
           OK);
    EXPECT(cudnnGetFoldedConvBackwardDataDescriptors(
               handle, w.shape, dy.shape, convolution, dx.shape, NCHW, filter, padded, folded,
               gradient, transforms[0], transforms[1], transforms[2], transforms[3]),
           OK);
    EXPECT(cudnnGetFilterSizeInBytes(filter, &bytes[0]), OK);
    EXPECT(cudnnGetTensorSizeInBytes(gradient, &bytes[1]), OK);
    EXPECT(cudaMalloc(&data[0], bytes[0]), 0);
    EXPECT(cudaMalloc(&data[1], bytes[1]), 0);
    EXPECT(cudnnTransformFilter(handle, transforms[0], &one, w.shape, w.device, &zero, filter,
                                data[0]),
           OK);
    EXPECT(cudnnTransformTensorEx(handle, transforms[1], &one, dy.shape, dy.device, &zero, padded,
                                  dy.device),
           OK);
    EXPECT(cudnnConvolutionBackwardData(handle, &one, filter, data[0], padded, dy.device, folded, 1,
                                        NULL, 0, &zero, gradient, data[1]),
           OK);
    EXPECT(cudnnTransformTensorEx(handle, transforms[3], &one, gradient, data[1], &zero,
                                  other.shape, other.device),
           OK);
    double *expected = download(&dx);
    expect_values("folded gradient", &other, expected, 16);
    EXPECT(cudnnTransformTensorEx(handle, transforms[2], &one, dx.shape, dx.device, &zero, gradient,
                                  data[1]),
           OK);
    EXPECT(cudnnSetConvolutionGroupCount(convolution, 3), OK);
    EXPECT(cudnnGetFoldedConvBackwardDataDescriptors(
               handle, w.shape, dy.shape, convolution, dx.shape, NCHW, filter, padded, folded,
               gradient, transforms[0], transforms[1], transforms[2], transforms[3]),
           BAD_PARAM);
    free(expected);
    for (int i = 0; i < TRANSFORMS; i++)
        EXPECT(cudnnDestroyTensorTransformDescriptor(transforms[i]), OK);
    for (int i = 0; i < 2; i++)
        EXPECT(cudaFree(data[i]), 0);
    EXPECT(cudnnDestroyConvolutionDescriptor(convolution), OK);
    EXPECT(cudnnDestroyConvolutionDescriptor(folded), OK);
    EXPECT(cudnnDestroyFilterDescriptor(filter), OK);
    EXPECT(cudnnDestroyTensorDescriptor(padded), OK);
    EXPECT(cudnnDestroyTensorDescriptor(gradient), OK);
    free_tensor(&w);
    free_tensor(&dy);
    free_tensor(&dx);
    free_tensor(&other);
}

static void test_arguments(void)
{
    struct tensor x = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 3, 3}),
                  y = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 2, 4, 3});
    const int32_t before[] = {0, 0, 1, 0}, after[] = {0, 0, 0, 0};
    const uint32_t folds[] = {2, 3};
    const float one = 1, zero = 0;
    int32_t told_before[4] = {0}, told_after[4] = {7, 7, 7, 7};
    uint32_t told_folds[2] = {0};
    unsigned direction = 7;
    int format = 7;
    void *transform;
    size_t bytes;
    EXPECT(cudnnCreateTensorTransformDescriptor(&transform), OK);
    EXPECT(cudnnInitTransformDest(transform, x.shape, y.shape, &bytes), BAD_PARAM);
    EXPECT(cudnnSetTensorTransformDescriptor(transform, 9, NCHW, before, after, folds, FOLD),
           NOT_SUPPORTED);
    EXPECT(cudnnSetTensorTransformDescriptor(transform, 4, NCHW, before, after, folds, 2),
           BAD_PARAM);
    EXPECT(cudnnSetTensorTransformDescriptor(transform, 4, NHWC, before, after, folds, UNFOLD), OK);
    EXPECT(cudnnGetTensorTransformDescriptor(transform, 4, &format, told_before, told_after,
                                             told_folds, &direction),
           OK);
    EXPECT(format, NHWC);
    EXPECT(direction, UNFOLD);
    EXPECT(told_before[2] * 100 + told_folds[0] * 10 + told_folds[1], 123);
    EXPECT(told_after[3], 0);
    EXPECT(cudnnSetTensorTransformDescriptor(transform, 4, NCHW, before, after, NULL, FOLD), OK);
    EXPECT(cudnnTransformTensorEx(handle, transform, &one, x.shape, x.device, &zero, y.shape,
                                  y.device),
           OK);
    EXPECT(
        cudnnTransformTensorEx(handle, transform, &one, x.shape, x.device, &one, y.shape, y.device),
        NOT_SUPPORTED); /* padding is only set */
    EXPECT(cudnnTransformTensorEx(handle, transform, &one, x.shape, x.device, &zero, x.shape,
                                  y.device),
           BAD_PARAM);
    EXPECT(cudnnDestroyTensorTransformDescriptor(transform), OK);
    free_tensor(&x);
    free_tensor(&y);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    for (int mode = 0; mode < 2; mode++) { /* flipped, or not */
        check_gradient(2, 0, 1, 14, mode);
        check_gradient(2, 1, 3, 9, mode);
        check_gradient(3, 2, 4, 8, mode);
        check_gradient(2, 0, 3, 8, mode);
    }
    test_arguments();
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
