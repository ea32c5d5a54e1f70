/* A prediction under Nsight Compute's metric names. */
#ifndef WL_TIMING_VALUES_H
#define WL_TIMING_VALUES_H

#include "timing/timing.h"

struct wl_timing_value {
    const char *name; /* static */
    double value;
};

enum { WL_TIMING_VALUES_MOST = 128 };

/* Fills values (room for WL_TIMING_VALUES_MOST); returns how many. */
size_t wl_timing_values(const struct wl_timing_input *input, const struct wl_timing *timing,
                        struct wl_timing_value *values);

#endif
