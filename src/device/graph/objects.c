#include "device/graph/objects.h"

#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/graph/state.h"

struct wl_device_object {
    void *data;
    void (*destroy)(void *);
    uint64_t references; /* of the program */
    uint64_t held;       /* of all graphs */
};

enum { FLAG_NO_SYNC = 1, FLAG_MOVE = 1 };

static WL_VECTOR(struct wl_device_object *) dead;

static bool is_count(unsigned count)
{
    return count && count <= INT_MAX;
}

int wl_device_object_create(void *data, void (*destroy)(void *), unsigned references,
                            unsigned flags, struct wl_device_object **object)
{
    if (!object || !destroy || !is_count(references) || flags != FLAG_NO_SYNC)
        return WL_DEVICE_INVALID_VALUE;
    struct wl_device_object *made = wl_alloc_zero(1, sizeof *made);
    *made = (struct wl_device_object){data, destroy, references, 0};
    wl_device_enter_beside();
    wl_device_handle_add(WL_DEVICE_HANDLE_OBJECT, made);
    wl_device_leave();
    *object = made;
    return WL_DEVICE_OK;
}

static bool is_known(const struct wl_device_object *object)
{
    return wl_device_handle_is(WL_DEVICE_HANDLE_OBJECT, object);
}

static void drop_if_free(struct wl_device_object *object)
{
    if (object->references || object->held)
        return;
    wl_device_handle_remove(WL_DEVICE_HANDLE_OBJECT, object);
    WL_PUSH(&dead, object);
}

int wl_device_object_retain(struct wl_device_object *object, unsigned count)
{
    wl_device_enter_beside();
    int code = is_count(count) && is_known(object) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        object->references += count;
    wl_device_leave();
    return code;
}

int wl_device_object_release(struct wl_device_object *object, unsigned count)
{
    wl_device_enter_beside();
    int code = is_count(count) && is_known(object) && count <= object->references
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        object->references -= count;
        drop_if_free(object);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

/* What the graph holds of the object; NULL: nothing. */
static struct wl_device_holding *find(struct wl_device_graph *graph,
                                      const struct wl_device_object *object)
{
    for (size_t i = 0; i < graph->objects.count; i++)
        if (graph->objects.items[i].object == object)
            return &graph->objects.items[i];
    return NULL;
}

static void hold(struct wl_device_graph *graph, struct wl_device_object *object, uint64_t count)
{
    struct wl_device_holding *holding = find(graph, object);
    object->held += count;
    if (holding)
        holding->references += count;
    else
        WL_PUSH(&graph->objects, ((struct wl_device_holding){object, count}));
}

int wl_device_graph_retain_object(struct wl_device_graph *graph, struct wl_device_object *object,
                                  unsigned count, unsigned flags)
{
    wl_device_enter_beside();
    int code = is_count(count) && !(flags & ~(unsigned)FLAG_MOVE) &&
                       wl_device_graph_is_open(graph) && is_known(object) &&
                       (!(flags & FLAG_MOVE) || count <= object->references)
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        hold(graph, object, count);
        if (flags & FLAG_MOVE)
            object->references -= count;
    }
    wl_device_leave();
    return code;
}

int wl_device_graph_release_object(struct wl_device_graph *graph, struct wl_device_object *object,
                                   unsigned count)
{
    wl_device_enter_beside();
    struct wl_device_holding *holding =
        is_count(count) && wl_device_graph_is_open(graph) && is_known(object) ? find(graph, object)
                                                                              : NULL;
    int code = holding && count <= holding->references ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        holding->references -= count;
        if (!holding->references)
            *holding = graph->objects.items[--graph->objects.count];
        object->held -= count;
        drop_if_free(object);
    }
    wl_device_leave();
    wl_device_objects_bury();
    return code;
}

void wl_device_objects_copy(struct wl_device_graph *to, const struct wl_device_graph *from)
{
    for (size_t i = 0; i < from->objects.count; i++)
        hold(to, from->objects.items[i].object, 1);
}

void wl_device_objects_leave(struct wl_device_graph *graph)
{
    for (size_t i = 0; i < graph->objects.count; i++) {
        struct wl_device_object *object = graph->objects.items[i].object;
        object->held -= graph->objects.items[i].references;
        drop_if_free(object);
    }
    free(graph->objects.items);
}

static struct wl_device_object *next_dead(void)
{
    return dead.count ? dead.items[--dead.count] : NULL;
}

void wl_device_objects_bury(void)
{
    wl_device_enter_beside();
    const bool are_dead = dead.count > 0;
    wl_device_leave();
    while (are_dead) {
        wl_device_enter(); /* which waits for the work */
        struct wl_device_object *object = next_dead();
        wl_device_leave();
        if (!object)
            return;
        object->destroy(object->data);
        free(object);
    }
}
