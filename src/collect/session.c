#include "collect/session.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/nvtx.h"
#include "collect/output.h"
#include "record/stream/stream.h"

enum { end_patience_s = 1, ranges_max = 64 };

static struct {
    pthread_mutex_t lock; /* of everything here and of the collector */
    atomic_bool is_on;    /* recording; false for good once there was trouble */
    bool is_tracing, is_finished;
    struct wl_settings settings;
    struct wl_filter *filter;
    const struct wl_collector *collector;
    void *self; /* the collector's; NULL: it is not started */
    struct wl_output output;
    struct {
        bool is_open;
        pthread_t thread;
        size_t depth;
    } range; /* of NVTX, that is counted as one */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_inside;

bool wl_session_lock_within(pthread_mutex_t *lock, int seconds)
{
    const struct timespec until = wl_clock_deadline(seconds);
    return pthread_mutex_timedlock(lock, &until) == 0;
}

bool wl_session_is_on(void)
{
    return atomic_load(&session.is_on);
}

bool wl_session_is_inside(void)
{
    return is_inside;
}

bool wl_session_is_tracing(void)
{
    return session.is_tracing;
}

/* ---- the stream of this process ---- */

/* It is another process's: a fork happened. */
static void leave_stream(void)
{
    wl_output_abandon(&session.output);
    if (session.self && session.collector->forget)
        session.collector->forget(session.self);
}

bool wl_session_open_stream(void)
{
    const struct wl_collector *collector = session.collector;
    if (session.output.writer && !wl_output_is_ours(&session.output))
        leave_stream();
    if (session.output.writer)
        return true;
    struct wl_error error = {0};
    if (!wl_output_open(&session.output, session.settings.stream_folder, collector->name, &error)) {
        if (collector->not_opened)
            collector->not_opened(error.message);
        atomic_store(&session.is_on, false);
        return false;
    }
    if (session.self && collector->opened)
        collector->opened(session.self);
    return true;
}

const char *wl_session_stream_trouble(void)
{
    return session.output.writer ? wl_stream_writer_trouble(session.output.writer) : NULL;
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

/* ---- visits ---- */

bool wl_session_enter(struct wl_session_visit *visit)
{
    if (is_inside || !atomic_load(&session.is_on))
        return false;
    visit->saved_errno = errno;
    pthread_mutex_lock(&session.lock);
    is_inside = atomic_load(&session.is_on);
    if (is_inside)
        return true;
    pthread_mutex_unlock(&session.lock);
    errno = visit->saved_errno;
    return false;
}

void wl_session_leave(struct wl_session_visit *visit)
{
    wl_guard_end(&visit->guard);
    if (visit->guard.is_broken)
        give_up();
    is_inside = false;
    pthread_mutex_unlock(&session.lock);
    errno = visit->saved_errno;
}

void wl_session_use_stream(void (*use)(const struct wl_sink *sink, void *argument), void *argument)
{
    struct wl_session_visit visit;
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        if (wl_session_open_stream())
            use(&session.output.sink, argument);
    }
    wl_session_leave(&visit);
}

/* ---- ranges of NVTX that are counted as one ---- */

/* The range that begins is not yet among the open ones, the one that ends still is. */
static void see_range(const char *name, bool is_begin)
{
    const char *const *open = NULL;
    const char *all[ranges_max + 1];
    size_t depth = wl_nvtx_open_ranges(&open);
    if (depth > ranges_max)
        return;
    if (is_begin && !session.range.is_open) {
        for (size_t i = 0; i < depth; i++)
            all[i] = open[i];
        all[depth] = name;
        session.range.is_open = wl_filter_has_ranges(session.filter, all, depth + 1);
        session.range.thread = pthread_self();
        session.range.depth = depth + 1;
        if (session.range.is_open)
            session.collector->enter_range(session.self, name + (name[0] == '@'));
    } else if (!is_begin && session.range.is_open &&
               pthread_equal(session.range.thread, pthread_self()) &&
               depth == session.range.depth) {
        session.range.is_open = false;
        session.collector->leave_range(session.self);
    }
}

static void listen(const char *name, bool is_begin)
{
    struct wl_session_visit visit;
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        see_range(name, is_begin);
    }
    wl_session_leave(&visit);
}

/* Those that were opened before the program used CUDA count from now on. */
static void begin_ranges(void)
{
    const struct wl_collector *collector = session.collector;
    const char *const *open = NULL;
    if (!session.self || !session.settings.nvtx_include[0] || !collector->counts_ranges ||
        !collector->counts_ranges(session.self))
        return;
    size_t depth = wl_nvtx_open_ranges(&open);
    session.range.is_open = depth > 0 && wl_filter_has_ranges(session.filter, open, depth);
    session.range.thread = pthread_self();
    session.range.depth = depth;
    if (session.range.is_open)
        collector->enter_range(session.self, open[depth - 1] + (open[depth - 1][0] == '@'));
    wl_nvtx_set_listener(listen);
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
    const struct wl_collector *collector = session.collector;
    if (collector->is_lost_at_fork) {
        atomic_store(&session.is_on, false);
        if (session.self)
            collector->abandon(session.self);
        session.self = NULL; /* for good: it cannot even be stopped */
    }
    if (session.output.writer)
        leave_stream();
    pthread_mutex_unlock(&session.lock);
    if (session.self && collector->forked)
        collector->forked();
    if (session.is_tracing)
        collector->trace_fork();
}

