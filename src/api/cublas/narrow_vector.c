/* Batches of matrices of halves or bfloat16 times vectors, over the products of matrices: the
 * transposed product, whose factors and results are rows with the vectors' steps between columns.
 */
#include "api/cublas/stand_in.h"

enum { TYPE_F32 = 0, TYPE_F16 = 2, TYPE_BF16 = 14 }; /* cudaDataType */
enum { COMPUTE_F32 = 68, TURN = 1 };

int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);
int cublasGemmBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                        const void *const a[], int type_a, int lda, const void *const b[],
                        int type_b, int ldb, const void *beta, void *const c[], int type_c, int ldc,
                        int count, int compute, int algorithm);

/* What the call says, of the transposed product too: vectors that go backward are refused. */
static int check(void *handle, const char *call, int op, int m, int n, int lda, int incx, int incy)
{
    if (!wl_cublas_check(handle))
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)op > 2 || m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !incx || !incy)
        return WL_CUBLAS_INVALID_VALUE;
    if (incx > 0 && incy > 0)
        return WL_CUBLAS_OK;
    wl_device_refuse(call);
    return WL_CUBLAS_NOT_SUPPORTED;
}

#define CALLS(name, type, result)                                                                  \
    int cublas##name##StridedBatched(void *handle, int op, int m, int n, const float *alpha,       \
                                     const void *a, int lda, long long stride_a, const void *x,    \
                                     int incx, long long stride_x, const float *beta, void *y,     \
                                     int incy, long long stride_y, int count)                      \
    {                                                                                              \
        const int status = check(handle, "cublas" #name "StridedBatched with a negative step", op, \
                                 m, n, lda, incx, incy);                                           \
        if (status || !m || !n)                                                                    \
            return status;                                                                         \
        return cublasGemmStridedBatchedEx(handle, 0, op ? 0 : TURN, 1, op ? n : m, op ? m : n,     \
                                          alpha, x, type, incx, stride_x, a, type, lda, stride_a,  \
                                          beta, y, result, incy, stride_y, count, COMPUTE_F32, 0); \
    }                                                                                              \
    int cublas##name##Batched(void *handle, int op, int m, int n, const float *alpha,              \
                              const void *const *a, int lda, const void *const *x, int incx,       \
                              const float *beta, void *const *y, int incy, int count)              \
    {                                                                                              \
        const int status = check(handle, "cublas" #name "Batched with a negative step", op, m, n,  \
                                 lda, incx, incy);                                                 \
        if (status || !m || !n)                                                                    \
            return status;                                                                         \
        return cublasGemmBatchedEx(handle, 0, op ? 0 : TURN, 1, op ? n : m, op ? m : n, alpha, x,  \
                                   type, incx, a, type, lda, beta, y, result, incy, count,         \
                                   COMPUTE_F32, 0);                                                \
    }

CALLS(HSHgemv, TYPE_F16, TYPE_F16)
CALLS(HSSgemv, TYPE_F16, TYPE_F32)
CALLS(TSTgemv, TYPE_BF16, TYPE_BF16)
CALLS(TSSgemv, TYPE_BF16, TYPE_F32)
