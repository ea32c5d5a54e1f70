/* cuDNN's calls of convolutions. All algorithms are one, which needs no memory of the program's and
 * gives the same sums each time. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/reduce.h"
#include "base/count.h"

/* cudnnDeterminism_t */
enum { DETERMINISTIC = 1 };

/* What is told of an algorithm; of each direction alike. */
struct performance {
    int algorithm, status;
    float time_ms;
    size_t memory_bytes;
    int determinism, math_type, reserved[3];
};

/* A direction's algorithms by number. */
struct direction {
    enum wl_cudnn_way way;
    int algorithm_count;
    int missing;  /* one that cuDNN has a number for and no kernel, or -1 */
    int order[8]; /* in which they are told: those of least memory in cuDNN first */
};
static const struct direction forward = {WL_CUDNN_FORWARD, 8, 3, {1, 0, 2, 4, 5, 7, 6, 3}},
                              data = {WL_CUDNN_DATA, 6, -1, {1, 0, 3, 2, 5, 4}},
                              filter = {WL_CUDNN_FILTER, 7, 4, {1, 0, 3, 5, 2, 6, 4}};

/* What a call is about, as it is described; x, w, y: as wl_cudnn_convolve names them. */
struct given {
    const void *x_shape, *w_shape, *y_shape, *convolution;
};

struct taken {
    const struct wl_cudnn_tensor *x, *w, *y;
    const struct wl_cudnn_convolution *convolution;
};

/* 0, or what the call answers. */
static int take(const char *call, const struct direction *direction, struct given given,
                struct taken *taken)
{
    *taken = (struct taken){
        wl_cudnn_tensor_check(given.x_shape),
        wl_cudnn_filter_check(given.w_shape),
        wl_cudnn_tensor_check(given.y_shape),
        wl_cudnn_convolution_check(given.convolution),
    };
    if (!taken->x || !taken->w || !taken->y || !taken->convolution)
        return WL_CUDNN_BAD_PARAM;
    const int status =
        wl_cudnn_can_convolve(direction->way, taken->convolution, taken->x, taken->w, taken->y);
    return status == WL_CUDNN_NOT_SUPPORTED ? wl_cudnn_refuse(call, "these types or dimensions")
                                            : status;
}

/* With what the program says of sums, which may have been set before the rest. */
static struct wl_cudnn_convolution convolution_of(const void *convolution)
{
    const struct wl_cudnn_convolution_descriptor *descriptor = convolution;
    struct wl_cudnn_convolution made = descriptor->is;
    made.keeps_single = descriptor->math_type == WL_CUDNN_MATH_FMA;
    return made;
}

/* Whether it is a number of an algorithm; 0, or what the call answers. Programs ask for each one's
 * workspace to find out which there are. */
static int check_algorithm(const struct direction *direction, int algorithm)
{
    return algorithm < 0 || algorithm >= direction->algorithm_count ||
                   algorithm == direction->missing
               ? WL_CUDNN_NOT_SUPPORTED
               : WL_CUDNN_OK;
}

/* ---- sizes ---- */

int cudnnGetConvolutionNdForwardOutputDim(const void *convolution, const void *x_shape,
                                          const void *w_shape, int rank, int *dims)
{
    const struct wl_cudnn_convolution *c = wl_cudnn_convolution_check(convolution);
    const struct wl_cudnn_tensor *x = wl_cudnn_tensor_check(x_shape),
                                 *w = wl_cudnn_filter_check(w_shape);
    int made[WL_CUDNN_RANK_MAX];
    if (!c || !x || !w || !dims || rank > x->rank)
        return WL_CUDNN_BAD_PARAM;
    const int status = wl_cudnn_convolution_shape(c, x, w, made);
    for (int i = 0; !status && i < rank; i++)
        dims[i] = made[i];
    return status;
}

int cudnnGetConvolution2dForwardOutputDim(const void *convolution, const void *x_shape,
                                          const void *w_shape, int *n, int *c, int *h, int *w)
{
    const struct wl_cudnn_convolution *is = wl_cudnn_convolution_check(convolution);
    int dims[4], *const results[] = {n, c, h, w};
    if (!is || is->spatial != 2)
        return WL_CUDNN_BAD_PARAM;
    const int status =
        cudnnGetConvolutionNdForwardOutputDim(convolution, x_shape, w_shape, 4, dims);
    for (int i = 0; !status && i < 4; i++)
        if (results[i])
            *results[i] = dims[i];
    return status;
}

