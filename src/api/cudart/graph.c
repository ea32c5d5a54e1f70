/* Graphs of the runtime API: building, running, updating. Nodes are in graph_nodes.c. */
#include <stdbool.h>
#include <string.h>

#include "api/cudart/graph.h"

int cudaGraphCreate(struct wl_device_graph **graph, unsigned flags)
{
    return wl_cudart_done(flags ? WL_DEVICE_INVALID_VALUE : wl_device_graph_create(graph));
}

int cudaGraphDestroy(struct wl_device_graph *graph)
{
    return wl_cudart_done(wl_device_graph_destroy(graph));
}

int cudaGraphClone(struct wl_device_graph **clone, struct wl_device_graph *graph)
{
    return wl_cudart_done(wl_device_graph_clone(graph, clone));
}

int cudaGraphNodeFindInClone(struct wl_device_node **found, struct wl_device_node *node,
                             struct wl_device_graph *clone)
{
    return wl_cudart_done(wl_device_node_find_in_clone(node, clone, found));
}

int cudaGraphGetNodes(struct wl_device_graph *graph, struct wl_device_node **nodes, size_t *count)
{
    return wl_cudart_done(wl_device_graph_nodes(graph, false, nodes, count));
}

int cudaGraphGetRootNodes(struct wl_device_graph *graph, struct wl_device_node **nodes,
                          size_t *count)
{
    return wl_cudart_done(wl_device_graph_nodes(graph, true, nodes, count));
}

int cudaGraphDestroyNode(struct wl_device_node *node)
{
    return wl_cudart_done(wl_device_node_destroy(node));
}

int cudaGraphNodeGetType(struct wl_device_node *node, int *type)
{
    const struct wl_device_operation *operation;
    int code = type ? wl_device_node_get(node, &operation) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *type = (int)operation->kind;
    return wl_cudart_done(code);
}

/* CUDA 13 put what was _v2 before, with an array of edge data, under the plain names. Edge data
 * tells of programmatic launches, which order nodes no less than plain edges; none are given back.
 */
static bool has_edge_data(void)
{
    return wl_cudart_version.runtime_version >= 13000;
}

int cudaGraphGetEdges_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                         struct wl_device_node **to, void *data, size_t *count)
{
    (void)data;
    return wl_cudart_done(wl_device_graph_edges(graph, from, to, count));
}

int cudaGraphGetEdges(struct wl_device_graph *graph, struct wl_device_node **from,
                      struct wl_device_node **to, void *data, size_t *count)
{
    return cudaGraphGetEdges_v2(graph, from, to, NULL, has_edge_data() ? count : data);
}

int cudaGraphNodeGetDependencies_v2(struct wl_device_node *node, struct wl_device_node **nodes,
                                    void *data, size_t *count)
{
    (void)data;
    return wl_cudart_done(wl_device_node_neighbours(node, false, nodes, count));
}

int cudaGraphNodeGetDependencies(struct wl_device_node *node, struct wl_device_node **nodes,
                                 void *data, size_t *count)
{
    return cudaGraphNodeGetDependencies_v2(node, nodes, NULL, has_edge_data() ? count : data);
}

int cudaGraphNodeGetDependentNodes_v2(struct wl_device_node *node, struct wl_device_node **nodes,
                                      void *data, size_t *count)
{
    (void)data;
    return wl_cudart_done(wl_device_node_neighbours(node, true, nodes, count));
}

int cudaGraphNodeGetDependentNodes(struct wl_device_node *node, struct wl_device_node **nodes,
                                   void *data, size_t *count)
{
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, NULL, has_edge_data() ? count : data);
}

int cudaGraphAddDependencies_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                                struct wl_device_node **to, const void *data, size_t count)
{
    (void)data;
    return wl_cudart_done(wl_device_graph_connect(graph, from, to, count, true));
}

int cudaGraphAddDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                             struct wl_device_node **to, const void *data, size_t count)
{
    return cudaGraphAddDependencies_v2(graph, from, to, NULL,
                                       has_edge_data() ? count : (size_t)data);
}

int cudaGraphRemoveDependencies_v2(struct wl_device_graph *graph, struct wl_device_node **from,
                                   struct wl_device_node **to, const void *data, size_t count)
{
    (void)data;
    return wl_cudart_done(wl_device_graph_connect(graph, from, to, count, false));
}

int cudaGraphRemoveDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                                struct wl_device_node **to, const void *data, size_t count)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, NULL,
                                          has_edge_data() ? count : (size_t)data);
}

/* ---- running ---- */

int cudaGraphInstantiateWithFlags(struct wl_device_executable **executable,
                                  struct wl_device_graph *graph, unsigned long long flags)
{
    return wl_cudart_done(wl_device_graph_instantiate(graph, flags, executable));
}

