/* Graphs of operations: an operation after the other, whatever they are. What lies between them is
 * in the workspace that the program brings, as the graph's virtual tensors say. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cudnn/backend.h"
#include "base/count.h"

/* No operation writes more than five tensors. */
enum { ALIGNMENT = 256, OPERATIONS_MAX = 64, BETWEEN_MAX = OPERATIONS_MAX * 5 };

/* An operation's tensors; writes: a bit for each that it writes. */
struct kind {
    int type;
    int names[WL_CUDNN_PLACES];
    unsigned writes;
    wl_cudnn_operation *operation;
};
static const struct kind kinds[] = {
    {WL_CUDNN_NODE_OF_FORWARD,
     {WL_CUDNN_OF_FORWARD_X, WL_CUDNN_OF_FORWARD_W, WL_CUDNN_OF_FORWARD_Y},
     4,
     wl_cudnn_operation_convolution},
    {WL_CUDNN_NODE_OF_DATA,
     {WL_CUDNN_OF_DATA_X, WL_CUDNN_OF_DATA_W, WL_CUDNN_OF_DATA_Y},
     1,
     wl_cudnn_operation_convolution},
    {WL_CUDNN_NODE_OF_FILTER,
     {WL_CUDNN_OF_FILTER_X, WL_CUDNN_OF_FILTER_W, WL_CUDNN_OF_FILTER_Y},
     2,
     wl_cudnn_operation_convolution},
    {WL_CUDNN_NODE_OF_POINTWISE,
     {WL_CUDNN_OF_POINTWISE_Y, WL_CUDNN_OF_POINTWISE_DX, WL_CUDNN_OF_POINTWISE_X,
      WL_CUDNN_OF_POINTWISE_B, WL_CUDNN_OF_POINTWISE_T, WL_CUDNN_OF_POINTWISE_DY},
     3,
     wl_cudnn_operation_pointwise},
    {WL_CUDNN_NODE_OF_STATISTICS,
     {WL_CUDNN_OF_STATISTICS_X, WL_CUDNN_OF_STATISTICS_SUM, WL_CUDNN_OF_STATISTICS_SQUARES},
     6,
     wl_cudnn_operation_statistics},
    {WL_CUDNN_NODE_OF_MATMUL,
     {WL_CUDNN_OF_MATMUL_A, WL_CUDNN_OF_MATMUL_B, WL_CUDNN_OF_MATMUL_C, WL_CUDNN_OF_MATMUL_ROWS,
      WL_CUDNN_OF_MATMUL_COLUMNS, WL_CUDNN_OF_MATMUL_DEPTH},
     4,
     wl_cudnn_operation_matmul},
    {WL_CUDNN_NODE_OF_REDUCTION,
     {WL_CUDNN_OF_REDUCTION_X, WL_CUDNN_OF_REDUCTION_Y},
     2,
     wl_cudnn_operation_reduction},
    {WL_CUDNN_NODE_OF_NORM,
     {WL_CUDNN_OF_NORM_X, WL_CUDNN_OF_NORM_Y, WL_CUDNN_OF_NORM_MEAN, WL_CUDNN_OF_NORM_INVERSE,
      WL_CUDNN_OF_NORM_SCALE, WL_CUDNN_OF_NORM_BIAS, WL_CUDNN_OF_NORM_EPSILON,
      WL_CUDNN_OF_NORM_FACTOR, WL_CUDNN_OF_NORM_OLD_MEAN, WL_CUDNN_OF_NORM_OLD_VARIANCE,
      WL_CUDNN_OF_NORM_NEW_MEAN, WL_CUDNN_OF_NORM_NEW_VARIANCE},
     0xc0e,
     wl_cudnn_operation_norm},
    {WL_CUDNN_NODE_OF_NORM,
     {WL_CUDNN_OF_NORM_X, WL_CUDNN_OF_NORM_Y, WL_CUDNN_OF_NORM_MEAN, WL_CUDNN_OF_NORM_INVERSE,
      WL_CUDNN_OF_NORM_SCALE, WL_CUDNN_OF_NORM_BIAS, WL_CUDNN_OF_NORM_EPSILON,
      WL_CUDNN_OF_NORM_FACTOR, WL_CUDNN_OF_NORM_OLD_MEAN, WL_CUDNN_OF_NORM_OLD_VARIANCE,
      WL_CUDNN_OF_NORM_NEW_MEAN, WL_CUDNN_OF_NORM_NEW_VARIANCE},
     2,
     wl_cudnn_operation_norm_inference},
    {WL_CUDNN_NODE_OF_NORM_GRADIENT,
     {WL_CUDNN_OF_NORM_GRADIENT_X, WL_CUDNN_OF_NORM_GRADIENT_DX, WL_CUDNN_OF_NORM_GRADIENT_MEAN,
      WL_CUDNN_OF_NORM_GRADIENT_INVERSE, WL_CUDNN_OF_NORM_GRADIENT_SCALE,
      WL_CUDNN_OF_NORM_GRADIENT_DY, WL_CUDNN_OF_NORM_GRADIENT_DSCALE,
      WL_CUDNN_OF_NORM_GRADIENT_DBIAS, WL_CUDNN_OF_NORM_GRADIENT_EPSILON},
     0xc2,
     wl_cudnn_operation_norm_gradient},
    {WL_CUDNN_NODE_OF_RESAMPLE,
     {WL_CUDNN_OF_RESAMPLE_X, WL_CUDNN_OF_RESAMPLE_Y, WL_CUDNN_OF_RESAMPLE_INDEX},
     6,
     wl_cudnn_operation_resample},
    {WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT,
     {WL_CUDNN_OF_RESAMPLE_GRADIENT_DX, WL_CUDNN_OF_RESAMPLE_GRADIENT_DY,
      WL_CUDNN_OF_RESAMPLE_GRADIENT_INDEX, WL_CUDNN_OF_RESAMPLE_GRADIENT_X,
      WL_CUDNN_OF_RESAMPLE_GRADIENT_Y},
     1,
     wl_cudnn_operation_resample_gradient},
    {WL_CUDNN_NODE_OF_RESHAPE,
     {WL_CUDNN_OF_RESHAPE_X, WL_CUDNN_OF_RESHAPE_Y},
     2,
     wl_cudnn_operation_reshape},
    {WL_CUDNN_NODE_OF_RNG,
     {WL_CUDNN_OF_RNG_Y, WL_CUDNN_OF_RNG_SEED, WL_CUDNN_OF_RNG_OFFSET},
     1,
     wl_cudnn_operation_rng},
};

