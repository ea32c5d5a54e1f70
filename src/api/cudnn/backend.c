/* Backend descriptors: their attributes are rows of backend_attributes.def, kept as they were
 * given. A descriptor that is given to another is what it was when it became final, whatever
 * happens to it afterwards. */
#include "api/cudnn/backend.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "device/graph/graph.h"

#define MAGIC 0x7763656eu

enum { MUST = 1, TOLD = 2, REFUSED = 4, EMPTY = 8 };

/* cudnnBackendAttributeType_t, and how large an element of each is. */
#define TYPES                     \
    T(HANDLE, 0, 8)               \
    T(DATA_TYPE, 1, 4)            \
    T(BOOLEAN, 2, 1)              \
    T(INT64, 3, 8)                \
    T(FLOAT, 4, 4)                \
    T(DOUBLE, 5, 8)               \
    T(POINTER, 6, 8)              \
    T(ENUM_CONVOLUTION, 7, 4)     \
    T(ENUM_HEURISTICS, 8, 4)      \
    T(ENUM_KNOB, 9, 4)            \
    T(ENUM_NANS, 10, 4)           \
    T(ENUM_NUMERICAL_NOTE, 11, 4) \
    T(ENUM_POINTWISE, 14, 4)      \
    T(DESCRIPTOR, 15, 8)          \
    T(ENUM_STATISTICS, 16, 4)     \
    T(ENUM_REDUCTION, 18, 4)      \
    T(ENUM_BEHAVIOUR_NOTE, 19, 4) \
    T(ENUM_ORDER, 20, 4)          \
    T(ENUM_RESAMPLE, 21, 4)       \
    T(ENUM_PADDING, 22, 4)        \
    T(INT32, 23, 4)               \
    T(CHARACTER, 24, 1)           \
    T(FRACTION, 26, 16)           \
    T(ENUM_NORM, 27, 4)           \
    T(ENUM_PHASE, 28, 4)          \
    T(ENUM_DISTRIBUTION, 29, 4)
enum type {
#define T(name, number, bytes) TYPE_##name = (number),
    TYPES
#undef T
};
static const uint8_t type_bytes[] = {
#define T(name, number, bytes) [number] = (bytes),
    TYPES
#undef T
};

struct row {
    int node, name, type, most, flags, part;
};
static const struct row rows[] = {
#define X(node, name, number, type, most, flags, part) \
    {WL_CUDNN_NODE_##node, number, TYPE_##type, most, flags, WL_CUDNN_NODE_##part},
#define Y(node, name, type, most, flags, part)                                 \
    {WL_CUDNN_NODE_##node, WL_CUDNN_##node##_##name, TYPE_##type, most, flags, \
     WL_CUDNN_NODE_##part},
#include "api/cudnn/backend_attributes.def"
#undef X
#undef Y
};

/* What a program holds. */
struct descriptor {
    uint32_t magic;
    struct wl_cudnn_node *node;
};

/* ---- nodes ---- */

struct wl_cudnn_node *wl_cudnn_node_make(int type)
{
    struct wl_cudnn_node *made = wl_alloc_zero(1, sizeof *made);
    made->references = 1;
    made->type = type;
    return made;
}

struct wl_cudnn_node *wl_cudnn_node_hold(struct wl_cudnn_node *self)
{
    __atomic_add_fetch(&self->references, 1, __ATOMIC_RELAXED);
    return self;
}

static void clear_attribute(struct wl_cudnn_attribute *self)
{
    for (int64_t i = 0; self->type == TYPE_DESCRIPTOR && i < self->count; i++)
        wl_cudnn_node_release(((struct wl_cudnn_node **)self->values)[i]);
    free(self->values);
}

static void clear_attributes(struct wl_cudnn_node *self)
{
    for (size_t i = 0; i < self->attributes.count; i++)
        clear_attribute(&self->attributes.items[i]);
    free(self->attributes.items);
    self->attributes.items = NULL;
    self->attributes.count = self->attributes.capacity = 0;
}

void wl_cudnn_node_release(struct wl_cudnn_node *self)
{
    if (!self || __atomic_sub_fetch(&self->references, 1, __ATOMIC_ACQ_REL))
        return;
    clear_attributes(self);
    wl_cudnn_graph_free(self->graph);
    free(self);
}

const struct wl_cudnn_attribute *wl_cudnn_attribute(const struct wl_cudnn_node *self, int name)
{
    for (size_t i = 0; i < self->attributes.count; i++)
        if (self->attributes.items[i].name == name)
            return &self->attributes.items[i];
    return NULL;
}

void wl_cudnn_attribute_set(struct wl_cudnn_node *self, int name, int type, int64_t count,
                            const void *values)
{
    struct wl_cudnn_attribute made = {.name = name, .type = type, .count = count};
    const size_t bytes = (size_t)count * type_bytes[type];
    made.values = wl_alloc(bytes + 1);
    if (bytes)
        memcpy(made.values, values, bytes);
    for (int64_t i = 0; type == TYPE_DESCRIPTOR && i < count; i++)
        wl_cudnn_node_hold(((struct wl_cudnn_node **)made.values)[i]);
    for (size_t i = 0; i < self->attributes.count; i++)
        if (self->attributes.items[i].name == name) {
            clear_attribute(&self->attributes.items[i]);
            self->attributes.items[i] = made;
            return;
        }
    WL_PUSH(&self->attributes, made);
}

void wl_cudnn_attribute_set_number(struct wl_cudnn_node *self, int name, int64_t value)
{
    wl_cudnn_attribute_set(self, name, TYPE_INT64, 1, &value);
}

void wl_cudnn_attribute_set_note(struct wl_cudnn_node *engine)
{
    static const int32_t can_be_in_graphs = 3;
    wl_cudnn_attribute_set(engine, WL_CUDNN_ENGINE_BEHAVIOUR, TYPE_ENUM_BEHAVIOUR_NOTE, 1,
                           &can_be_in_graphs);
}

void wl_cudnn_attribute_set_part(struct wl_cudnn_node *self, int name, struct wl_cudnn_node *part)
{
    wl_cudnn_attribute_set(self, name, TYPE_DESCRIPTOR, 1, &part);
}

/* The row of an attribute, of that type if there is one; NULL: the descriptor has no such. */
static const struct row *find_row(int node, int name, int type)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].node == node && rows[i].name == name && (!found || rows[i].type == type))
            found = &rows[i];
    return found;
}

