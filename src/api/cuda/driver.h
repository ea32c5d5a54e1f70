/* The documented part of the CUDA driver API, implemented on the device layer. The functions have
 * NVIDIA's names and calling convention (CUDA Driver API reference); declarations are our own.
 * Every function returns a CUresult number. Handles: a CUmodule is a struct wl_device_module, a
 * CUfunction a struct wl_device_kernel, streams and events those of the device layer; a CUdeviceptr
 * is a uint64_t. */
#ifndef WL_API_CUDA_DRIVER_H
#define WL_API_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

#define WL_CUDA_VERSION 13000

/* Most calls require cuInit and a context that is current in the thread: returns 3 or 201 without
 * them, 709 where that is a primary one that was reset or released since, else wl_device_check. */
int wl_cuda_enter(void);
/* The same of calls that need no context, as what they are given tells it: freeing, functions,
 * events (as an H200 answers). */
int wl_cuda_ready(void);
/* The same of calls for a stream, which has a context of its own unless it is a default one. */
int wl_cuda_enter_stream(const void *stream);
/* The device of the context that is current, which there is; the context of a device. */
int wl_cuda_device(void);
void *wl_cuda_context(int device);
/* Maps errors that exist only in the runtime API to those of the driver API. */
int wl_cuda_code(int code);

/* Alias of a function for programs built for per-thread default streams. */
#define WL_CUDA_PER_THREAD(name, suffix) \
    extern __typeof__(name) name##_##suffix __attribute__((alias(#name)))

#endif
