/* What programs submit to streams: done at once, or, where the stream is captured, added to the
 * graph, or, where work is done beside the host, to that work (core/beside.h). */
#ifndef WL_DEVICE_GRAPH_SUBMIT_H
#define WL_DEVICE_GRAPH_SUBMIT_H

#include "base/export.h"
#include "device/kernel/launch.h"
#include "device/texture/texture.h"

/* wl_device_launch_now. */
WL_EXPORT int wl_device_launch(const struct wl_device_request *request);
/* wl_device_event_record_now. */
WL_EXPORT int wl_device_event_record(void *event, void *stream);
/* wl_device_event_hold_now, of a stream that is not captured (graph/graph.h). */
WL_EXPORT int wl_device_event_hold(void *event, void *stream);
/* Copies bytes between memory and an array, along its rows from an element on. */
WL_EXPORT int wl_device_array_copy_bytes(struct wl_device_array *array, size_t x_bytes, size_t y,
                                         void *memory, size_t bytes, bool is_to_array,
                                         enum wl_device_direction direction, void *stream);

#endif
