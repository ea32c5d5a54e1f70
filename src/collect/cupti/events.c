#include "collect/cupti/events.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/cupti/replay/graph.h"
#include "collect/cupti/replay/range.h"
#include "collect/cupti/self.h"
#include "collect/cupti/sharing.h"
#include "collect/sites.h"
#include "record/nvtx_expression.h"

/* The first thousand launches alike are recorded; few where they are only sampled together, as then
 * a record has nothing of its own. */
enum { recorded_max = 1000, recorded_sampled_max = 16 };

uint64_t wl_cupti_events_most_recorded(const struct wl_cupti_collector *collector)
{
    const struct wl_settings *settings = collector->replay.core.input.settings;
    bool is_only_sampled = settings->pc_samples && !settings->counters[0];
    return is_only_sampled && !settings->interactive ? recorded_sampled_max : recorded_max;
}

bool wl_cupti_event_is_launch(uint32_t call)
{
    return wl_collect_find_launch_call(call) < WL_COLLECT_LAUNCH_CALL_COUNT;
}

/* ---- which launches are recorded, and how they are counted ---- */

/* Of a launch that is one of very many. */
static const struct wl_replay_mode *choose(const struct wl_cupti_collector *collector,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before)
{
    const struct wl_replayer *replay = &collector->replay;
    const struct wl_collect_kernel *kernel = group->key.kernel;
    if (wl_collect_is_peer(kernel->function) || collector->captures > 0 ||
        !replay->core.input.settings->counters[0] || context->counters == WL_COLLECT_OFF ||
        wl_collect_samples_are_free(&replay->instructions, context, kernel))
        return &wl_replay_none;
    const struct wl_replay_mode *mode = replay->policy->mode;
    return mode->choose ? mode->choose(replay, context, group, before) : mode;
}

/* NULL: it is not recorded; *group is then set where it is one of very many. */
static const struct wl_replay_mode *
decide(struct wl_cupti_collector *collector, const struct wl_collect_context *context,
       const struct wl_collect_request *request, const struct wl_filter_launch *asked,
       struct wl_collect_kernel *kernel, struct wl_collect_group **group)
{
    struct wl_replayer *replay = &collector->replay;
    struct wl_collect_group_key key;
    memset(&key, 0, sizeof key);
    if (replay->core.input.settings->interactive)
        wl_replay_flush_all(replay); /* who is asked wants to see those before */
    if (!wl_filter_accept(replay->core.input.filter, asked))
        return NULL;
    key.kernel = kernel;
    key.context_id = asked->context_id;
    memcpy(key.grid, request->grid, sizeof key.grid);
    memcpy(key.block, request->block, sizeof key.block);
    key.shared_bytes = request->shared_bytes;
    *group = wl_collect_group_find(&replay->groups, &key);
    uint64_t before = (*group)->launches++;
    bool is_left_out = before >= wl_cupti_events_most_recorded(collector) &&
                       (replay->policy->shares_launches ||
                        wl_replay_facts(replay->core.input.settings->replay)->has_runs);
    const struct wl_replay_mode *mode = choose(collector, context, *group, before);
    if (!mode->is_free || !is_left_out)
        return mode;
    (*group)->left_out++;
    return NULL;
}

static struct wl_collect_launch *make_launch(struct wl_replayer *replay, uint64_t id,
                                             const struct wl_collect_call *call,
                                             const struct wl_collect_context *context,
                                             const struct wl_filter_launch *asked,
                                             struct wl_collect_group *group)
{
    struct wl_collect_request request = wl_collect_read_request(call->row->kind, call->data);
    struct wl_collect_launch *launch = wl_alloc_zero(1, sizeof *launch);
    launch->id = id;
    launch->kernel = (struct wl_collect_kernel *)group->key.kernel;
    launch->group = group;
    launch->device_id = context->device;
    launch->context_id = context->id;
    launch->stream_id = asked->stream_id;
    memcpy(launch->grid, request.grid, sizeof launch->grid);
    memcpy(launch->block, request.block, sizeof launch->block);
    launch->shared_dynamic_bytes = request.shared_bytes;
    launch->is_cooperative = call->row->kind == WL_CALL_COOPERATIVE;
    launch->correlation_id = call->data->correlation_id;
    launch->start_ns = wl_clock_realtime_ns();
    launch->range = wl_nvtx_ranges_join(asked->ranges, asked->range_count);
    launch->replay = wl_replay_none.name;
    if (replay->core.input.settings->call_stacks)
        launch->stack = wl_code_launch_stack();
    if (replay->core.input.settings->python_stacks)
        launch->python = wl_code_python_stack();
    return launch;
}

