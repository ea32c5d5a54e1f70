#include "device/graph/dot.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/count.h"
#include "base/text.h"
#include "device/graph/state.h"

enum { VERBOSE = 1, ATTRIBUTES = 1 << 9, HANDLES = 1 << 10 };

/* Lines of a label end in "\\l", which Graphviz aligns to the left. */
static void describe_kernel(struct wl_text *text, const struct wl_device_operation *operation)
{
    const struct wl_device_request *kernel = &operation->kernel;
    wl_text_addf(text, "grid %" PRIu32 " %" PRIu32 " %" PRIu32 "\\l", kernel->grid[0],
                 kernel->grid[1], kernel->grid[2]);
    wl_text_addf(text, "block %" PRIu32 " %" PRIu32 " %" PRIu32 "\\l", kernel->block[0],
                 kernel->block[1], kernel->block[2]);
    wl_text_addf(text, "dynamic shared memory %zu bytes\\l", kernel->shared_dynamic_bytes);
}

static void describe_copy(struct wl_text *text, const struct wl_device_operation *operation)
{
    const struct wl_device_copy *copy = &operation->copy;
    wl_text_addf(text, "from %p, pitch %zu\\lto %p, pitch %zu\\l", copy->from,
                 copy->from_pitch_bytes, copy->to, copy->to_pitch_bytes);
    wl_text_addf(text, "width %zu bytes, height %zu, depth %zu\\l", copy->width_bytes, copy->height,
                 copy->depth);
}

static void describe_fill(struct wl_text *text, const struct wl_device_operation *operation)
{
    const struct wl_device_fill *fill = &operation->fill;
    wl_text_addf(text, "to %p, pitch %zu\\lvalue %" PRIu32 " of %zu bytes\\l", fill->to,
                 fill->pitch_bytes, fill->value, fill->value_bytes);
    wl_text_addf(text, "width %zu, height %zu\\l", fill->width, fill->height);
}

static void describe_event(struct wl_text *text, const struct wl_device_operation *operation)
{
    wl_text_addf(text, "event %p\\l", operation->event);
}

static void describe_memory(struct wl_text *text, const struct wl_device_operation *operation)
{
    wl_text_addf(text, "address %p\\l", operation->memory.address);
    if (operation->kind == WL_DEVICE_OPERATION_ALLOCATE)
        wl_text_addf(text, "%zu bytes\\l", operation->memory.size_bytes);
}

static void describe_host(struct wl_text *text, const struct wl_device_operation *operation)
{
    wl_text_addf(text, "function %p\\ldata %p\\l", (void *)(uintptr_t)operation->host.function,
                 operation->host.data);
}

static void describe_condition(struct wl_text *text, const struct wl_device_operation *operation)
{
    static const char *const types[] = {"if", "while", "switch"};
    const int type = operation->condition.type;
    wl_text_addf(text, "%s, %u graphs\\l",
                 (size_t)type < WL_COUNT(types) ? types[type] : "condition",
                 operation->condition.count);
}

static const struct {
    enum wl_device_operation_kind kind;
    const char *name;
    unsigned flag;
    void (*describe)(struct wl_text *text, const struct wl_device_operation *operation);
} rows[] = {
    {WL_DEVICE_OPERATION_KERNEL, "KERNEL", 1 << 2, describe_kernel},
    {WL_DEVICE_OPERATION_COPY, "MEMCPY", 1 << 3, describe_copy},
    {WL_DEVICE_OPERATION_FILL, "MEMSET", 1 << 4, describe_fill},
    {WL_DEVICE_OPERATION_HOST, "HOST", 1 << 5, describe_host},
    {WL_DEVICE_OPERATION_GRAPH, "GRAPH", 0, NULL},
    {WL_DEVICE_OPERATION_EMPTY, "EMPTY", 0, NULL},
    {WL_DEVICE_OPERATION_WAIT_EVENT, "EVENT_WAIT", 1 << 6, describe_event},
    {WL_DEVICE_OPERATION_RECORD_EVENT, "EVENT_RECORD", 1 << 6, describe_event},
    {WL_DEVICE_OPERATION_ALLOCATE, "MEM_ALLOC", 1 << 11, describe_memory},
    {WL_DEVICE_OPERATION_FREE, "MEM_FREE", 1 << 12, describe_memory},
    {WL_DEVICE_OPERATION_CONDITION, "CONDITIONAL", 1 << 15, describe_condition},
};