int cudaGraphInstantiate(struct wl_device_executable **executable, struct wl_device_graph *graph,
                         unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

struct instantiate_parameters { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void *upload_stream;
    void *error_node;
    int result;
};

int cudaGraphInstantiateWithParams(struct wl_device_executable **executable,
                                   struct wl_device_graph *graph,
                                   struct instantiate_parameters *parameters)
{
    if (!parameters)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = cudaGraphInstantiateWithFlags(executable, graph, parameters->flags);
    parameters->error_node = NULL;
    parameters->result = code ? 1 : 0;
    return code;
}
WL_CUDART_PER_THREAD(cudaGraphInstantiateWithParams, ptsz);

int cudaGraphExecGetFlags(struct wl_device_executable *executable, unsigned long long *flags)
{
    uint64_t found;
    int code = wl_device_executable_flags(executable, &found);
    if (code == WL_DEVICE_OK)
        *flags = found;
    return wl_cudart_done(code);
}

int cudaGraphExecDestroy(struct wl_device_executable *executable)
{
    return wl_cudart_done(wl_device_executable_destroy(executable));
}

int cudaGraphUpload(struct wl_device_executable *executable, void *stream)
{
    uint64_t flags;
    int code = wl_device_stream_query(stream, NULL);
    return wl_cudart_done(code ? code : wl_device_executable_flags(executable, &flags));
}
WL_CUDART_PER_THREAD(cudaGraphUpload, ptsz);

int cudaGraphLaunch(struct wl_device_executable *executable, void *stream)
{
    return wl_cudart_done(wl_device_executable_launch(executable, stream));
}
WL_CUDART_PER_THREAD(cudaGraphLaunch, ptsz);

struct update_result { /* cudaGraphExecUpdateResultInfo */
    int result;
    struct wl_device_node *node, *from;
};

int cudaGraphExecUpdate(struct wl_device_executable *executable, struct wl_device_graph *graph,
                        struct update_result *result)
{
    int reason;
    struct wl_device_node *node;
    int code = wl_device_executable_update(executable, graph, &reason, &node);
    if (result)
        *result = (struct update_result){reason, node, NULL};
    return wl_cudart_done(code);
}

int cudaGraphNodeSetEnabled(struct wl_device_executable *executable, struct wl_device_node *node,
                            unsigned is_enabled)
{
    return wl_cudart_done(wl_device_executable_enable(executable, node, is_enabled != 0, NULL));
}

int cudaGraphNodeGetEnabled(struct wl_device_executable *executable, struct wl_device_node *node,
                            unsigned *is_enabled)
{
    return wl_cudart_done(is_enabled ? wl_device_executable_enable(executable, node, -1, is_enabled)
                                     : WL_DEVICE_INVALID_VALUE);
}

/* ---- capture ---- */

int cudaStreamBeginCapture(void *stream, int mode)
{
    if ((unsigned)mode > 2)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(
        wl_device_capture_begin(stream, (enum wl_device_capture_mode)mode, NULL, NULL, 0));
}
WL_CUDART_PER_THREAD(cudaStreamBeginCapture, ptsz);

int cudaStreamBeginCaptureToGraph(void *stream, struct wl_device_graph *graph,
                                  struct wl_device_node *const *dependencies, const void *data,
                                  size_t count, int mode)
{
    (void)data;
    if ((unsigned)mode > 2 || !graph)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_device_capture_begin(stream, (enum wl_device_capture_mode)mode, graph,
                                                  dependencies, count));
}
WL_CUDART_PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz);

int cudaStreamEndCapture(void *stream, struct wl_device_graph **graph)
{
    return wl_cudart_done(wl_device_capture_end(stream, graph));
}
WL_CUDART_PER_THREAD(cudaStreamEndCapture, ptsz);

int cudaStreamIsCapturing(void *stream, int *status)
{
    struct wl_device_capture_info info;
    int code = status ? wl_device_capture_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *status = (int)info.status;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaStreamIsCapturing, ptsz);

int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id,
                                struct wl_device_graph **graph,
                                struct wl_device_node *const **dependencies, const void **data,
                                size_t *count)
{
    struct wl_device_capture_info info;
    int code = status ? wl_device_capture_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code)
        return wl_cudart_done(code);
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
WL_CUDART_PER_THREAD(cudaStreamGetCaptureInfo_v3, ptsz);

int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id,
                                struct wl_device_graph **graph,
                                struct wl_device_node *const **dependencies, size_t *count)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, NULL, count);
}
WL_CUDART_PER_THREAD(cudaStreamGetCaptureInfo_v2, ptsz);

int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id,
                             struct wl_device_graph **graph,
                             struct wl_device_node *const **dependencies, const void **data,
                             size_t *count)
{
    if (!has_edge_data())
        return cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, data, count);
}
WL_CUDART_PER_THREAD(cudaStreamGetCaptureInfo, ptsz);

int cudaStreamUpdateCaptureDependencies_v2(void *stream, struct wl_device_node **nodes,
                                           const void *data, size_t count, unsigned flags)
{
    (void)data;
    if (flags > 1)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_device_capture_depend(stream, nodes, count, flags == 0));
}
WL_CUDART_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, ptsz);

int cudaStreamUpdateCaptureDependencies(void *stream, struct wl_device_node **nodes,
                                        const void *data, size_t count, unsigned flags)
{
    if (has_edge_data())
        return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, data, count, flags);
    return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, (size_t)data,
                                                  (unsigned)count);
}
WL_CUDART_PER_THREAD(cudaStreamUpdateCaptureDependencies, ptsz);

int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    return wl_cudart_done(wl_device_capture_exchange_mode(mode));
}