bool wl_cudnn_attribute_is_told(const struct wl_cudnn_node *self, int name)
{
    return find_row(self->type, name, -1)->flags & TOLD;
}

void wl_cudnn_attribute_default(struct wl_cudnn_node *self, int name, double value)
{
    union {
        double real;
        int64_t wide;
        int32_t narrow;
        uint8_t byte;
    } made;
    const int type = find_row(self->type, name, -1)->type;
    if (wl_cudnn_attribute(self, name))
        return;
    if (type == TYPE_DOUBLE)
        made.real = value;
    else if (type_bytes[type] == 8)
        made.wide = (int64_t)value;
    else if (type_bytes[type] == 4)
        made.narrow = (int32_t)value;
    else
        made.byte = (uint8_t)value;
    wl_cudnn_attribute_set(self, name, type, 1, &made);
}

int64_t wl_cudnn_number(const struct wl_cudnn_node *self, int name, int64_t otherwise)
{
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(self, name);
    int64_t wide = 0;
    int32_t narrow = 0;
    if (!found || found->count < 1)
        return otherwise;
    switch (type_bytes[found->type]) {
    case 8:
        memcpy(&wide, found->values, sizeof wide);
        return wide;
    case 4:
        memcpy(&narrow, found->values, sizeof narrow);
        return narrow;
    default:
        return *(const uint8_t *)found->values;
    }
}

bool wl_cudnn_whole_numbers(const struct wl_cudnn_node *self, int name, int64_t count, int least,
                            int most, int *made)
{
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(self, name);
    if (!found || found->count != count)
        return false;
    const int64_t *values = found->values;
    const bool is_fraction =
        found->type == TYPE_FRACTION; /* two numbers: above and below the line */
    for (int64_t i = 0; i < count; i++) {
        const int64_t above = values[is_fraction ? 2 * i : i],
                      below = is_fraction ? values[2 * i + 1] : 1;
        if (below <= 0 || above % below || above / below < least || above / below > most)
            return false;
        made[i] = (int)(above / below);
    }
    return true;
}

double wl_cudnn_real(const struct wl_cudnn_node *self, int name, double otherwise)
{
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(self, name);
    if (!found || found->count < 1)
        return otherwise;
    if (found->type == TYPE_DOUBLE)
        memcpy(&otherwise, found->values, sizeof otherwise);
    else
        otherwise = *(const float *)found->values;
    return otherwise;
}

struct wl_cudnn_node *wl_cudnn_part(const struct wl_cudnn_node *self, int name)
{
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(self, name);
    return found && found->type == TYPE_DESCRIPTOR && found->count > 0
               ? *(struct wl_cudnn_node **)found->values
               : NULL;
}

