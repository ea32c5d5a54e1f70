/* Streams and events. Work is done when the call that asks for it returns; when the device would
 * have done it is another matter, and what streams and events hold (device/stream/timeline.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "device/core/clock.h"
#include "device/core/state.h"
#include "device/graph/state.h"

#define DEFAULT_STREAM_ID 7
#define PER_THREAD_STREAM_ID 8
#define EVENT_DISABLE_TIMING 2u
#define LOWEST_PRIORITY 0
#define HIGHEST_PRIORITY (-5)

enum handle_kind { STREAM, EVENT };

struct wl_device_handle {
    struct wl_device_handle *key; /* itself */
    enum handle_kind kind;
    uint32_t flags;
    struct wl_device_stream_info stream;
    bool is_recorded;
    uint64_t time_ns; /* of an event */
    uint64_t gaps;    /* on the timeline before it */
    uint32_t device;  /* of a stream */
    struct wl_device_queue queue;
    struct wl_device_capture_point point;
    UT_hash_handle hh;
};

static struct wl_device_handle *add(enum handle_kind kind, uint32_t flags)
{
    struct wl_device_handle *handle = wl_alloc_zero(1, sizeof *handle);
    handle->key = handle;
    handle->kind = kind;
    handle->flags = flags;
    handle->point.is_stream = kind == STREAM;
    HASH_ADD_PTR(wl_device.handles, key, handle);
    return handle;
}

static struct wl_device_handle *find(void *pointer, enum handle_kind kind)
{
    struct wl_device_handle *handle;
    HASH_FIND_PTR(wl_device.handles, &pointer, handle);
    return handle && handle->kind == kind ? handle : NULL;
}

static void drop(struct wl_device_handle *handle)
{
    HASH_DEL(wl_device.handles, handle);
    free(handle->point.nodes.items);
    free(handle);
}

static int destroy(void *pointer, enum handle_kind kind)
{
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_handle *handle = find(pointer, kind);
    if (handle) {
        drop(handle);
    } else if (code == WL_DEVICE_OK) {
        code = WL_DEVICE_INVALID_HANDLE;
    }
    wl_device_leave();
    return code;
}

void wl_device_handles_reset(void)
{
    struct wl_device_handle *handle, *next;
    HASH_ITER(hh, wl_device.handles, handle, next)
    {
        drop(handle);
    }
}

struct wl_device_capture_point *wl_device_handles_point(void *handle, bool is_event)
{
    wl_device_enter();
    struct wl_device_handle *found = find(handle, is_event ? EVENT : STREAM);
    wl_device_leave();
    return found ? &found->point : NULL;
}

void wl_device_handles_each_point(void (*function)(struct wl_device_capture_point *point,
                                                   void *self),
                                  void *self)
{
    struct wl_device_handle *handle, *next;
    wl_device_enter();
    HASH_ITER(hh, wl_device.handles, handle, next)
    {
        function(&handle->point, self);
    }
    wl_device_leave();
}

int wl_device_stream_create(uint32_t flags, int priority, void **stream)
{
    if (!stream || flags > 1)
        return WL_DEVICE_INVALID_VALUE;
    if (priority > LOWEST_PRIORITY)
        priority = LOWEST_PRIORITY;
    if (priority < HIGHEST_PRIORITY)
        priority = HIGHEST_PRIORITY;
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        struct wl_device_handle *handle = add(STREAM, flags);
        handle->stream =
            (struct wl_device_stream_info){wl_device.next_stream_id++, flags, priority};
        handle->device = (uint32_t)wl_device_current();
        *stream = handle;
    }
    wl_device_leave();
    return code;
}

int wl_device_stream_destroy(void *stream)
{
    return destroy(stream, STREAM);
}

