/* What runs inside the watched program: reads WARPLENS_SETTINGS, sets the simulated GPU up, and
 * records what it does into a stream of this process, which is opened when the GPU is first used.
 * Without WARPLENS_SETTINGS the library is just a simulated GPU. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/memory.h"
#include "base/text.h"
#include "binary/compiled.h"
#include "collect/guard.h"
#include "collect/nvtx.h"
#include "collect/openacc.h"
#include "collect/output.h"
#include "collect/recording.h"
#include "collect/sim/collector.h"
#include "collect/sim/events.h"
#include "collect/sites.h"
#include "device/clock.h"
#include "device/device.h"
#include "record/stream/running.h"
#include "record/stream/stream.h"
#include "timeline/engine.h"

/* A kernel that takes longer than the first gets a progress line, renewed after the second. */
static const int64_t progress_after_ms = 700, progress_period_ms = 250;

#define LEAK_NOTES_MAX 100

static struct {
    pthread_mutex_t lock;
    atomic_bool is_on; /* recording; false for good once there was trouble */
    bool is_tracing;   /* events on a timeline, and not what launches count */
    struct wl_settings settings;
    struct wl_filter *filter;
    struct wl_compiled compiled; /* lives on: the device layer reads it */
    void *collector;
    const struct wl_device_observer *collected; /* the collector's */
    struct wl_device_observer observer;         /* ours, around it */
    struct wl_output output;
    _Atomic int64_t next_progress_ms;
    atomic_bool is_progress_shown;
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the stream of this process ---- */

/* The stream is another process's: a fork happened. */
static void leave_stream(void)
{
    wl_output_abandon(&session.output);
    if (session.collector)
        wl_sim_collector.forget(session.collector);
}

/* Why registers of some kernels are estimates although there is a ptxas. */
static void put_compiled_notes(void)
{
    for (const char *line = session.compiled.notes.data; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *text = wl_string_copy_length(line, length);
        wl_output_note(&session.output, WL_NOTE_INFO, "ptxas-failed", text, "");
        free(text);
        line += length + (line[length] == '\n');
    }
}

/* False: no stream can be had, and recording ends. */
static bool ensure_stream(void)
{
    if (session.output.writer && !wl_output_is_ours(&session.output))
        leave_stream();
    if (session.output.writer)
        return true;
    struct wl_error error = {0};
    if (!wl_output_open(&session.output, session.settings.stream_folder, wl_sim_collector.name,
                        &error)) {
        wl_running_trouble(error.message);
        atomic_store(&session.is_on, false);
        return false;
    }
    put_compiled_notes();
    return true;
}

/* Out of memory: says so if that is still possible. */
static void give_up(void)
{
    struct wl_guard guard;
    atomic_store(&session.is_on, false);
    WL_GUARD(&guard)
    {
        wl_output_note_memory(&session.output);
    }
    wl_guard_end(&guard);
}

/* ---- the observer: the collector's, behind a lock and a guard ---- */

/* Between enter and leave the collector may be called. errno stays the program's. */
struct visit {
    struct wl_guard guard;
    int saved_errno;
};

static bool enter(struct visit *visit)
{
    if (!atomic_load(&session.is_on))
        return false;
    visit->saved_errno = errno;
    pthread_mutex_lock(&session.lock);
    if (atomic_load(&session.is_on))
        return true;
    pthread_mutex_unlock(&session.lock);
    errno = visit->saved_errno;
    return false;
}

static void leave(struct visit *visit)
{
    wl_guard_end(&visit->guard);
    if (visit->guard.is_broken)
        give_up();
    pthread_mutex_unlock(&session.lock);
    errno = visit->saved_errno;
}

static int64_t now_ms(void)
{
    return (int64_t)(now_ns(CLOCK_MONOTONIC) / 1000000);
}

static bool launch_begin(void *self, const struct wl_device_launch *launch)
{
    (void)self;
    struct visit visit;
    volatile bool is_counted = false;
    wl_running_begin(launch->id, launch->mangled);
    if (session.is_tracing)
        return false;
    if (!enter(&visit)) {
        wl_running_trouble(NULL);
        return false;
    }
    WL_GUARD(&visit.guard)
    {
        if (ensure_stream())
            is_counted = session.collected->launch_begin(session.collected->self, launch);
    }
    leave(&visit);
    atomic_store(&session.next_progress_ms, now_ms() + progress_after_ms);
    return is_counted && !visit.guard.is_broken;
}

static void launch_end(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self;
    struct visit visit;
    wl_running_end();
    if (atomic_exchange(&session.is_progress_shown, false))
        wl_stream_progress_clear(session.settings.stream_folder);
    if (session.is_tracing || !enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (ensure_stream())
            session.collected->launch_end(session.collected->self, launch, counts, error);
    }
    leave(&visit);
}

static void activity(void *self, const struct wl_device_activity *activity)
{
    (void)self;
    int saved_errno = errno;
    struct wl_guard guard;
    if (!session.is_tracing)
        return;
    WL_GUARD(&guard)
    {
        wl_inject_trace_activity(activity);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

static void memory(void *self, const struct wl_device_memory_change *change)
{
    (void)self;
    int saved_errno = errno;
    struct wl_guard guard;
    if (!session.is_tracing)
        return;
    WL_GUARD(&guard)
    {
        wl_inject_trace_memory(change);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

static void with_stream(void (*use)(const struct wl_sink *sink, void *argument), void *argument)
{
    struct visit visit;
    if (!enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (ensure_stream())
            use(&session.output.sink, argument);
    }
    leave(&visit);
}

static void profiler_switch(void *self, bool active)
{
    (void)self;
    struct visit visit;
    if (session.is_tracing)
        wl_recording_switch(active);
    if (!enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        session.collected->profiler_switch(session.collected->self, active);
    }
    leave(&visit);
}

static void note(void *self, int severity, const char *code, const char *text, const char *hint)
{
    (void)self;
    struct visit visit;
    if (!enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (ensure_stream())
            session.collected->note(session.collected->self, severity, code, text, hint);
    }
    leave(&visit);
}

/* On any thread, and while launches run: takes no lock. */
static void progress(void *self, const struct wl_device_launch *launch, uint64_t blocks_done,
                     uint64_t blocks_total)
{
    (void)self;
    int64_t now = now_ms(), next = atomic_load(&session.next_progress_ms);
    if (now < next || !atomic_load(&session.is_on) ||
        !atomic_compare_exchange_strong(&session.next_progress_ms, &next, now + progress_period_ms))
        return;
    int saved_errno = errno;
    struct wl_guard guard;
    WL_GUARD(&guard)
    {
        char *name = wl_demangle_function(launch->mangled);
        atomic_store(&session.is_progress_shown, true);
        wl_stream_progress_write(session.settings.stream_folder, name, blocks_done, blocks_total);
        free(name);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

/* ---- beginning ---- */

static const enum wl_device_l1 l1_options[] = {
    [WL_L1_AS_COMPILED] = WL_DEVICE_L1_AS_COMPILED,
    [WL_L1_FORCE_ON] = WL_DEVICE_L1_ON,
    [WL_L1_FORCE_OFF] = WL_DEVICE_L1_OFF,
};

static enum wl_code configure_device(const struct wl_device_observer *observer,
                                     struct wl_error *error)
{
    struct wl_device_options options = {
        .gpu = session.settings.gpu,
        .gpu_folder = session.settings.gpu_folder,
        .threads = session.settings.threads,
        .keep_caches = session.settings.cache_control == WL_CACHE_CONTROL_NONE,
        .l1_global = l1_options[session.settings.l1_global],
        .skip_prediction = !session.settings.predict_time,
        .predict_all = session.settings.trace[0] != '\0',
        .whatif = session.settings.whatif,
        .strict_arch = session.settings.strict_arch,
        .checks = (session.settings.check_race ? WL_CHECK_RACE : 0u) |
                  (session.settings.check_init ? WL_CHECK_INIT : 0u) |
                  (session.settings.check_sync ? WL_CHECK_SYNC : 0u),
        .check_memory = session.settings.check_memory,
        .stop_at_finding = session.settings.stop_at_error,
        .budget = session.settings.budget,
        .compiled = session.compiled.count ? &session.compiled : NULL,
        .observer = observer,
    };
    return wl_device_configure(&options, error);
}

/* Without it registers are estimated, and nothing else is different. */
static void read_compiled(void)
{
    struct wl_text content = {0};
    struct wl_error error = {0};
    if (!session.settings.compiled_file[0])
        return;
    if (wl_file_read(session.settings.compiled_file, &content, &error) ||
        wl_compiled_parse(content.data ? content.data : "", &session.compiled, &error)) {
        wl_compiled_free(&session.compiled);
        wl_text_addf(&session.compiled.notes, "what ptxas said cannot be read: %s\n",
                     error.message);
    }
    wl_text_free(&content);
}

static enum wl_code start_collector(struct wl_error *error)
{
    enum wl_code code = wl_filter_create(&session.settings, &session.filter, error);
    if (code != WL_OK)
        return code;
    struct wl_collector_input input = {&session.settings, session.filter, &session.output.sink,
                                       wl_nvtx_open_ranges};
    code = wl_sim_collector.start(&input, &session.collector, error);
    if (code != WL_OK)
        return code;
    session.collected = wl_sim_collector_observer(session.collector);
    session.observer = (struct wl_device_observer){
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .profiler_switch = profiler_switch,
        .note = note,
        .activity = activity,
        .memory = memory,
        .progress = session.settings.progress ? progress : NULL,
    };
    read_compiled();
    return configure_device(&session.observer, error);
}

/* The settings were not ours to make: why goes into the stream, if they at least name its folder.
 */
static void record_refusal(const struct wl_error *error)
{
    if (session.settings.stream_folder[0] && ensure_stream())
        wl_output_refuse(&session.output, error);
}

static void begin(const char *settings_path)
{
    struct wl_error error = {0};
    bool is_wanted;
    enum wl_code code =
        wl_output_read_settings(settings_path, &session.settings, &is_wanted, &error);
    if (code == WL_OK && is_wanted)
        code = start_collector(&error);
    if (code != WL_OK)
        record_refusal(&error);
    bool is_on = code == WL_OK && is_wanted;
    if (!is_on)
        configure_device(NULL, NULL);
    atomic_store(&session.is_on, is_on);
    wl_nvtx_set_wanted(is_on);
    if (is_on)
        wl_running_open(session.settings.stream_folder);
    if (!is_on || !session.settings.trace[0])
        return;
    session.is_tracing =
        wl_recording_start(&session.settings, with_stream, wl_device_clock_now, &error) == WL_OK;
    if (!session.is_tracing)
        record_refusal(&error);
}

/* ---- forks and the end ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&session.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&session.lock);
}

static void after_fork_in_child(void)
{
    if (session.output.writer)
        leave_stream();
    pthread_mutex_unlock(&session.lock);
    wl_running_after_fork();
    if (session.is_tracing)
        wl_recording_after_fork();
}

static void free_all(void)
{
    wl_output_close(&session.output);
    if (session.collector)
        wl_sim_collector.stop(session.collector);
    session.collector = NULL;
    wl_filter_free(session.filter);
    session.filter = NULL;
}

/* Device memory that the program did not free. */
static void put_leaks(void)
{
    struct wl_device_allocation leaks[LEAK_NOTES_MAX];
    size_t count = wl_device_memory_leaks(leaks, LEAK_NOTES_MAX);
    if (!count || !ensure_stream()) /* a program may leak that launched nothing */
        return;
    for (size_t i = 0; i < count && i < LEAK_NOTES_MAX; i++) {
        struct wl_text text = {0};
        wl_text_add(&text, "Leaked ");
        wl_finding_print_bytes(leaks[i].size_bytes, &text);
        wl_text_addf(&text, " at 0x%llx", (unsigned long long)leaks[i].start);
        wl_output_note(&session.output, WL_NOTE_ERROR, "leak", text.data,
                       "the program ended without cudaFree of it");
        wl_text_free(&text);
    }
    if (count <= LEAK_NOTES_MAX)
        return;
    char *text = wl_string_format("%zu more allocations were leaked", count - LEAK_NOTES_MAX);
    wl_output_note(&session.output, WL_NOTE_WARNING, "leaks-left-out", text, "");
    free(text);
}

/* The very last of exit(): registered before the dynamic loader registers the destructors of all
 * libraries, it runs after them; only on_exit() tells the exit code. Another thread may hold the
 * lock for as long as it writes a record, or for ever if it was ended in between: the program's end
 * does not wait for it. */
static void finish(int exit_code, void *unused)
{
    (void)unused;
    struct timespec until;
    if (session.is_tracing)
        wl_recording_end(0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    atomic_store(&session.is_on, false);
    if (pthread_mutex_timedlock(&session.lock, &until) != 0)
        return;
    struct wl_guard guard;
    WL_GUARD(&guard)
    {
        bool is_another = session.output.writer && !wl_output_is_ours(&session.output);
        if (session.settings.check_leaks && !is_another)
            put_leaks();
        if (wl_output_is_ours(&session.output))
            session.output.sink.put_end(session.output.sink.self, exit_code & 0xff,
                                        now_ns(CLOCK_REALTIME));
    }
    wl_guard_end(&guard);
    free_all();
    wl_running_close();
    pthread_mutex_unlock(&session.lock);
}

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
    int saved_errno = errno;
    struct wl_guard guard;
    wl_guard_install();
    WL_GUARD(&guard)
    {
        begin(settings_path);
        wl_openacc_set_helpers(wl_device_kernel_place);
        wl_code_sites_set_hold(hold_clock);
        wl_timeline_engine_set_clock(hold_clock, wl_device_clock_reach);
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        on_exit(finish, NULL);
    }
    wl_guard_end(&guard);
    if (guard.is_broken)
        atomic_store(&session.is_on, false);
    errno = saved_errno;
}
