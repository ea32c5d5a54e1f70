/* What runs inside the watched program: reads WARPLENS_SETTINGS, sets the simulated GPU up, and
 * records what it does into a stream of this process, which is opened when the GPU is first used.
 * Without WARPLENS_SETTINGS the library is just a simulated GPU. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "base/memory.h"
#include "base/text.h"
#include "binary/compiled.h"
#include "collect/nvtx.h"
#include "collect/openacc.h"
#include "collect/recording.h"
#include "collect/session.h"
#include "collect/sim/callers.h"
#include "collect/sim/collector.h"
#include "collect/sim/events.h"
#include "collect/sim/failures.h"
#include "collect/sites.h"
#include "device/core/clock.h"
#include "device/device.h"
#include "record/stream/running.h"
#include "record/stream/stream.h"
#include "timeline/engine.h"
#include "timeline/timeline.h"

/* Of a kernel that takes longer than the first it is said where it is, and again after the second.
 */
static const int64_t progress_after_ms = 700, progress_period_ms = 250;

#define LEAK_NOTES_MAX 10000

static struct {
    const struct wl_settings *settings; /* the session's */
    const struct wl_sink *sink;
    struct wl_compiled compiled;                /* lives on: the device layer reads it */
    const struct wl_device_observer *collected; /* the collector's */
    struct wl_device_observer observer;         /* ours, around it */
    _Atomic int64_t next_progress_ms;
    atomic_bool is_progress_shown;
    bool has_work_left;         /* when the program ended */
    atomic_bool is_device_used; /* something that it did was recorded */
} simulated;

static void put_note(enum wl_note_severity severity, const char *code, const char *text,
                     const char *hint)
{
    struct wl_record_note note = {severity, code, text, hint, -1};
    if (simulated.sink->put_note)
        simulated.sink->put_note(simulated.sink->self, &note);
}

/* Why registers of some kernels are estimates although there is a ptxas. */
static void put_compiled_notes(void *self)
{
    (void)self;
    for (const char *line = simulated.compiled.notes.data; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *text = wl_string_copy_length(line, length);
        put_note(WL_NOTE_INFO, "ptxas-failed", text, "");
        free(text);
        line += length + (line[length] == '\n');
    }
}

/* ---- the observer: the collector's, behind the session's lock and a guard ---- */

static bool launch_begin(void *self, const struct wl_device_launch *launch)
{
    (void)self;
    struct wl_session_visit visit;
    volatile bool is_counted = false;
    wl_running_begin(launch->id, launch->mangled);
    if (wl_session_is_tracing())
        return false;
    if (!wl_session_enter(&visit)) {
        wl_running_trouble(NULL);
        return false;
    }
    WL_GUARD(&visit.guard)
    {
        if (wl_session_open_stream())
            is_counted = simulated.collected->launch_begin(simulated.collected->self, launch);
    }
    wl_session_leave(&visit);
    atomic_store(&simulated.next_progress_ms,
                 (int64_t)(wl_clock_monotonic_ns() / 1000000) + progress_after_ms);
    return is_counted && !visit.guard.is_broken;
}

static void launch_end(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self;
    struct wl_session_visit visit;
    wl_running_end();
    if (atomic_exchange(&simulated.is_progress_shown, false))
        wl_stream_progress_clear(simulated.settings->stream_folder);
    if (wl_session_is_tracing() || !wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (wl_session_open_stream())
            simulated.collected->launch_end(simulated.collected->self, launch, counts, error);
        const char *trouble = wl_session_stream_trouble();
        if (trouble)
            wl_running_trouble(trouble);
    }
    wl_session_leave(&visit);
}