/* ---- calls ---- */

int wl_cudnn_bad_param(enum wl_cudnn_detail detail)
{
    enum { FIRST_WITH_DETAILS = 90000 };
    return WL_CUDNN_BAD_PARAM + (wl_cudnn_version.number >= FIRST_WITH_DETAILS ? (int)detail : 0);
}

static bool is_operation(int type)
{
    return (type >= WL_CUDNN_NODE_OF_FORWARD && type <= WL_CUDNN_NODE_OF_STATISTICS) ||
           type == WL_CUDNN_NODE_OF_MATMUL || type == WL_CUDNN_NODE_OF_REDUCTION ||
           type == WL_CUDNN_NODE_OF_NORM || type == WL_CUDNN_NODE_OF_NORM_GRADIENT ||
           type == WL_CUDNN_NODE_OF_RESAMPLE || type == WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT ||
           type == WL_CUDNN_NODE_OF_RESHAPE || type == WL_CUDNN_NODE_OF_RNG;
}

static struct wl_cudnn_node *node_of(void *descriptor)
{
    struct descriptor *found = wl_stand_in_check(descriptor, MAGIC);
    return found ? found->node : NULL;
}

static struct wl_cudnn_node *final_node_of(void *descriptor, int type)
{
    struct wl_cudnn_node *found = node_of(descriptor);
    return found && found->is_final && found->type == type ? found : NULL;
}

static bool has_part(const struct row *row, const struct wl_cudnn_node *part)
{
    return row->part == WL_CUDNN_NODE_OPERATION ? is_operation(part->type)
                                                : part->type == row->part;
}

static int refuse_number(const char *call, const char *what, int number)
{
    char text[64];
    snprintf(text, sizeof text, "%s %d", what, number);
    return wl_cudnn_refuse(call, text);
}

int cudnnBackendCreateDescriptor(int type, void **descriptor)
{
    if (!descriptor)
        return WL_CUDNN_BAD_PARAM;
    bool is_known = false;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        is_known |= rows[i].node == type;
    if (!is_known)
        return refuse_number("cudnnBackendCreateDescriptor", "descriptor type", type);
    struct descriptor *made = wl_stand_in_create(MAGIC, sizeof *made);
    made->node = wl_cudnn_node_make(type);
    *descriptor = made;
    return WL_CUDNN_OK;
}

/* What a call answers for what is no descriptor. */
static int no_descriptor(const void *descriptor)
{
    return descriptor ? WL_CUDNN_BAD_PARAM : wl_cudnn_bad_param(WL_CUDNN_NULL_POINTER);
}

int cudnnBackendDestroyDescriptor(void *descriptor)
{
    struct wl_cudnn_node *node = node_of(descriptor);
    if (!node)
        return no_descriptor(descriptor);
    wl_cudnn_node_release(node);
    wl_stand_in_destroy(descriptor, MAGIC);
    return WL_CUDNN_OK;
}

/* The descriptor is as new; what it was stays with those that it was given to. */
int cudnnBackendInitialize(void *descriptor)
{
    struct wl_cudnn_node *node = node_of(descriptor);
    if (!node)
        return WL_CUDNN_BAD_PARAM;
    ((struct descriptor *)descriptor)->node = wl_cudnn_node_make(node->type);
    wl_cudnn_node_release(node);
    return WL_CUDNN_OK;
}

/* The nodes of a program's array of descriptors, all final and of the kind of that row. */
static int read_parts(const struct row *row, int64_t count, const void *elements,
                      struct wl_cudnn_node **parts)
{
    for (int64_t i = 0; i < count; i++) {
        void *descriptor;
        memcpy(&descriptor, (const char *)elements + (size_t)i * sizeof descriptor,
               sizeof descriptor);
        parts[i] = node_of(descriptor);
        if (!parts[i] || !has_part(row, parts[i]))
            return WL_CUDNN_BAD_PARAM;
        if (!parts[i]->is_final)
            return wl_cudnn_bad_param(WL_CUDNN_NOT_FINAL);
    }
    return WL_CUDNN_OK;
}

size_t wl_cudnn_attribute_bytes(int type)
{
    return type >= 0 && (size_t)type < WL_COUNT(type_bytes) ? type_bytes[type] : 0;
}

