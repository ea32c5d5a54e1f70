/* The host's clocks, in nanoseconds. */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic, for durations; its origin is arbitrary. */
uint64_t wl_clock_monotonic_ns(void);
/* Wall-clock time since the epoch (1970). */
uint64_t wl_clock_realtime_ns(void);
/* The wall-clock time in so many seconds, for pthread_mutex_timedlock. */
struct timespec wl_clock_deadline(int seconds);

#endif