/* Why it may have no counters, until it has. */
static const char *reason_of(const struct wl_replayer *replay, const struct wl_replay_mode *mode,
                             const struct wl_collect_kernel *kernel)
{
    if (mode->is_batched || !replay->core.input.settings->counters[0])
        return NULL;
    return wl_collect_is_peer(kernel->function)
               ? "it may wait for other GPUs and must not be delayed"
               : "launches like it are counted";
}

/* NULL: it is not recorded. *mode: how it is to be counted, or NULL. */
static struct wl_collect_launch *see_launch(struct wl_cupti_collector *collector,
                                            const struct wl_collect_call *call,
                                            struct wl_collect_context *context,
                                            const struct wl_replay_mode **mode)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_cupti_api_data *data = call->data;
    struct wl_collect_group *group = NULL;
    struct wl_collect_request request = wl_collect_read_request(call->row->kind, data);
    const char *symbol = wl_collect_symbol(data);
    struct wl_collect_kernel *kernel = wl_collect_kernel_find(&replay->kernels, symbol);
    struct wl_filter_launch asked = {
        .mangled = kernel->mangled,
        .demangled = kernel->demangled,
        .function = kernel->function,
        .context_id = context->id,
        .grid = request.grid,
        .block = request.block,
    };
    uint64_t id = replay->launches.count++;
    replay->core.cupti.cuptiGetStreamIdEx(data->context, request.stream, call->row->is_per_thread,
                                          &asked.stream_id);
    if (replay->core.input.open_ranges)
        asked.range_count = replay->core.input.open_ranges(&asked.ranges);
    *mode = decide(collector, context, &request, &asked, kernel, &group);
    if (!*mode || (*mode)->is_free)
        wl_replay_interrupt(replay, context);
    if (!*mode && group && !collector->has_filter) {
        group->symbol = data->symbol;
        atomic_store_explicit(&collector->passed, group, memory_order_release);
    }
    if (!*mode)
        return NULL;
    struct wl_collect_launch *launch = make_launch(replay, id, call, context, &asked, group);
    launch->uncounted = reason_of(replay, *mode, kernel);
    return launch;
}

/* Where ranges are counted, and no launches. */
static void launch_in_range(struct wl_replayer *replay, const struct wl_collect_call *call,
                            struct wl_collect_context *context)
{
    const char *symbol = wl_collect_symbol(call->data);
    struct wl_relaunch *relaunch = NULL;
    if (!replay->range || !replay->range->is_open)
        return;
    if (call->row->is_graph) {
        wl_replay_range_launch(replay, context, "(graph)", NULL, NULL, NULL, "a graph's launch");
        return;
    }
    struct wl_collect_request request = wl_collect_read_request(call->row->kind, call->data);
    struct wl_collect_kernel *kernel = wl_collect_kernel_find(&replay->kernels, symbol);
    wl_collect_kernel_read_attributes(&replay->kernels, kernel, request.function); /* loads it */
    bool waits_for_others = wl_collect_is_peer(kernel->function);
    if (replay->policy->range->is_replayed && !waits_for_others)
        relaunch = wl_relaunch_keep(&replay->core.cuda, call->row->kind, call->data->parameters);
    wl_replay_range_launch(replay, context, symbol, request.grid, request.block, relaunch,
                           waits_for_others ? "a kernel that may wait for other GPUs"
                                            : "a launch whose parameters are not known");
}

/* Graphs are counted as a whole where all launches are wanted. */
static void launch_graph(struct wl_cupti_collector *collector, const struct wl_collect_call *call,
                         struct wl_collect_context *context)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_cuda_graph_parameters *parameters = call->data->parameters;
    bool is_graph = call->row->call != WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI;
    wl_replay_flush(replay, context);
    wl_replay_interrupt(replay, context);
    if (is_graph && replay->core.input.settings->counters[0] && !collector->has_filter &&
        !collector->has_peer_graphs && collector->captures == 0) {
        wl_replay_graph_begin(replay, context, parameters->graph);
        return;
    }
    if (wl_replay_graphs_are_noted(replay))
        return;
    wl_collect_note(&replay->core, WL_NOTE_INFO, "graph-launch",
                    is_graph ? "graphs are not counted where launches are chosen, nor where their "
                               "kernels may wait for other GPUs"
                             : "kernels that several devices launch together are not counted: they "
                               "cannot be replayed one by one",
                    is_graph ? "--replay-mode app-range counts them as part of a range" : "");
}