struct wl_cudnn_kernels wl_cudnn_graph_kernels = {.name = "backend.ptx"};

/* A tensor of the workspace. */
struct between {
    int64_t id;
    struct wl_cudnn_tensor shape;
    size_t offset;
};

struct wl_cudnn_graph {
    int count, between_count;
    const struct wl_cudnn_node *operations[OPERATIONS_MAX]; /* in the order of their execution */
    struct between between[BETWEEN_MAX];
    size_t between_bytes; /* of the workspace; behind it is what an operation has for itself */
    size_t scratch_bytes;
    int refused_type; /* the descriptor's whose operation is not computed; or WL_CUDNN_NODE_NONE */
};

static size_t align(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static const struct kind *kind_of(const struct wl_cudnn_node *operation)
{
    const bool is_inference = wl_cudnn_is_norm_inference(operation);
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if (kinds[i].type == operation->type &&
            (kinds[i].operation == wl_cudnn_operation_norm_inference) == is_inference)
            return &kinds[i];
    return NULL;
}

/* NULL: the operation has no such tensor. */
static const struct wl_cudnn_node *tensor_of(const struct wl_cudnn_node *operation,
                                             const struct kind *kind, int at)
{
    /* a row's other places are 0, which is no attribute of an operation */
    return kind->names[at] ? wl_cudnn_part(operation, kind->names[at]) : NULL;
}

static int64_t id_of(const struct wl_cudnn_node *tensor)
{
    return wl_cudnn_number(tensor, WL_CUDNN_TENSOR_ID, 0);
}

static bool is_virtual(const struct wl_cudnn_node *tensor)
{
    return wl_cudnn_number(tensor, WL_CUDNN_TENSOR_IS_VIRTUAL, 0) != 0;
}

size_t wl_cudnn_graph_type_bytes(int type)
{
    return type == WL_DNN_GRAPH_E4M3 || type == WL_DNN_GRAPH_E5M2 ? 1 : wl_cudnn_type_bytes(type);
}

size_t wl_cudnn_graph_tensor_bytes(const struct wl_cudnn_tensor *tensor)
{
    struct wl_cudnn_tensor bytes = *tensor;
    bytes.type = WL_CUDNN_INT8;
    return wl_cudnn_tensor_bytes(&bytes) * wl_cudnn_graph_type_bytes(tensor->type);
}

bool wl_cudnn_node_tensor(const struct wl_cudnn_node *tensor, struct wl_cudnn_tensor *made)
{
    const struct wl_cudnn_attribute *dims = wl_cudnn_attribute(tensor, WL_CUDNN_TENSOR_DIMENSIONS),
                                    *strides = wl_cudnn_attribute(tensor, WL_CUDNN_TENSOR_STRIDES);
    *made = (struct wl_cudnn_tensor){
        .type = (int)wl_cudnn_number(tensor, WL_CUDNN_TENSOR_DATA_TYPE, 0),
        .rank = (int)dims->count,
    };
    for (int i = 0; i < made->rank; i++) {
        const int64_t size = ((const int64_t *)dims->values)[i],
                      stride = ((const int64_t *)strides->values)[i];
        if (size > INT_MAX || stride > INT_MAX)
            return false;
        made->dims[i] = (int)size;
        made->strides[i] = (int)stride;
    }
    return wl_cudnn_graph_type_bytes(made->type) &&
           wl_cudnn_number(tensor, WL_CUDNN_TENSOR_VECTOR_COUNT, 1) == 1 &&
           wl_cudnn_number(tensor, WL_CUDNN_TENSOR_ORDER, 0) == 0;
}

static int find_between(const struct wl_cudnn_graph *self, int64_t id)
{
    int at = 0;
    while (at < self->between_count && self->between[at].id != id)
        at++;
    return at;
}

/* What an operation's tensors are, but for their data. false: nothing is computed of one of them.
 */
static bool read_shapes(const struct wl_cudnn_graph *self, const struct wl_cudnn_node *operation,
                        struct wl_cudnn_place *places)
{
    const struct kind *kind = kind_of(operation);
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_node *tensor = tensor_of(operation, kind, i);
        places[i] = (struct wl_cudnn_place){0};
        if (!tensor)
            continue;
        places[i].is_value = wl_cudnn_number(tensor, WL_CUDNN_TENSOR_IS_VALUE, 0) != 0;
        if (!wl_cudnn_node_tensor(tensor, &places[i].shape))
            return false;
        places[i].is_bits = places[i].shape.type == WL_CUDNN_BOOLEAN && !is_virtual(tensor);
        const int at = self && is_virtual(tensor) ? find_between(self, id_of(tensor)) : BETWEEN_MAX;
        if (!self || at >= self->between_count)
            continue;
        if (!wl_cudnn_has_dims_of(&self->between[at].shape, &places[i].shape))
            return false;
        places[i].shape = self->between[at].shape;
    }
    return true;
}

