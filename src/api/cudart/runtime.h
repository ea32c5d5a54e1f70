/* The CUDA runtime API over the device layer. The functions have NVIDIA's names and calling
 * convention (documented in the CUDA Runtime API reference); declarations are our own. Every
 * function answers an enum wl_device_code, whose numbers are those of cudaError_t. */
#ifndef WL_API_CUDART_RUNTIME_H
#define WL_API_CUDART_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

struct wl_cudart_size { /* dim3 */
    uint32_t x, y, z;
};
struct wl_cudart_extent { /* cudaExtent, cudaPos */
    size_t width, height, depth;
};
struct wl_cudart_pitched { /* cudaPitchedPtr */
    void *address;
    size_t pitch_bytes, width, height;
};

/* What differs between the major versions of the library: one of these is linked into each. */
struct wl_cudart_version {
    int runtime_version;        /* 13000 */
    size_t column;              /* of properties.def */
    size_t properties_bytes;    /* of cudaDeviceProp as cudaGetDeviceProperties fills it */
    size_t properties_v2_bytes; /* as cudaGetDeviceProperties_v2 does */
    size_t pointer_attributes_bytes;
    int bad_shape_code;        /* what a launch with an impossible grid or block answers */
    int unknown_function_code; /* what a pointer that is no kernel is called */
};
extern const struct wl_cudart_version wl_cudart_version;

/* Remembers an error for cudaGetLastError of this thread; returns it. */
int wl_cudart_done(int code);
/* As if this thread had seen no error. */
void wl_cudart_forget_error(void);

/* The kernel of a host function or a cudaKernel_t; NULL if it is neither. */
struct wl_device_kernel *wl_cudart_find_kernel(const void *function);
/* What to answer where that found none. */
int wl_cudart_unknown_kernel(const void *function);
/* Makes a kernel's handle itself good for wl_cudart_find_kernel. */
void wl_cudart_add_kernel(struct wl_device_kernel *kernel);
void wl_cudart_forget_module(struct wl_device_module *module);
/* Address and size of a device variable by its host shadow. WL_DEVICE_INVALID_SYMBOL if unknown. */
int wl_cudart_find_symbol(const void *symbol, void **address, size_t *size_bytes);

/* The double of a function for programs built with -default-stream per-thread. All streams of the
 * simulated GPU are in order of issue, so it does the same. suffix: ptsz or ptds. */
#define WL_CUDART_PER_THREAD(name, suffix) \
    extern __typeof__(name) name##_##suffix __attribute__((alias(#name)))

#endif
