/* The host's clocks, in nanoseconds. */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* For lengths of time; since some moment before the program. */
uint64_t wl_clock_monotonic_ns(void);
/* Since 1970. */
uint64_t wl_clock_realtime_ns(void);
/* The moment so many seconds from now, for pthread_mutex_timedlock. */
struct timespec wl_clock_deadline(int seconds);

#endif