static bool is_of_group(const struct wl_collect_group *group, enum wl_call_kind kind,
                        const struct wl_cupti_api_data *data)
{
    struct wl_collect_request request = wl_collect_read_request(kind, data);
    return data->context_id == group->key.context_id && data->symbol == group->symbol &&
           request.shared_bytes == group->key.shared_bytes &&
           memcmp(request.grid, group->key.grid, sizeof group->key.grid) == 0 &&
           memcmp(request.block, group->key.block, sizeof group->key.block) == 0;
}

bool wl_cupti_event_is_passed(void *self, uint32_t call, const struct wl_cupti_api_data *data)
{
    struct wl_cupti_collector *collector = self;
    struct wl_collect_group *group = atomic_load_explicit(&collector->passed, memory_order_acquire);
    if (data->site == WL_CUPTI_EXIT)
        return data->own_data && *data->own_data == 0;
    size_t row = wl_collect_find_launch_call(call);
    if (!group || row >= WL_COLLECT_LAUNCH_CALL_COUNT || wl_collect_launch_calls[row].is_graph ||
        !data->parameters || !is_of_group(group, wl_collect_launch_calls[row].kind, data))
        return false;
    atomic_fetch_add_explicit(&group->left_out, 1, memory_order_relaxed);
    if (data->own_data)
        *data->own_data = 0;
    return true;
}

/* Into a graph: it runs later, or never. */
static bool is_captured(const struct wl_cupti_collector *collector,
                        const struct wl_collect_call *call)
{
    enum { not_capturing = 0 };
    const struct wl_cuda *cuda = &collector->replay.core.cuda;
    int status = not_capturing;
    if (collector->captures <= 0 || !cuda->stream_is_capturing)
        return false;
    return cuda->stream_is_capturing(wl_collect_read_request(call->row->kind, call->data).stream,
                                     &status) == WL_CUDA_SUCCESS &&
           status != not_capturing;
}

/* Whether it is one of very many, which does not collect a pass this time. */
static bool is_left_out(const struct wl_cupti_collector *collector,
                        const struct wl_replay_mode *mode, const struct wl_collect_launch *launch)
{
    return mode->is_some && !launch->mode &&
           launch->group->launches > wl_cupti_events_most_recorded(collector);
}

static void end_counts(struct wl_replayer *replay)
{
    for (size_t i = 0; i < replay->contexts.count; i++)
        wl_collect_counts_end(&replay->instructions, replay->contexts.items[i]);
}

static void begin_launch(struct wl_cupti_collector *collector, const struct wl_collect_call *call,
                         struct wl_collect_context *context, struct wl_collect_launch *launch,
                         const struct wl_replay_mode *mode)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_settings *settings = replay->core.input.settings;
    wl_collect_samples_expect(&replay->instructions, context);
    if (!mode->is_free) /* while it is counted nothing may pass unseen */
        atomic_store_explicit(&collector->passed, NULL, memory_order_release);
    bool is_counted = mode->begin(replay, context, launch, call);
    if (is_left_out(collector, mode, launch)) {
        launch->group->left_out++;
        wl_collect_launch_release(launch);
        return;
    }
    if (!launch->group->has_first) {
        launch->group->first_id = launch->id;
        launch->group->has_first = true;
    }
    /* kernel records take counts per instruction away, and continuous samples */
    bool is_time_excluded =
        settings->instruction_counts || (settings->pc_samples && replay->policy->shares_launches);
    if (is_counted && launch->is_batched)
        launch->group->counted++;
    else if (!is_time_excluded)
        wl_collect_times_start(&replay->times);
    /* samples end counting: they wait until no launch is to collect a pass */
    if (is_counted || !context->is_own || !wl_replay_is_waiting(replay, context) ||
        wl_collect_samples_are_free(&replay->instructions, context, launch->kernel))
        wl_collect_share(replay, context, launch, is_counted);
    if (context->is_sass_started) /* nor may another launch add to what is counted of this one */
        atomic_store_explicit(&collector->passed, NULL, memory_order_release);
    if (call->data->own_data)
        *call->data->own_data = (uint64_t)(uintptr_t)launch;
    launch->is_under_way = call->data->own_data != NULL;
}

