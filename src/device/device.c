#include "device/device.h"

#include "device/core/state.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"
#include "device/stream/state.h"
#include "device/texture/state.h"

/* Graphs outlive a reset: their handles stay the program's. */
const struct wl_device_part *const wl_device_parts[] = {
    &wl_device_memory_part,
    &wl_device_stream_part,
    &wl_device_texture_part,
    &wl_device_kernel_part,
    NULL,
};

int wl_device_reset(void)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (observer && observer->reset)
        observer->reset(observer->self);
    wl_device_enter();
    wl_device.sticky_code = WL_DEVICE_OK;
    int code = wl_device_state_check();
    for (size_t i = 0; code == WL_DEVICE_OK && wl_device_parts[i]; i++)
        if (wl_device_parts[i]->reset)
            wl_device_parts[i]->reset();
    wl_device_leave();
    return code;
}
