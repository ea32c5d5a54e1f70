#include <string.h>

#include "api/common/function.h"
#include "api/cudart/runtime.h"

#define ARGUMENTS_MAX_BYTES 4096
#define NESTED_CONFIGURATIONS_MAX 16

/* Between <<<...>>> and the stub it calls; nested where an argument launches a kernel itself. */
struct configuration {
    struct wl_cudart_size grid, block;
    size_t shared_bytes;
    void *stream;
};
static _Thread_local struct configuration configurations[NESTED_CONFIGURATIONS_MAX];
static _Thread_local size_t configuration_count;
/* of cudaSetupArgument, for the call configured last */
static _Thread_local char arguments[ARGUMENTS_MAX_BYTES];
static _Thread_local size_t argument_bytes;

static struct wl_device_request make_request(const void *function, struct wl_cudart_size grid,
                                             struct wl_cudart_size block, size_t shared_bytes,
                                             void *stream)
{
    return (struct wl_device_request){
        .kernel = wl_cudart_find_kernel(function),
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .shared_dynamic_bytes = shared_bytes,
        .stream = stream,
    };
}

static int launch(const void *function, const struct wl_device_request *request)
{
    return wl_cudart_done(request->kernel ? wl_device_launch(request)
                                          : wl_cudart_unknown_kernel(function));
}

int cudaLaunchKernel(const void *function, struct wl_cudart_size grid, struct wl_cudart_size block,
                     void **parameters, size_t shared_bytes, void *stream)
{
    struct wl_device_request request = make_request(function, grid, block, shared_bytes, stream);
    request.parameters = parameters;
    return launch(function, &request);
}
WL_CUDART_PER_THREAD(cudaLaunchKernel, ptsz);

int __cudaLaunchKernel(const void *kernel, struct wl_cudart_size grid, struct wl_cudart_size block,
                       void **parameters, size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, parameters, shared_bytes, stream);
}
WL_CUDART_PER_THREAD(__cudaLaunchKernel, ptsz);

int cudaLaunchCooperativeKernel(const void *function, struct wl_cudart_size grid,
                                struct wl_cudart_size block, void **parameters, size_t shared_bytes,
                                void *stream)
{
    struct wl_device_request request = make_request(function, grid, block, shared_bytes, stream);
    request.parameters = parameters;
    request.is_cooperative = true;
    return launch(function, &request);
}
WL_CUDART_PER_THREAD(cudaLaunchCooperativeKernel, ptsz);

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

struct launch_attribute { /* cudaLaunchAttribute */
    int id;
    char padding[4];
    union {
        int number;
        uint32_t size[3];
        char bytes[64];
    } value;
};

struct launch_config { /* cudaLaunchConfig_t */
    struct wl_cudart_size grid, block;
    size_t shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};

static struct wl_device_request read_config(const struct launch_config *config,
                                            const void *function)
{
    struct wl_device_request request =
        make_request(function, config->grid, config->block, config->shared_bytes, config->stream);
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == ATTRIBUTE_COOPERATIVE)
            request.is_cooperative = attribute->value.number != 0;
        if (attribute->id == ATTRIBUTE_CLUSTER)
            memcpy(request.cluster, attribute->value.size, sizeof request.cluster);
    }
    return request;
}

int cudaLaunchKernelExC(const struct launch_config *config, const void *function, void **parameters)
{
    if (!config)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_request request = read_config(config, function);
    request.parameters = parameters;
    return launch(function, &request);
}
WL_CUDART_PER_THREAD(cudaLaunchKernelExC, ptsz);

/* Asks one of the two questions about clusters. */
static int ask_clusters(int *answer, const void *function, const struct launch_config *config,
                        int (*ask)(const struct wl_device_request *request, uint32_t *answer))
{
    if (!answer || !config)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    const struct wl_device_request request = read_config(config, function);
    uint32_t number = 0;
    int code = request.kernel ? ask(&request, &number) : wl_cudart_unknown_kernel(function);
    if (code == WL_DEVICE_OK)
        *answer = (int)number;
    return wl_cudart_done(code);
}

int cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                   const struct launch_config *config)
{
    return ask_clusters(clusters, function, config, wl_device_clusters_active);
}

int cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                         const struct launch_config *config)
{
    return ask_clusters(size, function, config, wl_device_clusters_largest);
}

unsigned __cudaPushCallConfiguration(struct wl_cudart_size grid, struct wl_cudart_size block,
                                     size_t shared_bytes, void *stream)
{
    if (configuration_count == NESTED_CONFIGURATIONS_MAX)
        return 1;
    configurations[configuration_count++] =
        (struct configuration){grid, block, shared_bytes, stream};
    return 0;
}

int __cudaPopCallConfiguration(struct wl_cudart_size *grid, struct wl_cudart_size *block,
                               size_t *shared_bytes, void *stream)
{
    if (!configuration_count)
        return wl_cudart_done(WL_DEVICE_MISSING_CONFIGURATION);
    const struct configuration *configuration = &configurations[--configuration_count];
    *grid = configuration->grid;
    *block = configuration->block;
    *shared_bytes = configuration->shared_bytes;
    memcpy(stream, &configuration->stream, sizeof configuration->stream);
    return WL_DEVICE_OK;
}

int __cudaGetKernel(const void **handle, const void *function)
{
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    if (!handle)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *handle = kernel;
    return wl_cudart_done(kernel ? WL_DEVICE_OK : wl_cudart_unknown_kernel(function));
}

int cudaGetKernel(const void **handle, const void *function)
{
    return __cudaGetKernel(handle, function);
}

int cudaGetFuncBySymbol(const void **handle, const void *function)
{
    return __cudaGetKernel(handle, function);
}

/* The launch calls of CUDA before 9.2, which clang emits if no newer SDK is named to it. */
int cudaConfigureCall(struct wl_cudart_size grid, struct wl_cudart_size block, size_t shared_bytes,
                      void *stream)
{
    argument_bytes = 0;
    unsigned failed = __cudaPushCallConfiguration(grid, block, shared_bytes, stream);
    return wl_cudart_done(failed ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_OK);
}

int cudaSetupArgument(const void *argument, size_t size_bytes, size_t offset)
{
    if (!argument || size_bytes > ARGUMENTS_MAX_BYTES || offset > ARGUMENTS_MAX_BYTES - size_bytes)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    memcpy(arguments + offset, argument, size_bytes);
    if (offset + size_bytes > argument_bytes)
        argument_bytes = offset + size_bytes;
    return WL_DEVICE_OK;
}

int cudaLaunch(const void *function)
{
    struct wl_cudart_size grid, block;
    size_t shared_bytes;
    void *stream;
    int code = __cudaPopCallConfiguration(&grid, &block, &shared_bytes, (void *)&stream);
    if (code)
        return code;
    struct wl_device_request request = make_request(function, grid, block, shared_bytes, stream);
    request.buffer = arguments;
    request.buffer_bytes = argument_bytes;
    return launch(function, &request);
}

/* ---- properties of kernels ---- */

struct function_attributes { /* cudaFuncAttributes, as of CUDA 12 */
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared_bytes, carveout_pct;
    int needs_clusters, cluster[3], cluster_policy, has_large_clusters; /* CUDA 11 has none */
    int reserved[16];
};

int cudaFuncGetAttributes(struct function_attributes *attributes, const void *function)
{
    struct wl_device_kernel_attributes found;
    struct function_attributes all = {0};
    if (!attributes)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    int code =
        kernel ? wl_device_kernel_attributes(kernel, &found) : wl_cudart_unknown_kernel(function);
    if (code == WL_DEVICE_OK)
        all = (struct function_attributes){
            .shared_bytes = found.shared_bytes,
            .constant_bytes = found.constant_bytes,
            .local_bytes = found.local_bytes,
            .max_threads_per_block = (int)found.max_threads_per_block,
            .registers = (int)found.registers,
            .ptx_version = (int)found.ptx_version,
            .binary_version = (int)found.binary_version,
            .max_dynamic_shared_bytes = (int)found.max_dynamic_shared_bytes,
            .carveout_pct = found.carveout_pct,
            .needs_clusters = found.needs_clusters,
            .cluster = {(int)found.cluster[0], (int)found.cluster[1], (int)found.cluster[2]},
            .has_large_clusters = found.has_large_clusters,
        };
    if (code == WL_DEVICE_OK)
        memcpy(attributes, &all, wl_cudart_version.function_attributes_bytes);
    return wl_cudart_done(code);
}

