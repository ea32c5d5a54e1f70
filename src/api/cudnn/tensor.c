/* Descriptors of tensors and filters, and what there is to know of them. */
#include "api/cudnn/tensor.h"

#include <string.h>

#include "api/cudnn/cudnn.h"
#include "base/count.h"

/* cudnnTensorFormat_t */
enum { NCHW = 0, NHWC = 1, VECTORS = 2 };
/* Programs describe what has fewer dimensions with some of size 1. */
enum { RANK_MIN = 3 };

struct descriptor {
    uint32_t magic;
    int format; /* of filters */
    struct wl_cudnn_tensor is;
};

/* ---- tensors ---- */

size_t wl_cudnn_type_bytes(int type)
{
    static const unsigned char bytes[] = {
        [WL_CUDNN_FLOAT] = 4, [WL_CUDNN_DOUBLE] = 8,  [WL_CUDNN_HALF] = 2,
        [WL_CUDNN_INT8] = 1,  [WL_CUDNN_INT32] = 4,   [WL_CUDNN_UINT8] = 1,
        [WL_CUDNN_INT64] = 8, [WL_CUDNN_BOOLEAN] = 1, [WL_CUDNN_BFLOAT16] = 2,
    };
    return type >= 0 && (size_t)type < WL_COUNT(bytes) ? bytes[type] : 0;
}

bool wl_cudnn_is_floating(int type)
{
    return type == WL_CUDNN_FLOAT || type == WL_CUDNN_DOUBLE || type == WL_CUDNN_HALF ||
           type == WL_CUDNN_BFLOAT16;
}

static const struct wl_cudnn_tensor *check(const void *descriptor, enum wl_cudnn_magic magic)
{
    const struct descriptor *self = descriptor;
    return self && self->magic == magic && self->is.rank ? &self->is : NULL;
}

const struct wl_cudnn_tensor *wl_cudnn_tensor_check(const void *descriptor)
{
    return check(descriptor, WL_CUDNN_MAGIC_TENSOR);
}

const struct wl_cudnn_tensor *wl_cudnn_filter_check(const void *descriptor)
{
    return check(descriptor, WL_CUDNN_MAGIC_FILTER);
}

int wl_cudnn_tensor_set(void *descriptor, const struct wl_cudnn_tensor *is)
{
    struct descriptor *self = wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_TENSOR);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    self->is = *is;
    return WL_CUDNN_OK;
}

void wl_cudnn_tensor_pack(struct wl_cudnn_tensor *self, bool is_nhwc)
{
    int stride = 1;
    if (is_nhwc) {
        self->strides[1] = 1;
        stride = self->dims[1];
    }
    for (int i = self->rank - 1; i >= 0; i--) {
        if (is_nhwc && i == 1)
            continue;
        self->strides[i] = stride;
        stride *= self->dims[i];
    }
}

long long wl_cudnn_tensor_count(const struct wl_cudnn_tensor *self)
{
    long long count = 1;
    for (int i = 0; i < self->rank; i++)
        count *= self->dims[i];
    return count;
}

size_t wl_cudnn_tensor_bytes(const struct wl_cudnn_tensor *self)
{
    long long last = 0;
    for (int i = 0; i < self->rank; i++)
        last += (self->dims[i] - 1LL) * self->strides[i];
    return (size_t)(last + 1) * wl_cudnn_type_bytes(self->type);
}

