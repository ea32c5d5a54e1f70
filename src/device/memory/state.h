/* Memory, for the other parts of the device layer. Internal to device/; expects the lock
 * (core/state.h). */
#ifndef WL_DEVICE_MEMORY_STATE_H
#define WL_DEVICE_MEMORY_STATE_H

#include "device/core/state.h"
#include "device/memory/arena.h"
#include "device/memory/memory.h"
#include "sim/unwritten.h"

extern const struct wl_device_part wl_device_memory_part;

struct wl_device_memory {
    struct wl_device_arena device, host;
    struct wl_device_blocks registered;    /* the program's own memory, sorted */
    struct wl_device_ranges ranges, pages; /* for launches; rebuilt when stale */
    bool ranges_are_stale;
    struct wl_device_ranges freed;      /* freed allocations, the latest last */
    struct wl_device_ranges quarantine; /* freed and not yet to be given out, the oldest first */
    uint64_t quarantine_bytes;
    struct wl_device_ranges told_unwritten; /* allocations that were copied so, by their start */
    struct wl_unwritten *unwritten;         /* device memory that nobody wrote; NULL: not checked */
};
extern struct wl_device_memory wl_device_memory;

int wl_device_memory_take(enum wl_device_memory_kind kind, uint64_t size_bytes, uint32_t flags,
                          uint64_t *address);
void wl_device_memory_drop(uint64_t address);
/* wl_device_memory_allocate, wl_device_memory_free. */
int wl_device_memory_allocate_held(enum wl_device_memory_kind kind, size_t size_bytes,
                                   uint32_t flags, void **address);
int wl_device_memory_free_held(enum wl_device_memory_kind kind, void *address);
/* wl_device_memory_find. */
bool wl_device_memory_look(uint64_t address, struct wl_device_allocation *allocation);

/* Whether wl_device_memory_copy, wl_device_memory_fill_on would do it. */
int wl_device_memory_check_copy(const struct wl_device_copy *copy);
int wl_device_memory_check_fill(const void *to, size_t value_bytes, size_t width, size_t height,
                                size_t pitch_bytes);

/* Brings ranges (allocations) and pages (what is mapped) up to date. */
void wl_device_memory_list(void);

/* Whether the model GPU and the host have room for size_bytes more; taken_bytes: of virtual memory
 * management, with them. */
bool wl_device_memory_has_room(uint64_t size_bytes, uint64_t taken_bytes);

/* Virtual memory management: what kernels may touch, sorted; around an address; how much there is.
 */
void wl_device_virtual_list(struct wl_device_ranges *ranges);
bool wl_device_virtual_find(uint64_t address, struct wl_sim_range *range);
uint64_t wl_device_virtual_taken(void);
void wl_device_virtual_reset(void);

/* Memory goes that may be of a pool (pool.c); all goes but variables, and pools of the program. */
void wl_device_pool_give(uint64_t start);
void wl_device_pool_forget_all(void);

/* Memory comes, of which nothing was said (advice.c). */
void wl_device_memory_forget_advice(uint64_t start, uint64_t size_bytes);
void wl_device_memory_forget_all_advice(void);

#endif
