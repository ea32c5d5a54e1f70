/* Descriptors of operations: they are made, filled and read. */
#include "api/cudnn/descriptors.h"

#include <limits.h>

/* H(name, MAGIC, struct, what it holds at first): makes and frees such a descriptor. */
#define H(name, magic_, type, ...)                                                                \
    int cudnnCreate##name##Descriptor(void **made)                                                \
    {                                                                                             \
        const int status = wl_cudnn_create(made, WL_CUDNN_MAGIC_##magic_, sizeof(struct type));   \
        if (!status)                                                                              \
            *(struct type *)*made = (struct type){.magic = WL_CUDNN_MAGIC_##magic_, __VA_ARGS__}; \
        return status;                                                                            \
    }                                                                                             \
    int cudnnDestroy##name##Descriptor(void *self)                                                \
    {                                                                                             \
        return wl_cudnn_destroy(self, WL_CUDNN_MAGIC_##magic_);                                   \
    }
H(Convolution, CONVOLUTION, wl_cudnn_convolution_descriptor, .is = {.is_flipped = true})
H(Pooling, POOLING, wl_cudnn_pooling, .spatial = 0)
H(Activation, ACTIVATION, wl_cudnn_activation, .is = {.swish_beta = 1})
H(OpTensor, OP, wl_cudnn_op, .is_set = false)
H(Dropout, DROPOUT, wl_cudnn_dropout, .states = NULL)
H(LRN, LRN, wl_cudnn_response, .width = 5, .alpha = 1e-4, .beta = 0.75, .k = 2)
H(ReduceTensor, REDUCTION, wl_cudnn_reduction, .operation = WL_DNN_SUM)
H(TensorTransform, FOLDING, wl_cudnn_folding, .rank = 0)
H(SpatialTransformer, TRANSFORMER, wl_cudnn_transformer, .rank = 0)

/* A part of what is set; the result may be NULL. */
static void tell(int *result, int value)
{
    if (result)
        *result = value;
}

static void tell_number(double *result, double value)
{
    if (result)
        *result = value;
}

/* Of spatial dimensions no more can be asked for. */
static int check_wanted(int wanted)
{
    return wanted > WL_CUDNN_SPATIAL_MAX ? WL_CUDNN_NOT_SUPPORTED : WL_CUDNN_OK;
}

/* As many as are wanted and there. */
static void tell_all(int *results, const int *values, int wanted, int count)
{
    for (int i = 0; results && i < wanted && i < count; i++)
        results[i] = values[i];
}

/* ---- convolutions ---- */

/* cudnnMathType_t and cudnnReorderType_t, as many as there are */
enum { MATH_TYPES = 4, REORDER_TYPES = 2 };
/* cudnnConvolutionMode_t */
enum { CONVOLUTION = 0, CROSS_CORRELATION = 1 };

const struct wl_cudnn_convolution *wl_cudnn_convolution_check(const void *descriptor)
{
    const struct wl_cudnn_convolution_descriptor *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_CONVOLUTION && self->is.spatial ? &self->is : NULL;
}

/* What may be computed in: float, double, half and one more. */
static bool is_compute_type(int type, enum wl_cudnn_type more)
{
    return type == WL_CUDNN_FLOAT || type == WL_CUDNN_DOUBLE || type == WL_CUDNN_HALF ||
           type == (int)more;
}

/* The descriptor, whether or not it is filled. */
static struct wl_cudnn_convolution_descriptor *convolution(void *descriptor)
{
    return wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_CONVOLUTION);
}

int cudnnSetConvolutionNdDescriptor(void *descriptor, int spatial, const int *pads,
                                    const int *strides, const int *dilations, int mode,
                                    int compute_type)
{
    struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    struct wl_cudnn_convolution made = {
        .spatial = spatial,
        .groups = self && self->is.groups ? self->is.groups : 1,
        .is_flipped = mode == CONVOLUTION,
        .compute_type = compute_type,
    };
    if (!self || !pads || !strides || !dilations || spatial < 1 ||
        !is_compute_type(compute_type, WL_CUDNN_INT32) ||
        (mode != CONVOLUTION && mode != CROSS_CORRELATION))
        return WL_CUDNN_BAD_PARAM;
    if (spatial > WL_CUDNN_SPATIAL_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    for (int i = 0; i < spatial; i++) {
        if (pads[i] < 0 || strides[i] < 1 || dilations[i] < 1)
            return WL_CUDNN_BAD_PARAM;
        made.pads[i] = pads[i];
        made.strides[i] = strides[i];
        made.dilations[i] = dilations[i];
    }
    self->is = made;
    return WL_CUDNN_OK;
}

int cudnnSetConvolution2dDescriptor(void *self, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type)
{
    return cudnnSetConvolutionNdDescriptor(self, 2, (int[]){pad_h, pad_w},
                                           (int[]){stride_h, stride_w},
                                           (int[]){dilation_h, dilation_w}, mode, compute_type);
}

int cudnnGetConvolutionNdDescriptor(void *descriptor, int wanted, int *spatial, int *pads,
                                    int *strides, int *dilations, int *mode, int *compute_type)
{
    const struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || wanted < 0)
        return WL_CUDNN_BAD_PARAM;
    const struct wl_cudnn_convolution *is = &self->is;
    if (check_wanted(wanted))
        return check_wanted(wanted);
    tell(spatial, is->spatial);
    tell_all(pads, is->pads, wanted, is->spatial);
    tell_all(strides, is->strides, wanted, is->spatial);
    tell_all(dilations, is->dilations, wanted, is->spatial);
    tell(mode, is->is_flipped ? CONVOLUTION : CROSS_CORRELATION);
    tell(compute_type, is->compute_type);
    return WL_CUDNN_OK;
}

int cudnnGetConvolution2dDescriptor(void *descriptor, int *pad_h, int *pad_w, int *stride_h,
                                    int *stride_w, int *dilation_h, int *dilation_w, int *mode,
                                    int *compute_type)
{
    const struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    const struct wl_cudnn_convolution *is = &self->is;
    tell(pad_h, is->pads[0]);
    tell(pad_w, is->pads[1]);
    tell(stride_h, is->strides[0]);
    tell(stride_w, is->strides[1]);
    tell(dilation_h, is->dilations[0]);
    tell(dilation_w, is->dilations[1]);
    return cudnnGetConvolutionNdDescriptor(descriptor, 0, NULL, NULL, NULL, NULL, mode,
                                           compute_type);
}

int cudnnSetConvolutionGroupCount(void *descriptor, int groups)
{
    struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || groups < 1)
        return WL_CUDNN_BAD_PARAM;
    self->is.groups = groups;
    return WL_CUDNN_OK;
}

int cudnnGetConvolutionGroupCount(void *descriptor, int *groups)
{
    const struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || !groups)
        return WL_CUDNN_BAD_PARAM;
    *groups = self->is.groups ? self->is.groups : 1;
    return WL_CUDNN_OK;
}

