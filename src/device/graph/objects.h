/* Objects of the program that graphs keep alive: counted, and given to a function of the program
 * when the last reference is gone. Clones, child graphs and executable graphs of a graph hold the
 * objects that it held when they were made; an executable graph that is updated, those of the new
 * graph. */
#ifndef WL_DEVICE_GRAPH_OBJECTS_H
#define WL_DEVICE_GRAPH_OBJECTS_H

#include "device/graph/graph.h"

struct wl_device_object;

/* Counts are from 1 to INT_MAX, and of those that the program, or the graph, has.
 *
 * references: of the caller; flags: 1, as the program's function is not waited for.
 * WL_DEVICE_INVALID_VALUE where an argument is none of these, or an object is not known. */
WL_EXPORT int wl_device_object_create(void *data, void (*destroy)(void *), unsigned references,
                                      unsigned flags, struct wl_device_object **object);
WL_EXPORT int wl_device_object_retain(struct wl_device_object *object, unsigned count);
WL_EXPORT int wl_device_object_release(struct wl_device_object *object, unsigned count);
/* The graph takes references of its own, or (flags 1) the caller's; it gives up as many as it has.
 */
WL_EXPORT int wl_device_graph_retain_object(struct wl_device_graph *graph,
                                            struct wl_device_object *object, unsigned count,
                                            unsigned flags);
WL_EXPORT int wl_device_graph_release_object(struct wl_device_graph *graph,
                                             struct wl_device_object *object, unsigned count);

/* Without the lock: calls the program's functions for the objects that nobody holds any more, when
 * the work of graphs that held them is done. */
void wl_device_objects_bury(void);

#endif
