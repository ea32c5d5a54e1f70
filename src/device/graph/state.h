/* What the files about graphs share. One lock guards all graphs; it is taken before wl_device.lock
 * and never held while an operation runs. Functions here expect it held. */
#ifndef WL_DEVICE_GRAPH_STATE_H
#define WL_DEVICE_GRAPH_STATE_H

#include <pthread.h>
#include <uthash.h>

#include "device/graph/graph.h"

struct wl_device_nodes {
    struct wl_device_node **items;
    size_t count, capacity;
};

struct wl_device_node {
    struct wl_device_graph *graph;
    struct wl_device_operation operation;
    struct wl_device_nodes dependencies;
    const struct wl_device_node *origin; /* what it is a copy of, or NULL */
    uint64_t number;                     /* unique in the process */
    uint64_t end_ns;                     /* of its last run, on the simulated clock */
    bool is_enabled, is_done;
};

struct wl_device_graph {
    struct wl_device_graph *key; /* itself */
    uint64_t number;
    struct wl_device_nodes nodes; /* in the order they were added */
    UT_hash_handle hh;
};

/* Where a captured stream stands, or stood when an event was recorded. */
struct wl_device_capture_point {
    struct wl_device_graph *graph; /* NULL: not in capture */
    uint64_t id;
    struct wl_device_nodes nodes; /* what comes next depends on these */
    bool is_stream, is_origin, is_invalid;
    bool is_published;                /* the program had the graph before */
    enum wl_device_capture_mode mode; /* of the origin */
    pthread_t thread;                 /* that began the capture */
};

void wl_device_graph_lock(void);
void wl_device_graph_unlock(void);

struct wl_device_graph *wl_device_graph_make(void);
void wl_device_graph_free(struct wl_device_graph *graph);
/* Makes the graph one of the program's. */
void wl_device_graph_publish(struct wl_device_graph *graph);
bool wl_device_graph_is_known(const struct wl_device_graph *graph);
/* Deep; NULL if a kernel's arguments cannot be copied. */
struct wl_device_graph *wl_device_graph_copy(const struct wl_device_graph *graph);
/* Whether the node is in the graph or in a child of it. */
bool wl_device_graph_has(const struct wl_device_graph *graph, const struct wl_device_node *node);
bool wl_device_node_is_known(const struct wl_device_node *node);
int wl_device_graph_append(struct wl_device_graph *graph,
                           struct wl_device_node *const *dependencies, size_t count,
                           const struct wl_device_operation *operation,
                           struct wl_device_node **node);
int wl_device_node_replace(struct wl_device_node *node,
                           const struct wl_device_operation *operation);

/* A node that allocates the memory came, or went. */
void wl_device_graph_memory_hold(void *address, size_t size_bytes);
void wl_device_graph_memory_release(void *address);

/* Not in capture. */
int wl_device_operation_run(struct wl_device_operation *operation, void *stream);

/* The point of a stream or event; NULL if it is none. Takes wl_device.lock. */
struct wl_device_capture_point *wl_device_handles_point(void *handle, bool is_event);
void wl_device_handles_each_point(void (*function)(struct wl_device_capture_point *point,
                                                   void *self),
                                  void *self);

#endif
