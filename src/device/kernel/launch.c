/* Launches: whether they are valid, and their arguments. */
#include "device/kernel/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/memory/state.h"
#include "device/stream/state.h"

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static int check_shape(const struct wl_device_request *request)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    for (int i = 0; i < 3; i++)
        if (!request->grid[i] || request->grid[i] > gpu->max_grid_dim[i] || !request->block[i] ||
            request->block[i] > gpu->max_block_dim[i])
            return WL_DEVICE_INVALID_CONFIGURATION;
    if (product(request->block) > gpu->max_threads_per_block)
        return WL_DEVICE_INVALID_CONFIGURATION;
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

static int check_resources(const struct wl_device_request *request)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    const struct wl_device_kernel *kernel = request->kernel;
    const struct wl_program *program = kernel->program;
    uint64_t shared = request->shared_dynamic_bytes + program->shared_static_bytes;
    uint64_t limit = gpu->shared_per_block_bytes;
    if (program->shared_static_bytes + (uint64_t)kernel->dynamic_shared_limit_bytes > limit)
        limit = program->shared_static_bytes + (uint64_t)kernel->dynamic_shared_limit_bytes;
    if (shared > limit)
        return WL_DEVICE_INVALID_VALUE;
    if (program->max_threads_per_block && product(request->block) > program->max_threads_per_block)
        return WL_DEVICE_INVALID_VALUE;
    struct wl_occupancy occupancy = {0};
    wl_device_kernel_fit_estimate(request->kernel, (uint32_t)product(request->block));
    wl_device_request_occupancy(request, &occupancy);
    if (!occupancy.blocks_per_sm)
        return WL_DEVICE_OUT_OF_RESOURCES;
    if (request->is_cooperative &&
        product(request->grid) > (uint64_t)occupancy.blocks_per_sm * gpu->sm_count)
        return WL_DEVICE_COOPERATIVE_TOO_LARGE;
    return WL_DEVICE_OK;
}

/* Lays the arguments out as the kernel's .param list says; free() the result. */
static int pack_parameters(const struct wl_device_request *request, uint8_t **packed)
{
    const struct wl_program *program = request->kernel->program;
    *packed = wl_alloc_zero(program->parameter_bytes + 1, 1);
    if (!request->parameters) {
        if (program->parameter_count && !request->buffer)
            return WL_DEVICE_INVALID_VALUE;
        size_t bytes = request->buffer_bytes;
        if (bytes > (program->parameter_bytes + 7u) / 8 * 8)
            return WL_DEVICE_OUT_OF_RESOURCES;
        if (bytes > program->parameter_bytes)
            bytes = program->parameter_bytes;
        if (bytes)
            memcpy(*packed, request->buffer, bytes);
        return WL_DEVICE_OK;
    }
    for (uint32_t i = 0; i < program->parameter_count; i++) {
        const struct wl_program_parameter *parameter = &program->parameters[i];
        const uint64_t place = (uint64_t)(uintptr_t)request->parameters[i];
        struct wl_device_allocation found;
        if (!place)
            return WL_DEVICE_INVALID_VALUE;
        if (wl_device_request_is_late(request, i) && !wl_device_memory_look(place, &found))
            return WL_DEVICE_ILLEGAL_ADDRESS; /* freed since */
        memcpy(*packed + parameter->offset, request->parameters[i], parameter->size_bytes);
    }
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

int wl_device_launch_one(const struct wl_device_request *asked, struct wl_device_children *made)
{
    struct wl_device_request request;
    struct wl_device_stream_info stream;
    uint8_t *parameters = NULL;
    int code = wl_device_launch_check(asked, &request, &stream);
    if (code)
        return code;
    if (request.kernel->code)
        return wl_device_run_refused(&request, stream.id);
    code = pack_parameters(&request, &parameters);
    if (code == WL_DEVICE_OK)
        return wl_device_run(&request, stream.id, parameters, made);
    free(parameters);
    return code;
}

int wl_device_launch_now(const struct wl_device_request *request)
{
    wl_device_enter();
    int code = wl_device_launch_one(request, NULL);
    wl_device_leave();
    return code;
}

bool wl_device_heap_leak(uint32_t *number, struct wl_sim_leak *leak)
{
    if (!wl_device_try_enter())
        return false;
    const bool is_found = wl_device_kernels.sim && !wl_device.sticky_code && !wl_device.is_forked &&
                          wl_sim_leak(wl_device_kernels.sim, number, leak);
    wl_device_leave();
    return is_found;
}
