#include "device/core/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* Readers take no lock: they try again if a writer was at work (sequence is odd, or has changed).
 */
static struct {
    pthread_mutex_t lock; /* of writers */
    atomic_uint sequence;
    _Atomic uint64_t offset_ns; /* to the monotonic clock, while it runs */
    _Atomic uint64_t held_ns;   /* where it stands; 0: it runs */
    unsigned holders;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin_writing(void)
{
    pthread_mutex_lock(&state.lock);
    atomic_fetch_add(&state.sequence, 1);
    if (!state.offset_ns)
        state.offset_ns = read_ns(CLOCK_REALTIME) - read_ns(CLOCK_MONOTONIC);
}

static void end_writing(void)
{
    atomic_fetch_add(&state.sequence, 1);
    pthread_mutex_unlock(&state.lock);
}

/* Expects to be writing. */
static uint64_t now(void)
{
    return state.held_ns ? state.held_ns : read_ns(CLOCK_MONOTONIC) + state.offset_ns;
}

static void go_to(uint64_t time_ns)
{
    uint64_t now_ns = now();
    if (time_ns <= now_ns)
        return;
    if (state.held_ns)
        state.held_ns = time_ns;
    else
        state.offset_ns += time_ns - now_ns;
}

uint64_t wl_device_clock_now(void)
{
    for (;;) {
        unsigned before = atomic_load(&state.sequence);
        uint64_t held_ns = state.held_ns, offset_ns = state.offset_ns;
        uint64_t monotonic_ns = held_ns ? 0 : read_ns(CLOCK_MONOTONIC);
        if (!offset_ns) { /* nobody has asked so far */
            begin_writing();
            end_writing();
        } else if (!(before & 1) && before == atomic_load(&state.sequence)) {
            return held_ns ? held_ns : monotonic_ns + offset_ns;
        }
    }
}

void wl_device_clock_hold(void)
{
    begin_writing();
    if (!state.holders++)
        state.held_ns = now();
    end_writing();
}

void wl_device_clock_release(void)
{
    begin_writing();
    if (!--state.holders) {
        state.offset_ns = state.held_ns - read_ns(CLOCK_MONOTONIC);
        state.held_ns = 0;
    }
    end_writing();
}

void wl_device_clock_after_fork(void)
{
    pthread_mutex_init(&state.lock, NULL);
    state.sequence &= ~1u;
    if (state.holders) {
        state.holders = 1;
        wl_device_clock_release();
    }
}

void wl_device_clock_reach(uint64_t time_ns)
{
    begin_writing();
    go_to(time_ns);
    end_writing();
}

void wl_device_clock_spend(uint64_t length_ns)
{
    begin_writing();
    go_to(now() + length_ns);
    end_writing();
}
