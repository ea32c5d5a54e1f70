/* Ticks to nanoseconds since 1970. The clock is read against CLOCK_MONOTONIC every so often;
 * between two readings the rate is taken as even. CLOCK_REALTIME is asked once: events stay in
 * order where somebody moves it. Not thread-safe. */
#ifndef WL_TRACE_CLOCK_H
#define WL_TRACE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct wl_trace_reading {
    uint64_t ticks, monotonic_ns;
};

enum { WL_TRACE_READINGS_MAX = 1024 };

struct wl_trace_clock {
    uint64_t epoch_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the start */
    int64_t jump_ns;   /* how far CLOCK_REALTIME has left that since */
    struct wl_trace_reading readings[WL_TRACE_READINGS_MAX];
    size_t count;
};

void wl_trace_clock_start(struct wl_trace_clock *clock);
void wl_trace_clock_read(struct wl_trace_clock *clock);
/* Adds a reading; what wl_trace_clock_read does with the clocks of the machine. */
void wl_trace_clock_add(struct wl_trace_clock *clock, struct wl_trace_reading reading);
uint64_t wl_trace_clock_ns(const struct wl_trace_clock *clock, uint64_t ticks);

#endif
