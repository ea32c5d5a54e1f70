/* Running operations, one by one or as an instantiated graph. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/core/clock.h"
#include "device/graph/objects.h"
#include "device/graph/queue.h"
#include "device/graph/state.h"
#include "device/memory/pool.h"

struct wl_device_executable {
    struct wl_device_graph *graph; /* a copy, whose nodes' origins are those of the program */
    uint64_t origin;               /* number of the program's graph */
    uint64_t flags;
};

static bool is_known(const struct wl_device_executable *executable)
{
    return wl_device_handle_is(WL_DEVICE_HANDLE_EXECUTABLE, executable);
}

static int run_graph(const struct wl_device_graph *graph, void *stream,
                     struct wl_device_branch *outer);
static int visit(const struct wl_device_graph *graph, void *stream,
                 struct wl_device_branch *branch);

static int run_body(const struct wl_device_graph *body, void *stream)
{
    return run_graph(body, stream, wl_device_timeline_branch());
}

/* On a GPU another thread runs it when its turn comes; here this one, now, while the clock stands.
 */
static void run_host(const struct wl_device_operation *operation, void *stream)
{
    wl_device_clock_hold();
    uint64_t begin_ns = wl_clock_monotonic_ns();
    operation->host.function(operation->host.data);
    wl_device_enter();
    if (!operation->host.takes_no_time)
        wl_device_timeline_host(stream, wl_clock_monotonic_ns() - begin_ns);
    wl_device_leave();
    wl_device_clock_release();
}

static int run_in_graph(const struct wl_device_operation *operation, void *stream)
{
    switch (operation->kind) {
    case WL_DEVICE_OPERATION_KERNEL: {
        struct wl_device_request request = operation->kernel;
        request.stream = stream;
        return wl_device_launch_now(&request);
    }
    case WL_DEVICE_OPERATION_COPY: {
        struct wl_device_copy copy = operation->copy;
        copy.stream = stream;
        copy.is_async = true;
        return wl_device_memory_copy(&copy);
    }
    case WL_DEVICE_OPERATION_FILL: {
        const struct wl_device_fill *fill = &operation->fill;
        return wl_device_memory_fill_on(stream, fill->to, fill->value, fill->value_bytes,
                                        fill->width, fill->height, fill->pitch_bytes);
    }
    case WL_DEVICE_OPERATION_HOST:
        run_host(operation, stream);
        return WL_DEVICE_OK;
    case WL_DEVICE_OPERATION_GRAPH:
        return run_body(operation->graph, stream);
    case WL_DEVICE_OPERATION_CONDITION:
        return wl_device_condition_run(operation, stream, run_body);
    case WL_DEVICE_OPERATION_WAIT_EVENT:
        wl_device_event_hold_now(operation->event, stream); /* no matter if it is no more */
        return WL_DEVICE_OK;
    case WL_DEVICE_OPERATION_RECORD_EVENT:
        return wl_device_event_record_now(operation->event, stream);
    case WL_DEVICE_OPERATION_ALLOCATE:
    case WL_DEVICE_OPERATION_FREE:
        wl_device_graph_memory_use(operation->memory.address,
                                   operation->kind == WL_DEVICE_OPERATION_ALLOCATE);
        return WL_DEVICE_OK;
    case WL_DEVICE_OPERATION_EMPTY:
        break;
    }
    return WL_DEVICE_OK;
}

static int release(void *address)
{
    return wl_device_graph_memory_use(address, false)
               ? WL_DEVICE_OK
               : wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address);
}

int wl_device_operation_run(struct wl_device_operation *operation, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    if (code)
        return code;
    if (operation->kind == WL_DEVICE_OPERATION_ALLOCATE)
        return wl_device_pool_allocate(operation->memory.pool, operation->memory.size_bytes, stream,
                                       &operation->memory.address);
    if (operation->kind == WL_DEVICE_OPERATION_FREE)
        return release(operation->memory.address);
    return run_in_graph(operation, stream);
}

static bool is_ready(const struct wl_device_node *node)
{
    for (size_t i = 0; i < node->dependencies.count; i++)
        if (!node->dependencies.items[i]->is_done)
            return false;
    return true;
}

/* Runs the node behind those it depends on. */
static int run_node(struct wl_device_node *node, const struct wl_device_branch *graph, void *stream)
{
    struct wl_device_branch branch = *graph;
    branch.graph_id = graph->graph_id ? graph->graph_id : node->graph->number;
    branch.node_id = node->number;
    for (size_t i = 0; i < node->dependencies.count; i++)
        if (node->dependencies.items[i]->end_ns > branch.ready_ns)
            branch.ready_ns = node->dependencies.items[i]->end_ns;
    struct wl_device_branch *outer = wl_device_timeline_branch();
    wl_device_timeline_use_branch(&branch);
    int code = WL_DEVICE_OK;
    if (node->is_enabled && !wl_device_queue_takes_node(&node->operation, stream, &code))
        code = run_in_graph(&node->operation, stream);
    wl_device_timeline_use_branch(outer);
    node->end_ns = branch.ready_ns;
    return code;
}

