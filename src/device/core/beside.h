/* Work that is done beside the host, on a thread of its own: a kernel that may wait for what its
 * program does after the launch, and what the program asked for since then. At most one such
 * thread; what is added runs in order. Internal to device/.
 *
 * While it is at work, wl_device_enter of all other threads waits for its end, as most calls of
 * CUDA do; calls that come back at once on hardware use wl_device_enter_beside, and add what is to
 * be done to the end. */
#ifndef WL_DEVICE_CORE_BESIDE_H
#define WL_DEVICE_CORE_BESIDE_H

#include <stdbool.h>

struct wl_device_task {
    void (*work)(void *self);   /* without the lock; may be NULL */
    void (*finish)(void *self); /* with the lock, behind work; may be NULL */
    void *self;
};

/* Whether work is done beside this thread, which does not do it itself. Expects the lock, or tells
 * what may have changed. */
bool wl_device_beside_is_busy(void);
/* Whether this thread is the one that does it. */
bool wl_device_beside_is_own(void);

/* These three expect the lock.
 *
 * Begins with the task, where nothing is done beside the host; false if no thread can be made. */
bool wl_device_beside_begin(const struct wl_device_task *task);
/* Adds the task behind the others; work is done beside the host. */
void wl_device_beside_add(const struct wl_device_task *task);
/* Gives the lock back until a task has ended; meanwhile the clock stands. */
void wl_device_beside_wait(void);
/* Whether a thread waits for the work. Expects no lock. */
bool wl_device_beside_is_awaited(void);
/* On that thread: the kernel at hand seems to wait for ever, so that who ends need not wait for it.
 */
void wl_device_beside_tell_stuck(void);
/* As wl_device_enter, but waits for no kernel that seems to wait for ever. */
void wl_device_enter_at_end(void);

/* In the child: there is no such work, whoever had the lock. */
void wl_device_lock_after_fork(void);

#endif
