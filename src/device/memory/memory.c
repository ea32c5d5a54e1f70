#include "device/memory/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/memory/copy_check.h"
#include "device/memory/state.h"
#include "device/stream/timeline.h"

#define DEVICE_BASE ((uint64_t)0x200000000000)
#define HOST_BASE ((uint64_t)0x300000000000)
#define HOST_BYTES ((uint64_t)1 << 40)
/* Smaller requests are not worth asking the system what it has. */
#define ASK_HOST_FROM_BYTES ((uint64_t)64 << 20)
#define FREED_MAX 256 /* freed allocations that are remembered for messages */
#define QUARANTINE_BYTES ((uint64_t)256 << 20)
#define HOST_PAGE_BYTES ((uint64_t)4096)

struct wl_device_memory wl_device_memory;

/* The number behind "key" in a small file of the system, or otherwise. */
static uint64_t read_number(const char *path, const char *key, uint64_t otherwise)
{
    char content[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return otherwise;
    ssize_t length = read(file, content, sizeof content - 1);
    close(file);
    if (length <= 0)
        return otherwise;
    content[length] = '\0';
    const char *at = strstr(content, key);
    char *end;
    if (!at)
        return otherwise;
    at += strlen(key);
    uint64_t value = strtoull(at, &end, 10);
    return end == at ? otherwise : value;
}

/* What the machine (or its container) can still give, in bytes. */
static uint64_t host_free_bytes(void)
{
    int saved = errno;
    uint64_t free_kib = read_number("/proc/meminfo", "MemAvailable:", UINT64_MAX >> 10);
    free_kib += read_number("/proc/meminfo", "SwapFree:", 0);
    uint64_t bytes = free_kib << 10;
    uint64_t limit = read_number("/sys/fs/cgroup/memory.max", "", UINT64_MAX);
    if (limit != UINT64_MAX) {
        uint64_t used = read_number("/sys/fs/cgroup/memory.current", "", 0);
        uint64_t cached = read_number("/sys/fs/cgroup/memory.stat", "\nfile ", 0);
        used -= cached < used ? cached : used;
        uint64_t left = used < limit ? limit - used : 0;
        if (left < bytes)
            bytes = left;
    }
    errno = saved;
    return bytes;
}

bool wl_device_memory_has_room(uint64_t size_bytes, uint64_t taken_bytes)
{
    if (wl_device_memory.device.committed_bytes + taken_bytes > wl_device.gpu.memory_bytes)
        return false;
    return size_bytes < ASK_HOST_FROM_BYTES || size_bytes <= host_free_bytes();
}

/* Variables of modules are not the program's doing. */
static void tell(enum wl_device_memory_kind kind, uint64_t start, uint64_t size_bytes, bool is_free)
{
    static const enum wl_device_place places[] = {
        [WL_DEVICE_MEMORY_HOST] = WL_DEVICE_PLACE_PINNED,
        [WL_DEVICE_MEMORY_DEVICE] = WL_DEVICE_PLACE_DEVICE,
        [WL_DEVICE_MEMORY_MANAGED] = WL_DEVICE_PLACE_MANAGED,
        [WL_DEVICE_MEMORY_ARRAY] = WL_DEVICE_PLACE_ARRAY,
    };
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (!observer || !observer->memory || kind == WL_DEVICE_MEMORY_MODULE)
        return;
    struct wl_device_memory_change change = {.start = start,
                                             .size_bytes = size_bytes,
                                             .place = places[kind],
                                             .is_free = is_free,
                                             .device_id = (uint32_t)wl_device_current(),
                                             .context_id = WL_DEVICE_CONTEXT_ID};
    observer->memory(observer->self, &change);
}

static struct wl_device_arena *arena_of(uint64_t address)
{
    struct wl_device_arena *arena = &wl_device_memory.host;
    return address - arena->base < arena->size_bytes ? arena : &wl_device_memory.device;
}

/* Gives the oldest of the memory in quarantine back, until there is no more than so much of it. */
static void end_quarantine(uint64_t most_bytes)
{
    struct wl_device_ranges *quarantine = &wl_device_memory.quarantine;
    size_t ended = 0;
    while (ended < quarantine->count && wl_device_memory.quarantine_bytes > most_bytes) {
        const struct wl_sim_range *range = &quarantine->items[ended++];
        wl_device_memory.quarantine_bytes -= range->end - range->start;
        wl_device_arena_free(arena_of(range->start), range->start);
    }
    if (!ended)
        return;
    quarantine->count -= ended;
    memmove(quarantine->items, quarantine->items + ended,
            quarantine->count * sizeof *quarantine->items);
    wl_device_memory.ranges_are_stale = true;
}

/* The block of an arena that holds the address; NULL: none does. */
static struct wl_device_block *placed_block(uint64_t address)
{
    return (struct wl_device_block *)(uintptr_t)wl_device_arena_find(arena_of(address), address);
}

/* Copies of managed memory are synchronous unless told otherwise, as an H200 says. */
static void number_block(struct wl_device_block *block)
{
    block->id = wl_device_number_next(WL_DEVICE_NUMBER_ALLOCATION);
    block->is_synchronous = block->kind == WL_DEVICE_MEMORY_MANAGED;
}

int wl_device_memory_take(enum wl_device_memory_kind kind, uint64_t size_bytes, uint32_t flags,
                          uint64_t *address)
{
    bool is_host = kind == WL_DEVICE_MEMORY_HOST || kind == WL_DEVICE_MEMORY_MANAGED;
    struct wl_device_arena *arena = is_host ? &wl_device_memory.host : &wl_device_memory.device;
    if (!arena->base && !wl_device_arena_open(arena, HOST_BASE, HOST_BYTES))
        return WL_DEVICE_OUT_OF_MEMORY;
    if (size_bytes >= ASK_HOST_FROM_BYTES && size_bytes > host_free_bytes()) {
        if (size_bytes <= wl_device.gpu.memory_bytes)
            wl_device_note(1, "host-memory", "use a smaller problem",
                           "an allocation of %llu MiB fits the model GPU but not this machine",
                           (unsigned long long)(size_bytes >> 20));
        return WL_DEVICE_OUT_OF_MEMORY;
    }
    arena->padding_bytes = wl_device.options.padding_bytes;
    *address = wl_device_arena_allocate(arena, size_bytes, kind, flags);
    if (!*address && wl_device_memory.quarantine.count) {
        end_quarantine(0);
        *address = wl_device_arena_allocate(arena, size_bytes, kind, flags);
    }
    if (*address)
        number_block(placed_block(*address));
    if (*address && kind == WL_DEVICE_MEMORY_DEVICE)
        wl_unwritten_add(wl_device_memory.unwritten, *address, size_bytes);
    wl_device_memory.ranges_are_stale = true;
    if (*address)
        tell(kind, *address, size_bytes, false);
    return *address ? WL_DEVICE_OK : WL_DEVICE_OUT_OF_MEMORY;
}

static void remember_freed(const struct wl_device_block *block)
{
    struct wl_device_ranges *freed = &wl_device_memory.freed;
    if (!block)
        return;
    wl_unwritten_remove(wl_device_memory.unwritten, block->start, block->size_bytes);
    if (freed->count == FREED_MAX)
        memmove(freed->items, freed->items + 1, --freed->count * sizeof *freed->items);
    WL_PUSH(freed, ((struct wl_sim_range){block->start, block->start + block->size_bytes}));
}

/* Where memory is checked, what was freed is not given out again soon, so that its use is seen. */
static void quarantine(struct wl_device_arena *arena, const struct wl_device_block *block)
{
    WL_PUSH(&wl_device_memory.quarantine,
            ((struct wl_sim_range){block->start, block->start + block->size_bytes}));
    wl_device_memory.quarantine_bytes += block->size_bytes;
    wl_device_arena_set_freed(arena, block->start);
    end_quarantine(QUARANTINE_BYTES);
}

void wl_device_memory_drop(uint64_t address)
{
    struct wl_device_arena *arena = arena_of(address);
    const struct wl_device_block *block = wl_device_arena_find(arena, address);
    wl_device_memory.ranges_are_stale = true;
    if (!block)
        return;
    tell(block->kind, block->start, block->size_bytes, true);
    remember_freed(block);
    if (wl_device.options.check_memory && block->start == address)
        quarantine(arena, block);
    else
        wl_device_arena_free(arena, address);
}

int wl_device_memory_allocate_held(enum wl_device_memory_kind kind, size_t size_bytes,
                                   uint32_t flags, void **address)
{
    uint64_t start = 0;
    int code = address ? wl_device_state_check() : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && size_bytes)
        code = wl_device_memory_take(kind, size_bytes, flags, &start);
    if (code == WL_DEVICE_OK && kind == WL_DEVICE_MEMORY_MANAGED)
        wl_device_memory_forget_advice(start, size_bytes);
    if (code == WL_DEVICE_OK)
        *address = (void *)(uintptr_t)start;
    return code;
}

