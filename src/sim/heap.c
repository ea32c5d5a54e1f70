#include "sim/heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "sim/place.h"
#include "sim/reach.h"

/* Slots of powers of two, each with a gap in front that belongs to no allocation. What is known of
 * them lies outside the heap, where kernels cannot break it. */
#define SMALLEST_BYTES 32
#define CLASSES 26
#define GAP_BYTES 16

struct slot {
    uint64_t offset, size_bytes; /* of the slot; of the allocation, as it was asked for */
    uint32_t size_class;
    uint32_t next_free; /* index + 1 of another of the class; 0: none */
    uint32_t place;     /* among places */
    bool is_used;
};

struct wl_heap {
    pthread_mutex_t lock;
    uint64_t start, used;
    WL_VECTOR(struct slot) slots; /* by offset: each is cut off the end once */
    uint32_t free_slots[CLASSES]; /* index + 1, 0: none */
    WL_VECTOR(char *) places;
};

struct wl_heap *wl_heap_create(void)
{
    void *memory = wl_place_map(WL_HEAP_BYTES);
    if (!memory)
        return NULL;
    struct wl_heap *heap = wl_alloc_zero(1, sizeof *heap);
    pthread_mutex_init(&heap->lock, NULL);
    heap->start = (uint64_t)(uintptr_t)memory;
    return heap;
}

void wl_heap_free(struct wl_heap *heap)
{
    if (!heap)
        return;
    munmap((void *)(uintptr_t)heap->start, WL_HEAP_BYTES);
    pthread_mutex_destroy(&heap->lock);
    for (size_t i = 0; i < heap->places.count; i++)
        free(heap->places.items[i]);
    free(heap->places.items);
    free(heap->slots.items);
    free(heap);
}

/* NULL: the heap is full. */
static struct slot *take_slot(struct wl_heap *heap, uint32_t size_class)
{
    const uint64_t slot_bytes = (uint64_t)SMALLEST_BYTES << size_class;
    if (heap->free_slots[size_class]) {
        struct slot *slot = &heap->slots.items[heap->free_slots[size_class] - 1];
        heap->free_slots[size_class] = slot->next_free;
        return slot;
    }
    if (slot_bytes > WL_HEAP_BYTES - heap->used)
        return NULL;
    WL_PUSH(&heap->slots, ((struct slot){.offset = heap->used, .size_class = size_class}));
    heap->used += slot_bytes;
    return &heap->slots.items[heap->slots.count - 1];
}

uint32_t wl_heap_place(struct wl_heap *heap, const char *text)
{
    size_t index = 0;
    pthread_mutex_lock(&heap->lock);
    while (index < heap->places.count && strcmp(heap->places.items[index], text) != 0)
        index++;
    if (index == heap->places.count)
        WL_PUSH(&heap->places, wl_string_copy(text));
    pthread_mutex_unlock(&heap->lock);
    return (uint32_t)index;
}

bool wl_heap_left_at(const struct wl_heap *heap, uint32_t place, struct wl_heap_left *left)
{
    if (place >= heap->places.count)
        return false;
    *left = (struct wl_heap_left){.place = heap->places.items[place]};
    for (size_t i = 0; i < heap->slots.count; i++) {
        const struct slot *slot = &heap->slots.items[i];
        left->blocks += slot->is_used && slot->place == place;
        left->bytes += slot->is_used && slot->place == place ? slot->size_bytes : 0;
    }
    return true;
}

uint64_t wl_heap_allocate(struct wl_heap *heap, uint64_t size_bytes, uint32_t place)
{
    if (size_bytes == 0 || size_bytes > WL_HEAP_BYTES - GAP_BYTES)
        return 0;
    uint32_t size_class = 0;
    while (((uint64_t)SMALLEST_BYTES << size_class) < size_bytes + GAP_BYTES)
        size_class++;
    pthread_mutex_lock(&heap->lock);
    struct slot *slot = take_slot(heap, size_class);
    uint64_t address = 0;
    if (slot) {
        slot->is_used = true;
        slot->size_bytes = size_bytes;
        slot->place = place;
        address = heap->start + slot->offset + GAP_BYTES;
    }
    pthread_mutex_unlock(&heap->lock);
    return address;
}

/* Index of the last slot that begins at the offset or before it; there is one. */
static size_t find_slot(const struct wl_heap *heap, uint64_t offset)
{
    size_t low = 0, high = heap->slots.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (heap->slots.items[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool wl_heap_release(struct wl_heap *heap, uint64_t address)
{
    if (address == 0)
        return true;
    const uint64_t offset = address - heap->start;
    pthread_mutex_lock(&heap->lock);
    bool is_known = false;
    if (offset < heap->used) {
        size_t index = find_slot(heap, offset);
        struct slot *slot = &heap->slots.items[index];
        is_known = slot->is_used && slot->offset + GAP_BYTES == offset;
        if (is_known) {
            slot->is_used = false;
            slot->next_free = heap->free_slots[slot->size_class];
            heap->free_slots[slot->size_class] = (uint32_t)index + 1;
        }
    }
    pthread_mutex_unlock(&heap->lock);
    return is_known;
}

bool wl_heap_has(const struct wl_heap *heap, uint64_t address, uint64_t bytes)
{
    return bytes && heap->used &&
           wl_reach_holds(heap->start, heap->start + WL_HEAP_BYTES, address, bytes);
}

struct wl_heap_block wl_heap_nearest(const struct wl_heap *heap, uint64_t address)
{
    const uint64_t offset = address - heap->start;
    size_t index = find_slot(heap, offset);
    const struct slot *slot = &heap->slots.items[index];
    if (index > 0 && offset < slot->offset + GAP_BYTES) { /* before it, or behind the last? */
        const struct slot *last = slot - 1;
        uint64_t end = last->offset + GAP_BYTES + last->size_bytes;
        if (offset - end < slot->offset + GAP_BYTES - offset)
            slot = last;
    }
    return (struct wl_heap_block){heap->start + slot->offset + GAP_BYTES, slot->size_bytes,
                                  !slot->is_used};
}
