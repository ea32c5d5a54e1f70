#include "collect/cupti/collector.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/activities.h"
#include "collect/cupti/callbacks.h"
#include "collect/cupti/calls.h"
#include "collect/cupti/events.h"
#include "collect/cupti/state.h"
#include "hardware/activity.h"

/* The first launches alike are counted, the first thousand recorded; few where they are only
 * sampled together, as then a record has nothing of its own. Where passes are ours one is enough,
 * as later ones carry passes, too. */
enum {
    counted_max = 4,
    counted_max_own = 1,
    spread_after = 2,
    recorded_max = 1000,
    kept_max = 64, /* where what is counted is kept from run to run of the program */
    recorded_sampled_max = 16
};

struct collector {
    struct wl_measure measure; /* first: room-internal functions take its address */
    struct wl_cupti cupti;
    struct wl_cupti_subscriber *subscriber;
    bool is_abandoned;
    bool has_filter;                         /* launches must be told to it one by one */
    struct wl_measure_group *_Atomic passed; /* the group of the last launch that was left out */
};

/* Those that are counted are sent with their batch. */
static void settled(struct wl_measure *measure, struct wl_measure_launch *launch)
{
    const struct wl_settings *settings = measure->input.settings;
    struct wl_measure_kernel *kernel = launch->kernel;
    if (strcmp(launch->replay, "none") != 0)
        return;
    if (wl_measure_takes_turns(measure) && settings->pc_samples) {
        struct wl_measure_launch *before = kernel->bearer;
        kernel->bearer = launch;
        launch = before;
    }
    if (launch)
        wl_measure_wait_for_time(measure, launch);
}

/* The launches that bear what was counted for all like them. */
static void end_bearers(struct collector *collector)
{
    struct wl_measure_kernel *kernel, *next;
    struct wl_measure_group *group, *following;
    HASH_ITER(hh, collector->measure.groups, group, following)
    {
        struct wl_measure_launch *bearer = wl_measure_spread_take(group);
        if (bearer)
            wl_measure_wait_for_time(&collector->measure, bearer);
    }
    HASH_ITER(hh, collector->measure.kernels, kernel, next)
    {
        wl_measure_bear(kernel);
        if (kernel->bearer)
            wl_measure_wait_for_time(&collector->measure, kernel->bearer);
        kernel->bearer = NULL;
    }
}

static uint64_t most_recorded(const struct wl_measure *measure)
{
    const struct wl_settings *settings = measure->input.settings;
    bool is_only_sampled = settings->pc_samples && !settings->counters[0];
    return is_only_sampled && !settings->interactive ? recorded_sampled_max : recorded_max;
}

static void note_left_out(struct collector *collector)
{
    uint64_t recorded = most_recorded(&collector->measure);
    struct wl_measure_group *group, *next;
    HASH_ITER(hh, collector->measure.groups, group, next)
    {
        if (group->left_out == 0)
            continue;
        char *text = wl_string_format(
            "%llu of %llu like launches of %s are left out", (unsigned long long)group->left_out,
            (unsigned long long)(recorded + group->left_out), group->key.kernel->demangled);
        wl_measure_note(&collector->measure, WL_NOTE_INFO, "launches-left-out", text,
                        "--replay-mode kernel records all, and counts at each");
        free(text);
        group->left_out = 0;
    }
}

/* ---- launches ---- */

bool wl_cupti_event_is_launch(uint32_t call)
{
    return wl_measure_find_launch_call(call) < WL_MEASURE_LAUNCH_CALL_COUNT;
}

/* "a/b"; free() it. */
static char *join_ranges(const char *const *ranges, size_t count)
{
    struct wl_text joined = {0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            wl_text_add_char(&joined, '/');
        wl_text_add(&joined, ranges[i] + (ranges[i][0] == '@')); /* "@name": default domain */
    }
    return wl_text_take(&joined);
}

/* What becomes of a launch. spread: it carries a pass if it is its turn. */
enum fate { FATE_UNWANTED, FATE_LEFT_OUT, FATE_FREE, FATE_SPREAD, FATE_COUNTED };

