/* Graphs of the driver API: building, running, updating, capturing. Nodes are in graph_nodes.c. */
#include "device/graph/graph.h"

#include "api/cuda/driver.h"

int cuGraphCreate(struct wl_device_graph **graph, unsigned flags)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (flags || !graph))
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_graph_create(graph);
}

int cuGraphDestroy(struct wl_device_graph *graph)
{
    return wl_device_graph_destroy(graph);
}

int cuGraphClone(struct wl_device_graph **clone, struct wl_device_graph *graph)
{
    return wl_device_graph_clone(graph, clone);
}

int cuGraphNodeFindInClone(struct wl_device_node **found, struct wl_device_node *node,
                           struct wl_device_graph *clone)
{
    return wl_device_node_find_in_clone(node, clone, found);
}

int cuGraphGetNodes(struct wl_device_graph *graph, struct wl_device_node **nodes, size_t *count)
{
    return wl_device_graph_nodes(graph, false, nodes, count);
}

int cuGraphGetRootNodes(struct wl_device_graph *graph, struct wl_device_node **nodes, size_t *count)
{
    return wl_device_graph_nodes(graph, true, nodes, count);
}

int cuGraphDestroyNode(struct wl_device_node *node)
{
    return wl_device_node_destroy(node);
}

int cuGraphNodeGetType(struct wl_device_node *node, int *type)
{
    const struct wl_device_operation *operation;
    int code = type ? wl_device_node_get(node, &operation) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *type = (int)operation->kind;
    return code;
}

/* The second variants have edge data, which tell of programmatic launches; those order nodes no
 * less than plain edges, and none are given back. */
int cuGraphGetEdges(struct wl_device_graph *graph, struct wl_device_node **from,
                    struct wl_device_node **to, size_t *count)
{
    return wl_device_graph_edges(graph, from, to, count);
}

int cuGraphGetEdges_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                       struct wl_device_node **to, void *data, size_t *count)
{
    (void)data;
    return wl_device_graph_edges(graph, from, to, count);
}

int cuGraphNodeGetDependencies(struct wl_device_node *node, struct wl_device_node **nodes,
                               size_t *count)
{
    return wl_device_node_neighbours(node, false, nodes, count);
}

int cuGraphNodeGetDependencies_v2(struct wl_device_node *node, struct wl_device_node **nodes,
                                  void *data, size_t *count)
{
    (void)data;
    return wl_device_node_neighbours(node, false, nodes, count);
}

int cuGraphNodeGetDependentNodes(struct wl_device_node *node, struct wl_device_node **nodes,
                                 size_t *count)
{
    return wl_device_node_neighbours(node, true, nodes, count);
}

int cuGraphNodeGetDependentNodes_v2(struct wl_device_node *node, struct wl_device_node **nodes,
                                    void *data, size_t *count)
{
    (void)data;
    return wl_device_node_neighbours(node, true, nodes, count);
}

int cuGraphAddDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                           struct wl_device_node **to, size_t count)
{
    return wl_device_graph_connect(graph, from, to, count, true);
}

int cuGraphAddDependencies_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                              struct wl_device_node **to, const void *data, size_t count)
{
    (void)data;
    return wl_device_graph_connect(graph, from, to, count, true);
}

int cuGraphRemoveDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                              struct wl_device_node **to, size_t count)
{
    return wl_device_graph_connect(graph, from, to, count, false);
}

int cuGraphRemoveDependencies_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                                 struct wl_device_node **to, const void *data, size_t count)
{
    (void)data;
    return wl_device_graph_connect(graph, from, to, count, false);
}

/* ---- running ---- */

int cuGraphInstantiateWithFlags(struct wl_device_executable **executable,
                                struct wl_device_graph *graph, unsigned long long flags)
{
    return wl_device_graph_instantiate(graph, flags, executable);
}

/* Of before CUDA 12: with a buffer for messages. */
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

struct instantiate_parameters { /* CUDA_GRAPH_INSTANTIATE_PARAMS */
    unsigned long long flags;
    void *upload_stream, *error_node;
    int result;
};

