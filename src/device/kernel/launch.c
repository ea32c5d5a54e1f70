/* Launches and their arguments. */
#include "device/kernel/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/memory/state.h"
#include "device/stream/state.h"

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
