/* The heap that kernels allocate from with malloc and new. Lives as long as the simulated GPU: what
 * one launch allocates, a later one may use and free. Allocating and freeing is thread-safe;
 * programs that do it run on one thread, so that looking up is, too. Internal to sim/. */
#ifndef WL_SIM_HEAP_H
#define WL_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_HEAP_BYTES ((size_t)64 << 20) /* reserved; pages come as they are used */

struct wl_heap;

/* An allocation, or what was one. */
struct wl_heap_block {
    uint64_t start, size_bytes;
    bool is_freed;
};

struct wl_heap_left {
    const char *place;
    uint64_t blocks, bytes;
};

/* NULL if the address space cannot be had. */
struct wl_heap *wl_heap_create(void);
void wl_heap_free(struct wl_heap *heap);

/* Where kernels allocate, to be named in wl_heap_allocate: "at KERNEL in FILE:LINE", copied. */
uint32_t wl_heap_place(struct wl_heap *heap, const char *text);
/* Address of size_bytes, 16-byte aligned; 0 where the heap is full or nothing is asked for. */
uint64_t wl_heap_allocate(struct wl_heap *heap, uint64_t size_bytes, uint32_t place);
/* False for an address that is none of an allocation (0 is fine and does nothing). */
bool wl_heap_release(struct wl_heap *heap, uint64_t address);
/* Whether `bytes` at the address lie in the heap, which a GPU maps as a whole; not before anything
 * was given out. */
bool wl_heap_has(const struct wl_heap *heap, uint64_t address, uint64_t bytes);
/* What was allocated at the place, from 0, and not freed. False: there is no such place. */
bool wl_heap_left_at(const struct wl_heap *heap, uint32_t place, struct wl_heap_left *left);
/* The block nearest to an address of which wl_heap_has is true. */
struct wl_heap_block wl_heap_nearest(const struct wl_heap *heap, uint64_t address);

#endif
