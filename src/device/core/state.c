#include "device/core/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/core/beside.h"
#include "device/core/clock.h"

struct wl_device_state wl_device;

static const char *first_text(const char *given, const char *variable, const char *otherwise)
{
    if (given && *given)
        return given;
    const char *found = getenv(variable);
    return found && *found ? found : otherwise;
}

/* In a forked child the workers are gone and memory is a copy: as CUDA does, refuse to go on. */
static void forget_after_fork(void)
{
    wl_device_lock_after_fork();
    wl_device_clock_after_fork();
    wl_device.is_forked = wl_device.is_started;
}

static void store_options(const struct wl_device_options *options)
{
    free(wl_device.gpu_name);
    free(wl_device.gpu_folder);
    free(wl_device.whatif_together);
    wl_device.options = *options;
    wl_device.gpu_name =
        wl_string_copy(options->gpu && *options->gpu ? options->gpu : wl_gpu_default());
    wl_device.gpu_folder =
        wl_string_copy(first_text(options->gpu_folder, "WARPLENS_GPU_FOLDER", NULL));
    wl_device.options.gpu = wl_device.gpu_name;
    wl_device.options.gpu_folder = wl_device.gpu_folder;
    wl_device.whatif_together =
        wl_string_copy(options->whatif_together ? options->whatif_together : "");
    wl_device.options.whatif_together = wl_device.whatif_together;
    wl_device.is_configured = true;
}

enum wl_code wl_device_configure(const struct wl_device_options *options, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    wl_device_enter();
    if (wl_device.is_started) {
        code = wl_error_set(error, WL_ERR_USAGE, "the simulated GPU is already in use");
        goto out;
    }
    struct wl_gpu gpu = {0};
    if (wl_device.is_loaded)
        wl_gpu_free(&wl_device.gpu);
    wl_device.is_loaded = false;
    store_options(options);
    code = wl_gpu_load(wl_device.gpu_name, wl_device.gpu_folder, &gpu, error);
    if (code == WL_OK)
        wl_gpu_free(&gpu);
out:
    wl_device_leave();
    return code;
}

static bool load(struct wl_error *error)
{
    if (!wl_device.is_configured)
        store_options(&(struct wl_device_options){0});
    if (!wl_device.is_loaded)
        wl_device.is_loaded =
            !wl_gpu_load(wl_device.gpu_name, wl_device.gpu_folder, &wl_device.gpu, error);
    return wl_device.is_loaded;
}

static int start(void)
{
    struct wl_error error = {0};
    if (!wl_device.has_fork_handler)
        wl_device.has_fork_handler = !pthread_atfork(NULL, NULL, forget_after_fork);
    if (!load(&error))
        goto fail;
    for (size_t i = 0; wl_device_parts[i]; i++)
        if (wl_device_parts[i]->start && wl_device_parts[i]->start(&error))
            goto fail;
    wl_device.origin_ns = wl_device_clock_now();
    return WL_DEVICE_OK;
fail:
    wl_device_note(2, "no-device", error.hint, "%s", error.message);
    return WL_DEVICE_NO_DEVICE;
}

int wl_device_state_check(void)
{
    if (wl_device.is_forked)
        return WL_DEVICE_NOT_INITIALIZED;
    if (!wl_device.is_started) {
        int saved = errno;
        wl_device.is_started = true;
        wl_device.start_code = start();
        errno = saved;
    }
    return wl_device.start_code ? wl_device.start_code : wl_device.sticky_code;
}

int wl_device_check(void)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    wl_device_leave();
    return code;
}

const struct wl_gpu *wl_device_gpu(void)
{
    wl_device_check();
    return wl_device.is_started && !wl_device.start_code ? &wl_device.gpu : NULL;
}

const struct wl_gpu *wl_device_model(void)
{
    struct wl_error ignored = {0};
    int saved = errno;
    wl_device_enter_beside();
    const bool is_loaded = load(&ignored);
    wl_device_leave();
    errno = saved;
    return is_loaded ? &wl_device.gpu : NULL;
}

bool wl_device_is_started(void)
{
    wl_device_enter_beside();
    const bool is_started = wl_device.is_started && !wl_device.is_forked;
    wl_device_leave();
    return is_started;
}

uint32_t wl_device_state_capability(void)
{
    return wl_device.gpu.capability_major * 10 + wl_device.gpu.capability_minor;
}

int wl_device_profiler_switch(bool active)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (code == WL_DEVICE_OK && observer && observer->profiler_switch)
        observer->profiler_switch(observer->self, active);
    wl_device_leave();
    return code;
}
