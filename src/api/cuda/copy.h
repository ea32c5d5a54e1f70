/* Shared by copies and graphs of the driver API. */
#ifndef WL_API_CUDA_COPY_H
#define WL_API_CUDA_COPY_H

#include "api/cuda/driver.h"

enum wl_cuda_memory_type { /* CUmemorytype */
                           WL_CUDA_MEMORY_HOST = 1,
                           WL_CUDA_MEMORY_DEVICE = 2,
                           WL_CUDA_MEMORY_ARRAY = 3,
                           WL_CUDA_MEMORY_UNIFIED = 4,
};

struct wl_cuda_side_3d { /* half of a CUDA_MEMCPY3D */
    size_t x_bytes, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch_bytes, height;
};
struct wl_cuda_copy_3d { /* CUDA_MEMCPY3D */
    struct wl_cuda_side_3d from, to;
    size_t width_bytes, height, depth;
};

/* Converts the requested copy; returns the call's error code. */
int wl_cuda_read_copy(const struct wl_cuda_copy_3d *asked, struct wl_device_copy *copy);

#endif
