#include "device/kernel/watch.h"

#include <stdlib.h>

#include "base/demangle.h"
#include "device/core/beside.h"
#include "device/kernel/state.h"

/* Instructions of warps for each block without the end of any: so many, and the host goes on, as it
 * does on hardware after each launch; some milliseconds of one warp that polls. */
#define SHORT_WAIT ((uint64_t)1 << 16)
/* So many, and a program that ends waits no longer. */
#define END_WAIT ((uint64_t)1 << 25)
/* So many, and it may wait for what never comes; some ten seconds. */
#define LONG_WAIT ((uint64_t)1 << 29)

static void say_waiting(const struct wl_device_watch *watch)
{
    const bool has_lock = !wl_device_beside_is_own();
    char *name = wl_demangle(watch->program->name);
    if (!has_lock)
        wl_device_enter();
    wl_device_note(
        1, "kernel-waits", "see \"Kernels that poll\" in simulated-runtime.md",
        "kernel %s runs for long and reads memory again and again: if it waits for %s, it "
        "waits for ever",
        name,
        watch->has_let_go
            ? "a kernel of another stream, or for what comes after a call that waits for it"
            : "the host to write there");
    if (!has_lock)
        wl_device_leave();
    free(name);
}

/* Whether so many instructions a block were executed for nothing. */
static bool has_waited(const struct wl_device_watch *watch, const struct wl_sim_progress *progress,
                       uint64_t instructions)
{
    return (progress->instructions - watch->instructions) / instructions >= progress->blocks_total;
}

static void tell_observer(const struct wl_device_watch *watch,
                          const struct wl_sim_progress *progress)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (observer && observer->progress)
        observer->progress(observer->self, watch->launch, progress);
}

static uint64_t limit(uint64_t set, uint64_t usual)
{
    return set ? set : usual;
}

/* What the host no longer waits for, the longer the kernel waits itself. True: the launch. */
static bool watch_waiting(struct wl_device_watch *watch, const struct wl_sim_progress *progress)
{
    const uint64_t short_wait = limit(wl_device_kernels.short_wait, SHORT_WAIT),
                   end_wait = limit(wl_device_kernels.end_wait, END_WAIT),
                   long_wait = limit(wl_device_kernels.long_wait, LONG_WAIT);
    if (!watch->is_long && has_waited(watch, progress, short_wait)) {
        watch->is_long = true;
        if (watch->may_let_go)
            return watch->has_let_go = true;
    }
    if (watch->has_let_go && !wl_device_beside_is_awaited())
        watch->instructions = progress->instructions;
    if (watch->has_let_go && !watch->is_stuck && has_waited(watch, progress, end_wait)) {
        watch->is_stuck = true;
        wl_device_beside_tell_stuck();
    }
    if (!watch->is_told && has_waited(watch, progress, long_wait)) {
        watch->is_told = true;
        say_waiting(watch);
    }
    return false;
}

bool wl_device_watch_progress(void *self, const struct wl_sim_progress *progress)
{
    struct wl_device_watch *watch = self;
    tell_observer(watch, progress);
    if (progress->blocks_done != watch->blocks_done) {
        watch->blocks_done = progress->blocks_done;
        watch->instructions = progress->instructions;
    }
    return watch->program->blocks_communicate && watch->program->lanes_may_wait &&
           watch_waiting(watch, progress);
}
