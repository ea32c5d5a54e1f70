#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "device/core/handles.h"
#include "device/kernel/lengths.h"
#include "device/kernel/predict.h"
#include "device/kernel/repeats.h"
#include "device/kernel/state.h"
#include "device/kernel/watch.h"
#include "device/memory/state.h"
#include "device/stream/state.h"
#include "device/texture/state.h"

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

static void compute_occupancy(const struct wl_device_request *request,
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
    compute_occupancy(request, &occupancy);
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
        if (!request->parameters[i])
            return WL_DEVICE_INVALID_VALUE;
        memcpy(*packed + parameter->offset, request->parameters[i], parameter->size_bytes);
    }
    return WL_DEVICE_OK;
}

/* What was asked of ptxas: "ca" or "cg" behind -dlcm or --def-load-cache; 0 if nothing. */
static char recorded_load_cache(const char *options)
{
    static const char *const names[] = {"dlcm", "def-load-cache"};
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        const char *at = strstr(options, names[i]);
        if (!at)
            continue;
        at += strlen(names[i]);
        at += strspn(at, "= ");
        if (at[0] == 'c' && (at[1] == 'a' || at[1] == 'g'))
            return at[1];
    }
    return 0;
}

static bool caches_global_loads(const struct wl_device_image *image)
{
    if (wl_device.options.l1_global != WL_OVERRIDE_NONE)
        return wl_device.options.l1_global == WL_OVERRIDE_ON;
    char asked = image ? recorded_load_cache(image->info.options) : 0;
    return asked ? asked == 'a' : wl_device.gpu.l1_global_loads == WL_L1_ON;
}

static void describe(const struct wl_device_request *request, uint32_t stream_id,
                     struct wl_device_launch *launch)
{
    const struct wl_device_kernel *kernel = request->kernel;
    *launch = (struct wl_device_launch){
        .id = wl_device_number_next(WL_DEVICE_NUMBER_LAUNCH),
        .kernel = kernel->program ? &kernel->info : NULL,
        .module = kernel->image ? &kernel->image->info : NULL,
        .mangled = kernel->name,
        .context_id = WL_DEVICE_CONTEXT_ID,
        .stream_id = stream_id,
        .shared_dynamic_bytes = (uint32_t)request->shared_dynamic_bytes,
        .is_cooperative = request->is_cooperative,
        .cluster = {request->cluster[0], request->cluster[1], request->cluster[2]},
        .l1_global_loads = caches_global_loads(kernel->image),
        .start_ns = wl_clock_realtime_ns(),
    };
    memcpy(launch->grid, request->grid, sizeof launch->grid);
    memcpy(launch->block, request->block, sizeof launch->block);
}

static bool observe_begin(const struct wl_device_launch *launch)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    return observer && observer->launch_begin && observer->launch_begin(observer->self, launch);
}

static void observe_end(const struct wl_device_launch *launch, const struct wl_sim_counts *counts,
                        const struct wl_error *error)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (observer && observer->launch_end)
        observer->launch_end(observer->self, launch, counts, error);
}

/* The kernel cannot run at all: the launch is reported, and the program gets the kernel's error. */
static int report_refused(const struct wl_device_request *request, uint32_t stream_id)
{
    struct wl_device_launch launch;
    describe(request, stream_id, &launch);
    observe_begin(&launch);
    observe_end(&launch, NULL, &request->kernel->error);
    return request->kernel->code;
}

/* Errors of a running kernel that break the context. */
static int code_of_fault(enum wl_sim_fault fault)
{
    static const int codes[] = {
        [WL_SIM_FAULT_NONE] = WL_DEVICE_LAUNCH_FAILURE,
        [WL_SIM_FAULT_ILLEGAL_ADDRESS] = WL_DEVICE_ILLEGAL_ADDRESS,
        [WL_SIM_FAULT_MISALIGNED] = WL_DEVICE_MISALIGNED,
        [WL_SIM_FAULT_TRAP] = WL_DEVICE_LAUNCH_FAILURE,
        [WL_SIM_FAULT_ASSERT] = WL_DEVICE_ASSERT,
        [WL_SIM_FAULT_ILLEGAL_INSTRUCTION] = WL_DEVICE_ILLEGAL_INSTRUCTION,
        [WL_SIM_FAULT_UNSUPPORTED] = WL_DEVICE_NOT_SUPPORTED,
        [WL_SIM_FAULT_BUDGET] = WL_DEVICE_LAUNCH_TIMEOUT,
    };
    return (size_t)fault < WL_COUNT(codes) ? codes[fault] : WL_DEVICE_LAUNCH_FAILURE;
}

