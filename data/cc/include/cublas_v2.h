/* The part of cuBLAS that the stand-in of the simulated GPU has. Matrices are by columns. */
#ifndef WARPLENS_CUBLAS_V2_H
#define WARPLENS_CUBLAS_V2_H

#include <stdint.h>

#include "cuda_runtime.h"

#define CUBLAS_VERSION 130000
#define CUBLAS_VER_MAJOR 13

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
} cublasGemmAlgo_t;
#ifndef WARPLENS_CUDA_DATA_TYPE
#define WARPLENS_CUDA_DATA_TYPE
typedef enum {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
} cudaDataType_t;
typedef cudaDataType_t cudaDataType;
#endif
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSgemm_64 cublasSgemm_v2_64

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_operation,
                            cublasOperation_t b_operation, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType a_type, int lda, const void *b,
                            cudaDataType b_type, int ldb, const void *beta, void *c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation, int m, int n,
    int k, const void *alpha, const void *a, cudaDataType a_type, int lda, long long a_stride,
    const void *b, cudaDataType b_type, int ldb, long long b_stride, const void *beta, void *c,
    cudaDataType c_type, int ldc, long long c_stride, int count, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm);
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int count, int bytes, const void *from, int fromStep, void *to,
                               int toStep);
cublasStatus_t cublasGetVector(int count, int bytes, const void *from, int fromStep, void *to,
                               int toStep);
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *from, int fromRows,
                               void *to, int toRows);
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *from, int fromRows,
                               void *to, int toRows);

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t ofA, cublasOperation_t ofB,
                           int m, int n, int k, const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasSgemm_64(cublasHandle_t handle, cublasOperation_t ofA, cublasOperation_t ofB,
                              int64_t m, int64_t n, int64_t k, const float *alpha, const float *a,
                              int64_t lda, const float *b, int64_t ldb, const float *beta,
                              float *c, int64_t ldc);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ofA,
                                         cublasOperation_t ofB, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long strideA, const float *b, int ldb,
                                         long long strideB, const float *beta, float *c, int ldc,
                                         long long strideC, int count);

#ifdef __cplusplus
}
#endif

#endif
