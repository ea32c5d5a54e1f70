/* What the files of the stand-in for cuBLAS share. */
#ifndef WL_API_CUBLAS_STAND_IN_H
#define WL_API_CUBLAS_STAND_IN_H

#include "api/cublas/sgemm.h"
#include "device/device.h"

struct wl_cublas_handle {
    uint32_t magic;
    void *stream;
    int pointer_mode, math_mode, atomics_mode;
};

/* NULL if it is no handle. */
struct wl_cublas_handle *wl_cublas_check(void *pointer);
/* Whether alpha, beta or a place for a result can be where the handle's mode says they are. */
bool wl_cublas_can_point(const struct wl_cublas_handle *handle, const void *scalar);
/* A kernel of an embedded file, which is loaded at its first use; NULL if it cannot be. */
struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name);
enum wl_cublas_status wl_cublas_status_of(int code);

#endif
