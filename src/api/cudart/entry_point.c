/* cudaGetDriverEntryPoint...: the driver's functions for a program that is not linked to it. */
#include <dlfcn.h>
#include <string.h>

#include "api/cudart/runtime.h"

/* cudaDriverEntryPointQueryResult; cuGetProcAddress answers with the same numbers. */
enum { FOUND, NAME_UNKNOWN };

typedef int get_address(const char *name, void **function, int version, uint64_t flags,
                        int *status);

/* The simulated driver's; it stands beside this library. NULL: it cannot be loaded. */
static get_address *driver_lookup(void)
{
    get_address *lookup = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
    memcpy(&lookup, &found, sizeof lookup);
    return lookup;
}

static int find(const char *name, void **function, unsigned version, uint64_t flags, int *status)
{
    int found = NAME_UNKNOWN;
    if (!name || !function)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *function = NULL;
    get_address *lookup = driver_lookup();
    if (!lookup)
        return wl_cudart_done(WL_DEVICE_NOT_SUPPORTED);
    int code = lookup(name, function, (int)version, flags, &found);
    if (code == WL_DEVICE_OK && found != FOUND && !status)
        code = WL_DEVICE_NOT_FOUND;
    if (status)
        *status = found;
    return wl_cudart_done(code);
}

int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                     uint64_t flags, int *status)
{
    return find(name, function, version, flags, status);
}

int cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status)
{
    const unsigned version = (unsigned)wl_cudart_version.runtime_version;
    return find(name, function, version, flags, version < 12000 ? NULL : status);
}

WL_CUDART_PER_THREAD(cudaGetDriverEntryPoint, ptsz);
WL_CUDART_PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz);
