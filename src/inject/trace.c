#include "inject/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/demangle.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/traced.h"
#include "device/clock.h"
#include "inject/nvtx.h"
#include "trace/trace.h"

/* Names of kernels by their number; those of more kernels are looked up each time. */
enum { KERNEL_NAMES = 4096 };

static struct {
    const struct wl_settings *settings;
    wl_inject_use_stream *use_stream;
    atomic_bool is_on;
    atomic_bool is_over; /* as long as was asked for, as many kernels */
    _Atomic uint32_t kernel_names[KERNEL_NAMES];
    _Atomic uint64_t kernels;
    _Atomic int range_depth; /* open ranges that events are recorded in */
} trace;

/* ---- what was drained goes into the stream ---- */

static void write_names(const struct wl_sink *sink, void *argument)
{
    sink->put_trace_names(sink->self, argument);
}

static void write_records(const struct wl_sink *sink, void *argument)
{
    sink->put_trace(sink->self, argument);
}

static void write_end(const struct wl_sink *sink, void *argument)
{
    sink->put_trace_end(sink->self, argument);
}

static void put_names(void *self, uint32_t first_id, const char *const *names, size_t count)
{
    (void)self;
    struct wl_record_trace_names record = {first_id, names, count};
    trace.use_stream(write_names, &record);
}

static void put_records(void *self, struct wl_trace_record *records, size_t count)
{
    (void)self;
    struct wl_record_trace record = {records, count};
    trace.use_stream(write_records, &record);
}

static const struct wl_trace_sink sink = {.put_names = put_names, .put_records = put_records};

/* Told after every drain that wrote something would be too much; a killed process has none. */
static void put_statistics(void)
{
    struct wl_trace_statistics found;
    wl_trace_statistics(&found);
    struct wl_record_trace_end record = {
        .records = found.records,
        .dropped = found.dropped,
        .waited_ns = found.waited_ns,
        .ring_bytes = found.ring_bytes,
        .record_ns = found.record_ns,
        .clock_jump_ns = found.clock_jump_ns,
        .is_simulated = true,
    };
    if (found.records || found.dropped)
        trace.use_stream(write_end, &record);
}

/* ---- what the simulated GPU does ---- */

static uint32_t demangled_name(const char *mangled)
{
    char *name = wl_demangle(mangled);
    uint32_t id = wl_trace_name(name);
    free(name);
    return id;
}

static uint32_t kernel_name(const struct wl_device_launch *launch)
{
    uint64_t number = launch->kernel ? launch->kernel->id : 0;
    if (!number || number >= KERNEL_NAMES)
        return demangled_name(launch->mangled);
    uint32_t id = atomic_load(&trace.kernel_names[number]);
    if (!id) {
        id = demangled_name(launch->mangled);
        atomic_store(&trace.kernel_names[number], id);
    }
    return id;
}

static void fill_kernel(const struct wl_device_activity *activity, struct wl_trace_record *record)
{
    const struct wl_device_launch *launch = activity->launch;
    const struct wl_device_kernel_info *kernel = launch->kernel;
    record->category = WL_TRACE_KERNEL;
    record->name = kernel_name(launch);
    record->words[1] = WL_TRACE_PACK_GRID(launch->grid[0], launch->grid[1], launch->grid[2]);
    record->words[2] = WL_TRACE_PACK_BLOCK(launch->block[0], launch->block[1], launch->block[2],
                                           kernel ? kernel->registers_per_thread : 0);
    record->words[3] = WL_TRACE_PACK_SHARED(kernel ? kernel->program->shared_static_bytes : 0,
                                            launch->shared_dynamic_bytes);
    record->words[4] = activity->graph_node_id;
    record->words[5] = kernel ? kernel->id : 0;
}

static void fill_copy(const struct wl_device_activity *activity, struct wl_trace_record *record)
{
    static uint32_t names[WL_DEVICE_COPY_ON_HOST + 1];
    static const char *const texts[WL_DEVICE_COPY_ON_HOST + 1] = {
        [WL_DEVICE_COPY_TO_DEVICE] = "[CUDA memcpy Host-to-Device]",
        [WL_DEVICE_COPY_TO_HOST] = "[CUDA memcpy Device-to-Host]",
        [WL_DEVICE_COPY_ON_DEVICE] = "[CUDA memcpy Device-to-Device]",
        [WL_DEVICE_COPY_ON_HOST] = "[CUDA memcpy Host-to-Host]",
    };
    record->category = WL_TRACE_MEMCPY;
    record->name = wl_trace_name_once(&names[activity->copy_kind], texts[activity->copy_kind]);
    record->words[1] = activity->bytes;
    record->words[2] = activity->copy_kind;
    record->words[3] = activity->from;
    record->words[4] = activity->to;
    record->words[5] = activity->graph_node_id;
}