int wl_cudnn_operation_check(const struct wl_cudnn_node *operation)
{
    struct wl_cudnn_place places[WL_CUDNN_PLACES];
    if (!read_shapes(NULL, operation, places))
        return WL_CUDNN_OK;
    const int status =
        kind_of(operation)->operation(operation, places, &(struct wl_cudnn_pass){.is_run = false});
    return status == WL_CUDNN_BAD_PARAM ? status : WL_CUDNN_OK;
}

/* ---- making ---- */

static bool writes(const struct wl_cudnn_node *operation, int64_t id)
{
    const struct kind *kind = kind_of(operation);
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_node *tensor = tensor_of(operation, kind, i);
        if (kind->writes >> i & 1 && tensor && id_of(tensor) == id)
            return true;
    }
    return false;
}

/* Whether another of the operations writes what this one reads. */
static bool waits(const struct wl_cudnn_node *operation, struct wl_cudnn_node *const *others,
                  int count)
{
    const struct kind *kind = kind_of(operation);
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_node *tensor = tensor_of(operation, kind, i);
        if (!tensor || kind->writes >> i & 1)
            continue;
        for (int k = 0; k < count; k++)
            if (others[k] && others[k] != operation && writes(others[k], id_of(tensor)))
                return true;
    }
    return false;
}

/* Whether each virtual tensor that is read is also written, and none is written twice. */
static bool is_whole(struct wl_cudnn_node *const *operations, int count)
{
    for (int k = 0; k < count; k++) {
        const struct kind *kind = kind_of(operations[k]);
        for (int i = 0; i < WL_CUDNN_PLACES; i++) {
            const struct wl_cudnn_node *tensor = tensor_of(operations[k], kind, i);
            int writers = 0;
            for (int j = 0; tensor && j < count; j++)
                writers += writes(operations[j], id_of(tensor));
            if (tensor && (writers > 1 || (is_virtual(tensor) && !writers)))
                return false;
        }
    }
    return true;
}