/* Whether all nodes of the graphs within the node can be reached. */
static int visit_within(const struct wl_device_node *node)
{
    struct wl_device_graph *const *inner;
    const size_t count = wl_device_operation_graphs(&node->operation, &inner);
    int code = WL_DEVICE_OK;
    for (size_t i = 0; i < count && code == WL_DEVICE_OK; i++)
        code = visit(inner[i], NULL, NULL);
    return code;
}

/* Goes through the nodes, each behind those it depends on. Most graphs are added to in that order,
 * so that one pass does. Without a branch to run it in it only sees whether all nodes can be
 * reached. */
static int visit(const struct wl_device_graph *graph, void *stream, struct wl_device_branch *branch)
{
    size_t done = 0, before;
    uint64_t end_ns = branch ? branch->ready_ns : 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->is_done = false;
    do {
        before = done;
        for (size_t i = 0; i < graph->nodes.count; i++) {
            struct wl_device_node *node = graph->nodes.items[i];
            if (node->is_done || !is_ready(node))
                continue;
            int code = branch ? run_node(node, branch, stream) : visit_within(node);
            if (code)
                return code;
            if (branch && node->end_ns > end_ns)
                end_ns = node->end_ns;
            node->is_done = true;
            done++;
        }
    } while (done > before && done < graph->nodes.count);
    if (branch)
        branch->ready_ns = end_ns;
    return done == graph->nodes.count ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
}

/* outer: the node that it is, NULL: none. */
static int run_graph(const struct wl_device_graph *graph, void *stream,
                     struct wl_device_branch *outer)
{
    struct wl_device_branch begun;
    if (outer)
        return visit(graph, stream, outer);
    wl_device_conditions_assign(graph);
    wl_device_enter();
    wl_device_timeline_begin_graph(stream, &begun);
    wl_device_leave();
    return visit(graph, stream, &begun);
}

static bool is_instantiated(const struct wl_device_graph *graph)
{
    const struct wl_device_executable *executable = NULL;
    while ((executable = wl_device_handle_next(WL_DEVICE_HANDLE_EXECUTABLE, executable)) != NULL)
        if (executable->origin == graph->number)
            return true;
    return false;
}

int wl_device_graph_instantiate(const struct wl_device_graph *graph, uint64_t flags,
                                struct wl_device_executable **executable)
{
    wl_device_enter_beside();
    int code =
        executable && wl_device_graph_is_known(graph) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && wl_device_graph_has_conditions(graph) && is_instantiated(graph))
        code = WL_DEVICE_NOT_SUPPORTED;
    if (code == WL_DEVICE_OK)
        code = visit(graph, NULL, NULL);
    struct wl_device_graph *copy = code ? NULL : wl_device_graph_copy(graph);
    if (copy) {
        struct wl_device_executable *made = wl_alloc_zero(1, sizeof *made);
        made->graph = copy;
        made->origin = graph->number;
        made->flags = flags;
        wl_device_handle_add(WL_DEVICE_HANDLE_EXECUTABLE, made);
        *executable = made;
    } else if (code == WL_DEVICE_OK) {
        code = WL_DEVICE_INVALID_VALUE;
    }
    wl_device_leave();
    return code;
}

int wl_device_executable_destroy(struct wl_device_executable *executable)
{
    wl_device_enter_beside();
    int code = is_known(executable) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        wl_device_handle_remove(WL_DEVICE_HANDLE_EXECUTABLE, executable);
        wl_device_graph_free(executable->graph);
        free(executable);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

int wl_device_executable_flags(const struct wl_device_executable *executable, uint64_t *flags)
{
    wl_device_enter_beside();
    int code = flags && is_known(executable) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = executable->flags;
    wl_device_leave();
    return code;
}

int wl_device_executable_launch(struct wl_device_executable *executable, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    if (code)
        return code;
    wl_device_enter_beside();
    code = is_known(executable) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    wl_device_leave();
    if (code)
        return code;
    struct wl_device_operation child = {.kind = WL_DEVICE_OPERATION_GRAPH,
                                        .graph = executable->graph};
    return wl_device_submit(&child, stream);
}

/* The node that stands for one of the program's; NULL if none does. */
static struct wl_device_node *stand_in(const struct wl_device_graph *graph,
                                       const struct wl_device_node *node)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct wl_device_node *item = graph->nodes.items[i];
        struct wl_device_graph *const *inner;
        const size_t count = wl_device_operation_graphs(&item->operation, &inner);
        if (item->origin == node)
            return item;
        for (size_t k = 0; k < count; k++) {
            struct wl_device_node *found = stand_in(inner[k], node);
            if (found)
                return found;
        }
    }
    return NULL;
}