/* Of a launch that is one of very many. */
static enum fate decide_among(const struct wl_measure *measure,
                              const struct wl_measure_context *context,
                              const struct wl_measure_group *group, uint64_t before)
{
    const struct wl_settings *settings = measure->input.settings;
    bool has_own = wl_measure_has_own_passes(measure);
    bool is_auto = settings->replay == WL_REPLAY_AUTO;
    uint64_t counted = has_own ? counted_max_own : counted_max;
    if (!settings->counters[0] || context->counters == WL_MEASURE_OFF)
        return FATE_FREE;
    if (wl_measure_is_sampled_free(measure, context, group->key.kernel))
        return FATE_FREE;
    if (settings->replay == WL_REPLAY_KERNEL || (is_auto && group->counted < counted))
        return FATE_COUNTED;
    if (settings->replay == WL_REPLAY_APPLICATION)
        return before < kept_max && !wl_measure_images_are_full(measure) ? FATE_COUNTED : FATE_FREE;
    bool can_spread =
        settings->replay == WL_REPLAY_SPREAD || (is_auto && has_own && before >= spread_after);
    return can_spread && !group->spread.is_done ? FATE_SPREAD : FATE_FREE;
}

static enum fate decide(struct wl_measure *measure, const struct wl_measure_context *context,
                        const struct wl_measure_request *request,
                        const struct wl_filter_launch *asked, struct wl_measure_kernel *kernel,
                        struct wl_measure_group **group)
{
    struct wl_measure_group_key key;
    memset(&key, 0, sizeof key);
    if (measure->input.settings->interactive)
        wl_measure_flush_all(measure); /* who is asked wants to see those before */
    if (!wl_filter_accept(measure->input.filter, asked))
        return FATE_UNWANTED;
    key.kernel = kernel;
    key.context_id = asked->context_id;
    memcpy(key.grid, request->grid, sizeof key.grid);
    memcpy(key.block, request->block, sizeof key.block);
    key.shared_bytes = request->shared_bytes;
    *group = wl_measure_find_group(measure, &key);
    uint64_t before = (*group)->launches++;
    bool is_left_out = before >= most_recorded(measure) &&
                       (wl_measure_takes_turns(measure) || wl_measure_has_runs(measure));
    enum fate fate = wl_measure_is_peer(kernel->function) || measure->captures > 0
                         ? FATE_FREE
                         : decide_among(measure, context, *group, before);
    if (fate != FATE_FREE || !is_left_out)
        return fate;
    (*group)->left_out++;
    return FATE_LEFT_OUT;
}

/* *made is set where it is recorded. */
static enum fate make_launch(struct collector *collector, size_t row,
                             const struct wl_cupti_api_data *data,
                             struct wl_measure_context *context, struct wl_measure_launch **made)
{
    struct wl_measure *measure = &collector->measure;
    struct wl_measure_group *group = NULL;
    struct wl_measure_request request = wl_measure_read_request(row, data);
    const char *symbol = data->symbol ? data->symbol : "(kernel without a name)";
    struct wl_measure_kernel *kernel = wl_measure_find_kernel(measure, symbol);
    struct wl_filter_launch asked = {
        .mangled = kernel->mangled,
        .demangled = kernel->demangled,
        .function = kernel->function,
        .context_id = context->id,
        .grid = request.grid,
        .block = request.block,
    };
    uint64_t id = measure->launch_count++;
    collector->cupti.cuptiGetStreamIdEx(data->context, request.stream,
                                        wl_measure_launch_calls[row].is_per_thread,
                                        &asked.stream_id);
    if (measure->input.open_ranges)
        asked.range_count = measure->input.open_ranges(&asked.ranges);
    enum fate fate = decide(measure, context, &request, &asked, kernel, &group);
    if (fate != FATE_SPREAD && fate != FATE_COUNTED)
        wl_measure_hold_spread(measure, context, false);
    if (fate == FATE_LEFT_OUT && !collector->has_filter) {
        group->symbol = data->symbol;
        atomic_store_explicit(&collector->passed, group, memory_order_release);
    }
    if (fate == FATE_UNWANTED || fate == FATE_LEFT_OUT)
        return fate;
    struct wl_measure_launch *launch = *made = wl_alloc_zero(1, sizeof *launch);
    launch->id = id;
    launch->kernel = kernel;
    launch->group = group;
    launch->device_id = context->device;
    launch->context_id = context->id;
    launch->stream_id = asked.stream_id;
    memcpy(launch->grid, request.grid, sizeof launch->grid);
    memcpy(launch->block, request.block, sizeof launch->block);
    launch->shared_dynamic_bytes = request.shared_bytes;
    launch->is_cooperative = wl_measure_launch_calls[row].kind == WL_MEASURE_CALL_COOPERATIVE;
    launch->correlation_id = data->correlation_id;
    launch->start_ns = wl_measure_now_ns();
    launch->range = join_ranges(asked.ranges, asked.range_count);
    launch->replay = "none";
    if ((fate == FATE_FREE || fate == FATE_SPREAD) && measure->input.settings->counters[0])
        launch->uncounted = wl_measure_is_peer(kernel->function)
                                ? "it may wait for other GPUs, and must not be held up"
                                : "launches like it are counted";
    return fate;
}

