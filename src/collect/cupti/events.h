/* What the driver and CUPTI tell the collector, call by call. */
#ifndef WL_COLLECT_CUPTI_EVENTS_H
#define WL_COLLECT_CUPTI_EVENTS_H

#include "hardware/library.h"

struct wl_cupti_collector;

/* Under the session's lock, as CUPTI's callbacks have it. */
void wl_cupti_event(void *collector, int domain, uint32_t call, const void *data);

/* So many launches alike are recorded. */
uint64_t wl_cupti_events_most_recorded(const struct wl_cupti_collector *collector);

/* The rest without any lock. */

/* Whether launches are counted one after another: another thread's launch between the beginning and
 * the end of one would be taken for it. */
bool wl_cupti_events_are_serial(const void *collector);
/* Whether a call launches kernels. */
bool wl_cupti_event_is_launch(uint32_t call);
/* True if a launch has been recorded often enough and is only counted, or its call ends: then it
 * need not be told. */
bool wl_cupti_event_is_passed(void *collector, uint32_t call, const struct wl_cupti_api_data *data);
/* Whether it is a call, but for launches, before which launches to be replayed must have
 * run. */
bool wl_cupti_event_ends_batch(const void *collector, int domain, const void *data);

/* Reads the samples that have come, where launches are sampled without being delayed, under the
 * lock. Takes milliseconds; what is not read for too long is dropped. Gives their number. */
uint64_t wl_cupti_events_gather(void *collector);

#endif
