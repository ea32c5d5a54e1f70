#include "api/cublas/stand_in.h"

#include <string.h>

#include "base/embedded.h"

#define FILES_MAX 5

extern const struct wl_embedded_file wl_embedded_cublas[];

enum wl_cublas_status wl_cublas_status_of(int code)
{
    switch (code) {
    case WL_DEVICE_OK:
        return WL_CUBLAS_OK;
    case WL_DEVICE_OUT_OF_MEMORY:
        return WL_CUBLAS_ALLOC_FAILED;
    case WL_DEVICE_NO_DEVICE:
    case WL_DEVICE_NOT_INITIALIZED:
        return WL_CUBLAS_NOT_INITIALIZED;
    case WL_DEVICE_NO_IMAGE:
        return WL_CUBLAS_ARCH_MISMATCH;
    case WL_DEVICE_NOT_SUPPORTED:
        return WL_CUBLAS_NOT_SUPPORTED;
    default:
        return WL_CUBLAS_EXECUTION_FAILED;
    }
}

struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name)
{
    static struct wl_device_module *modules[FILES_MAX];
    size_t at = 0;
    while (wl_embedded_cublas[at].name && strcmp(wl_embedded_cublas[at].name, file))
        at++;
    if (!wl_embedded_cublas[at].name || at >= FILES_MAX)
        return NULL;
    struct wl_device_module *loaded = __atomic_load_n(&modules[at], __ATOMIC_ACQUIRE);
    if (!loaded) {
        const struct wl_embedded_file *found = &wl_embedded_cublas[at];
        if (wl_device_module_load_stand_in(found->content, found->name, &loaded))
            return NULL;
        struct wl_device_module *expected = NULL;
        if (!__atomic_compare_exchange_n(&modules[at], &expected, loaded, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            wl_device_module_unload(loaded); /* another thread was first */
            loaded = expected;
        }
    }
    return wl_device_module_kernel(loaded, name);
}
