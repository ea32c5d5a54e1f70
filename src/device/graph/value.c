#include "device/graph/value.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "device/core/beside.h"
#include "device/graph/graph.h"
#include "device/memory/state.h"
#include "device/stream/state.h"

#define POLL_NS 50000
#define POLLS_TILL_STUCK 4000 /* 0.2 s, behind which a program that ends need not wait */

struct waiting {
    void *stream;
    const void *address;
    uint64_t value;
    size_t size_bytes;
    enum wl_device_comparison comparison;
};

static uint64_t read_memory(const struct waiting *waiting)
{
    return waiting->size_bytes == sizeof(uint32_t)
               ? __atomic_load_n((const uint32_t *)waiting->address, __ATOMIC_ACQUIRE)
               : __atomic_load_n((const uint64_t *)waiting->address, __ATOMIC_ACQUIRE);
}

static bool is_over(const struct waiting *waiting)
{
    const uint64_t there = read_memory(waiting);
    const uint64_t mask = waiting->size_bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    switch (waiting->comparison) {
    case WL_DEVICE_VALUE_AT_LEAST:
        return !((there - waiting->value) & mask & ~(mask >> 1));
    case WL_DEVICE_VALUE_EQUAL:
        return there == (waiting->value & mask);
    case WL_DEVICE_VALUE_HAS_BIT:
        return (there & waiting->value & mask) != 0;
    case WL_DEVICE_VALUE_LACKS_BIT:
        break;
    }
    return (~(there | waiting->value) & mask) != 0;
}

static void wait(void *self)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    for (uint64_t polls = 1; !is_over(self); polls++) {
        nanosleep(&pause, NULL);
        if (polls == POLLS_TILL_STUCK)
            wl_device_beside_tell_stuck();
    }
}

static void finish(void *self)
{
    struct waiting *waiting = self;
    wl_device_stream_expect(waiting->stream, -1);
    free(waiting);
}

static int check(void *stream, const void *address, size_t size_bytes)
{
    struct wl_device_capture_info capture;
    struct wl_device_allocation found;
    const uint64_t place = (uint64_t)(uintptr_t)address;
    int code = wl_device_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_query(stream, &capture);
    if (code)
        return code;
    if (capture.status)
        return wl_device_refuse("a value written or waited for in a graph");
    return place % size_bytes == 0 && wl_device_memory_find(address, &found) &&
                   place - found.start + size_bytes <= found.size_bytes
               ? WL_DEVICE_OK
               : WL_DEVICE_INVALID_VALUE;
}

int wl_device_value_wait(void *stream, void *address, uint64_t value, size_t size_bytes,
                         enum wl_device_comparison comparison)
{
    int code = check(stream, address, size_bytes);
    if (code)
        return code;
    struct waiting *waiting = wl_alloc_zero(1, sizeof *waiting);
    *waiting = (struct waiting){stream, address, value, size_bytes, comparison};
    const struct wl_device_task task = {wait, finish, waiting};
    wl_device_enter_beside();
    const bool is_busy = wl_device_beside_is_busy();
    if (!is_busy && is_over(waiting)) {
        free(waiting);
    } else {
        wl_device_stream_expect(stream, 1);
        if (is_busy)
            wl_device_beside_add(&task);
        else if (!wl_device_beside_begin(&task)) {
            finish(waiting);
            code = WL_DEVICE_OUT_OF_RESOURCES;
        }
    }
    wl_device_leave();
    return code;
}

/* In a stream that has nothing else to do, perhaps what another stream waits for. */
static void write_now(void *address, uint64_t value, size_t size_bytes)
{
    wl_device_enter_beside();
    wl_unwritten_remove(wl_device_memory.unwritten, (uint64_t)(uintptr_t)address, size_bytes);
    if (size_bytes == sizeof(uint32_t))
        __atomic_store_n((uint32_t *)address, (uint32_t)value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE);
    wl_device_leave();
}

int wl_device_value_write(void *stream, void *address, uint64_t value, size_t size_bytes)
{
    int code = check(stream, address, size_bytes);
    if (code)
        return code;
    code = wl_device_stream_poll(stream);
    if (code == WL_DEVICE_OK)
        write_now(address, value, size_bytes);
    if (code != WL_DEVICE_NOT_READY)
        return code;
    code = WL_DEVICE_OK;
    for (size_t i = 0; i < size_bytes && code == WL_DEVICE_OK; i += sizeof(uint32_t)) {
        struct wl_device_operation operation = {
            .kind = WL_DEVICE_OPERATION_FILL,
            .fill = {(char *)address + i, (uint32_t)(value >> (8 * i)), sizeof(uint32_t), 1, 1,
                     sizeof(uint32_t)},
        };
        code = wl_device_submit(&operation, stream);
    }
    return code;
}
