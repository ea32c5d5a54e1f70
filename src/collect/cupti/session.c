/* What runs inside a program on a real GPU: the driver loads this library, as
 * CUDA_INJECTION64_PATH names it, when the program first uses CUDA, and calls InitializeInjection.
 * The stream of the process is opened there. Without WARPLENS_SETTINGS nothing happens. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/export.h"
#include "collect/cupti/activities.h"
#include "collect/cupti/collector.h"
#include "collect/guard.h"
#include "collect/nvtx.h"
#include "collect/output.h"

enum { launch_patience_s = 5, end_patience_s = 1, gather_least_ms = 25, gather_most_ms = 200 };

static struct {
    pthread_mutex_t lock;        /* of everything here and of the collector */
    pthread_mutex_t launch_lock; /* from the beginning to the end of a counted launch */
    atomic_bool is_on;           /* recording; false for good once there was trouble */
    bool is_tracing;             /* events on a timeline, and no collector */
    struct wl_settings settings;
    struct wl_filter *filter;
    void *collector;
    struct wl_output output;
} session = {.lock = PTHREAD_MUTEX_INITIALIZER, .launch_lock = PTHREAD_MUTEX_INITIALIZER};

/* What CUPTI and the driver call back while we call them is our own doing. */
static _Thread_local bool is_inside, is_hearing; /* is_hearing: with the lock */
static _Thread_local bool holds_launch_lock;

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool lock_within(pthread_mutex_t *lock, int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return pthread_mutex_timedlock(lock, &until) == 0;
}

/* ---- the stream ---- */