/* Whether an attribute may be set so; *row: the attribute's. */
static int check_attribute(const struct wl_cudnn_node *node, int name, int type, int64_t count,
                           const void *elements, const struct row **found)
{
    const struct row *row = *found = find_row(node->type, name, type);
    if (node->is_final || !row)
        return WL_CUDNN_BAD_PARAM;
    if (row->flags & REFUSED)
        return refuse_number("cudnnBackendSetAttribute", "attribute", name);
    if (row->type != type)
        return wl_cudnn_bad_param(WL_CUDNN_WRONG_TYPE);
    if (row->flags & TOLD || count < !(row->flags & EMPTY) || (count && !elements))
        return WL_CUDNN_BAD_PARAM;
    if (count > row->most)
        return row->most > 1 ? refuse_number("cudnnBackendSetAttribute",
                                             "so many elements of attribute", name)
                             : WL_CUDNN_BAD_PARAM;
    return WL_CUDNN_OK;
}

int wl_cudnn_attribute_give(struct wl_cudnn_node *self, int name, int type, int64_t count,
                            const void *values)
{
    const struct row *row;
    const int status = check_attribute(self, name, type, count, values, &row);
    for (int64_t i = 0; !status && type == TYPE_DESCRIPTOR && i < count; i++)
        if (!has_part(row, ((struct wl_cudnn_node *const *)values)[i]))
            return WL_CUDNN_BAD_PARAM;
    if (!status)
        wl_cudnn_attribute_set(self, name, type, count, values);
    return status;
}

int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
                             const void *elements)
{
    enum { MOST_PARTS = 64 };
    struct wl_cudnn_node *node = node_of(descriptor), *parts[MOST_PARTS];
    const struct row *row;
    if (!node)
        return no_descriptor(descriptor);
    int status = check_attribute(node, name, type, count, elements, &row);
    if (!status && type == TYPE_DESCRIPTOR)
        status = read_parts(row, count, elements, parts);
    if (status == WL_CUDNN_OK)
        wl_cudnn_attribute_set(node, name, type, count,
                               type == TYPE_DESCRIPTOR ? (const void *)parts : elements);
    return status;
}

/* What the descriptors of a program become: those that an attribute holds. */
static int write_parts(const struct row *row, struct wl_cudnn_node **parts, int64_t count,
                       void *elements)
{
    for (int64_t i = 0; i < count; i++) {
        void *pointer;
        memcpy(&pointer, (char *)elements + (size_t)i * sizeof pointer, sizeof pointer);
        struct descriptor *descriptor = wl_stand_in_check(pointer, MAGIC);
        if (!descriptor || !has_part(row, descriptor->node))
            return WL_CUDNN_BAD_PARAM;
        struct wl_cudnn_node *before = descriptor->node;
        descriptor->node = wl_cudnn_node_hold(parts[i]);
        wl_cudnn_node_release(before);
    }
    return WL_CUDNN_OK;
}

int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                             void *elements)
{
    const struct wl_cudnn_node *node = node_of(descriptor);
    if (!node || wanted < 0)
        return WL_CUDNN_BAD_PARAM;
    if (!node->is_final)
        return WL_CUDNN_NOT_INITIALIZED;
    const struct row *row = find_row(node->type, name, type);
    if (!row || (!count && !elements))
        return WL_CUDNN_BAD_PARAM;
    if (row->flags & REFUSED)
        return refuse_number("cudnnBackendGetAttribute", "attribute", name);
    const struct wl_cudnn_attribute *found = wl_cudnn_attribute(node, name);
    if (row->type != type)
        return wl_cudnn_bad_param(WL_CUDNN_WRONG_TYPE);
    if (found && found->type != type)
        return WL_CUDNN_BAD_PARAM;
    const int64_t there = found ? found->count : 0, told = wanted < there ? wanted : there;
    if (count)
        *count = there;
    if (!told || !elements)
        return WL_CUDNN_OK;
    if (type == TYPE_DESCRIPTOR)
        return write_parts(row, found->values, told, elements);
    memcpy(elements, found->values, (size_t)told * type_bytes[type]);
    return WL_CUDNN_OK;
}

int wl_cudnn_node_finalize(struct wl_cudnn_node *node)
{
    if (node->is_final)
        return WL_CUDNN_BAD_PARAM;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].node == node->type && rows[i].flags & MUST) {
            const struct wl_cudnn_attribute *found = wl_cudnn_attribute(node, rows[i].name);
            if (!found || !found->count)
                return WL_CUDNN_BAD_PARAM;
        }
    const int status = wl_cudnn_node_finish(node);
    node->is_final = status == WL_CUDNN_OK;
    return status;
}

int cudnnBackendFinalize(void *descriptor)
{
    struct wl_cudnn_node *node = node_of(descriptor);
    return node ? wl_cudnn_node_finalize(node) : no_descriptor(descriptor);
}