/* How much of the GPU the launch fills. */
static double share_of(const struct wl_device_request *request)
{
    struct wl_occupancy occupancy = {0};
    compute_occupancy(request, &occupancy);
    double room = (double)occupancy.blocks_per_sm * wl_device.gpu.sm_count;
    double share = (double)product(request->grid) / room;
    return share < 1 ? share : 1;
}

/* length_ns: as predicted for this launch, or 0. */
static void place_on_timeline(const struct wl_device_request *request,
                              const struct wl_device_launch *launch, const uint8_t *parameters,
                              uint64_t length_ns)
{
    enum wl_device_length length = WL_DEVICE_LENGTH_PREDICTED;
    if (length_ns) {
        wl_device_length_keep(request, parameters, length_ns);
    } else {
        length_ns = wl_device_length_find(request, parameters);
        length = length_ns ? WL_DEVICE_LENGTH_REPEATED : WL_DEVICE_LENGTH_GAP;
    }
    wl_device_timeline_kernel(request->stream, launch, share_of(request), length, length_ns);
}

static void make_input(const struct wl_device_request *request, const uint8_t *parameters,
                       struct wl_sim_launch *input)
{
    const struct wl_device_kernel *kernel = request->kernel;
    wl_device_memory_list();
    *input = (struct wl_sim_launch){
        .program = kernel->program,
        .shared_dynamic_bytes = (uint32_t)request->shared_dynamic_bytes,
        .parameters = parameters,
        .ranges = wl_device_memory.ranges.items,
        .range_count = wl_device_memory.ranges.count,
        .pages = wl_device_memory.pages.items,
        .page_count = wl_device_memory.pages.count,
        .freed = wl_device_memory.freed.items,
        .freed_count = wl_device_memory.freed.count,
        .textures = (const struct wl_texture *const *)wl_device_textures.items,
        .texture_count = wl_device_textures.count,
        .unwritten = wl_device_memory.unwritten,
        .registers_per_thread = kernel->info.registers_per_thread,
        .carveout_pct = kernel->carveout_pct,
        .is_cooperative = request->is_cooperative,
        .cluster = {request->cluster[0], request->cluster[1], request->cluster[2]},
        .start_ns = wl_device_timeline_begin(request->stream),
    };
    input->start_cycles = (uint64_t)((double)(input->start_ns - wl_device.origin_ns) *
                                     wl_device.gpu.sm_clock_hz / 1e9);
    memcpy(input->grid, request->grid, sizeof input->grid);
    memcpy(input->block, request->block, sizeof input->block);
}

/* What the end of a launch that failed does to the context. */
static int end_failed(const struct wl_device_kernel *kernel, enum wl_code code,
                      enum wl_sim_fault fault, const struct wl_error *error)
{
    bool is_unsupported = code == WL_ERR_UNSUPPORTED || fault == WL_SIM_FAULT_UNSUPPORTED;
    wl_device_kernel_note(kernel, is_unsupported ? "unsupported-kernel" : "kernel-fault", "stopped",
                          error);
    if (is_unsupported)
        return WL_DEVICE_NOT_SUPPORTED;
    wl_device.sticky_code = code_of_fault(fault);
    return WL_DEVICE_OK;
}

/* What the findings missed, where it is a variable. */
static void name_variables(struct wl_sim_counts *counts)
{
    for (size_t i = 0; i < counts->finding_count; i++) {
        struct wl_finding_place *place = &counts->findings[i].place;
        if (counts->findings[i].space == WL_SITE_GLOBAL && place->where != WL_PLACE_NONE)
            place->variable = wl_device_module_variable_at(place->start);
    }
}

static void take_children(struct wl_sim_counts *counts, struct wl_device_children *made)
{
    *made = (struct wl_device_children){counts->children, counts->child_count, counts->child_count};
    counts->children = NULL;
    counts->child_count = 0;
}

