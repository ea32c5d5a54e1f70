#include "device/kernel/library.h"

#include "device/kernel/run.h"

void wl_device_kernel_set_library(struct wl_device_kernel *kernel,
                                  const struct wl_device_library *library)
{
    __atomic_store_n(&kernel->library, library, __ATOMIC_RELEASE);
}

double wl_device_library_ns(const struct wl_device_kernel *kernel,
                            const struct wl_sim_launch *launch)
{
    const struct wl_device_library *library = __atomic_load_n(&kernel->library, __ATOMIC_ACQUIRE);
    struct wl_library_work work = {.bytes = 0};
    return library && library->tell(library, launch->parameters, launch->grid, &work)
               ? wl_library_time_ns(&wl_device.gpu, &work)
               : 0;
}
