/* Nodes whose graphs run or do not run, or run again, as a condition says. A condition is a word in
 * memory of the device, whose address is its handle: kernels set it by storing to it
 * (device_runtime.ptx), and the host reads it when the node's turn comes. It is there as long as
 * the graph that it was made for, and copies of that. */
#include <stdlib.h>

#include <uthash.h>

#include "base/memory.h"
#include "device/graph/state.h"
#include "device/memory/state.h"

enum { ASSIGN_DEFAULT = 1 }; /* cudaGraphCondAssignDefault */
enum { IF = 0, WHILE = 1, SWITCH = 2 };

struct wl_device_condition {
    uint32_t *word;
    uint32_t initial;
    bool is_assigned; /* at the beginning of each launch */
    size_t graphs;    /* that hold it */
    UT_hash_handle hh;
};

static struct wl_device_condition *conditions;

static struct wl_device_condition *find(uint64_t handle)
{
    const uint32_t *word = (const uint32_t *)(uintptr_t)handle;
    struct wl_device_condition *found;
    HASH_FIND_PTR(conditions, &word, found);
    return found;
}

static void assign(const struct wl_device_condition *condition)
{
    *condition->word = condition->initial;
    wl_device_memory_tell_written(condition->word, sizeof *condition->word);
}

int wl_device_condition_create(struct wl_device_graph *graph, uint32_t initial, unsigned flags,
                               uint64_t *handle)
{
    struct wl_device_condition *made = NULL;
    void *word = NULL;
    if (!handle || flags & ~(unsigned)ASSIGN_DEFAULT)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code =
        wl_device_graph_is_open(graph)
            ? wl_device_memory_allocate_held(WL_DEVICE_MEMORY_DEVICE, sizeof(uint32_t), 0, &word)
            : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        made = wl_alloc_zero(1, sizeof *made);
        *made = (struct wl_device_condition){word, initial, flags & ASSIGN_DEFAULT, .graphs = 1};
        HASH_ADD_PTR(conditions, word, made);
        WL_PUSH(&graph->conditions, made);
        *handle = (uintptr_t)word;
    }
    wl_device_leave();
    if (made)
        assign(made);
    return code;
}

void wl_device_conditions_copy(struct wl_device_graph *to, const struct wl_device_graph *from)
{
    for (size_t i = 0; i < from->conditions.count; i++) {
        from->conditions.items[i]->graphs++;
        WL_PUSH(&to->conditions, from->conditions.items[i]);
    }
}

void wl_device_conditions_release(struct wl_device_graph *graph)
{
    for (size_t i = 0; i < graph->conditions.count; i++) {
        struct wl_device_condition *condition = graph->conditions.items[i];
        if (--condition->graphs)
            continue;
        HASH_DEL(conditions, condition);
        wl_device_memory_free_held(WL_DEVICE_MEMORY_DEVICE, condition->word);
        free(condition);
    }
    free(graph->conditions.items);
    graph->conditions = (struct wl_device_conditions){0};
}

void wl_device_conditions_assign(const struct wl_device_graph *graph)
{
    struct wl_device_graph *const *inner;
    for (size_t i = 0; i < graph->conditions.count; i++)
        if (graph->conditions.items[i]->is_assigned)
            assign(graph->conditions.items[i]);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const size_t count = wl_device_operation_graphs(&graph->nodes.items[i]->operation, &inner);
        for (size_t k = 0; k < count; k++)
            wl_device_conditions_assign(inner[k]);
    }
}

bool wl_device_condition_is_valid(const struct wl_device_operation *operation)
{
    const unsigned count = operation->condition.count;
    switch (operation->condition.type) {
    case IF:
        return find(operation->condition.handle) && (count == 1 || count == 2);
    case WHILE:
        return find(operation->condition.handle) && count == 1;
    case SWITCH:
        return find(operation->condition.handle) && count > 0;
    default:
        return false;
    }
}

int wl_device_condition_bodies(const struct wl_device_operation *from,
                               struct wl_device_operation *to)
{
    const unsigned count = from->condition.count;
    int code = WL_DEVICE_OK;
    to->condition.bodies = wl_alloc_zero(count, sizeof(struct wl_device_graph *));
    for (unsigned i = 0; i < count && code == WL_DEVICE_OK; i++) {
        struct wl_device_graph *made = from->condition.bodies
                                           ? wl_device_graph_copy(from->condition.bodies[i])
                                           : wl_device_graph_make();
        to->condition.bodies[i] = made;
        if (!made)
            code = WL_DEVICE_INVALID_VALUE;
        else
            made->is_body = true;
    }
    return code;
}

bool wl_device_graph_has_conditions(const struct wl_device_graph *graph)
{
    struct wl_device_graph *const *inner;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_device_operation *operation = &graph->nodes.items[i]->operation;
        const size_t count = wl_device_operation_graphs(operation, &inner);
        if (operation->kind == WL_DEVICE_OPERATION_CONDITION)
            return true;
        for (size_t k = 0; k < count; k++)
            if (wl_device_graph_has_conditions(inner[k]))
                return true;
    }
    return false;
}

/* Once the body has run; 0 where a reset of the device has taken it. */
static uint32_t value_of(const struct wl_device_operation *operation)
{
    const uint64_t word = operation->condition.handle;
    struct wl_device_allocation found;
    wl_device_enter();
    const uint32_t value =
        wl_device_memory_look(word, &found) ? *(const uint32_t *)(uintptr_t)word : 0;
    wl_device_leave();
    return value;
}

int wl_device_condition_run(const struct wl_device_operation *operation, void *stream,
                            int (*run)(const struct wl_device_graph *body, void *stream))
{
    struct wl_device_graph *const *bodies = operation->condition.bodies;
    const unsigned count = operation->condition.count;
    uint32_t value = value_of(operation);
    int code = WL_DEVICE_OK;
    if (operation->condition.type == SWITCH)
        return value < count ? run(bodies[value], stream) : WL_DEVICE_OK;
    if (operation->condition.type == IF)
        return value ? run(bodies[0], stream) : count > 1 ? run(bodies[1], stream) : WL_DEVICE_OK;
    for (; value && code == WL_DEVICE_OK; value = value_of(operation))
        code = run(bodies[0], stream);
    return code;
}
