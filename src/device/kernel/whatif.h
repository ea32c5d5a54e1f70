/* What a launch would take without each of its causes of delay. Internal to device/. */
#ifndef WL_DEVICE_KERNEL_WHATIF_H
#define WL_DEVICE_KERNEL_WHATIF_H

#include "device/kernel/sweep.h"
#include "sim/sim.h"
#include "timing/timing.h"

enum {
    WL_DEVICE_WHATIF_MOST = 32 + WL_DEVICE_SWEEP_MOST + WL_TIMING_SETS_MOST
}; /* values that it adds */

struct wl_device_kernel;
struct wl_device_whatif_row; /* what a launch of some shape had */

void wl_device_whatif_forget(struct wl_device_whatif_row *rows);

/* Adds whatif__CAUSE__duration.ns, none of which is longer than the launch: the replay of a piece
 * of the trace without the cause, as part of that of the same piece with it. Where what-if was
 * asked for the piece is long, and the four causes that cost most are taken away together, too, in
 * every choice of them; else it is short, they are three, launches of a kernel that have the same
 * shape and about the same duration share one replay, and there is none once replays have taken
 * long. Returns seconds that a usual host took. */
double wl_device_whatif(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                        const struct wl_timing_input *input, double duration_ns,
                        struct wl_sim_counts *counts);

#endif
