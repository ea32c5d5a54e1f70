/* Events of a trace from a real GPU: calls, kernels, copies and sets, as CUPTI's activity records
 * tell them. In place of the collector; one in a process. */
#ifndef WL_COLLECT_CUPTI_ACTIVITIES_H
#define WL_COLLECT_CUPTI_ACTIVITIES_H

#include "collect/recording.h"

/* Errors: WL_ERR_INPUT, WL_ERR_UNSUPPORTED, WL_ERR_USAGE. */
enum wl_code wl_cupti_trace_start(const struct wl_settings *settings,
                                  wl_recording_use_stream *use_stream, struct wl_error *error);
/* Takes what is left into the stream. */
void wl_cupti_trace_end(void);
/* In a forked child, where CUPTI does not work. */
void wl_cupti_trace_abandon(void);

#endif
