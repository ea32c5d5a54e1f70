#include "device/kernel/watch.h"

#include <stdlib.h>

#include "base/demangle.h"
#include "device/kernel/state.h"

/* Instructions of warps for each block without the end of any, some ten seconds of one warp that
 * polls: then it may wait for what never comes. */
#define LONG_WAIT ((uint64_t)1 << 29)

static void say_waiting(const struct wl_device_watch *watch)
{
    char *name = wl_demangle(watch->program->name);
    wl_device_note(
        1, "kernel-waits", "see \"Work is done when the call returns\" in simulated-runtime.md",
        "kernel %s runs for long and reads memory again and again: if it waits for the "
        "host to write there, it waits for ever, as a launch returns when its kernel has "
        "ended",
        name);
    free(name);
}

void wl_device_watch_progress(void *self, const struct wl_sim_progress *progress)
{
    struct wl_device_watch *watch = self;
    const struct wl_device_observer *observer = wl_device.options.observer;
    const uint64_t limit = wl_device_kernels.long_wait ? wl_device_kernels.long_wait : LONG_WAIT;
    if (observer && observer->progress)
        observer->progress(observer->self, watch->launch, progress);
    if (progress->blocks_done != watch->blocks_done) {
        watch->blocks_done = progress->blocks_done;
        watch->instructions = progress->instructions;
    }
    if (watch->is_told || !watch->program->blocks_communicate || !watch->program->lanes_may_wait ||
        (progress->instructions - watch->instructions) / limit < progress->blocks_total)
        return;
    watch->is_told = true;
    say_waiting(watch);
}