/* What a plan computes, and with what; a status. */
static int read_plan(const void *handle, void *plan_descriptor, void *pack_descriptor,
                     void **stream, const struct wl_cudnn_graph **graph,
                     const struct wl_cudnn_node **pack)
{
    const struct wl_cudnn_node *plan = final_node_of(plan_descriptor, WL_CUDNN_NODE_PLAN);
    *pack = final_node_of(pack_descriptor, WL_CUDNN_NODE_PACK);
    if (!plan_descriptor || !pack_descriptor || !wl_cudnn_stream(handle, stream))
        return WL_CUDNN_BAD_PARAM;
    if (!plan || !*pack)
        return wl_cudnn_bad_param(WL_CUDNN_NOT_FINAL);
    const struct wl_cudnn_node *config = wl_cudnn_part(plan, WL_CUDNN_PLAN_CONFIG),
                               *engine = wl_cudnn_part(config, WL_CUDNN_CONFIG_ENGINE);
    *graph = wl_cudnn_part(engine, WL_CUDNN_ENGINE_GRAPH)->graph;
    return WL_CUDNN_OK;
}

int cudnnBackendExecute(const void *handle, void *plan, void *pack_descriptor)
{
    const struct wl_cudnn_graph *graph;
    const struct wl_cudnn_node *pack;
    void *stream;
    const int status = read_plan(handle, plan, pack_descriptor, &stream, &graph, &pack);
    return status ? status : wl_cudnn_graph_run(graph, stream, pack);
}

/* ---- in graphs of the runtime ---- */

/* Adds a plan's launches to a graph. */
static int add_to_graph(const void *handle, void *plan, void *pack_descriptor,
                        struct wl_device_graph *to)
{
    enum { NON_BLOCKING = 1 };
    const struct wl_cudnn_graph *graph;
    const struct wl_cudnn_node *pack;
    void *stream;
    int status = read_plan(handle, plan, pack_descriptor, &stream, &graph, &pack);
    if (status)
        return status;
    int code = wl_device_stream_create(NON_BLOCKING, 0, &stream);
    if (code)
        return wl_cudnn_launched(code);
    code = wl_device_capture_begin(stream, WL_DEVICE_CAPTURE_RELAXED, to, NULL, 0);
    if (!code) {
        status = wl_cudnn_graph_run(graph, stream, pack);
        code = wl_device_capture_end(stream, &to);
    }
    wl_device_stream_destroy(stream);
    return status ? status : wl_cudnn_launched(code);
}

/* The graph is one without nodes. */
int cudnnBackendPopulateCudaGraph(const void *handle, void *plan, void *pack,
                                  struct wl_device_graph *graph)
{
    size_t count = 0;
    if (!graph || wl_device_graph_nodes(graph, false, NULL, &count) || count)
        return WL_CUDNN_BAD_PARAM;
    return add_to_graph(handle, plan, pack, graph);
}

/* Has the nodes of `to` do what those of `from` do. */
static int take_over(struct wl_device_graph *from, struct wl_device_graph *to)
{
    size_t count = 0, there = 0;
    if (wl_device_graph_nodes(from, false, NULL, &count) ||
        wl_device_graph_nodes(to, false, NULL, &there) || count != there)
        return wl_cudnn_bad_param(WL_CUDNN_OTHER_GRAPH);
    struct wl_device_node **const nodes = wl_alloc((2 * count + 1) * sizeof *nodes);
    int code = wl_device_graph_nodes(from, false, nodes, &count);
    if (!code)
        code = wl_device_graph_nodes(to, false, nodes + count, &there);
    for (size_t i = 0; i < count && !code; i++) {
        const struct wl_device_operation *operation;
        code = wl_device_node_get(nodes[i], &operation);
        if (!code)
            code = wl_device_node_set(nodes[count + i], operation);
    }
    free(nodes);
    return code ? wl_cudnn_bad_param(WL_CUDNN_OTHER_GRAPH) : WL_CUDNN_OK;
}

/* The graph is one that such a plan was added to. */
int cudnnBackendUpdateCudaGraph(const void *handle, void *plan, void *pack,
                                struct wl_device_graph *graph)
{
    struct wl_device_graph *made = NULL;
    if (!graph || wl_device_graph_create(&made))
        return WL_CUDNN_BAD_PARAM;
    int status = add_to_graph(handle, plan, pack, made);
    if (!status)
        status = take_over(made, graph);
    wl_device_graph_destroy(made);
    return status;
}
