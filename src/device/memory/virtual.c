#include "device/memory/virtual.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/core/handles.h"
#include "device/memory/state.h"

#define VIRTUAL_BASE ((uint64_t)0x500000000000)

struct wl_device_physical {
    uint64_t handle, size_bytes;
    uint32_t users; /* releases to come, and mappings */
    uint32_t handles;
    int file;
    struct wl_device_physical_properties properties;
};

struct wl_device_mapping {
    uint64_t start, end, offset;
    struct wl_device_physical *physical;
    enum wl_device_access access;
};

/* What stands where; all lists are sorted by address. */
static struct {
    struct wl_device_ranges reserved;
    struct {
        struct wl_device_mapping *items;
        size_t count, capacity;
    } mappings;
    struct {
        struct wl_device_physical **items;
        size_t count, capacity;
    } physicals;
    uint64_t next_address, taken_bytes;
} virtual_memory;

static bool is_paged(uint64_t value)
{
    return value % WL_DEVICE_VIRTUAL_GRANULARITY == 0;
}

/* ---- reservations ---- */

static size_t find_reservation(uint64_t start, uint64_t end)
{
    const struct wl_device_ranges *reserved = &virtual_memory.reserved;
    for (size_t i = 0; i < reserved->count; i++)
        if (start >= reserved->items[i].start && end <= reserved->items[i].end)
            return i;
    return SIZE_MAX;
}

/* Address space at the address, or elsewhere; 0 if there is none. */
static uint64_t reserve_pages(uint64_t address, uint64_t size_bytes, uint64_t alignment)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *place =
        mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != MAP_FAILED && (uint64_t)(uintptr_t)place == address)
        return address;
    if (place != MAP_FAILED)
        munmap(place, size_bytes);
    place = mmap(NULL, size_bytes + alignment, PROT_NONE, flags, -1, 0);
    if (place == MAP_FAILED)
        return 0;
    uint64_t start = (uint64_t)(uintptr_t)place, end = start + size_bytes + alignment;
    uint64_t aligned = (start + alignment - 1) / alignment * alignment;
    if (aligned > start)
        munmap(place, aligned - start);
    if (aligned + size_bytes < end)
        munmap((void *)(uintptr_t)(aligned + size_bytes), end - aligned - size_bytes);
    return aligned;
}

int wl_device_virtual_reserve(size_t size_bytes, size_t alignment, uint64_t wanted,
                              uint64_t *address)
{
    if (!address || !size_bytes || !is_paged(size_bytes) || (alignment & (alignment - 1)))
        return WL_DEVICE_INVALID_VALUE;
    if (alignment < WL_DEVICE_VIRTUAL_GRANULARITY)
        alignment = WL_DEVICE_VIRTUAL_GRANULARITY;
    wl_device_enter();
    int code = wl_device_state_check(), saved = errno;
    uint64_t *next = &virtual_memory.next_address, place = 0;
    if (code == WL_DEVICE_OK) {
        uint64_t hint = *next ? *next : VIRTUAL_BASE;
        hint = (hint + alignment - 1) / alignment * alignment;
        place = wanted && wanted % alignment == 0 ? wanted : hint;
        place = reserve_pages(place, size_bytes, alignment);
        code = place ? WL_DEVICE_OK : WL_DEVICE_OUT_OF_MEMORY;
        *next = place == hint ? hint + size_bytes : *next;
    }
    if (code == WL_DEVICE_OK) {
        WL_PUSH(&virtual_memory.reserved, ((struct wl_sim_range){place, place + size_bytes}));
        *address = place;
    }
    errno = saved;
    wl_device_leave();
    return code;
}

int wl_device_virtual_free(uint64_t address, size_t size_bytes)
{
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_ranges *reserved = &virtual_memory.reserved;
    size_t at = find_reservation(address, address + size_bytes);
    bool is_whole = at != SIZE_MAX && reserved->items[at].start == address &&
                    reserved->items[at].end == address + size_bytes;
    for (size_t i = 0; i < virtual_memory.mappings.count; i++)
        is_whole &= virtual_memory.mappings.items[i].end <= address ||
                    virtual_memory.mappings.items[i].start >= address + size_bytes;
    if (code == WL_DEVICE_OK && !is_whole)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        int saved = errno;
        munmap((void *)(uintptr_t)address, size_bytes);
        errno = saved;
        reserved->items[at] = reserved->items[--reserved->count];
    }
    wl_device_leave();
    return code;
}

/* ---- memory ---- */

static struct wl_device_physical *find_physical(uint64_t handle)
{
    for (size_t i = 0; i < virtual_memory.physicals.count; i++)
        if (virtual_memory.physicals.items[i]->handle == handle)
            return virtual_memory.physicals.items[i];
    return NULL;
}

