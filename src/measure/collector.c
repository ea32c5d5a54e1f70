#include "measure/collector.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cupti/activity.h"
#include "measure/state.h"

/* The first launches alike are counted, the first thousand recorded. */
enum { counted_max = 4, recorded_max = 1000, gather_period = 4096 };

/* Times that have come and are not yet with their launches; more than that are lost. */
enum { times_max = 1 << 16, timed_launches_max = 8192 };

struct time {
    uint32_t correlation_id;
    uint64_t duration_ns;
};

struct collector {
    struct wl_measure measure; /* first: room-internal functions take its address */
    struct wl_cupti cupti;
    struct wl_cupti_subscriber *subscriber;
    bool is_abandoned, is_graph_noted, is_tracing_tried;
    bool has_filter;                         /* launches must be told to it one by one */
    struct wl_measure_group *_Atomic passed; /* the group of the last launch that was left out */
    pthread_mutex_t times_lock;
    struct time *times;
    size_t time_count;
    _Atomic uint64_t lost_times;
};

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- times of kernels ---- */

/* On a thread of CUPTI, or within a flush. */
static void take_time(void *self, const struct wl_cupti_kernel_activity *kernel)
{
    struct collector *collector = self;
    pthread_mutex_lock(&collector->times_lock);
    if (collector->time_count < times_max)
        collector->times[collector->time_count++] =
            (struct time){kernel->correlation_id, kernel->end_ns - kernel->start_ns};
    else
        atomic_fetch_add(&collector->lost_times, 1);
    pthread_mutex_unlock(&collector->times_lock);
}

/* Kernel records take counts at instructions away, and continuous samples. */
static void start_tracing(struct collector *collector)
{
    struct wl_error error = {0};
    const struct wl_settings *settings = collector->measure.input.settings;
    bool is_excluded = settings->instruction_counts ||
                       (settings->pc_samples && settings->replay == WL_REPLAY_AUTO);
    if (collector->is_tracing_tried || is_excluded)
        return;
    collector->is_tracing_tried = true;
    if (!collector->times)
        collector->times = wl_alloc(times_max * sizeof *collector->times);
    collector->measure.is_tracing =
        wl_cupti_activity_start(&collector->cupti, take_time, collector, &error) == WL_OK;
    if (!collector->measure.is_tracing)
        wl_measure_note_error(&collector->measure, "no-times", "kernels are not timed", &error);
}

/* Sends launches whose time has come. */
static void match_times(struct collector *collector)
{
    struct wl_measure *measure = &collector->measure;
    pthread_mutex_lock(&collector->times_lock);
    for (size_t i = 0; i < collector->time_count; i++) {
        struct wl_measure_launch *launch = NULL;
        HASH_FIND(hh, measure->timed, &collector->times[i].correlation_id, sizeof(uint32_t),
                  launch);
        if (!launch)
            continue;
        struct wl_record_value value = {"gpu__time_duration.sum",
                                        (double)collector->times[i].duration_ns, WL_MARK_EXACT};
        HASH_DEL(measure->timed, launch);
        WL_PUSH(&launch->values, value);
        wl_measure_send_launch(measure, launch);
    }
    collector->time_count = 0;
    pthread_mutex_unlock(&collector->times_lock);
}

/* Sends all launches that wait for their time, with it or without. */
static void end_times(struct collector *collector, bool abandon)
{
    struct wl_measure *measure = &collector->measure;
    struct wl_measure_launch *launch, *next;
    if (measure->is_tracing && !abandon)
        wl_cupti_activity_flush(true);
    match_times(collector);
    HASH_ITER(hh, measure->timed, launch, next)
    {
        HASH_DEL(measure->timed, launch);
        if (abandon)
            wl_measure_free_launch(launch);
        else
            wl_measure_send_launch(measure, launch);
    }
}