int wl_device_executable_set(struct wl_device_executable *executable,
                             const struct wl_device_node *node,
                             const struct wl_device_operation *operation)
{
    wl_device_enter_beside();
    struct wl_device_operation wanted = *operation;
    struct wl_device_node *found = is_known(executable) ? stand_in(executable->graph, node) : NULL;
    if (found)
        wl_device_attributes_keep(found, &wanted);
    int code = !found ? WL_DEVICE_INVALID_VALUE
               : operation->kind == WL_DEVICE_OPERATION_CONDITION
                   ? WL_DEVICE_NOT_SUPPORTED
                   : wl_device_node_replace(found, &wanted);
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

int wl_device_executable_enable(struct wl_device_executable *executable,
                                const struct wl_device_node *node, int is_enabled, unsigned *was)
{
    wl_device_enter_beside();
    struct wl_device_node *found = is_known(executable) ? stand_in(executable->graph, node) : NULL;
    /* as hardware: nothing else can be switched off */
    if (found && found->operation.kind != WL_DEVICE_OPERATION_KERNEL &&
        found->operation.kind != WL_DEVICE_OPERATION_COPY &&
        found->operation.kind != WL_DEVICE_OPERATION_FILL)
        found = NULL;
    if (found && was)
        *was = found->is_enabled;
    if (found && is_enabled >= 0)
        found->is_enabled = is_enabled;
    wl_device_leave();
    return found ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
}

enum { TOPOLOGY_CHANGED = 2, KIND_CHANGED = 3, PARAMETERS_CHANGED = 5 };

/* How one graph differs from another of the same shape: 0, or a reason and where. */
static int compare(const struct wl_device_graph *old, const struct wl_device_graph *new,
                   struct wl_device_node **node)
{
    *node = NULL;
    if (old->nodes.count != new->nodes.count)
        return TOPOLOGY_CHANGED;
    for (size_t i = 0; i < old->nodes.count; i++) {
        const struct wl_device_node *left = old->nodes.items[i], *right = new->nodes.items[i];
        *node = new->nodes.items[i];
        if (left->operation.kind != right->operation.kind)
            return KIND_CHANGED;
        if (left->dependencies.count != right->dependencies.count)
            return TOPOLOGY_CHANGED;
        struct wl_device_graph *const *inner, *const *other;
        const size_t count = wl_device_operation_graphs(&left->operation, &inner);
        if (count != wl_device_operation_graphs(&right->operation, &other))
            return PARAMETERS_CHANGED;
        for (size_t k = 0; k < count; k++) {
            int reason = compare(inner[k], other[k], node);
            if (reason)
                return reason;
        }
    }
    *node = NULL;
    return 0;
}

int wl_device_executable_update(struct wl_device_executable *executable,
                                const struct wl_device_graph *graph, int *reason,
                                struct wl_device_node **node)
{
    wl_device_enter_beside();
    int code = WL_DEVICE_INVALID_VALUE;
    *reason = 1; /* for none of the reasons that have a number */
    *node = NULL;
    if (!is_known(executable) || !wl_device_graph_is_known(graph))
        goto out;
    *reason = compare(executable->graph, graph, node);
    code = *reason ? WL_DEVICE_GRAPH_UPDATE_FAILED : WL_DEVICE_OK;
    for (size_t i = 0; code == WL_DEVICE_OK && i < graph->nodes.count; i++) {
        if (!wl_device_node_replace(executable->graph->nodes.items[i],
                                    &graph->nodes.items[i]->operation))
            continue;
        *reason = PARAMETERS_CHANGED;
        *node = graph->nodes.items[i];
        code = WL_DEVICE_GRAPH_UPDATE_FAILED;
    }
    if (code == WL_DEVICE_OK) { /* the new nodes have conditions and objects of their own */
        struct wl_device_graph former = {.conditions = executable->graph->conditions,
                                         .objects = executable->graph->objects};
        executable->graph->conditions = (struct wl_device_conditions){0};
        executable->graph->objects = (struct wl_device_holdings){0};
        wl_device_conditions_copy(executable->graph, graph);
        wl_device_objects_copy(executable->graph, graph);
        wl_device_conditions_release(&former);
        wl_device_objects_leave(&former);
    }
out:
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}
