/* The documented part of the CUDA driver API over the device layer. The functions have NVIDIA's
 * names and calling convention (CUDA Driver API reference); declarations are our own. Every
 * function answers the number of a CUresult. Handles: a CUmodule is a struct wl_device_module, a
 * CUfunction a struct wl_device_kernel, streams and events those of the device layer; a CUdeviceptr
 * is a uint64_t. */
#ifndef WL_API_CUDA_DRIVER_H
#define WL_API_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

#define WL_CUDA_VERSION 13000

/* Most calls want cuInit to have been called and a context to be current in the thread: 3 or 201
 * where not, else wl_device_check. */
int wl_cuda_enter(void);
/* Errors that only the runtime API has become those of the driver. */
int wl_cuda_code(int code);

/* The double of a function for programs built for per-thread default streams. */
#define WL_CUDA_PER_THREAD(name, suffix) \
    extern __typeof__(name) name##_##suffix __attribute__((alias(#name)))

#endif
