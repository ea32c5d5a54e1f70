/* What CUPTI calls back, on any thread of the program: who is let into the collector, and when. And
 * how it all begins: the driver loads this library, as CUDA_INJECTION64_PATH names it, when the
 * program first uses CUDA. Without WARPLENS_SETTINGS nothing happens. */
#include "collect/cupti/callbacks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/export.h"
#include "collect/cupti/collector.h"
#include "collect/cupti/events.h"
#include "collect/session.h"

enum { launch_patience_s = 5, gather_least_ms = 25, gather_most_ms = 200 };

/* From the beginning to the end of a counted launch: another thread's launch in between would be
 * taken for it, and another call would change the memory that it is to find again. */
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool holds_launch_lock;

static void tell(void *collector, int domain, uint32_t call, const void *data)
{
    struct wl_session_visit visit;
    if (!wl_session_enter(&visit))
        return;
    WL_GUARD(&visit.guard)
    {
        wl_cupti_event(collector, domain, call, data);
    }
    wl_session_leave(&visit);
}

/* A thread that does not get its turn goes on without: better a count that is wrong, and noticed,
 * than a program that hangs. */
static void lock_launches(void)
{
    int saved_errno = errno;
    holds_launch_lock = wl_session_lock_within(&launch_lock, launch_patience_s);
    errno = saved_errno;
}

static void unlock_launches(void)
{
    if (holds_launch_lock)
        pthread_mutex_unlock(&launch_lock);
    holds_launch_lock = false;
}

static void tell_launch(void *collector, uint32_t call, const struct wl_cupti_api_data *api)
{
    if (!holds_launch_lock && wl_cupti_event_is_passed(collector, call, api))
        return;
    if (api->site == WL_CUPTI_ENTER && !holds_launch_lock && wl_cupti_events_are_serial(collector))
        lock_launches();
    tell(collector, WL_CUPTI_DOMAIN_DRIVER, call, api);
    if (api->site == WL_CUPTI_EXIT)
        unlock_launches();
}

static void callback(void *collector, int domain, uint32_t call, const void *data)
{
    bool is_module = domain == WL_CUPTI_DOMAIN_RESOURCE && call == WL_CUPTI_MODULE_LOADED;
    if (wl_session_is_inside() && is_module && wl_session_is_on())
        wl_cupti_event(collector, domain, call,
                       data); /* a question of ours made the driver load it */
    if (wl_session_is_inside() || !wl_session_is_on())
        return;
    if (domain == WL_CUPTI_DOMAIN_DRIVER && wl_cupti_event_is_launch(call)) {
        tell_launch(collector, call, data);
    } else if (!holds_launch_lock && wl_cupti_event_ends_batch(collector, domain, data)) {
        lock_launches();
        tell(collector, domain, call, data);
        unlock_launches();
    } else {
        tell(collector, domain, call, data);
    }
}

wl_cupti_callback *wl_cupti_callback_function(void)
{
    return callback;
}

/* ---- samples, on a thread of our own so that launches need not wait for them ---- */

/* The number of samples that were there. */
static uint64_t gather(void *collector)
{
    struct wl_session_visit visit;
    volatile uint64_t samples = 0;
    if (!wl_session_enter(&visit))
        return 0;
    WL_GUARD(&visit.guard)
    {
        samples = wl_cupti_events_gather(collector);
    }
    wl_session_leave(&visit);
    return samples;
}

/* Reading holds launches up for a moment: it is done the less often, the less there is. */
static void *gather_for_ever(void *collector)
{
    enum { many = 4000000, ns_of_ms = 1000000 };
    long milliseconds = gather_least_ms;
    while (wl_session_is_on()) {
        const struct timespec period = {.tv_nsec = milliseconds * ns_of_ms};
        nanosleep(&period, NULL);
        milliseconds = gather(collector) > many ? gather_least_ms : 2 * milliseconds;
        milliseconds = milliseconds < gather_most_ms ? milliseconds : gather_most_ms;
    }
    return NULL;
}

/* Signals are the program's. */
void wl_cupti_callbacks_gather(void *collector)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, gather_for_ever, collector) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- beginning ---- */

/* Called by the driver within cuInit. Not 0: the library is there and works. */
WL_EXPORT int InitializeInjection(void)
{
    static atomic_bool is_begun;
    const char *settings_path = getenv("WARPLENS_SETTINGS");
    if (settings_path && *settings_path && !atomic_exchange(&is_begun, true))
        wl_session_begin(&wl_cupti_collector, settings_path);
    return 1;
}
