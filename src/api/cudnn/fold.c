/* cuDNN's transformation of tensors: padding, and folding of spatial dimensions into channels. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"

static struct wl_cudnn_kernels kernels = {.name = "fold.ptx"};

/* cudnnTensorFormat_t and cudnnFoldingDirection_t */
enum { NCHW = 0, NHWC = 1 };
enum { FOLD = 0, UNFOLD = 1 };

static struct wl_cudnn_folding *folding(void *descriptor)
{
    return wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_FOLDING);
}

int cudnnSetTensorTransformDescriptor(void *descriptor, uint32_t rank, int format,
                                      const int32_t *before, const int32_t *after,
                                      const uint32_t *folds, unsigned direction)
{
    struct wl_cudnn_folding *self = folding(descriptor);
    struct wl_cudnn_folding made = {
        .magic = WL_CUDNN_MAGIC_FOLDING,
        .rank = (int)rank,
        .format = format,
        .is_back = direction == UNFOLD,
    };
    if (!self || rank < 3 || (format != NCHW && format != NHWC) || direction > UNFOLD)
        return WL_CUDNN_BAD_PARAM;
    if (rank > WL_CUDNN_RANK_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    for (uint32_t i = 0; i < rank; i++) {
        made.before[i] = before ? before[i] : 0;
        made.after[i] = after ? after[i] : 0;
        if (i > 1)
            made.folds[i - 2] = folds ? folds[i - 2] : 1;
        if (i > 1 && (made.folds[i - 2] < 1 || made.folds[i - 2] > INT32_MAX))
            return WL_CUDNN_BAD_PARAM;
    }
    *self = made;
    return WL_CUDNN_OK;
}

int cudnnGetTensorTransformDescriptor(void *descriptor, uint32_t wanted, int *format,
                                      int32_t *before, int32_t *after, uint32_t *folds,
                                      unsigned *direction)
{
    const struct wl_cudnn_folding *self = folding(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    if (format)
        *format = self->format;
    if (direction)
        *direction = self->is_back ? UNFOLD : FOLD;
    for (uint32_t i = 0; i < wanted && i < (uint32_t)self->rank; i++) {
        if (before)
            before[i] = self->before[i];
        if (after)
            after[i] = self->after[i];
        if (folds && i > 1)
            folds[i - 2] = self->folds[i - 2];
    }
    return WL_CUDNN_OK;
}

/* What x becomes: dimensions between the two steps and at the end; a status. */
static int shape(const struct wl_cudnn_folding *self, const struct wl_cudnn_tensor *x,
                 struct wl_dnn_fold *made)
{
    long long parts = 1, count = 1;
    if (self->rank != x->rank)
        return WL_CUDNN_BAD_PARAM;
    *made = (struct wl_dnn_fold){
        .rank = x->rank,
        .is_back = self->is_back,
        .is_reversed = self->is_reversed,
    };
    for (int d = x->rank - 1; d >= 0; d--) {
        const long long fold = d > 1 ? self->folds[d - 2] : 1,
                        pads = (long long)self->before[d] + self->after[d];
        parts *= fold;
        long long between = self->is_back ? x->dims[d] * fold : x->dims[d] + pads;
        if (d == 1 && self->is_back)
            between = (between + parts - 1) / parts;
        long long to = self->is_back ? between + pads : (between + fold - 1) / fold;
        if (d == 1 && !self->is_back)
            to *= parts;
        count *= to;
        if (between < 1 || to < 1)
            return WL_CUDNN_BAD_PARAM;
        if (between > INT32_MAX || count > INT32_MAX)
            return WL_CUDNN_NOT_SUPPORTED;
        made->from[d] = x->dims[d];
        made->between[d] = (int)between;
        made->to[d] = (int)to;
        made->before[d] = self->before[d];
        made->folds[d] = (int)fold;
        made->x[d] = x->strides[d];
    }
    made->count = count;
    return WL_CUDNN_OK;
}

static struct wl_cudnn_tensor packed(int type, int rank, const int *dims, int format)
{
    struct wl_cudnn_tensor made = {.type = type, .rank = rank};
    for (int d = 0; d < rank; d++)
        made.dims[d] = dims[d];
    wl_cudnn_tensor_pack(&made, format == NHWC);
    return made;
}

int cudnnInitTransformDest(void *transform, const void *x_shape, void *y_shape, size_t *bytes)
{
    const struct wl_cudnn_folding *self = folding(transform);
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape);
    struct wl_dnn_fold fold;
    if (!self || !self->rank || !x || !bytes)
        return WL_CUDNN_BAD_PARAM;
    int status = shape(self, x, &fold);
    if (status)
        return status;
    const struct wl_cudnn_tensor made = packed(x->type, x->rank, fold.to, self->format);
    status = wl_cudnn_tensor_set(y_shape, &made);
    if (!status)
        *bytes = wl_cudnn_tensor_bytes(&made);
    return status;
}

/* ---- computing ---- */

/* Whether a folded tensor has elements that come from nowhere, which cuDNN only sets. */
static bool has_gaps(const struct wl_dnn_fold *fold)
{
    for (int d = 0; d < fold->rank && !fold->is_back; d++)
        if (fold->before[d] > 0 || fold->between[d] - fold->before[d] > fold->from[d] ||
            fold->between[d] % fold->folds[d])
            return true;
    return false;
}

static int transform(const char *call, const void *handle, void *descriptor, const void *alpha,
                     const struct wl_cudnn_tensor *x_is, const void *x, const void *beta,
                     const struct wl_cudnn_tensor *y_is, void *y)
{
    const struct wl_cudnn_folding *self = folding(descriptor);
    struct wl_dnn_fold fold;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !self || !self->rank || !alpha || !beta || !x_is ||
        !x || !y_is || !y || x_is->rank != y_is->rank || !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    const int status = shape(self, x_is, &fold);
    if (status)
        return status;
    for (int d = 0; d < fold.rank; d++) {
        if (fold.to[d] != y_is->dims[d])
            return WL_CUDNN_BAD_PARAM;
        fold.y[d] = y_is->strides[d];
    }
    if (!wl_cudnn_is_any(x_is->type) || !wl_cudnn_is_any(y_is->type))
        return wl_cudnn_refuse(call, "these types");
    struct wl_dnn_any from = {(void *)(uintptr_t)x, x_is->type}, to = {y, y_is->type};
    double factor = wl_cudnn_read_scalar(x_is->type, alpha),
           own = wl_cudnn_read_scalar(x_is->type, beta);
    if (own != 0 && has_gaps(&fold))
        return WL_CUDNN_NOT_SUPPORTED;
    void *parameters[] = {&fold, &from, &to, &factor, &own};
    return wl_cudnn_run_named(&kernels, "warplens_dnn_fold", (uint64_t)fold.count, stream,
                              parameters);
}

int cudnnTransformTensorEx(const void *handle, void *descriptor, const void *alpha,
                           const void *x_shape, const void *x, const void *beta,
                           const void *y_shape, void *y)
{
    return transform(__func__, handle, descriptor, alpha, wl_cudnn_tensor_check(x_shape), x, beta,
                     wl_cudnn_tensor_check(y_shape), y);
}

int cudnnTransformFilter(const void *handle, void *descriptor, const void *alpha,
                         const void *x_shape, const void *x, const void *beta, const void *y_shape,
                         void *y)
{
    return transform(__func__, handle, descriptor, alpha, wl_cudnn_filter_check(x_shape), x, beta,
                     wl_cudnn_filter_check(y_shape), y);
}

/* ---- the input's gradient of a strided convolution, by one without strides ---- */

int cudnnSetConvolutionNdDescriptor(void *descriptor, int spatial, const int *pads,
                                    const int *strides, const int *dilations, int mode,
                                    int compute_type);

/* What cudnnGetFoldedConvBackwardDataDescriptors describes. */
struct folded {
    void *filter, *dy, *convolution, *dx;
    void *fold_filter, *pad_dy, *fold_dx, *unfold_dx;
};

/* With the taps of one remainder of the stride, dx at the same remainder is the gradient of a
 * convolution without strides; dy needs no padding. Of a flipped filter remainders are counted from
 * its end. */
static int describe_folded(const struct wl_cudnn_convolution *c, const struct wl_cudnn_tensor *w,
                           const struct wl_cudnn_tensor *dy, const struct wl_cudnn_tensor *dx,
                           int format, const struct folded *made)
{
    enum { CONVOLUTION = 0, CROSS_CORRELATION = 1 };
    int filter[WL_CUDNN_RANK_MAX] = {w->dims[0], w->dims[1]}, none[WL_CUDNN_RANK_MAX] = {0},
        ones[WL_CUDNN_SPATIAL_MAX], taps_before[WL_CUDNN_RANK_MAX] = {0},
        before[WL_CUDNN_RANK_MAX] = {0}, after[WL_CUDNN_RANK_MAX] = {0};
    int dims[WL_CUDNN_RANK_MAX] = {dy->dims[0], dx->dims[1]};
    unsigned strides[WL_CUDNN_SPATIAL_MAX];
    const int rank = dy->rank;
    for (int i = 0; i < c->spatial; i++) {
        const int stride = c->strides[i];
        ones[i] = 1;
        strides[i] = (unsigned)stride;
        filter[1] *= stride;
        dims[1] *= stride;
        filter[2 + i] = (w->dims[2 + i] + stride - 1) / stride;
        dims[2 + i] = dy->dims[2 + i] + filter[2 + i] - 1;
        taps_before[2 + i] = c->is_flipped ? filter[2 + i] * stride - w->dims[2 + i] : 0;
        before[2 + i] = c->pads[i];
        after[2 + i] = dims[2 + i] * stride - c->pads[i] - dx->dims[2 + i];
    }
    const struct wl_cudnn_tensor dy_packed = packed(dy->type, rank, dy->dims, format),
                                 dx_folded = packed(dx->type, rank, dims, format);
    int status = cudnnSetFilterNdDescriptor(made->filter, w->type, format, rank, filter);
    if (!status)
        status = wl_cudnn_tensor_set(made->dy, &dy_packed);
    if (!status)
        status = wl_cudnn_tensor_set(made->dx, &dx_folded);
    if (!status)
        status = cudnnSetConvolutionNdDescriptor(made->convolution, c->spatial, none, ones, ones,
                                                 c->is_flipped ? CONVOLUTION : CROSS_CORRELATION,
                                                 c->compute_type);
    if (!status)
        status = cudnnSetTensorTransformDescriptor(made->fold_filter, (uint32_t)rank, format,
                                                   taps_before, none, strides, FOLD);
    if (!status)
        folding(made->fold_filter)->is_reversed = c->is_flipped;
    if (!status)
        status = cudnnSetTensorTransformDescriptor(made->pad_dy, (uint32_t)rank, format, none, none,
                                                   NULL, FOLD);
    if (!status)
        status = cudnnSetTensorTransformDescriptor(made->fold_dx, (uint32_t)rank, format, before,
                                                   after, strides, FOLD);
    for (int i = 0; i < rank; i++) {
        before[i] = -before[i];
        after[i] = -after[i];
    }
    return status ? status
                  : cudnnSetTensorTransformDescriptor(made->unfold_dx, (uint32_t)rank, format,
                                                      before, after, strides, UNFOLD);
}

int cudnnGetFoldedConvBackwardDataDescriptors(const void *handle, const void *w_shape,
                                              const void *dy_shape, const void *convolution,
                                              const void *dx_shape, int format, void *folded_filter,
                                              void *padded_dy, void *folded_convolution,
                                              void *folded_dx, void *fold_filter, void *pad_dy,
                                              void *fold_dx, void *unfold_dx)
{
    const struct wl_cudnn_tensor *w = wl_cudnn_filter_check(w_shape),
                                 *dy = wl_cudnn_tensor_check(dy_shape),
                                 *dx = wl_cudnn_tensor_check(dx_shape);
    const struct wl_cudnn_convolution *c = wl_cudnn_convolution_check(convolution);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !w || !dy || !dx || !c ||
        (format != NCHW && format != NHWC))
        return WL_CUDNN_BAD_PARAM;
    const int status = wl_cudnn_can_convolve(WL_CUDNN_DATA, c, dx, w, dy);
    if (status)
        return status;
    for (int i = 0; i < c->spatial; i++)
        if (c->dilations[i] != 1)
            return WL_CUDNN_NOT_SUPPORTED;
    if (c->groups != 1)
        return WL_CUDNN_NOT_SUPPORTED;
    return describe_folded(c, w, dy, dx, format,
                           &(struct folded){folded_filter, padded_dy, folded_convolution, folded_dx,
                                            fold_filter, pad_dy, fold_dx, unfold_dx});
}