bool wl_cudnn_has_dims_of(const struct wl_cudnn_tensor *a, const struct wl_cudnn_tensor *b)
{
    return a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

bool wl_cudnn_is_same(const struct wl_cudnn_tensor *a, const struct wl_cudnn_tensor *b)
{
    return a->type == b->type && wl_cudnn_has_dims_of(a, b) &&
           !memcmp(a->strides, b->strides, (size_t)a->rank * sizeof *a->strides);
}

/* Dimensions in the order of their strides: each must reach beyond all before it. */
bool wl_cudnn_is_writable(const struct wl_cudnn_tensor *self)
{
    bool is_seen[WL_CUDNN_RANK_MAX] = {false};
    long long reached = 1; /* elements from the first one on that those seen reach over */
    for (int n = 0; n < self->rank; n++) {
        int next = -1;
        for (int i = 0; i < self->rank; i++)
            if (!is_seen[i] && self->dims[i] > 1 &&
                (next < 0 || self->strides[i] < self->strides[next]))
                next = i;
        if (next < 0)
            return true;
        if (self->strides[next] < reached)
            return false;
        is_seen[next] = true;
        reached += (self->dims[next] - 1LL) * self->strides[next];
    }
    return true;
}

/* ---- descriptors ---- */

/* Takes a description over if it is one. strides: NULL for those of the format. */
static int describe(const char *call, void *descriptor, enum wl_cudnn_magic magic, int format,
                    int type, int rank, const int *dims, const int *strides)
{
    struct descriptor *self = wl_stand_in_check(descriptor, magic);
    struct wl_cudnn_tensor made = {.type = type, .rank = rank};
    if (!self || !dims || type < 0 || format < NCHW || format > VECTORS)
        return WL_CUDNN_BAD_PARAM;
    if (rank < RANK_MIN || rank > WL_CUDNN_RANK_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    if (format == VECTORS || !wl_cudnn_type_bytes(type))
        return wl_cudnn_refuse(call, "types other than plain numbers");
    for (int i = 0; i < rank; i++) {
        if (dims[i] <= 0 || (strides && strides[i] < 0))
            return WL_CUDNN_BAD_PARAM;
        made.dims[i] = dims[i];
        made.strides[i] = strides ? strides[i] : 0;
    }
    long long count = 1; /* must be an int: strides are */
    for (int i = 0; i < rank; i++)
        if ((count *= dims[i]) > INT32_MAX)
            return WL_CUDNN_NOT_SUPPORTED;
    if (!strides)
        wl_cudnn_tensor_pack(&made, format == NHWC);
    self->is = made;
    self->format = format;
    return WL_CUDNN_OK;
}

/* What a descriptor holds; dimensions and strides as many as wanted. Each result may be NULL. */
static int tell(const struct wl_cudnn_tensor *is, int wanted, int *type, int *rank, int *dims,
                int *strides)
{
    if (!is || wanted < 0)
        return WL_CUDNN_BAD_PARAM;
    if (type)
        *type = is->type;
    if (rank)
        *rank = is->rank;
    for (int i = 0; i < wanted && i < is->rank; i++) {
        if (dims)
            dims[i] = is->dims[i];
        if (strides)
            strides[i] = is->strides[i];
    }
    return WL_CUDNN_OK;
}

static int tell_bytes(const struct wl_cudnn_tensor *is, size_t *bytes)
{
    if (!is || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = wl_cudnn_tensor_bytes(is);
    return WL_CUDNN_OK;
}

int cudnnCreateTensorDescriptor(void **made)
{
    return wl_cudnn_create(made, WL_CUDNN_MAGIC_TENSOR, sizeof(struct descriptor));
}

int cudnnDestroyTensorDescriptor(void *self)
{
    return wl_cudnn_destroy(self, WL_CUDNN_MAGIC_TENSOR);
}

int cudnnSetTensorNdDescriptor(void *self, int type, int rank, const int *dims, const int *strides)
{
    if (!strides)
        return WL_CUDNN_BAD_PARAM;
    return describe(__func__, self, WL_CUDNN_MAGIC_TENSOR, NCHW, type, rank, dims, strides);
}

int cudnnSetTensorNdDescriptorEx(void *self, int format, int type, int rank, const int *dims)
{
    return describe(__func__, self, WL_CUDNN_MAGIC_TENSOR, format, type, rank, dims, NULL);
}

int cudnnSetTensor4dDescriptor(void *self, int format, int type, int n, int c, int h, int w)
{
    return describe(__func__, self, WL_CUDNN_MAGIC_TENSOR, format, type, 4, (int[]){n, c, h, w},
                    NULL);
}

int cudnnSetTensor4dDescriptorEx(void *self, int type, int n, int c, int h, int w, int n_stride,
                                 int c_stride, int h_stride, int w_stride)
{
    return describe(__func__, self, WL_CUDNN_MAGIC_TENSOR, NCHW, type, 4, (int[]){n, c, h, w},
                    (int[]){n_stride, c_stride, h_stride, w_stride});
}

int cudnnGetTensorNdDescriptor(const void *self, int wanted, int *type, int *rank, int *dims,
                               int *strides)
{
    return tell(wl_cudnn_tensor_check(self), wanted, type, rank, dims, strides);
}

int cudnnGetTensor4dDescriptor(const void *self, int *type, int *n, int *c, int *h, int *w,
                               int *n_stride, int *c_stride, int *h_stride, int *w_stride)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_tensor_check(self);
    int *const dims[] = {n, c, h, w}, *const strides[] = {n_stride, c_stride, h_stride, w_stride};
    if (!is || is->rank != 4)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < 4; i++) {
        if (dims[i])
            *dims[i] = is->dims[i];
        if (strides[i])
            *strides[i] = is->strides[i];
    }
    return tell(is, 0, type, NULL, NULL, NULL);
}

int cudnnGetTensorSizeInBytes(const void *self, size_t *bytes)
{
    return tell_bytes(wl_cudnn_tensor_check(self), bytes);
}

int cudnnCreateFilterDescriptor(void **made)
{
    return wl_cudnn_create(made, WL_CUDNN_MAGIC_FILTER, sizeof(struct descriptor));
}

int cudnnDestroyFilterDescriptor(void *self)
{
    return wl_cudnn_destroy(self, WL_CUDNN_MAGIC_FILTER);
}

int cudnnSetFilterNdDescriptor(void *self, int type, int format, int rank, const int *dims)
{
    return describe(__func__, self, WL_CUDNN_MAGIC_FILTER, format, type, rank, dims, NULL);
}

int cudnnSetFilter4dDescriptor(void *self, int type, int format, int k, int c, int h, int w)
{
    return describe(__func__, self, WL_CUDNN_MAGIC_FILTER, format, type, 4, (int[]){k, c, h, w},
                    NULL);
}

int cudnnGetFilterNdDescriptor(const void *self, int wanted, int *type, int *format, int *rank,
                               int *dims)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_filter_check(self);
    if (is && format)
        *format = ((const struct descriptor *)self)->format;
    return tell(is, wanted, type, rank, dims, NULL);
}

int cudnnGetFilter4dDescriptor(const void *self, int *type, int *format, int *k, int *c, int *h,
                               int *w)
{
    const struct wl_cudnn_tensor *is = wl_cudnn_filter_check(self);
    int dims[WL_CUDNN_RANK_MAX], rank, *const results[] = {k, c, h, w};
    if (!is || is->rank != 4)
        return WL_CUDNN_BAD_PARAM;
    cudnnGetFilterNdDescriptor(self, 4, type, format, &rank, dims);
    for (int i = 0; i < 4; i++)
        if (results[i])
            *results[i] = dims[i];
    return WL_CUDNN_OK;
}

int cudnnGetFilterSizeInBytes(const void *self, size_t *bytes)
{
    return tell_bytes(wl_cudnn_filter_check(self), bytes);
}