int wl_device_memory_allocate(enum wl_device_memory_kind kind, size_t size_bytes, uint32_t flags,
                              void **address)
{
    wl_device_enter_beside();
    int code = wl_device_memory_allocate_held(kind, size_bytes, flags, address);
    wl_device_leave();
    return code;
}

int wl_device_memory_free_held(enum wl_device_memory_kind kind, void *address)
{
    int code = wl_device_state_check();
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (code || !address)
        return code;
    const struct wl_device_block *block = wl_device_arena_find(arena_of(start), start);
    bool fits = block && block->start == start &&
                (block->kind == kind ||
                 (kind == WL_DEVICE_MEMORY_DEVICE && block->kind == WL_DEVICE_MEMORY_MANAGED));
    if (!fits)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_memory_drop(start);
    wl_device_pool_give(start);
    return WL_DEVICE_OK;
}

int wl_device_memory_free(enum wl_device_memory_kind kind, void *address)
{
    wl_device_enter();
    int code = wl_device_memory_free_held(kind, address);
    wl_device_leave();
    return code;
}

/* Index of the first registered range that ends behind the address. */
static size_t registered_search(uint64_t address)
{
    size_t at = 0;
    while (at < wl_device_memory.registered.count &&
           wl_device_memory.registered.items[at].end <= address)
        at++;
    return at;
}

