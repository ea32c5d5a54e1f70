#include "device/core/clock.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Readers take no lock: they retry if a writer was active (sequence is odd, or has changed).
 */
static struct {
    pthread_mutex_t lock; /* of writers */
    atomic_uint sequence;
    _Atomic uint64_t offset_ns; /* to the monotonic clock, while it runs */
    _Atomic uint64_t held_ns;   /* where it stands; 0: it runs */
    unsigned holders;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin_writing(void)
{
    pthread_mutex_lock(&state.lock);
    atomic_fetch_add(&state.sequence, 1);
    if (!state.offset_ns)
        state.offset_ns = wl_clock_realtime_ns() - wl_clock_monotonic_ns();
}

static void end_writing(void)
{
    atomic_fetch_add(&state.sequence, 1);
    pthread_mutex_unlock(&state.lock);
}

/* Expects to be writing. */
static uint64_t now(void)
{
    return state.held_ns ? state.held_ns : wl_clock_monotonic_ns() + state.offset_ns;
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
        uint64_t monotonic_ns = held_ns ? 0 : wl_clock_monotonic_ns();
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
        state.offset_ns = state.held_ns - wl_clock_monotonic_ns();
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
