/* What backend descriptors are checked for before they are final, and what they tell afterwards. A
 * graph that is computed has one engine, without knobs and notes. */
#include <limits.h>
#include <string.h>

#include "api/cudnn/backend.h"
#include "base/count.h"

/* Whether there are so many elements, all within these bounds. */
static bool is_within(const struct wl_cudnn_node *self, int name, int64_t count, int64_t least,
                      int64_t most)
{
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(self, name);
    if (!found || found->count != count)
        return false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = ((const int64_t *)found->values)[i];
        if (value < least || value > most)
            return false;
    }
    return true;
}

/* A value of the host is one element; addresses are multiples of elements. */
static bool is_placed(const struct wl_cudnn_node *self, int64_t rank, int type)
{
    const size_t bytes = wl_cudnn_graph_type_bytes(type);
    const int64_t alignment = wl_cudnn_number(self, WL_CUDNN_TENSOR_ALIGNMENT, 0);
    return alignment > 0 && (!bytes || alignment % (int64_t)bytes == 0) &&
           (!wl_cudnn_number(self, WL_CUDNN_TENSOR_IS_VALUE, 0) ||
            is_within(self, WL_CUDNN_TENSOR_DIMENSIONS, rank, 1, 1));
}

static int finish_tensor(struct wl_cudnn_node *self)
{
    enum { LAST_TYPE = 21 };
    const int64_t rank = wl_cudnn_attribute(self, WL_CUDNN_TENSOR_DIMENSIONS)->count,
                  type = wl_cudnn_number(self, WL_CUDNN_TENSOR_DATA_TYPE, 0);
    const bool is_right = type >= 0 && type <= LAST_TYPE &&
                          is_within(self, WL_CUDNN_TENSOR_DIMENSIONS, rank, 1, INT64_MAX) &&
                          is_within(self, WL_CUDNN_TENSOR_STRIDES, rank, 0, INT64_MAX) &&
                          is_placed(self, rank, (int)type) &&
                          wl_cudnn_number(self, WL_CUDNN_TENSOR_VECTOR_COUNT, 1) > 0;
    return is_right ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

static int finish_convolution(struct wl_cudnn_node *self)
{
    const int64_t spatial = wl_cudnn_number(self, WL_CUDNN_CONVOLUTION_SPATIAL, 0),
                  mode = wl_cudnn_number(self, WL_CUDNN_CONVOLUTION_MODE, -1);
    const struct wl_cudnn_attribute *after =
        wl_cudnn_attribute(self, WL_CUDNN_CONVOLUTION_POST_PADS);
    const bool is_right =
        spatial > 0 && (mode == 0 || mode == 1) &&
        is_within(self, WL_CUDNN_CONVOLUTION_DILATIONS, spatial, 1, INT_MAX) &&
        is_within(self, WL_CUDNN_CONVOLUTION_STRIDES, spatial, 1, INT_MAX) &&
        is_within(self, WL_CUDNN_CONVOLUTION_PADS, spatial, 0, INT_MAX) &&
        (!after || is_within(self, WL_CUDNN_CONVOLUTION_POST_PADS, spatial, 0, INT_MAX));
    return is_right ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

static int finish_operation(struct wl_cudnn_node *self)
{
    return wl_cudnn_operation_check(self);
}

static int finish_graph(struct wl_cudnn_node *self)
{
    const int status = wl_cudnn_graph_make(self);
    if (status == WL_CUDNN_OK)
        wl_cudnn_attribute_set_number(self, WL_CUDNN_GRAPH_ENGINES,
                                      wl_cudnn_graph_is_computed(self->graph));
    return status;
}

static int finish_engine(struct wl_cudnn_node *self)
{
    const int64_t index = wl_cudnn_number(self, WL_CUDNN_ENGINE_INDEX, -1);
    const struct wl_cudnn_graph *graph = wl_cudnn_part(self, WL_CUDNN_ENGINE_GRAPH)->graph;
    if (!wl_cudnn_graph_is_computed(graph))
        return wl_cudnn_graph_refuse(graph);
    if (index != 0)
        return WL_CUDNN_NOT_SUPPORTED; /* as cuDNN has it */
    wl_cudnn_attribute_set_note(self);
    return WL_CUDNN_OK;
}

static const struct wl_cudnn_graph *graph_of_engine(const struct wl_cudnn_node *engine)
{
    return wl_cudnn_part(engine, WL_CUDNN_ENGINE_GRAPH)->graph;
}

static int finish_config(struct wl_cudnn_node *self)
{
    const struct wl_cudnn_attribute *knobs = wl_cudnn_attribute(self, WL_CUDNN_CONFIG_KNOBS);
    if (knobs && knobs->count)
        return WL_CUDNN_BAD_PARAM;
    const size_t bytes =
        wl_cudnn_graph_workspace(graph_of_engine(wl_cudnn_part(self, WL_CUDNN_CONFIG_ENGINE)));
    wl_cudnn_attribute_set_number(self, WL_CUDNN_CONFIG_WORKSPACE, (int64_t)bytes);
    wl_cudnn_attribute_default(self, WL_CUDNN_CONFIG_SHARED, 0);
    return WL_CUDNN_OK;
}

/* A new node with one part. */
static struct wl_cudnn_node *make_around(int type, int name, struct wl_cudnn_node *part)
{
    struct wl_cudnn_node *made = wl_cudnn_node_make(type);
    wl_cudnn_attribute_set_part(made, name, part);
    return made;
}

static void set_defaults(struct wl_cudnn_node *self);

static int finish_heuristics(struct wl_cudnn_node *self)
{
    struct wl_cudnn_node *graph = wl_cudnn_part(self, WL_CUDNN_HEURISTICS_GRAPH);
    if (!wl_cudnn_graph_is_computed(graph->graph))
        return wl_cudnn_graph_refuse(graph->graph);
    struct wl_cudnn_node *engine = make_around(WL_CUDNN_NODE_ENGINE, WL_CUDNN_ENGINE_GRAPH, graph);
    wl_cudnn_attribute_set_number(engine, WL_CUDNN_ENGINE_INDEX, 0);
    struct wl_cudnn_node *config =
        make_around(WL_CUDNN_NODE_CONFIG, WL_CUDNN_CONFIG_ENGINE, engine);
    const int status = finish_config(config);
    wl_cudnn_attribute_set_note(engine);
    set_defaults(engine);
    engine->is_final = config->is_final = true;
    wl_cudnn_attribute_set_part(self, WL_CUDNN_HEURISTICS_RESULTS, config);
    wl_cudnn_node_release(engine);
    wl_cudnn_node_release(config);
    return status;
}

static int finish_plan(struct wl_cudnn_node *self)
{
    if (wl_cudnn_attribute(self, WL_CUDNN_PLAN_INTERMEDIATES) ||
        wl_cudnn_attribute(self, WL_CUDNN_PLAN_RUN_INTERMEDIATES))
        return wl_cudnn_refuse("cudnnBackendFinalize", "plans with intermediate tensors");
    const struct wl_cudnn_attribute *given = wl_cudnn_attribute(self, WL_CUDNN_PLAN_TEXT);
    const struct wl_cudnn_node *config = wl_cudnn_part(self, WL_CUDNN_PLAN_CONFIG);
    if (!config && !given)
        return wl_cudnn_bad_param(WL_CUDNN_NOT_FINAL);
    if (!config) {
        struct wl_cudnn_node *read = wl_cudnn_node_read(given->values, (size_t)given->count);
        if (!read)
            return WL_CUDNN_BAD_PARAM;
        wl_cudnn_attribute_set_part(self, WL_CUDNN_PLAN_CONFIG, read);
        wl_cudnn_node_release(read);
        config = read;
    }
    char *const text = wl_cudnn_node_write(config);
    wl_cudnn_attribute_set(self, WL_CUDNN_PLAN_TEXT, WL_CUDNN_IS_CHARACTER, (int64_t)strlen(text),
                           text);
    free(text);
    wl_cudnn_attribute_set_number(self, WL_CUDNN_PLAN_WORKSPACE,
                                  wl_cudnn_number(config, WL_CUDNN_CONFIG_WORKSPACE, 0));
    return WL_CUDNN_OK;
}

static int finish_pack(struct wl_cudnn_node *self)
{
    if (wl_cudnn_attribute(self, WL_CUDNN_PACK_INTERMEDIATES))
        return wl_cudnn_refuse("cudnnBackendFinalize", "variant packs with intermediates");
    const struct wl_cudnn_attribute *ids = wl_cudnn_attribute(self, WL_CUDNN_PACK_IDS),
                                    *pointers = wl_cudnn_attribute(self, WL_CUDNN_PACK_POINTERS);
    return (ids ? ids->count : 0) == (pointers ? pointers->count : 0) ? WL_CUDNN_OK
                                                                      : WL_CUDNN_BAD_PARAM;
}

static int finish_reduction(struct wl_cudnn_node *self)
{
    enum { LAST_OPERATOR = 8 };
    const int64_t mode = wl_cudnn_number(self, WL_CUDNN_REDUCTION_OPERATOR, -1);
    return mode >= 0 && mode <= LAST_OPERATOR ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

static int finish_rng(struct wl_cudnn_node *self)
{
    enum { BERNOULLI = 0, NORMAL = 2 };
    const int64_t mode = wl_cudnn_number(self, WL_CUDNN_RNG_DISTRIBUTION, -1);
    const double part = wl_cudnn_real(self, WL_CUDNN_RNG_PROBABILITY, -1);
    return mode < BERNOULLI || mode > NORMAL || (mode == BERNOULLI && !(part >= 0 && part <= 1)) ||
                   (mode == NORMAL && !(wl_cudnn_real(self, WL_CUDNN_RNG_DEVIATION, 0) > 0))
               ? WL_CUDNN_BAD_PARAM
               : WL_CUDNN_OK;
}

/* An engine gives these, which has none. */
static int finish_never(struct wl_cudnn_node *self)
{
    (void)self;
    return WL_CUDNN_BAD_PARAM;
}

/* What is read back of what was not set. */
static void set_defaults(struct wl_cudnn_node *self)
{
    static const struct {
        int type, name;
        double value;
    } rows[] = {
        {WL_CUDNN_NODE_OF_FORWARD, WL_CUDNN_OF_FORWARD_ALPHA, 1},
        {WL_CUDNN_NODE_OF_FORWARD, WL_CUDNN_OF_FORWARD_BETA, 0},
        {WL_CUDNN_NODE_OF_DATA, WL_CUDNN_OF_DATA_ALPHA, 1},
        {WL_CUDNN_NODE_OF_DATA, WL_CUDNN_OF_DATA_BETA, 0},
        {WL_CUDNN_NODE_OF_FILTER, WL_CUDNN_OF_FILTER_ALPHA, 1},
        {WL_CUDNN_NODE_OF_FILTER, WL_CUDNN_OF_FILTER_BETA, 0},
        {WL_CUDNN_NODE_OF_RESAMPLE, WL_CUDNN_OF_RESAMPLE_ALPHA, 1},
        {WL_CUDNN_NODE_OF_RESAMPLE, WL_CUDNN_OF_RESAMPLE_BETA, 0},
        {WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT, WL_CUDNN_OF_RESAMPLE_GRADIENT_ALPHA, 1},
        {WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT, WL_CUDNN_OF_RESAMPLE_GRADIENT_BETA, 0},
        {WL_CUDNN_NODE_GRAPH, WL_CUDNN_GRAPH_IS_DYNAMIC, 0},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_DATA_TYPE, WL_CUDNN_FLOAT},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_ID, 0},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_VECTOR_COUNT, 1},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_VECTOR_DIMENSION, -1},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_IS_VIRTUAL, 0},
        {WL_CUDNN_NODE_TENSOR, WL_CUDNN_TENSOR_IS_VALUE, 0},
        {WL_CUDNN_NODE_ENGINE, WL_CUDNN_ENGINE_SM_COUNT, 0},
        {WL_CUDNN_NODE_MATMUL, WL_CUDNN_MATMUL_PADDING, 0},
        {WL_CUDNN_NODE_REDUCTION, WL_CUDNN_REDUCTION_IS_DETERMINISTIC, 0},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].type == self->type)
            wl_cudnn_attribute_default(self, rows[i].name, rows[i].value);
}

