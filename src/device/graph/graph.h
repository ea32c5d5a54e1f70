/* Work on streams as operations, and graphs of operations: built node by node or by capturing a
 * stream, instantiated, updated, replayed. A graph that runs does its operations one after another,
 * each after those it depends on, in the order they were added.
 *
 * Handles are checked by address: an unknown graph, node or executable graph is
 * WL_DEVICE_INVALID_VALUE. */
#ifndef WL_DEVICE_GRAPH_GRAPH_H
#define WL_DEVICE_GRAPH_GRAPH_H

#include "device/graph/submit.h"
#include "device/memory/memory.h"

enum wl_device_operation_kind { /* numbers of cudaGraphNodeType */
                                WL_DEVICE_OPERATION_KERNEL = 0,
                                WL_DEVICE_OPERATION_COPY = 1,
                                WL_DEVICE_OPERATION_FILL = 2,
                                WL_DEVICE_OPERATION_HOST = 3,
                                WL_DEVICE_OPERATION_GRAPH = 4,
                                WL_DEVICE_OPERATION_EMPTY = 5,
                                WL_DEVICE_OPERATION_WAIT_EVENT = 6,
                                WL_DEVICE_OPERATION_RECORD_EVENT = 7,
                                WL_DEVICE_OPERATION_ALLOCATE = 10,
                                WL_DEVICE_OPERATION_FREE = 11,
                                WL_DEVICE_OPERATION_CONDITION = 13,
};

struct wl_device_graph;
struct wl_device_node;
struct wl_device_executable;
struct wl_device_pool; /* memory/pool.h */

struct wl_device_fill {
    void *to;
    uint32_t value;
    size_t value_bytes, width, height, pitch_bytes; /* as wl_device_memory_fill */
};

struct wl_device_operation {
    enum wl_device_operation_kind kind;
    union {
        struct wl_device_request kernel; /* its stream is that of the operation */
        struct wl_device_copy copy;
        struct wl_device_fill fill;
        struct {
            void (*function)(void *);
            void *data;
            bool takes_no_time; /* a library of ours is not the program's function */
        } host;
        struct wl_device_graph *graph;
        void *event;
        struct {
            void *address;
            size_t size_bytes;           /* of ALLOCATE */
            struct wl_device_pool *pool; /* of ALLOCATE; NULL: that of the device */
        } memory;
        struct {
            uint64_t handle;
            int type; /* number of cudaGraphConditionalNodeType */
            unsigned count;
            struct wl_device_graph **bodies; /* made with the node */
        } condition;
    };
};

/* Runs the operation, or, where the stream is captured, adds it to the graph. ALLOCATE gives the
 * address in the operation either way. */
WL_EXPORT int wl_device_submit(struct wl_device_operation *operation, void *stream);

/* ---- graphs ---- */

WL_EXPORT int wl_device_graph_create(struct wl_device_graph **graph);
/* Not of a body of a conditional node or of a child, which go with their nodes. */
WL_EXPORT int wl_device_graph_destroy(struct wl_device_graph *graph);
/* WL_DEVICE_NOT_SUPPORTED, as on hardware: of graphs with conditional nodes, which cannot be
 * children either, and of which there is one executable graph at a time. */
WL_EXPORT int wl_device_graph_clone(const struct wl_device_graph *graph,
                                    struct wl_device_graph **clone);
/* Adds a node after those it depends on, which must be of the same graph. Arguments of kernels are
 * copied, as are child graphs. node may be NULL. */
int wl_device_graph_add(struct wl_device_graph *graph, struct wl_device_node *const *dependencies,
                        size_t count, const struct wl_device_operation *operation,
                        struct wl_device_node **node);
WL_EXPORT int wl_device_graph_connect(struct wl_device_graph *graph,
                                      struct wl_device_node *const *from,
                                      struct wl_device_node *const *to, size_t count, bool connect);
/* Nodes in the order they were added. Lists give up to *count items (items may be NULL) and leave
 * in *count how many there are, or were given. */
WL_EXPORT int wl_device_graph_nodes(const struct wl_device_graph *graph, bool only_roots,
                                    struct wl_device_node **nodes, size_t *count);
WL_EXPORT int wl_device_graph_edges(const struct wl_device_graph *graph,
                                    struct wl_device_node **from, struct wl_device_node **to,
                                    size_t *count);
WL_EXPORT int wl_device_node_neighbours(const struct wl_device_node *node, bool dependents,
                                        struct wl_device_node **nodes, size_t *count);
/* The copy of a node in a clone of its graph. */
WL_EXPORT int wl_device_node_find_in_clone(const struct wl_device_node *node,
                                           const struct wl_device_graph *clone,
                                           struct wl_device_node **found);
WL_EXPORT int wl_device_node_destroy(struct wl_device_node *node);
/* What the node does: points into the node. */
WL_EXPORT int wl_device_node_get(const struct wl_device_node *node,
                                 const struct wl_device_operation **operation);
/* The kind of a node stays. */
WL_EXPORT int wl_device_node_set(struct wl_device_node *node,
                                 const struct wl_device_operation *operation);

/* A condition of nodes of the graph, and of those in their graphs. flags: 1: it gets the initial
 * value whenever the graph is launched. */
