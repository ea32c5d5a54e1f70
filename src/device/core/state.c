#include "device/core/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/core/clock.h"

/* Streams of the program are numbered from here in ncu's and nsys's reports; 7 is the default one.
 */
#define FIRST_STREAM_ID 13
#define DEVICE_BASE ((uint64_t)0x200000000000)
#define DEFAULT_GPU "h200"

struct wl_device_state wl_device = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wl_device_enter(void)
{
    pthread_mutex_lock(&wl_device.lock);
    wl_device_clock_hold();
}

void wl_device_leave(void)
{
    wl_device_clock_release();
    pthread_mutex_unlock(&wl_device.lock);
}

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
    pthread_mutex_init(&wl_device.lock, NULL);
    wl_device_clock_after_fork();
    wl_device.is_forked = wl_device.is_started;
}

static void store_options(const struct wl_device_options *options)
{
    free(wl_device.gpu_name);
    free(wl_device.gpu_folder);
    wl_device.options = *options;
    wl_device.gpu_name = wl_string_copy(first_text(options->gpu, "WARPLENS_GPU", DEFAULT_GPU));
    wl_device.gpu_folder =
        wl_string_copy(first_text(options->gpu_folder, "WARPLENS_GPU_FOLDER", NULL));
    wl_device.options.gpu = wl_device.gpu_name;
    wl_device.options.gpu_folder = wl_device.gpu_folder;
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
    store_options(options);
    code = wl_gpu_load(wl_device.gpu_name, wl_device.gpu_folder, &gpu, error);
    if (code == WL_OK)
        wl_gpu_free(&gpu);
out:
    wl_device_leave();
    return code;
}

static int start(void)
{
    struct wl_error error = {0};
    if (!wl_device.is_configured)
        store_options(&(struct wl_device_options){0});
    if (!wl_device.has_fork_handler)
        wl_device.has_fork_handler = !pthread_atfork(NULL, NULL, forget_after_fork);
    if (wl_gpu_load(wl_device.gpu_name, wl_device.gpu_folder, &wl_device.gpu, &error))
        goto fail;
    if (wl_sim_create(&wl_device.gpu, &wl_device.sim, &error))
        goto fail;
    if (!wl_device_arena_open(&wl_device.device_memory, DEVICE_BASE, wl_device.gpu.memory_bytes)) {
        wl_error_set(&error, WL_ERR_MEMORY, "no address space for the GPU's memory");
        wl_error_set_hint(&error, "raise the limit of virtual memory (ulimit -v)");
        goto fail;
    }
    if (wl_device.options.checks & WL_CHECK_INIT)
        wl_device.unwritten =
            wl_unwritten_create(wl_device.device_memory.base, wl_device.device_memory.size_bytes);
    wl_device.ranges_are_stale = true;
    wl_device.next_stream_id = FIRST_STREAM_ID;
    wl_device.origin_ns = wl_device_clock_now();
    return WL_DEVICE_OK;
fail:
    wl_device_say(2, "no-device", error.hint, "%s", error.message);
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
    wl_device_enter();
    int code = wl_device_state_check();
    wl_device_leave();
    return code;
}

const struct wl_gpu *wl_device_gpu(void)
{
    wl_device_check();
    return wl_device.is_started && !wl_device.start_code ? &wl_device.gpu : NULL;
}

uint32_t wl_device_state_capability(void)
{
    return wl_device.gpu.capability_major * 10 + wl_device.gpu.capability_minor;
}

int wl_device_reset(void)
{
    wl_device_enter();
    wl_device.sticky_code = WL_DEVICE_OK;
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK) {
        wl_device_clock_reach(wl_device.timeline.devices[wl_device_current()].all_ns);
        wl_device_memory_reset();
        wl_device_handles_reset();
        wl_device_textures_reset();
        for (struct wl_device_module *module = wl_device.modules; module; module = module->next)
            for (size_t i = 0; i < module->image_count; i++)
                wl_device_module_initialise(module, &module->images[i]);
    }
    wl_device_leave();
    return code;
}

void wl_device_shutdown(void)
{
    wl_device_enter();
    while (wl_device.modules)
        wl_device_module_free(wl_device.modules);
    wl_device_handles_reset();
    wl_device_textures_reset();
    wl_device_memory_close();
    wl_device_timeline_free(&wl_device.timeline);
    if (wl_device.sim)
        wl_sim_free(wl_device.sim);
    if (wl_device.is_started && !wl_device.start_code)
        wl_gpu_free(&wl_device.gpu);
    free(wl_device.gpu_name);
    free(wl_device.gpu_folder);
    bool has_fork_handler = wl_device.has_fork_handler;
    wl_device_leave();
    wl_device = (struct wl_device_state){.lock = PTHREAD_MUTEX_INITIALIZER,
                                         .has_fork_handler = has_fork_handler};
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
