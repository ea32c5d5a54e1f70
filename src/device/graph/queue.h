/* What programs ask for while work is done beside the host (core/beside.h). Internal to
 * device/graph/; expects no lock. */
#ifndef WL_DEVICE_GRAPH_QUEUE_H
#define WL_DEVICE_GRAPH_QUEUE_H

#include "device/graph/state.h"

/* Whether the operation was added to that work; then code is what the program gets. Not taken is
 * what the host waits for on hardware, too, which then waits in wl_device_enter. */
bool wl_device_queue_takes(const struct wl_device_operation *operation, void *stream, int *code);
/* The same for a node of a graph: all are taken, as who launches graphs waits for none. */
bool wl_device_queue_takes_node(const struct wl_device_operation *operation, void *stream,
                                int *code);

#endif
