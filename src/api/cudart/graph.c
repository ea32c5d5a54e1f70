/* Graphs of the runtime API: building, running, updating. Nodes are in graph_nodes.c. */
#include <stdbool.h>
#include <string.h>

#include "api/cudart/graph.h"

#define WL_GRAPH(name) cudaGraph##name
#define WL_STREAM(name) cudaStream##name
#define WL_OBJECT(name) cudaUserObject##name
#define WL_GRAPH_ENTER() WL_DEVICE_OK
#define WL_GRAPH_DONE(code) wl_cudart_done(code)
#define WL_GRAPH_PER_THREAD(name, suffix) WL_CUDART_PER_THREAD(name, suffix)
#include "api/common/graph.def"

int cudaGraphCreate(struct wl_device_graph **graph, unsigned flags)
{
    return wl_cudart_done(flags ? WL_DEVICE_INVALID_VALUE : wl_device_graph_create(graph));
}

/* CUDA 13 put what was _v2 before, with an array of edge data, under the plain names. Edge data
 * describes programmatic launches, which order nodes no less than plain edges; none are given back.
 */
static bool has_edge_data(void)
{
    return wl_cudart_version.runtime_version >= 13000;
}

int cudaGraphGetEdges(struct wl_device_graph *graph, struct wl_device_node **from,
                      struct wl_device_node **to, void *data, size_t *count)
{
    return cudaGraphGetEdges_v2(graph, from, to, NULL, has_edge_data() ? count : data);
}

int cudaGraphNodeGetDependencies(struct wl_device_node *node, struct wl_device_node **nodes,
                                 void *data, size_t *count)
{
    return cudaGraphNodeGetDependencies_v2(node, nodes, NULL, has_edge_data() ? count : data);
}

int cudaGraphNodeGetDependentNodes(struct wl_device_node *node, struct wl_device_node **nodes,
                                   void *data, size_t *count)
{
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, NULL, has_edge_data() ? count : data);
}

int cudaGraphAddDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                             struct wl_device_node **to, const void *data, size_t count)
{
    return cudaGraphAddDependencies_v2(graph, from, to, NULL,
                                       has_edge_data() ? count : (size_t)data);
}

int cudaGraphRemoveDependencies(struct wl_device_graph *graph, struct wl_device_node **from,
                                struct wl_device_node **to, const void *data, size_t count)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, NULL,
                                          has_edge_data() ? count : (size_t)data);
}

/* ---- running ---- */

int cudaGraphInstantiate(struct wl_device_executable **executable, struct wl_device_graph *graph,
                         unsigned long long flags)
{
    /* CUDA 11 has the place for a node that fails here, and for what is said of it */
    const bool has_flags = wl_cudart_version.runtime_version >= 12000;
    return cudaGraphInstantiateWithFlags(executable, graph, has_flags ? flags : 0);
}

int cudaGraphExecGetFlags(struct wl_device_executable *executable, unsigned long long *flags)
{
    uint64_t found;
    int code = wl_device_executable_flags(executable, &found);
    if (code == WL_DEVICE_OK)
        *flags = found;
    return wl_cudart_done(code);
}

struct update_result { /* cudaGraphExecUpdateResultInfo */
    int result;
    struct wl_device_node *node, *from;
};

int cudaGraphExecUpdate(struct wl_device_executable *executable, struct wl_device_graph *graph,
                        void *result, int *reason_of_11)
{
    int reason;
    struct wl_device_node *node;
    int code = wl_device_executable_update(executable, graph, &reason, &node);
    if (wl_cudart_version.runtime_version < 12000) {
        if (result)
            *(struct wl_device_node **)result = node;
        if (reason_of_11)
            *reason_of_11 = reason;
    } else if (result) {
        *(struct update_result *)result = (struct update_result){reason, node, NULL};
    }
    return wl_cudart_done(code);
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