/* Where ranges are counted, and no launches. */
static void launch_in_region(struct collector *collector, size_t row,
                             const struct wl_cupti_api_data *data,
                             struct wl_measure_context *context)
{
    struct wl_measure *measure = &collector->measure;
    const char *symbol = data->symbol ? data->symbol : "(kernel without a name)";
    struct wl_measure_again *again = NULL;
    if (!measure->region.is_open)
        return;
    if (wl_measure_launch_calls[row].is_graph) {
        wl_measure_region_launch(measure, context, "(graph)", NULL, NULL, NULL, "a graph's launch");
        return;
    }
    struct wl_measure_request request = wl_measure_read_request(row, data);
    struct wl_measure_kernel *kernel = wl_measure_find_kernel(measure, symbol);
    wl_measure_read_attributes(measure, kernel, request.function); /* loads it */
    bool waits_for_others = wl_measure_is_peer(kernel->function);
    if (measure->input.settings->replay == WL_REPLAY_RANGE && !waits_for_others)
        again = wl_measure_again_keep(measure, wl_measure_launch_calls[row].kind, data->parameters);
    wl_measure_region_launch(measure, context, symbol, request.grid, request.block, again,
                             waits_for_others ? "a kernel that may wait for other GPUs"
                                              : "a launch whose parameters are not known");
}

/* Graphs are counted as wholes where all launches are wanted. */
static void launch_graph(struct collector *collector, uint32_t call,
                         const struct wl_cupti_api_data *data, struct wl_measure_context *context)
{
    struct wl_measure *measure = &collector->measure;
    const struct wl_cuda_graph_parameters *parameters = data->parameters;
    bool is_graph = call != WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI;
    wl_measure_flush(measure, context);
    wl_measure_hold_spread(measure, context, false);
    if (is_graph && measure->input.settings->counters[0] && !collector->has_filter &&
        !measure->has_peer_graphs && measure->captures == 0) {
        wl_measure_graph_begin(measure, context, parameters->graph);
        return;
    }
    if (measure->is_graph_noted)
        return;
    measure->is_graph_noted = true;
    wl_measure_note(measure, WL_NOTE_INFO, "graph-launch",
                    is_graph ? "graphs are not counted where launches are chosen, nor where their "
                               "kernels may wait for other GPUs"
                             : "kernels that several devices launch together are not counted: they "
                               "cannot be run again one by one",
                    is_graph ? "--replay-mode app-range counts them as part of a range" : "");
}

static bool is_of_group(const struct wl_measure_group *group, size_t row,
                        const struct wl_cupti_api_data *data)
{
    struct wl_measure_request request = wl_measure_read_request(row, data);
    return data->context_id == group->key.context_id && data->symbol == group->symbol &&
           request.shared_bytes == group->key.shared_bytes &&
           memcmp(request.grid, group->key.grid, sizeof group->key.grid) == 0 &&
           memcmp(request.block, group->key.block, sizeof group->key.block) == 0;
}

bool wl_cupti_event_is_passed(void *self, uint32_t call, const struct wl_cupti_api_data *data)
{
    struct collector *collector = self;
    struct wl_measure_group *group = atomic_load_explicit(&collector->passed, memory_order_acquire);
    if (data->site == WL_CUPTI_EXIT)
        return data->own_data && *data->own_data == 0;
    size_t row = wl_measure_find_launch_call(call);
    if (!group || row >= WL_MEASURE_LAUNCH_CALL_COUNT || wl_measure_launch_calls[row].is_graph ||
        !data->parameters || !is_of_group(group, row, data))
        return false;
    atomic_fetch_add_explicit(&group->left_out, 1, memory_order_relaxed);
    if (data->own_data)
        *data->own_data = 0;
    return true;
}

/* Into a graph: it runs later, or never. */
static bool is_captured(const struct wl_measure *measure, size_t row,
                        const struct wl_cupti_api_data *data)
{
    enum { not_capturing = 0 };
    int status = not_capturing;
    if (measure->captures <= 0 || !measure->cuda.stream_is_capturing)
        return false;
    return measure->cuda.stream_is_capturing(wl_measure_read_request(row, data).stream, &status) ==
               WL_CUDA_SUCCESS &&
           status != not_capturing;
}