static void fill_set(const struct wl_device_activity *activity, struct wl_trace_record *record)
{
    static uint32_t name;
    record->category = WL_TRACE_MEMSET;
    record->name = wl_trace_name_once(&name, "[CUDA memset]");
    record->words[1] = activity->bytes;
    record->words[2] = activity->value;
    record->words[3] = activity->to;
    record->words[5] = activity->graph_node_id;
}

static void (*const fills[])(const struct wl_device_activity *, struct wl_trace_record *) = {
    [WL_DEVICE_ACTIVITY_KERNEL] = fill_kernel,
    [WL_DEVICE_ACTIVITY_COPY] = fill_copy,
    [WL_DEVICE_ACTIVITY_FILL] = fill_set,
};

void wl_inject_trace_activity(const struct wl_device_activity *activity)
{
    if (!wl_trace_is_wanted(WL_TRACE_KERNEL))
        return;
    struct wl_trace_record record = {
        .start = activity->start_ns,
        .end = activity->end_ns,
        .flags = WL_TRACE_PREDICTED,
        .correlation = wl_trace_correlation(),
        .words[0] =
            WL_TRACE_PACK_WHERE(activity->device_id, activity->context_id, activity->stream_id),
    };
    if (activity->length == WL_DEVICE_LENGTH_GAP)
        record.flags |= WL_TRACE_NO_LENGTH;
    fills[activity->kind](activity, &record);
    wl_trace_put(&record);
    uint64_t limit = trace.settings->trace_kernels;
    if (activity->kind == WL_DEVICE_ACTIVITY_KERNEL && limit &&
        atomic_fetch_add(&trace.kernels, 1) + 1 >= limit) {
        atomic_store(&trace.is_over, true);
        wl_trace_pause(true);
    }
}

/* ---- when events are recorded ---- */

static void pause_trace(bool is_paused)
{
    if (!atomic_load(&trace.is_over))
        wl_trace_pause(is_paused);
}

void wl_inject_trace_switch(bool is_active)
{
    if (trace.settings->trace_range == WL_CAPTURE_PROFILER_API)
        pause_trace(!is_active);
}

/* name: "name" or "domain@name", as open ranges are called; asked for is "name" or "name@domain".
 */
static bool is_range_asked(const char *name)
{
    const char *asked = trace.settings->trace_range_name, *at = strchr(asked, '@');
    if (!at)
        return strcmp(name, asked) == 0;
    size_t length = (size_t)(at - asked), domain_length = strlen(at + 1);
    return strncmp(name, at + 1, domain_length) == 0 && name[domain_length] == '@' &&
           strlen(name) == domain_length + 1 + length &&
           strncmp(name + domain_length + 1, asked, length) == 0;
}

static void hear_range(const char *name, bool is_begin)
{
    if (!is_range_asked(name))
        return;
    if (is_begin && atomic_fetch_add(&trace.range_depth, 1) == 0)
        pause_trace(false);
    if (!is_begin && atomic_fetch_sub(&trace.range_depth, 1) == 1)
        pause_trace(true);
}

static void sleep_ms(uint64_t ms)
{
    struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&time, &time) != 0)
        continue;
}

static void *keep_time(void *unused)
{
    (void)unused;
    if (trace.settings->trace_delay_ms) {
        sleep_ms(trace.settings->trace_delay_ms);
        pause_trace(false);
    }
    if (trace.settings->trace_duration_ms) {
        sleep_ms(trace.settings->trace_duration_ms);
        atomic_store(&trace.is_over, true);
        wl_trace_pause(true);
    }
    return NULL;
}

static void start_timer(void)
{
    pthread_t thread;
    if (!trace.settings->trace_delay_ms && !trace.settings->trace_duration_ms)
        return;
    if (pthread_create(&thread, NULL, keep_time, NULL) == 0)
        pthread_detach(thread);
}

enum wl_code wl_inject_trace_start(const struct wl_settings *settings,
                                   wl_inject_use_stream *use_stream, struct wl_error *error)
{
    struct wl_trace_options options = {
        .patience_ms = 200,
        .now_ns = wl_device_clock_now,
        .is_paused = settings->trace_delay_ms || settings->trace_range != WL_CAPTURE_ALL,
    };
    enum wl_code code = wl_traced_parse(settings->trace, &options.wanted, error);
    if (code)
        return code;
    trace.settings = settings;
    trace.use_stream = use_stream;
    atomic_store(&trace.is_on, true);
    wl_trace_start(&options, &sink);
    if (settings->trace_range == WL_CAPTURE_NVTX)
        wl_nvtx_set_listener(hear_range);
    start_timer();
    return WL_OK;
}

void wl_inject_trace_end(void)
{
    if (!atomic_exchange(&trace.is_on, false))
        return;
    wl_trace_stop();
    put_statistics();
}

void wl_inject_trace_after_fork(void)
{
    if (atomic_load(&trace.is_on))
        wl_trace_forget();
}
