/* Tensors and filters as programs describe them to cuDNN. */
#ifndef WL_API_CUDNN_TENSOR_H
#define WL_API_CUDNN_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

enum { WL_CUDNN_RANK_MAX = 8 };

/* Of n, c and the spatial dimensions, the last of which is the width; of filters k, c and the
 * spatial ones. Strides are in elements. */
struct wl_cudnn_tensor {
    int type; /* enum wl_cudnn_type */
    int rank; /* 0: nothing was described yet */
    int dims[WL_CUDNN_RANK_MAX];
    int strides[WL_CUDNN_RANK_MAX];
};

/* 0 for a type of which nothing is computed. */
size_t wl_cudnn_type_bytes(int type);
bool wl_cudnn_is_floating(int type);
bool wl_cudnn_is_any(int type); /* one of those that any.cuh's kernels tell apart */

/* What a cudnnTensorDescriptor_t or a cudnnFilterDescriptor_t describes; NULL: it is none, or
 * nothing was described. */
const struct wl_cudnn_tensor *wl_cudnn_tensor_check(const void *descriptor);
const struct wl_cudnn_tensor *wl_cudnn_filter_check(const void *descriptor);

/* Describes a tensor in a cudnnTensorDescriptor_t, or a filter packed as the format has it in a
 * cudnnFilterDescriptor_t; a status. */
int wl_cudnn_tensor_set(void *descriptor, const struct wl_cudnn_tensor *is);
int cudnnSetFilterNdDescriptor(void *self, int type, int format, int rank, const int *dims);

/* Strides of a tensor that is packed in the order of its dimensions, or with c last (is_nhwc). */
void wl_cudnn_tensor_pack(struct wl_cudnn_tensor *self, bool is_nhwc);

/* How many elements it has, and how many bytes they reach over. */
long long wl_cudnn_tensor_count(const struct wl_cudnn_tensor *self);
size_t wl_cudnn_tensor_bytes(const struct wl_cudnn_tensor *self);

bool wl_cudnn_has_dims_of(const struct wl_cudnn_tensor *a, const struct wl_cudnn_tensor *b);
bool wl_cudnn_is_same(const struct wl_cudnn_tensor *a, const struct wl_cudnn_tensor *b);

/* Whether no two elements are at one place: it can be written to. */
bool wl_cudnn_is_writable(const struct wl_cudnn_tensor *self);

#endif
