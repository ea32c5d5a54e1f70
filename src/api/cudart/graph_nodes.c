/* Nodes of graphs: for each kind adding one, reading and changing what it does, in a graph or in an
 * executable graph. */
#include <string.h>

#include "api/common/extra.h"
#include "api/cudart/graph.h"

/* ---- parameters of each kind, as the API has them ---- */

struct kernel_parameters { /* cudaKernelNodeParams */
    const void *function;
    struct wl_cudart_size grid, block;
    unsigned shared_bytes;
    void **parameters;
    void **extra;
};

static int read_kernel(const struct kernel_parameters *from, struct wl_device_operation *to)
{
    if (!from)
        return WL_DEVICE_INVALID_VALUE;
    *to = (struct wl_device_operation){
        .kind = WL_DEVICE_OPERATION_KERNEL,
        .kernel =
            {
                .kernel = wl_cudart_find_kernel(from->function),
                .grid = {from->grid.x, from->grid.y, from->grid.z},
                .block = {from->block.x, from->block.y, from->block.z},
                .shared_dynamic_bytes = from->shared_bytes,
                .parameters = from->parameters,
            },
    };
    if (!to->kernel.kernel)
        return wl_cudart_unknown_kernel(from->function);
    return wl_api_read_extra(from->extra, &to->kernel);
}

static int read_copy(const struct wl_cudart_copy_3d *from, struct wl_device_operation *to)
{
    *to = (struct wl_device_operation){.kind = WL_DEVICE_OPERATION_COPY};
    return wl_cudart_copy_3d(from, &to->copy);
}

static struct wl_device_operation plain_copy(void *to, const void *from, size_t bytes,
                                             int direction)
{
    return (struct wl_device_operation){
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = wl_cudart_copy_plain(to, from, bytes, direction),
    };
}

/* ---- the three ways to hand an operation over; code: of reading the parameters ---- */

#define WL_GRAPH(name) cudaGraph##name
#define WL_GRAPH_DONE(code) wl_cudart_done(code)
#define WL_GRAPH_CONTEXT
#define WL_GRAPH_ADDRESS void *
#define WL_GRAPH_COPY struct wl_cudart_copy_3d
#include "api/common/graph_nodes.def"

/* ---- kernels ---- */

int cudaGraphAddKernelNode(struct wl_device_node **node, struct wl_device_graph *graph,
                           struct wl_device_node *const *dependencies, size_t count,
                           const struct kernel_parameters *parameters)
{
    struct wl_device_operation operation;
    int code = read_kernel(parameters, &operation);
    return add(node, graph, dependencies, count, code, &operation);
}

int cudaGraphKernelNodeGetParams(struct wl_device_node *node, struct kernel_parameters *parameters)
{
    const struct wl_device_operation *operation;
    int code = wl_device_node_get_kind(node, WL_DEVICE_OPERATION_KERNEL, &operation);
    if (code || !parameters)
        return wl_cudart_done(code ? code : WL_DEVICE_INVALID_VALUE);
    const struct wl_device_request *kernel = &operation->kernel;
    *parameters = (struct kernel_parameters){
        .function = kernel->kernel,
        .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
        .block = {kernel->block[0], kernel->block[1], kernel->block[2]},
        .shared_bytes = (unsigned)kernel->shared_dynamic_bytes,
        .parameters = kernel->parameters,
    };
    return WL_DEVICE_OK;
}

int cudaGraphKernelNodeSetParams(struct wl_device_node *node,
                                 const struct kernel_parameters *parameters)
{
    struct wl_device_operation operation;
    int code = read_kernel(parameters, &operation);
    return set(node, code, &operation);
}

int cudaGraphExecKernelNodeSetParams(struct wl_device_executable *executable,
                                     struct wl_device_node *node,
                                     const struct kernel_parameters *parameters)
{
    struct wl_device_operation operation;
    int code = read_kernel(parameters, &operation);
    return set_executable(executable, node, code, &operation);
}

/* ---- copies ---- */

int cudaGraphAddMemcpyNode(struct wl_device_node **node, struct wl_device_graph *graph,
                           struct wl_device_node *const *dependencies, size_t count,
                           const struct wl_cudart_copy_3d *parameters)
{
    struct wl_device_operation operation;
    int code = read_copy(parameters, &operation);
    return add(node, graph, dependencies, count, code, &operation);
}

int cudaGraphAddMemcpyNode1D(struct wl_device_node **node, struct wl_device_graph *graph,
                             struct wl_device_node *const *dependencies, size_t count, void *to,
                             const void *from, size_t bytes, int direction)
{
    struct wl_device_operation operation = plain_copy(to, from, bytes, direction);
    return add(node, graph, dependencies, count, WL_DEVICE_OK, &operation);
}

int cudaGraphAddMemcpyNodeToSymbol(struct wl_device_node **node, struct wl_device_graph *graph,
                                   struct wl_device_node *const *dependencies, size_t count,
                                   const void *symbol, const void *from, size_t bytes,
                                   size_t offset, int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_to_symbol(symbol, from, bytes, offset, direction, &operation.copy);
    return add(node, graph, dependencies, count, code, &operation);
}

int cudaGraphAddMemcpyNodeFromSymbol(struct wl_device_node **node, struct wl_device_graph *graph,
                                     struct wl_device_node *const *dependencies, size_t count,
                                     void *to, const void *symbol, size_t bytes, size_t offset,
                                     int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_from_symbol(to, symbol, bytes, offset, direction, &operation.copy);
    return add(node, graph, dependencies, count, code, &operation);
}