/* What is loaded during a batch would not be put back with the rest: it is loaded before. */
static void load_kernel(struct collector *collector, size_t row, struct wl_measure_launch *launch,
                        const struct wl_cupti_api_data *data)
{
    struct wl_measure *measure = &collector->measure;
    if (launch->kernel->has_attributes)
        return;
    if (!wl_measure_has_runs(measure))
        wl_measure_flush_all(measure);
    wl_measure_read_attributes(measure, launch->kernel,
                               wl_measure_read_request(row, data).function);
}

static bool begin_counting(struct collector *collector, size_t row, enum fate fate,
                           struct wl_measure_context *context, struct wl_measure_launch *launch,
                           const struct wl_cupti_api_data *data)
{
    struct wl_measure *measure = &collector->measure;
    if (fate != FATE_SPREAD && fate != FATE_COUNTED)
        return false;
    /* while it is counted nothing may pass unseen */
    atomic_store_explicit(&collector->passed, NULL, memory_order_release);
    if (fate == FATE_SPREAD)
        return wl_measure_spread(measure, context, launch);
    load_kernel(collector, row, launch, data);
    if (wl_measure_has_own_passes(measure))
        launch->again =
            wl_measure_again_keep(measure, wl_measure_launch_calls[row].kind, data->parameters);
    return wl_measure_count(measure, context, launch);
}

/* One of very many, whose turn it is not to carry a pass. */
static bool leave_out(struct wl_measure *measure, struct wl_measure_launch *launch)
{
    bool is_kept = launch->group->launches <= most_recorded(measure) || launch->carries_pass ||
                   measure->input.settings->replay == WL_REPLAY_KERNEL;
    if (is_kept)
        return false;
    launch->group->left_out++;
    wl_measure_free_launch(launch);
    return true;
}

static void launch_enter(struct collector *collector, size_t row,
                         const struct wl_cupti_api_data *data)
{
    struct wl_measure *measure = &collector->measure;
    if (data->own_data)
        *data->own_data = 0;
    if (!data->context || !data->parameters)
        return;
    struct wl_measure_context *context = wl_measure_find_context(measure, data->context);
    if (wl_measure_has_regions(measure)) {
        if (wl_measure_launch_calls[row].is_graph || !is_captured(measure, row, data))
            launch_in_region(collector, row, data, context);
        return;
    }
    if (wl_measure_launch_calls[row].is_graph) {
        wl_measure_settle(measure, context, true);
        launch_graph(collector, wl_measure_launch_calls[row].call, data, context);
        return;
    }
    if (is_captured(measure, row, data)) {
        measure->has_peer_graphs =
            measure->has_peer_graphs || (data->symbol && wl_measure_is_peer(data->symbol));
        return;
    }
    struct wl_measure_launch *launch = NULL;
    enum fate fate = make_launch(collector, row, data, context, &launch);
    if (fate != FATE_COUNTED && measure->has_batch) {
        wl_measure_flush_all(measure); /* it is not to be counted with the others */
    } else if (fate != FATE_COUNTED && context->counting.is_started &&
               (!context->is_own || wl_measure_has_runs(measure))) {
        wl_measure_settle(measure, context, true);
        wl_measure_flush(measure, context);
    }
    if (!launch)
        return;
    wl_measure_expect_samples(measure, context);
    bool is_counted = begin_counting(collector, row, fate, context, launch, data);
    if (fate == FATE_SPREAD && leave_out(measure, launch))
        return;
    if (is_counted && fate == FATE_COUNTED)
        launch->group->counted++;
    else if (!context->counting.plan.cupti)
        wl_measure_start_times(&collector->measure);
    /* samples end counting: they wait until no launch is to carry a pass */
    if (is_counted || !context->is_own || !wl_measure_spread_goes_on(measure, context) ||
        wl_measure_is_sampled_free(measure, context, launch->kernel))
        wl_measure_begin_instructions(measure, context, launch, is_counted);
    if (data->own_data)
        *data->own_data = (uint64_t)(uintptr_t)launch;
    launch->is_under_way = data->own_data != NULL;
}

