/* Warps that have next to nothing to do beside the others of their block. Internal to timing/. */
#ifndef WL_TIMING_IDLE_H
#define WL_TIMING_IDLE_H

#include "timing/timing.h"

/* An input whose blocks are without such warps, as if they had been launched smaller. What it
 * points to belongs to the original, but for its trace. */
struct idle {
    struct wl_timing_input input;
    struct wl_trace trace;
};

void idle_leave_out(const struct wl_timing_input *input, struct idle *without);
void idle_free(struct idle *without);

#endif
