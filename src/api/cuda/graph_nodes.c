/* Nodes of graphs: for each kind adding one, reading and changing what it does, in a graph or in an
 * executable graph. */
#include "api/common/extra.h"
#include "api/cuda/copy.h"
#include "device/graph/nodes.h"

struct kernel_parameters { /* CUDA_KERNEL_NODE_PARAMS: the first version ends before kernel */
    void *function;
    uint32_t grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel, *context;
};

static int read_kernel_of(const struct kernel_parameters *from, bool is_first_version,
                          struct wl_device_operation *to)
{
    if (!from)
        return WL_DEVICE_INVALID_VALUE;
    void *function = from->function;
    if (!function && !is_first_version)
        function = from->kernel;
    *to = (struct wl_device_operation){
        .kind = WL_DEVICE_OPERATION_KERNEL,
        .kernel =
            {
                .kernel = function,
                .grid = {from->grid[0], from->grid[1], from->grid[2]},
                .block = {from->block[0], from->block[1], from->block[2]},
                .shared_dynamic_bytes = from->shared_bytes,
                .parameters = from->parameters,
            },
    };
    if (!function)
        return WL_DEVICE_INVALID_HANDLE;
    return wl_api_read_extra(from->extra, &to->kernel);
}

static int read_kernel(const struct kernel_parameters *from, struct wl_device_operation *to)
{
    return read_kernel_of(from, false, to);
}

static int read_copy(const struct wl_cuda_copy_3d *from, struct wl_device_operation *to)
{
    *to = (struct wl_device_operation){.kind = WL_DEVICE_OPERATION_COPY};
    return wl_cuda_read_copy(from, &to->copy);
}

/* ---- the three ways to hand an operation over; code: of reading the parameters ---- */

#define WL_GRAPH(name) cuGraph##name
#define WL_GRAPH_DONE(code) wl_cuda_code(code)
#define WL_GRAPH_CONTEXT , void *context __attribute__((unused))
#define WL_GRAPH_ADDRESS uint64_t
#define WL_GRAPH_COPY struct wl_cuda_copy_3d
#include "api/common/graph_nodes.def"

/* ---- kernels ---- */

#define KERNEL_NODES(suffix, is_first_version)                                                    \
    int cuGraphAddKernelNode##suffix(struct wl_device_node **node, struct wl_device_graph *graph, \
                                     struct wl_device_node *const *dependencies, size_t count,    \
                                     const struct kernel_parameters *parameters)                  \
    {                                                                                             \
        struct wl_device_operation operation;                                                     \
        int code = read_kernel_of(parameters, is_first_version, &operation);                      \
        return add(node, graph, dependencies, count, code, &operation);                           \
    }                                                                                             \
    int cuGraphKernelNodeSetParams##suffix(struct wl_device_node *node,                           \
                                           const struct kernel_parameters *parameters)            \
    {                                                                                             \
        struct wl_device_operation operation;                                                     \
        int code = read_kernel_of(parameters, is_first_version, &operation);                      \
        return set(node, code, &operation);                                                       \
    }                                                                                             \
    int cuGraphExecKernelNodeSetParams##suffix(struct wl_device_executable *executable,           \
                                               struct wl_device_node *node,                       \
                                               const struct kernel_parameters *parameters)        \
    {                                                                                             \
        struct wl_device_operation operation;                                                     \
        int code = read_kernel_of(parameters, is_first_version, &operation);                      \
        return set_executable(executable, node, code, &operation);                                \
    }

KERNEL_NODES(, true)
KERNEL_NODES(_v2, false)

int cuGraphKernelNodeGetParams(struct wl_device_node *node, struct kernel_parameters *parameters)
{
    const struct wl_device_operation *operation;
    int code = wl_device_node_get_kind(node, WL_DEVICE_OPERATION_KERNEL, &operation);
    if (code || !parameters)
        return code ? code : WL_DEVICE_INVALID_VALUE;
    const struct wl_device_request *kernel = &operation->kernel;
    parameters->function = kernel->kernel;
    for (int i = 0; i < 3; i++) {
        parameters->grid[i] = kernel->grid[i];
        parameters->block[i] = kernel->block[i];
    }
    parameters->shared_bytes = (uint32_t)kernel->shared_dynamic_bytes;
    parameters->parameters = kernel->parameters;
    parameters->extra = NULL;
    return WL_DEVICE_OK;
}

int cuGraphKernelNodeGetParams_v2(struct wl_device_node *node, struct kernel_parameters *parameters)
{
    int code = cuGraphKernelNodeGetParams(node, parameters);
    if (code == WL_DEVICE_OK)
        parameters->kernel = parameters->context = NULL;
    return code;
}

/* ---- copies ---- */

int cuGraphAddMemcpyNode(struct wl_device_node **node, struct wl_device_graph *graph,
                         struct wl_device_node *const *dependencies, size_t count,
                         const struct wl_cuda_copy_3d *parameters, void *context)
{
    struct wl_device_operation operation;
    (void)context;
    int code = read_copy(parameters, &operation);
    return add(node, graph, dependencies, count, code, &operation);
}

int cuGraphMemcpyNodeSetParams(struct wl_device_node *node,
                               const struct wl_cuda_copy_3d *parameters)
{
    struct wl_device_operation operation;
    int code = read_copy(parameters, &operation);
    return set(node, code, &operation);
}

int cuGraphExecMemcpyNodeSetParams(struct wl_device_executable *executable,
                                   struct wl_device_node *node,
                                   const struct wl_cuda_copy_3d *parameters, void *context)
{
    struct wl_device_operation operation;
    (void)context;
    int code = read_copy(parameters, &operation);
    return set_executable(executable, node, code, &operation);
}

static struct wl_cuda_side_3d side_of(const void *address, size_t pitch_bytes, size_t slice_bytes)
{
    return (struct wl_cuda_side_3d){.type = WL_CUDA_MEMORY_UNIFIED,
                                    .device = (uint64_t)(uintptr_t)address,
                                    .pitch_bytes = pitch_bytes,
                                    .height = pitch_bytes ? slice_bytes / pitch_bytes : 0};
}

/* Arrays are reported as the memory they are in. */
int cuGraphMemcpyNodeGetParams(struct wl_device_node *node, struct wl_cuda_copy_3d *parameters)
{
    const struct wl_device_operation *operation;
    int code = wl_device_node_get_kind(node, WL_DEVICE_OPERATION_COPY, &operation);
    if (code || !parameters)
        return code ? code : WL_DEVICE_INVALID_VALUE;
    const struct wl_device_copy *copy = &operation->copy;
    *parameters = (struct wl_cuda_copy_3d){
        .from = side_of(copy->from, copy->from_pitch_bytes, copy->from_slice_bytes),
        .to = side_of(copy->to, copy->to_pitch_bytes, copy->to_slice_bytes),
        .width_bytes = copy->width_bytes,
        .height = copy->height,
        .depth = copy->depth,
    };
    return WL_DEVICE_OK;
}

/* ---- nodes of any kind ---- */

int cuGraphAddNode(struct wl_device_node **node, struct wl_device_graph *graph,
                   struct wl_device_node *const *dependencies, size_t count,
                   struct any_parameters *parameters)
{
    return cuGraphAddNode_v2(node, graph, dependencies, NULL, count, parameters);
}

int cuGraphConditionalHandleCreate(uint64_t *handle, struct wl_device_graph *graph, void *context,
                                   unsigned initial, unsigned flags)
{
    (void)context;
    return wl_cuda_code(wl_device_condition_create(graph, initial, flags, handle));
}
