#include "device/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/graph/objects.h"
#include "device/graph/state.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"

static bool has_child(const struct wl_device_graph *self, const struct wl_device_graph *graph)
{
    struct wl_device_graph *const *inner;
    for (size_t i = 0; i < self->nodes.count; i++) {
        const size_t count = wl_device_operation_graphs(&self->nodes.items[i]->operation, &inner);
        for (size_t k = 0; k < count; k++)
            if (inner[k] == graph || has_child(inner[k], graph))
                return true;
    }
    return false;
}

bool wl_device_graph_is_known(const struct wl_device_graph *graph)
{
    if (wl_device_handle_is(WL_DEVICE_HANDLE_GRAPH, graph))
        return true;
    const struct wl_device_graph *parent = NULL;
    while ((parent = wl_device_handle_next(WL_DEVICE_HANDLE_GRAPH, parent)) != NULL)
        if (has_child(parent, graph))
            return true;
    return false;
}

bool wl_device_node_is_known(const struct wl_device_node *node)
{
    const struct wl_device_graph *graph = NULL;
    while ((graph = wl_device_handle_next(WL_DEVICE_HANDLE_GRAPH, graph)) != NULL)
        if (wl_device_graph_has(graph, node))
            return true;
    return wl_device_capture_has_node(node);
}

bool wl_device_graph_is_open(const struct wl_device_graph *graph)
{
    return wl_device_graph_is_known(graph) || wl_device_capture_has(graph);
}

size_t wl_device_operation_graphs(const struct wl_device_operation *operation,
                                  struct wl_device_graph *const **graphs)
{
    if (operation->kind == WL_DEVICE_OPERATION_CONDITION) {
        *graphs = operation->condition.bodies;
        return operation->condition.count;
    }
    *graphs = &operation->graph;
    return operation->kind == WL_DEVICE_OPERATION_GRAPH;
}

bool wl_device_graph_has(const struct wl_device_graph *graph, const struct wl_device_node *node)
{
    struct wl_device_graph *const *inner;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_device_node *item = graph->nodes.items[i];
        const size_t count = wl_device_operation_graphs(&item->operation, &inner);
        if (item == node)
            return true;
        for (size_t k = 0; k < count; k++)
            if (wl_device_graph_has(inner[k], node))
                return true;
    }
    return false;
}

struct wl_device_graph *wl_device_graph_make(void)
{
    struct wl_device_graph *graph = wl_alloc_zero(1, sizeof *graph);
    graph->number = wl_device_number_next(WL_DEVICE_NUMBER_GRAPH);
    return graph;
}

void wl_device_graph_publish(struct wl_device_graph *graph)
{
    wl_device_handle_add(WL_DEVICE_HANDLE_GRAPH, graph);
}

static void free_bodies(struct wl_device_operation *operation)
{
    for (unsigned i = 0; i < operation->condition.count; i++) {
        struct wl_device_graph *body = operation->condition.bodies[i];
        if (wl_device_graph_is_known(body))
            wl_device_handle_remove(WL_DEVICE_HANDLE_GRAPH, body);
        if (body)
            wl_device_graph_free(body);
    }
    free(operation->condition.bodies);
}

void wl_device_operation_free(struct wl_device_operation *operation)
{
    if (operation->kind == WL_DEVICE_OPERATION_KERNEL) {
        free(operation->kernel.parameters);
        free((void *)(uintptr_t)operation->kernel.buffer);
    } else if (operation->kind == WL_DEVICE_OPERATION_GRAPH && operation->graph) {
        wl_device_graph_free(operation->graph);
    } else if (operation->kind == WL_DEVICE_OPERATION_ALLOCATE) {
        wl_device_graph_memory_release(operation->memory.address);
    } else if (operation->kind == WL_DEVICE_OPERATION_CONDITION) {
        free_bodies(operation);
    }
}

static void free_node(struct wl_device_node *node)
{
    wl_device_operation_free(&node->operation);
    free(node->attributes);
    free(node->dependencies.items);
    free(node);
}

void wl_device_graph_free(struct wl_device_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.items[i]);
    free(graph->nodes.items);
    wl_device_conditions_release(graph);
    wl_device_objects_leave(graph);
    free(graph);
}

/* Which parameters the kernel reads when it runs; a request that is copied again knows it. */
static uint64_t find_late(const struct wl_device_request *from, size_t count)
{
    uint64_t late = from->late;
    struct wl_device_allocation found;
    for (size_t i = 0; from->reads_late && !from->late && i < count && i < 64; i++)
        if (wl_device_memory_look((uint64_t)(uintptr_t)from->parameters[i], &found))
            late |= UINT64_C(1) << i;
    return late;
}