static int order(struct wl_cudnn_graph *self, const struct wl_cudnn_attribute *given)
{
    struct wl_cudnn_node *left[OPERATIONS_MAX];
    const int count = (int)given->count;
    memcpy(left, given->values, (size_t)count * sizeof *left);
    if (!is_whole(left, count))
        return WL_CUDNN_BAD_PARAM;
    while (self->count < count) {
        int at = 0;
        while (at < count && (!left[at] || waits(left[at], left, count)))
            at++;
        if (at == count)
            return WL_CUDNN_BAD_PARAM; /* they wait for one another */
        self->operations[self->count++] = left[at];
        left[at] = NULL;
    }
    return WL_CUDNN_OK;
}

/* Whether the operation has such a tensor, and writes it for others alone. */
static bool is_made_between(const struct wl_cudnn_node *operation, const struct kind *kind, int at)
{
    const struct wl_cudnn_node *tensor = tensor_of(operation, kind, at);
    return kind->writes >> at & 1 && tensor && is_virtual(tensor);
}

/* Whether the operation would write bits, and cannot. */
static bool writes_bits(const struct kind *kind, const struct wl_cudnn_place *places)
{
    bool is_any = false;
    for (int i = 0; i < WL_CUDNN_PLACES; i++)
        is_any |= kind->writes >> i & 1 && places[i].is_bits;
    return is_any && kind->operation != wl_cudnn_operation_pointwise &&
           kind->operation != wl_cudnn_operation_reshape;
}

/* Finds out whether the operation is computed, and makes room for what it writes between
 * operations, which is packed where strides let elements meet, and for itself. */
static bool add(struct wl_cudnn_graph *self, const struct wl_cudnn_node *operation)
{
    const struct kind *kind = kind_of(operation);
    struct wl_cudnn_place places[WL_CUDNN_PLACES];
    struct wl_cudnn_pass pass = {.is_run = false};
    if (!read_shapes(self, operation, places) || writes_bits(kind, places))
        return false;
    for (int i = 0; i < WL_CUDNN_PLACES; i++)
        if (is_made_between(operation, kind, i) && !wl_cudnn_is_writable(&places[i].shape))
            wl_cudnn_tensor_pack(&places[i].shape, false);
    if (kind->operation(operation, places, &pass) != WL_CUDNN_OK)
        return false;
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        if (!is_made_between(operation, kind, i))
            continue;
        self->between[self->between_count++] = (struct between){
            id_of(tensor_of(operation, kind, i)), places[i].shape, self->between_bytes};
        self->between_bytes += align(wl_cudnn_graph_tensor_bytes(&places[i].shape));
    }
    if (align(pass.scratch_bytes) > self->scratch_bytes)
        self->scratch_bytes = align(pass.scratch_bytes);
    return true;
}

int wl_cudnn_graph_make(struct wl_cudnn_node *graph)
{
    struct wl_cudnn_graph *made = wl_alloc_zero(1, sizeof *made);
    const int status = order(made, wl_cudnn_attribute(graph, WL_CUDNN_GRAPH_OPERATIONS));
    if (status != WL_CUDNN_OK) {
        free(made);
        return status;
    }
    made->refused_type = WL_CUDNN_NODE_NONE;
    for (int i = 0; i < made->count && wl_cudnn_graph_is_computed(made); i++)
        if (!add(made, made->operations[i]))
            made->refused_type = made->operations[i]->type;
    graph->graph = made;
    return WL_CUDNN_OK;
}

void wl_cudnn_graph_free(struct wl_cudnn_graph *self)
{
    free(self);
}

bool wl_cudnn_graph_is_computed(const struct wl_cudnn_graph *self)
{
    return self->refused_type == WL_CUDNN_NODE_NONE;
}

int wl_cudnn_graph_refuse(const struct wl_cudnn_graph *self)
{
    char text[80];
    snprintf(text, sizeof text, "such an operation of descriptor type %d", self->refused_type);
    return wl_cudnn_refuse("cudnnBackendFinalize", text);
}

size_t wl_cudnn_graph_workspace(const struct wl_cudnn_graph *self)
{
    return wl_cudnn_graph_is_computed(self) ? self->between_bytes + self->scratch_bytes : 0;
}

