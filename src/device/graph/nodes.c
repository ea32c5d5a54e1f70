#include "device/graph/nodes.h"

int wl_device_node_read_fill(const struct wl_device_fill_parameters *from,
                             struct wl_device_operation *to)
{
    if (!from || (from->value_bytes != 1 && from->value_bytes != 2 && from->value_bytes != 4))
        return WL_DEVICE_INVALID_VALUE;
    *to = (struct wl_device_operation){
        .kind = WL_DEVICE_OPERATION_FILL,
        .fill = {from->to, from->value, from->value_bytes, from->width, from->height,
                 from->pitch_bytes},
    };
    return WL_DEVICE_OK;
}

int wl_device_node_read_host(const struct wl_device_host_parameters *from,
                             struct wl_device_operation *to)
{
    if (!from || !from->function)
        return WL_DEVICE_INVALID_VALUE;
    *to = (struct wl_device_operation){.kind = WL_DEVICE_OPERATION_HOST,
                                       .host = {.function = from->function, .data = from->data}};
    return WL_DEVICE_OK;
}

int wl_device_node_read_allocate(struct wl_device_allocate_parameters *from,
                                 struct wl_device_operation *to)
{
    *to = (struct wl_device_operation){.kind = WL_DEVICE_OPERATION_ALLOCATE};
    int code = from ? wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, from->size_bytes, 0,
                                                &to->memory.address)
                    : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    to->memory.size_bytes = from->size_bytes;
    from->address = to->memory.address;
    return WL_DEVICE_OK;
}

int wl_device_node_add(struct wl_device_node **node, struct wl_device_graph *graph,
                       struct wl_device_node *const *dependencies, size_t count, int code,
                       const struct wl_device_operation *operation)
{
    if (code == WL_DEVICE_OK && !node)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_graph_add(graph, dependencies, count, operation, node);
}

int wl_device_node_get_kind(const struct wl_device_node *node, enum wl_device_operation_kind kind,
                            const struct wl_device_operation **operation)
{
    int code = wl_device_node_get(node, operation);
    return code || (*operation)->kind == kind ? code : WL_DEVICE_INVALID_VALUE;
}

/* NULL where it cannot be told; code says why. */
static const struct wl_device_operation *find(const struct wl_device_node *node,
                                              enum wl_device_operation_kind kind, const void *to,
                                              int *code)
{
    const struct wl_device_operation *operation;
    *code = wl_device_node_get_kind(node, kind, &operation);
    if (*code == WL_DEVICE_OK && !to)
        *code = WL_DEVICE_INVALID_VALUE;
    return *code ? NULL : operation;
}

int wl_device_node_get_fill(const struct wl_device_node *node, struct wl_device_fill_parameters *to)
{
    int code;
    const struct wl_device_operation *found = find(node, WL_DEVICE_OPERATION_FILL, to, &code);
    if (found)
        *to = (struct wl_device_fill_parameters){
            found->fill.to,    found->fill.pitch_bytes,
            found->fill.value, (unsigned)found->fill.value_bytes,
            found->fill.width, found->fill.height,
        };
    return code;
}

int wl_device_node_get_host(const struct wl_device_node *node, struct wl_device_host_parameters *to)
{
    int code;
    const struct wl_device_operation *found = find(node, WL_DEVICE_OPERATION_HOST, to, &code);
    if (found)
        *to = (struct wl_device_host_parameters){found->host.function, found->host.data};
    return code;
}

int wl_device_node_get_allocate(const struct wl_device_node *node,
                                struct wl_device_allocate_parameters *to)
{
    int code;
    const struct wl_device_operation *found = find(node, WL_DEVICE_OPERATION_ALLOCATE, to, &code);
    if (found)
        *to = (struct wl_device_allocate_parameters){.size_bytes = found->memory.size_bytes,
                                                     .address = found->memory.address};
    return code;
}

int wl_device_node_get_graph(const struct wl_device_node *node, struct wl_device_graph **child)
{
    int code;
    const struct wl_device_operation *found = find(node, WL_DEVICE_OPERATION_GRAPH, child, &code);
    if (found)
        *child = found->graph;
    return code;
}

int wl_device_node_get_event(const struct wl_device_node *node, enum wl_device_operation_kind kind,
                             void **event)
{
    int code;
    const struct wl_device_operation *found = find(node, kind, event, &code);
    if (found)
        *event = found->event;
    return code;
}

int wl_device_node_get_freed(const struct wl_device_node *node, void **address)
{
    int code;
    const struct wl_device_operation *found = find(node, WL_DEVICE_OPERATION_FREE, address, &code);
    if (found)
        *address = found->memory.address;
    return code;
}
