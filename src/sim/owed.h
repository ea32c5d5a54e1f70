/* Lanes that a collective's mask names and that are still to come: they owe it. A lane may come
 * later and from another place of the program, as on GPUs whose lanes go their own ways; it must
 * come before it ends, waits at a block barrier, or meets in another collective with lanes that
 * wait for it. Internal to sim/. */
#ifndef WL_SIM_OWED_H
#define WL_SIM_OWED_H

#include "sim/state.h"

struct wl_owed;

/* What a block of the run needs of memory, aligned to 8 bytes; none where its checks do not ask. */
size_t wl_owed_bytes(const struct wl_run *run);
/* For a block that starts, of so many warps: in so much memory, which is the caller's. */
void wl_owed_begin(struct wl_owed *owed, uint32_t warp_count);

/* Lanes of the warp are at a collective, all with this mask. waiting: lanes that are elsewhere and
 * may come. Makes findings of what can no longer be paid. */
void wl_owed_meet(struct wl_warp *warp, const struct wl_op *op, uint32_t lanes, uint32_t mask,
                  uint32_t waiting);
/* Lanes that were there before, if a lane comes to what it owes; else none. */
uint32_t wl_owed_partners(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                          uint32_t mask);
/* Whether any lane of the warp owes something. */
bool wl_owed_any(const struct wl_warp *warp);
/* The lanes end, or wait at a barrier for all others: findings of what they owe. */
void wl_owed_settle(struct wl_warp *warp, uint32_t lanes);

#endif