/* How sums are made is the stand-in's own matter. */
int cudnnSetConvolutionMathType(void *descriptor, int math_type)
{
    struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || math_type < 0 || math_type >= MATH_TYPES)
        return WL_CUDNN_BAD_PARAM;
    self->math_type = math_type;
    return WL_CUDNN_OK;
}

int cudnnGetConvolutionMathType(void *descriptor, int *math_type)
{
    const struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || !math_type)
        return WL_CUDNN_BAD_PARAM;
    *math_type = self->math_type;
    return WL_CUDNN_OK;
}

int cudnnSetConvolutionReorderType(void *descriptor, int reorder_type)
{
    struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || reorder_type < 0 || reorder_type >= REORDER_TYPES)
        return WL_CUDNN_BAD_PARAM;
    self->reorder_type = reorder_type;
    return WL_CUDNN_OK;
}

int cudnnGetConvolutionReorderType(void *descriptor, int *reorder_type)
{
    const struct wl_cudnn_convolution_descriptor *self = convolution(descriptor);
    if (!self || !reorder_type)
        return WL_CUDNN_BAD_PARAM;
    *reorder_type = self->reorder_type;
    return WL_CUDNN_OK;
}

/* ---- pooling ---- */

const struct wl_cudnn_pooling *wl_cudnn_pooling_check(const void *descriptor)
{
    const struct wl_cudnn_pooling *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_POOLING && self->spatial ? self : NULL;
}

int cudnnSetPoolingNdDescriptor(void *descriptor, int mode, int propagates_nan, int spatial,
                                const int *window, const int *pads, const int *strides)
{
    struct wl_cudnn_pooling *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_POOLING);
    struct wl_cudnn_pooling made = {
        .magic = WL_CUDNN_MAGIC_POOLING,
        .mode = mode,
        .propagates_nan = propagates_nan,
        .spatial = spatial,
    };
    if (!self || !window || !pads || !strides || spatial < 1 || mode < 0 ||
        mode > WL_CUDNN_POOLING_MAX_DETERMINISTIC || propagates_nan < 0 || propagates_nan > 1)
        return WL_CUDNN_BAD_PARAM;
    if (spatial > WL_CUDNN_SPATIAL_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    for (int i = 0; i < spatial; i++) {
        if (window[i] < 1 || pads[i] < 0 || strides[i] < 1)
            return WL_CUDNN_BAD_PARAM;
        made.window[i] = window[i];
        made.pads[i] = pads[i];
        made.strides[i] = strides[i];
    }
    *self = made;
    return WL_CUDNN_OK;
}

