/* Streams and events. Work is done when the call that asks for it returns, so a stream is only a
 * name for the reports and an event only a time. */
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "device/graph_state.h"
#include "device/state.h"

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
    uint64_t time_ns;
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
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    struct wl_device_handle *handle = find(pointer, kind);
    if (handle) {
        drop(handle);
    } else if (code == WL_DEVICE_OK) {
        code = WL_DEVICE_INVALID_HANDLE;
    }
    pthread_mutex_unlock(&wl_device.lock);
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
    pthread_mutex_lock(&wl_device.lock);
    struct wl_device_handle *found = find(handle, is_event ? EVENT : STREAM);
    pthread_mutex_unlock(&wl_device.lock);
    return found ? &found->point : NULL;
}

void wl_device_handles_each_point(void (*function)(struct wl_device_capture_point *point,
                                                   void *self),
                                  void *self)
{
    struct wl_device_handle *handle, *next;
    pthread_mutex_lock(&wl_device.lock);
    HASH_ITER(hh, wl_device.handles, handle, next)
    {
        function(&handle->point, self);
    }
    pthread_mutex_unlock(&wl_device.lock);
}

int wl_device_stream_create(uint32_t flags, int priority, void **stream)
{
    if (!stream || flags > 1)
        return WL_DEVICE_INVALID_VALUE;
    if (priority > LOWEST_PRIORITY)
        priority = LOWEST_PRIORITY;
    if (priority < HIGHEST_PRIORITY)
        priority = HIGHEST_PRIORITY;
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        struct wl_device_handle *handle = add(STREAM, flags);
        handle->stream =
            (struct wl_device_stream_info){wl_device.next_stream_id++, flags, priority};
        *stream = handle;
    }
    pthread_mutex_unlock(&wl_device.lock);
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
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, info ? info : &ignored);
    pthread_mutex_unlock(&wl_device.lock);
    return code;
}

int wl_device_event_create(uint32_t flags, void **event)
{
    if (!event || flags > 7)
        return WL_DEVICE_INVALID_VALUE;
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        *event = add(EVENT, flags);
    pthread_mutex_unlock(&wl_device.lock);
    return code;
}

int wl_device_event_destroy(void *event)
{
    return destroy(event, EVENT);
}

static uint64_t monotonic_ns(void)
{
    static uint64_t last_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (ns < last_ns + 1000)
        ns =
            last_ns + 1000; /* two records are never at the same time, nor closer than CUDA tells */
    last_ns = ns;
    return ns;
}

int wl_device_event_record(void *event, void *stream)
{
    struct wl_device_stream_info info;
    if (wl_device_capture_records(event, stream))
        return WL_DEVICE_OK;
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    struct wl_device_handle *handle = find(event, EVENT);
    if (code == WL_DEVICE_OK && !handle)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    if (code == WL_DEVICE_OK) {
        handle->is_recorded = true;
        handle->time_ns = monotonic_ns();
    }
    pthread_mutex_unlock(&wl_device.lock);
    return code;
}

int wl_device_event_query(void *event)
{
    pthread_mutex_lock(&wl_device.lock);
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK && !find(event, EVENT))
        code = WL_DEVICE_INVALID_HANDLE;
    pthread_mutex_unlock(&wl_device.lock);
    return code;
}

int wl_device_event_elapsed(void *start, void *end, float *elapsed_ms)
{
    if (!elapsed_ms)
        return WL_DEVICE_INVALID_VALUE;
    pthread_mutex_lock(&wl_device.lock);
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
out:
    pthread_mutex_unlock(&wl_device.lock);
    return code;
}
