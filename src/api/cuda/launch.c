#include <string.h>

#include "api/common/extra.h"
#include "api/common/function.h"
#include "api/cuda/driver.h"
#include "base/count.h"

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

static int launch(struct wl_device_request *request, void **parameters, void **extra)
{
    int code = wl_cuda_enter_stream(request->stream);
    if (code == WL_DEVICE_OK && !request->kernel)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK && parameters && extra)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_api_read_extra(extra, request);
    request->parameters = parameters;
    return code ? code : wl_cuda_code(wl_device_launch(request));
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **parameters, void **extra)
{
    struct wl_device_request request = {
        .kernel = function,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared_dynamic_bytes = shared_bytes,
        .stream = stream,
    };
    return launch(&request, parameters, extra);
}
WL_CUDA_PER_THREAD(cuLaunchKernel, ptsz);

int cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, void *stream, void **parameters)
{
    struct wl_device_request request = {
        .kernel = function,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared_dynamic_bytes = shared_bytes,
        .stream = stream,
        .is_cooperative = true,
    };
    return launch(&request, parameters, NULL);
}
WL_CUDA_PER_THREAD(cuLaunchCooperativeKernel, ptsz);

struct launch_attribute { /* CUlaunchAttribute */
    int id;
    char padding[4];
    union {
        int number;
        uint32_t size[3];
        char bytes[64];
    } value;
};

struct launch_config { /* CUlaunchConfig */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};

static struct wl_device_request read_config(const struct launch_config *config, void *function)
{
    struct wl_device_request request = {
        .kernel = function,
        .shared_dynamic_bytes = config->shared_bytes,
        .stream = config->stream,
    };
    memcpy(request.grid, config->grid, sizeof request.grid);
    memcpy(request.block, config->block, sizeof request.block);
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == ATTRIBUTE_COOPERATIVE)
            request.is_cooperative = attribute->value.number != 0;
        if (attribute->id == ATTRIBUTE_CLUSTER)
            memcpy(request.cluster, attribute->value.size, sizeof request.cluster);
    }
    return request;
}

int cuLaunchKernelEx(const struct launch_config *config, void *function, void **parameters,
                     void **extra)
{
    if (!config)
        return WL_DEVICE_INVALID_VALUE;
    struct wl_device_request request = read_config(config, function);
    return launch(&request, parameters, extra);
}
WL_CUDA_PER_THREAD(cuLaunchKernelEx, ptsz);

/* Asks one of the two questions about clusters. */
static int ask_clusters(int *answer, void *function, const struct launch_config *config,
                        int (*ask)(const struct wl_device_request *request, uint32_t *answer))
{
    uint32_t number = 0;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!answer || !config || !function))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    const struct wl_device_request request = read_config(config, function);
    code = wl_cuda_code(ask(&request, &number));
    if (code == WL_DEVICE_OK)
        *answer = (int)number;
    return code;
}

int cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct launch_config *config)
{
    return ask_clusters(clusters, function, config, wl_device_clusters_active);
}

int cuOccupancyMaxPotentialClusterSize(int *size, void *function,
                                       const struct launch_config *config)
{
    return ask_clusters(size, function, config, wl_device_clusters_largest);
}

/* ---- properties of kernels ---- */

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    struct wl_device_kernel_attributes found;
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && (!value || !function))
        code = function ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_cuda_code(wl_device_kernel_attributes(function, &found));
    if (code)
        return code;
    const int values[] = {
        (int)found.max_threads_per_block,
        (int)found.shared_bytes,
        (int)found.constant_bytes,
        (int)found.local_bytes,
        (int)found.registers,
        (int)found.ptx_version,
        (int)found.binary_version,
        0, /* compiled with -dlcm=ca */
        (int)found.max_dynamic_shared_bytes,
        found.carveout_pct,
        found.needs_clusters,
        (int)found.cluster[0],
        (int)found.cluster[1],
        (int)found.cluster[2],
        found.has_large_clusters,
        0, /* and so on: the policy of clusters */
    };
    const int last = (int)(WL_COUNT(values)) - 1;
    if (attribute < 0)
        return WL_DEVICE_INVALID_VALUE;
    *value = values[attribute < last ? attribute : last];
    return WL_DEVICE_OK;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && !function)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code)
        return code;
    if (attribute == FUNCTION_MAX_DYNAMIC_SHARED)
        return wl_cuda_code(wl_device_kernel_set_dynamic_shared(function, value));
    if (attribute == FUNCTION_CARVEOUT)
        return wl_cuda_code(wl_device_kernel_set_carveout(function, value));
    if (attribute >= FUNCTION_CLUSTER_WIDTH && attribute < FUNCTION_LARGE_CLUSTERS)
        return wl_cuda_code(
            wl_device_kernel_set_cluster(function, attribute - FUNCTION_CLUSTER_WIDTH, value));
    if (attribute == FUNCTION_LARGE_CLUSTERS)
        return wl_cuda_code(wl_device_kernel_allow_large_clusters(function, value != 0));
    return attribute == FUNCTION_CLUSTER_POLICY ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
}

