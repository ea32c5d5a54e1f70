/* Records what the watched program does on a timeline, on the simulated clock: calls (through the
 * trampolines of the API libraries), what the simulated GPU does for them, NVTX ranges. */
#ifndef WL_INJECT_TRACE_H
#define WL_INJECT_TRACE_H

#include "collect/record.h"
#include "collect/settings.h"
#include "device/observer.h"

/* Has use called with the stream of this process, which is opened if it is not; not at all where
 * nothing can be recorded. use must not record events. */
typedef void wl_inject_use_stream(void (*use)(const struct wl_sink *sink, void *argument),
                                  void *argument);

/* Begins as settings say. Errors: WL_ERR_USAGE, where they ask for what there is not. */
enum wl_code wl_inject_trace_start(const struct wl_settings *settings,
                                   wl_inject_use_stream *use_stream, struct wl_error *error);
void wl_inject_trace_activity(const struct wl_device_activity *activity);
/* cudaProfilerStart and cudaProfilerStop. */
void wl_inject_trace_switch(bool is_active);
/* All that was recorded goes into the stream, and how the recording fared. */
void wl_inject_trace_end(void);
/* In a forked child: recording goes on, with nothing of the parent's. */
void wl_inject_trace_after_fork(void);

#endif