static void free_all(void)
{
    wl_output_close(&session.output);
    if (session.self)
        session.collector->stop(session.self);
    session.self = NULL;
    wl_filter_free(session.filter);
    session.filter = NULL;
}

/* Once, however often it was registered. The very last of exit(): what is registered before the
 * dynamic loader registers the destructors of all libraries runs after them, and what the driver's
 * first use registers, while its contexts are still there; only on_exit() tells the exit code.
 * Another thread may hold the lock for as long as it writes a record, or for ever if it was ended
 * in between: the program's end does not wait for it. */
static void finish(int exit_code, void *unused)
{
    (void)unused;
    struct wl_guard guard;
    if (atomic_load(&session.is_on) && !session.is_finished && session.collector->settle)
        session.collector->settle();
    if (session.is_tracing && !session.is_finished)
        session.collector->trace_end();
    bool was_on = atomic_exchange(&session.is_on, false);
    if (!wl_session_lock_within(&session.lock, end_patience_s))
        return;
    if (session.is_finished) {
        pthread_mutex_unlock(&session.lock);
        return;
    }
    session.is_finished = true;
    is_inside = true;
    WL_GUARD(&guard)
    {
        bool is_another = session.output.writer && !wl_output_is_ours(&session.output);
        if (!is_another && was_on && session.self && session.collector->put_leftovers)
            session.collector->put_leftovers(session.self);
        bool is_ours = wl_output_is_ours(&session.output);
        if (is_ours && was_on && session.self && session.collector->finish)
            session.collector->finish(session.self);
        if (is_ours)
            session.output.sink.put_end(session.output.sink.self, exit_code & 0xff,
                                        wl_clock_realtime_ns());
        free_all();
    }
    wl_guard_end(&guard);
    is_inside = false;
    pthread_mutex_unlock(&session.lock);
}

void wl_session_renew_end(void)
{
    on_exit(finish, NULL);
}

/* ---- beginning ---- */

static enum wl_code start_collector(struct wl_error *error)
{
    const struct wl_collector *collector = session.collector;
    struct wl_collector_input input = {&session.settings, NULL, &session.output.sink,
                                       wl_nvtx_open_ranges};
    if (session.is_tracing && collector->is_replaced_by_trace)
        return WL_OK;
    enum wl_code code = wl_filter_create(&session.settings, &session.filter, error);
    if (code != WL_OK)
        return code;
    if (collector->opens_stream && !wl_session_open_stream())
        return wl_error_set(error, WL_ERR_OUTPUT, "the stream cannot be opened");
    input.filter = session.filter;
    code = collector->start(&input, &session.self, error);
    if (code == WL_OK && collector->watch)
        code = collector->watch(session.self, error);
    return code;
}

/* Why nothing is measured: the settings were not ours to make. */
static void record_refusal(const struct wl_error *error)
{
    atomic_store(&session.is_on, false);
    if (session.settings.stream_folder[0] && wl_session_open_stream())
        wl_output_refuse(&session.output, error);
}

static void begin(const char *settings_path)
{
    const struct wl_collector *collector = session.collector;
    struct wl_error error = {0};
    bool is_wanted;
    enum wl_code code =
        wl_output_read_settings(settings_path, &session.settings, &is_wanted, &error);
    session.is_tracing = code == WL_OK && is_wanted && session.settings.trace[0];
    is_inside = true;
    if (code == WL_OK && is_wanted)
        code = start_collector(&error);
    is_inside = false;
    bool is_on = code == WL_OK && is_wanted;
    atomic_store(&session.is_on, is_on);
    if (!is_on && collector->decline)
        collector->decline(&session.settings);
    if (is_on && session.is_tracing)
        code = collector->trace_start(&session.settings, wl_session_use_stream, &error);
    if (code != WL_OK)
        record_refusal(&error);
    is_on = is_on && code == WL_OK;
    session.is_tracing = session.is_tracing && is_on;
    if (is_on && !session.is_tracing) {
        begin_ranges();
        if (collector->begun)
            collector->begun(session.self);
    }
    wl_nvtx_set_wanted(is_on);
}

void wl_session_begin(const struct wl_collector *collector, const char *settings_path)
{
    struct wl_guard guard;
    int saved_errno = errno;
    session.collector = collector;
    wl_guard_install();
    WL_GUARD(&guard)
    {
        begin(settings_path);
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        on_exit(finish, NULL);
    }
    wl_guard_end(&guard);
    is_inside = false;
    if (guard.is_broken)
        atomic_store(&session.is_on, false);
    errno = saved_errno;
}

/* A program may use NVTX before CUDA: its ranges are kept from the beginning. */
__attribute__((constructor)) static void want_ranges(void)
{
    const char *settings_path = getenv("WARPLENS_SETTINGS");
    if (!session.collector)
        wl_nvtx_set_wanted(settings_path && *settings_path);
}
