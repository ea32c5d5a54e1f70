/* Streams and events. Work is done when the call that asks for it returns, but for what is beside
 * the host (core/beside.h); when the device would have done it is another matter, and what streams
 * and events hold (device/stream/timeline.h). */
#include "device/stream/stream.h"

#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "device/core/beside.h"
#include "device/core/clock.h"
#include "device/core/handles.h"
#include "device/stream/state.h"

#define DEFAULT_STREAM_ID 7
#define PER_THREAD_STREAM_ID 8
#define EVENT_DISABLE_TIMING 2u
#define LOWEST_PRIORITY 0
#define HIGHEST_PRIORITY (-5)

struct stream {
    struct wl_device_stream_info info;
    uint32_t device;
    struct wl_device_queue queue;
    struct wl_device_capture_point point;
    unsigned pending; /* tasks beside the host (core/beside.h) */
};

struct event {
    uint32_t flags;
    bool is_recorded;
    uint64_t time_ns;
    uint64_t gaps;    /* on the timeline before it */
    unsigned pending; /* times that it is to be recorded beside the host */
    struct wl_device_capture_point point;
};

static struct stream *find_stream(void *stream)
{
    return wl_device_handle_is(WL_DEVICE_HANDLE_STREAM, stream) ? stream : NULL;
}

static struct event *find_event(void *event)
{
    return wl_device_handle_is(WL_DEVICE_HANDLE_EVENT, event) ? event : NULL;
}

struct wl_device_capture_point *wl_device_stream_point(void *stream)
{
    struct stream *found = find_stream(stream);
    return found ? &found->point : NULL;
}

struct wl_device_capture_point *wl_device_event_point(void *event)
{
    struct event *found = find_event(event);
    return found ? &found->point : NULL;
}

static struct wl_device_capture_point *point_of(enum wl_device_handle_kind kind, void *object)
{
    return kind == WL_DEVICE_HANDLE_STREAM ? wl_device_stream_point(object)
                                           : wl_device_event_point(object);
}

static const enum wl_device_handle_kind kinds[] = {WL_DEVICE_HANDLE_STREAM, WL_DEVICE_HANDLE_EVENT};

void wl_device_each_point(void (*function)(struct wl_device_capture_point *point, void *self),
                          void *self)
{
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        for (void *at = wl_device_handle_next(kinds[i], NULL); at;
             at = wl_device_handle_next(kinds[i], at))
            function(point_of(kinds[i], at), self);
}

static void drop(enum wl_device_handle_kind kind, void *object)
{
    free(point_of(kind, object)->nodes.items);
    if (kind == WL_DEVICE_HANDLE_STREAM)
        wl_device_stream_forget_attributes(object);
    wl_device_handle_remove(kind, object);
    free(object);
}

static int destroy(enum wl_device_handle_kind kind, void *object)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (wl_device_handle_is(kind, object))
        drop(kind, object);
    else if (code == WL_DEVICE_OK)
        code = WL_DEVICE_INVALID_HANDLE;
    wl_device_leave();
    return code;
}

static void drop_all(void)
{
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        for (void *first; (first = wl_device_handle_next(kinds[i], NULL)) != NULL;)
            drop(kinds[i], first);
    wl_device_stream_forget_all_attributes();
}

static void reset(void)
{
    wl_device_clock_reach(wl_device_timeline_all_ns());
    drop_all();
}

static void shut_down(void)
{
    drop_all();
    wl_device_timeline_free();
}

const struct wl_device_part wl_device_stream_part = {.reset = reset, .close = shut_down};

int wl_device_stream_clamp_priority(int priority)
{
    if (priority > LOWEST_PRIORITY)
        return LOWEST_PRIORITY;
    return priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : priority;
}

int wl_device_stream_create(uint32_t flags, int priority, void **stream)
{
    if (!stream || flags > 1)
        return WL_DEVICE_INVALID_VALUE;
    priority = wl_device_stream_clamp_priority(priority);
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        struct stream *made = wl_alloc_zero(1, sizeof *made);
        made->info = (struct wl_device_stream_info){
            (uint32_t)wl_device_number_next(WL_DEVICE_NUMBER_STREAM), flags, priority};
        made->device = (uint32_t)wl_device_current();
        made->point.is_stream = true;
        wl_device_handle_add(WL_DEVICE_HANDLE_STREAM, made);
        *stream = made;
    }
    wl_device_leave();
    return code;
}

int wl_device_stream_destroy(void *stream)
{
    return destroy(WL_DEVICE_HANDLE_STREAM, stream);
}

int wl_device_stream_find(void *stream, struct wl_device_stream_info *info)
{
    uintptr_t number = (uintptr_t)stream;
    if (number <= 2) {
        *info = (struct wl_device_stream_info){.id = number == 2 ? PER_THREAD_STREAM_ID
                                                                 : DEFAULT_STREAM_ID};
        return WL_DEVICE_OK;
    }
    const struct stream *found = find_stream(stream);
    if (!found)
        return WL_DEVICE_INVALID_HANDLE;
    *info = found->info;
    return WL_DEVICE_OK;
}

