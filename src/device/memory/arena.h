/* A big range of addresses reserved at a fixed place, of which allocations are carved out in pages
 * of 2 MiB, as the driver does: small allocations share pages at 512-byte alignment, others get
 * pages of their own. Pages are committed when first used and given back when no allocation is in
 * them. Not thread-safe. */
#ifndef WL_DEVICE_MEMORY_ARENA_H
#define WL_DEVICE_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "sim/sim.h"

#define WL_DEVICE_PAGE_BYTES ((uint64_t)2 << 20)

struct wl_device_block {
    uint64_t start, end;  /* what it takes, with what is left free behind it */
    uint64_t size_bytes;  /* what was asked for */
    uint32_t kind, flags; /* the caller's */
    uint64_t id;          /* the caller's */
    bool is_synchronous;  /* the caller's */
    bool is_freed;        /* nobody's, but not to be given out yet */
};

struct wl_device_blocks {
    WL_VECTOR_FIELDS(struct wl_device_block); /* sorted by start */
};

struct wl_device_arena {
    uint64_t base, size_bytes;
    uint32_t *page_users; /* allocations that reach into each page */
    uint64_t committed_bytes;
    uint64_t padding_bytes; /* left free behind each allocation while there is room */
    struct wl_device_blocks used, vacant;
};

/* Reserves size_bytes (a multiple of the page) at the address, or elsewhere if that is taken; less
 * if the address space is limited, down to one page. False if even that fails. */
bool wl_device_arena_open(struct wl_device_arena *arena, uint64_t address, uint64_t size_bytes);
void wl_device_arena_close(struct wl_device_arena *arena);
/* 0 if there is no room or the host refuses. */
uint64_t wl_device_arena_allocate(struct wl_device_arena *arena, uint64_t size_bytes, uint32_t kind,
                                  uint32_t flags);
/* start must be that of an allocation. */
void wl_device_arena_free(struct wl_device_arena *arena, uint64_t start);
/* Forgets the allocation; its memory stays mapped until it is freed. */
void wl_device_arena_set_freed(struct wl_device_arena *arena, uint64_t start);
/* The allocation that holds the address, or NULL. Valid until the next change. */
const struct wl_device_block *wl_device_arena_find(const struct wl_device_arena *arena,
                                                   uint64_t address);
struct wl_device_ranges {
    WL_VECTOR_FIELDS(struct wl_sim_range);
};
/* Appends the pages of all allocations, and of what is left free behind them, as sorted ranges. */
void wl_device_arena_list_ranges(const struct wl_device_arena *arena,
                                 struct wl_device_ranges *ranges);
/* Appends what was asked for, sorted. */
void wl_device_arena_list_allocations(const struct wl_device_arena *arena,
                                      struct wl_device_ranges *ranges);

#endif