int wl_device_memory_register(void *address, size_t size_bytes, uint32_t flags)
{
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!address || !size_bytes || start + size_bytes < start)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    struct wl_device_blocks *blocks = &wl_device_memory.registered;
    int code = wl_device_state_check();
    size_t at = registered_search(start);
    if (code)
        goto out;
    if ((at < blocks->count && blocks->items[at].start < start + size_bytes) ||
        wl_device_arena_find(arena_of(start), start)) {
        code = WL_DEVICE_ALREADY_REGISTERED;
        goto out;
    }
    struct wl_device_block block = {.start = start,
                                    .end = start + size_bytes,
                                    .size_bytes = size_bytes,
                                    .kind = WL_DEVICE_MEMORY_HOST,
                                    .flags = flags};
    number_block(&block);
    WL_PUSH(blocks, block);
    memmove(&blocks->items[at + 1], &blocks->items[at],
            (blocks->count - 1 - at) * sizeof *blocks->items);
    blocks->items[at] = block;
    wl_device_memory.ranges_are_stale = true;
out:
    wl_device_leave();
    return code;
}

int wl_device_memory_unregister(void *address)
{
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!address)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    struct wl_device_blocks *blocks = &wl_device_memory.registered;
    int code = wl_device_state_check();
    size_t at = registered_search(start);
    if (code == WL_DEVICE_OK && at < blocks->count && blocks->items[at].start == start) {
        blocks->count--;
        memmove(&blocks->items[at], &blocks->items[at + 1],
                (blocks->count - at) * sizeof *blocks->items);
        wl_device_memory.ranges_are_stale = true;
    } else if (code == WL_DEVICE_OK) {
        bool is_inside = at < blocks->count && blocks->items[at].start < start;
        code = is_inside ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_NOT_REGISTERED;
    }
    wl_device_leave();
    return code;
}

static struct wl_device_block *registered_block(uint64_t address)
{
    const size_t at = registered_search(address);
    return at < wl_device_memory.registered.count &&
                   wl_device_memory.registered.items[at].start <= address
               ? &wl_device_memory.registered.items[at]
               : NULL;
}

bool wl_device_memory_look(uint64_t address, struct wl_device_allocation *allocation)
{
    const struct wl_device_block *block = placed_block(address);
    struct wl_sim_range mapped;
    if (!block && wl_device_virtual_find(address, &mapped)) {
        *allocation = (struct wl_device_allocation){.start = mapped.start,
                                                    .size_bytes = mapped.end - mapped.start,
                                                    .kind = WL_DEVICE_MEMORY_DEVICE};
        return true;
    }
    const bool is_registered = !block;
    if (!block)
        block = registered_block(address);
    if (!block)
        return false;
    *allocation = (struct wl_device_allocation){
        .start = block->start,
        .size_bytes = block->size_bytes,
        .kind = (enum wl_device_memory_kind)block->kind,
        .flags = block->flags,
        .id = block->id,
        .is_registered = is_registered,
        .is_synchronous = block->is_synchronous,
    };
    return true;
}

