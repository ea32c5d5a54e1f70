/* Streams and events. Launches run to their end before the call returns, so that streams are in
 * order by themselves and events are complete when recorded, but for what is done beside the host
 * (core/beside.h); their times are those of the simulated clock (stream/timeline.h). */
#ifndef WL_DEVICE_STREAM_STREAM_H
#define WL_DEVICE_STREAM_STREAM_H

#include "base/export.h"
#include "device/core/core.h"

/* Handles 0 (default), 1 (legacy) and 2 (per thread) need no creation. */
WL_EXPORT int wl_device_stream_create(uint32_t flags, int priority, void **stream);
WL_EXPORT int wl_device_stream_destroy(void *stream);
struct wl_device_stream_info {
    uint32_t id, flags;
    int priority;
};
/* WL_DEVICE_INVALID_HANDLE if there is no such stream. */
WL_EXPORT int wl_device_stream_query(void *stream, struct wl_device_stream_info *info);

/* The device that it was made on; of a default stream, this thread's. */
WL_EXPORT int wl_device_stream_device(void *stream);

/* The host waits: the simulated clock advances to the end of the stream's work, of the event, of
 * all work of this thread's device. */
WL_EXPORT int wl_device_stream_wait(void *stream);
WL_EXPORT int wl_device_event_wait(void *event);
WL_EXPORT int wl_device_wait(void);
/* The same, or WL_DEVICE_NOT_READY at once where the work is not done yet. */
WL_EXPORT int wl_device_stream_poll(void *stream);
WL_EXPORT int wl_device_event_poll(void *event);

/* Events hold times of the simulated clock (device/core/clock.h). */
WL_EXPORT int wl_device_event_create(uint32_t flags, void **event);
WL_EXPORT int wl_device_event_destroy(void *event);
/* Whether or not the stream is captured. */
int wl_device_event_record_now(void *event, void *stream);
WL_EXPORT int wl_device_event_query(void *event); /* whether there is such an event */
/* The stream's further work begins after the event, whether or not it is captured. */
int wl_device_event_hold_now(void *event, void *stream);
/* WL_DEVICE_NOT_READY for an event whose record is still to be done. Never 0 between two records.
 * WL_DEVICE_INVALID_HANDLE for an event that was not recorded or has timing disabled (flag 2). */
WL_EXPORT int wl_device_event_elapsed(void *start, void *end, float *elapsed_ms);

#endif
