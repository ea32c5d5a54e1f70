#include <stdio.h>
#include <string.h>

#include "api/common/device.h"
#include "api/cudart/runtime.h"
#include "base/count.h"
#include "device/graph/graph.h"

#define LOWEST_PRIORITY 0
#define HIGHEST_PRIORITY (-5)

static int check_device(int device)
{
    int code = wl_device_check();
    return code || (device >= 0 && device < wl_device_count()) ? code : WL_DEVICE_INVALID_DEVICE;
}

int cudaGetDeviceCount(int *count)
{
    int code = wl_device_check();
    if (!count)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *count = code == WL_DEVICE_NO_DEVICE ? 0 : wl_device_count();
    return wl_cudart_done(code);
}

int cudaSetDevice(int device)
{
    int code = check_device(device);
    return wl_cudart_done(code ? code : wl_device_select(device));
}

int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return wl_cudart_done(check_device(device));
}

int cudaSetValidDevices(int *devices, int count)
{
    return wl_cudart_done(devices && count > 0 ? check_device(devices[0])
                                               : WL_DEVICE_INVALID_VALUE);
}

int cudaGetDevice(int *device)
{
    if (!device)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *device = wl_device_current();
    return wl_cudart_done(wl_device_check());
}

int cudaChooseDevice(int *device, const void *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

static _Thread_local unsigned device_flags;

int cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return WL_DEVICE_OK;
}

int cudaGetDeviceFlags(unsigned *flags)
{
    if (!flags)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *flags = device_flags | 8; /* host memory can be mapped, always */
    return WL_DEVICE_OK;
}

int cudaDeviceSynchronize(void)
{
    int code = wl_device_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_forbids_all();
    return wl_cudart_done(code ? code : wl_device_wait());
}

int cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

int cudaDeviceReset(void)
{
    int code = wl_device_reset();
    if (code == WL_DEVICE_OK)
        wl_cudart_forget_error();
    return wl_cudart_done(code);
}

int cudaThreadExit(void)
{
    return cudaDeviceReset();
}

int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    int code = check_device(device);
    return wl_cudart_done(code ? code : wl_api_get_attribute(attribute, device, value));
}

/* The fields of cudaDeviceProp that are attributes; where in each version of the struct. */
static const struct {
    int offsets[2];
    size_t size_bytes;
    int attribute;
} fields[] = {
#define P(field, offset_13, offset_12, size_bytes, attribute) \
    {{offset_13, offset_12}, size_bytes, attribute},
#include "api/cudart/properties.def"
#undef P
};
/* and those that are not, in both */
enum { NAME_OFFSET = 0, NAME_BYTES = 256, UUID_OFFSET = 256, MEMORY_OFFSET = 288 };

static int fill_properties(char *properties, size_t size_bytes, int device)
{
    const struct wl_gpu *gpu = wl_device_gpu();
    int code = check_device(device);
    if (code == WL_DEVICE_OK && !properties)
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return wl_cudart_done(code);
    memset(properties, 0, size_bytes);
    snprintf(properties + NAME_OFFSET, NAME_BYTES, "%s", gpu->full_name);
    wl_api_write_uuid(properties + UUID_OFFSET, gpu, device);
    size_t memory_bytes = gpu->memory_bytes;
    memcpy(properties + MEMORY_OFFSET, &memory_bytes, sizeof memory_bytes);
    for (size_t i = 0; i < WL_COUNT(fields); i++) {
        int offset = fields[i].offsets[wl_cudart_version.column], value = 0;
        if (offset < 0 || (size_t)offset + fields[i].size_bytes > size_bytes ||
            wl_api_get_attribute(fields[i].attribute, device, &value))
            continue;
        size_t wide = (size_t)value;
        memcpy(properties + offset, &wide, fields[i].size_bytes);
    }
    return WL_DEVICE_OK;
}

int cudaGetDeviceProperties(char *properties, int device)
{
    return fill_properties(properties, wl_cudart_version.properties_bytes, device);
}

int cudaGetDeviceProperties_v2(char *properties, int device)
{
    return fill_properties(properties, wl_cudart_version.properties_v2_bytes, device);
}

int cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *version = wl_cudart_version.runtime_version;
    return WL_DEVICE_OK;
}

int cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