/* ---- running ---- */

/* The pointer that a pack has for a tensor; NULL: none. */
static void *pointer_of(const struct wl_cudnn_node *pack, int64_t id)
{
    const struct wl_cudnn_attribute *ids = wl_cudnn_attribute(pack, WL_CUDNN_PACK_IDS),
                                    *pointers = wl_cudnn_attribute(pack, WL_CUDNN_PACK_POINTERS);
    for (int64_t i = 0; ids && i < ids->count; i++)
        if (((const int64_t *)ids->values)[i] == id)
            return ((void *const *)pointers->values)[i];
    return NULL;
}

/* A number of 16 bits: of halves 5 are the exponent's, of bfloats 8. */
static double widen(uint16_t bits, int type)
{
    const int fraction = type == WL_CUDNN_HALF ? 10 : 7, most = type == WL_CUDNN_HALF ? 31 : 255,
              exponent = bits >> fraction & most;
    const double part = (bits & ((1 << fraction) - 1)) + (exponent ? 1 << fraction : 0),
                 size = exponent == most
                            ? (bits & ((1 << fraction) - 1) ? NAN : INFINITY)
                            : ldexp(part, (exponent ? exponent : 1) - most / 2 - fraction);
    return bits >> 15 ? -size : size;
}

static bool read_value(const void *from, int type, double *value)
{
    union {
        float f;
        double d;
        int32_t i;
        int64_t l;
        uint16_t h;
    } read;
    if (type != WL_CUDNN_INT32 && type != WL_CUDNN_INT64 && !wl_cudnn_is_floating(type))
        return false;
    memcpy(&read, from, wl_cudnn_type_bytes(type));
    *value = type == WL_CUDNN_FLOAT    ? (double)read.f
             : type == WL_CUDNN_DOUBLE ? read.d
             : type == WL_CUDNN_INT32  ? (double)read.i
             : type == WL_CUDNN_INT64  ? (double)read.l
                                       : widen(read.h, type);
    return true;
}

static char *workspace_of(const struct wl_cudnn_node *pack)
{
    const struct wl_cudnn_attribute *workspace = wl_cudnn_attribute(pack, WL_CUDNN_PACK_WORKSPACE);
    return workspace && workspace->count ? *(char **)workspace->values : NULL;
}

static int find_data(const struct wl_cudnn_graph *self, const struct wl_cudnn_node *operation,
                     const struct wl_cudnn_node *pack, struct wl_cudnn_place *places)
{
    char *base = workspace_of(pack);
    for (int i = 0; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_node *tensor = tensor_of(operation, kind_of(operation), i);
        if (!tensor)
            continue;
        void *const data =
            is_virtual(tensor)
                ? base ? base + self->between[find_between(self, id_of(tensor))].offset : NULL
                : pointer_of(pack, id_of(tensor));
        if (!data)
            return wl_cudnn_bad_param(WL_CUDNN_NULL_POINTER);
        if (places[i].is_value && !read_value(data, places[i].shape.type, &places[i].value))
            return wl_cudnn_refuse("cudnnBackendExecute", "values of that type");
        places[i].data = places[i].is_value ? NULL : data;
    }
    return WL_CUDNN_OK;
}

int wl_cudnn_graph_run(const struct wl_cudnn_graph *self, void *stream,
                       const struct wl_cudnn_node *pack)
{
    struct wl_cudnn_place places[WL_CUDNN_PLACES];
    char *base = workspace_of(pack);
    struct wl_cudnn_pass pass = {
        .is_run = true, .stream = stream, .scratch = base ? base + self->between_bytes : NULL};
    int status = wl_cudnn_graph_is_computed(self) ? WL_CUDNN_OK : WL_CUDNN_NOT_SUPPORTED;
    if (!base && wl_cudnn_graph_workspace(self))
        return wl_cudnn_bad_param(WL_CUDNN_NULL_POINTER);
    for (int run = 0; run < 2; run++) /* nothing is computed if one tensor is missing */
        for (int i = 0; i < self->count && status == WL_CUDNN_OK; i++) {
            const struct wl_cudnn_node *operation = self->operations[i];
            read_shapes(self, operation, places);
            status = find_data(self, operation, pack, places);
            if (status == WL_CUDNN_OK && run)
                status = kind_of(operation)->operation(operation, places, &pass);
        }
    return status;
}
