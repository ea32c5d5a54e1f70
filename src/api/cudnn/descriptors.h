/* Descriptors of operations: what programs set in them. */
#ifndef WL_API_CUDNN_DESCRIPTORS_H
#define WL_API_CUDNN_DESCRIPTORS_H

#include "api/cudnn/convolve.h"
#include "api/cudnn/cudnn.h"
#include "api/cudnn/kernels.h"

/* cudnnMathType_t, as far as it changes anything: no tensor cores. */
enum { WL_CUDNN_MATH_FMA = 3 };

struct wl_cudnn_convolution_descriptor {
    uint32_t magic;
    int math_type, reorder_type;
    struct wl_cudnn_convolution is; /* .spatial 0: nothing was set yet */
};

/* cudnnPoolingMode_t */
enum wl_cudnn_pooling_mode {
    WL_CUDNN_POOLING_MAX = 0,
    WL_CUDNN_POOLING_AVERAGE_PADDED = 1, /* over the whole window */
    WL_CUDNN_POOLING_AVERAGE = 2,        /* over what of it is in the tensor */
    WL_CUDNN_POOLING_MAX_DETERMINISTIC = 3,
};

struct wl_cudnn_pooling {
    uint32_t magic;
    int mode, propagates_nan;
    int spatial; /* 0: nothing was set yet */
    int window[WL_CUDNN_SPATIAL_MAX], pads[WL_CUDNN_SPATIAL_MAX], strides[WL_CUDNN_SPATIAL_MAX];
};

struct wl_cudnn_activation {
    uint32_t magic;
    bool is_set;
    struct wl_dnn_activation is;
};

struct wl_cudnn_op {
    uint32_t magic;
    bool is_set;
    int operation, compute_type, propagates_nan;
};

/* What was not set is a sum in single precision. */
struct wl_cudnn_reduction {
    uint32_t magic;
    bool has_indices;
    int operation, compute_type, propagates_nan, index_type;
};

struct wl_cudnn_dropout {
    uint32_t magic;
    float rate;                   /* the part that is left out */
    struct wl_dnn_random *states; /* in device memory; NULL: not given yet */
    unsigned long long seed;
};

struct wl_cudnn_response {
    uint32_t magic;
    unsigned width;
    double alpha, beta, k;
};

/* Dimensions of a spatial transformer's output. */
struct wl_cudnn_transformer {
    uint32_t magic;
    int type;
    int rank; /* 0: nothing was set yet */
    int dims[WL_CUDNN_RANK_MAX];
};

/* A cudnnTensorTransformDescriptor_t: how a tensor is padded and folded. */
struct wl_cudnn_folding {
    uint32_t magic;
    int rank; /* 0: nothing was set yet */
    int format;
    bool is_back;
    bool is_reversed; /* as flipped filters are folded; programs cannot set it */
    int before[WL_CUDNN_RANK_MAX], after[WL_CUDNN_RANK_MAX];
    unsigned folds[WL_CUDNN_SPATIAL_MAX];
};

/* Each gives NULL for what is no such descriptor or was not set, if that has no meaning. */
const struct wl_cudnn_convolution *wl_cudnn_convolution_check(const void *descriptor);
const struct wl_cudnn_pooling *wl_cudnn_pooling_check(const void *descriptor);
const struct wl_dnn_activation *wl_cudnn_activation_check(const void *descriptor);
const struct wl_cudnn_op *wl_cudnn_op_check(const void *descriptor);
const struct wl_cudnn_transformer *wl_cudnn_transformer_check(const void *descriptor);
const struct wl_cudnn_reduction *wl_cudnn_reduction_check(const void *descriptor);
const struct wl_cudnn_response *wl_cudnn_response_check(const void *descriptor);

#endif
