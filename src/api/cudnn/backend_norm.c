/* Normalisation in graphs: of layers, instances and batches, by the root of mean squares;
 * gradients. */
#include "api/cudnn/backend.h"

/* cudnnBackendNormMode_t, cudnnBackendNormFwdPhase_t */
enum mode { LAYER = 0, INSTANCE = 1, BATCH = 2, RMS = 4 };
enum { INFERENCE = 0 };

/* The places of forward runs, and of gradients. */
enum {
    X,
    Y,
    MEAN,
    INVERSE,
    SCALE,
    BIAS,
    EPSILON,
    FACTOR,
    OLD_MEAN,
    OLD_VARIANCE,
    NEW_MEAN,
    NEW_VARIANCE
};
enum { DX = Y, DY = BIAS, DSCALE = 6, DBIAS = 7 };

static bool is_there(const struct wl_cudnn_place *place)
{
    return place->shape.rank > 0;
}

/* Splits x's dimensions into those that the tensor keeps and those over which it goes. false: there
 * are too many elements. */
static bool split(const struct wl_cudnn_tensor *x, const int *kept, struct wl_dnn_graph_norm *of)
{
    int over[WL_CUDNN_RANK_MAX];
    for (int i = 0; i < x->rank; i++)
        over[i] = kept[i] == 1 ? x->dims[i] : 1;
    return wl_cudnn_graph_dims(&of->kept, x->rank, kept, &of->groups) &&
           wl_cudnn_graph_dims(&of->over, x->rank, over, &of->size);
}

/* The dimensions of what x is normalised by: those of its tensors, or by the mode where there are
 * none. */
static void find_kept(enum mode mode, const struct wl_cudnn_place *places, int *kept)
{
    const struct wl_cudnn_tensor *x = &places[X].shape, *scale = &places[SCALE].shape,
                                 *given = &places[INVERSE].shape;
    const bool is_by_scale = mode == LAYER || mode == RMS;
    for (int i = 0; i < x->rank; i++) {
        const bool is_over =
            is_by_scale ? scale->dims[i] == x->dims[i] : i > 1 || (i == 0 && mode == BATCH);
        kept[i] = given->rank ? given->dims[i] : is_over ? 1 : x->dims[i];
    }
}

/* Whether all that is there can be spread over x, and what is written can be. */
static int check(const struct wl_cudnn_node *self, const struct wl_cudnn_place *places,
                 int64_t mode, unsigned tensors, unsigned written)
{
    (void)self;
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_place *place = &places[i];
        if (!(tensors >> i & 1) || !is_there(place))
            continue;
        if (place->is_value || !wl_cudnn_can_spread(&place->shape, &places[X].shape))
            return WL_CUDNN_BAD_PARAM;
        if (written >> i & 1 && !wl_cudnn_is_writable(&place->shape))
            return WL_CUDNN_NOT_SUPPORTED;
    }
    if (!wl_cudnn_has_dims_of(&places[X].shape, &places[Y].shape))
        return WL_CUDNN_BAD_PARAM;
    return mode == LAYER || mode == INSTANCE || mode == BATCH || mode == RMS
               ? WL_CUDNN_OK
               : WL_CUDNN_NOT_SUPPORTED;
}

/* Whether a number comes from the host, or there is none. */
static bool is_value(const struct wl_cudnn_place *place)
{
    return !is_there(place) || place->is_value;
}

static int run(const char *name, const struct wl_dnn_graph_norm *norm, void *stream)
{
    struct wl_dnn_graph_norm of = *norm;
    void *arguments[] = {&of};
    return wl_cudnn_run(&wl_cudnn_graph_kernels, name, WL_CUDNN_DOUBLE, (uint64_t)of.groups, stream,
                        arguments);
}

/* What training and inference have in common. */
static struct wl_dnn_graph_norm operands_of(const struct wl_cudnn_place *places)
{
    return (struct wl_dnn_graph_norm){
        .x = wl_cudnn_operand(&places[X], 1),
        .y = wl_cudnn_operand(&places[Y], 1),
        .mean = wl_cudnn_operand(&places[MEAN], 1),
        .inverse = wl_cudnn_operand(&places[INVERSE], 1),
        .scale = wl_cudnn_operand(&places[SCALE], 1),
        .bias = wl_cudnn_operand(&places[BIAS], 1),
    };
}

