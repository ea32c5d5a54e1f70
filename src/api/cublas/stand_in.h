/* Shared by the files of the stand-in for cuBLAS. */
#ifndef WL_API_CUBLAS_STAND_IN_H
#define WL_API_CUBLAS_STAND_IN_H

#include "api/cublas/sgemm.h"
#include "device/device.h"

struct wl_cublas_handle {
    uint32_t magic;
    void *stream;
    int pointer_mode, math_mode, atomics_mode, sm_count_target;
    struct {
        int strategy, special_values, mantissa, mantissa_bits_most, mantissa_offset;
    } emulation; /* of products, which are computed in their own precision whatever it says */
};

/* cublasPointerMode_t */
enum { WL_CUBLAS_POINTERS_ON_HOST, WL_CUBLAS_POINTERS_ON_DEVICE };
/* cublasMath_t: products of single precision may be rounded to TF32. */
enum { WL_CUBLAS_MATH_TF32 = 3 };

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
/* Whether it is one of these. */
bool wl_cublas_is_one(const void *scalar);
/* A kernel of an embedded file, which is loaded at first use; NULL on failure. */
struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name);
enum wl_cublas_status wl_cublas_status_of(int code);

/* Blocks of so many threads; grids have so many in y and z at most: what is larger takes several
 * launches. */
enum { WL_CUBLAS_BLOCK_THREADS = 256, WL_CUBLAS_BLOCKS_MOST = 65535 };
static inline int wl_cublas_least(int64_t one, int64_t other)
{
    return (int)(one < other ? one : other);
}
/* A kernel in the handle's stream; NULL: it was not found. Scalars that the handle says are in
 * memory of the device are read when it runs, if parameters says where they are. */
int wl_cublas_launch_kernel(const struct wl_cublas_handle *handle, struct wl_device_kernel *kernel,
                            const uint32_t grid[3], void **parameters);
/* Whether scalars cannot be read yet: they are in memory of the device, and the handle's stream is
 * captured. */
bool wl_cublas_is_late(const struct wl_cublas_handle *handle);
/* The same, noted, of a call that must read them now: WL_CUBLAS_NOT_SUPPORTED. */
bool wl_cublas_refuses_late(const struct wl_cublas_handle *handle);
/* Whether a factor of so many numbers of that size is 0, as far as it can be read yet. What it
 * multiplies is then not looked at by gemm, gemv, axpy and sums of rank 1 and 2, but by all others,
 * as measured on an H200. */
bool wl_cublas_is_zero(const struct wl_cublas_handle *handle, const void *scalar,
                       size_t number_bytes, size_t count);
int wl_cublas_launch(const struct wl_cublas_handle *handle, const char *file, const char *name,
                     const uint32_t grid[3], void **parameters);
/* A call of matrices of that order whose time is that of cuBLAS's kernels; count: right-hand sides,
 * or matrices. */
struct wl_cublas_steps {
    enum wl_library_steps steps;
    int order;
    int64_t count;
    bool is_double, is_complex;
};
int wl_cublas_launch_steps(const struct wl_cublas_handle *handle, const char *file,
                           const char *name, const struct wl_cublas_steps *of,
                           const uint32_t grid[3], void **parameters);
/* With a thread for each of count elements, or fewer that go round. */
uint32_t wl_cublas_blocks(int64_t count);
/* A thread for each of count elements, in at most 1024 blocks, of each of a batch in y. */
int wl_cublas_launch_over(const struct wl_cublas_handle *handle, const char *file, const char *name,
                          int64_t count, uint32_t batch, void **parameters);

/* Where a kernel may write a result: there, or in device memory if it is the host's; or why there
 * is no such place. A host that waits for the result is what captures of the stream do not allow.
 */
int wl_cublas_result_place(const struct wl_cublas_handle *handle, void *result, size_t bytes,
                           void **place);
/* Waits for the result if the host does, and brings it there, unless status says that there is
 * none. Returns status. */
int wl_cublas_result_take(const struct wl_cublas_handle *handle, void *result, void *place,
                          size_t bytes, int status);
/* 0 for a result that takes no kernel. */
int wl_cublas_result_clear(const struct wl_cublas_handle *handle, void *result, size_t bytes);

#endif
