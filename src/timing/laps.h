/* Loops over the lanes of a warp that stand behind one operation: copies in bulk, and sums of
 * floats in shared memory. Internal to timing/. */
#ifndef WL_TIMING_LAPS_H
#define WL_TIMING_LAPS_H

#include "timing/engine_state.h"

/* How many instructions the loop of the operation has, and how far they are apart. */
void laps_begin(struct warp *warp, const struct timing_op *op, uint64_t now);

#endif
