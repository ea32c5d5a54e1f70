#include "device/graph/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/core/beside.h"
#include "device/graph/objects.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"

struct queued {
    struct wl_device_operation operation; /* a copy */
    void *stream, *staged;                /* what a copy from pageable memory copies */
    int device;                           /* of the thread that asked */
    int code;
};

/* The graph may have been the last that held an object of the program, whose function is called
 * without the lock. */
static void drop_graph(struct wl_device_operation *operation)
{
    wl_device_enter();
    wl_device_operation_free(operation);
    *operation = (struct wl_device_operation){.kind = WL_DEVICE_OPERATION_EMPTY};
    wl_device_leave();
    wl_device_objects_bury();
}

static void work(void *self)
{
    struct queued *queued = self;
    wl_device_select(queued->device);
    queued->code = wl_device_operation_run(&queued->operation, queued->stream);
    if (queued->operation.kind == WL_DEVICE_OPERATION_GRAPH)
        drop_graph(&queued->operation);
}

static void expect(const struct queued *queued, int change)
{
    wl_device_stream_expect(queued->stream, change);
    if (queued->operation.kind == WL_DEVICE_OPERATION_RECORD_EVENT)
        wl_device_event_expect(queued->operation.event, change);
}

static void drop(struct queued *queued)
{
    expect(queued, -1);
    wl_device_operation_free(&queued->operation);
    free(queued->staged);
    free(queued);
}

/* There is no call to return an error to; handles may be gone by now. */
static void finish(void *self)
{
    struct queued *queued = self;
    if (queued->code && queued->code != WL_DEVICE_INVALID_HANDLE && !wl_device.sticky_code)
        wl_device.sticky_code = queued->code;
    drop(queued);
}

static bool is_pageable(const void *address)
{
    struct wl_device_allocation found;
    return !wl_device_memory_look((uint64_t)(uintptr_t)address, &found);
}

/* Whether the host need not wait for the copy (of one of the calls that end in Async): as on
 * hardware, copies to pageable memory are done when the call returns, and copies from it have read
 * it. */
static bool is_asynchronous(const struct wl_device_copy *copy)
{
    return !is_pageable(copy->to) &&
           (!is_pageable(copy->from) || (copy->height == 1 && copy->depth == 1));
}

static bool can_wait(const struct wl_device_operation *operation)
{
    switch (operation->kind) {
    case WL_DEVICE_OPERATION_COPY:
        return is_asynchronous(&operation->copy);
    case WL_DEVICE_OPERATION_ALLOCATE: /* gives an address */
        return false;
    default:
        return true;
    }
}

static int check(const struct wl_device_operation *operation, void *stream)
{
    struct wl_device_stream_info info;
    struct wl_device_request ignored;
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_find(stream, &info);
    if (code)
        return code;
    switch (operation->kind) {
    case WL_DEVICE_OPERATION_KERNEL:
        return wl_device_launch_check(&operation->kernel, &ignored, &info);
    case WL_DEVICE_OPERATION_COPY:
        return wl_device_memory_check_copy(&operation->copy);
    case WL_DEVICE_OPERATION_FILL:
        return wl_device_memory_check_fill(operation->fill.to, operation->fill.value_bytes,
                                           operation->fill.width, operation->fill.height,
                                           operation->fill.pitch_bytes);
    case WL_DEVICE_OPERATION_RECORD_EVENT: /* a wait is for nothing where there is no event */
        return wl_device_handle_is(WL_DEVICE_HANDLE_EVENT, operation->event)
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_HANDLE;
    default:
        return WL_DEVICE_OK;
    }
}

static void stage(struct queued *queued)
{
    struct wl_device_copy *copy = &queued->operation.copy;
    if (queued->operation.kind != WL_DEVICE_OPERATION_COPY || !is_pageable(copy->from))
        return;
    queued->staged = wl_alloc(copy->width_bytes + 1);
    memcpy(queued->staged, copy->from, copy->width_bytes);
    copy->from = queued->staged;
}

static int make(const struct wl_device_operation *operation, void *stream, struct queued **made)
{
    int code = check(operation, stream);
    if (code)
        return code;
    struct queued *queued = wl_alloc_zero(1, sizeof *queued);
    code = wl_device_operation_copy(operation, &queued->operation);
    if (code) {
        free(queued);
        return code;
    }
    queued->stream = stream;
    queued->device = wl_device_current();
    expect(queued, 1);
    *made = queued;
    return WL_DEVICE_OK;
}

static bool take(const struct wl_device_operation *operation, void *stream, bool is_node, int *code)
{
    struct queued *queued;
    if (!wl_device_beside_is_busy())
        return false;
    wl_device_enter_beside();
    const bool is_taken = wl_device_beside_is_busy() && (is_node || can_wait(operation));
    if (is_taken) {
        *code = make(operation, stream, &queued);
        if (*code == WL_DEVICE_OK && !is_node)
            stage(queued);
        if (*code == WL_DEVICE_OK)
            wl_device_beside_add(&(struct wl_device_task){work, finish, queued});
    }
    wl_device_leave();
    return is_taken;
}

bool wl_device_queue_takes(const struct wl_device_operation *operation, void *stream, int *code)
{
    return take(operation, stream, false, code);
}

bool wl_device_queue_takes_node(const struct wl_device_operation *operation, void *stream,
                                int *code)
{
    return take(operation, stream, true, code);
}
