#include <string.h>

#include "api/cudart/runtime.h"
#include "device/graph/graph.h"

#define PITCH_BYTES 512
#define HOST_FLAGS_MASK 7u
#define REGISTER_FLAGS_MASK 15u

/* Device memory keeps in its flags whose it is. */
static uint32_t device_flags(void)
{
    return (uint32_t)wl_device_current();
}

/* Allocating may wait for what streams do, which captures do not allow. */
static int allocate(enum wl_device_memory_kind kind, size_t size_bytes, uint32_t flags,
                    void **address)
{
    int code = wl_device_capture_forbids();
    return wl_cudart_done(code ? code
                               : wl_device_memory_allocate(kind, size_bytes, flags, address));
}

int cudaMalloc(void **address, size_t size_bytes)
{
    return allocate(WL_DEVICE_MEMORY_DEVICE, size_bytes, device_flags(), address);
}

int cudaFree(void *address)
{
    if (wl_device_graph_memory_use(address, false))
        return WL_DEVICE_OK;
    int code = wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address);
    return wl_cudart_done(code || !address ? code : wl_device_wait());
}

int cudaMallocManaged(void **address, size_t size_bytes, unsigned flags)
{
    if (flags < 1 || flags > 2)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return allocate(WL_DEVICE_MEMORY_MANAGED, size_bytes, flags, address);
}

int cudaMallocAsync(void **address, size_t size_bytes, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_ALLOCATE,
                                            .memory.size_bytes = size_bytes};
    int code = address ? wl_device_submit(&operation, stream) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *address = operation.memory.address;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaMallocAsync, ptsz);

int cudaFreeAsync(void *address, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_FREE,
                                            .memory.address = address};
    return wl_cudart_done(wl_device_submit(&operation, stream));
}
WL_CUDART_PER_THREAD(cudaFreeAsync, ptsz);

static size_t round_pitch(size_t width)
{
    return (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
}

int cudaMallocPitch(void **address, size_t *pitch_bytes, size_t width, size_t height)
{
    size_t pitch = round_pitch(width), size_bytes;
    if (!pitch_bytes || pitch < width || __builtin_mul_overflow(pitch, height, &size_bytes))
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = cudaMalloc(address, size_bytes);
    if (code == WL_DEVICE_OK)
        *pitch_bytes = pitch;
    return code;
}

int cudaMalloc3D(struct wl_cudart_pitched *pitched, struct wl_cudart_extent extent)
{
    size_t rows;
    if (!pitched || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    pitched->width = extent.width;
    pitched->height = extent.height;
    return cudaMallocPitch(&pitched->address, &pitched->pitch_bytes, extent.width, rows);
}

int cudaHostAlloc(void **address, size_t size_bytes, unsigned flags)
{
    if (flags & ~HOST_FLAGS_MASK)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return allocate(WL_DEVICE_MEMORY_HOST, size_bytes, flags, address);
}

int cudaMallocHost(void **address, size_t size_bytes)
{
    return cudaHostAlloc(address, size_bytes, 0);
}

int cudaFreeHost(void *address)
{
    return wl_cudart_done(wl_device_memory_free(WL_DEVICE_MEMORY_HOST, address));
}

int cudaHostRegister(void *address, size_t size_bytes, unsigned flags)
{
    if (flags & ~REGISTER_FLAGS_MASK)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_device_memory_register(address, size_bytes, flags));
}

int cudaHostUnregister(void *address)
{
    return wl_cudart_done(wl_device_memory_unregister(address));
}

int cudaHostGetDevicePointer(void **device_address, void *address, unsigned flags)
{
    struct wl_device_allocation found;
    if (!device_address || flags || !wl_device_memory_find(address, &found) ||
        found.kind != WL_DEVICE_MEMORY_HOST)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *device_address = address;
    return WL_DEVICE_OK;
}

int cudaHostGetFlags(unsigned *flags, void *address)
{
    struct wl_device_allocation found;
    if (!flags || !wl_device_memory_find(address, &found) || found.kind != WL_DEVICE_MEMORY_HOST)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    *flags = found.flags | 2; /* mapped, always */
    return WL_DEVICE_OK;
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return wl_cudart_done(wl_device_memory_info(free_bytes, total_bytes));
}

struct pointer_attributes { /* cudaPointerAttributes, the part that all versions share */
    int type, device;
    void *device_address, *host_address;
};

int cudaPointerGetAttributes(struct pointer_attributes *attributes, const void *address)
{
    struct wl_device_allocation found;
    int code = wl_device_check();
    if (code == WL_DEVICE_OK && !attributes)
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return wl_cudart_done(code);
    memset(attributes, 0, wl_cudart_version.pointer_attributes_bytes);
    if (!wl_device_memory_find(address, &found)) {
        attributes->device = -2; /* as CUDA says of memory it does not know */
        attributes->host_address = (void *)(uintptr_t)address;
        return WL_DEVICE_OK;
    }
    bool is_module = found.kind == WL_DEVICE_MEMORY_MODULE;
    attributes->type = is_module ? WL_DEVICE_MEMORY_DEVICE : (int)found.kind;
    if (found.kind == WL_DEVICE_MEMORY_DEVICE)
        attributes->device = (int)found.flags;
    attributes->device_address = (void *)(uintptr_t)address;
    if (attributes->type != WL_DEVICE_MEMORY_DEVICE)
        attributes->host_address = (void *)(uintptr_t)address;
    return WL_DEVICE_OK;
}
