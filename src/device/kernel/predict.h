/* Predicts the time of a launch that was counted. Internal to device/. */
#ifndef WL_DEVICE_KERNEL_PREDICT_H
#define WL_DEVICE_KERNEL_PREDICT_H

#include "sim/sim.h"
#include "warp/trace.h"

struct wl_device_kernel;

/* SMs whose blocks are recorded: the first one in full, the others to see how far SMs differ. */
enum { WL_DEVICE_TRACES = 3 };

/* Sets up traces of a launch of so many blocks, of a length that follows from what predictions have
 * cost so far beside counting; returns how many. Free each with wl_trace_free. */
uint32_t wl_device_traces_begin(uint64_t block_count, struct wl_trace traces[WL_DEVICE_TRACES]);

/* Of a launch; there is room. */
void wl_device_add_value(struct wl_sim_counts *counts, double number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All that is known of how long a launch takes whose time is that of a library's own kernels. */
void wl_device_add_library_time(double duration_ns, struct wl_sim_counts *counts);

/* alone: the block that goes on alone, if any (struct wl_sim_options). Adds the prediction to
 * counts: values, or why there are none; per-instruction cycles; where it is
 * wanted, and not only its length, what it would take without causes of delay. Returns how long
 * the launch takes, in nanoseconds; 0: not predicted. */
uint64_t wl_device_predict(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                           const struct wl_trace *traces, uint32_t trace_count,
                           const struct wl_trace *alone, bool is_wanted,
                           struct wl_sim_counts *counts);

#endif
