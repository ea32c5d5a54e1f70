#include "sim/heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

/* Blocks of powers of two, each behind a header that names its class while it is in use. */
#define SMALLEST_BYTES 32
#define CLASSES 26
#define HEADER_BYTES 16
#define IN_USE 0x5741524c48454150ull

struct header {
    uint64_t state; /* IN_USE, or the next free block of the class */
    uint32_t size_class;
    uint32_t spare;
};

struct wl_heap {
    pthread_mutex_t lock;
    uint8_t *start;
    size_t used;
    uint64_t free_blocks[CLASSES]; /* offsets + 1, 0: none */
};

struct wl_heap *wl_heap_create(void)
{
    void *memory = mmap(NULL, WL_HEAP_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct wl_heap *heap = wl_alloc_zero(1, sizeof *heap);
    pthread_mutex_init(&heap->lock, NULL);
    heap->start = memory;
    return heap;
}

void wl_heap_free(struct wl_heap *heap)
{
    if (!heap)
        return;
    munmap(heap->start, WL_HEAP_BYTES);
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

static struct header *header_at(const struct wl_heap *heap, uint64_t offset)
{
    return (struct header *)(void *)(heap->start + offset);
}

uint64_t wl_heap_allocate(struct wl_heap *heap, uint64_t size_bytes)
{
    if (size_bytes == 0 || size_bytes > WL_HEAP_BYTES - HEADER_BYTES)
        return 0;
    uint32_t size_class = 0;
    while (((uint64_t)SMALLEST_BYTES << size_class) < size_bytes + HEADER_BYTES)
        size_class++;
    uint64_t block_bytes = (uint64_t)SMALLEST_BYTES << size_class, offset;
    pthread_mutex_lock(&heap->lock);
    if (heap->free_blocks[size_class]) {
        offset = heap->free_blocks[size_class] - 1;
        heap->free_blocks[size_class] = header_at(heap, offset)->state;
    } else if (block_bytes <= WL_HEAP_BYTES - heap->used) {
        offset = heap->used;
        heap->used += block_bytes;
    } else {
        pthread_mutex_unlock(&heap->lock);
        return 0;
    }
    *header_at(heap, offset) = (struct header){IN_USE, size_class, 0};
    pthread_mutex_unlock(&heap->lock);
    return (uint64_t)(uintptr_t)(heap->start + offset + HEADER_BYTES);
}

bool wl_heap_release(struct wl_heap *heap, uint64_t address)
{
    if (address == 0)
        return true;
    uint64_t offset = address - (uint64_t)(uintptr_t)heap->start - HEADER_BYTES;
    pthread_mutex_lock(&heap->lock);
    bool is_known = offset < heap->used && offset % SMALLEST_BYTES == 0 &&
                    header_at(heap, offset)->state == IN_USE &&
                    header_at(heap, offset)->size_class < CLASSES;
    if (is_known) {
        struct header *header = header_at(heap, offset);
        header->state = heap->free_blocks[header->size_class];
        heap->free_blocks[header->size_class] = offset + 1;
    }
    pthread_mutex_unlock(&heap->lock);
    return is_known;
}

void wl_heap_range(const struct wl_heap *heap, uint64_t *start, uint64_t *end)
{
    *start = (uint64_t)(uintptr_t)heap->start;
    *end = *start + WL_HEAP_BYTES;
}
