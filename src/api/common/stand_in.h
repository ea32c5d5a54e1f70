/* Shared by the stand-ins for NVIDIA's libraries: kernels embedded as PTX, and handles. */
#ifndef WL_API_COMMON_STAND_IN_H
#define WL_API_COMMON_STAND_IN_H

#include <stdint.h>
#include <stdlib.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "device/device.h"

/* A library's kernels, loaded at first use. */
struct wl_stand_in {
    const struct wl_embedded_file *file;
    struct wl_device_module *module;
};

/* NULL if it cannot be loaded. */
static inline struct wl_device_kernel *wl_stand_in_kernel(struct wl_stand_in *self,
                                                          const char *name)
{
    struct wl_device_module *loaded = __atomic_load_n(&self->module, __ATOMIC_ACQUIRE);
    if (!loaded) {
        if (wl_device_module_load_stand_in(self->file->content, self->file->name, &loaded))
            return NULL;
        struct wl_device_module *expected = NULL;
        if (!__atomic_compare_exchange_n(&self->module, &expected, loaded, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            wl_device_module_unload(loaded); /* another thread was first */
            loaded = expected;
        }
    }
    return wl_device_module_kernel(loaded, name);
}

#define WL_STAND_IN_THREADS 256
#define WL_STAND_IN_BLOCKS 2048 /* at most: the kernels go round */

/* Launches a kernel with that many threads; gives an enum wl_device_code. reads_late: parameters in
 * memory of the device are read when it runs; library: what the library's own kernels would do, or
 * NULL (device/kernel/launch.h). */
static inline int wl_stand_in_launch_for(struct wl_stand_in *self, const char *name,
                                         uint64_t threads, void *stream, void **parameters,
                                         bool reads_late, const struct wl_library_work *library)
{
    uint64_t blocks = (threads + WL_STAND_IN_THREADS - 1) / WL_STAND_IN_THREADS;
    struct wl_device_request request = {
        .kernel = wl_stand_in_kernel(self, name),
        .grid = {(uint32_t)(blocks < WL_STAND_IN_BLOCKS ? blocks : WL_STAND_IN_BLOCKS), 1, 1},
        .block = {WL_STAND_IN_THREADS, 1, 1},
        .stream = stream,
        .parameters = parameters,
        .reads_late = reads_late,
        .is_library = library != NULL,
    };
    if (library)
        request.library = *library;
    if (!threads)
        return WL_DEVICE_OK;
    return request.kernel ? wl_device_launch(&request) : WL_DEVICE_NO_IMAGE;
}

static inline int wl_stand_in_launch(struct wl_stand_in *self, const char *name, uint64_t threads,
                                     void *stream, void **parameters, bool reads_late)
{
    return wl_stand_in_launch_for(self, name, threads, stream, parameters, reads_late, NULL);
}

static inline int wl_stand_in_run(struct wl_stand_in *self, const char *name, uint64_t threads,
                                  void *stream, void **parameters)
{
    return wl_stand_in_launch(self, name, threads, stream, parameters, false);
}

/* A handle begins with its library's magic number. */
struct wl_stand_in_handle {
    uint32_t magic;
};

static inline void *wl_stand_in_create(uint32_t magic, size_t size_bytes)
{
    struct wl_stand_in_handle *made = wl_alloc_zero(1, size_bytes);
    made->magic = magic;
    return made;
}

/* NULL if it is not such a handle. */
static inline void *wl_stand_in_check(void *handle, uint32_t magic)
{
    struct wl_stand_in_handle *found = handle;
    return found && found->magic == magic ? found : NULL;
}

static inline bool wl_stand_in_destroy(void *handle, uint32_t magic)
{
    struct wl_stand_in_handle *found = wl_stand_in_check(handle, magic);
    if (!found)
        return false;
    found->magic = 0;
    free(found);
    return true;
}

/* Defines create and destroy of an opaque handle, for an API whose success is 0; they return
 * INVALID for an invalid handle. */
#define WL_STAND_IN_HANDLE(create, destroy, magic, INVALID)                     \
    int create(void **handle)                                                   \
    {                                                                           \
        if (!handle)                                                            \
            return INVALID;                                                     \
        *handle = wl_stand_in_create(magic, sizeof(struct wl_stand_in_handle)); \
        return 0;                                                               \
    }                                                                           \
    int destroy(void *handle)                                                   \
    {                                                                           \
        return wl_stand_in_destroy(handle, magic) ? 0 : INVALID;                \
    }

#endif
