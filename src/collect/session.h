/* The session inside a watched program: from the settings to the end of the process, through forks,
 * trouble and lack of memory, whatever the collector. One in a process. */
#ifndef WL_COLLECT_SESSION_H
#define WL_COLLECT_SESSION_H

#include <pthread.h>

#include "collect/collector.h"
#include "collect/guard.h"

/* Reads the settings, starts the collector, and has it finished at the end of the process. Once. A
 * failure stands in the stream, if the settings at least name its folder. */
void wl_session_begin(const struct wl_collector *collector, const char *settings_path);

/* Between enter and leave the collector may be called, and the calling thread has the session's
 * lock. False: nothing is recorded (any more), or the thread is in the session already, as when a
 * question of ours makes the driver call back. errno stays the program's.
 *
 *     struct wl_session_visit visit;
 *     if (!wl_session_enter(&visit))
 *         return;
 *     WL_GUARD(&visit.guard)
 *     {
 *         ...
 *     }
 *     wl_session_leave(&visit);
 */
struct wl_session_visit {
    struct wl_guard guard;
    int saved_errno;
};
bool wl_session_enter(struct wl_session_visit *visit);
void wl_session_leave(struct wl_session_visit *visit);

bool wl_session_is_on(void);
bool wl_session_is_inside(void);  /* the calling thread */
bool wl_session_is_tracing(void); /* events on a timeline, and not what launches count */
/* Within a visit: opens the stream if it is not. False: none can be had, and recording ends. */
bool wl_session_open_stream(void);
/* Within a visit: why the stream takes no more records, or NULL. */
const char *wl_session_stream_trouble(void);
/* Within a visit: the session's end comes before whatever registered itself with exit() until now.
 * What a library makes when it is first used would be gone otherwise when the collector ends. */
void wl_session_renew_end(void);
/* Has use called with the stream, under the lock; not where nothing is recorded. */
wl_recording_use_stream wl_session_use_stream;

/* False if the lock cannot be had within that many seconds: another thread may never release it. */
bool wl_session_lock_within(pthread_mutex_t *lock, int seconds);

#endif