int wl_device_memory_set_synchronous(const void *address, bool is_synchronous)
{
    const uint64_t start = (uint64_t)(uintptr_t)address;
    wl_device_enter_beside();
    struct wl_device_block *block = placed_block(start);
    if (!block)
        block = registered_block(start);
    if (block)
        block->is_synchronous = is_synchronous;
    wl_device_leave();
    return block ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
}

bool wl_device_memory_find(const void *address, struct wl_device_allocation *allocation)
{
    wl_device_enter_beside();
    bool found = wl_device_memory_look((uint64_t)(uintptr_t)address, allocation);
    wl_device_leave();
    return found;
}

int wl_device_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        uint64_t total = wl_device.gpu.memory_bytes;
        uint64_t unused =
            wl_device_memory.device.size_bytes - wl_device_memory.device.committed_bytes;
        uint64_t taken = wl_device_virtual_taken();
        unused -= taken < unused ? taken : unused;
        uint64_t host = host_free_bytes() / WL_DEVICE_PAGE_BYTES * WL_DEVICE_PAGE_BYTES;
        if (free_bytes)
            *free_bytes = unused < host ? unused : host;
        if (total_bytes)
            *total_bytes = total;
    }
    wl_device_leave();
    return code;
}

/* Whether [address, address + bytes) may serve as device memory in a copy. */
static bool is_accessible(const void *address, uint64_t bytes, bool must_be_device)
{
    struct wl_device_allocation found;
    uint64_t start = (uint64_t)(uintptr_t)address;
    if (!wl_device_memory_look(start, &found))
        return !must_be_device; /* pageable host memory: the program's own affair */
    return bytes <= found.start + found.size_bytes - start;
}

/* Bytes from the first to the last of a pitched box. */
static uint64_t extent(const struct wl_device_copy *copy, uint64_t pitch, uint64_t slice)
{
    return (copy->depth - 1) * slice + (copy->height - 1) * pitch + copy->width_bytes;
}

int wl_device_memory_check_copy(const struct wl_device_copy *copy)
{
    static const struct {
        bool to_device, from_device;
    } needs[] = {
        [WL_DEVICE_HOST_TO_HOST] = {false, false},  [WL_DEVICE_HOST_TO_DEVICE] = {true, false},
        [WL_DEVICE_DEVICE_TO_HOST] = {false, true}, [WL_DEVICE_DEVICE_TO_DEVICE] = {true, true},
        [WL_DEVICE_BY_ADDRESS] = {false, false},
    };
    if (!copy->width_bytes || !copy->height || !copy->depth)
        return WL_DEVICE_OK;
    if ((unsigned)copy->direction > WL_DEVICE_BY_ADDRESS)
        return WL_DEVICE_INVALID_DIRECTION;
    if (copy->height > 1 &&
        (copy->to_pitch_bytes < copy->width_bytes || copy->from_pitch_bytes < copy->width_bytes))
        return WL_DEVICE_INVALID_PITCH;
    uint64_t to_bytes = extent(copy, copy->to_pitch_bytes, copy->to_slice_bytes);
    uint64_t from_bytes = extent(copy, copy->from_pitch_bytes, copy->from_slice_bytes);
    if (!copy->to || !copy->from ||
        !is_accessible(copy->to, to_bytes, needs[copy->direction].to_device) ||
        !is_accessible(copy->from, from_bytes, needs[copy->direction].from_device))
        return WL_DEVICE_INVALID_VALUE;
    return WL_DEVICE_OK;
}

static enum wl_device_place place_of(const void *address)
{
    static const uint8_t places[] = {
        [WL_DEVICE_MEMORY_HOST] = WL_DEVICE_PLACE_PINNED,
        [WL_DEVICE_MEMORY_DEVICE] = WL_DEVICE_PLACE_DEVICE,
        [WL_DEVICE_MEMORY_MANAGED] = WL_DEVICE_PLACE_MANAGED,
        [WL_DEVICE_MEMORY_MODULE] = WL_DEVICE_PLACE_DEVICE,
        [WL_DEVICE_MEMORY_ARRAY] = WL_DEVICE_PLACE_ARRAY,
    };
    struct wl_device_allocation found;
    return wl_device_memory_look((uint64_t)(uintptr_t)address, &found)
               ? (enum wl_device_place)places[found.kind]
               : WL_DEVICE_PLACE_PAGEABLE;
}

