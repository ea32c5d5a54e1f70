/* What the simulated GPU does, as events of a trace. */
#ifndef WL_INJECT_TRACE_H
#define WL_INJECT_TRACE_H

#include "device/observer.h"

void wl_inject_trace_activity(const struct wl_device_activity *activity);
/* One at a time. */
void wl_inject_trace_memory(const struct wl_device_memory_change *change);

#endif