static int tell_workspace(const char *call, const void *handle, const struct direction *direction,
                          struct given given, int algorithm, size_t *bytes)
{
    struct taken taken;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !bytes)
        return WL_CUDNN_BAD_PARAM;
    int status = check_algorithm(direction, algorithm);
    if (!status)
        status = take(call, direction, given, &taken);
    if (!status)
        *bytes = 0;
    return status;
}

/* ---- algorithms ---- */

/* Of how many there may be told, which in cuDNN is more than there are. */
static int tell_count(const void *handle, const struct direction *direction, int *count)
{
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !count)
        return WL_CUDNN_BAD_PARAM;
    *count = direction->algorithm_count + 2;
    return WL_CUDNN_OK;
}

/* As many as are wanted, all for less than none, with a time that is not known. told may be NULL.
 */
static int tell_algorithms(const char *call, const void *handle, const struct direction *direction,
                           struct given given, int wanted, int *told, struct performance *results)
{
    struct taken taken;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !results)
        return WL_CUDNN_BAD_PARAM;
    const int status = take(call, direction, given, &taken);
    if (status)
        return status;
    int count = direction->algorithm_count;
    if (wanted >= 0 && wanted < count)
        count = wanted;
    for (int i = 0; i < count; i++)
        results[i] = (struct performance){
            .algorithm = direction->order[i],
            .status = check_algorithm(direction, direction->order[i]),
            .time_ms = -1,
            .determinism = DETERMINISTIC,
            .math_type =
                ((const struct wl_cudnn_convolution_descriptor *)given.convolution)->math_type,
        };
    if (told)
        *told = count;
    return WL_CUDNN_OK;
}

/* The same, as if it had been tried how long each takes. */
static int find_algorithms(const char *call, const void *handle, const struct direction *direction,
                           struct given given, int wanted, int *told, struct performance *results)
{
    int count = 0;
    const int status = tell_algorithms(call, handle, direction, given, wanted, &count, results);
    for (int i = 0; !status && i < count; i++)
        if (!results[i].status)
            results[i].time_ms = 0;
    if (!status && told)
        *told = count;
    return status;
}

/* ---- forward ---- */

#define GIVEN(x, w, y) ((struct given){x, w, y, convolution})

int cudnnGetConvolutionForwardAlgorithmMaxCount(const void *handle, int *count)
{
    return tell_count(handle, &forward, count);
}

