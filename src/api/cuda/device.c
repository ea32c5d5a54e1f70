/* Devices: their places on the bus, what they can do with each other, and old questions. */
#include <stdio.h>
#include <string.h>

#include "api/common/device.h"
#include "api/cuda/driver.h"
#include "base/count.h"

int cuDeviceGet(int *device, int ordinal);

static int check_device(int device)
{
    int ignored;
    return cuDeviceGet(&ignored, device);
}

int cuDeviceGetPCIBusId(char *text, int length, int device)
{
    char id[WL_API_PCI_BYTES];
    int code = check_device(device);
    if (code == WL_DEVICE_OK && (!text || length < (int)sizeof id))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        wl_api_write_pci(id, device);
        memcpy(text, id, sizeof id);
    }
    return code;
}

int cuDeviceGetByPCIBusId(int *device, const char *text)
{
    int code = check_device(0);
    return code ? code : wl_api_read_pci(text, device);
}

/* Of Windows. */
int cuDeviceGetLuid(char *luid, unsigned *mask, int device)
{
    int code = luid && mask ? check_device(device) : WL_DEVICE_INVALID_VALUE;
    return code ? code : WL_DEVICE_NOT_SUPPORTED;
}

/* CUdevprop: fourteen ints, of which each is an attribute. */
int cuDeviceGetProperties(int *properties, int device)
{
    static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    int code = properties ? check_device(device) : WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; i < WL_COUNT(attributes) && code == WL_DEVICE_OK; i++)
        code = wl_device_get_attribute(attributes[i], &properties[i]);
    return code;
}

static int check_two(int device, int peer)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = check_device(peer);
    return code || device != peer ? code : WL_DEVICE_INVALID_DEVICE;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = can ? check_device(peer) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *can = device != peer;
    return code;
}

int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS, SOME_ATOMICS };
    int code = check_two(device, peer);
    if (code == WL_DEVICE_OK && (!value || attribute < RANK || attribute > SOME_ATOMICS))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *value = attribute == ACCESS || attribute == ATOMICS;
    return code;
}

int cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                      int device)
{
    int code = check_device(device);
    return code ? code : wl_api_atomic_capabilities(capabilities, operations, count, false);
}

int cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                     int device, int peer)
{
    int code = check_two(device, peer);
    return code ? code : wl_api_atomic_capabilities(capabilities, operations, count, true);
}
