/* What the files about graphs share. Internal to device/graph/; expects the lock (core/state.h),
 * but for wl_device_operation_run. */
#ifndef WL_DEVICE_GRAPH_STATE_H
#define WL_DEVICE_GRAPH_STATE_H

#include "device/core/handles.h"
#include "device/core/state.h"
#include "device/graph/graph.h"
#include "device/stream/state.h"

struct wl_device_node {
    struct wl_device_graph *graph;
    struct wl_device_operation operation;
    struct wl_device_nodes dependencies;
    const struct wl_device_node *origin; /* what it is a copy of, or NULL */
    uint64_t number;                     /* unique in the process */
    uint64_t end_ns;                     /* of its last run, on the simulated clock */
    bool is_enabled, is_done;
    struct wl_device_attribute_value *attributes; /* graph/attributes.c; NULL: none was set */
};

struct wl_device_condition;
struct wl_device_conditions {
    WL_VECTOR_FIELDS(struct wl_device_condition *);
};

/* What a graph holds of an object of the program (graph/objects.h). */
struct wl_device_holding {
    struct wl_device_object *object;
    uint64_t references;
};
struct wl_device_holdings {
    WL_VECTOR_FIELDS(struct wl_device_holding);
};

struct wl_device_graph {
    uint64_t number;
    struct wl_device_nodes nodes; /* in the order they were added */
    struct wl_device_conditions conditions;
    struct wl_device_holdings objects;
    bool is_body; /* of a conditional node */
};

struct wl_device_graph *wl_device_graph_make(void);
void wl_device_graph_free(struct wl_device_graph *graph);
/* Makes the graph one of the program's. */
void wl_device_graph_publish(struct wl_device_graph *graph);
/* Whether it is one of the program's, or a child of one. */
bool wl_device_graph_is_known(const struct wl_device_graph *graph);
/* Whether the program can add to it: it knows it, or got it of a stream that is captured. */
bool wl_device_graph_is_open(const struct wl_device_graph *graph);
bool wl_device_capture_has(const struct wl_device_graph *graph);
bool wl_device_capture_has_node(const struct wl_device_node *node);
/* Deep; NULL if a kernel's arguments cannot be copied. */
struct wl_device_graph *wl_device_graph_copy(const struct wl_device_graph *graph);
/* A copy that shares nothing, kernels' arguments and child graphs included; and what frees it. */
int wl_device_operation_copy(const struct wl_device_operation *from,
                             struct wl_device_operation *to);
void wl_device_operation_free(struct wl_device_operation *operation);
/* The graphs that an operation may run, and how many they are. */
size_t wl_device_operation_graphs(const struct wl_device_operation *operation,
                                  struct wl_device_graph *const **graphs);
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

/* ---- objects of the program, attributes of kernels ---- */

void wl_device_objects_copy(struct wl_device_graph *to, const struct wl_device_graph *from);
/* The graph goes: it holds nothing any more. */
void wl_device_objects_leave(struct wl_device_graph *graph);
void wl_device_attributes_copy(struct wl_device_node *to, const struct wl_device_node *from);
/* Gives an operation, if it is a kernel, what attributes of the node say of its launch. */
void wl_device_attributes_keep(const struct wl_device_node *node,
                               struct wl_device_operation *operation);

/* ---- conditional nodes ---- */

bool wl_device_condition_is_valid(const struct wl_device_operation *operation);
/* Copies the bodies, or makes empty ones where there are none yet. */
int wl_device_condition_bodies(const struct wl_device_operation *from,
                               struct wl_device_operation *to);
bool wl_device_graph_has_conditions(const struct wl_device_graph *graph);
void wl_device_conditions_copy(struct wl_device_graph *to, const struct wl_device_graph *from);
void wl_device_conditions_release(struct wl_device_graph *graph);
/* At the beginning of a launch, of all graphs within, too. These two expect no lock. */
void wl_device_conditions_assign(const struct wl_device_graph *graph);
int wl_device_condition_run(const struct wl_device_operation *operation, void *stream,
                            int (*run)(const struct wl_device_graph *body, void *stream));

/* Whether or not the stream is captured. Takes the lock for each step; host functions run without.
 */
int wl_device_operation_run(struct wl_device_operation *operation, void *stream);

#endif
