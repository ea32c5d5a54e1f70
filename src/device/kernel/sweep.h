/* What a launch would take in blocks of other sizes. Internal to device/. */
#ifndef WL_DEVICE_KERNEL_SWEEP_H
#define WL_DEVICE_KERNEL_SWEEP_H

#include "sim/sim.h"
#include "timing/timing.h"

enum { WL_DEVICE_SWEEP_MOST = 5 }; /* values that it adds */

/* Adds whatif__block-N__duration.ns for each size N that makes as many threads, where the kernel's
 * threads are numbered through: warps then do the same, so that what was recorded is replayed in
 * other blocks. Returns why there are none, NULL otherwise; the text lives on. */
const char *wl_device_sweep(const struct wl_sim_launch *launch, const struct wl_timing_input *input,
                            struct wl_sim_counts *counts);

#endif