int cudnnSetPooling2dDescriptor(void *self, int mode, int propagates_nan, int window_h,
                                int window_w, int pad_h, int pad_w, int stride_h, int stride_w)
{
    return cudnnSetPoolingNdDescriptor(self, mode, propagates_nan, 2, (int[]){window_h, window_w},
                                       (int[]){pad_h, pad_w}, (int[]){stride_h, stride_w});
}

int cudnnGetPoolingNdDescriptor(void *descriptor, int wanted, int *mode, int *propagates_nan,
                                int *spatial, int *window, int *pads, int *strides)
{
    const struct wl_cudnn_pooling *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_POOLING);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    if (check_wanted(wanted))
        return check_wanted(wanted);
    tell(mode, self->mode);
    tell(propagates_nan, self->propagates_nan);
    tell(spatial, self->spatial);
    tell_all(window, self->window, wanted, self->spatial);
    tell_all(pads, self->pads, wanted, self->spatial);
    tell_all(strides, self->strides, wanted, self->spatial);
    return WL_CUDNN_OK;
}

int cudnnGetPooling2dDescriptor(void *descriptor, int *mode, int *propagates_nan, int *window_h,
                                int *window_w, int *pad_h, int *pad_w, int *stride_h, int *stride_w)
{
    const struct wl_cudnn_pooling *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_POOLING);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    tell(window_h, self->window[0]);
    tell(window_w, self->window[1]);
    tell(pad_h, self->pads[0]);
    tell(pad_w, self->pads[1]);
    tell(stride_h, self->strides[0]);
    tell(stride_w, self->strides[1]);
    return cudnnGetPoolingNdDescriptor(descriptor, 0, mode, propagates_nan, NULL, NULL, NULL, NULL);
}

/* ---- activations ---- */

const struct wl_dnn_activation *wl_cudnn_activation_check(const void *descriptor)
{
    const struct wl_cudnn_activation *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_ACTIVATION && self->is_set ? &self->is : NULL;
}

int cudnnSetActivationDescriptor(void *descriptor, int mode, int propagates_nan, double coefficient)
{
    struct wl_cudnn_activation *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_ACTIVATION);
    if (!self || mode < 0 || mode > WL_DNN_SWISH || propagates_nan < 0 || propagates_nan > 1)
        return WL_CUDNN_BAD_PARAM;
    self->is_set = true;
    self->is.mode = mode;
    self->is.propagates_nan = propagates_nan;
    self->is.coefficient = coefficient;
    return WL_CUDNN_OK;
}

static struct wl_cudnn_activation *activation(void *descriptor)
{
    return wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_ACTIVATION);
}

int cudnnGetActivationDescriptor(void *descriptor, int *mode, int *propagates_nan,
                                 double *coefficient)
{
    const struct wl_cudnn_activation *self = activation(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    tell(mode, self->is.mode);
    tell(propagates_nan, self->is.propagates_nan);
    tell_number(coefficient, self->is.coefficient);
    return WL_CUDNN_OK;
}

/* It stays what it is when the rest is set. */
int cudnnSetActivationDescriptorSwishBeta(void *descriptor, double beta)
{
    struct wl_cudnn_activation *self = activation(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    self->is.swish_beta = beta;
    return WL_CUDNN_OK;
}

int cudnnGetActivationDescriptorSwishBeta(void *descriptor, double *beta)
{
    const struct wl_cudnn_activation *self = activation(descriptor);
    if (!self || !beta)
        return WL_CUDNN_BAD_PARAM;
    *beta = self->is.swish_beta;
    return WL_CUDNN_OK;
}

/* ---- operations on two tensors ---- */

const struct wl_cudnn_op *wl_cudnn_op_check(const void *descriptor)
{
    const struct wl_cudnn_op *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_OP && self->is_set ? self : NULL;
}

int cudnnSetOpTensorDescriptor(void *descriptor, int operation, int compute_type,
                               int propagates_nan)
{
    struct wl_cudnn_op *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_OP);
    if (!self || operation < 0 || operation > WL_DNN_NOT || propagates_nan < 0 ||
        propagates_nan > 1 || !is_compute_type(compute_type, WL_CUDNN_BFLOAT16))
        return WL_CUDNN_BAD_PARAM;
    *self = (struct wl_cudnn_op){
        .magic = WL_CUDNN_MAGIC_OP,
        .is_set = true,
        .operation = operation,
        .compute_type = compute_type,
        .propagates_nan = propagates_nan,
    };
    return WL_CUDNN_OK;
}

int cudnnGetOpTensorDescriptor(void *descriptor, int *operation, int *compute_type,
                               int *propagates_nan)
{
    const struct wl_cudnn_op *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_OP);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    tell(operation, self->operation);
    tell(compute_type, self->compute_type);
    tell(propagates_nan, self->propagates_nan);
    return WL_CUDNN_OK;
}

