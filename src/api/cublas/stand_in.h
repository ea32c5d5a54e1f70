/* Shared by the files of the stand-in for cuBLAS. */
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
/* Whether alpha, beta or a result pointer is valid in the handle's pointer mode. */
bool wl_cublas_can_point(const struct wl_cublas_handle *handle, const void *scalar);
/* A kernel of an embedded file, which is loaded at first use; NULL on failure. */
struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name);
enum wl_cublas_status wl_cublas_status_of(int code);

#endif
