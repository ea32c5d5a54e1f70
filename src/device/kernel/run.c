/* One launch: what goes before its kernel runs, the run, and what comes of it. */
#include "device/kernel/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/demangle.h"
#include "base/memory.h"
#include "device/core/beside.h"
#include "device/kernel/lengths.h"
#include "device/kernel/predict.h"
#include "device/kernel/repeats.h"
#include "device/kernel/watch.h"
#include "device/memory/state.h"
#include "device/stream/state.h"
#include "device/texture/state.h"

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
int wl_device_run_refused(const struct wl_device_request *request, uint32_t stream_id)
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
    wl_device_request_occupancy(request, &occupancy);
    double room = (double)occupancy.blocks_per_sm * wl_device.gpu.sm_count;
    double share = (double)request->grid[0] * request->grid[1] * request->grid[2] / room;
    return share < 1 ? share : 1;
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

/* Executes the launch, if it is not one that nobody counts and whose outcome is known, or can be
 * had without. */
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
    const uint64_t begin_ns = wl_clock_monotonic_ns();
    enum wl_code code = WL_OK;
    if (is_plain && wl_device_direct_run(request->kernel, input, options))
        counts->wall_ns = wl_clock_monotonic_ns() - begin_ns;
    else
        code = wl_sim_run(wl_device_kernels.sim, input, options, counts, error);
    if (repeat)
        wl_device_repeat_note(repeat, input, options,
                              code == WL_OK && !counts->finding_count && !counts->child_count,
                              counts->wall_ns);
    return code;
}

/* ---- a launch ---- */

/* Lists that a kernel beside the host keeps: the device makes new ones. */
struct lists {
    struct wl_sim_range *ranges, *pages, *freed;
};

struct run {
    struct wl_device_request request; /* its parameters are packed */
    uint8_t *parameters;
    struct wl_device_launch launch;
    struct wl_device_watch watch;
    struct wl_sim_launch input;
    struct lists lists;
    struct wl_sim_options options;
    struct wl_sim_counts counts;
    struct wl_error error;
    struct wl_trace traces[WL_DEVICE_TRACES], goes_on;
    struct wl_sim_work *work;
    int device; /* of the thread that asked */
    bool is_wanted, is_timed;
    double library_ns; /* what a library's own kernels would take; 0: the launch takes its time */
    enum wl_code code;
};

static void begin(struct run *run, uint32_t stream_id)
{
    const struct wl_device_options *asked = &wl_device.options;
    const struct wl_device_request *request = &run->request;
    describe(request, stream_id, &run->launch);
    run->watch =
        (struct wl_device_watch){.launch = &run->launch, .program = request->kernel->program};
    make_input(request, run->parameters, &run->input);
    run->library_ns = asked->skip_prediction ? 0 : wl_device_library_ns(request, &run->input);
    run->launch.is_library_time = run->library_ns > 0;
    run->is_wanted = observe_begin(&run->launch);
    run->is_timed = !asked->skip_prediction && !run->launch.is_library_time &&
                    (run->is_wanted ||
                     (asked->predict_all && !wl_device_length_find(request, run->parameters)));
    run->options = (struct wl_sim_options){
        .threads = asked->threads,
        .count = run->is_wanted || run->is_timed,
        .budget = asked->budget,
        .keep_caches = asked->keep_caches,
        .engine = asked->interpret ? WL_ENGINE_INTERPRET : WL_ENGINE_CHOOSE,
        .l1_global_loads = run->launch.l1_global_loads,
        .progress = wl_device_watch_progress,
        .progress_self = &run->watch,
        .checks = asked->checks, /* of others too: they write what others read */
        .stop_at_finding = run->is_wanted && asked->stop_at_finding,
        .traces = run->traces,
        .alone = run->is_timed ? &run->goes_on : NULL,
    };
    const uint32_t *grid = run->input.grid;
    if (run->is_timed)
        run->options.trace_count =
            wl_device_traces_begin((uint64_t)grid[0] * grid[1] * grid[2], run->traces);
}

/* length_ns: as predicted for this launch, or 0. What one took that waited for the host tells
 * nothing of others. */
static void place_on_timeline(const struct run *run, uint64_t length_ns)
{
    const struct wl_device_request *request = &run->request;
    const bool has_waited = run->watch.has_let_go && run->watch.is_long;
    enum wl_device_length length = WL_DEVICE_LENGTH_PREDICTED;
    if (length_ns) {
        if (!has_waited)
            wl_device_length_keep(request, run->parameters, length_ns);
    } else {
        if (!has_waited)
            length_ns = wl_device_length_find(request, run->parameters);
        length = length_ns ? WL_DEVICE_LENGTH_REPEATED : WL_DEVICE_LENGTH_GAP;
    }
    wl_device_timeline_kernel(request->stream, &run->launch, share_of(request), length, length_ns);
}

/* Nanoseconds that the launch takes, 0: not known; adds what is known of them to its counts. */
static uint64_t predict(struct run *run)
{
    if (run->code != WL_OK)
        return 0;
    if (run->launch.is_library_time) {
        if (run->is_wanted)
            wl_device_add_library_time(run->library_ns, &run->counts);
        return (uint64_t)(run->library_ns + 0.5);
    }
    return run->is_timed ? wl_device_predict(run->request.kernel, &run->input, run->traces,
                                             run->options.trace_count, &run->goes_on,
                                             run->is_wanted, &run->counts)
                         : 0;
}