int cudaGraphMemcpyNodeGetParams(struct wl_device_node *node, struct wl_cudart_copy_3d *parameters)
{
    const struct wl_device_operation *operation;
    int code = wl_device_node_get_kind(node, WL_DEVICE_OPERATION_COPY, &operation);
    if (code || !parameters)
        return wl_cudart_done(code ? code : WL_DEVICE_INVALID_VALUE);
    const struct wl_device_copy *copy = &operation->copy;
    *parameters = (struct wl_cudart_copy_3d){
        .from = {(void *)(uintptr_t)copy->from, copy->from_pitch_bytes, copy->width_bytes,
                 copy->height},
        .to = {copy->to, copy->to_pitch_bytes, copy->width_bytes, copy->height},
        .extent = {copy->width_bytes, copy->height, copy->depth},
        .direction = (int)copy->direction,
    };
    return WL_DEVICE_OK;
}

int cudaGraphMemcpyNodeSetParams(struct wl_device_node *node,
                                 const struct wl_cudart_copy_3d *parameters)
{
    struct wl_device_operation operation;
    int code = read_copy(parameters, &operation);
    return set(node, code, &operation);
}

int cudaGraphMemcpyNodeSetParams1D(struct wl_device_node *node, void *to, const void *from,
                                   size_t bytes, int direction)
{
    struct wl_device_operation operation = plain_copy(to, from, bytes, direction);
    return set(node, WL_DEVICE_OK, &operation);
}

int cudaGraphMemcpyNodeSetParamsToSymbol(struct wl_device_node *node, const void *symbol,
                                         const void *from, size_t bytes, size_t offset,
                                         int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_to_symbol(symbol, from, bytes, offset, direction, &operation.copy);
    return set(node, code, &operation);
}

int cudaGraphMemcpyNodeSetParamsFromSymbol(struct wl_device_node *node, void *to,
                                           const void *symbol, size_t bytes, size_t offset,
                                           int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_from_symbol(to, symbol, bytes, offset, direction, &operation.copy);
    return set(node, code, &operation);
}

int cudaGraphExecMemcpyNodeSetParams(struct wl_device_executable *executable,
                                     struct wl_device_node *node,
                                     const struct wl_cudart_copy_3d *parameters)
{
    struct wl_device_operation operation;
    int code = read_copy(parameters, &operation);
    return set_executable(executable, node, code, &operation);
}

int cudaGraphExecMemcpyNodeSetParams1D(struct wl_device_executable *executable,
                                       struct wl_device_node *node, void *to, const void *from,
                                       size_t bytes, int direction)
{
    struct wl_device_operation operation = plain_copy(to, from, bytes, direction);
    return set_executable(executable, node, WL_DEVICE_OK, &operation);
}

int cudaGraphExecMemcpyNodeSetParamsToSymbol(struct wl_device_executable *executable,
                                             struct wl_device_node *node, const void *symbol,
                                             const void *from, size_t bytes, size_t offset,
                                             int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_to_symbol(symbol, from, bytes, offset, direction, &operation.copy);
    return set_executable(executable, node, code, &operation);
}

int cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct wl_device_executable *executable,
                                               struct wl_device_node *node, void *to,
                                               const void *symbol, size_t bytes, size_t offset,
                                               int direction)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY};
    int code = wl_cudart_copy_from_symbol(to, symbol, bytes, offset, direction, &operation.copy);
    return set_executable(executable, node, code, &operation);
}

/* ---- memory ---- */

static bool is_none(int device)
{
    return device < 0 || device >= wl_device_count();
}

int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *bytes)
{
    return wl_cudart_done(device ? WL_DEVICE_INVALID_DEVICE
                                 : wl_device_graph_memory_amount(
                                       (enum wl_device_graph_memory_amount)attribute, bytes));
}

/* Only the high-water marks can be set, and only to what there is. */
int cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *bytes)
{
    if (is_none(device) || !bytes || *bytes)
        return wl_cudart_done(is_none(device) ? WL_DEVICE_INVALID_DEVICE : WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(
        wl_device_graph_memory_reset_high((enum wl_device_graph_memory_amount)attribute));
}

/* There is no memory kept for graphs that are gone. */
int cudaDeviceGraphMemTrim(int device)
{
    return wl_cudart_done(is_none(device) ? WL_DEVICE_INVALID_DEVICE : wl_device_check());
}

/* ---- nodes of any kind ---- */

int cudaGraphConditionalHandleCreate(uint64_t *handle, struct wl_device_graph *graph,
                                     unsigned initial, unsigned flags)
{
    return wl_cudart_done(wl_device_condition_create(graph, initial, flags, handle));
}

/* CUDA 12 has no edge data here. */
int cudaGraphAddNode(struct wl_device_node **node, struct wl_device_graph *graph,
                     struct wl_device_node *const *dependencies, const void *data, size_t count,
                     struct any_parameters *parameters)
{
    if (wl_cudart_version.runtime_version < 13000)
        return cudaGraphAddNode_v2(node, graph, dependencies, NULL, (size_t)data,
                                   (struct any_parameters *)(uintptr_t)count);
    return cudaGraphAddNode_v2(node, graph, dependencies, data, count, parameters);
}
