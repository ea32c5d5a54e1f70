/* Shared by the files of the stand-in for cuBLAS. */
#ifndef WL_API_CUBLAS_STAND_IN_H
#define WL_API_CUBLAS_STAND_IN_H

#include "api/cublas/sgemm.h"
#include "device/device.h"

struct wl_cublas_handle {
    uint32_t magic;
    void *stream;
    int pointer_mode, math_mode, atomics_mode, sm_count_target;
};

/* NULL if it is no handle. */
struct wl_cublas_handle *wl_cublas_check(void *pointer);
/* A factor of 1 that no call gives, in each type. */
extern const struct wl_cublas_ones {
    float s, c[2];
    double d, z[2];
} wl_cublas_one;
/* Whether alpha, beta or a result pointer is valid in the handle's pointer mode, or is 1 of above.
 */
bool wl_cublas_can_point(const struct wl_cublas_handle *handle, const void *scalar);
/* A kernel of an embedded file, which is loaded at first use; NULL on failure. */
struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name);
enum wl_cublas_status wl_cublas_status_of(int code);

/* Blocks of so many threads: */
enum { WL_CUBLAS_BLOCK_THREADS = 256 };
int wl_cublas_launch(const struct wl_cublas_handle *handle, const char *file, const char *name,
                     const uint32_t grid[3], void **parameters);
/* A thread for each of count elements, in at most 1024 blocks, of each of a batch in y. */
int wl_cublas_launch_over(const struct wl_cublas_handle *handle, const char *file, const char *name,
                          int64_t count, uint32_t batch, void **parameters);

/* Where a kernel may write a result: there, or in device memory if it is the host's. NULL: there is
 * no memory. */
void *wl_cublas_result_place(void *result, size_t bytes);
/* Brings what was written elsewhere to its result, unless status says that nothing was. Returns
 * status. */
int wl_cublas_result_take(void *result, void *place, size_t bytes, int status);

#endif
