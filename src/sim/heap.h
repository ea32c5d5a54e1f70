/* The heap that kernels allocate from with malloc and new. Lives as long as the simulated GPU: what
 * one launch allocates, a later one may free. Thread-safe. Internal to sim/. */
#ifndef WL_SIM_HEAP_H
#define WL_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_HEAP_BYTES ((size_t)64 << 20) /* reserved; pages come as they are used */

struct wl_heap;

/* NULL if the address space cannot be had. */
struct wl_heap *wl_heap_create(void);
void wl_heap_free(struct wl_heap *heap);

/* Address of size_bytes, 16-byte aligned; 0 where the heap is full or nothing is asked for. */
uint64_t wl_heap_allocate(struct wl_heap *heap, uint64_t size_bytes);
/* False for an address that was not allocated (0 is fine and does nothing). */
bool wl_heap_release(struct wl_heap *heap, uint64_t address);
/* The memory that kernels may touch. */
void wl_heap_range(const struct wl_heap *heap, uint64_t *start, uint64_t *end);

#endif
