/* Kernels of stand-ins: what the library's own kernels would have to do for the same call. Where
 * that is told, the launch takes as long as they would (timing/library.h), not as long as ours. */
#ifndef WL_DEVICE_KERNEL_LIBRARY_H
#define WL_DEVICE_KERNEL_LIBRARY_H

#include "device/kernel/module.h"
#include "timing/library.h"

struct wl_device_library {
    /* False: this launch takes its own time. parameters: as the kernel's list lays them out. */
    bool (*tell)(const struct wl_device_library *self, const void *parameters,
                 const uint32_t grid[3], struct wl_library_work *work);
};

/* library must stay valid as the kernel's text. */
WL_EXPORT void wl_device_kernel_set_library(struct wl_device_kernel *kernel,
                                            const struct wl_device_library *library);
/* In the library it is part of another kernel: it takes no time of its own. */
WL_EXPORT void wl_device_kernel_set_fused(struct wl_device_kernel *kernel);

#endif