int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device)
{
    return device < 0 || device >= wl_device_count() ? WL_DEVICE_INVALID_DEVICE
                                                     : cuFuncGetAttribute(value, attribute, kernel);
}

int cuKernelSetAttribute(int attribute, int value, void *kernel, int device)
{
    return device < 0 || device >= wl_device_count() ? WL_DEVICE_INVALID_DEVICE
                                                     : cuFuncSetAttribute(kernel, attribute, value);
}

/* Hints, which newer GPUs ignore. */
int cuFuncSetCacheConfig(void *function, int config)
{
    (void)config;
    int code = wl_cuda_ready();
    return code || function ? code : WL_DEVICE_INVALID_HANDLE;
}

int cuFuncSetSharedMemConfig(void *function, int config)
{
    return cuFuncSetCacheConfig(function, config);
}

int cuFuncGetModule(void **module, void *function)
{
    if (!module || !function)
        return WL_DEVICE_INVALID_VALUE;
    *module = wl_device_kernel_module(function);
    return WL_DEVICE_OK;
}

int cuFuncGetName(const char **name, void *function)
{
    if (!name || !function)
        return WL_DEVICE_INVALID_VALUE;
    *name = wl_device_kernel_name(function);
    return WL_DEVICE_OK;
}

int cuKernelGetName(const char **name, void *kernel)
{
    return cuFuncGetName(name, kernel);
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size_bytes)
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && !function)
        code = WL_DEVICE_INVALID_HANDLE;
    return code ? code
                : wl_cuda_code(wl_device_kernel_parameter(function, index, offset, size_bytes));
}

int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size_bytes)
{
    return cuFuncGetParamInfo(kernel, index, offset, size_bytes);
}

int cuKernelGetLibrary(void **library, void *kernel)
{
    return cuFuncGetModule(library, kernel);
}

int cuKernelSetCacheConfig(void *kernel, int config, int device)
{
    if (config < 0 || config > 3)
        return WL_DEVICE_INVALID_VALUE;
    return device < 0 || device >= wl_device_count() ? WL_DEVICE_INVALID_DEVICE
                                                     : cuFuncSetCacheConfig(kernel, config);
}

/* Kernels are lowered at their first use, which is this one, if there was none before. */
int cuFuncLoad(void *function)
{
    struct wl_device_kernel_attributes ignored;
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && !function)
        code = WL_DEVICE_INVALID_HANDLE;
    return code ? code : wl_cuda_code(wl_device_kernel_attributes(function, &ignored));
}

int cuFuncIsLoaded(int *state, void *function)
{
    enum { LOADED = 1 };
    int code = state ? cuFuncLoad(function) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *state = LOADED;
    return code;
}

/* ---- occupancy ---- */

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function,
                                                         int block_size, size_t shared_bytes,
                                                         unsigned flags)
{
    struct wl_occupancy occupancy;
    (void)flags;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!blocks || !function || block_size <= 0))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_cuda_code(
            wl_device_kernel_occupancy(function, (uint32_t)block_size, shared_bytes, &occupancy));
    if (code == WL_DEVICE_OK)
        *blocks = (int)occupancy.blocks_per_sm;
    return code;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block_size,
                                                size_t shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                shared_bytes, 0);
}

int cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, void *function, int blocks,
                                            int block_size)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !function)
        code = WL_DEVICE_INVALID_HANDLE;
    return code ? code
                : wl_cuda_code(
                      wl_device_kernel_most_shared(function, blocks, block_size, shared_bytes));
}

/* The block size with the most threads on an SM, the larger of two that are equal. */
int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size, void *function,
                                              size_t (*shared_of)(int), size_t shared_bytes,
                                              int limit, unsigned flags)
{
    const struct wl_gpu *gpu = wl_device_gpu();
    int most = 0, largest;
    int code = cuFuncGetAttribute(&largest, 0, function);
    if (code || !grid_size || !block_size || !gpu)
        return code ? code : WL_DEVICE_INVALID_VALUE;
    if (limit > 0 && limit < largest)
        largest = limit;
    int warp = (int)gpu->warp_size;
    for (int size = (largest + warp - 1) / warp * warp; size > 0; size -= warp) {
        int blocks, threads = size < largest ? size : largest;
        size_t shared = shared_of ? shared_of(threads) : shared_bytes;
        code = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads,
                                                                    shared, flags);
        if (code)
            return code;
        if (blocks * threads <= most)
            continue;
        most = blocks * threads;
        *block_size = threads;
        *grid_size = blocks * (int)gpu->sm_count;
    }
    return most ? WL_DEVICE_OK : WL_DEVICE_OUT_OF_RESOURCES;
}

int cuOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, void *function,
                                     size_t (*shared_of)(int), size_t shared_bytes, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_of,
                                                     shared_bytes, limit, 0);
}