/* ---- reductions ---- */

/* cudnnIndicesType_t, as many as there are */
enum { INDEX_TYPES = 4 };

const struct wl_cudnn_reduction *wl_cudnn_reduction_check(const void *descriptor)
{
    const struct wl_cudnn_reduction *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_REDUCTION ? self : NULL;
}

int cudnnSetReduceTensorDescriptor(void *descriptor, int operation, int compute_type,
                                   int propagates_nan, int has_indices, int index_type)
{
    struct wl_cudnn_reduction *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_REDUCTION);
    if (!self || operation < 0 || operation > WL_DNN_PRODUCT_NO_ZEROS || propagates_nan < 0 ||
        propagates_nan > 1 || has_indices < 0 || has_indices > 1 || index_type < 0 ||
        index_type >= INDEX_TYPES || !is_compute_type(compute_type, WL_CUDNN_FLOAT))
        return WL_CUDNN_BAD_PARAM;
    *self = (struct wl_cudnn_reduction){
        .magic = WL_CUDNN_MAGIC_REDUCTION,
        .has_indices = has_indices,
        .operation = operation,
        .compute_type = compute_type,
        .propagates_nan = propagates_nan,
        .index_type = index_type,
    };
    return WL_CUDNN_OK;
}

int cudnnGetReduceTensorDescriptor(const void *descriptor, int *operation, int *compute_type,
                                   int *propagates_nan, int *has_indices, int *index_type)
{
    const struct wl_cudnn_reduction *self = wl_cudnn_reduction_check(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    tell(operation, self->operation);
    tell(compute_type, self->compute_type);
    tell(propagates_nan, self->propagates_nan);
    tell(has_indices, self->has_indices);
    tell(index_type, self->index_type);
    return WL_CUDNN_OK;
}

/* ---- local responses ---- */

/* What cuDNN allows of them. */
static const double LEAST_K = 1e-5, LEAST_BETA = 0.01;
enum { WIDTH_MAX = 16 };

const struct wl_cudnn_response *wl_cudnn_response_check(const void *descriptor)
{
    const struct wl_cudnn_response *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_LRN ? self : NULL;
}

int cudnnSetLRNDescriptor(void *descriptor, unsigned width, double alpha, double beta, double k)
{
    struct wl_cudnn_response *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_LRN);
    if (!self || width < 1 || width > WIDTH_MAX || !(k >= LEAST_K) || !(beta >= LEAST_BETA))
        return WL_CUDNN_BAD_PARAM;
    *self = (struct wl_cudnn_response){WL_CUDNN_MAGIC_LRN, width, alpha, beta, k};
    return WL_CUDNN_OK;
}

int cudnnGetLRNDescriptor(const void *descriptor, unsigned *width, double *alpha, double *beta,
                          double *k)
{
    const struct wl_cudnn_response *self = wl_cudnn_response_check(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    if (width)
        *width = self->width;
    tell_number(alpha, self->alpha);
    tell_number(beta, self->beta);
    tell_number(k, self->k);
    return WL_CUDNN_OK;
}

/* ---- spatial transformers ---- */

/* cudnnSamplerType_t has one */
enum { BILINEAR = 0 };

const struct wl_cudnn_transformer *wl_cudnn_transformer_check(const void *descriptor)
{
    const struct wl_cudnn_transformer *self = descriptor;
    return self && self->magic == WL_CUDNN_MAGIC_TRANSFORMER && self->rank ? self : NULL;
}

int cudnnSetSpatialTransformerNdDescriptor(void *descriptor, int sampler, int type, int rank,
                                           const int *dims)
{
    struct wl_cudnn_transformer *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_TRANSFORMER);
    struct wl_cudnn_transformer made = {WL_CUDNN_MAGIC_TRANSFORMER, type, rank, {0}};
    if (!self || sampler != BILINEAR || type < 0 || rank < 1 || !dims)
        return WL_CUDNN_BAD_PARAM;
    if (rank != 4)
        return wl_cudnn_refuse(__func__, "other than pictures");
    if (!wl_cudnn_is_floating(type))
        return wl_cudnn_refuse(__func__, "these types");
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 1)
            return WL_CUDNN_BAD_PARAM;
        made.dims[i] = dims[i];
    }
    *self = made;
    return WL_CUDNN_OK;
}
