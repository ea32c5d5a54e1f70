#include "device/core/handles.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/memory.h"
#include "device/core/state.h"

struct entry {
    const void *object;
    UT_hash_handle hh;
};

static struct entry *tables[WL_DEVICE_HANDLE_COUNT];

/* Streams of the program are numbered from 13 in ncu's and nsys's reports; 7 is the default one. */
static const uint64_t first_numbers[WL_DEVICE_NUMBER_COUNT] = {
    [WL_DEVICE_NUMBER_MODULE] = 1,   [WL_DEVICE_NUMBER_KERNEL] = 1,
    [WL_DEVICE_NUMBER_LAUNCH] = 0,   [WL_DEVICE_NUMBER_ACTIVITY] = 1,
    [WL_DEVICE_NUMBER_STREAM] = 13,  [WL_DEVICE_NUMBER_GRAPH] = 1,
    [WL_DEVICE_NUMBER_NODE] = 1,     [WL_DEVICE_NUMBER_CAPTURE] = 1,
    [WL_DEVICE_NUMBER_PHYSICAL] = 1, [WL_DEVICE_NUMBER_ALLOCATION] = 1,
};

static struct entry *find(enum wl_device_handle_kind kind, const void *object)
{
    struct entry *entry;
    HASH_FIND_PTR(tables[kind], &object, entry);
    return entry;
}

void wl_device_handle_add(enum wl_device_handle_kind kind, void *object)
{
    struct entry *entry = wl_alloc_zero(1, sizeof *entry);
    entry->object = object;
    HASH_ADD_PTR(tables[kind], object, entry);
}

void wl_device_handle_remove(enum wl_device_handle_kind kind, const void *object)
{
    struct entry *entry = find(kind, object);
    HASH_DEL(tables[kind], entry);
    free(entry);
}

bool wl_device_handle_is(enum wl_device_handle_kind kind, const void *object)
{
    return find(kind, object) != NULL;
}

void *wl_device_handle_next(enum wl_device_handle_kind kind, const void *object)
{
    const struct entry *entry = object ? find(kind, object)->hh.next : tables[kind];
    return entry ? (void *)(uintptr_t)entry->object : NULL;
}

uint64_t wl_device_number_next(enum wl_device_number number)
{
    return first_numbers[number] + wl_device.given_numbers[number]++;
}
