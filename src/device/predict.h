/* Predicts the time of a launch that was counted. Internal to device/. */
#ifndef WL_DEVICE_PREDICT_H
#define WL_DEVICE_PREDICT_H

#include "sim/sim.h"
#include "warp/trace.h"

struct wl_device_kernel;

/* How much of a launch to record, given what predictions have cost so far beside counting. */
size_t wl_device_trace_words(void);

/* Of a launch; there is room. */
void wl_device_add_value(struct wl_sim_counts *counts, double number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the prediction to counts: values, or why there are none; per-instruction cycles. Returns how
 * long the launch takes, in nanoseconds; 0: not predicted. */
uint64_t wl_device_predict(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                           const struct wl_trace *trace, struct wl_sim_counts *counts);

#endif