static void wait_for_time(struct collector *collector, struct wl_measure_launch *launch)
{
    struct wl_measure *measure = &collector->measure;
    if (!measure->is_tracing) {
        wl_measure_send_launch(measure, launch);
        return;
    }
    struct wl_measure_launch *old = NULL;
    HASH_FIND(hh, measure->timed, &launch->correlation_id, sizeof(uint32_t), old);
    if (old) { /* its record never came */
        HASH_DEL(measure->timed, old);
        wl_measure_send_launch(measure, old);
    }
    HASH_ADD(hh, measure->timed, correlation_id, sizeof(uint32_t), launch);
    if (HASH_COUNT(measure->timed) >= timed_launches_max)
        wl_cupti_activity_flush(false);
    match_times(collector);
}

/* Those that are counted are sent with their batch. */
static void settled(struct wl_measure *measure, struct wl_measure_launch *launch)
{
    const struct wl_settings *settings = measure->input.settings;
    struct wl_measure_kernel *kernel = launch->kernel;
    if (strcmp(launch->replay, "none") != 0)
        return;
    if (settings->replay == WL_REPLAY_AUTO && settings->pc_samples) {
        struct wl_measure_launch *before = kernel->bearer;
        kernel->bearer = launch;
        launch = before;
    }
    if (launch)
        wait_for_time((struct collector *)measure, launch);
}

/* The last launches of kernels, with the samples of all. */
static void end_bearers(struct collector *collector)
{
    struct wl_measure_kernel *kernel, *next;
    HASH_ITER(hh, collector->measure.kernels, kernel, next)
    {
        wl_measure_bear(kernel);
        if (kernel->bearer)
            wait_for_time(collector, kernel->bearer);
        kernel->bearer = NULL;
    }
}

static void note_left_out(struct collector *collector)
{
    struct wl_measure_group *group, *next;
    HASH_ITER(hh, collector->measure.groups, group, next)
    {
        if (group->left_out == 0)
            continue;
        char *text = wl_string_format(
            "%llu of %llu like launches of %s are left out", (unsigned long long)group->left_out,
            (unsigned long long)(recorded_max + group->left_out), group->key.kernel->demangled);
        wl_measure_note(&collector->measure, WL_NOTE_INFO, "launches-left-out", text,
                        "--replay-mode kernel records all, and counts at each");
        free(text);
        group->left_out = 0;
    }
}

/* ---- launches ---- */

/* The launch calls that are heard. */
static const struct {
    uint32_t call;
    bool is_extended, is_per_thread, is_cooperative, is_graph;
} launch_calls[] = {
    {WL_CUPTI_CALL_LAUNCH, .is_extended = false},
    {WL_CUPTI_CALL_LAUNCH_PTSZ, .is_per_thread = true},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE, .is_cooperative = true},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE_PTSZ, .is_cooperative = true, .is_per_thread = true},
    {WL_CUPTI_CALL_LAUNCH_EX, .is_extended = true},
    {WL_CUPTI_CALL_LAUNCH_EX_PTSZ, .is_extended = true, .is_per_thread = true},
    {WL_CUPTI_CALL_GRAPH_LAUNCH, .is_graph = true},
    {WL_CUPTI_CALL_GRAPH_LAUNCH_PTSZ, .is_graph = true},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI, .is_graph = true}, /* as little to be replayed */
};
enum { launch_call_count = sizeof launch_calls / sizeof *launch_calls };

static size_t find_launch_call(uint32_t call)
{
    size_t i = 0;
    while (i < launch_call_count && launch_calls[i].call != call)
        i++;
    return i;
}

bool wl_cupti_collector_is_launch(uint32_t call)
{
    return find_launch_call(call) < launch_call_count;
}

/* What the program gave to the call, whichever it was. */
struct request {
    struct wl_cuda_function *function;
    struct wl_cuda_stream *stream;
    const uint32_t *grid, *block;
    uint32_t shared_bytes;
};