WL_EXPORT int wl_device_condition_create(struct wl_device_graph *graph, uint32_t initial,
                                         unsigned flags, uint64_t *handle);

/* ---- executable graphs ---- */

/* WL_DEVICE_INVALID_VALUE if their dependencies have a cycle. */
WL_EXPORT int wl_device_graph_instantiate(const struct wl_device_graph *graph, uint64_t flags,
                                          struct wl_device_executable **executable);
WL_EXPORT int wl_device_executable_destroy(struct wl_device_executable *executable);
WL_EXPORT int wl_device_executable_flags(const struct wl_device_executable *executable,
                                         uint64_t *flags);
/* In a captured stream: adds the graph as a child. */
WL_EXPORT int wl_device_executable_launch(struct wl_device_executable *executable, void *stream);
/* Changes what stands for a node of the graph that was instantiated. */
WL_EXPORT int wl_device_executable_set(struct wl_device_executable *executable,
                                       const struct wl_device_node *node,
                                       const struct wl_device_operation *operation);
/* Gets (is_enabled >= 0: sets) whether the node does anything. */
WL_EXPORT int wl_device_executable_enable(struct wl_device_executable *executable,
                                          const struct wl_device_node *node, int is_enabled,
                                          unsigned *was);
/* Takes over what the nodes of a graph of the same shape do. reason: 0, or a number of
 * cudaGraphExecUpdateResult; node: where it differs. WL_DEVICE_GRAPH_UPDATE_FAILED. */
WL_EXPORT int wl_device_executable_update(struct wl_device_executable *executable,
                                          const struct wl_device_graph *graph, int *reason,
                                          struct wl_device_node **node);

/* ---- memory allocated by graphs ---- */

enum wl_device_graph_memory_amount { /* numbers of cudaGraphMemAttributeType */
                                     WL_DEVICE_GRAPH_MEMORY_USED,
                                     WL_DEVICE_GRAPH_MEMORY_USED_HIGH,
                                     WL_DEVICE_GRAPH_MEMORY_RESERVED,
                                     WL_DEVICE_GRAPH_MEMORY_RESERVED_HIGH,
                                     WL_DEVICE_GRAPH_MEMORY_COUNT,
};
WL_EXPORT int wl_device_graph_memory_amount(enum wl_device_graph_memory_amount amount,
                                            uint64_t *bytes);
WL_EXPORT int wl_device_graph_memory_reset_high(enum wl_device_graph_memory_amount amount);
/* false if the address is not such memory. Freeing it is saying that it is not used. */
WL_EXPORT bool wl_device_graph_memory_use(void *address, bool is_used);

/* ---- capture ---- */

enum wl_device_capture_status {
    WL_DEVICE_CAPTURE_NONE,
    WL_DEVICE_CAPTURE_ACTIVE,
    WL_DEVICE_CAPTURE_BROKEN,
};

enum wl_device_capture_mode { /* numbers of cudaStreamCaptureMode */
                              WL_DEVICE_CAPTURE_GLOBAL,
                              WL_DEVICE_CAPTURE_THREAD_LOCAL,
                              WL_DEVICE_CAPTURE_RELAXED,
};

/* graph: one to append to after the dependencies, or NULL for a new one. */
WL_EXPORT int wl_device_capture_begin(void *stream, enum wl_device_capture_mode mode,
                                      struct wl_device_graph *graph,
                                      struct wl_device_node *const *dependencies, size_t count);
/* Sets the calling thread's mode, and returns the previous one. */
WL_EXPORT int wl_device_capture_exchange_mode(int *mode);
WL_EXPORT int wl_device_capture_end(void *stream, struct wl_device_graph **graph);
struct wl_device_capture_info {
    enum wl_device_capture_status status;
    uint64_t id;
    struct wl_device_graph *graph;
    struct wl_device_node *const *dependencies; /* until the stream's next call */
    size_t dependency_count;
};
WL_EXPORT int wl_device_capture_query(void *stream, struct wl_device_capture_info *info);
/* Sets (or adds) what the next operation of the stream depends on. */
WL_EXPORT int wl_device_capture_depend(void *stream, struct wl_device_node *const *nodes,
                                       size_t count, bool add);
/* What calls return that captures do not allow; they invalidate the captures concerned, as on
 * hardware. Waiting for a stream: if it is captured, or is forbidden. */
WL_EXPORT int wl_device_capture_refuses(void *stream);
/* Waiting for an event (or only asking when it was): if it was recorded in a capture, or is
 * forbidden. */
WL_EXPORT int wl_device_capture_refuses_event(void *event, bool is_query);
/* What might wait for other streams, as allocating memory: while a capture of the calling thread,
 * or of any in global mode, is not relaxed. */
WL_EXPORT int wl_device_capture_forbids(void);
/* Waiting for everything: while anything is captured. */
WL_EXPORT int wl_device_capture_forbids_all(void);
/* Adds the operation if the stream is captured; code: how that went. */
bool wl_device_capture_takes(struct wl_device_operation *operation, void *stream, int *code);
/* Records the state of a captured stream; false if it is not captured. */
bool wl_device_capture_records(void *event, void *stream);
/* The stream continues after an event recorded in a capture, and joins the capture. */
WL_EXPORT int wl_device_capture_waits(void *stream, void *event);

#endif