static void drop_user(struct wl_device_physical *physical)
{
    if (--physical->users)
        return;
    for (size_t i = 0; i < virtual_memory.physicals.count; i++)
        if (virtual_memory.physicals.items[i] == physical)
            virtual_memory.physicals.items[i] =
                virtual_memory.physicals.items[--virtual_memory.physicals.count];
    virtual_memory.taken_bytes -= physical->size_bytes;
    close(physical->file);
    free(physical);
}

int wl_device_physical_create(size_t size_bytes,
                              const struct wl_device_physical_properties *properties,
                              uint64_t *handle)
{
    if (!handle || !size_bytes || !is_paged(size_bytes))
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    int code = wl_device_state_check(), saved = errno;
    if (code == WL_DEVICE_OK &&
        !wl_device_memory_has_room(size_bytes, virtual_memory.taken_bytes + size_bytes))
        code = WL_DEVICE_OUT_OF_MEMORY;
    int file = code ? -1 : memfd_create("device memory", MFD_CLOEXEC);
    if (code == WL_DEVICE_OK && (file < 0 || ftruncate(file, (off_t)size_bytes))) {
        if (file >= 0)
            close(file);
        code = WL_DEVICE_OUT_OF_MEMORY;
    }
    if (code == WL_DEVICE_OK) {
        struct wl_device_physical *made = wl_alloc_zero(1, sizeof *made);
        *made =
            (struct wl_device_physical){.handle = wl_device_number_next(WL_DEVICE_NUMBER_PHYSICAL),
                                        .size_bytes = size_bytes,
                                        .users = 1,
                                        .handles = 1,
                                        .file = file,
                                        .properties = *properties};
        WL_PUSH(&virtual_memory.physicals, made);
        virtual_memory.taken_bytes += size_bytes;
        *handle = made->handle;
    }
    errno = saved;
    wl_device_leave();
    return code;
}

int wl_device_physical_release(uint64_t handle)
{
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_physical *found = find_physical(handle);
    if (code == WL_DEVICE_OK && (!found || !found->handles))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        found->handles--;
        drop_user(found);
    }
    wl_device_leave();
    return code;
}

int wl_device_physical_query(uint64_t handle, struct wl_device_physical_properties *properties)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_physical *found = find_physical(handle);
    if (code == WL_DEVICE_OK && (!found || !found->handles))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *properties = found->properties;
    wl_device_leave();
    return code;
}

/* ---- mappings ---- */

/* Index of the first mapping that ends behind the address. */
static size_t search_mapping(uint64_t address)
{
    size_t at = 0;
    while (at < virtual_memory.mappings.count && virtual_memory.mappings.items[at].end <= address)
        at++;
    return at;
}

/* The mapping that holds the address, or NULL. */
static struct wl_device_mapping *find_mapping(uint64_t address)
{
    size_t at = search_mapping(address);
    bool is_found =
        at < virtual_memory.mappings.count && virtual_memory.mappings.items[at].start <= address;
    return is_found ? &virtual_memory.mappings.items[at] : NULL;
}

/* Whether mappings fill the range without a gap, and begin and end with it. */
static bool is_filled(uint64_t start, uint64_t end)
{
    const struct wl_device_mapping *first = find_mapping(start);
    if (!first || first->start != start)
        return false;
    const struct wl_device_mapping *last =
        virtual_memory.mappings.items + virtual_memory.mappings.count;
    uint64_t at = start;
    for (; first < last && first->start == at && at < end; first++)
        at = first->end;
    return at == end;
}

int wl_device_physical_retain(uint64_t address, uint64_t *handle)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_mapping *found = find_mapping(address);
    if (code == WL_DEVICE_OK && (!found || !handle))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        found->physical->users++;
        found->physical->handles++;
        *handle = found->physical->handle;
    }
    wl_device_leave();
    return code;
}

int wl_device_virtual_map(uint64_t address, size_t size_bytes, size_t offset, uint64_t handle)
{
    const uint64_t end = address + size_bytes;
    if (!size_bytes || end < address || !is_paged(address) || !is_paged(size_bytes) ||
        !is_paged(offset))
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    int code = wl_device_state_check(), saved = errno;
    struct wl_device_physical *physical = find_physical(handle);
    size_t at = search_mapping(address);
    bool is_vacant =
        at == virtual_memory.mappings.count || virtual_memory.mappings.items[at].start >= end;
    if (code == WL_DEVICE_OK && (!physical || !physical->handles || !is_vacant ||
                                 find_reservation(address, end) == SIZE_MAX))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK &&
        (offset > physical->size_bytes || size_bytes > physical->size_bytes - offset))
        code = WL_DEVICE_NOT_SUPPORTED; /* as hardware */
    if (code == WL_DEVICE_OK &&
        mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
             physical->file, (off_t)offset) == MAP_FAILED)
        code = WL_DEVICE_OUT_OF_MEMORY;
    if (code == WL_DEVICE_OK) {
        struct wl_device_mapping made = {address, end, offset, physical, WL_DEVICE_ACCESS_NONE};
        WL_PUSH(&virtual_memory.mappings, made);
        struct wl_device_mapping *items = virtual_memory.mappings.items;
        memmove(&items[at + 1], &items[at],
                (virtual_memory.mappings.count - 1 - at) * sizeof *items);
        items[at] = made;
        physical->users++;
    }
    errno = saved;
    wl_device_leave();
    return code;
}