int wl_device_stream_query(void *stream, struct wl_device_stream_info *info)
{
    struct wl_device_stream_info ignored;
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, info ? info : &ignored);
    wl_device_leave();
    return code;
}

struct wl_device_queue *wl_device_stream_queue(void *stream, uint32_t *device)
{
    struct stream *found = (uintptr_t)stream > 2 ? find_stream(stream) : NULL;
    if (!found)
        return NULL;
    *device = found->device;
    return &found->queue;
}

void wl_device_stream_set_priority(void *stream, int priority)
{
    struct stream *found = find_stream(stream);
    if (found)
        found->info.priority = wl_device_stream_clamp_priority(priority);
}

int wl_device_stream_device(void *stream)
{
    uint32_t device = (uint32_t)wl_device_current();
    wl_device_enter_beside();
    wl_device_stream_queue(stream, &device);
    wl_device_leave();
    return (int)device;
}

/* Whether work of the stream is still to be done beside the host: of a default stream, any. */
static bool is_pending(void *stream)
{
    const struct stream *found = find_stream(stream);
    return wl_device_beside_is_busy() && (!found || found->pending);
}

void wl_device_stream_expect(void *stream, int change)
{
    struct stream *found = find_stream(stream);
    if (found)
        found->pending += (unsigned)change;
}

void wl_device_event_expect(void *event, int change)
{
    struct event *found = find_event(event);
    if (found)
        found->pending += (unsigned)change;
}

static int reach_stream(void *stream, bool waits)
{
    struct wl_device_stream_info info;
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    while (code == WL_DEVICE_OK && waits && is_pending(stream)) {
        wl_device_beside_wait();
        code = wl_device_state_check();
    }
    if (code == WL_DEVICE_OK && is_pending(stream))
        code = WL_DEVICE_NOT_READY;
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(wl_device_timeline_end(stream));
    wl_device_leave();
    return code;
}

int wl_device_stream_wait(void *stream)
{
    return reach_stream(stream, true);
}

int wl_device_stream_poll(void *stream)
{
    return reach_stream(stream, false);
}

int wl_device_wait(void)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(wl_device_timeline_all_ns());
    wl_device_leave();
    return code;
}

int wl_device_event_create(uint32_t flags, void **event)
{
    if (!event || flags > 7)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        struct event *made = wl_alloc_zero(1, sizeof *made);
        made->flags = flags;
        wl_device_handle_add(WL_DEVICE_HANDLE_EVENT, made);
        *event = made;
    }
    wl_device_leave();
    return code;
}

int wl_device_event_destroy(void *event)
{
    return destroy(WL_DEVICE_HANDLE_EVENT, event);
}

int wl_device_event_record_now(void *event, void *stream)
{
    struct wl_device_stream_info info;
    wl_device_enter();
    int code = wl_device_state_check();
    struct event *found = find_event(event);
    if (code == WL_DEVICE_OK && !found)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    if (code == WL_DEVICE_OK) {
        found->is_recorded = true;
        found->time_ns = wl_device_timeline_record(stream);
        found->gaps = wl_device_timeline_gaps();
    }
    wl_device_leave();
    return code;
}

int wl_device_event_query(void *event)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK && !find_event(event))
        code = WL_DEVICE_INVALID_HANDLE;
    wl_device_leave();
    return code;
}

static bool is_event_pending(void *event)
{
    const struct event *found = find_event(event);
    return wl_device_beside_is_busy() && found && found->pending;
}

static int reach_event(void *event, bool waits)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    while (code == WL_DEVICE_OK && waits && is_event_pending(event)) {
        wl_device_beside_wait();
        code = wl_device_state_check();
    }
    const struct event *found = find_event(event);
    if (code == WL_DEVICE_OK && !found)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK && is_event_pending(event))
        code = WL_DEVICE_NOT_READY;
    if (code == WL_DEVICE_OK)
        wl_device_clock_reach(found->time_ns);
    wl_device_leave();
    return code;
}

int wl_device_event_wait(void *event)
{
    return reach_event(event, true);
}

int wl_device_event_poll(void *event)
{
    return reach_event(event, false);
}

int wl_device_event_hold_now(void *event, void *stream)
{
    struct wl_device_stream_info info;
    wl_device_enter();
    int code = wl_device_state_check();
    const struct event *found = find_event(event);
    const struct stream *held = find_stream(stream);
    if (code == WL_DEVICE_OK && !found)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    bool is_captured = held && held->point.graph;
    if (code == WL_DEVICE_OK && found->is_recorded && !is_captured)
        wl_device_timeline_hold_until(stream, found->time_ns);
    wl_device_leave();
    return code;
}

/* Once for each process: programs ask again and again. */
static void say_gap(void)
{
    static bool is_reported;
    if (!is_reported)
        wl_device_note(1, "time-gap", "profile it without filters to have all times",
                       "the program measured a time with events across a kernel whose time is not "
                       "predicted; it is left out");
    is_reported = true;
}

int wl_device_event_elapsed(void *start, void *end, float *elapsed_ms)
{
    if (!elapsed_ms)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK && (is_event_pending(start) || is_event_pending(end)))
        code = WL_DEVICE_NOT_READY;
    const struct event *first = find_event(start), *second = find_event(end);
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
