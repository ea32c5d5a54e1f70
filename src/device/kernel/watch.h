/* Watches a launch while it runs: tells the observer how far it has come, and says what it seems to
 * wait for if it never ends. Internal to device/kernel/; expects the lock. */
#ifndef WL_DEVICE_KERNEL_WATCH_H
#define WL_DEVICE_KERNEL_WATCH_H

#include "device/core/state.h"
#include "sim/sim.h"

struct wl_device_watch {
    const struct wl_device_launch *launch;
    const struct wl_program *program;
    uint64_t blocks_done, instructions; /* when a block ended for the last time */
    bool is_told;
};

/* As wl_sim_options.progress takes it, with a struct wl_device_watch. */
void wl_device_watch_progress(void *self, const struct wl_sim_progress *progress);

#endif
