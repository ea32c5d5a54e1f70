/* The host's clocks, in nanoseconds. */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include <stdint.h>

uint64_t
wl_clock_monotonic_ns(void);         /* for lengths of time; since some moment before the program */
uint64_t wl_clock_realtime_ns(void); /* since 1970 */

#endif