int wl_device_stream_find(void *stream, struct wl_device_stream_info *info)
{
    uintptr_t number = (uintptr_t)stream;
    if (number <= 2) {
        *info = (struct wl_device_stream_info){.id = number == 2 ? PER_THREAD_STREAM_ID
                                                                 : DEFAULT_STREAM_ID};
        return WL_DEVICE_OK;
    }
    const struct wl_device_handle *handle = find(stream, STREAM);
    if (!handle)
        return WL_DEVICE_INVALID_HANDLE;
    *info = handle->stream;
    return WL_DEVICE_OK;
}

int wl_device_stream_query(void *stream, struct wl_device_stream_info *info)
{
    struct wl_device_stream_info ignored;
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, info ? info : &ignored);
    wl_device_leave();
    return code;
}

struct wl_device_queue *wl_device_stream_queue(void *stream, uint32_t *device)
{
    struct wl_device_handle *handle = (uintptr_t)stream > 2 ? find(stream, STREAM) : NULL;
    if (!handle)
        return NULL;
    *device = handle->device;
    return &handle->queue;
}

int wl_device_stream_wait(void *stream)
{
    struct wl_device_stream_info info;
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(wl_device_timeline_end(stream));
    wl_device_leave();
    return code;
}

int wl_device_wait(void)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(wl_device.timeline.devices[wl_device_current()].all_ns);
    wl_device_leave();
    return code;
}

int wl_device_event_create(uint32_t flags, void **event)
{
    if (!event || flags > 7)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        *event = add(EVENT, flags);
    wl_device_leave();
    return code;
}

int wl_device_event_destroy(void *event)
{
    return destroy(event, EVENT);
}

int wl_device_event_record(void *event, void *stream)
{
    struct wl_device_stream_info info;
    if (wl_device_capture_records(event, stream))
        return WL_DEVICE_OK;
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_handle *handle = find(event, EVENT);
    if (code == WL_DEVICE_OK && !handle)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    if (code == WL_DEVICE_OK) {
        handle->is_recorded = true;
        handle->time_ns = wl_device_timeline_record(stream);
        handle->gaps = wl_device.timeline.gap_count;
    }
    wl_device_leave();
    return code;
}

int wl_device_event_query(void *event)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK && !find(event, EVENT))
        code = WL_DEVICE_INVALID_HANDLE;
    wl_device_leave();
    return code;
}

int wl_device_event_wait(void *event)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_handle *handle = find(event, EVENT);
    if (code == WL_DEVICE_OK && !handle)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(handle->time_ns);
    wl_device_leave();
    return code;
}

int wl_device_event_hold(void *event, void *stream)
{
    struct wl_device_stream_info info;
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_handle *handle = find(event, EVENT), *held = find(stream, STREAM);
    if (code == WL_DEVICE_OK && !handle)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    bool is_captured = held && held->point.graph;
    if (code == WL_DEVICE_OK && handle->is_recorded && !is_captured)
        wl_device_timeline_hold_until(stream, handle->time_ns);
    wl_device_leave();
    return code;
}

/* Once for each process: programs ask again and again. */
static void say_gap(void)
{
    static bool is_said;
    if (!is_said)
        wl_device_say(1, "time-gap", "profile it without filters to have all times",
                      "the program measured a time with events across a kernel whose time is not "
                      "predicted; it is left out");
    is_said = true;
}

int wl_device_event_elapsed(void *start, void *end, float *elapsed_ms)
{
    if (!elapsed_ms)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_handle *first = find(start, EVENT), *second = find(end, EVENT);
    if (code)
        goto out;
    bool is_timed = first && second && first->is_recorded && second->is_recorded &&
                    !((first->flags | second->flags) & EVENT_DISABLE_TIMING);
    if (!is_timed) {
        code = WL_DEVICE_INVALID_HANDLE;
        goto out;
    }
    *elapsed_ms = (float)((double)((int64_t)(second->time_ns - first->time_ns)) / 1e6);
    if (first->gaps != second->gaps)
        say_gap();
out:
    wl_device_leave();
    return code;
}