static void refuse_launch(struct wl_measure *measure, struct wl_measure_context *context,
                          struct wl_measure_launch *launch, int result)
{
    if (strcmp(launch->replay, "none") != 0)
        wl_measure_uncount(context, launch);
    if (launch->carries_pass)
        wl_measure_hold_spread(measure, context, true);
    wl_measure_settle(measure, context, true);
    wl_measure_flush(measure, context); /* those before it are sent before it */
    launch->message = wl_string_format("the driver refused the launch (CUresult %d)", result);
    wl_measure_send_launch(measure, launch);
}

/* The first launch that carried a pass is kept until it can be sent with the values of all. */
static void end_spread(struct collector *collector, struct wl_measure_context *context,
                       struct wl_measure_launch *launch)
{
    struct wl_measure_group *group = launch->group;
    struct wl_measure_spread *spread = &group->spread;
    if (launch->carries_pass && !spread->bearer && !spread->is_done)
        spread->bearer = launch;
    else
        wl_measure_end_instructions(&collector->measure, context, launch); /* may free it */
    if (spread->is_done && spread->bearer)
        wl_measure_wait_for_time(&collector->measure, wl_measure_spread_take(group));
}

static void launch_exit(struct collector *collector, size_t row,
                        const struct wl_cupti_api_data *data)
{
    struct wl_measure *measure = &collector->measure;
    struct wl_measure_launch *launch =
        data->own_data ? (struct wl_measure_launch *)(uintptr_t)*data->own_data : NULL;
    int result = data->result ? *(const int *)data->result : 0;
    if (!launch)
        return;
    *data->own_data = 0;
    launch->is_under_way = false;
    if (launch->is_released) { /* its batch had to end before it */
        wl_measure_free_launch(launch);
        return;
    }
    struct wl_measure_context *context = wl_measure_find_context(measure, data->context);
    struct wl_measure_group *group = launch->group;
    bool is_counted = strcmp(launch->replay, "none") != 0;
    if (result != WL_CUDA_SUCCESS) {
        refuse_launch(measure, context, launch, result);
        return;
    }
    if (launch->carries_pass)
        wl_measure_end_carrier(measure, context);
    wl_measure_read_attributes(measure, launch->kernel,
                               wl_measure_read_request(row, data).function);
    bool is_borrowed = is_counted && context->is_saved && !launch->again;
    if (is_borrowed)
        launch->again =
            wl_measure_again_borrow(wl_measure_launch_calls[row].kind, data->parameters);
    if (group->spread.bearer || launch->carries_pass)
        end_spread(collector, context, launch);
    else
        wl_measure_end_instructions(measure, context, launch);
    if (context->is_flush_due ||
        (is_counted && (is_borrowed || wl_filter_is_finished(measure->input.filter))))
        wl_measure_flush(measure, context); /* the last one that is wanted */
}

static void hear_capture(struct wl_measure *measure, uint32_t call,
                         const struct wl_cupti_api_data *data)
{
    for (size_t i = 0; i < WL_MEASURE_CAPTURE_CALL_COUNT; i++) {
        if (wl_measure_capture_calls[i].call != call)
            continue;
        bool is_begin = wl_measure_capture_calls[i].change > 0;
        if (is_begin && data->site == WL_CUPTI_ENTER) {
            wl_measure_flush_all(measure);
            measure->captures++;
        }
        if (!is_begin && data->site == WL_CUPTI_EXIT && measure->captures > 0)
            measure->captures--;
    }
}

static void hear_other(struct collector *collector, const struct wl_cupti_api_data *data)
{
    struct wl_measure *measure = &collector->measure;
    if (data->site != WL_CUPTI_ENTER || !data->function_name)
        return;
    bool is_without_effect = wl_measure_is_harmless(data->function_name);
    if (measure->has_batch && !is_without_effect)
        wl_measure_flush_all(measure);
    wl_measure_region_call(measure, data->function_name, is_without_effect);
}

static void hear_profiler(struct collector *collector, bool is_start)
{
    struct wl_measure *measure = &collector->measure;
    wl_filter_set_active(measure->input.filter, is_start);
    if (!wl_measure_has_regions(measure) || measure->input.settings->nvtx_include[0])
        return;
    if (is_start)
        wl_measure_region_open(measure, NULL);
    else
        wl_measure_region_close(measure);
}

static void enter_range(void *self, const char *name)
{
    struct collector *collector = self;
    if (!collector->is_abandoned && wl_measure_has_regions(&collector->measure))
        wl_measure_region_open(&collector->measure, name);
}