int cudnnGetConvolutionForwardAlgorithm_v7(const void *handle, const void *x_shape,
                                           const void *w_shape, const void *convolution,
                                           const void *y_shape, int wanted, int *told,
                                           struct performance *results)
{
    return tell_algorithms(__func__, handle, &forward, GIVEN(x_shape, w_shape, y_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionForwardAlgorithm(const void *handle, const void *x_shape,
                                         const void *w_shape, const void *convolution,
                                         const void *y_shape, int wanted, int *told,
                                         struct performance *results)
{
    return find_algorithms(__func__, handle, &forward, GIVEN(x_shape, w_shape, y_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionForwardAlgorithmEx(const void *handle, const void *x_shape, const void *x,
                                           const void *w_shape, const void *w,
                                           const void *convolution, const void *y_shape, void *y,
                                           int wanted, int *told, struct performance *results,
                                           void *space, size_t space_bytes)
{
    (void)space;
    (void)space_bytes;
    if (!x || !w || !y)
        return WL_CUDNN_BAD_PARAM;
    return find_algorithms(__func__, handle, &forward, GIVEN(x_shape, w_shape, y_shape), wanted,
                           told, results);
}

int cudnnGetConvolutionForwardWorkspaceSize(const void *handle, const void *x_shape,
                                            const void *w_shape, const void *convolution,
                                            const void *y_shape, int algorithm, size_t *bytes)
{
    return tell_workspace(__func__, handle, &forward, GIVEN(x_shape, w_shape, y_shape), algorithm,
                          bytes);
}

/* What all three ways of computing share. */
static int convolve(const char *call, const void *handle, const struct direction *direction,
                    struct given given, int algorithm, const void *alpha, void *x, void *w, void *y,
                    const void *beta)
{
    struct taken taken;
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !x || !w || !y)
        return WL_CUDNN_BAD_PARAM;
    int status = check_algorithm(direction, algorithm);
    if (!status)
        status = take(call, direction, given, &taken);
    if (status)
        return status;
    const struct wl_cudnn_convolution c = convolution_of(given.convolution);
    return wl_cudnn_convolve(stream, direction->way, &c, taken.x, x, taken.w, w, taken.y, y,
                             wl_cudnn_read_scalar(taken.x->type, alpha),
                             wl_cudnn_read_scalar(taken.x->type, beta));
}

int cudnnConvolutionForward(const void *handle, const void *alpha, const void *x_shape, void *x,
                            const void *w_shape, void *w, const void *convolution, int algorithm,
                            void *space, size_t space_bytes, const void *beta, const void *y_shape,
                            void *y)
{
    (void)space;
    (void)space_bytes;
    return convolve(__func__, handle, &forward, GIVEN(x_shape, w_shape, y_shape), algorithm, alpha,
                    x, w, y, beta);
}

int cudnnConvolutionBiasActivationForward(const void *handle, const void *alpha,
                                          const void *x_shape, void *x, const void *w_shape,
                                          void *w, const void *convolution, int algorithm,
                                          void *space, size_t space_bytes, const void *z_factor,
                                          const void *z_shape, void *z, const void *bias_shape,
                                          void *bias, const void *activation, const void *y_shape,
                                          void *y)
{
    const struct wl_cudnn_tensor *z_is = wl_cudnn_tensor_check(z_shape),
                                 *bias_is = wl_cudnn_tensor_check(bias_shape);
    const struct wl_dnn_activation *after = wl_cudnn_activation_check(activation);
    struct taken taken;
    void *stream;
    (void)space;
    (void)space_bytes;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !x || !w || !z_factor || !bias || !y ||
        !z_is || !bias_is || !after)
        return WL_CUDNN_BAD_PARAM;
    int status = check_algorithm(&forward, algorithm);
    if (!status)
        status = take(__func__, &forward, GIVEN(x_shape, w_shape, y_shape), &taken);
    if (status)
        return status;
    const double factor = wl_cudnn_read_scalar(taken.x->type, z_factor);
    if (!wl_cudnn_has_dims_of(z_is, taken.y) || z_is->type != taken.y->type ||
        bias_is->type != taken.y->type || bias_is->dims[1] != taken.y->dims[1] ||
        wl_cudnn_tensor_count(bias_is) != bias_is->dims[1] || (factor != 0 && !z))
        return WL_CUDNN_BAD_PARAM;
    if (after->mode != WL_DNN_RELU && after->mode != WL_DNN_IDENTITY)
        return wl_cudnn_refuse(__func__, "activations other than ReLU and none");
    const struct wl_cudnn_convolution c = convolution_of(convolution);
    return wl_cudnn_convolve_fused(stream, &c, taken.x, x, taken.w, w, taken.y, y,
                                   wl_cudnn_read_scalar(taken.x->type, alpha), z_is,
                                   &(struct wl_dnn_epilogue){
                                       .z = z,
                                       .factor = factor,
                                       .bias = bias,
                                       .bias_step = bias_is->strides[1],
                                       .activation = *after,
                                   });
}

int cudnnIm2Col(const void *handle, const void *x_shape, const void *x, const void *w_shape,
                const void *convolution, void *columns)
{
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *w_is = wl_cudnn_filter_check(w_shape);
    const struct wl_cudnn_convolution *c = wl_cudnn_convolution_check(convolution);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !x_is || !w_is || !c || !x || !columns)
        return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_columns(stream, c, x_is, x, w_is, columns);
}

/* ---- the input's gradient ---- */

int cudnnGetConvolutionBackwardDataAlgorithmMaxCount(const void *handle, int *count)
{
    return tell_count(handle, &data, count);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(const void *handle, const void *w_shape,
                                                const void *dy_shape, const void *convolution,
                                                const void *dx_shape, int wanted, int *told,
                                                struct performance *results)
{
    return tell_algorithms(__func__, handle, &data, GIVEN(dx_shape, w_shape, dy_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionBackwardDataAlgorithm(const void *handle, const void *w_shape,
                                              const void *dy_shape, const void *convolution,
                                              const void *dx_shape, int wanted, int *told,
                                              struct performance *results)
{
    return find_algorithms(__func__, handle, &data, GIVEN(dx_shape, w_shape, dy_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionBackwardDataAlgorithmEx(const void *handle, const void *w_shape,
                                                const void *w, const void *dy_shape, const void *dy,
                                                const void *convolution, const void *dx_shape,
                                                void *dx, int wanted, int *told,
                                                struct performance *results, void *space,
                                                size_t space_bytes)
{
    (void)space;
    (void)space_bytes;
    if (!w || !dy || !dx)
        return WL_CUDNN_BAD_PARAM;
    return find_algorithms(__func__, handle, &data, GIVEN(dx_shape, w_shape, dy_shape), wanted,
                           told, results);
}

int cudnnGetConvolutionBackwardDataWorkspaceSize(const void *handle, const void *w_shape,
                                                 const void *dy_shape, const void *convolution,
                                                 const void *dx_shape, int algorithm, size_t *bytes)
{
    return tell_workspace(__func__, handle, &data, GIVEN(dx_shape, w_shape, dy_shape), algorithm,
                          bytes);
}

int cudnnConvolutionBackwardData(const void *handle, const void *alpha, const void *w_shape,
                                 void *w, const void *dy_shape, void *dy, const void *convolution,
                                 int algorithm, void *space, size_t space_bytes, const void *beta,
                                 const void *dx_shape, void *dx)
{
    (void)space;
    (void)space_bytes;
    return convolve(__func__, handle, &data, GIVEN(dx_shape, w_shape, dy_shape), algorithm, alpha,
                    dx, w, dy, beta);
}

/* ---- the filter's gradient ---- */

int cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(const void *handle, int *count)
{
    return tell_count(handle, &filter, count);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(const void *handle, const void *x_shape,
                                                  const void *dy_shape, const void *convolution,
                                                  const void *dw_shape, int wanted, int *told,
                                                  struct performance *results)
{
    return tell_algorithms(__func__, handle, &filter, GIVEN(x_shape, dw_shape, dy_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionBackwardFilterAlgorithm(const void *handle, const void *x_shape,
                                                const void *dy_shape, const void *convolution,
                                                const void *dw_shape, int wanted, int *told,
                                                struct performance *results)
{
    return find_algorithms(__func__, handle, &filter, GIVEN(x_shape, dw_shape, dy_shape), wanted,
                           told, results);
}

int cudnnFindConvolutionBackwardFilterAlgorithmEx(const void *handle, const void *x_shape,
                                                  const void *x, const void *dy_shape,
                                                  const void *dy, const void *convolution,
                                                  const void *dw_shape, void *dw, int wanted,
                                                  int *told, struct performance *results,
                                                  void *space, size_t space_bytes)
{
    (void)space;
    (void)space_bytes;
    if (!x || !dy || !dw)
        return WL_CUDNN_BAD_PARAM;
    return find_algorithms(__func__, handle, &filter, GIVEN(x_shape, dw_shape, dy_shape), wanted,
                           told, results);
}

int cudnnGetConvolutionBackwardFilterWorkspaceSize(const void *handle, const void *x_shape,
                                                   const void *dy_shape, const void *convolution,
                                                   const void *dw_shape, int algorithm,
                                                   size_t *bytes)
{
    return tell_workspace(__func__, handle, &filter, GIVEN(x_shape, dw_shape, dy_shape), algorithm,
                          bytes);
}

int cudnnConvolutionBackwardFilter(const void *handle, const void *alpha, const void *x_shape,
                                   void *x, const void *dy_shape, void *dy, const void *convolution,
                                   int algorithm, void *space, size_t space_bytes, const void *beta,
                                   const void *dw_shape, void *dw)
{
    (void)space;
    (void)space_bytes;
    return convolve(__func__, handle, &filter, GIVEN(x_shape, dw_shape, dy_shape), algorithm, alpha,
                    x, dw, dy, beta);
}

/* ---- the bias's gradient ---- */

int cudnnConvolutionBackwardBias(const void *handle, const void *alpha, const void *dy_shape,
                                 const void *dy, const void *beta, const void *db_shape, void *db)
{
    const struct wl_cudnn_tensor *dy_is = wl_cudnn_tensor_check(dy_shape),
                                 *db_is = wl_cudnn_tensor_check(db_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !alpha || !beta || !dy_is || !db_is || !dy || !db ||
        dy_is->type != db_is->type || dy_is->rank != db_is->rank ||
        db_is->dims[1] != dy_is->dims[1] || wl_cudnn_tensor_count(db_is) != db_is->dims[1])
        return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(dy_is->type))
        return wl_cudnn_refuse(__func__, "these types");
    return wl_cudnn_reduce(stream, &(struct wl_cudnn_reducing){
                                       .operation = WL_DNN_SUM,
                                       .a_shape = dy_is,
                                       .a = dy,
                                       .c_shape = db_is,
                                       .c = db,
                                       .alpha = wl_cudnn_read_scalar(dy_is->type, alpha),
                                       .beta = wl_cudnn_read_scalar(dy_is->type, beta),
                                   });
}
