/* A graph as a text that Graphviz draws. */
#ifndef WL_DEVICE_GRAPH_DOT_H
#define WL_DEVICE_GRAPH_DOT_H

#include "device/graph/graph.h"

/* flags: bits of cudaGraphDebugDotFlags, which say of what nodes parameters are written.
 * WL_DEVICE_OPERATING_SYSTEM where the file cannot be written. */
WL_EXPORT int wl_device_graph_dot(const struct wl_device_graph *graph, const char *path,
                                  unsigned flags);

#endif
