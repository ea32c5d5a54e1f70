/* When events are recorded, and where they go: the stream of this process. For the simulated GPU
 * and for real ones alike. */
#ifndef WL_COLLECT_RECORDING_H
#define WL_COLLECT_RECORDING_H

#include "record/record.h"
#include "record/settings.h"

/* Has use called with the stream of this process, which is opened if it is not; not at all where
 * nothing can be recorded. use must not record events. */
typedef void wl_recording_use_stream(void (*use)(const struct wl_sink *sink, void *argument),
                                     void *argument);

/* Begins as settings say, which outlive it. now_ns: the simulated clock, or NULL. Errors:
 * WL_ERR_USAGE, where they ask for something unavailable. */
enum wl_code wl_recording_start(const struct wl_settings *settings,
                                wl_recording_use_stream *use_stream, uint64_t (*now_ns)(void),
                                struct wl_error *error);
/* Has flush called before recording is paused or goes on: it records what comes late and was
 * before. */
void wl_recording_set_flush(void (*flush)(void));
/* cudaProfilerStart and cudaProfilerStop. */
void wl_recording_switch(bool is_active);
/* After each kernel: recording may be limited to a number of kernels. */
void wl_recording_count_kernel(void);
/* All that was recorded goes into the stream, and how the recording fared. dropped: events that did
 * not even come to be recorded. */
void wl_recording_end(uint64_t dropped);
/* In a forked child: recording continues, without the parent's events. */
void wl_recording_after_fork(void);

#endif