static void leave_range(void *self)
{
    struct collector *collector = self;
    if (!collector->is_abandoned && wl_measure_has_regions(&collector->measure))
        wl_measure_region_close(&collector->measure);
}

static void hear_driver(struct collector *collector, uint32_t call,
                        const struct wl_cupti_api_data *data)
{
    size_t row = wl_measure_find_launch_call(call);
    bool is_enter = data->site == WL_CUPTI_ENTER;
    if (row >= WL_MEASURE_LAUNCH_CALL_COUNT)
        hear_other(collector, data);
    hear_capture(&collector->measure, call, data);
    if (row < WL_MEASURE_LAUNCH_CALL_COUNT && is_enter)
        launch_enter(collector, row, data);
    else if (row < WL_MEASURE_LAUNCH_CALL_COUNT && !wl_measure_launch_calls[row].is_graph)
        launch_exit(collector, row, data);
    else if (row < WL_MEASURE_LAUNCH_CALL_COUNT && collector->measure.counted_graph)
        wl_measure_graph_end(&collector->measure,
                             wl_measure_find_context(&collector->measure, data->context),
                             data->result && *(const int *)data->result != WL_CUDA_SUCCESS);
    else if (call == WL_CUPTI_CALL_GRAPH_EXEC_DESTROY && is_enter && data->parameters)
        wl_measure_graph_forget(&collector->measure,
                                ((const struct wl_cuda_graph_parameters *)data->parameters)->graph);
    else if (call == WL_CUPTI_CALL_PROFILER_START && !is_enter)
        hear_profiler(collector, true);
    else if (call == WL_CUPTI_CALL_PROFILER_STOP && is_enter)
        hear_profiler(collector, false);
}

static void hear_resource(struct collector *collector, uint32_t call,
                          const struct wl_cupti_resource_data *data)
{
    struct wl_measure *measure = &collector->measure;
    const struct wl_cupti_module_data *module = data->descriptor;
    if (call == WL_CUPTI_MODULE_LOADED && measure->has_batch)
        wl_measure_flush_when_ended(measure);
    if (call == WL_CUPTI_MODULE_LOADED)
        wl_measure_region_call(measure, "a module that is loaded", false);
    if (call == WL_CUPTI_MODULE_LOADED && module)
        wl_measure_add_module(measure, module->cubin, module->cubin_bytes);
    if (call != WL_CUPTI_CONTEXT_DESTROY_STARTING)
        return;
    if (measure->region.context && measure->region.context->context == data->context)
        wl_measure_region_close(measure);
    wl_measure_graph_forget(measure, NULL);
    for (size_t i = 0; i < measure->contexts.count; i++)
        if (measure->contexts.items[i]->context == data->context) {
            wl_measure_drop_context(measure, measure->contexts.items[i], false);
            break;
        }
    wl_measure_end_times(&collector->measure, false);
}

void wl_cupti_event(void *self, int domain, uint32_t call, const void *data)
{
    struct collector *collector = self;
    if (collector->is_abandoned || !data)
        return;
    if (domain == WL_CUPTI_DOMAIN_DRIVER) {
        hear_driver(collector, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_RUNTIME) {
        hear_other(collector, data);
    } else if (domain == WL_CUPTI_DOMAIN_RESOURCE) {
        hear_resource(collector, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_STATE) {
        const struct wl_cupti_state_data *state = data;
        wl_measure_note(&collector->measure, WL_NOTE_WARNING, "cupti-trouble",
                        state->message ? state->message : wl_cupti_explain(state->result)->meaning,
                        wl_cupti_explain(state->result)->hint);
    }
}

bool wl_cupti_events_are_serial(const void *self)
{
    const struct collector *collector = self;
    return collector->measure.input.settings->counters[0] != '\0' && !collector->is_abandoned;
}

bool wl_cupti_event_ends_batch(const void *self, int domain, const void *data)
{
    const struct collector *collector = self;
    const struct wl_cupti_api_data *api = data;
    bool is_api = domain == WL_CUPTI_DOMAIN_DRIVER || domain == WL_CUPTI_DOMAIN_RUNTIME;
    return is_api && collector->measure.has_batch && api->site == WL_CUPTI_ENTER &&
           api->function_name && !wl_measure_is_harmless(api->function_name);
}

uint64_t wl_cupti_events_gather(void *self)
{
    struct wl_measure *measure = &((struct collector *)self)->measure;
    uint64_t samples = 0;
    for (size_t i = 0; i < measure->contexts.count; i++)
        samples += wl_measure_gather(measure, measure->contexts.items[i]);
    return samples;
}

/* ---- beginning and end ---- */

static int subscribe(struct collector *collector, wl_cupti_callback *callback, char *holder,
                     size_t holder_bytes)
{
    struct wl_cupti *cupti = &collector->cupti;
    struct wl_cupti_subscribe parameters = {
        WL_CUPTI_INIT(wl_cupti_subscribe),
        .name = "warplens",
        .old_name = holder,
        .old_name_bytes = holder_bytes,
    };
    if (cupti->cuptiSubscribe_v2)
        return cupti->cuptiSubscribe_v2(&collector->subscriber, callback, collector, &parameters);
    return cupti->cuptiSubscribe(&collector->subscriber, callback, collector);
}

/* Calls that are heard besides launches. */
static const struct {
    int domain;
    uint32_t call;
} other_calls[] = {
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_START},
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_STOP},
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_GRAPH_EXEC_DESTROY},
    {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_CONTEXT_DESTROY_STARTING},
    {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_MODULE_LOADED},
    {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_FATAL_ERROR},
    {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_ERROR},
};
enum { other_call_count = sizeof other_calls / sizeof *other_calls, driver_calls_max = 1024 };

