/* The lock, and the state that all parts of the device layer share. Internal to device/.
 *
 * One lock guards everything in device/: this state, the handles and numbers of core/handles.h, and
 * the state of each part (stream, memory, texture, kernel, graph: its state.h). A public function
 * takes it once and releases it before it returns. It is not recursive: functions that are
 * declared in a state.h, in core/handles.h or in stream/timeline.h, and those whose names end in
 * _held, expect it held and never take it; no public function may be called with it held.
 *
 * It is held while a copy runs and while a kernel does, but for kernels that may wait for the host
 * (core/beside.h); never while a function of the program does (a host node of a graph). Observers
 * are called with it held and must not call back. Nothing in device/ takes another lock, but for
 * those within the simulator; a collector may take its own below it.
 *
 * Without the lock may be read: the options and the GPU of wl_device once the device is started,
 * which then do not change; the clock (core/clock.h); what belongs to a thread
 * (its device, the branch of a graph that it runs); and whether anything is captured, which is
 * checked again with the lock. */
#ifndef WL_DEVICE_CORE_STATE_H
#define WL_DEVICE_CORE_STATE_H

#include "device/core/core.h"
#include "device/core/handles.h"

#define WL_DEVICE_CONTEXT_ID 1

struct wl_device_state {
    bool is_configured, is_loaded, is_started, is_forked, has_fork_handler;
    int start_code;  /* of creating the device */
    int sticky_code; /* of a kernel that broke the context */
    char *gpu_name, *gpu_folder, *whatif_together;
    struct wl_device_options options;
    struct wl_gpu gpu;
    uint64_t given_numbers[WL_DEVICE_NUMBER_COUNT]; /* how many of each */
    uint64_t origin_ns; /* when the device was made, on the simulated clock */
};
extern struct wl_device_state wl_device;

/* Takes the lock; meanwhile the simulated clock stands still. First waits until no work is done
 * beside the host (core/beside.h), unless this thread does it. */
void wl_device_enter(void);
/* Takes the lock whether or not work is done beside the host: for calls that neither change nor
 * tell what that work may change. */
void wl_device_enter_beside(void);
/* As wl_device_enter where nothing is to be waited for, else false. */
bool wl_device_try_enter(void);
void wl_device_leave(void);

/* As wl_device_check. */
int wl_device_state_check(void);
uint32_t wl_device_state_capability(void); /* 90 */

/* A part of the device layer; functions that it does not need are NULL. */
struct wl_device_part {
    /* When the device is made, with wl_device.gpu and the options there. */
    enum wl_code (*start)(struct wl_error *error);
    void (*reset)(void); /* wl_device_reset */
    /* Forgets everything, so that another can be started; also where it was not started. */
    void (*close)(void);
};
/* In the order in which they are started and reset; they are closed from the end, so that a part
 * finds those that it is built on. Ended by NULL. */
extern const struct wl_device_part *const wl_device_parts[];

#endif
