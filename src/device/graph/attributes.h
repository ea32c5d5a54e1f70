/* Attributes of kernel nodes, by the numbers and in the form that launches have them in
 * (cudaLaunchAttributeID, cudaLaunchAttributeValue). A node keeps them when its parameters change.
 */
#ifndef WL_DEVICE_GRAPH_ATTRIBUTES_H
#define WL_DEVICE_GRAPH_ATTRIBUTES_H

#include "device/graph/graph.h"

enum { WL_DEVICE_ATTRIBUTE_BYTES = 64 };

/* WL_DEVICE_INVALID_VALUE where it is no kernel's node, or kernel nodes have no such attribute. */
WL_EXPORT int wl_device_node_get_attribute(const struct wl_device_node *node, int attribute,
                                           void *value);
WL_EXPORT int wl_device_node_set_attribute(struct wl_device_node *node, int attribute,
                                           const void *value);
WL_EXPORT int wl_device_node_copy_attributes(struct wl_device_node *to,
                                             const struct wl_device_node *from);

#endif
