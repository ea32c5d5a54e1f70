/* The stand-in for cuBLAS: the subset of its API that our kernels implement, on the device layer.
 * Function names and enumerators are those of the cuBLAS documentation. */
#ifndef WL_API_CUBLAS_SGEMM_H
#define WL_API_CUBLAS_SGEMM_H

#include <stdbool.h>
#include <stdint.h>

/* cublasStatus_t */
enum wl_cublas_status {
    WL_CUBLAS_OK = 0,
    WL_CUBLAS_NOT_INITIALIZED = 1,
    WL_CUBLAS_ALLOC_FAILED = 3,
    WL_CUBLAS_INVALID_VALUE = 7,
    WL_CUBLAS_ARCH_MISMATCH = 8,
    WL_CUBLAS_MAPPING_ERROR = 11,
    WL_CUBLAS_EXECUTION_FAILED = 13,
    WL_CUBLAS_INTERNAL_ERROR = 14,
    WL_CUBLAS_NOT_SUPPORTED = 15,
    WL_CUBLAS_LICENSE_ERROR = 16,
};

/* C = alpha op(A) op(B) + beta C, column-major. */
struct wl_cublas_product {
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    const float *alpha;
    const float *a;
    int64_t lda;
    const float *b;
    int64_t ldb;
    const float *beta;
    float *c;
    int64_t ldc;
    int64_t count; /* of products, whose matrices lie so many elements apart: */
    int64_t stride_a, stride_b, stride_c;
    const struct wl_cublas_handle *handle;
};

/* Checks the sizes and runs the kernel. */
enum wl_cublas_status wl_cublas_multiply(const struct wl_cublas_product *product);

#endif
