/* The simulated clock: one for host and device, in nanoseconds since 1970. It runs with the host's
 * monotonic clock, but stands still while any thread is inside the device layer, so that what the
 * simulation takes is not on it. Instead a call takes what the GPU's file says that it costs the
 * host, and where the host waits for work of the device, the clock advances to its end.
 * docs/using/simulated-runtime.md has the rules. */
#ifndef WL_DEVICE_CORE_CLOCK_H
#define WL_DEVICE_CORE_CLOCK_H

#include <stdint.h>

/* Now, as the program's host side sees it. From any thread, without a lock; about 30 ns. Never goes
 * back. */
uint64_t wl_device_clock_now(void);

/* While held the clock stands still; may be nested and held by several threads. */
void wl_device_clock_hold(void);
void wl_device_clock_release(void);

/* In a forked child, whose other threads are gone. */
void wl_device_clock_after_fork(void);

/* Advances to the time, unless it is past; by the length. */
void wl_device_clock_reach(uint64_t time_ns);
void wl_device_clock_spend(uint64_t length_ns);

#endif