/* Arguments of a kernel in memory of the node's own, with a pointer to each, as programs read them
 * back. */
static int copy_kernel(const struct wl_device_request *from, struct wl_device_request *to)
{
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = from->kernel ? wl_device_kernel_open(from->kernel) : WL_DEVICE_INVALID_FUNCTION;
    if (code)
        return code;
    const struct wl_program *program = from->kernel->program;
    *to = *from;
    char *buffer = wl_alloc_zero(program->parameter_bytes + 8, 1);
    to->parameters = wl_alloc_zero(program->parameter_count + 1, sizeof *to->parameters);
    to->buffer = buffer;
    to->buffer_bytes = 0;
    to->late = find_late(from, program->parameter_count);
    for (size_t i = 0; i < program->parameter_count; i++) {
        size_t offset = program->parameters[i].offset;
        size_t size_bytes = program->parameters[i].size_bytes;
        to->parameters[i] = buffer + offset;
        to->buffer_bytes = offset + size_bytes;
        if (wl_device_request_is_late(to, i)) {
            to->parameters[i] = from->parameters[i];
            continue;
        }
        const char *source = from->parameters ? from->parameters[i] : NULL;
        if (!from->parameters && from->buffer && offset + size_bytes <= from->buffer_bytes)
            source = (const char *)from->buffer + offset;
        if (!source) {
            free(buffer);
            free(to->parameters);
            return WL_DEVICE_INVALID_VALUE;
        }
        memcpy(buffer + offset, source, size_bytes);
    }
    return WL_DEVICE_OK;
}

int wl_device_operation_copy(const struct wl_device_operation *from, struct wl_device_operation *to)
{
    *to = *from;
    if (from->kind == WL_DEVICE_OPERATION_KERNEL)
        return copy_kernel(&from->kernel, &to->kernel);
    if (from->kind == WL_DEVICE_OPERATION_GRAPH) {
        to->graph = wl_device_graph_copy(from->graph);
        return to->graph ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    }
    if (from->kind == WL_DEVICE_OPERATION_CONDITION) {
        int code = wl_device_condition_bodies(from, to);
        if (code)
            free_bodies(to);
        return code;
    }
    if (from->kind == WL_DEVICE_OPERATION_ALLOCATE)
        wl_device_graph_memory_hold(from->memory.address, from->memory.size_bytes);
    return WL_DEVICE_OK;
}

/* What a conditional node's graph may hold. */
static bool can_be_in_body(enum wl_device_operation_kind kind)
{
    return kind == WL_DEVICE_OPERATION_KERNEL || kind == WL_DEVICE_OPERATION_COPY ||
           kind == WL_DEVICE_OPERATION_FILL || kind == WL_DEVICE_OPERATION_GRAPH ||
           kind == WL_DEVICE_OPERATION_EMPTY || kind == WL_DEVICE_OPERATION_CONDITION;
}

int wl_device_graph_append(struct wl_device_graph *graph,
                           struct wl_device_node *const *dependencies, size_t count,
                           const struct wl_device_operation *operation,
                           struct wl_device_node **node)
{
    if (graph->is_body && !can_be_in_body(operation->kind))
        return WL_DEVICE_NOT_SUPPORTED;
    struct wl_device_node *made = wl_alloc_zero(1, sizeof *made);
    int code = wl_device_operation_copy(operation, &made->operation);
    if (code) {
        free(made);
        return code;
    }
    made->is_enabled = true;
    made->number = wl_device_number_next(WL_DEVICE_NUMBER_NODE);
    made->graph = graph;
    for (size_t i = 0; i < count; i++)
        WL_PUSH(&made->dependencies, dependencies[i]);
    WL_PUSH(&graph->nodes, made);
    if (node)
        *node = made;
    return WL_DEVICE_OK;
}

static size_t index_of(const struct wl_device_nodes *nodes, const struct wl_device_node *node)
{
    size_t at = 0;
    while (at < nodes->count && nodes->items[at] != node)
        at++;
    return at;
}

struct wl_device_graph *wl_device_graph_copy(const struct wl_device_graph *graph)
{
    struct wl_device_graph *copy = wl_device_graph_make();
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_device_node *node = graph->nodes.items[i];
        struct wl_device_node *made;
        if (wl_device_graph_append(copy, NULL, 0, &node->operation, &made)) {
            wl_device_graph_free(copy);
            return NULL;
        }
        made->is_enabled = node->is_enabled;
        made->origin = node;
        wl_device_attributes_copy(made, node);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_device_nodes *dependencies = &graph->nodes.items[i]->dependencies;
        for (size_t k = 0; k < dependencies->count; k++) {
            size_t at = index_of(&graph->nodes, dependencies->items[k]);
            WL_PUSH(&copy->nodes.items[i]->dependencies, copy->nodes.items[at]);
        }
    }
    wl_device_conditions_copy(copy, graph);
    wl_device_objects_copy(copy, graph);
    return copy;
}

