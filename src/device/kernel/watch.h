/* Watches a launch while it runs: tells the observer how far it has come, lets the host go on where
 * the kernel may wait for it, and says what it seems to wait for if it never ends. Internal to
 * device/kernel/; expects the lock, unless the kernel runs on a thread of its own. */
#ifndef WL_DEVICE_KERNEL_WATCH_H
#define WL_DEVICE_KERNEL_WATCH_H

#include "device/core/state.h"
#include "sim/sim.h"

struct wl_device_watch {
    const struct wl_device_launch *launch;
    const struct wl_program *program;
    uint64_t blocks_done;  /* so far */
    uint64_t instructions; /* when one ended for the last time, or the host waited for nothing */
    bool may_let_go, has_let_go; /* another thread can take it, or has it */
    bool is_long;                /* it may have waited for the host */
    bool is_stuck, is_told;
};

/* As wl_sim_options.progress takes it, with a struct wl_device_watch. */
bool wl_device_watch_progress(void *self, const struct wl_sim_progress *progress);

#endif
