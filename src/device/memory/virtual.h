/* Virtual memory management: address ranges reserved, memory created, mapped into them and made
 * accessible, each by itself. The same memory may stand at several addresses. Sizes, addresses and
 * offsets are multiples of WL_DEVICE_VIRTUAL_GRANULARITY, else WL_DEVICE_INVALID_VALUE. */
#ifndef WL_DEVICE_MEMORY_VIRTUAL_H
#define WL_DEVICE_MEMORY_VIRTUAL_H

#include "device/core/core.h"

#define WL_DEVICE_VIRTUAL_GRANULARITY ((size_t)2 << 20)

enum wl_device_access { /* numbers of CUmemAccess_flags */
                        WL_DEVICE_ACCESS_NONE = 0,
                        WL_DEVICE_ACCESS_READ = 1,
                        WL_DEVICE_ACCESS_READ_WRITE = 3,
};

/* Data of the caller, stored with the memory. */
struct wl_device_physical_properties {
    int location_type, location_id;
};

WL_EXPORT int wl_device_virtual_reserve(size_t size_bytes, size_t alignment, uint64_t wanted,
                                        uint64_t *address);
/* Nothing may be mapped in it. */
WL_EXPORT int wl_device_virtual_free(uint64_t address, size_t size_bytes);
/* WL_DEVICE_OUT_OF_MEMORY as for other device memory. */
WL_EXPORT int wl_device_physical_create(size_t size_bytes,
                                        const struct wl_device_physical_properties *properties,
                                        uint64_t *handle);
/* Memory stays allocated while it is mapped. */
WL_EXPORT int wl_device_physical_release(uint64_t handle);
WL_EXPORT int wl_device_physical_query(uint64_t handle,
                                       struct wl_device_physical_properties *properties);
/* The memory mapped at an address, with one more release to come. */
WL_EXPORT int wl_device_physical_retain(uint64_t address, uint64_t *handle);
WL_EXPORT int wl_device_virtual_map(uint64_t address, size_t size_bytes, size_t offset,
                                    uint64_t handle);
/* Whole mappings. */
WL_EXPORT int wl_device_virtual_unmap(uint64_t address, size_t size_bytes);
/* The range must be mapped throughout. */
WL_EXPORT int wl_device_virtual_set_access(uint64_t address, size_t size_bytes,
                                           enum wl_device_access access);
WL_EXPORT int wl_device_virtual_get_access(uint64_t address, enum wl_device_access *access);

#endif