/* What comes of the run. Frees what it has. */
static int end(struct run *run, struct wl_device_children *made)
{
    const struct wl_device_request *request = &run->request;
    const uint64_t length_ns = predict(run);
    for (uint32_t i = 0; i < run->options.trace_count; i++)
        wl_trace_free(&run->traces[i]);
    wl_trace_free(&run->goes_on);
    name_variables(&run->counts);
    observe_end(&run->launch, run->is_wanted ? &run->counts : NULL, &run->error);
    place_on_timeline(run, length_ns);
    if (run->counts.asserted)
        wl_device_tell(run->counts.asserted);
    int result = run->code ? end_failed(request->kernel, run->code, run->counts.fault, &run->error)
                           : WL_DEVICE_OK;
    take_children(&run->counts, made);
    wl_sim_counts_free(&run->counts);
    free(run->parameters);
    return result;
}

static int run_here(const struct wl_device_request *request, uint32_t stream_id,
                    uint8_t *parameters, struct wl_device_children *made)
{
    struct run run = {.request = *request, .parameters = parameters};
    begin(&run, stream_id);
    run.code = execute_or_spare(request, &run.input, &run.options, &run.counts, &run.error);
    return end(&run, made);
}

/* ---- beside the host ---- */

/* Whether the kernel may wait for what the host does after its launch. */
static bool may_wait(const struct wl_device_kernel *kernel)
{
    const struct wl_program *program = kernel->program;
    return program && program->has_loop && program->lanes_may_wait && program->blocks_communicate;
}

/* Takes the lists from the device, whose others calls may change. */
static void keep_lists(struct run *run)
{
    struct wl_device_ranges *freed = &wl_device_memory.freed, kept = {0};
    for (size_t i = 0; i < freed->count; i++)
        WL_PUSH(&kept, freed->items[i]);
    run->lists =
        (struct lists){wl_device_memory.ranges.items, wl_device_memory.pages.items, freed->items};
    wl_device_memory.ranges = wl_device_memory.pages = (struct wl_device_ranges){0};
    wl_device_memory.ranges_are_stale = true;
    *freed = kept;
}

static void advance(void *self)
{
    struct run *run = self;
    wl_device_select(run->device);
    while (!wl_sim_advance(run->work))
        ;
}

static void say_beside(const struct run *run)
{
    char *name = wl_demangle(run->launch.mangled);
    wl_device_note(
        WL_NOTE_INFO, "kernel-beside", "see \"Kernels that poll\" in simulated-runtime.md",
        "launch %llu of kernel %s ran beside the host: if it waited for that, its counts "
        "and its time hang on when the host let it go",
        (unsigned long long)run->launch.id, name);
    free(name);
}

static int end_and_free(struct run *run)
{
    struct wl_device_children made = {0};
    const struct lists lists = run->lists;
    const struct wl_device_request request = run->request;
    if (run->work)
        run->code = wl_sim_end(run->work, &run->error);
    if (run->is_wanted && run->watch.has_let_go && run->watch.is_long)
        say_beside(run);
    int code = end(run, &made);
    free(lists.ranges);
    free(lists.pages);
    free(lists.freed);
    free(run);
    wl_device_children_run(&request, &made);
    return code;
}

/* The host went on: there is no call to return an error to. */
static void end_beside(void *self)
{
    struct run *run = self;
    wl_device_stream_expect(run->request.stream, -1);
    int code = end_and_free(run);
    if (code && !wl_device.sticky_code)
        wl_device.sticky_code = code;
}

/* Runs here until it seems to wait, then beside the host. */
static int run_or_leave(const struct wl_device_request *request, uint32_t stream_id,
                        uint8_t *parameters)
{
    struct run *run = wl_alloc_zero(1, sizeof *run);
    run->request = *request;
    run->parameters = parameters;
    run->device = wl_device_current();
    begin(run, stream_id);
    run->code = wl_sim_begin(wl_device_kernels.sim, &run->input, &run->options, &run->counts,
                             &run->work, &run->error);
    if (run->code)
        return end_and_free(run);
    if (wl_device_beside_is_own()) { /* in its turn: the host goes on all the time */
        run->watch.has_let_go = true;
        keep_lists(run);
        wl_device_leave();
        advance(run);
        wl_device_enter();
        return end_and_free(run);
    }
    run->watch.may_let_go = true;
    const bool is_done = wl_sim_advance(run->work);
    if (!is_done && run->watch.has_let_go &&
        wl_device_beside_begin(&(struct wl_device_task){advance, end_beside, run})) {
        keep_lists(run);
        wl_device_stream_expect(request->stream, 1);
        return WL_DEVICE_OK;
    }
    run->watch.may_let_go = run->watch.has_let_go = false;
    if (!is_done)
        advance(run);
    return end_and_free(run);
}

int wl_device_run(const struct wl_device_request *request, uint32_t stream_id, uint8_t *parameters,
                  struct wl_device_children *made)
{
    if (!made && may_wait(request->kernel))
        return run_or_leave(request, stream_id, parameters);
    struct wl_device_children own = {0};
    int code = run_here(request, stream_id, parameters, made ? made : &own);
    if (!made)
        wl_device_children_run(request, &own);
    return code;
}
