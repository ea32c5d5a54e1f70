/* Reads of shared memory by several instructions of a warp between which it does nothing else that
 * is checked, where all lanes' addresses are known to lie to a few others: what wl_shadow_read does
 * with one after the other. Internal to sim/. */
#ifndef WL_SIM_SHADOW_ROWS_H
#define WL_SIM_SHADOW_ROWS_H

#include "sim/shadow.h"

#define WL_SHADOW_BASES 8 /* that addresses lie to, at most */

struct wl_shadow_reads;

struct wl_shadow_reads *wl_shadow_reads_create(void);
void wl_shadow_reads_free(struct wl_shadow_reads *self);
/* A plain read of a word by all lanes, in the order of the program: at near, of each lane, and
 * offset from the base on. */
void wl_shadow_reads_add(struct wl_shadow_reads *self, uint32_t base, const struct wl_op *op,
                         int32_t offset, const uint32_t near[WL_LANES]);
/* After the last was added. False: it is too much. */
bool wl_shadow_reads_finish(struct wl_shadow_reads *self);
/* Where what is read from the base on, which is at that offset, begins and ends. False: nothing is.
 */
bool wl_shadow_reads_extent(const struct wl_shadow_reads *self, uint32_t base, uint32_t offset,
                            int64_t *start, int64_t *end);
/* Does all reads; base: offsets in shared memory. False: some may make findings, or cannot be done
 * so; nothing was done. */
bool wl_shadow_read_all(struct wl_warp *warp, const struct wl_shadow_reads *reads,
                        const uint32_t *base);

#endif
