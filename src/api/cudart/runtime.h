/* The CUDA runtime API, implemented on the device layer. The functions have NVIDIA's names and
 * calling convention (documented in the CUDA Runtime API reference); declarations are our own.
 * Every function returns an enum wl_device_code, whose numbers are those of cudaError_t. */
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
    size_t pointer_attributes_bytes, function_attributes_bytes;
    int bad_shape_code;        /* error of a launch with an invalid grid or block */
    int unknown_function_code; /* error for a pointer that is not a kernel */
};
extern const struct wl_cudart_version wl_cudart_version;

/* Stores an error for this thread's cudaGetLastError; returns it. */
int wl_cudart_done(int code);
/* Clears this thread's last error. */
void wl_cudart_forget_error(void);

/* The kernel of a host function or a cudaKernel_t; NULL if it is neither. */
struct wl_device_kernel *wl_cudart_find_kernel(const void *function);
/* The error code where that found none. */
int wl_cudart_unknown_kernel(const void *function);
/* Lets wl_cudart_find_kernel accept the kernel's handle itself. */
void wl_cudart_add_kernel(struct wl_device_kernel *kernel);
void wl_cudart_forget_module(struct wl_device_module *module);
/* Address and size of a device variable by its host shadow. WL_DEVICE_INVALID_SYMBOL if unknown. */
int wl_cudart_find_symbol(const void *symbol, void **address, size_t *size_bytes);
/* The variable of a texture reference, and whether its integers are read as numbers up to 1; false:
 * there is none. */
bool wl_cudart_find_texture(const void *reference, void **address, bool *reads_float);

/* Alias of a function for programs built with -default-stream per-thread. All streams of the
 * simulated GPU run in issue order, so both do the same. suffix: ptsz or ptds. */
#define WL_CUDART_PER_THREAD(name, suffix) \
    extern __typeof__(name) name##_##suffix __attribute__((alias(#name)))

#endif
