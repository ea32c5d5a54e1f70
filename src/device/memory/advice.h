/* Advice about where managed memory should be: nothing is moved for it, as there is one memory, but
 * programs ask for what they said. */
#ifndef WL_DEVICE_MEMORY_ADVICE_H
#define WL_DEVICE_MEMORY_ADVICE_H

#include "device/memory/memory.h"

struct wl_device_location { /* cudaMemLocation, CUmemLocation */
    int type;               /* enum wl_device_location_type */
    int id;                 /* of a device */
};

enum wl_device_location_type {
    WL_DEVICE_LOCATION_INVALID,
    WL_DEVICE_LOCATION_DEVICE,
    WL_DEVICE_LOCATION_HOST,
    WL_DEVICE_LOCATION_HOST_NUMA,
    WL_DEVICE_LOCATION_HOST_NUMA_CURRENT,
};

/* Devices by number as older calls have them: -1 is the host, -2 none. */
static inline struct wl_device_location wl_device_location_of(int device)
{
    return device == -1 ? (struct wl_device_location){WL_DEVICE_LOCATION_HOST, 0}
                        : (struct wl_device_location){WL_DEVICE_LOCATION_DEVICE, device};
}

/* By the numbers of cudaMemoryAdvise. WL_DEVICE_INVALID_VALUE where the range is not managed memory
 * or there is no such advice, WL_DEVICE_INVALID_DEVICE where there is no such device. */
WL_EXPORT int wl_device_memory_advise(const void *address, size_t size_bytes, int advice,
                                      struct wl_device_location location);
WL_EXPORT int wl_device_memory_prefetch(const void *address, size_t size_bytes,
                                        struct wl_device_location location);
/* By the numbers of cudaMemRangeAttribute: size_bytes must be that of an int, of the devices that
 * access the range any number of ints. */
WL_EXPORT int wl_device_memory_range_attribute(void *value, size_t value_bytes, int attribute,
                                               const void *address, size_t size_bytes);

#endif
