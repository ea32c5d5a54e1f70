/* Devices as both APIs have them: places on the bus, atomics between them. */
#ifndef WL_API_COMMON_DEVICE_H
#define WL_API_COMMON_DEVICE_H

#include <stdio.h>
#include <string.h>

#include "device/device.h"

#define WL_API_PCI_BYTES sizeof "0000:01:00.0"

/* The devices stand at buses 1, 2 and so on. */
static inline void wl_api_write_pci(char text[WL_API_PCI_BYTES], int device)
{
    snprintf(text, WL_API_PCI_BYTES, "0000:%02x:00.0", (unsigned)device % WL_DEVICES_MAX + 1);
}

/* wl_device_get_attribute, of one device. */
static inline int wl_api_get_attribute(int attribute, int device, int *value)
{
    enum { PCI_BUS_ID = 33 };
    const int code = wl_device_get_attribute(attribute, value);
    if (code == WL_DEVICE_OK && attribute == PCI_BUS_ID)
        *value = device % WL_DEVICES_MAX + 1;
    return code;
}

/* "domain:bus:device.function", of which the domain and the function may be missing. */
static inline int wl_api_read_pci(const char *text, int *device)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (!device || !text)
        return WL_DEVICE_INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = function = 0;
        if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
            return WL_DEVICE_INVALID_VALUE;
    }
    if (domain || slot || function || bus < 1 || (int)bus > wl_device_count())
        return WL_DEVICE_INVALID_DEVICE;
    *device = (int)bus - 1;
    return WL_DEVICE_OK;
}

enum { WL_API_UUID_BYTES = 16 };

/* As all APIs tell it: the model's name and the device's number. */
static inline void wl_api_write_uuid(void *uuid, const struct wl_gpu *gpu, int device)
{
    char text[WL_API_UUID_BYTES] = {0};
    snprintf(text, sizeof text, "warplens-%.6s", gpu->name);
    text[sizeof text - 1] = (char)device;
    memcpy(uuid, text, sizeof text);
}

/* What atomics (by the numbers of cudaAtomicOperation) there are between two devices, which have
 * all of 32 and 64 bits; with the host there are none over PCIe. */
static inline int wl_api_atomic_capabilities(unsigned *capabilities, const int *operations,
                                             unsigned count, bool are_any)
{
    enum { FLOAT_ADD = 10, LAST = 12 };
    enum { SIGNED = 1, UNSIGNED = 2, REDUCTION = 4, BITS_32 = 8, BITS_64 = 16 };
    if (!capabilities || !operations || !count)
        return WL_DEVICE_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (operations[i] < 0 || operations[i] > LAST)
            return WL_DEVICE_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        const unsigned all = operations[i] < FLOAT_ADD
                                 ? SIGNED | UNSIGNED | REDUCTION | BITS_32 | BITS_64
                                 : SIGNED | REDUCTION | BITS_32 | BITS_64;
        capabilities[i] = are_any ? all : 0;
    }
    return WL_DEVICE_OK;
}

/* The elements of a texture of linear memory: as measured on an H100, at most 2^30 of them, of at
 * most 4 GiB. element_bytes is not 0. */
static inline size_t wl_api_linear_texture_width(size_t element_bytes)
{
    const size_t most = (size_t)1 << 30, fitting = ((size_t)1 << 32) / element_bytes;
    return fitting < most ? fitting : most;
}

#endif
