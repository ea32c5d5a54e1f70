#include "device/memory/copy_check.h"

#include "base/memory.h"
#include "device/memory/state.h"

/* What a structure leaves out between its members, or a row behind its last element. */
#define PADDING_MAX_BYTES 15

void wl_copy_check_row(struct wl_copy_check *check, uint64_t from, uint64_t bytes)
{
    uint64_t found, count, at = from;
    while ((count = wl_unwritten_find(wl_device_memory.unwritten, at, from + bytes - at, &found))) {
        const bool counts = count > PADDING_MAX_BYTES || count == bytes;
        if (counts && !check->unwritten_bytes)
            check->first = found;
        check->unwritten_bytes += counts ? count : 0;
        at = found + count;
    }
    check->bytes += bytes;
}

/* Whether the allocation was not reported yet; there is room for some hundred. */
static bool is_first(uint64_t start)
{
    struct wl_device_ranges *told = &wl_device_memory.told_unwritten;
    for (size_t i = 0; i < told->count; i++)
        if (told->items[i].start == start)
            return false;
    if (told->count < 1000)
        WL_PUSH(told, ((struct wl_sim_range){start, start}));
    return true;
}

void wl_copy_check_report(const struct wl_copy_check *check)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    struct wl_device_allocation from;
    if (!check->unwritten_bytes || !observer || !observer->unwritten_copy ||
        !wl_device_memory_look(check->first, &from) || !is_first(from.start))
        return;
    const struct wl_device_unwritten_copy copy = {.address = check->first,
                                                  .bytes = check->bytes,
                                                  .unwritten_bytes = check->unwritten_bytes,
                                                  .start = from.start,
                                                  .size_bytes = from.size_bytes};
    observer->unwritten_copy(observer->self, &copy);
}