static void launch_enter(struct wl_cupti_collector *collector, const struct wl_collect_call *call)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_cupti_api_data *data = call->data;
    const struct wl_replay_mode *mode;
    if (data->own_data)
        *data->own_data = 0;
    if (!data->context || !data->parameters)
        return;
    struct wl_collect_context *context = wl_collect_context_find(&replay->contexts, data->context);
    if (replay->policy->range) {
        if (call->row->is_graph || !is_captured(collector, call))
            launch_in_range(replay, call, context);
        return;
    }
    if (call->row->is_graph) {
        wl_collect_instructions_settle(&replay->instructions, context, true);
        launch_graph(collector, call, context);
        return;
    }
    if (is_captured(collector, call)) {
        collector->has_peer_graphs =
            collector->has_peer_graphs || wl_collect_is_peer(wl_collect_symbol(data));
        return;
    }
    end_counts(replay);
    struct wl_collect_launch *launch = see_launch(collector, call, context, &mode);
    bool is_batched = mode && mode->is_batched;
    if (!is_batched && replay->has_batch) {
        wl_replay_flush_all(replay); /* it is not to be counted with the others */
    } else if (!is_batched && context->batch_mode) {
        wl_collect_instructions_settle(&replay->instructions, context, true);
        wl_replay_flush(replay, context);
    }
    if (launch)
        begin_launch(collector, call, context, launch, mode);
}

static void refuse_launch(struct wl_replayer *replay, struct wl_collect_context *context,
                          struct wl_collect_launch *launch, int result)
{
    if (launch->mode)
        launch->mode->refuse(replay, context, launch);
    wl_collect_instructions_settle(&replay->instructions, context, true);
    wl_replay_flush(replay, context); /* those before it are sent before it */
    launch->message = wl_string_format("the driver refused the launch (CUresult %d)", result);
    wl_collect_launch_send(&replay->launches, launch);
}

static void launch_exit(struct wl_cupti_collector *collector, const struct wl_collect_call *call)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_cupti_api_data *data = call->data;
    struct wl_collect_launch *launch =
        data->own_data ? (struct wl_collect_launch *)(uintptr_t)*data->own_data : NULL;
    int result = data->result ? *(const int *)data->result : 0;
    if (!launch)
        return;
    *data->own_data = 0;
    launch->is_under_way = false;
    if (launch->is_released) { /* its batch had to end before it */
        wl_collect_launch_release(launch);
        return;
    }
    struct wl_collect_context *context = wl_collect_context_find(&replay->contexts, data->context);
    struct wl_collect_group *group = launch->group;
    if (result != WL_CUDA_SUCCESS) {
        refuse_launch(replay, context, launch, result);
        return;
    }
    wl_collect_kernel_read_attributes(&replay->kernels, launch->kernel,
                                      wl_collect_read_request(call->row->kind, data).function);
    /* either takes the launch over, which may be sent and freed at once */
    if (launch->mode)
        launch->mode->end(replay, context, launch, call);
    else
        wl_collect_instructions_take(&replay->instructions, context, launch);
    wl_replay_after(replay, group);
    if (context->is_flush_due)
        wl_replay_flush(replay, context);
}

/* ---- other calls ---- */

static void see_capture(struct wl_cupti_collector *collector, uint32_t call,
                        const struct wl_cupti_api_data *data)
{
    for (size_t i = 0; i < WL_COLLECT_CAPTURE_CALL_COUNT; i++) {
        if (wl_collect_capture_calls[i].call != call)
            continue;
        bool is_begin = wl_collect_capture_calls[i].change > 0;
        if (is_begin && data->site == WL_CUPTI_ENTER) {
            wl_replay_flush_all(&collector->replay);
            collector->captures++;
        }
        if (!is_begin && data->site == WL_CUPTI_EXIT && collector->captures > 0)
            collector->captures--;
    }
}

static void see_other(struct wl_replayer *replay, const struct wl_cupti_api_data *data)
{
    if (data->site != WL_CUPTI_ENTER || !data->function_name)
        return;
    bool is_without_effect = wl_collect_is_harmless(data->function_name);
    if (replay->has_batch && !is_without_effect)
        wl_replay_flush_all(replay);
    wl_replay_range_call(replay, data->function_name, is_without_effect);
}

static void see_profiler(struct wl_replayer *replay, bool is_start)
{
    wl_filter_set_active(replay->core.input.filter, is_start);
    if (!replay->policy->range || replay->core.input.settings->nvtx_include[0])
        return;
    if (is_start)
        wl_replay_range_open(replay, NULL);
    else
        wl_replay_range_close(replay);
}

