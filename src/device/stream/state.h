/* Streams and events, for the other parts of the device layer. Internal to device/; expects the
 * lock (core/state.h). */
#ifndef WL_DEVICE_STREAM_STATE_H
#define WL_DEVICE_STREAM_STATE_H

#include <pthread.h>

#include "base/memory.h"
#include "device/core/state.h"
#include "device/stream/stream.h"
#include "device/stream/timeline.h"

extern const struct wl_device_part wl_device_stream_part;

int wl_device_stream_find(void *stream, struct wl_device_stream_info *info);
/* Its place on the timeline, of a stream that there is; NULL for the default streams. */
struct wl_device_queue *wl_device_stream_queue(void *stream, uint32_t *device);

/* Within what streams can have. */
int wl_device_stream_clamp_priority(int priority);
/* Not of a default stream. */
void wl_device_stream_set_priority(void *stream, int priority);
/* The stream goes, of which another may get the address. */
void wl_device_stream_forget_attributes(void *stream);
void wl_device_stream_forget_all_attributes(void);

/* So many more, or fewer, tasks beside the host are of the stream, or will record the event.
 * Unknown handles and default streams do not matter. */
void wl_device_stream_expect(void *stream, int change);
void wl_device_event_expect(void *event, int change);

struct wl_device_graph;
struct wl_device_node;
struct wl_device_nodes {
    WL_VECTOR_FIELDS(struct wl_device_node *);
};

/* Where a captured stream stands, or stood when an event was recorded. Streams and events only hold
 * it; it is the concern of graph/capture.c. */
struct wl_device_capture_point {
    struct wl_device_graph *graph; /* NULL: not in capture */
    uint64_t id;
    struct wl_device_nodes nodes; /* what comes next depends on these */
    bool is_stream, is_origin, is_invalid;
    bool is_published; /* the program had the graph before */
    int mode;          /* of the origin: enum wl_device_capture_mode */
    pthread_t thread;  /* that began the capture */
};

/* The point of a stream or event; NULL if there is no such one. Valid as long as that. */
struct wl_device_capture_point *wl_device_stream_point(void *stream);
struct wl_device_capture_point *wl_device_event_point(void *event);
/* Of all streams, then of all events. */
void wl_device_each_point(void (*function)(struct wl_device_capture_point *point, void *self),
                          void *self);

#endif