static int enable_callbacks(struct collector *collector)
{
    struct wl_cupti *cupti = &collector->cupti;
    int result = WL_CUPTI_SUCCESS;
    for (size_t i = 0; i < WL_MEASURE_LAUNCH_CALL_COUNT; i++) /* an older CUPTI does not know all */
        cupti->cuptiEnableCallback(1, collector->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   wl_measure_launch_calls[i].call);
    for (size_t i = 0; i < WL_MEASURE_CAPTURE_CALL_COUNT; i++)
        cupti->cuptiEnableCallback(1, collector->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   wl_measure_capture_calls[i].call);
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < other_call_count; i++)
        result = cupti->cuptiEnableCallback(1, collector->subscriber, other_calls[i].domain,
                                            other_calls[i].call);
    return result;
}

static bool is_always_heard(uint32_t call)
{
    bool is_heard = wl_measure_find_launch_call(call) < WL_MEASURE_LAUNCH_CALL_COUNT;
    for (size_t i = 0; i < WL_MEASURE_CAPTURE_CALL_COUNT; i++)
        is_heard = is_heard || wl_measure_capture_calls[i].call == call;
    for (size_t i = 0; i < other_call_count; i++)
        is_heard = is_heard ||
                   (other_calls[i].domain == WL_CUPTI_DOMAIN_DRIVER && other_calls[i].call == call);
    return is_heard;
}

/* Not by domain when it ends: a launch in between would pass unseen. */
static void watch(struct wl_measure *measure, bool is_on)
{
    struct collector *collector = (struct collector *)measure;
    struct wl_cupti *cupti = &collector->cupti;
    cupti->cuptiEnableDomain(is_on, collector->subscriber, WL_CUPTI_DOMAIN_RUNTIME);
    if (is_on)
        cupti->cuptiEnableDomain(1, collector->subscriber, WL_CUPTI_DOMAIN_DRIVER);
    for (uint32_t call = 1; !is_on && call < driver_calls_max; call++)
        if (!is_always_heard(call))
            cupti->cuptiEnableCallback(0, collector->subscriber, WL_CUPTI_DOMAIN_DRIVER, call);
}

static enum wl_code watch_driver(void *self, struct wl_error *error)
{
    struct collector *collector = self;
    const struct wl_settings *settings = collector->measure.input.settings;
    char holder[65] = "";
    int result = subscribe(collector, wl_cupti_callback_function(), holder, sizeof holder);
    if (result != WL_CUPTI_SUCCESS) {
        collector->subscriber = NULL;
        wl_cupti_fail(error, "attaching to CUPTI", result);
        return holder[0] ? wl_error_set_where(error, "held by %s", holder) : WL_ERR_UNSUPPORTED;
    }
    result = enable_callbacks(collector);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "hearing of launches", result);
    if (!settings->counters[0])
        wl_measure_start_times(&collector->measure);
    return WL_OK;
}

static bool has_filter(const struct wl_settings *settings)
{
    return settings->kernel_name[0] || settings->kernel_id[0] || settings->launch_skip ||
           settings->launch_count || settings->launch_skip_before_match ||
           !settings->profile_from_start || settings->nvtx_include[0] || settings->nvtx_exclude[0];
}

