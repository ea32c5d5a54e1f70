/* What the kernels' part of the device begins and ends with. */
#include "device/kernel/lengths.h"
#include "device/kernel/repeats.h"
#include "device/kernel/state.h"

struct wl_device_kernels wl_device_kernels;

static enum wl_code start(struct wl_error *error)
{
    return wl_sim_create(&wl_device.gpu, &wl_device_kernels.sim, error);
}

/* Variables have their initial values again. */
static void reset(void)
{
    for (struct wl_device_module *module = wl_device_kernels.modules; module; module = module->next)
        for (size_t i = 0; i < module->image_count; i++)
            wl_device_module_initialise(module, &module->images[i]);
}

static void shut_down(void)
{
    while (wl_device_kernels.modules)
        wl_device_module_free(wl_device_kernels.modules);
    wl_device_lengths_free();
    wl_device_repeats_free();
    if (wl_device_kernels.sim)
        wl_sim_free(wl_device_kernels.sim);
    wl_device_kernels = (struct wl_device_kernels){0};
}

const struct wl_device_part wl_device_kernel_part = {start, reset, shut_down};