int cuGraphInstantiateWithParams(struct wl_device_executable **executable,
                                 struct wl_device_graph *graph,
                                 struct instantiate_parameters *parameters)
{
    if (!parameters)
        return WL_DEVICE_INVALID_VALUE;
    int code = wl_device_graph_instantiate(graph, parameters->flags, executable);
    parameters->error_node = NULL;
    parameters->result = code ? 1 : 0;
    return code;
}
WL_CUDA_PER_THREAD(cuGraphInstantiateWithParams, ptsz);

int cuGraphExecGetFlags(struct wl_device_executable *executable, uint64_t *flags)
{
    return flags ? wl_device_executable_flags(executable, flags) : WL_DEVICE_INVALID_VALUE;
}

int cuGraphExecDestroy(struct wl_device_executable *executable)
{
    return wl_device_executable_destroy(executable);
}

int cuGraphUpload(struct wl_device_executable *executable, void *stream)
{
    uint64_t flags;
    int code = wl_device_stream_query(stream, NULL);
    return code ? code : wl_device_executable_flags(executable, &flags);
}
WL_CUDA_PER_THREAD(cuGraphUpload, ptsz);

int cuGraphLaunch(struct wl_device_executable *executable, void *stream)
{
    return wl_cuda_code(wl_device_executable_launch(executable, stream));
}
WL_CUDA_PER_THREAD(cuGraphLaunch, ptsz);

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

int cuGraphNodeSetEnabled(struct wl_device_executable *executable, struct wl_device_node *node,
                          unsigned is_enabled)
{
    return wl_device_executable_enable(executable, node, is_enabled != 0, NULL);
}

int cuGraphNodeGetEnabled(struct wl_device_executable *executable, struct wl_device_node *node,
                          unsigned *is_enabled)
{
    return is_enabled ? wl_device_executable_enable(executable, node, -1, is_enabled)
                      : WL_DEVICE_INVALID_VALUE;
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

int cuStreamBeginCaptureToGraph(void *stream, struct wl_device_graph *graph,
                                struct wl_device_node *const *dependencies, const void *data,
                                size_t count, int mode)
{
    (void)data;
    if ((unsigned)mode > 2 || !graph)
        return WL_DEVICE_INVALID_VALUE;
    return wl_device_capture_begin(stream, (enum wl_device_capture_mode)mode, graph, dependencies,
                                   count);
}
WL_CUDA_PER_THREAD(cuStreamBeginCaptureToGraph, ptsz);

int cuStreamEndCapture(void *stream, struct wl_device_graph **graph)
{
    return wl_device_capture_end(stream, graph);
}
WL_CUDA_PER_THREAD(cuStreamEndCapture, ptsz);

int cuStreamIsCapturing(void *stream, int *status)
{
    struct wl_device_capture_info info;
    int code = status ? wl_device_capture_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *status = (int)info.status;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamIsCapturing, ptsz);

int cuStreamGetCaptureInfo_v3(void *stream, int *status, uint64_t *id,
                              struct wl_device_graph **graph,
                              struct wl_device_node *const **dependencies, const void **data,
                              size_t *count)
{
    struct wl_device_capture_info info;
    int code = status ? wl_device_capture_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    *status = (int)info.status;
    if (id)
        *id = info.id;
    if (graph)
        *graph = info.graph;
    if (dependencies)
        *dependencies = info.dependencies;
    if (data)
        *data = NULL;
    if (count)
        *count = info.dependency_count;
    return WL_DEVICE_OK;
}
WL_CUDA_PER_THREAD(cuStreamGetCaptureInfo_v3, ptsz);

int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id,
                              struct wl_device_graph **graph,
                              struct wl_device_node *const **dependencies, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, NULL, count);
}
WL_CUDA_PER_THREAD(cuStreamGetCaptureInfo_v2, ptsz);

int cuStreamUpdateCaptureDependencies_v2(void *stream, struct wl_device_node **nodes,
                                         const void *data, size_t count, unsigned flags)
{
    (void)data;
    if (flags > 1)
        return WL_DEVICE_INVALID_VALUE;
    return wl_device_capture_depend(stream, nodes, count, flags == 0);
}
WL_CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, ptsz);

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