int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    if (!kernel)
        return wl_cudart_done(wl_cudart_unknown_kernel(function));
    if (attribute == FUNCTION_MAX_DYNAMIC_SHARED)
        return wl_cudart_done(wl_device_kernel_set_dynamic_shared(kernel, value));
    if (attribute == FUNCTION_CARVEOUT)
        return wl_cudart_done(wl_device_kernel_set_carveout(kernel, value));
    if (attribute >= FUNCTION_CLUSTER_WIDTH && attribute < FUNCTION_LARGE_CLUSTERS)
        return wl_cudart_done(
            wl_device_kernel_set_cluster(kernel, attribute - FUNCTION_CLUSTER_WIDTH, value));
    if (attribute == FUNCTION_LARGE_CLUSTERS)
        return wl_cudart_done(wl_device_kernel_allow_large_clusters(kernel, value != 0));
    return wl_cudart_done(attribute == FUNCTION_CLUSTER_POLICY ? WL_DEVICE_OK
                                                               : WL_DEVICE_INVALID_VALUE);
}

int cudaKernelSetAttributeForDevice(const void *kernel, int attribute, int value, int device)
{
    if (device < 0 || device >= wl_device_count())
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    return cudaFuncSetAttribute(kernel, attribute, value);
}

/* Preferences that newer GPUs, whose L1 and shared memory are one, take as hints. */
int cudaFuncSetCacheConfig(const void *function, int config)
{
    (void)config;
    return wl_cudart_done(wl_cudart_find_kernel(function) ? WL_DEVICE_OK
                                                          : wl_cudart_unknown_kernel(function));
}

int cudaFuncSetSharedMemConfig(const void *function, int config)
{
    return cudaFuncSetCacheConfig(function, config);
}

int cudaFuncGetName(const char **name, const void *function)
{
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    if (!name || !kernel)
        return wl_cudart_done(name ? wl_cudart_unknown_kernel(function) : WL_DEVICE_INVALID_VALUE);
    *name = wl_device_kernel_name(kernel);
    return WL_DEVICE_OK;
}

int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size_bytes)
{
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    return wl_cudart_done(kernel ? wl_device_kernel_parameter(kernel, index, offset, size_bytes)
                                 : wl_cudart_unknown_kernel(function));
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                           int block_size, size_t shared_bytes,
                                                           unsigned flags)
{
    struct wl_occupancy occupancy;
    (void)flags;
    if (!blocks || block_size <= 0)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    int code =
        kernel ? wl_device_kernel_occupancy(kernel, (uint32_t)block_size, shared_bytes, &occupancy)
               : wl_cudart_unknown_kernel(function);
    if (code == WL_DEVICE_OK)
        *blocks = (int)occupancy.blocks_per_sm;
    return wl_cudart_done(code);
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                  size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                  shared_bytes, 0);
}

int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, const void *function,
                                              int blocks, int block_size)
{
    struct wl_device_kernel *kernel = wl_cudart_find_kernel(function);
    return wl_cudart_done(
        kernel ? wl_device_kernel_most_shared(kernel, blocks, block_size, shared_bytes)
               : wl_cudart_unknown_kernel(function));
}

struct launch_parameters { /* cudaLaunchParams */
    void *function;
    struct wl_cudart_size grid, block;
    void **parameters;
    size_t shared_bytes;
    void *stream;
};

/* Grids of several devices that wait for each other are refused: one device's is cooperative as
 * any.
 */
int cudaLaunchCooperativeKernelMultiDevice(const struct launch_parameters *launches, unsigned count,
                                           unsigned flags)
{
    (void)flags;
    if (!launches || !count || count > (unsigned)wl_device_count())
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (count > 1)
        return wl_cudart_done(
            wl_device_refuse("cudaLaunchCooperativeKernelMultiDevice on several devices"));
    return cudaLaunchCooperativeKernel(launches->function, launches->grid, launches->block,
                                       launches->parameters, launches->shared_bytes,
                                       launches->stream);
}
