/* Whether a launch is valid. Of one that is not the program gets a code, which many do not look at:
 * why is told once of each kernel. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "device/kernel/run.h"
#include "device/stream/state.h"

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

/* Gives code back. */
__attribute__((format(printf, 4, 5))) static int refuse(struct wl_device_kernel *kernel, int code,
                                                        const char *hint, const char *format, ...)
{
    if (kernel->is_refusal_told)
        return code;
    kernel->is_refusal_told = true;
    struct wl_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    wl_error_set_hint(&error, "%s", hint);
    wl_device_kernel_note(kernel, "launch-refused", "is not launched", &error);
    return code;
}

static int check_shape(const struct wl_device_request *request)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    const struct {
        const char *name;
        const uint32_t *size, *most;
    } shapes[] = {{"grid", request->grid, gpu->max_grid_dim},
                  {"block", request->block, gpu->max_block_dim}};
    for (int i = 0; i < 2; i++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t size = shapes[i].size[axis], most = shapes[i].most[axis];
            if (!size || size > most)
                return refuse(request->kernel, WL_DEVICE_INVALID_CONFIGURATION, "",
                              "its %s is %" PRIu32 " along %c, where 1 to %" PRIu32 " are allowed",
                              shapes[i].name, size, "xyz"[axis], most);
        }
    if (product(request->block) > gpu->max_threads_per_block)
        return refuse(request->kernel, WL_DEVICE_INVALID_CONFIGURATION, "",
                      "its blocks are of %" PRIu64 " threads, where %" PRIu32 " are allowed",
                      product(request->block), gpu->max_threads_per_block);
    return WL_DEVICE_OK;
}

void wl_device_request_occupancy(const struct wl_device_request *request,
                                 struct wl_occupancy *occupancy)
{
    const struct wl_device_kernel *kernel = request->kernel;
    struct wl_occupancy_input input = {
        .registers_per_thread = kernel->info.registers_per_thread,
        .threads_per_block = (uint32_t)product(request->block),
        .shared_static_bytes = kernel->program->shared_static_bytes,
        .shared_dynamic_bytes = (uint32_t)request->shared_dynamic_bytes,
        .barriers = kernel->program->barrier_count,
        .carveout_pct = kernel->carveout_pct,
    };
    wl_occupancy_compute(&wl_device.gpu, &input, occupancy);
}

static int check_shared(const struct wl_device_request *request)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    const struct wl_device_kernel *kernel = request->kernel;
    const uint32_t of_itself = kernel->program->shared_static_bytes;
    const uint64_t shared = request->shared_dynamic_bytes + of_itself;
    uint64_t limit = gpu->shared_per_block_bytes;
    if (of_itself + (uint64_t)kernel->dynamic_shared_limit_bytes > limit)
        limit = of_itself + (uint64_t)kernel->dynamic_shared_limit_bytes;
    if (shared <= limit)
        return WL_DEVICE_OK;
    return refuse(request->kernel, WL_DEVICE_INVALID_VALUE,
                  shared > gpu->shared_per_block_optin_bytes
                      ? "no block of this GPU can have so much"
                      : "cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize "
                        "allows more",
                  "its blocks ask for %" PRIu64 " bytes of shared memory, where %" PRIu64
                  " are allowed",
                  shared, limit);
}

static int check_resources(const struct wl_device_request *request)
{
    struct wl_device_kernel *kernel = request->kernel;
    const struct wl_program *program = kernel->program;
    const uint64_t threads = product(request->block), blocks = product(request->grid);
    const int code = check_shared(request);
    if (code)
        return code;
    if (program->max_threads_per_block && threads > program->max_threads_per_block)
        return refuse(kernel, WL_DEVICE_INVALID_VALUE, "",
                      "its blocks are of %" PRIu64 " threads, and it was compiled for %" PRIu32
                      " at most (__launch_bounds__)",
                      threads, program->max_threads_per_block);
    struct wl_occupancy occupancy = {0};
    wl_device_kernel_fit_estimate(kernel, (uint32_t)threads);
    wl_device_request_occupancy(request, &occupancy);
    if (!occupancy.blocks_per_sm)
        return refuse(kernel, WL_DEVICE_OUT_OF_RESOURCES,
                      "use smaller blocks, or __launch_bounds__ with the size of the block",
                      "an SM cannot hold a block of %" PRIu64 " threads with %" PRIu32
                      " registers each",
                      threads, kernel->info.registers_per_thread);
    const uint64_t at_once = (uint64_t)occupancy.blocks_per_sm * wl_device.gpu.sm_count;
    if (request->is_cooperative && blocks > at_once)
        return refuse(kernel, WL_DEVICE_COOPERATIVE_TOO_LARGE, "",
                      "its cooperative grid has %" PRIu64 " blocks, and this GPU holds %" PRIu64
                      " at once",
                      blocks, at_once);
    return WL_DEVICE_OK;
}

int wl_device_launch_check(const struct wl_device_request *asked,
                           struct wl_device_request *with_clusters,
                           struct wl_device_stream_info *stream)
{
    int code = wl_device_state_check();
    *with_clusters = *asked;
    if (code)
        return code;
    if (!asked->kernel)
        return WL_DEVICE_INVALID_FUNCTION;
    code = wl_device_stream_find(asked->stream, stream);
    if (code)
        return code;
    code = check_shape(asked);
    if (code || wl_device_kernel_open(asked->kernel))
        return code;
    code = wl_device_cluster_resolve(with_clusters);
    return code ? code : check_resources(with_clusters);
}