static void see_launch_call(struct wl_cupti_collector *collector,
                            const struct wl_collect_call *call)
{
    struct wl_replayer *replay = &collector->replay;
    const struct wl_cupti_api_data *data = call->data;
    if (data->site == WL_CUPTI_ENTER)
        launch_enter(collector, call);
    else if (!call->row->is_graph)
        launch_exit(collector, call);
    else if (replay->graphs)
        wl_replay_graph_end(replay, wl_collect_context_find(&replay->contexts, data->context),
                            data->result && *(const int *)data->result != WL_CUDA_SUCCESS);
}

static void see_driver(struct wl_cupti_collector *collector, uint32_t call,
                       const struct wl_cupti_api_data *data)
{
    struct wl_replayer *replay = &collector->replay;
    size_t row = wl_collect_find_launch_call(call);
    bool is_enter = data->site == WL_CUPTI_ENTER;
    if (row < WL_COLLECT_LAUNCH_CALL_COUNT) {
        see_launch_call(collector, &(struct wl_collect_call){&wl_collect_launch_calls[row], data});
        return;
    }
    if (is_enter && data->function_name && wl_collect_is_unsaved_memory(data->function_name))
        wl_replay_see_memory(replay, data->function_name);
    see_other(replay, data);
    see_capture(collector, call, data);
    if (call == WL_CUPTI_CALL_GRAPH_EXEC_DESTROY && is_enter && data->parameters)
        wl_replay_graph_forget(replay,
                               ((const struct wl_cuda_graph_parameters *)data->parameters)->graph);
    else if (call == WL_CUPTI_CALL_PROFILER_START && !is_enter)
        see_profiler(replay, true);
    else if (call == WL_CUPTI_CALL_PROFILER_STOP && is_enter)
        see_profiler(replay, false);
}

static void end_context(struct wl_replayer *replay, const struct wl_cuda_context *context)
{
    if (replay->range && replay->range->context && replay->range->context->context == context)
        wl_replay_range_close(replay);
    wl_replay_graph_forget(replay, NULL);
    for (size_t i = 0; i < replay->contexts.count; i++)
        if (replay->contexts.items[i]->context == context) {
            wl_replay_drop_context(replay, replay->contexts.items[i], false);
            break;
        }
    wl_collect_times_end(&replay->times, false);
}

static void see_resource(struct wl_replayer *replay, uint32_t call,
                         const struct wl_cupti_resource_data *data)
{
    const struct wl_cupti_module_data *module = data->descriptor;
    if (call == WL_CUPTI_CONTEXT_DESTROY_STARTING)
        end_context(replay, data->context);
    if (call != WL_CUPTI_MODULE_LOADED)
        return;
    if (replay->has_batch)
        wl_replay_flush_when_ended(replay);
    wl_replay_range_call(replay, "a module that is loaded", false);
    if (module)
        wl_collect_module_add(&replay->kernels, module->cubin, module->cubin_bytes);
}

void wl_cupti_event(void *self, int domain, uint32_t call, const void *data)
{
    struct wl_cupti_collector *collector = self;
    struct wl_replayer *replay = &collector->replay;
    if (collector->is_abandoned || !data)
        return;
    if (domain == WL_CUPTI_DOMAIN_DRIVER) {
        see_driver(collector, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_RUNTIME) {
        see_other(replay, data);
    } else if (domain == WL_CUPTI_DOMAIN_RESOURCE) {
        see_resource(replay, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_STATE) {
        const struct wl_cupti_state_data *state = data;
        wl_collect_note(&replay->core, WL_NOTE_WARNING, "cupti-trouble",
                        state->message ? state->message : wl_cupti_explain(state->result)->meaning,
                        wl_cupti_explain(state->result)->hint);
    }
}

bool wl_cupti_events_are_serial(const void *self)
{
    const struct wl_cupti_collector *collector = self;
    return collector->replay.core.input.settings->counters[0] != '\0' && !collector->is_abandoned;
}

bool wl_cupti_event_ends_batch(const void *self, int domain, const void *data)
{
    const struct wl_cupti_collector *collector = self;
    const struct wl_cupti_api_data *api = data;
    bool is_api = domain == WL_CUPTI_DOMAIN_DRIVER || domain == WL_CUPTI_DOMAIN_RUNTIME;
    return is_api && collector->replay.has_batch && api->site == WL_CUPTI_ENTER &&
           api->function_name && !wl_collect_is_harmless(api->function_name);
}

uint64_t wl_cupti_events_gather(void *self)
{
    struct wl_replayer *replay = &((struct wl_cupti_collector *)self)->replay;
    uint64_t samples = 0;
    for (size_t i = 0; i < replay->contexts.count; i++)
        samples += wl_collect_samples_gather(&replay->instructions, replay->contexts.items[i]);
    return samples;
}