int wl_device_graph_create(struct wl_device_graph **graph)
{
    if (!graph)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    *graph = wl_device_graph_make();
    wl_device_graph_publish(*graph);
    wl_device_leave();
    return WL_DEVICE_OK;
}

int wl_device_graph_destroy(struct wl_device_graph *graph)
{
    wl_device_enter_beside();
    int code = wl_device_handle_is(WL_DEVICE_HANDLE_GRAPH, graph) && !graph->is_body
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        wl_device_handle_remove(WL_DEVICE_HANDLE_GRAPH, graph);
        wl_device_graph_free(graph);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

int wl_device_graph_clone(const struct wl_device_graph *graph, struct wl_device_graph **clone)
{
    wl_device_enter_beside();
    int code = clone && wl_device_graph_is_known(graph) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && wl_device_graph_has_conditions(graph))
        code = WL_DEVICE_NOT_SUPPORTED;
    if (code == WL_DEVICE_OK) {
        *clone = wl_device_graph_copy(graph);
        if (*clone)
            wl_device_graph_publish(*clone);
        else
            code = WL_DEVICE_INVALID_VALUE;
    }
    wl_device_leave();
    return code;
}

static bool all_in(const struct wl_device_graph *graph, struct wl_device_node *const *nodes,
                   size_t count)
{
    if (!wl_device_graph_is_open(graph) || (count && !nodes))
        return false;
    for (size_t i = 0; i < count; i++)
        if (index_of(&graph->nodes, nodes[i]) == graph->nodes.count)
            return false;
    return true;
}

/* The program fills them. */
static void publish_bodies(struct wl_device_node *node)
{
    for (unsigned i = 0; i < node->operation.condition.count; i++)
        wl_device_graph_publish(node->operation.condition.bodies[i]);
}

int wl_device_graph_add(struct wl_device_graph *graph, struct wl_device_node *const *dependencies,
                        size_t count, const struct wl_device_operation *operation,
                        struct wl_device_node **node)
{
    wl_device_enter_beside();
    int code = all_in(graph, dependencies, count) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && operation->kind == WL_DEVICE_OPERATION_GRAPH)
        code = !wl_device_graph_is_known(operation->graph)        ? WL_DEVICE_INVALID_VALUE
               : wl_device_graph_has_conditions(operation->graph) ? WL_DEVICE_NOT_SUPPORTED
                                                                  : WL_DEVICE_OK;
    if (code == WL_DEVICE_OK && operation->kind == WL_DEVICE_OPERATION_CONDITION &&
        !wl_device_condition_is_valid(operation))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_graph_append(graph, dependencies, count, operation, node);
    if (code == WL_DEVICE_OK && operation->kind == WL_DEVICE_OPERATION_CONDITION)
        publish_bodies(*node);
    wl_device_leave();
    return code;
}

int wl_device_graph_connect(struct wl_device_graph *graph, struct wl_device_node *const *from,
                            struct wl_device_node *const *to, size_t count, bool connect)
{
    wl_device_enter_beside();
    int code = WL_DEVICE_INVALID_VALUE;
    if (!all_in(graph, from, count) || !all_in(graph, to, count))
        goto out;
    code = WL_DEVICE_OK;
    for (size_t i = 0; i < count && !code; i++) {
        struct wl_device_nodes *list = &to[i]->dependencies;
        size_t at = index_of(list, from[i]);
        if (connect == (at < list->count)) {
            code = WL_DEVICE_INVALID_VALUE;
        } else if (connect) {
            WL_PUSH(list, from[i]);
        } else {
            list->count--;
            memmove(&list->items[at], &list->items[at + 1],
                    (list->count - at) * sizeof *list->items);
        }
    }
out:
    wl_device_leave();
    return code;
}

/* A list being given out: as many as the caller has room for. */
struct listing {
    struct wl_device_node **first, **second;
    size_t room, count;
};

static void list(struct listing *listing, struct wl_device_node *first,
                 struct wl_device_node *second)
{
    if (listing->first && listing->count < listing->room) {
        listing->first[listing->count] = first;
        if (listing->second)
            listing->second[listing->count] = second;
    }
    listing->count++;
}

/* Without a place to put them all are counted; else the rest of the places is cleared. */
static void finish_listing(struct listing *listing, size_t *count)
{
    size_t given = listing->count;
    if (listing->first && given > listing->room)
        given = listing->room;
    for (size_t i = given; listing->first && i < listing->room; i++) {
        listing->first[i] = NULL;
        if (listing->second)
            listing->second[i] = NULL;
    }
    *count = given;
}

