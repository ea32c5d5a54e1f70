/* Descriptors of tensors and filters, and what there is to know of them. */
#include "api/cudnn/tensor.h"

#include <string.h>

#include "api/cudnn/cudnn.h"
#include "base/count.h"

/* cudnnTensorFormat_t */
enum { NCHW = 0, NHWC = 1, VECTORS = 2 };
/* Types of several elements at once */
enum { INT8X4 = 5, UINT8X4 = 7, INT8X32 = 8, TYPES = 10 };

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

bool wl_cudnn_is_any(int type)
{
    return wl_cudnn_is_floating(type) || type == WL_CUDNN_INT8;
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

/* What cuDNN says of a type and a format. */
static int check_type(const char *call, int format, int type)
{
    const bool has_vectors = type == INT8X4 || type == UINT8X4 || type == INT8X32;
    if (type < 0 || type >= TYPES || format < NCHW || format > VECTORS ||
        (format == VECTORS && !has_vectors))
        return WL_CUDNN_BAD_PARAM;
    return has_vectors ? wl_cudnn_refuse(call, "types other than plain numbers") : WL_CUDNN_OK;
}

/* Takes a description over if it is one. strides: NULL for those of the format. */
static int describe(const char *call, void *descriptor, enum wl_cudnn_magic magic, int format,
                    int type, int rank, const int *dims, const int *strides)
{
    struct descriptor *self = wl_stand_in_check(descriptor, magic);
    struct wl_cudnn_tensor made = {.type = type, .rank = rank};
    if (!self || !dims || rank < (magic == WL_CUDNN_MAGIC_FILTER ? 3 : 2))
        return WL_CUDNN_BAD_PARAM;
    if (rank > WL_CUDNN_RANK_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    const int status = check_type(call, format, type);
    if (status)
        return status;
    for (int i = 0; i < rank; i++) {
        if (dims[i] <= 0 || (strides && strides[i] < (dims[i] > 1)))
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

/* What a descriptor holds, all 0 where nothing was described; dimensions and strides as many as
 * wanted. Each result may be NULL. */
static int tell(const struct descriptor *self, int wanted, int *type, int *rank, int *dims,
                int *strides)
{
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    if (type)
        *type = self->is.type;
    if (rank)
        *rank = self->is.rank;
    for (int i = 0; i < wanted && i < self->is.rank; i++) {
        if (dims)
            dims[i] = self->is.dims[i];
        if (strides)
            strides[i] = self->is.strides[i];
    }
    return WL_CUDNN_OK;
}

/* The same of the first four dimensions, of which there may be fewer. */
static void tell_four(const int values[WL_CUDNN_RANK_MAX], int *const results[4])
{
    for (int i = 0; i < 4; i++)
        if (results[i])
            *results[i] = values[i];
}

static int tell_bytes(const struct descriptor *self, size_t *bytes)
{
    if (!self || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = self->is.rank ? wl_cudnn_tensor_bytes(&self->is) : 0;
    return WL_CUDNN_OK;
}

/* Whether or not something was described; NULL: it is none. */
static struct descriptor *tensor(void *descriptor)
{
    return wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_TENSOR);
}

static struct descriptor *filter(void *descriptor)
{
    return wl_stand_in_check(descriptor, WL_CUDNN_MAGIC_FILTER);
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

int cudnnGetTensorNdDescriptor(void *self, int wanted, int *type, int *rank, int *dims,
                               int *strides)
{
    return tell(tensor(self), wanted, type, rank, dims, strides);
}

int cudnnGetTensor4dDescriptor(void *self, int *type, int *n, int *c, int *h, int *w, int *n_stride,
                               int *c_stride, int *h_stride, int *w_stride)
{
    const struct descriptor *is = tensor(self);
    if (!is)
        return WL_CUDNN_BAD_PARAM;
    tell_four(is->is.dims, (int *const[]){n, c, h, w});
    tell_four(is->is.strides, (int *const[]){n_stride, c_stride, h_stride, w_stride});
    return tell(is, 0, type, NULL, NULL, NULL);
}

int cudnnGetTensorSizeInBytes(void *self, size_t *bytes)
{
    return tell_bytes(tensor(self), bytes);
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

int cudnnGetFilterNdDescriptor(void *self, int wanted, int *type, int *format, int *rank, int *dims)
{
    const struct descriptor *is = filter(self);
    if (!is || wanted < 1)
        return WL_CUDNN_BAD_PARAM;
    if (wanted > WL_CUDNN_RANK_MAX)
        return WL_CUDNN_NOT_SUPPORTED;
    if (format)
        *format = is->format;
    return tell(is, wanted, type, rank, dims, NULL);
}

int cudnnGetFilter4dDescriptor(void *self, int *type, int *format, int *k, int *c, int *h, int *w)
{
    const struct descriptor *is = filter(self);
    if (!is)
        return WL_CUDNN_BAD_PARAM;
    if (format)
        *format = is->format;
    tell_four(is->is.dims, (int *const[]){k, c, h, w});
    return tell(is, 0, type, NULL, NULL, NULL);
}

int cudnnGetFilterSizeInBytes(void *self, size_t *bytes)
{
    return tell_bytes(filter(self), bytes);
}