static bool is_on_device(const void *address)
{
    const uint64_t place = (uint64_t)(uintptr_t)address;
    return place - wl_device_memory.device.base < wl_device_memory.device.size_bytes;
}

static void copy_row(struct wl_copy_check *check, void *to, const void *from, uint64_t bytes)
{
    struct wl_unwritten *unwritten = wl_device_memory.unwritten;
    if (unwritten && check->is_to_host)
        wl_copy_check_row(check, (uint64_t)(uintptr_t)from, bytes);
    memmove(to, from, bytes);
    if (unwritten)
        wl_unwritten_copy(unwritten, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes);
}

int wl_device_memory_copy(const struct wl_device_copy *copy)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (code || !copy->width_bytes || !copy->height || !copy->depth)
        goto out;
    code = wl_device_memory_check_copy(copy);
    if (code)
        goto out;
    uint64_t begin_ns = wl_clock_monotonic_ns();
    struct wl_copy_check check = {.is_to_host = !is_on_device(copy->to)};
    for (size_t z = 0; z < copy->depth; z++) {
        char *to = (char *)copy->to + z * copy->to_slice_bytes;
        const char *from = (const char *)copy->from + z * copy->from_slice_bytes;
        for (size_t y = 0; y < copy->height; y++) {
            copy_row(&check, to + y * copy->to_pitch_bytes, from + y * copy->from_pitch_bytes,
                     copy->width_bytes);
        }
    }
    wl_copy_check_report(&check);
    wl_device_timeline_copy(&(struct wl_device_transfer){
        .stream = copy->stream,
        .bytes = (uint64_t)copy->width_bytes * copy->height * copy->depth,
        .from = place_of(copy->from),
        .to = place_of(copy->to),
        .is_async = copy->is_async,
        .host_ns = wl_clock_monotonic_ns() - begin_ns,
    });
out:
    wl_device_leave();
    return code;
}

void wl_device_memory_tell_written(const void *address, size_t size_bytes)
{
    wl_device_enter();
    wl_unwritten_remove(wl_device_memory.unwritten, (uint64_t)(uintptr_t)address, size_bytes);
    wl_device_leave();
}

static void fill_row(void *to, uint32_t value, size_t value_bytes, size_t width)
{
    if (value_bytes == 1) {
        memset(to, (int)(value & 0xff), width);
    } else if (value_bytes == 2) {
        uint16_t *row = to;
        for (size_t i = 0; i < width; i++)
            row[i] = (uint16_t)value;
    } else {
        uint32_t *row = to;
        for (size_t i = 0; i < width; i++)
            row[i] = value;
    }
}

int wl_device_memory_fill(void *to, uint32_t value, size_t value_bytes, size_t width, size_t height,
                          size_t pitch_bytes)
{
    return wl_device_memory_fill_on(NULL, to, value, value_bytes, width, height, pitch_bytes);
}

int wl_device_memory_check_fill(const void *to, size_t value_bytes, size_t width, size_t height,
                                size_t pitch_bytes)
{
    const uint64_t row_bytes = (uint64_t)width * value_bytes;
    if (!width || !height)
        return WL_DEVICE_OK;
    return (uint64_t)(uintptr_t)to % value_bytes || (height > 1 && pitch_bytes < row_bytes) ||
                   !is_accessible(to, (height - 1) * pitch_bytes + row_bytes, true)
               ? WL_DEVICE_INVALID_VALUE
               : WL_DEVICE_OK;
}

int wl_device_memory_fill_on(void *stream, void *to, uint32_t value, size_t value_bytes,
                             size_t width, size_t height, size_t pitch_bytes)
{
    wl_device_enter();
    int code = wl_device_state_check();
    if (code || !width || !height)
        goto out;
    code = wl_device_memory_check_fill(to, value_bytes, width, height, pitch_bytes);
    if (code)
        goto out;
    const uint64_t row_bytes = (uint64_t)width * value_bytes;
    for (size_t y = 0; y < height; y++) {
        char *row = (char *)to + y * pitch_bytes;
        fill_row(row, value, value_bytes, width);
        wl_unwritten_remove(wl_device_memory.unwritten, (uint64_t)(uintptr_t)row, row_bytes);
    }
    wl_device_timeline_fill(stream, place_of(to), height * row_bytes, value);
out:
    wl_device_leave();
    return code;
}