static enum wl_code start(const struct wl_collector_input *input, void **self,
                          struct wl_error *error)
{
    struct collector *collector = wl_alloc_zero(1, sizeof *collector);
    *self = NULL;
    wl_measure_init_times(&collector->measure);
    enum wl_code code = wl_cupti_open(input->settings->cupti_library, &collector->cupti, error);
    if (!code)
        code = wl_cuda_open(&collector->measure.cuda, error);
    if (code) {
        free(collector);
        return code;
    }
    collector->measure.input = *input;
    collector->has_filter = has_filter(input->settings);
    collector->measure.cupti = &collector->cupti;
    collector->measure.settled = settled;
    collector->measure.watch = watch;
    collector->measure.can_checkpoint =
        wl_cupti_checkpoint_open(input->settings->cupti_library, &collector->measure.checkpoint);
    *self = collector;
    return WL_OK;
}

static void forget(void *self)
{
    struct wl_measure *measure = &((struct collector *)self)->measure;
    struct wl_measure_kernel *kernel, *next;
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        measure->devices[i].is_sent = false;
    for (size_t i = 0; i < measure->modules.count; i++)
        measure->modules.items[i]->is_sent = false;
    HASH_ITER(hh, measure->kernels, kernel, next)
    {
        kernel->is_sent = false;
    }
}

static void finish(void *self)
{
    struct collector *collector = self;
    if (collector->is_abandoned)
        return;
    wl_measure_region_close(&collector->measure);
    wl_measure_note_no_range(&collector->measure);
    wl_measure_graph_forget(&collector->measure, NULL);
    for (size_t i = 0; i < collector->measure.contexts.count; i++) {
        wl_measure_settle(&collector->measure, collector->measure.contexts.items[i], true);
        wl_measure_rest_counters(&collector->measure, collector->measure.contexts.items[i]);
        wl_measure_end_samples(&collector->measure, collector->measure.contexts.items[i]);
    }
    wl_measure_note_clocks(&collector->measure);
    wl_measure_note_no_samples(&collector->measure);
    end_bearers(collector);
    wl_measure_end_times(&collector->measure, false);
    note_left_out(collector);
    wl_measure_note_lost(&collector->measure);
}

static void abandon_in_child(void *self)
{
    struct collector *collector = self;
    collector->is_abandoned = true;
    wl_measure_init_times(&collector->measure);
}

static void stop(void *self)
{
    struct collector *collector = self;
    struct wl_measure *measure = &collector->measure;
    bool abandon = collector->is_abandoned;
    wl_measure_end_times(&collector->measure, true);
    wl_measure_region_drop(measure);
    wl_measure_graphs_free(measure);
    while (measure->contexts.count)
        wl_measure_drop_context(measure, measure->contexts.items[0], abandon);
    if (measure->is_tracing)
        wl_cupti_activity_stop(abandon);
    if (collector->subscriber && !abandon)
        collector->cupti.cuptiUnsubscribe(collector->subscriber);
    if (!abandon)
        wl_clock_reader_close(&measure->clock_reader);
    wl_measure_free_kernels(measure);
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        wl_gpu_free(&measure->devices[i].gpu);
    for (size_t i = 0; i < measure->instruction_names.count; i++)
        free((char *)measure->instruction_names.items[i]);
    free(measure->instruction_names.items);
    free(measure->instruction_marks.items);
    free(measure->contexts.items);
    free(measure->values.items);
    free(measure->attributes.items);
    /* times and the collector itself stay: a thread of CUPTI may still hold them */
}

static void begun(void *self)
{
    struct collector *collector = self;
    if (collector->measure.input.settings->pc_samples &&
        wl_measure_takes_turns(&collector->measure))
        wl_cupti_callbacks_gather(collector);
}

static bool counts_ranges(void *self)
{
    return wl_measure_has_regions(&((struct collector *)self)->measure);
}

const struct wl_collector wl_cupti_collector = {
    .name = "cupti",
    .opens_stream = true,
    .is_lost_at_fork = true,
    .is_replaced_by_trace = true,
    .start = start,
    .watch = watch_driver,
    .begun = begun,
    .forget = forget,
    .abandon = abandon_in_child,
    .counts_ranges = counts_ranges,
    .enter_range = enter_range,
    .leave_range = leave_range,
    .trace_start = wl_measure_trace_start,
    .trace_end = wl_measure_trace_end,
    .trace_fork = wl_measure_trace_abandon,
    .finish = finish,
    .stop = stop,
};
