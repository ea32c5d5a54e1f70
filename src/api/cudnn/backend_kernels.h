/* Arguments of the kernels of graphs' operations; same layout on host and device. */
#ifndef WL_API_CUDNN_BACKEND_KERNELS_H
#define WL_API_CUDNN_BACKEND_KERNELS_H

enum { WL_DNN_GRAPH_RANK = 8 };

/* Sizes of which the product is below 2^31; i / sizes[d] is i * factors[d] >> shifts[d]. */
struct wl_dnn_graph_dims {
    int rank, sizes[WL_DNN_GRAPH_RANK];
    unsigned factors[WL_DNN_GRAPH_RANK], shifts[WL_DNN_GRAPH_RANK];
};

/* Beside the types of enum wl_cudnn_type: 8-bit floating-point numbers (CUDNN_DATA_FP8_E4M3,
 * CUDNN_DATA_FP8_E5M2), and booleans in a program's memory, of which eight are a byte, the first
 * one in its lowest bit. Between operations a boolean is a byte. */
enum { WL_DNN_GRAPH_E4M3 = 12, WL_DNN_GRAPH_E5M2 = 13, WL_DNN_GRAPH_BITS = 32 };

/* A tensor, of any of these types, or a value (data NULL). Strides are 0 in dimensions
 * over which it is spread. */
struct wl_dnn_graph_operand {
    void *data;
    double value, factor; /* what is read is multiplied by factor */
    long long strides[WL_DNN_GRAPH_RANK];
    int type;
};

/* out = mode(x, b, t), t being a condition. upper: NaN for none. */
struct wl_dnn_graph_pointwise {
    struct wl_dnn_graph_operand out, x, b, t;
    struct wl_dnn_graph_dims dims;
    int count;
    double lower, upper, slope, elu, softplus, swish;
    int mode; /* cudnnPointwiseMode_t */
    int axis;
};

/* out = x b, matrices of the last two dimensions; dims are those of out. So many matrices in a row,
 * in each of the other dimensions, are of the same one of x, of b. Of each matrix fewer rows,
 * columns and products may count than there are: then the rest of out is 0. */
struct wl_dnn_graph_matmul {
    struct wl_dnn_graph_operand out, x, b, row_count, column_count, depth_count;
    struct wl_dnn_graph_dims dims;
    int count, depth;
    int x_shared[WL_DNN_GRAPH_RANK], b_shared[WL_DNN_GRAPH_RANK];
};

/* out: of x, so many in a row of each dimension as `over` says; dims are those of out. */
struct wl_dnn_graph_reduction {
    struct wl_dnn_graph_operand out, x;
    struct wl_dnn_graph_dims dims, over;
    int count, over_count;
    int group; /* threads that share one result */
    int mode;  /* cudnnReduceTensorOp_t; 9: the sum of squares */
};

/* Windows over the last `spatial` dimensions, whose sizes are `in` of x and `out` of y. What is no
 * number is the greatest. The grid's
 * dims are those of y, going back those of x. index: of the greatest element within its window, by
 * number; it may be left out. */
enum { WL_DNN_GRAPH_SPATIAL = 3 };
struct wl_dnn_graph_resample {
    struct wl_dnn_graph_operand x, y, index, dx, dy;
    struct wl_dnn_graph_dims dims, window; /* window: of `spatial` dimensions */
    int count, taps, spatial;
    int in[WL_DNN_GRAPH_SPATIAL], out[WL_DNN_GRAPH_SPATIAL];
    int pads[WL_DNN_GRAPH_SPATIAL], strides[WL_DNN_GRAPH_SPATIAL];
    int is_most, counts_padding; /* else a mean; counts_padding: of padding, which is 0, too */
    double alpha, beta;
};

/* out: random numbers of the seed, of the offset and of their places. */
struct wl_dnn_graph_rng {
    struct wl_dnn_graph_operand out, seed, offset;
    struct wl_dnn_graph_dims dims;
    int count;
    long long seed_value;
    double least, most, probability;
    int mode; /* cudnnRngDistribution_t */
};

/* Normalisation: y = scale (x - mean) inverse + bias, or its gradients. Elements that have a mean
 * in common are those of one group, which is `kept` dimensions' element, and stand in the
 * dimensions `over`; of the gradients of scale and bias it is the same with their elements. What
 * has no data is left out. */
struct wl_dnn_graph_norm {
    struct wl_dnn_graph_operand x, y, mean, inverse, scale, bias;
    struct wl_dnn_graph_operand old_mean, old_variance, new_mean, new_variance;
    struct wl_dnn_graph_operand dy, dscale, dbias; /* y: dx */
    struct wl_dnn_graph_dims kept, over;
    int groups, size;
    double epsilon, factor; /* factor: the new part of running averages */
    int is_rms;             /* the mean is taken for 0 */
};

#endif
