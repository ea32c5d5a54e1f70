/* Capturing streams: while a stream is captured, what is submitted to it becomes nodes of a graph.
 * An event recorded there takes along where the stream stood; another stream that waits for the
 * event joins the capture. */
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/graph/objects.h"
#include "device/graph/state.h"
#include "device/memory/state.h"

static unsigned active; /* streams being captured; most programs capture none */

/* The point of a stream in capture, else NULL. */
static struct wl_device_capture_point *captured(void *stream)
{
    struct wl_device_capture_point *point = active ? wl_device_stream_point(stream) : NULL;
    return point && point->graph ? point : NULL;
}

static void clear(struct wl_device_capture_point *point)
{
    if (point->is_stream && point->graph)
        active--;
    point->graph = NULL;
    point->is_origin = point->is_invalid = false;
    point->nodes.count = 0;
}

/* Goes on behind the nodes, too. */
static void join(struct wl_device_capture_point *point, struct wl_device_node *const *nodes,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < point->nodes.count && point->nodes.items[at] != nodes[i])
            at++;
        if (at == point->nodes.count)
            WL_PUSH(&point->nodes, nodes[i]);
    }
}

/* Adds the operation behind the point. */
static int add(struct wl_device_capture_point *point, struct wl_device_operation *operation)
{
    struct wl_device_node *node;
    if (point->is_invalid)
        return WL_DEVICE_CAPTURE_INVALIDATED;
    if (operation->kind == WL_DEVICE_OPERATION_GRAPH &&
        wl_device_graph_has_conditions(operation->graph))
        return WL_DEVICE_NOT_SUPPORTED;
    if (operation->kind == WL_DEVICE_OPERATION_ALLOCATE) {
        int code = wl_device_memory_allocate_held(
            WL_DEVICE_MEMORY_DEVICE, operation->memory.size_bytes, 0, &operation->memory.address);
        if (code)
            return code;
    }
    int code = wl_device_graph_append(point->graph, point->nodes.items, point->nodes.count,
                                      operation, &node);
    if (code)
        return code;
    point->nodes.count = 0;
    WL_PUSH(&point->nodes, node);
    return WL_DEVICE_OK;
}

bool wl_device_capture_takes(struct wl_device_operation *operation, void *stream, int *code)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return false;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = captured(stream);
    if (point)
        *code = add(point, operation);
    wl_device_leave();
    return point != NULL;
}

int wl_device_capture_begin(void *stream, enum wl_device_capture_mode mode,
                            struct wl_device_graph *graph,
                            struct wl_device_node *const *dependencies, size_t count)
{
    int code = wl_device_stream_query(stream, NULL);
    if (code)
        return code;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = wl_device_stream_point(stream);
    if (!point)
        code = WL_DEVICE_CAPTURE_UNSUPPORTED; /* the default stream */
    else if (point->graph)
        code = WL_DEVICE_ILLEGAL_STATE;
    else if (graph && !wl_device_graph_is_known(graph))
        code = WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; code == WL_DEVICE_OK && i < count; i++)
        if (!graph || !wl_device_graph_has(graph, dependencies[i]))
            code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        point->is_published = graph != NULL;
        point->graph = graph ? graph : wl_device_graph_make();
        point->id = wl_device_number_next(WL_DEVICE_NUMBER_CAPTURE);
        point->is_origin = true;
        point->mode = (int)mode;
        point->thread = pthread_self();
        active++;
        join(point, dependencies, count);
    }
    wl_device_leave();
    return code;
}

struct search {
    const struct wl_device_graph *graph; /* or */
    const struct wl_device_node *node;
    bool is_found;
};

static void see_graph(struct wl_device_capture_point *point, void *self)
{
    struct search *search = self;
    if (point->is_stream && point->graph)
        search->is_found |= point->graph == search->graph ||
                            (search->node && wl_device_graph_has(point->graph, search->node));
}

bool wl_device_capture_has(const struct wl_device_graph *graph)
{
    struct search search = {.graph = graph};
    if (active && graph)
        wl_device_each_point(see_graph, &search);
    return search.is_found;
}

bool wl_device_capture_has_node(const struct wl_device_node *node)
{
    struct search search = {.node = node};
    if (active && node)
        wl_device_each_point(see_graph, &search);
    return search.is_found;
}