int wl_device_graph_nodes(const struct wl_device_graph *graph, bool only_roots,
                          struct wl_device_node **nodes, size_t *count)
{
    wl_device_enter_beside();
    int code = count && wl_device_graph_is_known(graph) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        struct listing listing = {.first = nodes, .room = *count};
        for (size_t i = 0; i < graph->nodes.count; i++)
            if (!only_roots || !graph->nodes.items[i]->dependencies.count)
                list(&listing, graph->nodes.items[i], NULL);
        finish_listing(&listing, count);
    }
    wl_device_leave();
    return code;
}

int wl_device_graph_edges(const struct wl_device_graph *graph, struct wl_device_node **from,
                          struct wl_device_node **to, size_t *count)
{
    wl_device_enter_beside();
    int code = count && wl_device_graph_is_known(graph) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        struct listing listing = {.first = from, .second = to, .room = *count};
        for (size_t i = 0; i < graph->nodes.count; i++) {
            struct wl_device_node *node = graph->nodes.items[i];
            for (size_t k = 0; k < node->dependencies.count; k++)
                list(&listing, node->dependencies.items[k], node);
        }
        finish_listing(&listing, count);
    }
    wl_device_leave();
    return code;
}

int wl_device_node_neighbours(const struct wl_device_node *node, bool dependents,
                              struct wl_device_node **nodes, size_t *count)
{
    wl_device_enter_beside();
    int code = count && wl_device_node_is_known(node) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        struct listing listing = {.first = nodes, .room = *count};
        const struct wl_device_nodes *all = &node->graph->nodes;
        for (size_t i = 0; i < all->count; i++) {
            const struct wl_device_nodes *of =
                dependents ? &all->items[i]->dependencies : &node->dependencies;
            if (index_of(of, dependents ? node : all->items[i]) < of->count)
                list(&listing, all->items[i], NULL);
        }
        finish_listing(&listing, count);
    }
    wl_device_leave();
    return code;
}

int wl_device_node_find_in_clone(const struct wl_device_node *node,
                                 const struct wl_device_graph *clone, struct wl_device_node **found)
{
    wl_device_enter_beside();
    int code = WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; found && wl_device_graph_is_known(clone) && i < clone->nodes.count; i++) {
        if (clone->nodes.items[i]->origin != node)
            continue;
        *found = clone->nodes.items[i];
        code = WL_DEVICE_OK;
    }
    wl_device_leave();
    return code;
}

/* Not while the graph is captured: what comes next may stand behind the node. */
int wl_device_node_destroy(struct wl_device_node *node)
{
    wl_device_enter_beside();
    int code = wl_device_node_is_known(node) && !wl_device_capture_has(node->graph)
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        struct wl_device_nodes *all = &node->graph->nodes;
        for (size_t i = all->count; i-- > 0;) {
            struct wl_device_nodes *lists[] = {&all->items[i]->dependencies, NULL};
            size_t at = index_of(lists[0], node);
            if (at < lists[0]->count)
                lists[0]->items[at] = lists[0]->items[--lists[0]->count];
        }
        size_t at = index_of(all, node);
        all->count--;
        memmove(&all->items[at], &all->items[at + 1], (all->count - at) * sizeof *all->items);
        free_node(node);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

int wl_device_node_get(const struct wl_device_node *node,
                       const struct wl_device_operation **operation)
{
    wl_device_enter_beside();
    int code = wl_device_node_is_known(node) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *operation = &node->operation;
    wl_device_leave();
    return code;
}

int wl_device_node_replace(struct wl_device_node *node, const struct wl_device_operation *operation)
{
    struct wl_device_operation copy;
    if (node->operation.kind != operation->kind)
        return WL_DEVICE_INVALID_VALUE;
    int code = wl_device_operation_copy(operation, &copy);
    if (code)
        return code;
    wl_device_operation_free(&node->operation);
    node->operation = copy;
    return WL_DEVICE_OK;
}

int wl_device_node_set(struct wl_device_node *node, const struct wl_device_operation *operation)
{
    struct wl_device_operation wanted = *operation;
    wl_device_enter_beside();
    int code = WL_DEVICE_INVALID_VALUE;
    if (wl_device_node_is_known(node)) {
        wl_device_attributes_keep(node, &wanted);
        code = operation->kind == WL_DEVICE_OPERATION_CONDITION
                   ? WL_DEVICE_NOT_SUPPORTED
                   : wl_device_node_replace(node, &wanted);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}
