#include "device/kernel/library.h"

#include "device/kernel/run.h"

static bool tell_fused(const struct wl_device_library *self, const void *parameters,
                       const uint32_t grid[3], struct wl_library_work *work)
{
    (void)self;
    (void)parameters;
    (void)grid;
    work->call = WL_LIBRARY_FUSED;
    return true;
}

void wl_device_kernel_set_library(struct wl_device_kernel *kernel,
                                  const struct wl_device_library *library)
{
    __atomic_store_n(&kernel->library, library, __ATOMIC_RELEASE);
}

void wl_device_kernel_set_fused(struct wl_device_kernel *kernel)
{
    static const struct wl_device_library fused = {tell_fused};
    wl_device_kernel_set_library(kernel, &fused);
}

double wl_device_library_ns(const struct wl_device_request *request,
                            const struct wl_sim_launch *launch)
{
    const struct wl_device_library *library =
        __atomic_load_n(&request->kernel->library, __ATOMIC_ACQUIRE);
    struct wl_library_work work = {.bytes = 0};
    if (request->is_library)
        return wl_library_time_ns(&wl_device.gpu, &request->library);
    return library && library->tell(library, launch->parameters, launch->grid, &work)
               ? wl_library_time_ns(&wl_device.gpu, &work)
               : 0;
}