static struct request read_request(size_t row, const struct wl_cupti_api_data *data)
{
    if (launch_calls[row].is_extended) {
        const struct wl_cuda_launch_ex_parameters *parameters = data->parameters;
        const struct wl_cuda_launch_config *config = parameters->config;
        return (struct request){parameters->function, config->stream, config->grid, config->block,
                                config->shared_bytes};
    }
    const struct wl_cuda_launch_parameters *parameters = data->parameters;
    return (struct request){parameters->function, parameters->stream, parameters->grid,
                            parameters->block, parameters->shared_bytes};
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

/* What becomes of a launch. */
enum fate { FATE_UNWANTED, FATE_LEFT_OUT, FATE_FREE, FATE_COUNTED };

static enum fate decide(struct wl_measure *measure, const struct request *request,
                        const struct wl_filter_launch *asked, struct wl_measure_kernel *kernel,
                        struct wl_measure_group **group)
{
    const struct wl_settings *settings = measure->input.settings;
    struct wl_measure_group_key key;
    memset(&key, 0, sizeof key);
    if (!wl_filter_accept(measure->input.filter, asked))
        return FATE_UNWANTED;
    key.kernel = kernel;
    memcpy(key.grid, request->grid, sizeof key.grid);
    memcpy(key.block, request->block, sizeof key.block);
    key.shared_bytes = request->shared_bytes;
    *group = wl_measure_find_group(measure, &key);
    uint64_t before = (*group)->launches++;
    if (settings->replay == WL_REPLAY_AUTO && before >= recorded_max) {
        (*group)->left_out++;
        return FATE_LEFT_OUT;
    }
    bool is_counted = settings->counters[0] &&
                      (settings->replay == WL_REPLAY_KERNEL || (*group)->counted < counted_max);
    return is_counted ? FATE_COUNTED : FATE_FREE;
}

/* *made is set where it is recorded. */
static enum fate make_launch(struct collector *collector, size_t row,
                             const struct wl_cupti_api_data *data,
                             const struct wl_measure_context *context,
                             struct wl_measure_launch **made)
{
    struct wl_measure *measure = &collector->measure;
    struct wl_measure_group *group = NULL;
    struct request request = read_request(row, data);
    const char *symbol = data->symbol ? data->symbol : "(kernel without a name)";
    struct wl_measure_kernel *kernel = wl_measure_find_kernel(measure, symbol);
    struct wl_filter_launch asked = {
        .mangled = kernel->mangled,
        .demangled = kernel->demangled,
        .function = kernel->function,
        .context_id = context->id,
    };
    uint64_t id = measure->launch_count++;
    collector->cupti.cuptiGetStreamIdEx(data->context, request.stream,
                                        launch_calls[row].is_per_thread, &asked.stream_id);
    if (measure->input.open_ranges)
        asked.range_count = measure->input.open_ranges(&asked.ranges);
    enum fate fate = decide(measure, &request, &asked, kernel, &group);
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
    launch->is_cooperative = launch_calls[row].is_cooperative;
    launch->correlation_id = data->correlation_id;
    launch->start_ns = now_ns();
    launch->range = join_ranges(asked.ranges, asked.range_count);
    launch->replay = "none";
    if (fate == FATE_FREE && measure->input.settings->counters[0])
        launch->uncounted = "launches like it are counted";
    return fate;
}

static void pass_over_graph(struct collector *collector, struct wl_measure_context *context)
{
    wl_measure_flush(&collector->measure, context);
    if (collector->is_graph_noted)
        return;
    collector->is_graph_noted = true;
    wl_measure_note(&collector->measure, WL_NOTE_INFO, "graph-launch",
                    "kernels that a graph or several devices launch together are not counted: they "
                    "cannot be run again one by one",
                    "");
}

static bool is_of_group(const struct wl_measure_group *group, size_t row,
                        const struct wl_cupti_api_data *data)
{
    struct request request = read_request(row, data);
    return data->symbol == group->symbol && request.shared_bytes == group->key.shared_bytes &&
           memcmp(request.grid, group->key.grid, sizeof group->key.grid) == 0 &&
           memcmp(request.block, group->key.block, sizeof group->key.block) == 0;
}

bool wl_cupti_collector_pass(void *self, uint32_t call, const struct wl_cupti_api_data *data)
{
    struct collector *collector = self;
    struct wl_measure_group *group = atomic_load_explicit(&collector->passed, memory_order_acquire);
    if (data->site == WL_CUPTI_EXIT)
        return data->own_data && *data->own_data == 0;
    size_t row = find_launch_call(call);
    if (!group || row >= launch_call_count || launch_calls[row].is_graph || !data->parameters ||
        !is_of_group(group, row, data))
        return false;
    /* every so often the long way, where samples are gathered */
    if (atomic_load_explicit(&group->left_out, memory_order_relaxed) % gather_period == 0)
        return false;
    atomic_fetch_add_explicit(&group->left_out, 1, memory_order_relaxed);
    if (data->own_data)
        *data->own_data = 0;
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
    if (launch_calls[row].is_graph) {
        wl_measure_settle(measure, context, true);
        pass_over_graph(collector, context);
        return;
    }
    struct wl_measure_launch *launch = NULL;
    enum fate fate = make_launch(collector, row, data, context, &launch);
    if (fate != FATE_COUNTED && context->counting.is_started) {
        wl_measure_settle(measure, context, true);
        wl_measure_flush(measure, context); /* it is not to be counted with the others */
    }
    if (fate == FATE_LEFT_OUT || ++context->free_launches >= gather_period)
        wl_measure_gather(measure, context);
    if (!launch)
        return;
    if (fate == FATE_COUNTED) /* while it is counted nothing may pass unseen */
        atomic_store_explicit(&collector->passed, NULL, memory_order_release);
    wl_measure_expect_samples(measure, context);
    bool is_counted = fate == FATE_COUNTED && wl_measure_count(measure, context, launch);
    if (is_counted)
        launch->group->counted++;
    else if (!context->counting.ranges)
        start_tracing(collector);
    wl_measure_begin_instructions(measure, context, launch, is_counted);
    if (data->own_data)
        *data->own_data = (uint64_t)(uintptr_t)launch;
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
    launch->is_ended = true;
    struct wl_measure_context *context = wl_measure_find_context(measure, data->context);
    bool is_counted = strcmp(launch->replay, "none") != 0;
    if (result != WL_CUDA_SUCCESS) {
        if (is_counted)
            wl_measure_uncount(context, launch);
        wl_measure_settle(measure, context, true);
        wl_measure_flush(measure, context); /* those before it are sent before it */
        launch->message = wl_string_format("the driver refused the launch (CUresult %d)", result);
        wl_measure_send_launch(measure, launch);
        return;
    }
    wl_measure_read_attributes(measure, launch->kernel, read_request(row, data).function);
    wl_measure_end_instructions(measure, context, launch);
    if (is_counted && wl_filter_is_finished(measure->input.filter))
        wl_measure_flush(measure, context); /* the last one that is wanted */
}

static void hear_driver(struct collector *collector, uint32_t call,
                        const struct wl_cupti_api_data *data)
{
    size_t row = find_launch_call(call);
    bool is_enter = data->site == WL_CUPTI_ENTER;
    if (row < launch_call_count && is_enter)
        launch_enter(collector, row, data);
    else if (row < launch_call_count && !launch_calls[row].is_graph)
        launch_exit(collector, row, data);
    else if (call == WL_CUPTI_CALL_PROFILER_START && !is_enter)
        wl_filter_set_active(collector->measure.input.filter, true);
    else if (call == WL_CUPTI_CALL_PROFILER_STOP && is_enter)
        wl_filter_set_active(collector->measure.input.filter, false);
}

static void hear_resource(struct collector *collector, uint32_t call,
                          const struct wl_cupti_resource_data *data)
{
    struct wl_measure *measure = &collector->measure;
    const struct wl_cupti_module_data *module = data->descriptor;
    if (call == WL_CUPTI_MODULE_LOADED && module)
        wl_measure_add_module(measure, module->cubin, module->cubin_bytes);
    if (call != WL_CUPTI_CONTEXT_DESTROY_STARTING)
        return;
    for (size_t i = 0; i < measure->contexts.count; i++)
        if (measure->contexts.items[i]->context == data->context) {
            wl_measure_drop_context(measure, measure->contexts.items[i], false);
            break;
        }
    end_times(collector, false);
}

void wl_cupti_collector_hear(void *self, int domain, uint32_t call, const void *data)
{
    struct collector *collector = self;
    if (collector->is_abandoned || !data)
        return;
    if (domain == WL_CUPTI_DOMAIN_DRIVER) {
        hear_driver(collector, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_RESOURCE) {
        hear_resource(collector, call, data);
    } else if (domain == WL_CUPTI_DOMAIN_STATE) {
        const struct wl_cupti_state_data *state = data;
        wl_measure_note(&collector->measure, WL_NOTE_WARNING, "cupti-trouble",
                        state->message ? state->message : wl_cupti_explain(state->result)->meaning,
                        wl_cupti_explain(state->result)->hint);
    }
}

bool wl_cupti_collector_is_serial(const void *self)
{
    const struct collector *collector = self;
    return collector->measure.input.settings->counters[0] != '\0' && !collector->is_abandoned;
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

static int enable_callbacks(struct collector *collector)
{
    static const struct {
        int domain;
        uint32_t call;
    } others[] = {
        {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_START},
        {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_STOP},
        {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_CONTEXT_DESTROY_STARTING},
        {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_MODULE_LOADED},
        {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_FATAL_ERROR},
        {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_ERROR},
    };
    struct wl_cupti *cupti = &collector->cupti;
    int result = WL_CUPTI_SUCCESS;
    for (size_t i = 0; i < launch_call_count; i++) /* an older CUPTI does not know all */
        cupti->cuptiEnableCallback(1, collector->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   launch_calls[i].call);
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < sizeof others / sizeof *others; i++)
        result =
            cupti->cuptiEnableCallback(1, collector->subscriber, others[i].domain, others[i].call);
    return result;
}

enum wl_code wl_cupti_collector_subscribe(void *self, wl_cupti_callback *callback,
                                          struct wl_error *error)
{
    struct collector *collector = self;
    char holder[65] = "";
    int result = subscribe(collector, callback, holder, sizeof holder);
    if (result != WL_CUPTI_SUCCESS) {
        collector->subscriber = NULL;
        wl_cupti_fail(error, "attaching to CUPTI", result);
        return holder[0] ? wl_error_set_where(error, "held by %s", holder) : WL_ERR_UNSUPPORTED;
    }
    result = enable_callbacks(collector);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "hearing of launches", result);
    if (!collector->measure.input.settings->counters[0])
        start_tracing(collector);
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
    pthread_mutex_init(&collector->times_lock, NULL);
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

static void note_lost(struct collector *collector)
{
    uint64_t lost = wl_cupti_activity_dropped() + atomic_load(&collector->lost_times);
    if (lost == 0)
        return;
    char *text = wl_string_format("CUPTI had no room for %llu kernel records: that many launches "
                                  "have no time",
                                  (unsigned long long)lost);
    wl_measure_note(&collector->measure, WL_NOTE_WARNING, "times-dropped", text, "");
    free(text);
}

void wl_cupti_collector_finish(void *self)
{
    struct collector *collector = self;
    if (collector->is_abandoned)
        return;
    for (size_t i = 0; i < collector->measure.contexts.count; i++) {
        wl_measure_settle(&collector->measure, collector->measure.contexts.items[i], true);
        wl_measure_flush(&collector->measure, collector->measure.contexts.items[i]);
        wl_measure_end_samples(&collector->measure, collector->measure.contexts.items[i]);
    }
    end_bearers(collector);
    end_times(collector, false);
    note_left_out(collector);
    note_lost(collector);
}

void wl_cupti_collector_abandon(void *self)
{
    struct collector *collector = self;
    collector->is_abandoned = true;
    pthread_mutex_init(&collector->times_lock, NULL);
}

static void stop(void *self)
{
    struct collector *collector = self;
    struct wl_measure *measure = &collector->measure;
    bool abandon = collector->is_abandoned;
    end_times(collector, true);
    while (measure->contexts.count)
        wl_measure_drop_context(measure, measure->contexts.items[0], abandon);
    if (measure->is_tracing)
        wl_cupti_activity_stop(abandon);
    if (collector->subscriber && !abandon)
        collector->cupti.cuptiUnsubscribe(collector->subscriber);
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

const struct wl_collector wl_cupti_collector = {
    .name = "cupti",
    .start = start,
    .forget = forget,
    .stop = stop,
};