static void break_if_of(struct wl_device_capture_point *point, void *graph)
{
    if (point->graph == graph)
        point->is_invalid = true;
}

/* Marks what the nodes stand behind, and themselves. Nodes of a capture come after those they
 * depend on. */
static void mark_joined(struct wl_device_graph *graph, const struct wl_device_nodes *ends)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->is_done = false;
    for (size_t i = 0; i < ends->count; i++)
        ends->items[i]->is_done = true;
    for (size_t i = graph->nodes.count; i-- > 0;) {
        const struct wl_device_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->dependencies.count && node->is_done; k++)
            node->dependencies.items[k]->is_done = true;
    }
}

struct joining {
    const struct wl_device_capture_point *origin;
    bool is_complete; /* no stream has work that the origin does not wait for */
};

static void see_whether_joined(struct wl_device_capture_point *point, void *self)
{
    struct joining *joining = self;
    if (!point->is_stream || point->graph != joining->origin->graph)
        return;
    for (size_t i = 0; i < point->nodes.count; i++)
        joining->is_complete &= point->nodes.items[i]->is_done;
}

static void clear_if_of(struct wl_device_capture_point *point, void *graph)
{
    if (point->graph == graph)
        clear(point);
}

int wl_device_capture_end(void *stream, struct wl_device_graph **graph)
{
    int code = wl_device_stream_query(stream, NULL);
    struct wl_device_graph *ignored;
    if (code)
        return code;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = captured(stream);
    if (!graph && point && !point->is_published) {
        wl_device_leave();
        return WL_DEVICE_INVALID_VALUE;
    }
    graph = graph ? graph : &ignored; /* the program has it */
    *graph = NULL;
    if (!point) {
        code = WL_DEVICE_ILLEGAL_STATE;
    } else if (!point->is_origin) {
        code = WL_DEVICE_CAPTURE_UNMATCHED;
        wl_device_each_point(break_if_of, point->graph);
    } else {
        struct wl_device_graph *ended = point->graph;
        bool is_published = point->is_published;
        struct joining joining = {point, true};
        mark_joined(ended, &point->nodes);
        wl_device_each_point(see_whether_joined, &joining);
        code = point->is_invalid      ? WL_DEVICE_CAPTURE_INVALIDATED
               : !joining.is_complete ? WL_DEVICE_CAPTURE_UNJOINED
                                      : WL_DEVICE_OK;
        wl_device_each_point(clear_if_of, ended);
        if (code && !is_published)
            wl_device_graph_free(ended);
        else if (!is_published)
            wl_device_graph_publish(ended);
        if (code == WL_DEVICE_OK)
            *graph = ended;
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

int wl_device_capture_query(void *stream, struct wl_device_capture_info *info)
{
    int code = wl_device_stream_query(stream, NULL);
    if (code)
        return code;
    *info = (struct wl_device_capture_info){0};
    wl_device_enter_beside();
    const struct wl_device_capture_point *point = captured(stream);
    if (point)
        *info = (struct wl_device_capture_info){
            point->is_invalid ? WL_DEVICE_CAPTURE_BROKEN : WL_DEVICE_CAPTURE_ACTIVE,
            point->id,
            point->graph,
            point->nodes.items,
            point->nodes.count,
        };
    wl_device_leave();
    return WL_DEVICE_OK;
}

int wl_device_capture_depend(void *stream, struct wl_device_node *const *nodes, size_t count,
                             bool add_to)
{
    int code = WL_DEVICE_OK;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = captured(stream);
    if (!point)
        code = WL_DEVICE_ILLEGAL_STATE;
    for (size_t i = 0; code == WL_DEVICE_OK && i < count; i++)
        if (!wl_device_graph_has(point->graph, nodes[i]))
            code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        if (!add_to)
            point->nodes.count = 0;
        join(point, nodes, count);
    }
    wl_device_leave();
    return code;
}

static _Thread_local enum wl_device_capture_mode thread_mode;

int wl_device_capture_exchange_mode(int *mode)
{
    if (!mode || (unsigned)*mode > WL_DEVICE_CAPTURE_RELAXED)
        return WL_DEVICE_INVALID_VALUE;
    int former = (int)thread_mode;
    thread_mode = (enum wl_device_capture_mode) * mode;
    *mode = former;
    return WL_DEVICE_OK;
}

/* Which captures a call breaks. */
struct breaking {
    bool breaks_all, is_forbidden;
    struct wl_device_graph *graph; /* the first that it breaks */
};

static void find_broken(struct wl_device_capture_point *point, void *self)
{
    struct breaking *breaking = self;
    if (!point->is_stream || !point->is_origin || !point->graph)
        return;
    bool is_own = pthread_equal(point->thread, pthread_self());
    bool is_forbidding = point->mode == WL_DEVICE_CAPTURE_GLOBAL
                             ? thread_mode == WL_DEVICE_CAPTURE_GLOBAL || is_own
                             : point->mode == WL_DEVICE_CAPTURE_THREAD_LOCAL && is_own;
    if (breaking->breaks_all || (is_forbidding && thread_mode != WL_DEVICE_CAPTURE_RELAXED)) {
        breaking->is_forbidden = true;
        breaking->graph = point->is_invalid ? breaking->graph : point->graph;
    }
}

/* What is forbidden breaks the captures that forbid it; broken ones still do, as on an H200. */
static int break_captures(bool breaks_all)
{
    int code = WL_DEVICE_OK;
    struct breaking breaking;
    do {
        breaking = (struct breaking){.breaks_all = breaks_all};
        wl_device_each_point(find_broken, &breaking);
        if (breaking.graph)
            wl_device_each_point(break_if_of, breaking.graph);
        if (breaking.is_forbidden)
            code = WL_DEVICE_CAPTURE_UNSUPPORTED;
    } while (breaking.graph);
    return code;
}

int wl_device_capture_forbids(void)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return WL_DEVICE_OK;
    wl_device_enter_beside();
    int code = break_captures(false);
    wl_device_leave();
    return code;
}

