/* The collector of the simulated GPU: turns what the device layer tells an observer into records.
 */
#ifndef WL_COLLECT_SIM_COLLECTOR_H
#define WL_COLLECT_SIM_COLLECTOR_H

#include "collect/collector.h"
#include "device/core/observer.h"

extern const struct wl_collector wl_sim_collector;

/* What to give to wl_device_configure. self as wl_sim_collector.start made it; the observer lives
 * as long as it does. Its functions are not thread-safe: the caller locks. progress is NULL. */
const struct wl_device_observer *wl_sim_collector_observer(void *self);
/* Puts what the GPU is into the stream, once, as the first launch that is counted does. */
void wl_sim_collector_put_device(void *self);

#endif
