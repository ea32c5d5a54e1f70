/* What nodes of graphs are in both APIs: parameters of the same layout (their names are those of
 * the runtime API and of the driver API), and what is read from them. */
#ifndef WL_DEVICE_GRAPH_NODES_H
#define WL_DEVICE_GRAPH_NODES_H

#include "device/graph/graph.h"

struct wl_device_fill_parameters { /* cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS */
    void *to;
    size_t pitch_bytes;
    unsigned value, value_bytes;
    size_t width, height;
};

struct wl_device_host_parameters { /* cudaHostNodeParams, CUDA_HOST_NODE_PARAMS */
    void (*function)(void *);
    void *data;
};

struct wl_device_allocate_parameters { /* cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS */
    char pool[88];
    const void *accesses;
    size_t access_count, size_bytes;
    void *address;
};

/* From what a program gave (NULL: WL_DEVICE_INVALID_VALUE) to an operation. */
WL_EXPORT int wl_device_node_read_fill(const struct wl_device_fill_parameters *from,
                                       struct wl_device_operation *to);
WL_EXPORT int wl_device_node_read_host(const struct wl_device_host_parameters *from,
                                       struct wl_device_operation *to);
/* Allocates the memory now: its address is needed at once, and is stored in from. */
WL_EXPORT int wl_device_node_read_allocate(struct wl_device_allocate_parameters *from,
                                           struct wl_device_operation *to);

/* Adds a node, where the code of reading its parameters is WL_DEVICE_OK; node must not be NULL. */
WL_EXPORT int wl_device_node_add(struct wl_device_node **node, struct wl_device_graph *graph,
                                 struct wl_device_node *const *dependencies, size_t count, int code,
                                 const struct wl_device_operation *operation);

/* What a node of that kind does. WL_DEVICE_INVALID_VALUE: it is of another kind. */
WL_EXPORT int wl_device_node_get_kind(const struct wl_device_node *node,
                                      enum wl_device_operation_kind kind,
                                      const struct wl_device_operation **operation);
/* The same in the API's form; WL_DEVICE_INVALID_VALUE also where to is NULL. */
WL_EXPORT int wl_device_node_get_fill(const struct wl_device_node *node,
                                      struct wl_device_fill_parameters *to);
WL_EXPORT int wl_device_node_get_host(const struct wl_device_node *node,
                                      struct wl_device_host_parameters *to);
WL_EXPORT int wl_device_node_get_allocate(const struct wl_device_node *node,
                                          struct wl_device_allocate_parameters *to);
WL_EXPORT int wl_device_node_get_graph(const struct wl_device_node *node,
                                       struct wl_device_graph **child);
WL_EXPORT int wl_device_node_get_event(const struct wl_device_node *node,
                                       enum wl_device_operation_kind kind, void **event);
WL_EXPORT int wl_device_node_get_freed(const struct wl_device_node *node, void **address);

#endif
