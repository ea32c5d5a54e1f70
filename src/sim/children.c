#include "sim/children.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

enum { SHAPE_WORDS = 7 };

struct begun {
    uint64_t buffer;
    struct wl_sim_child child;
    bool is_launched;
    UT_hash_handle hh;
};

struct wl_children {
    struct wl_heap *heap;
    struct begun *begun;                /* by buffer */
    WL_VECTOR(struct begun *) launched; /* in order */
};

struct wl_children *wl_children_create(struct wl_heap *heap)
{
    struct wl_children *children = wl_alloc_zero(1, sizeof *children);
    children->heap = heap;
    return children;
}

void wl_children_free(struct wl_children *children)
{
    struct begun *begun, *next;
    if (!children)
        return;
    HASH_ITER(hh, children->begun, begun, next)
    {
        HASH_DEL(children->begun, begun);
        wl_heap_release(children->heap, begun->buffer);
        free(begun);
    }
    free(children->launched.items);
    free(children);
}

static struct begun *find(const struct wl_children *children, uint64_t buffer)
{
    struct begun *begun = NULL;
    if (children)
        HASH_FIND(hh, children->begun, &buffer, sizeof buffer, begun);
    return begun;
}

uint64_t wl_children_begin(struct wl_children *children, uint64_t function, uint32_t place)
{
    uint64_t buffer =
        children ? wl_heap_allocate(children->heap, WL_CHILD_PARAMETER_BYTES, place) : 0;
    if (!buffer)
        return 0;
    struct begun *begun = wl_alloc_zero(1, sizeof *begun);
    begun->buffer = buffer;
    begun->child.function = function;
    HASH_ADD(hh, children->begun, buffer, sizeof begun->buffer, begun);
    return buffer;
}

bool wl_children_set_shape(struct wl_children *children, uint64_t buffer, uint32_t index,
                           uint32_t value)
{
    struct begun *begun = find(children, buffer);
    if (!begun || index >= SHAPE_WORDS)
        return false;
    if (index < 3)
        begun->child.grid[index] = value;
    else if (index < 6)
        begun->child.block[index - 3] = value;
    else
        begun->child.shared_bytes = value;
    return true;
}

bool wl_children_launch(struct wl_children *children, uint64_t buffer, uint64_t stream)
{
    struct begun *begun = find(children, buffer);
    if (!begun || begun->is_launched)
        return false;
    begun->is_launched = true;
    begun->child.stream = stream;
    WL_PUSH(&children->launched, begun);
    return true;
}

void wl_children_hand_out(struct wl_children *children, struct wl_sim_counts *counts)
{
    const size_t count = children->launched.count;
    if (!count)
        return;
    counts->children =
        wl_resize(counts->children, counts->child_count + count, sizeof *counts->children);
    for (size_t i = 0; i < count; i++) {
        struct begun *begun = children->launched.items[i];
        begun->child.parameters = wl_alloc(WL_CHILD_PARAMETER_BYTES);
        memcpy(begun->child.parameters, (const void *)(uintptr_t)begun->buffer,
               WL_CHILD_PARAMETER_BYTES);
        counts->children[counts->child_count++] = begun->child;
        HASH_DEL(children->begun, begun);
        wl_heap_release(children->heap, begun->buffer);
        free(begun);
    }
    children->launched.count = 0;
}
