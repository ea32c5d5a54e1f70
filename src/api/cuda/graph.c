/* Graphs of the driver API: building, running, updating, capturing. Nodes are in graph_nodes.c. */
#include "api/cuda/driver.h"

#define WL_GRAPH(name) cuGraph##name
#define WL_STREAM(name) cuStream##name
#define WL_OBJECT(name) cuUserObject##name
#define WL_GRAPH_ENTER() wl_cuda_enter()
#define WL_GRAPH_DONE(code) wl_cuda_code(code)
#define WL_GRAPH_PER_THREAD(name, suffix) WL_CUDA_PER_THREAD(name, suffix)
#include "api/common/graph.def"

int cuGraphCreate(struct wl_device_graph **graph, unsigned flags)
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && (flags || !graph))
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_graph_create(graph);
}

/* The second variants have edge data, which describe programmatic launches; those order nodes no
 * less than plain edges, and none are given back. */
int cuGraphGetEdges(struct wl_device_graph *graph, struct wl_device_node **from,
                    struct wl_device_node **to, size_t *count)
{
    return wl_device_graph_edges(graph, from, to, count);
}

int cuGraphNodeGetDependencies(struct wl_device_node *node, struct wl_device_node **nodes,
                               size_t *count)
{
    return wl_device_node_neighbours(node, false, nodes, count);
}

int cuGraphNodeGetDependentNodes(struct wl_device_node *node, struct wl_device_node **nodes,
                                 size_t *count)
{
    return wl_device_node_neighbours(node, true, nodes, count);
}

int cuGraphAddDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                           struct wl_device_node **to, size_t count)
{
    return wl_device_graph_connect(graph, from, to, count, true);
}

int cuGraphRemoveDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                              struct wl_device_node **to, size_t count)
{
    return wl_device_graph_connect(graph, from, to, count, false);
}

/* ---- running ---- */

/* The signature before CUDA 12, with a buffer for messages. */
int cuGraphInstantiate_v2(struct wl_device_executable **executable, struct wl_device_graph *graph,
                          void **error_node, char *log, size_t log_bytes)
{
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = '\0';
    return wl_device_graph_instantiate(graph, 0, executable);
}

int cuGraphInstantiate(struct wl_device_executable **executable, struct wl_device_graph *graph,
                       void **error_node, char *log, size_t log_bytes)
{
    return cuGraphInstantiate_v2(executable, graph, error_node, log, log_bytes);
}

int cuGraphExecGetFlags(struct wl_device_executable *executable, uint64_t *flags)
{
    return flags ? wl_device_executable_flags(executable, flags) : WL_DEVICE_INVALID_VALUE;
}

struct update_result { /* CUgraphExecUpdateResultInfo */
    int result;
    struct wl_device_node *node, *from;
};

int cuGraphExecUpdate_v2(struct wl_device_executable *executable, struct wl_device_graph *graph,
                         struct update_result *result)
{
    int reason;
    struct wl_device_node *node;
    int code = wl_device_executable_update(executable, graph, &reason, &node);
    if (result)
        *result = (struct update_result){reason, node, NULL};
    return code;
}

int cuGraphExecUpdate(struct wl_device_executable *executable, struct wl_device_graph *graph,
                      struct wl_device_node **node, int *reason)
{
    struct update_result result;
    int code = cuGraphExecUpdate_v2(executable, graph, &result);
    if (node)
        *node = result.node;
    if (reason)
        *reason = result.result;
    return code;
}

/* ---- capture ---- */

int cuStreamBeginCapture_v2(void *stream, int mode)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (unsigned)mode > 2)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code
                : wl_device_capture_begin(stream, (enum wl_device_capture_mode)mode, NULL, NULL, 0);
}
WL_CUDA_PER_THREAD(cuStreamBeginCapture_v2, ptsz);

int cuStreamUpdateCaptureDependencies(void *stream, struct wl_device_node **nodes, size_t count,
                                      unsigned flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}
WL_CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies, ptsz);

int cuThreadExchangeStreamCaptureMode(int *mode)
{
    return wl_device_capture_exchange_mode(mode);
}
