/* Which bytes of a range of device memory nobody has written yet, one bit each. Pages of the table
 * come as they are needed. */
#ifndef WL_SIM_UNWRITTEN_H
#define WL_SIM_UNWRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct wl_unwritten;

/* [base, base + size_bytes): all counts as written at first, and so does memory elsewhere. */
struct wl_unwritten *wl_unwritten_create(uint64_t base, uint64_t size_bytes);
void wl_unwritten_free(struct wl_unwritten *self);
/* A new allocation: nobody has written it. Kernels may run that do not know it. */
void wl_unwritten_add(struct wl_unwritten *self, uint64_t start, uint64_t bytes);
/* Written, from any thread. */
void wl_unwritten_remove(struct wl_unwritten *self, uint64_t start, uint64_t bytes);
/* True if none of the bytes was written. */
bool wl_unwritten_has(const struct wl_unwritten *self, uint64_t start, uint64_t bytes);
/* The first bytes in a row, of [start, start + bytes), that nobody wrote: their number, and where
 * they begin; 0: all is written. */
uint64_t wl_unwritten_find(const struct wl_unwritten *self, uint64_t start, uint64_t bytes,
                           uint64_t *found);
/* [to, to + bytes) was copied from there, and is unwritten where that is; all is written that comes
 * from other memory. The two do not overlap. */
void wl_unwritten_copy(struct wl_unwritten *self, uint64_t to, uint64_t from, uint64_t bytes);

#endif