int wl_device_virtual_unmap(uint64_t address, size_t size_bytes)
{
    wl_device_enter();
    int code = wl_device_state_check(), saved = errno;
    const uint64_t end = address + size_bytes;
    if (code == WL_DEVICE_OK && (!size_bytes || !is_filled(address, end)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        size_t first = search_mapping(address), last = search_mapping(end - 1) + 1;
        struct wl_device_mapping *items = virtual_memory.mappings.items;
        for (size_t i = first; i < last; i++)
            drop_user(items[i].physical);
        memmove(&items[first], &items[last],
                (virtual_memory.mappings.count - last) * sizeof *items);
        virtual_memory.mappings.count -= last - first;
        /* the addresses stay reserved */
        mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        wl_device_memory.ranges_are_stale = true;
    }
    errno = saved;
    wl_device_leave();
    return code;
}

int wl_device_virtual_set_access(uint64_t address, size_t size_bytes, enum wl_device_access access)
{
    const uint64_t end = address + size_bytes;
    wl_device_enter();
    int code = wl_device_state_check(), saved = errno;
    if (code == WL_DEVICE_OK && (!size_bytes || !is_filled(address, end)))
        code = WL_DEVICE_INVALID_VALUE;
    for (size_t i = search_mapping(address);
         code == WL_DEVICE_OK && i < virtual_memory.mappings.count &&
         virtual_memory.mappings.items[i].start < end;
         i++)
        virtual_memory.mappings.items[i].access = access;
    if (code == WL_DEVICE_OK) {
        mprotect((void *)(uintptr_t)address, size_bytes,
                 access == WL_DEVICE_ACCESS_NONE ? PROT_NONE : PROT_READ | PROT_WRITE);
        wl_device_memory.ranges_are_stale = true;
    }
    errno = saved;
    wl_device_leave();
    return code;
}

int wl_device_virtual_get_access(uint64_t address, enum wl_device_access *access)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_mapping *found = find_mapping(address);
    if (code == WL_DEVICE_OK && (!found || !access))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *access = found->access;
    wl_device_leave();
    return code;
}

/* ---- for the rest of the device ---- */

static bool is_usable(const struct wl_device_mapping *mapping)
{
    return mapping->access != WL_DEVICE_ACCESS_NONE;
}

void wl_device_virtual_list(struct wl_device_ranges *ranges)
{
    size_t first = ranges->count;
    for (size_t i = 0; i < virtual_memory.mappings.count; i++) {
        const struct wl_device_mapping *mapping = &virtual_memory.mappings.items[i];
        if (!is_usable(mapping))
            continue;
        if (ranges->count > first && ranges->items[ranges->count - 1].end == mapping->start)
            ranges->items[ranges->count - 1].end = mapping->end;
        else
            WL_PUSH(ranges, ((struct wl_sim_range){mapping->start, mapping->end}));
    }
}

bool wl_device_virtual_find(uint64_t address, struct wl_sim_range *range)
{
    const struct wl_device_mapping *found = find_mapping(address);
    if (!found || !is_usable(found))
        return false;
    const struct wl_device_mapping *items = virtual_memory.mappings.items;
    size_t low = (size_t)(found - items), high = low;
    while (low > 0 && items[low - 1].end == items[low].start && is_usable(&items[low - 1]))
        low--;
    while (high + 1 < virtual_memory.mappings.count && items[high].end == items[high + 1].start &&
           is_usable(&items[high + 1]))
        high++;
    *range = (struct wl_sim_range){items[low].start, items[high].end};
    return true;
}

uint64_t wl_device_virtual_taken(void)
{
    return virtual_memory.taken_bytes;
}

void wl_device_virtual_reset(void)
{
    for (size_t i = 0; i < virtual_memory.mappings.count; i++)
        drop_user(virtual_memory.mappings.items[i].physical);
    virtual_memory.mappings.count = 0;
    while (virtual_memory.physicals.count) {
        struct wl_device_physical *last =
            virtual_memory.physicals.items[virtual_memory.physicals.count - 1];
        last->users = 1;
        drop_user(last);
    }
    for (size_t i = 0; i < virtual_memory.reserved.count; i++) {
        const struct wl_sim_range *range = &virtual_memory.reserved.items[i];
        munmap((void *)(uintptr_t)range->start, range->end - range->start);
    }
    free(virtual_memory.reserved.items);
    free(virtual_memory.mappings.items);
    free(virtual_memory.physicals.items);
    memset(&virtual_memory, 0, sizeof virtual_memory);
    wl_device_memory.ranges_are_stale = true;
}
