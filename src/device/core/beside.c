/* The device's lock, and work beside the host. */
#include "device/core/beside.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/core/clock.h"
#include "device/core/state.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct {
    bool is_busy, is_stuck;
    unsigned waiting; /* threads */
    struct {
        WL_VECTOR_FIELDS(struct wl_device_task);
    } tasks;
    size_t next; /* task to be done */
} beside;

static _Thread_local bool is_own;

bool wl_device_beside_is_busy(void)
{
    return __atomic_load_n(&beside.is_busy, __ATOMIC_RELAXED) && !is_own;
}

bool wl_device_beside_is_own(void)
{
    return is_own;
}

void wl_device_enter(void)
{
    wl_device_enter_beside();
    while (wl_device_beside_is_busy())
        wl_device_beside_wait();
}

void wl_device_enter_beside(void)
{
    pthread_mutex_lock(&lock);
    wl_device_clock_hold();
}

bool wl_device_try_enter(void)
{
    if (pthread_mutex_trylock(&lock))
        return false;
    wl_device_clock_hold();
    if (!wl_device_beside_is_busy())
        return true;
    wl_device_leave();
    return false;
}

void wl_device_leave(void)
{
    wl_device_clock_release();
    pthread_mutex_unlock(&lock);
}

bool wl_device_beside_is_awaited(void)
{
    return __atomic_load_n(&beside.waiting, __ATOMIC_RELAXED) > 0;
}

void wl_device_beside_wait(void)
{
    __atomic_add_fetch(&beside.waiting, 1, __ATOMIC_RELAXED);
    pthread_cond_wait(&changed, &lock);
    __atomic_sub_fetch(&beside.waiting, 1, __ATOMIC_RELAXED);
}

/* Expects the lock, and has it again behind the task. */
static void do_task(void)
{
    const struct wl_device_task task = beside.tasks.items[beside.next++];
    wl_device_leave();
    if (task.work)
        task.work(task.self);
    wl_device_enter();
    if (task.finish)
        task.finish(task.self);
    beside.is_stuck = false;
    pthread_cond_broadcast(&changed);
}

static void *work_off(void *unused)
{
    (void)unused;
    is_own = true;
    wl_device_enter();
    while (beside.next < beside.tasks.count)
        do_task();
    free(beside.tasks.items);
    beside.tasks.items = NULL;
    beside.tasks.count = beside.tasks.capacity = beside.next = 0;
    __atomic_store_n(&beside.is_busy, false, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&changed);
    wl_device_leave();
    return NULL;
}

/* A thread that takes none of the program's signals. */
static bool begin_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, former;
    sigfillset(&all);
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    bool is_begun = !pthread_create(&thread, &attributes, work_off, NULL);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    return is_begun;
}

bool wl_device_beside_begin(const struct wl_device_task *task)
{
    wl_device_beside_add(task);
    const bool is_begun = begin_thread();
    if (!is_begun)
        beside.tasks.count = 0;
    __atomic_store_n(&beside.is_busy, is_begun, __ATOMIC_RELAXED);
    return is_begun;
}

void wl_device_beside_add(const struct wl_device_task *task)
{
    WL_PUSH(&beside.tasks, *task);
}

void wl_device_beside_tell_stuck(void)
{
    wl_device_enter();
    beside.is_stuck = true;
    pthread_cond_broadcast(&changed);
    wl_device_leave();
}

void wl_device_enter_at_end(void)
{
    wl_device_enter_beside();
    while (wl_device_beside_is_busy() && !beside.is_stuck)
        wl_device_beside_wait();
}

bool wl_device_finish(void)
{
    wl_device_enter_at_end();
    const bool is_done = !wl_device_beside_is_busy();
    wl_device_leave();
    return is_done;
}

void wl_device_lock_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    beside.is_busy = beside.is_stuck = false;
    beside.waiting = 0;
    beside.tasks.count = beside.next = 0;
}