static bool open_stream(void)
{
    return wl_output_open(&session.output, session.settings.stream_folder, wl_cupti_collector.name,
                          NULL);
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

/* ---- what CUPTI calls back ---- */

static void hear(int domain, uint32_t call, const void *data)
{
    struct wl_guard guard;
    pthread_mutex_lock(&session.lock);
    if (atomic_load(&session.is_on)) {
        is_hearing = true;
        WL_GUARD(&guard)
        {
            wl_cupti_collector_hear(session.collector, domain, call, data);
        }
        wl_guard_end(&guard);
        is_hearing = false;
        if (guard.is_broken)
            give_up();
    }
    pthread_mutex_unlock(&session.lock);
}

/* A thread that does not get its turn goes on without: better a count that is wrong, and noticed,
 * than a program that hangs. */
static void callback(void *unused, int domain, uint32_t call, const void *data)
{
    (void)unused;
    bool is_module = domain == WL_CUPTI_DOMAIN_RESOURCE && call == WL_CUPTI_MODULE_LOADED;
    if (is_inside && is_module && is_hearing) /* our question made the driver load it */
        wl_cupti_collector_hear(session.collector, domain, call, data);
    if (is_inside || !atomic_load(&session.is_on))
        return;
    const struct wl_cupti_api_data *api = data;
    bool is_launch = domain == WL_CUPTI_DOMAIN_DRIVER && wl_cupti_collector_is_launch(call);
    if (is_launch && !holds_launch_lock && wl_cupti_collector_pass(session.collector, call, api))
        return;
    int saved_errno = errno;
    is_inside = true;
    if (is_launch && api->site == WL_CUPTI_ENTER && !holds_launch_lock &&
        wl_cupti_collector_is_serial(session.collector))
        holds_launch_lock = lock_within(&session.launch_lock, launch_patience_s);
    hear(domain, call, data);
    if (is_launch && api->site == WL_CUPTI_EXIT && holds_launch_lock) {
        holds_launch_lock = false;
        pthread_mutex_unlock(&session.launch_lock);
    }
    is_inside = false;
    errno = saved_errno;
}

/* ---- samples, on a thread of our own so that launches need not wait for them ---- */

/* The number of samples that were there. */
static uint64_t gather(void)
{
    struct wl_guard guard;
    volatile uint64_t samples = 0;
    pthread_mutex_lock(&session.lock);
    if (atomic_load(&session.is_on)) {
        is_hearing = true;
        WL_GUARD(&guard)
        {
            samples = wl_cupti_collector_gather(session.collector);
        }
        wl_guard_end(&guard);
        is_hearing = false;
        if (guard.is_broken)
            give_up();
    }
    pthread_mutex_unlock(&session.lock);
    return samples;
}

/* Reading holds launches up for a moment: it is done the less often, the less there is. */
static void *gather_for_ever(void *unused)
{
    enum { many = 4000000, ns_of_ms = 1000000 };
    long milliseconds = gather_least_ms;
    is_inside = true;
    while (atomic_load(&session.is_on)) {
        const struct timespec period = {.tv_nsec = milliseconds * ns_of_ms};
        nanosleep(&period, NULL);
        milliseconds = gather() > many ? gather_least_ms : 2 * milliseconds;
        milliseconds = milliseconds < gather_most_ms ? milliseconds : gather_most_ms;
    }
    return unused;
}

/* Signals are the program's. */
static void start_gathering(void)
{
    pthread_t thread;
    sigset_t all, before;
    enum wl_replay replay = session.settings.replay;
    if (!session.settings.pc_samples || (replay != WL_REPLAY_AUTO && replay != WL_REPLAY_SPREAD))
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, gather_for_ever, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* For events of a trace, which come on any thread. */
static void use_stream(void (*use)(const struct wl_sink *sink, void *argument), void *argument)
{
    struct wl_guard guard;
    int saved_errno = errno;
    pthread_mutex_lock(&session.lock);
    if (atomic_load(&session.is_on)) {
        WL_GUARD(&guard)
        {
            if (open_stream())
                use(&session.output.sink, argument);
        }
        wl_guard_end(&guard);
        if (guard.is_broken)
            give_up();
    }
    pthread_mutex_unlock(&session.lock);
    errno = saved_errno;
}

/* ---- ranges of NVTX that are counted as one ---- */

enum { ranges_max = 64 };

static struct {
    bool is_open;
    pthread_t thread;
    size_t depth;
} range;

/* With the lock. The range that begins is not yet among the open ones, the one that ends still is.
 */
static void hear_range(const char *name, bool is_begin)
{
    const char *const *open = NULL;
    const char *all[ranges_max + 1];
    size_t depth = wl_nvtx_open_ranges(&open);
    if (depth > ranges_max)
        return;
    if (is_begin && !range.is_open) {
        for (size_t i = 0; i < depth; i++)
            all[i] = open[i];
        all[depth] = name;
        range.is_open = wl_filter_has_ranges(session.filter, all, depth + 1);
        range.thread = pthread_self();
        range.depth = depth + 1;
        if (range.is_open)
            wl_cupti_collector_enter_range(session.collector, name + (name[0] == '@'));
    } else if (!is_begin && range.is_open && pthread_equal(range.thread, pthread_self()) &&
               depth == range.depth) {
        range.is_open = false;
        wl_cupti_collector_leave_range(session.collector);
    }
}

static void listen(const char *name, bool is_begin)
{
    struct wl_guard guard;
    if (is_inside || !atomic_load(&session.is_on))
        return;
    int saved_errno = errno;
    is_inside = true;
    pthread_mutex_lock(&session.lock);
    if (atomic_load(&session.is_on)) {
        is_hearing = true;
        WL_GUARD(&guard)
        {
            hear_range(name, is_begin);
        }
        wl_guard_end(&guard);
        is_hearing = false;
        if (guard.is_broken)
            give_up();
    }
    pthread_mutex_unlock(&session.lock);
    is_inside = false;
    errno = saved_errno;
}

static bool has_ranges_of_nvtx(void)
{
    enum wl_replay replay = session.settings.replay;
    return session.settings.nvtx_include[0] &&
           (replay == WL_REPLAY_RANGE || replay == WL_REPLAY_APP_RANGE);
}

/* Those that were opened before the program used CUDA count from now on. */
static void begin_ranges(void)
{
    const char *const *open = NULL;
    size_t depth = wl_nvtx_open_ranges(&open);
    range.is_open = depth > 0 && wl_filter_has_ranges(session.filter, open, depth);
    range.thread = pthread_self();
    range.depth = depth;
    if (range.is_open)
        wl_cupti_collector_enter_range(session.collector,
                                       open[depth - 1] + (open[depth - 1][0] == '@'));
    wl_nvtx_set_listener(listen);
}

/* A program may use NVTX before CUDA: its ranges are kept from the beginning. */
__attribute__((constructor)) static void want_ranges(void)
{
    const char *settings_path = getenv("WARPLENS_SETTINGS");
    wl_nvtx_set_wanted(settings_path && *settings_path);
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

/* The driver does not work in a child of a process that has used it: nothing can be measured. */
static void after_fork_in_child(void)
{
    atomic_store(&session.is_on, false);
    if (session.collector)
        wl_cupti_collector_abandon(session.collector);
    wl_output_abandon(&session.output);
    pthread_mutex_unlock(&session.lock);
    if (session.is_tracing)
        wl_measure_trace_abandon();
}

/* At the program's exit(), before what was registered before the first use of CUDA: the contexts
 * are still there. Another thread may be in the middle of a callback for ever. */
static void finish(int exit_code, void *unused)
{
    (void)unused;
    if (session.is_tracing)
        wl_measure_trace_end();
    if (!wl_output_is_ours(&session.output) || !lock_within(&session.lock, end_patience_s))
        return;
    struct wl_guard guard;
    bool was_on = atomic_exchange(&session.is_on, false);
    is_inside = true;
    WL_GUARD(&guard)
    {
        if (session.collector && was_on)
            wl_cupti_collector_finish(session.collector);
        session.output.sink.put_end(session.output.sink.self, exit_code & 0xff, now_ns());
        wl_output_close(&session.output);
        if (session.collector)
            wl_cupti_collector.stop(session.collector);
        session.collector = NULL;
    }
    wl_guard_end(&guard);
    is_inside = false;
    pthread_mutex_unlock(&session.lock);
}

/* ---- beginning ---- */

static enum wl_code start_collector(struct wl_error *error)
{
    enum wl_code code = wl_filter_create(&session.settings, &session.filter, error);
    if (code != WL_OK)
        return code;
    if (!open_stream())
        return wl_error_set(error, WL_ERR_OUTPUT, "the stream cannot be opened");
    struct wl_collector_input input = {&session.settings, session.filter, &session.output.sink,
                                       wl_nvtx_open_ranges};
    code = wl_cupti_collector.start(&input, &session.collector, error);
    if (code == WL_OK)
        code = wl_cupti_collector_subscribe(session.collector, callback, error);
    return code;
}

/* Why nothing is measured goes into the stream, if the settings at least name its folder. */
static void record_refusal(const struct wl_error *error)
{
    if (session.settings.stream_folder[0] && open_stream())
        wl_output_refuse(&session.output, error);
}

static void begin(const char *settings_path)
{
    struct wl_error error = {0};
    bool is_wanted;
    enum wl_code code =
        wl_output_read_settings(settings_path, &session.settings, &is_wanted, &error);
    session.is_tracing = code == WL_OK && is_wanted && session.settings.trace[0];
    atomic_store(&session.is_on, session.is_tracing);
    if (session.is_tracing)
        code = wl_measure_trace_start(&session.settings, use_stream, &error);
    else if (code == WL_OK && is_wanted)
        code = start_collector(&error);
    if (code != WL_OK)
        record_refusal(&error);
    atomic_store(&session.is_on, code == WL_OK && is_wanted);
    if (code == WL_OK && is_wanted && !session.is_tracing && has_ranges_of_nvtx())
        begin_ranges();
    wl_nvtx_set_wanted(code == WL_OK && is_wanted);
    if (code == WL_OK && !session.is_tracing)
        start_gathering();
}

/* Called by the driver within cuInit. Not 0: the library is there and works. */
WL_EXPORT int InitializeInjection(void)
{
    static atomic_bool is_begun;
    const char *settings_path = getenv("WARPLENS_SETTINGS");
    if (!settings_path || !*settings_path || atomic_exchange(&is_begun, true))
        return 1;
    int saved_errno = errno;
    struct wl_guard guard;
    is_inside = true;
    wl_guard_install();
    WL_GUARD(&guard)
    {
        begin(settings_path);
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        on_exit(finish, NULL);
    }
    wl_guard_end(&guard);
    if (guard.is_broken)
        atomic_store(&session.is_on, false);
    is_inside = false;
    errno = saved_errno;
    return 1;
}