/* Executes the launch, if it is not one that nobody counts and whose outcome is known. */
static enum wl_code execute_or_spare(const struct wl_device_request *request,
                                     const struct wl_sim_launch *input,
                                     struct wl_sim_options *options, struct wl_sim_counts *counts,
                                     struct wl_error *error)
{
    const struct wl_device_options *asked = &wl_device.options;
    const bool is_plain = !options->count && !options->checks && !options->budget &&
                          !asked->interpret && !asked->execute_repeats;
    struct wl_device_repeat *repeat =
        is_plain ? wl_device_repeat_find(request, input->parameters) : NULL;
    if (repeat && wl_device_repeat_spare(repeat, input, options))
        return WL_OK;
    enum wl_code code = wl_sim_run(wl_device_kernels.sim, input, options, counts, error);
    if (repeat)
        wl_device_repeat_note(repeat, input, options,
                              code == WL_OK && !counts->finding_count && !counts->child_count,
                              counts->wall_ns);
    return code;
}

static int run(const struct wl_device_request *request, uint32_t stream_id,
               const uint8_t *parameters, struct wl_device_children *made)
{
    const struct wl_device_options *asked = &wl_device.options;
    struct wl_device_launch launch;
    struct wl_device_watch watch = {.launch = &launch, .program = request->kernel->program};
    struct wl_sim_launch input;
    struct wl_sim_counts counts = {0};
    struct wl_error error = {0};
    describe(request, stream_id, &launch);
    make_input(request, parameters, &input);
    bool is_wanted = observe_begin(&launch);
    bool is_timed =
        !asked->skip_prediction &&
        (is_wanted || (asked->predict_all && !wl_device_length_find(request, parameters)));
    struct wl_sim_options options = {
        .threads = asked->threads,
        .count = is_wanted || is_timed,
        .budget = asked->budget,
        .keep_caches = asked->keep_caches,
        .engine = asked->interpret ? WL_ENGINE_INTERPRET : WL_ENGINE_CHOOSE,
        .l1_global_loads = launch.l1_global_loads,
        .progress = wl_device_watch_progress,
        .progress_self = &watch,
        .checks = asked->checks, /* of others too: they write what others read */
        .stop_at_finding = is_wanted && asked->stop_at_finding,
    };
    struct wl_trace traces[WL_DEVICE_TRACES], goes_on = {0};
    uint64_t blocks = (uint64_t)input.grid[0] * input.grid[1] * input.grid[2];
    uint32_t trace_count = is_timed ? wl_device_traces_begin(blocks, traces) : 0;
    options.traces = traces;
    options.trace_count = trace_count;
    options.alone = is_timed ? &goes_on : NULL;
    enum wl_code code = execute_or_spare(request, &input, &options, &counts, &error);
    uint64_t length_ns = is_timed && code == WL_OK
                             ? wl_device_predict(request->kernel, &input, traces, trace_count,
                                                 &goes_on, is_wanted, &counts)
                             : 0;
    for (uint32_t i = 0; i < trace_count; i++)
        wl_trace_free(&traces[i]);
    wl_trace_free(&goes_on);
    name_variables(&counts);
    observe_end(&launch, is_wanted ? &counts : NULL, &error);
    place_on_timeline(request, &launch, parameters, length_ns);
    int result = code ? end_failed(request->kernel, code, counts.fault, &error) : WL_DEVICE_OK;
    take_children(&counts, made);
    wl_sim_counts_free(&counts);
    return result;
}

int wl_device_launch_one(const struct wl_device_request *asked, struct wl_device_children *made)
{
    struct wl_device_request with_clusters = *asked, *const request = &with_clusters;
    struct wl_device_stream_info stream;
    uint8_t *parameters = NULL;
    int code = wl_device_state_check();
    if (code)
        return code;
    if (!request->kernel)
        return WL_DEVICE_INVALID_FUNCTION;
    code = wl_device_stream_find(request->stream, &stream);
    if (code)
        return code;
    code = check_shape(request);
    if (code)
        return code;
    if (wl_device_kernel_open(request->kernel))
        return report_refused(request, stream.id);
    code = wl_device_cluster_resolve(request);
    if (code == WL_DEVICE_OK)
        code = check_resources(request);
    if (code)
        return code;
    code = pack_parameters(request, &parameters);
    if (code == WL_DEVICE_OK)
        code = run(request, stream.id, parameters, made);
    free(parameters);
    return code;
}

int wl_device_launch_now(const struct wl_device_request *request)
{
    struct wl_device_children made = {0};
    wl_device_enter();
    int code = wl_device_launch_one(request, &made);
    wl_device_children_run(request, &made);
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