int wl_cudnn_node_finish(struct wl_cudnn_node *self)
{
    static const struct {
        int type;
        int (*finish)(struct wl_cudnn_node *self);
    } rows[] = {
        {WL_CUDNN_NODE_TENSOR, finish_tensor},
        {WL_CUDNN_NODE_CONVOLUTION, finish_convolution},
        {WL_CUDNN_NODE_OF_FORWARD, finish_operation},
        {WL_CUDNN_NODE_OF_DATA, finish_operation},
        {WL_CUDNN_NODE_OF_FILTER, finish_operation},
        {WL_CUDNN_NODE_OF_POINTWISE, finish_operation},
        {WL_CUDNN_NODE_OF_STATISTICS, finish_operation},
        {WL_CUDNN_NODE_OF_MATMUL, finish_operation},
        {WL_CUDNN_NODE_OF_REDUCTION, finish_operation},
        {WL_CUDNN_NODE_OF_RESAMPLE, finish_operation},
        {WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT, finish_operation},
        {WL_CUDNN_NODE_OF_NORM, finish_operation},
        {WL_CUDNN_NODE_OF_NORM_GRADIENT, finish_operation},
        {WL_CUDNN_NODE_OF_RESHAPE, finish_operation},
        {WL_CUDNN_NODE_OF_RNG, finish_operation},
        {WL_CUDNN_NODE_GRAPH, finish_graph},
        {WL_CUDNN_NODE_ENGINE, finish_engine},
        {WL_CUDNN_NODE_CONFIG, finish_config},
        {WL_CUDNN_NODE_HEURISTICS, finish_heuristics},
        {WL_CUDNN_NODE_PLAN, finish_plan},
        {WL_CUDNN_NODE_PACK, finish_pack},
        {WL_CUDNN_NODE_REDUCTION, finish_reduction},
        {WL_CUDNN_NODE_RNG, finish_rng},
        {WL_CUDNN_NODE_KNOB_INFO, finish_never},
    };
    int status = WL_CUDNN_OK;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].type == self->type)
            status = rows[i].finish(self);
    if (status == WL_CUDNN_OK)
        set_defaults(self);
    return status;
}
