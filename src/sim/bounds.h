/* Whether accesses of shared memory stay in an array. Internal to sim/. */
#ifndef WL_SIM_BOUNDS_H
#define WL_SIM_BOUNDS_H

#include "sim/state.h"

/* Reports those of the lanes that touch a gap between arrays, or two arrays at once, with so many
 * bytes each; offset: of each lane. What is beyond the block's memory is a fault of its own. */
void wl_bounds_check_shared(struct wl_warp *warp, const struct wl_op *op,
                            const uint32_t offset[WL_LANES], uint32_t lanes, uint32_t bytes,
                            enum wl_site_access kind);
/* Accesses of so many bytes are in the array that the site's last one was in, with nothing to
 * report, if they begin at start or at most so far behind it as is returned. */
uint32_t wl_bounds_room(const struct wl_warp *warp, const struct wl_op *op, uint32_t bytes,
                        uint32_t *start);
/* Whether [start, end) of shared memory is in one array. */
bool wl_bounds_hold(const struct wl_run *run, int64_t start, int64_t end);

#endif
