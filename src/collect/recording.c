#include "collect/recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "collect/nvtx.h"
#include "collect/python.h"
#include "collect/sites.h"
#include "record/traced.h"
#include "timeline/engine.h"
#include "timeline/timeline.h"
#include <stdlib.h>

enum { PATIENCE_MS = 200 };

static struct {
    const struct wl_settings *settings;
    wl_recording_use_stream *use_stream;
    bool is_simulated;
    atomic_bool is_on;
    void (*flush)(void);
    atomic_bool is_over; /* as long as was asked for, as many kernels */
    _Atomic uint64_t kernels;
    _Atomic int range_depth; /* open ranges that events are recorded in */
    uint64_t range_limit;    /* how many are recorded; 0: all */
    _Atomic uint64_t ranges;
} recording;

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
    recording.use_stream(write_names, &record);
}

static void put_records(void *self, struct wl_timeline_record *records, size_t count)
{
    (void)self;
    struct wl_record_trace record = {records, count};
    recording.use_stream(write_records, &record);
}

static const struct wl_timeline_sink sink = {.put_names = put_names, .put_records = put_records};

static void put_statistics(uint64_t dropped)
{
    struct wl_timeline_statistics found;
    wl_timeline_statistics(&found);
    struct wl_record_trace_end record = {
        .records = found.records,
        .dropped = found.dropped + dropped,
        .waited_ns = found.waited_ns,
        .ring_bytes = found.ring_bytes,
        .record_ns = found.record_ns,
        .clock_jump_ns = found.clock_jump_ns,
        .is_simulated = recording.is_simulated,
    };
    if (found.records || record.dropped)
        recording.use_stream(write_end, &record);
}

/* ---- when events are recorded ---- */

static void pause_trace(bool is_paused)
{
    if (atomic_load(&recording.is_over))
        return;
    if (recording.flush)
        recording.flush();
    wl_timeline_pause(is_paused);
}

/* Of --capture-range: the last that is wanted ends the recording. */
static void end_range(void)
{
    pause_trace(true);
    if (recording.range_limit &&
        atomic_fetch_add(&recording.ranges, 1) + 1 == recording.range_limit)
        atomic_store(&recording.is_over, true);
}

void wl_recording_set_flush(void (*flush)(void))
{
    recording.flush = flush;
}

void wl_recording_switch(bool is_active)
{
    if (recording.settings->trace_range != WL_CAPTURE_PROFILER_API)
        return;
    if (is_active)
        pause_trace(false);
    else
        end_range();
}

/* name: "name" or "domain@name", as open ranges are called; asked for is "name" or "name@domain".
 */
static bool is_range_asked(const char *name)
{
    const char *asked = recording.settings->trace_range_name, *at = strchr(asked, '@');
    if (!at)
        return strcmp(name, asked) == 0;
    size_t length = (size_t)(at - asked), domain_length = strlen(at + 1);
    return strncmp(name, at + 1, domain_length) == 0 && name[domain_length] == '@' &&
           strlen(name) == domain_length + 1 + length &&
           strncmp(name + domain_length + 1, asked, length) == 0;
}

static void on_range(const char *name, bool is_begin)
{
    if (!is_range_asked(name))
        return;
    if (is_begin && atomic_fetch_add(&recording.range_depth, 1) == 0)
        pause_trace(false);
    if (!is_begin && atomic_fetch_sub(&recording.range_depth, 1) == 1)
        end_range();
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
    wl_timeline_own_thread();
    if (recording.settings->trace_delay_ms) {
        sleep_ms(recording.settings->trace_delay_ms);
        pause_trace(false);
    }
    if (recording.settings->trace_duration_ms) {
        sleep_ms(recording.settings->trace_duration_ms);
        pause_trace(true);
        atomic_store(&recording.is_over, true);
    }
    return NULL;
}

static void start_timer(void)
{
    pthread_t thread;
    if (!recording.settings->trace_delay_ms && !recording.settings->trace_duration_ms)
        return;
    if (pthread_create(&thread, NULL, keep_time, NULL) == 0)
        pthread_detach(thread);
}

void wl_recording_count_kernel(void)
{
    uint64_t limit = recording.settings->trace_kernels;
    if (!limit || atomic_fetch_add(&recording.kernels, 1) + 1 < limit)
        return;
    atomic_store(&recording.is_over, true);
    wl_timeline_pause(true);
}

enum wl_code wl_recording_start(const struct wl_settings *settings,
                                wl_recording_use_stream *use_stream, uint64_t (*now_ns)(void),
                                struct wl_error *error)
{
    struct wl_timeline_options options = {
        .patience_ms = PATIENCE_MS,
        .now_ns = now_ns,
        .is_paused = settings->trace_delay_ms || settings->trace_range != WL_CAPTURE_ALL,
    };
    enum wl_code code = wl_traced_parse(settings->trace, &options.wanted, error);
    if (!code)
        code = wl_traced_ranges_parse(settings->trace_range_end, &recording.range_limit, error);
    if (code)
        return code;
    recording.settings = settings;
    wl_timeline_engine_set_least_call(settings->trace_osrt_ns);
    wl_nvtx_choose_domains(settings->trace_domains, settings->trace_other_domains);
    recording.use_stream = use_stream;
    recording.is_simulated = now_ns != NULL;
    atomic_store(&recording.is_on, true);
    wl_code_stacks_start(settings->trace_stacks, settings->python_stacks);
    wl_timeline_start(&options, &sink);
    if (settings->trace_range == WL_CAPTURE_NVTX)
        wl_nvtx_set_listener(on_range);
    start_timer();
    return WL_OK;
}

static void write_note(const struct wl_sink *sink, void *argument)
{
    if (sink->put_note)
        sink->put_note(sink->self, argument);
}

static void note_unknown_python(void)
{
    if (wl_python_state() != WL_PYTHON_UNKNOWN)
        return;
    char *text = wl_string_format("the functions of Python %s cannot be read: no call has its line",
                                  wl_python_version());
    struct wl_record_note note = {WL_NOTE_WARNING, "python-unknown", text,
                                  "CPython 3.9 to 3.13 with a GIL can be read", -1};
    recording.use_stream(write_note, &note);
    free(text);
}

void wl_recording_end(uint64_t dropped)
{
    if (!atomic_exchange(&recording.is_on, false))
        return;
    wl_timeline_stop();
    note_unknown_python();
    put_statistics(dropped);
}

void wl_recording_after_fork(void)
{
    if (atomic_load(&recording.is_on))
        wl_timeline_forget();
}