int wl_cudnn_operation_norm(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                            struct wl_cudnn_pass *pass)
{
    const int64_t mode = wl_cudnn_number(self, WL_CUDNN_OF_NORM_MODE, -1);
    const unsigned values = 1u << EPSILON | 1u << FACTOR;
    int kept[WL_CUDNN_RANK_MAX];
    const int status =
        check(self, places, mode, ~values,
              1u << Y | 1u << MEAN | 1u << INVERSE | 1u << NEW_MEAN | 1u << NEW_VARIANCE);
    if (status)
        return status;
    if ((mode == LAYER || mode == RMS) && !is_there(&places[SCALE]))
        return WL_CUDNN_BAD_PARAM;
    if (!is_value(&places[EPSILON]) || !is_value(&places[FACTOR]))
        return WL_CUDNN_NOT_SUPPORTED;
    if (!pass->is_run)
        return WL_CUDNN_OK;
    struct wl_dnn_graph_norm of = operands_of(places);
    of.old_mean = wl_cudnn_operand(&places[OLD_MEAN], 1);
    of.old_variance = wl_cudnn_operand(&places[OLD_VARIANCE], 1);
    of.new_mean = wl_cudnn_operand(&places[NEW_MEAN], 1);
    of.new_variance = wl_cudnn_operand(&places[NEW_VARIANCE], 1);
    of.epsilon = places[EPSILON].value;
    of.factor = places[FACTOR].value;
    of.is_rms = mode == RMS;
    find_kept((enum mode)mode, places, kept);
    return split(&places[X].shape, kept, &of) ? run("graph_norm", &of, pass->stream)
                                              : WL_CUDNN_NOT_SUPPORTED;
}

bool wl_cudnn_is_norm_inference(const struct wl_cudnn_node *operation)
{
    return operation->type == WL_CUDNN_NODE_OF_NORM &&
           wl_cudnn_number(operation, WL_CUDNN_OF_NORM_MODE, -1) == BATCH &&
           wl_cudnn_number(operation, WL_CUDNN_OF_NORM_PHASE, -1) == INFERENCE;
}

int wl_cudnn_operation_norm_inference(const struct wl_cudnn_node *self,
                                      struct wl_cudnn_place *places, struct wl_cudnn_pass *pass)
{
    const unsigned tensors =
        1u << X | 1u << Y | 1u << MEAN | 1u << INVERSE | 1u << SCALE | 1u << BIAS;
    const int status = check(self, places, BATCH, tensors, 1u << Y);
    if (status)
        return status;
    if (!is_there(&places[MEAN]) || !is_there(&places[INVERSE]))
        return WL_CUDNN_BAD_PARAM;
    if (!pass->is_run)
        return WL_CUDNN_OK;
    struct wl_dnn_graph_norm of = operands_of(places);
    return split(&places[X].shape, places[X].shape.dims, &of)
               ? run("graph_norm_apply", &of, pass->stream)
               : WL_CUDNN_NOT_SUPPORTED;
}

int wl_cudnn_operation_norm_gradient(const struct wl_cudnn_node *self,
                                     struct wl_cudnn_place *places, struct wl_cudnn_pass *pass)
{
    const int64_t mode = wl_cudnn_number(self, WL_CUDNN_OF_NORM_GRADIENT_MODE, -1);
    const unsigned tensors = 1u << X | 1u << DX | 1u << MEAN | 1u << INVERSE | 1u << SCALE |
                             1u << DY | 1u << DSCALE | 1u << DBIAS;
    int status = check(self, places, mode, tensors, 1u << DX | 1u << DSCALE | 1u << DBIAS);
    if (status)
        return status;
    if ((mode != RMS && !is_there(&places[MEAN])) ||
        !wl_cudnn_has_dims_of(&places[X].shape, &places[DY].shape) ||
        (is_there(&places[DSCALE]) && is_there(&places[DBIAS]) &&
         !wl_cudnn_has_dims_of(&places[DSCALE].shape, &places[DBIAS].shape)))
        return WL_CUDNN_BAD_PARAM;
    if (!pass->is_run)
        return WL_CUDNN_OK;
    struct wl_dnn_graph_norm of = {
        .x = wl_cudnn_operand(&places[X], 1),
        .y = wl_cudnn_operand(&places[DX], 1),
        .mean = wl_cudnn_operand(&places[MEAN], 1),
        .inverse = wl_cudnn_operand(&places[INVERSE], 1),
        .scale = wl_cudnn_operand(&places[SCALE], 1),
        .dy = wl_cudnn_operand(&places[DY], 1),
        .dscale = wl_cudnn_operand(&places[DSCALE], 1),
        .dbias = wl_cudnn_operand(&places[DBIAS], 1),
        .is_rms = mode == RMS,
    };
    status = split(&places[X].shape, places[INVERSE].shape.dims, &of)
                 ? run("graph_norm_back", &of, pass->stream)
                 : WL_CUDNN_NOT_SUPPORTED;
    const struct wl_cudnn_place *made =
        is_there(&places[DSCALE]) ? &places[DSCALE] : &places[DBIAS];
    if (status || !is_there(made))
        return status;
    return split(&places[X].shape, made->shape.dims, &of)
               ? run("graph_norm_back_scale", &of, pass->stream)
               : WL_CUDNN_NOT_SUPPORTED;
}