/* Limits are stored and returned; the simulator needs none of them. */
#define NO_LIMIT SIZE_MAX
static size_t limits[] = {
    1024,     /* stack size of a thread */
    8650752,  /* printf buffer */
    8 << 20,  /* malloc heap */
    NO_LIMIT, /* depth of device-side synchronisation, gone since compute capability 9 */
    2048,     /* pending device-side launches */
    64,       /* L2 fetch granularity */
    0,        /* persisting L2 lines */
};

static bool has_limit(int limit)
{
    return (size_t)limit < WL_COUNT(limits) && limits[limit] != NO_LIMIT;
}

int cudaDeviceGetLimit(size_t *value, int limit)
{
    if (!value)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (!has_limit(limit))
        return wl_cudart_done(WL_DEVICE_UNSUPPORTED_LIMIT);
    *value = __atomic_load_n(&limits[limit], __ATOMIC_RELAXED);
    return wl_cudart_done(wl_device_check());
}

int cudaDeviceSetLimit(int limit, size_t value)
{
    if (!has_limit(limit))
        return wl_cudart_done(WL_DEVICE_UNSUPPORTED_LIMIT);
    __atomic_store_n(&limits[limit], value, __ATOMIC_RELAXED);
    return wl_cudart_done(wl_device_check());
}

int cudaDeviceGetCacheConfig(int *config)
{
    if (!config)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *config = 0; /* no preference */
    return WL_DEVICE_OK;
}

int cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return WL_DEVICE_OK;
}

int cudaDeviceGetSharedMemConfig(int *config)
{
    if (!config)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *config = 1; /* banks of four bytes */
    return WL_DEVICE_OK;
}

int cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return WL_DEVICE_OK;
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LOWEST_PRIORITY;
    if (greatest)
        *greatest = HIGHEST_PRIORITY;
    return wl_cudart_done(wl_device_check());
}

int cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK && (!text || length < (int)WL_API_PCI_BYTES))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        wl_api_write_pci(text, device);
    return wl_cudart_done(code);
}

int cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    return wl_cudart_done(wl_api_read_pci(text, device));
}

int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *can = device != peer;
    int code = check_device(device);
    return wl_cudart_done(code ? code : check_device(peer));
}

int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    int code = flags ? WL_DEVICE_INVALID_VALUE : check_device(peer);
    if (code == WL_DEVICE_OK && peer == wl_device_current())
        code = WL_DEVICE_INVALID_DEVICE;
    return wl_cudart_done(code ? code : wl_device_enable_peer(wl_device_current(), peer));
}

int cudaDeviceDisablePeerAccess(int peer)
{
    int code = check_device(peer);
    return wl_cudart_done(code ? code : wl_device_disable_peer(wl_device_current(), peer));
}

enum { P2P_RANK, P2P_ACCESS, P2P_ATOMICS, P2P_ARRAYS, P2P_COUNT };

int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = check_device(peer);
    if (code == WL_DEVICE_OK && device == peer)
        code = WL_DEVICE_INVALID_DEVICE;
    if (code == WL_DEVICE_OK && (!value || attribute <= P2P_RANK || attribute > P2P_COUNT))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *value = attribute == P2P_ACCESS + 1 || attribute == P2P_ATOMICS + 1;
    return wl_cudart_done(code);
}

int cudaCtxResetPersistingL2Cache(void)
{
    return wl_cudart_done(wl_device_check());
}

int cudaProfilerStart(void)
{
    return wl_cudart_done(wl_device_profiler_switch(true));
}

int cudaProfilerStop(void)
{
    return wl_cudart_done(wl_device_profiler_switch(false));
}

int cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations,
                                        unsigned count, int device)
{
    int code = check_device(device);
    return wl_cudart_done(
        code ? code : wl_api_atomic_capabilities(capabilities, operations, count, false));
}

int cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations,
                                       unsigned count, int device, int peer)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = device == peer ? WL_DEVICE_INVALID_DEVICE : check_device(peer);
    return wl_cudart_done(code ? code
                               : wl_api_atomic_capabilities(capabilities, operations, count, true));
}

/* ---- the names of before CUDA 4 ---- */

int cudaThreadGetLimit(size_t *value, int limit)
{
    return cudaDeviceGetLimit(value, limit);
}

int cudaThreadSetLimit(int limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

int cudaThreadGetCacheConfig(int *config)
{
    return cudaDeviceGetCacheConfig(config);
}

int cudaThreadSetCacheConfig(int config)
{
    return cudaDeviceSetCacheConfig(config);
}
