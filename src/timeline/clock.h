/* Ticks to nanoseconds since 1970. The clock is read against CLOCK_MONOTONIC every so often;
 * between two readings the rate is taken as even. CLOCK_REALTIME is asked once: events stay in
 * order where somebody moves it. Not thread-safe. */
#ifndef WL_TIMELINE_CLOCK_H
#define WL_TIMELINE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct wl_timeline_reading {
    uint64_t ticks, monotonic_ns;
};

enum { WL_TIMELINE_READINGS_MAX = 1024 };

struct wl_timeline_clock {
    uint64_t epoch_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the start */
    int64_t jump_ns;   /* how far CLOCK_REALTIME has left that since */
    struct wl_timeline_reading readings[WL_TIMELINE_READINGS_MAX];
    size_t count;
};

void wl_timeline_clock_start(struct wl_timeline_clock *clock);
void wl_timeline_clock_read(struct wl_timeline_clock *clock);
/* Adds a reading; what wl_timeline_clock_read does with the clocks of the machine. */
void wl_timeline_clock_add(struct wl_timeline_clock *clock, struct wl_timeline_reading reading);
uint64_t wl_timeline_clock_ns(const struct wl_timeline_clock *clock, uint64_t ticks);

#endif
