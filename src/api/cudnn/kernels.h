/* Arguments that the stand-in for cuDNN passes to its kernels; same layout on host and device. */
#ifndef WL_API_CUDNN_KERNELS_H
#define WL_API_CUDNN_KERNELS_H

enum { WL_DNN_SPATIAL = 3, WL_DNN_RANK = 5 };

/* Types of elements that kernels tell apart themselves, by the numbers of cudnnDataType_t. */
enum {
    WL_DNN_FLOAT = 0,
    WL_DNN_DOUBLE = 1,
    WL_DNN_HALF = 2,
    WL_DNN_INT8 = 3,
    WL_DNN_BFLOAT16 = 9,
};
struct wl_dnn_any {
    void *data;
    int type;
};

/* A convolution of three spatial dimensions, of which the first ones may have size 1. Strides of
 * elements are those of n, c, and of the spatial dimensions; of the filter's k, c and taps. */
struct wl_dnn_convolution {
    int batch, groups;
    int channels, filters; /* of a group: inputs and outputs */
    int in[WL_DNN_SPATIAL], taps[WL_DNN_SPATIAL], out[WL_DNN_SPATIAL];
    int pads[WL_DNN_SPATIAL], strides[WL_DNN_SPATIAL], dilations[WL_DNN_SPATIAL];
    long long x[WL_DNN_RANK], w[WL_DNN_RANK], y[WL_DNN_RANK];
};

/* By the numbers of cudnnActivationMode_t. */
enum {
    WL_DNN_SIGMOID = 0,
    WL_DNN_RELU = 1,
    WL_DNN_TANH = 2,
    WL_DNN_CLIPPED_RELU = 3,
    WL_DNN_ELU = 4,
    WL_DNN_IDENTITY = 5,
    WL_DNN_SWISH = 6,
};

struct wl_dnn_activation {
    int mode, propagates_nan;
    double coefficient; /* the upper bound of a clipped ReLU, ELU's alpha */
    double swish_beta;
};

/* What becomes of a convolution's result: activation(result + factor * z + bias). */
struct wl_dnn_epilogue {
    const void *z;                /* not read where the factor is 0 */
    long long steps[WL_DNN_RANK]; /* of z */
    double factor;
    const void *bias; /* of each output channel */
    long long bias_step;
    struct wl_dnn_activation activation;
};

/* Elements of some tensors of the same dimensions, or of size 1 in some: element i has, in each
 * dimension, the remainder of i by those after it; the last one comes round first. */
enum { WL_DNN_WALK_RANK = 8, WL_DNN_WALKERS = 6 };
struct wl_dnn_walk {
    int rank, count; /* count: of elements */
    int dims[WL_DNN_WALK_RANK];
    /* i / dims[d] is i * factors[d] >> shifts[d] */
    unsigned factors[WL_DNN_WALK_RANK], shifts[WL_DNN_WALK_RANK];
    long long steps[WL_DNN_WALKERS][WL_DNN_WALK_RANK];
};

/* Threads that share one result's elements: a power of 2, at most those of a block. */
enum { WL_DNN_GROUP_MAX = 256 };

/* By the numbers of cudnnOpTensorOp_t: what becomes of two elements. */
enum {
    WL_DNN_ADD = 0,
    WL_DNN_MULTIPLY = 1,
    WL_DNN_LEAST = 2,
    WL_DNN_MOST = 3,
    WL_DNN_ROOT = 4, /* of the first alone, as NOT: 1 less it */
    WL_DNN_NOT = 5,
};

/* Batch normalisation: of the elements of `folded`, for each one of `kept`. Tensors of both walks:
 * x, y, z and parameters; for the gradient x, dy, y, dx, dz and parameters. */
struct wl_dnn_normalization {
    struct wl_dnn_walk kept, folded;
    int group;          /* threads that share one mean */
    int has_activation; /* a ReLU */
    double epsilon, momentum;
};

/* By the numbers of cudnnReduceTensorOp_t. */
enum {
    WL_DNN_SUM = 0,
    WL_DNN_PRODUCT = 1,
    WL_DNN_MINIMUM = 2,
    WL_DNN_MAXIMUM = 3,
    WL_DNN_LARGEST = 4, /* of the sizes */
    WL_DNN_MEAN = 5,
    WL_DNN_NORM1 = 6,
    WL_DNN_NORM2 = 7,
    WL_DNN_PRODUCT_NO_ZEROS = 8,
};

/* What becomes of the elements of `folded`, for each one of `kept`. */
struct wl_dnn_reduction {
    struct wl_dnn_walk kept, folded;
    int group; /* threads that share one result */
    int operation, propagates_nan;
};

/* Where random numbers go on: the same on host and device. */
struct wl_dnn_random {
    unsigned long long seed, drawn; /* drawn: numbers so far */
};

/* Windows over three spatial dimensions, of which the first ones may have size 1. Steps are those
 * of n, c and the spatial dimensions. */
struct wl_dnn_pooling {
    int batch, channels;
    int in[WL_DNN_SPATIAL], out[WL_DNN_SPATIAL];
    int window[WL_DNN_SPATIAL], pads[WL_DNN_SPATIAL], strides[WL_DNN_SPATIAL];
    int is_average, counts_padding, propagates_nan;
    long long x[WL_DNN_RANK], y[WL_DNN_RANK], dy[WL_DNN_RANK], dx[WL_DNN_RANK];
};

/* y = x / (k + alpha * the sum of squares of `before` channels before it to `after` behind
 * it)^beta; the walk, of all but channels, has the tensors y, x, dy, dx. */
struct wl_dnn_response {
    struct wl_dnn_walk walk;
    int channels, before, after;
    double alpha, beta, k;
    long long y, x, dy, dx; /* steps of channels */
};

/* y = x / (k + alpha * the sum of (its neighbours - its mean)^2)^beta, over three spatial
 * dimensions, of which the first one may have size 1: neighbours are `before` places before it to
 * `after` behind it. Steps are those of n, c and the spatial dimensions; all but what is made have
 * x's. */
struct wl_dnn_divisive {
    int batch, channels, sizes[WL_DNN_SPATIAL];
    int before[WL_DNN_SPATIAL], after[WL_DNN_SPATIAL];
    double alpha, beta, k;
    long long x[WL_DNN_RANK], y[WL_DNN_RANK];
};

/* A tensor x of dimensions `from` becomes y of dimensions `to`. `before` is where the padded one
 * begins, less than 0 what is cut off. Either it is padded to `between` and then each spatial
 * dimension folded, which makes channels of its parts (is_reversed: the last one comes first), or
 * (is_back) unfolded to that and padded. */
struct wl_dnn_fold {
    int rank, is_back, is_reversed;
    long long count; /* of y */
    int from[WL_DNN_WALK_RANK], between[WL_DNN_WALK_RANK], to[WL_DNN_WALK_RANK];
    int before[WL_DNN_WALK_RANK], folds[WL_DNN_WALK_RANK];
    long long x[WL_DNN_WALK_RANK], y[WL_DNN_WALK_RANK];
};

/* Pictures of h times w of c channels, sampled at the places of a grid: the steps of x and y (or of
 * their gradients) are those of n, c, h, w; the grid is packed: batch, out_h, out_w, 2. */
struct wl_dnn_sampling {
    int batch, channels, in_h, in_w, out_h, out_w;
    long long x[4], dx[4], y[4];
};

#endif