size_t wl_device_memory_leaks(struct wl_device_allocation *leaks, size_t count)
{
    size_t found = 0;
    if (!wl_device_try_enter())
        return 0;
    for (int i = 0; i < 2 && !wl_device.sticky_code && !wl_device.is_forked; i++) {
        const struct wl_device_blocks *used =
            i ? &wl_device_memory.host.used : &wl_device_memory.device.used;
        for (size_t k = 0; k < used->count; k++) {
            const struct wl_device_block *block = &used->items[k];
            if (block->is_freed || block->kind == WL_DEVICE_MEMORY_MODULE)
                continue;
            if (found < count)
                leaks[found] = (struct wl_device_allocation){
                    .start = block->start, .size_bytes = block->size_bytes, .kind = block->kind};
            found++;
        }
    }
    wl_device_leave();
    return found;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct wl_sim_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void sort_ranges(struct wl_device_ranges *ranges)
{
    if (ranges->count)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
}

void wl_device_memory_list(void)
{
    struct wl_device_ranges *ranges = &wl_device_memory.ranges, *pages = &wl_device_memory.pages;
    if (!wl_device_memory.ranges_are_stale)
        return;
    ranges->count = pages->count = 0;
    wl_device_arena_list_allocations(&wl_device_memory.device, ranges);
    wl_device_arena_list_allocations(&wl_device_memory.host, ranges);
    wl_device_arena_list_ranges(&wl_device_memory.device, pages);
    wl_device_arena_list_ranges(&wl_device_memory.host, pages);
    wl_device_virtual_list(ranges);
    wl_device_virtual_list(pages);
    for (size_t i = 0; i < wl_device_memory.registered.count; i++) {
        const struct wl_device_block *block = &wl_device_memory.registered.items[i];
        uint64_t first = block->start / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
        uint64_t last = (block->end + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
        WL_PUSH(ranges, ((struct wl_sim_range){block->start, block->end}));
        WL_PUSH(pages, ((struct wl_sim_range){first, last}));
    }
    sort_ranges(ranges);
    sort_ranges(pages);
    wl_device_memory.ranges_are_stale = false;
}

static void forget_quarantine(void)
{
    end_quarantine(0);
    free(wl_device_memory.quarantine.items);
    wl_device_memory.quarantine = (struct wl_device_ranges){0};
}

static void reset_arena(struct wl_device_arena *arena)
{
    for (size_t i = arena->used.count; i-- > 0;)
        if (arena->used.items[i].kind != WL_DEVICE_MEMORY_MODULE)
            wl_device_arena_free(arena, arena->used.items[i].start);
}

static enum wl_code start(struct wl_error *error)
{
    struct wl_device_arena *arena = &wl_device_memory.device;
    if (!wl_device_arena_open(arena, DEVICE_BASE, wl_device.gpu.memory_bytes)) {
        wl_error_set(error, WL_ERR_MEMORY, "no address space for the GPU's memory");
        wl_error_set_hint(error, "raise the limit of virtual memory (ulimit -v)");
        return WL_ERR_MEMORY;
    }
    if (wl_device.options.checks & WL_CHECK_INIT)
        wl_device_memory.unwritten = wl_unwritten_create(arena->base, arena->size_bytes);
    wl_device_memory.ranges_are_stale = true;
    return WL_OK;
}

/* Frees all but module variables. */
static void reset(void)
{
    forget_quarantine();
    reset_arena(&wl_device_memory.device);
    reset_arena(&wl_device_memory.host);
    wl_device_virtual_reset();
    wl_device_pool_forget_all();
    wl_device_memory_forget_all_advice();
    wl_device_memory.registered.count = wl_device_memory.freed.count = 0;
    wl_device_memory.ranges_are_stale = true;
}

static void shut_down(void)
{
    forget_quarantine();
    wl_device_arena_close(&wl_device_memory.device);
    wl_device_arena_close(&wl_device_memory.host);
    wl_device_virtual_reset();
    wl_device_pool_forget_all();
    wl_device_memory_forget_all_advice();
    free(wl_device_memory.registered.items);
    free(wl_device_memory.ranges.items);
    free(wl_device_memory.pages.items);
    free(wl_device_memory.freed.items);
    free(wl_device_memory.told_unwritten.items);
    wl_unwritten_free(wl_device_memory.unwritten);
    wl_device_memory = (struct wl_device_memory){0};
}

const struct wl_device_part wl_device_memory_part = {start, reset, shut_down};