static size_t place_of(const struct wl_device_node *node)
{
    size_t at = 0;
    while (node->graph->nodes.items[at] != node)
        at++;
    return at;
}

static void write_name(struct wl_text *text, const struct wl_device_node *node)
{
    wl_text_addf(text, "\"graph_%" PRIu64 "_node_%zu\"", node->graph->number, place_of(node));
}

static void write_attributes(struct wl_text *text, const struct wl_device_request *kernel)
{
    wl_text_addf(text, "cooperative %d\\lcluster %" PRIu32 " %" PRIu32 " %" PRIu32 "\\l",
                 kernel->is_cooperative, kernel->cluster[0], kernel->cluster[1],
                 kernel->cluster[2]);
}

static void write_node(struct wl_text *text, const struct wl_device_node *node, unsigned flags)
{
    const bool is_kernel = node->operation.kind == WL_DEVICE_OPERATION_KERNEL;
    size_t row = 0;
    while (row + 1 < WL_COUNT(rows) && rows[row].kind != node->operation.kind)
        row++;
    write_name(text, node);
    wl_text_addf(text, " [style=\"solid\" shape=\"box\" label=\"%zu\\n%s\\n", place_of(node),
                 rows[row].name);
    if (is_kernel)
        wl_text_addf(text, "%s\\n", wl_device_kernel_name(node->operation.kernel.kernel));
    if (rows[row].describe && flags & (rows[row].flag | VERBOSE))
        rows[row].describe(text, &node->operation);
    if (is_kernel && flags & (ATTRIBUTES | VERBOSE))
        write_attributes(text, &node->operation.kernel);
    if (flags & (HANDLES | VERBOSE)) {
        wl_text_addf(text, "node %p\\l", (const void *)node);
        if (is_kernel)
            wl_text_addf(text, "function %p\\l", (void *)node->operation.kernel.kernel);
    }
    wl_text_add(text, "\"];\n");
}

/* The graph and those within it, each as a box of its own. */
static void write_graph(struct wl_text *text, const struct wl_device_graph *graph, unsigned flags)
{
    struct wl_device_graph *const *inner;
    wl_text_addf(text,
                 "subgraph cluster_%" PRIu64 " {\nlabel=\"graph_%" PRIu64
                 "\" graph[style=\"dashed\"];\n",
                 graph->number, graph->number);
    for (size_t i = 0; i < graph->nodes.count; i++)
        write_node(text, graph->nodes.items[i], flags);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_device_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->dependencies.count; k++) {
            write_name(text, node->dependencies.items[k]);
            wl_text_add(text, " -> ");
            write_name(text, node);
            wl_text_add(text, ";\n");
        }
        const size_t count = wl_device_operation_graphs(&node->operation, &inner);
        for (size_t k = 0; k < count; k++)
            write_graph(text, inner[k], flags);
    }
    wl_text_add(text, "}\n");
}

static int write_file(const char *path, const struct wl_text *text)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return WL_DEVICE_OPERATING_SYSTEM;
    const bool is_written = fwrite(text->data, 1, text->length, file) == text->length;
    return fclose(file) == 0 && is_written ? WL_DEVICE_OK : WL_DEVICE_OPERATING_SYSTEM;
}

int wl_device_graph_dot(const struct wl_device_graph *graph, const char *path, unsigned flags)
{
    struct wl_text text = {0};
    if (!path)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = wl_device_graph_is_open(graph) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        wl_text_add(&text, "digraph dot {\n");
        write_graph(&text, graph, flags);
        wl_text_add(&text, "}\n");
    }
    wl_device_leave();
    if (code == WL_DEVICE_OK)
        code = write_file(path, &text);
    wl_text_free(&text);
    return code;
}
