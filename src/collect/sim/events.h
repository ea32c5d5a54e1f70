/* What the simulated GPU does, as events of a trace. */
#ifndef WL_COLLECT_SIM_EVENTS_H
#define WL_COLLECT_SIM_EVENTS_H

#include "device/core/observer.h"

void wl_inject_trace_activity(const struct wl_device_activity *activity);
/* One at a time. */
void wl_inject_trace_memory(const struct wl_device_memory_change *change);

#endif