int wl_device_capture_forbids_all(void)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return WL_DEVICE_OK;
    wl_device_enter_beside();
    break_captures(true);
    wl_device_leave();
    return WL_DEVICE_CAPTURE_UNSUPPORTED;
}

int wl_device_capture_refuses(void *stream)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return WL_DEVICE_OK;
    int code = WL_DEVICE_CAPTURE_UNSUPPORTED;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = captured(stream);
    if (point)
        wl_device_each_point(break_if_of, point->graph);
    else
        code = break_captures(false);
    wl_device_leave();
    return code;
}

int wl_device_capture_refuses_event(void *event, bool is_query)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return WL_DEVICE_OK;
    int code = WL_DEVICE_OK;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = wl_device_event_point(event);
    if (point && point->graph) {
        code = WL_DEVICE_CAPTURED_EVENT;
        if (!is_query)
            wl_device_each_point(break_if_of, point->graph);
    } else if (!is_query) {
        code = break_captures(false);
    }
    wl_device_leave();
    return code;
}

bool wl_device_capture_records(void *event, void *stream)
{
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return false;
    wl_device_enter_beside();
    const struct wl_device_capture_point *point = captured(stream);
    struct wl_device_capture_point *kept = wl_device_event_point(event);
    if (kept)
        clear(kept);
    if (kept && point) {
        kept->graph = point->graph;
        kept->id = point->id;
        join(kept, point->nodes.items, point->nodes.count);
    }
    wl_device_leave();
    return kept && point;
}

int wl_device_capture_waits(void *stream, void *event)
{
    int code = WL_DEVICE_OK;
    if (!__atomic_load_n(&active, __ATOMIC_RELAXED))
        return code;
    wl_device_enter_beside();
    struct wl_device_capture_point *point = wl_device_stream_point(stream);
    const struct wl_device_capture_point *kept = wl_device_event_point(event);
    bool is_captured = kept && kept->graph;
    if (!point || (!is_captured && !point->graph)) {
        code = is_captured ? WL_DEVICE_CAPTURE_IMPLICIT : WL_DEVICE_OK;
    } else if (!is_captured) {
        code = WL_DEVICE_CAPTURE_ISOLATION;
        wl_device_each_point(break_if_of, point->graph);
    } else if (point->graph && point->graph != kept->graph) {
        code = WL_DEVICE_CAPTURE_MERGE;
    } else {
        if (!point->graph)
            active++;
        point->graph = kept->graph;
        point->id = kept->id;
        join(point, kept->nodes.items, kept->nodes.count);
    }
    wl_device_leave();
    return code;
}
