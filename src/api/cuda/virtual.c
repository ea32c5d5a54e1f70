/* Virtual memory management. */
#include "device/memory/virtual.h"

#include "api/cuda/driver.h"

enum { ALLOCATION_PINNED = 1 };
enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2, LOCATION_HOST_NUMA_CURRENT = 4 };

struct location { /* CUmemLocation */
    int type, id;
};

struct properties { /* CUmemAllocationProp */
    int type, handle_types;
    struct location location;
    void *metadata;
    struct {
        unsigned char compression, is_rdma_capable;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

struct access { /* CUmemAccessDesc */
    struct location location;
    int flags;
};

static bool is_place(const struct location *location)
{
    if (location->type == LOCATION_DEVICE)
        return location->id >= 0 && location->id < wl_device_count();
    return location->type >= LOCATION_HOST && location->type <= LOCATION_HOST_NUMA_CURRENT;
}

static int check_properties(const struct properties *properties)
{
    int code = wl_cuda_enter();
    if (code)
        return code;
    if (!properties || properties->type != ALLOCATION_PINNED)
        return WL_DEVICE_INVALID_VALUE;
    if (!is_place(&properties->location))
        return properties->location.type == LOCATION_DEVICE ? WL_DEVICE_INVALID_DEVICE
                                                            : WL_DEVICE_INVALID_VALUE;
    return properties->handle_types ? wl_device_refuse("memory that other processes may share")
                                    : WL_DEVICE_OK;
}

int cuMemGetAllocationGranularity(size_t *granularity, const struct properties *properties,
                                  int option)
{
    int code = check_properties(properties);
    if (code == WL_DEVICE_OK && (!granularity || option < 0 || option > 1))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *granularity = WL_DEVICE_VIRTUAL_GRANULARITY;
    return code;
}

int cuMemAddressReserve(uint64_t *address, size_t size_bytes, size_t alignment, uint64_t wanted,
                        uint64_t flags)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && flags)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_virtual_reserve(size_bytes, alignment, wanted, address);
}

int cuMemAddressFree(uint64_t address, size_t size_bytes)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_virtual_free(address, size_bytes);
}

int cuMemCreate(uint64_t *handle, size_t size_bytes, const struct properties *properties,
                uint64_t flags)
{
    int code = check_properties(properties);
    if (code == WL_DEVICE_OK && flags)
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    struct wl_device_physical_properties kept = {properties->location.type,
                                                 properties->location.id};
    return wl_device_physical_create(size_bytes, &kept, handle);
}

int cuMemRelease(uint64_t handle)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_physical_release(handle);
}

int cuMemMap(uint64_t address, size_t size_bytes, size_t offset, uint64_t handle, uint64_t flags)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && flags)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_virtual_map(address, size_bytes, offset, handle);
}

int cuMemUnmap(uint64_t address, size_t size_bytes)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_virtual_unmap(address, size_bytes);
}

/* Access of one device is that of all, which share the memory; of hosts, it is always there. */
int cuMemSetAccess(uint64_t address, size_t size_bytes, const struct access *accesses, size_t count)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!accesses || !count))
        code = WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; code == WL_DEVICE_OK && i < count; i++) {
        const int flags = accesses[i].flags;
        if (!is_place(&accesses[i].location) ||
            (flags != WL_DEVICE_ACCESS_NONE && flags != WL_DEVICE_ACCESS_READ &&
             flags != WL_DEVICE_ACCESS_READ_WRITE))
            code = WL_DEVICE_INVALID_VALUE;
        else if (accesses[i].location.type == LOCATION_DEVICE)
            code = wl_device_virtual_set_access(address, size_bytes, (enum wl_device_access)flags);
    }
    return code;
}

int cuMemGetAccess(uint64_t *flags, const struct location *location, uint64_t address)
{
    enum wl_device_access access;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!flags || !location || !is_place(location)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_virtual_get_access(address, &access);
    if (code == WL_DEVICE_OK)
        *flags = (uint64_t)access;
    return code;
}

int cuMemRetainAllocationHandle(uint64_t *handle, void *address)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_physical_retain((uint64_t)(uintptr_t)address, handle);
}

int cuMemGetAllocationPropertiesFromHandle(struct properties *properties, uint64_t handle)
{
    struct wl_device_physical_properties kept;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !properties)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_physical_query(handle, &kept);
    if (code == WL_DEVICE_OK)
        *properties = (struct properties){.type = ALLOCATION_PINNED,
                                          .location = {kept.location_type, kept.location_id}};
    return code;
}
