/* How the executor makes findings while a launch runs. Internal to sim/. */
#ifndef WL_SIM_FOUND_H
#define WL_SIM_FOUND_H

#include "sim/state.h"

/* Records what a lane of the warp did; block, thread, instruction and count are filled in. Stops
 * the launch where the options say so. */
void wl_found(struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
              struct wl_finding *finding);

/* The allocation nearest to an access that lies in none. */
struct wl_finding_place wl_found_place(const struct wl_run *run, uint64_t address, uint32_t bytes);

/* Lanes whose global access lies in no allocation: findings where their pages are mapped; else the
 * warp faults, and false is returned. */
bool wl_found_outside(struct wl_warp *warp, const struct wl_op *op, const uint64_t *address,
                      uint32_t bytes, enum wl_site_access access, uint32_t lanes);

/* Constants that lie in no variable: findings; hardware reads 0. */
void wl_found_no_constant(struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes);

/* As wl_found_outside for local memory: offsets beyond the thread's. */
bool wl_found_beyond_local(struct wl_warp *warp, const struct wl_op *op, const uint64_t *offset,
                           uint32_t bytes, enum wl_site_access access, uint32_t lanes);

#endif