/* What is traced takes no lock of the session: a guard alone, and errno as it was. */
static void trace_guarded(void (*put)(const void *subject), const void *subject)
{
    int saved_errno = errno;
    struct wl_guard guard;
    if (!wl_session_is_tracing())
        return;
    WL_GUARD(&guard)
    {
        put(subject);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

static void put_activity(const void *activity)
{
    wl_inject_trace_activity(activity);
}

static void put_memory(const void *change)
{
    wl_inject_trace_memory(change);
}

static void activity(void *self, const struct wl_device_activity *activity)
{
    (void)self;
    if (wl_timeline_is_wanted(WL_TIMELINE_KERNEL))
        atomic_store_explicit(&simulated.is_device_used, true, memory_order_relaxed);
    trace_guarded(put_activity, activity);
}

static void note_origin(const struct wl_device_memory_change *change)
{
    int saved_errno = errno;
    struct wl_guard guard;
    if (!simulated.settings->check_memory && !simulated.settings->check_init)
        return;
    WL_GUARD(&guard)
    {
        wl_origins_add(change);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

static void memory(void *self, const struct wl_device_memory_change *change)
{
    (void)self;
    note_origin(change);
    trace_guarded(put_memory, change);
}

static void profiler_switch(void *self, bool active)
{
    (void)self;
    struct wl_session_visit visit;
    if (wl_session_is_tracing())
        wl_recording_switch(active);
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        simulated.collected->profiler_switch(simulated.collected->self, active);
    }
    wl_session_leave(&visit);
}

static void note(void *self, enum wl_note_severity severity, const char *code, const char *text,
                 const char *hint)
{
    (void)self;
    struct wl_session_visit visit;
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (wl_session_open_stream())
            simulated.collected->note(simulated.collected->self, severity, code, text, hint);
    }
    wl_session_leave(&visit);
}

static void unwritten_copy(void *self, const struct wl_device_unwritten_copy *copy)
{
    const bool is_all = copy->unwritten_bytes == copy->bytes;
    struct wl_text text = {0};
    struct wl_callers callers;
    wl_callers_take(&callers);
    wl_text_add(&text, "Uninitialized read by a copy to the host of ");
    wl_finding_print_bytes(copy->bytes, &text);
    wl_callers_print(&callers, "made", &text);
    wl_text_addf(&text, "; address 0x%llx ", (unsigned long long)copy->address);
    if (!is_all) {
        wl_text_add(&text, "and ");
        wl_finding_print_bytes(copy->unwritten_bytes, &text);
        wl_text_add(&text, " in all were never written: byte ");
    } else {
        wl_text_add(&text, "was never written, nor what follows: byte ");
    }
    wl_text_addf(&text, "%llu of the ", (unsigned long long)(copy->address - copy->start));
    wl_finding_print_bytes(copy->size_bytes, &text);
    wl_text_addf(&text, " allocated at 0x%llx", (unsigned long long)copy->start);
    wl_origins_print(copy->start, false, &text);
    note(self, is_all ? WL_NOTE_ERROR : WL_NOTE_WARNING, "uninitialised-copy", text.data,
         "what it holds on a GPU is whatever was there before");
    wl_text_free(&text);
}

static void put_failure(const char *text)
{
    note(NULL, WL_NOTE_ERROR, "api-error", text, "");
}

static void put_progress(const struct wl_device_launch *launch, const struct wl_sim_progress *done)
{
    char *name = wl_demangle_function(launch->mangled);
    atomic_store(&simulated.is_progress_shown, true);
    wl_stream_progress_write(simulated.settings->stream_folder, name, done->blocks_done,
                             done->blocks_total, done->instructions);
    free(name);
}

/* For who asks why, should the program be ended. */
static void put_where(const struct wl_sim_progress *done)
{
    struct wl_text where = {0};
    wl_sim_where(done, &where);
    wl_running_where(where.data ? where.data : "");
    wl_text_free(&where);
}

/* On any thread, and while launches run: takes no lock. */
static void progress(void *self, const struct wl_device_launch *launch,
                     const struct wl_sim_progress *done)
{
    (void)self;
    int64_t now = (int64_t)(wl_clock_monotonic_ns() / 1000000),
            next = atomic_load(&simulated.next_progress_ms);
    if (now < next || !wl_session_is_on() ||
        !atomic_compare_exchange_strong(&simulated.next_progress_ms, &next,
                                        now + progress_period_ms))
        return;
    int saved_errno = errno;
    struct wl_guard guard;
    WL_GUARD(&guard)
    {
        put_where(done);
        if (simulated.settings->progress)
            put_progress(launch, done);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

/* Device memory that the program did not free. */
static void put_leaks(const char *hint)
{
    if (!simulated.settings->check_leaks)
        return;
    struct wl_device_allocation *leaks = wl_alloc(LEAK_NOTES_MAX * sizeof *leaks);
    size_t count = wl_device_memory_leaks(leaks, LEAK_NOTES_MAX);
    if (!count || !wl_session_open_stream())
        goto out;
    for (size_t i = 0; i < count && i < LEAK_NOTES_MAX; i++) {
        struct wl_text text = {0};
        wl_text_add(&text, "Leaked ");
        wl_finding_print_bytes(leaks[i].size_bytes, &text);
        wl_text_addf(&text, " at 0x%llx", (unsigned long long)leaks[i].start);
        wl_origins_print(leaks[i].start, false, &text);
        put_note(WL_NOTE_ERROR, "leak", text.data, hint);
        wl_text_free(&text);
    }
    if (count > LEAK_NOTES_MAX) {
        char *text = wl_string_format("%zu more allocations were leaked", count - LEAK_NOTES_MAX);
        put_note(WL_NOTE_ERROR, "leaks-left-out", text, "");
        free(text);
    }
out:
    free(leaks);
}

/* What kernels did not free, each place where they allocate once. */
static void put_heap_leaks(void)
{
    struct wl_sim_leak leak;
    for (uint32_t number = 0;
         simulated.settings->check_leaks && wl_device_heap_leak(&number, &leak);) {
        struct wl_text text = {0};
        if (!wl_session_open_stream())
            return;
        wl_text_add(&text, "Leaked ");
        wl_finding_print_bytes(leak.bytes, &text);
        wl_text_addf(&text, " of the device's heap, in %llu allocation%s; made by malloc or new %s",
                     (unsigned long long)leak.blocks, leak.blocks == 1 ? "" : "s", leak.place);
        put_note(WL_NOTE_ERROR, "leak", text.data, "no kernel freed it");
        wl_text_free(&text);
    }
}

/* What was not freed before is gone after it. */
static void reset(void *self)
{
    (void)self;
    struct wl_session_visit visit;
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        put_leaks("the program reset the device without cudaFree of it");
    }
    wl_session_leave(&visit);
}

/* ---- beginning ---- */

static enum wl_code configure_device(const struct wl_settings *settings,
                                     const struct wl_device_observer *observer,
                                     struct wl_error *error)
{
    struct wl_device_options options = {
#define WL_DEVICE_OPTION(type, field) .field = settings->field,
#include "device/core/options.def"
        .keep_caches = settings->cache_control == WL_CACHE_CONTROL_NONE,
        .skip_prediction = !settings->predict_time,
        .predict_all = settings->trace[0] != '\0',
        .checks =
            (settings->check_race ? WL_CHECK_RACE : 0u) |
            (settings->check_race && settings->race == WL_RACE_GLOBAL ? WL_CHECK_RACE_GLOBAL : 0u) |
            (settings->check_init ? WL_CHECK_INIT : 0u) |
            (settings->check_sync ? WL_CHECK_SYNC : 0u) |
            (settings->check_memory ? WL_CHECK_BOUNDS : 0u),
        .padding_bytes = settings->check_memory ? (uint32_t)settings->padding_bytes : 0,
        .stop_at_finding = settings->stop_at_error,
        .budget = settings->instruction_limit,
        .compiled = simulated.compiled.count ? &simulated.compiled : NULL,
        .observer = observer,
    };
    return wl_device_configure(&options, error);
}

/* Without it registers are estimated, and nothing else is different. */
static void read_compiled(void)
{
    struct wl_text content = {0};
    struct wl_error error = {0};
    if (!simulated.settings->compiled_file[0])
        return;
    if (wl_file_read(simulated.settings->compiled_file, &content, &error) ||
        wl_compiled_parse(content.data ? content.data : "", &simulated.compiled, &error)) {
        wl_compiled_free(&simulated.compiled);
        wl_text_addf(&simulated.compiled.notes, "what ptxas said cannot be read: %s\n",
                     error.message);
    }
    wl_text_free(&content);
}

/* The device layer tells our observer from here on. */
static enum wl_code watch(void *self, struct wl_error *error)
{
    simulated.collected = wl_sim_collector_observer(self);
    simulated.observer = (struct wl_device_observer){
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .profiler_switch = profiler_switch,
        .note = note,
        .activity = activity,
        .memory = memory,
        .unwritten_copy = unwritten_copy,
        .reset = reset,
        .progress = progress,
    };
    read_compiled();
    enum wl_code code = configure_device(simulated.settings, &simulated.observer, error);
    if (code == WL_OK)
        wl_running_open(simulated.settings->stream_folder);
    if (code == WL_OK && simulated.settings->check_memory)
        wl_callers_prepare();
    if (code == WL_OK && simulated.settings->check_memory)
        wl_sim_failures_watch(simulated.settings->report_api_errors, put_failure);
    return code;
}

static enum wl_code start(const struct wl_collector_input *input, void **self,
                          struct wl_error *error)
{
    simulated.settings = input->settings;
    simulated.sink = input->sink;
    return wl_sim_collector.start(input, self, error);
}

static void decline(const struct wl_settings *settings)
{
    configure_device(settings, NULL, NULL);
}

static enum wl_code trace_start(const struct wl_settings *settings,
                                wl_recording_use_stream *use_stream, struct wl_error *error)
{
    return wl_recording_start(settings, use_stream, wl_device_clock_now, error);
}

/* ---- the end ---- */

static void trace_end(void)
{
    wl_recording_end(0);
}

static void settle(void)
{
    simulated.has_work_left = atomic_load(&simulated.is_device_used) && !wl_device_finish();
}

/* What there is to say when the program has ended. */
static void put_leftovers(void *self)
{
    if (simulated.has_work_left && wl_session_open_stream())
        put_note(WL_NOTE_WARNING, "kernel-left",
                 "the program ended while a kernel still ran, which may have waited for it; that "
                 "launch and what was to run behind it are not in the report",
                 "");
    if (simulated.settings->trace[0] && atomic_load(&simulated.is_device_used) &&
        wl_session_open_stream())
        wl_sim_collector_put_device(self);
    uint64_t more = wl_sim_failures_left_out();
    if (more && wl_session_open_stream()) {
        char *text = wl_string_format("%llu more API errors, which are not listed",
                                      (unsigned long long)more);
        put_note(WL_NOTE_ERROR, "api-errors-left-out", text, "");
        free(text);
    }
    put_leaks("the program ended without cudaFree of it");
    put_heap_leaks();
}

static void forget(void *self)
{
    atomic_store(&simulated.is_device_used, false);
    wl_sim_collector.forget(self);
}

static void stop(void *self)
{
    wl_sim_collector.stop(self);
    wl_running_close();
}

static const struct wl_collector collector = {
    .name = "sim",
    .start = start,
    .watch = watch,
    .decline = decline,
    .opened = put_compiled_notes,
    .not_opened = wl_running_trouble,
    .forked = wl_running_after_fork,
    .forget = forget,
    .trace_start = trace_start,
    .trace_end = trace_end,
    .trace_fork = wl_recording_after_fork,
    .settle = settle,
    .put_leftovers = put_leftovers,
    .stop = stop,
};

static void hold_clock(bool is_held)
{
    if (is_held)
        wl_device_clock_hold();
    else
        wl_device_clock_release();
}

__attribute__((constructor)) static void load(void)
{
    const char *settings_path = getenv("WARPLENS_SETTINGS");
    if (!settings_path || !*settings_path)
        return;
    wl_session_begin(&collector, settings_path);
    wl_openacc_set_helpers(wl_device_kernel_place);
    wl_code_sites_set_hold(hold_clock);
    wl_timeline_engine_set_clock(hold_clock, wl_device_clock_reach);
}
