/* The GPUs that the program uses: what they are, and what clocks they had before and after, as
 * times and shares of peaks depend on them. */
#ifndef WL_COLLECT_CUPTI_DEVICES_H
#define WL_COLLECT_CUPTI_DEVICES_H

#include "collect/cupti/core.h"
#include "hardware/clocks.h"

struct wl_collect_devices {
    const struct wl_collect_core *core;
    struct wl_clock_reader clock_reader;
    bool are_clocks_tried;
    struct wl_collect_device {
        struct wl_gpu gpu;
        bool is_known, is_sent, has_clocks;
        struct wl_clocks clocks; /* before */
    } items[WL_CUDA_DEVICES_MAX];
};

/* Before a device is used for the first time: what it is, and its clocks. */
void wl_collect_device_know(struct wl_collect_devices *devices, uint32_t device);
/* Once, before the first launch on it that is sent. */
void wl_collect_device_send(struct wl_collect_devices *devices, uint32_t device);
/* At the end: what clocks were, and are. */
void wl_collect_devices_note_clocks(struct wl_collect_devices *devices);
void wl_collect_devices_forget(struct wl_collect_devices *devices);
/* abandon: nothing may be called. */
void wl_collect_devices_free(struct wl_collect_devices *devices, bool abandon);

#endif
