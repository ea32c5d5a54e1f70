/* The calls that take sizes of 64 bits (..._64), over those of 32. cuBLAS's own take larger ones;
 * the kernels here do not. */
#include <limits.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

typedef struct wl_complex_single single;
typedef struct wl_complex_twice twice;

static bool fits(const char *call, const int64_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] < INT_MIN || sizes[i] > INT_MAX) {
            wl_device_refuse(call);
            return false;
        }
    return true;
}

#define FITS(name, ...)                                                                \
    fits("cublas" #name "_64 of more than 2147483647", (const int64_t[]){__VA_ARGS__}, \
         sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* cublas<name>_64, whose parameters are the SHAPE's: a macro of the sizes' type and of the others
 * (...) that differ between its calls. SHAPE_SIZES: which of them are sizes; SHAPE_GIVEN: all. */
#define FORWARD(name, SHAPE, ...)                                                                 \
    int cublas##name(SHAPE(int, __VA_ARGS__));                                                    \
    int cublas##name##_64(SHAPE(int64_t, __VA_ARGS__))                                            \
    {                                                                                             \
        return FITS(name, SHAPE##_SIZES) ? cublas##name(SHAPE##_GIVEN) : WL_CUBLAS_NOT_SUPPORTED; \
    }

#define REAL(name, SHAPE)          \
    FORWARD(S##name, SHAPE, float) \
    FORWARD(D##name, SHAPE, double)
#define COMPLEX(name, SHAPE)        \
    FORWARD(C##name, SHAPE, single) \
    FORWARD(Z##name, SHAPE, twice)
#define EACH(name, SHAPE) \
    REAL(name, SHAPE)     \
    COMPLEX(name, SHAPE)

/* ---- vectors ---- */

#define MOVE(I, T) void *handle, I n, const T *x, I incx, T *y, I incy
#define MOVE_SIZES n, incx, incy
#define MOVE_GIVEN handle, n, x, incx, y, incy
EACH(copy_v2, MOVE)

#define SWAP(I, T) void *handle, I n, T *x, I incx, T *y, I incy
#define SWAP_SIZES n, incx, incy
#define SWAP_GIVEN handle, n, x, incx, y, incy
EACH(swap_v2, SWAP)

#define ADD(I, T) void *handle, I n, const T *alpha, const T *x, I incx, T *y, I incy
#define ADD_SIZES n, incx, incy
#define ADD_GIVEN handle, n, alpha, x, incx, y, incy
EACH(axpy_v2, ADD)

/* F: the factor's type. */
#define SCALE(I, T, F) void *handle, I n, const F *alpha, T *x, I incx
#define SCALE_SIZES n, incx
#define SCALE_GIVEN handle, n, alpha, x, incx
FORWARD(Sscal_v2, SCALE, float, float)
FORWARD(Dscal_v2, SCALE, double, double)
FORWARD(Cscal_v2, SCALE, single, single)
FORWARD(Zscal_v2, SCALE, twice, twice)
FORWARD(Csscal_v2, SCALE, single, float)
FORWARD(Zdscal_v2, SCALE, twice, double)

#define DOT(I, T) void *handle, I n, const T *x, I incx, const T *y, I incy, T *result
#define DOT_SIZES n, incx, incy
#define DOT_GIVEN handle, n, x, incx, y, incy, result
REAL(dot_v2, DOT)
COMPLEX(dotu_v2, DOT)
COMPLEX(dotc_v2, DOT)

#define DOT_EX(I, T)                                                                           \
    T *handle, I n, const T *x, int type_x, I incx, const T *y, int type_y, I incy, T *result, \
        int type_result, int type_execution
#define DOT_EX_SIZES n, incx, incy
#define DOT_EX_GIVEN \
    handle, n, x, type_x, incx, y, type_y, incy, result, type_result, type_execution
FORWARD(DotEx, DOT_EX, void)
FORWARD(DotcEx, DOT_EX, void)

/* F: the result's type. */
#define SUM(I, T, F) void *handle, I n, const T *x, I incx, F *result
#define SUM_SIZES n, incx
#define SUM_GIVEN handle, n, x, incx, result
FORWARD(Sasum_v2, SUM, float, float)
FORWARD(Dasum_v2, SUM, double, double)
FORWARD(Scasum_v2, SUM, single, float)
FORWARD(Dzasum_v2, SUM, twice, double)
FORWARD(Snrm2_v2, SUM, float, float)
FORWARD(Dnrm2_v2, SUM, double, double)
FORWARD(Scnrm2_v2, SUM, single, float)
FORWARD(Dznrm2_v2, SUM, twice, double)

/* The place is of 64 bits, too: the lower half is written by the call. */
#define PLACE_CALL(name, T)                                                                   \
    int cublas##name(void *handle, int n, const T *x, int incx, int *result);                 \
    int cublas##name##_64(void *handle, int64_t n, const T *x, int64_t incx, int64_t *result) \
    {                                                                                         \
        if (!FITS(name, n, incx))                                                             \
            return WL_CUBLAS_NOT_SUPPORTED;                                                   \
        if (result)                                                                           \
            *result = 0;                                                                      \
        return cublas##name(handle, (int)n, x, (int)incx, (int *)(void *)result);             \
    }
#define PLACE_CALLS(name)        \
    PLACE_CALL(Is##name, float)  \
    PLACE_CALL(Id##name, double) \
    PLACE_CALL(Ic##name, single) \
    PLACE_CALL(Iz##name, twice)
PLACE_CALLS(amax_v2)
PLACE_CALLS(amin_v2)

/* C, S: what cosine and sine are. */
#define ROTATE(I, T, C, S) void *handle, I n, T *x, I incx, T *y, I incy, const C *c, const S *s
#define ROTATE_SIZES n, incx, incy
#define ROTATE_GIVEN handle, n, x, incx, y, incy, c, s
FORWARD(Srot_v2, ROTATE, float, float, float)
FORWARD(Drot_v2, ROTATE, double, double, double)
FORWARD(Crot_v2, ROTATE, single, float, single)
FORWARD(Zrot_v2, ROTATE, twice, double, twice)
FORWARD(Csrot_v2, ROTATE, single, float, float)
FORWARD(Zdrot_v2, ROTATE, twice, double, double)

#define TURN(I, T) void *handle, I n, T *x, I incx, T *y, I incy, const T *plane
#define TURN_SIZES n, incx, incy
#define TURN_GIVEN handle, n, x, incx, y, incy, plane
REAL(rotm_v2, TURN)

/* ---- vectors of named types ---- */

#define ADD_EX(I, T)                                                                      \
    T *handle, I n, const T *alpha, int type_alpha, const T *x, int type_x, I incx, T *y, \
        int type_y, I incy, int execution
#define ADD_EX_SIZES n, incx, incy
#define ADD_EX_GIVEN handle, n, alpha, type_alpha, x, type_x, incx, y, type_y, incy, execution
FORWARD(AxpyEx, ADD_EX, void)

#define SCALE_EX(I, T) \
    T *handle, I n, const T *alpha, int type_alpha, T *x, int type_x, I incx, int execution
#define SCALE_EX_SIZES n, incx
#define SCALE_EX_GIVEN handle, n, alpha, type_alpha, x, type_x, incx, execution
FORWARD(ScalEx, SCALE_EX, void)

#define SUM_EX(I, T) \
    T *handle, I n, const T *x, int type_x, I incx, T *result, int type_result, int execution
#define SUM_EX_SIZES n, incx
#define SUM_EX_GIVEN handle, n, x, type_x, incx, result, type_result, execution
FORWARD(Nrm2Ex, SUM_EX, void)
FORWARD(AsumEx, SUM_EX, void)

#define MOVE_EX(I, T) T *handle, I n, const T *x, int type_x, I incx, T *y, int type_y, I incy
#define MOVE_EX_SIZES n, incx, incy
#define MOVE_EX_GIVEN handle, n, x, type_x, incx, y, type_y, incy
FORWARD(CopyEx, MOVE_EX, void)

#define SWAP_EX(I, T) T *handle, I n, T *x, int type_x, I incx, T *y, int type_y, I incy
#define SWAP_EX_SIZES n, incx, incy
#define SWAP_EX_GIVEN handle, n, x, type_x, incx, y, type_y, incy
FORWARD(SwapEx, SWAP_EX, void)

#define ROTATE_EX(I, T)                                                                         \
    T *handle, I n, T *x, int type_x, I incx, T *y, int type_y, I incy, const T *c, const T *s, \
        int type_scalars, int execution
#define ROTATE_EX_SIZES n, incx, incy
#define ROTATE_EX_GIVEN handle, n, x, type_x, incx, y, type_y, incy, c, s, type_scalars, execution
FORWARD(RotEx, ROTATE_EX, void)

#define TURN_EX(I, T)                                                                   \
    T *handle, I n, T *x, int type_x, I incx, T *y, int type_y, I incy, const T *plane, \
        int type_plane, int execution
#define TURN_EX_SIZES n, incx, incy
#define TURN_EX_GIVEN handle, n, x, type_x, incx, y, type_y, incy, plane, type_plane, execution
FORWARD(RotmEx, TURN_EX, void)

#define PLACE_EX_CALL(name)                                                                \
    int cublas##name(void *handle, int n, const void *x, int type, int incx, int *result); \
    int cublas##name##_64(void *handle, int64_t n, const void *x, int type, int64_t incx,  \
                          int64_t *result)                                                 \
    {                                                                                      \
        if (!FITS(name, n, incx))                                                          \
            return WL_CUBLAS_NOT_SUPPORTED;                                                \
        if (result)                                                                        \
            *result = 0;                                                                   \
        return cublas##name(handle, (int)n, x, type, (int)incx, (int *)(void *)result);    \
    }
PLACE_EX_CALL(IamaxEx)
PLACE_EX_CALL(IaminEx)

/* ---- a matrix and vectors ---- */

#define GEMV(I, T)                                                                         \
    void *handle, int op, I m, I n, const T *alpha, const T *a, I lda, const T *x, I incx, \
        const T *beta, T *y, I incy
#define GEMV_SIZES m, n, lda, incx, incy
#define GEMV_GIVEN handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy
EACH(gemv_v2, GEMV)

#define GEMV_BATCH(I, T)                                                                         \
    void *handle, int op, I m, I n, const T *alpha, const T *const *a, I lda, const T *const *x, \
        I incx, const T *beta, T *const *y, I incy, I count
#define GEMV_BATCH_SIZES m, n, lda, incx, incy, count
#define GEMV_BATCH_GIVEN handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy, count
EACH(gemvBatched, GEMV_BATCH)

#define GEMV_STRIDED(I, T)                                                                       \
    void *handle, int op, I m, I n, const T *alpha, const T *a, I lda, long long stride_a,       \
        const T *x, I incx, long long stride_x, const T *beta, T *y, I incy, long long stride_y, \
        I count
#define GEMV_STRIDED_SIZES m, n, lda, incx, incy, count
#define GEMV_STRIDED_GIVEN \
    handle, op, m, n, alpha, a, lda, stride_a, x, incx, stride_x, beta, y, incy, stride_y, count
EACH(gemvStridedBatched, GEMV_STRIDED)

#define NARROW(I, F)                                                             \
    void *handle, int op, I m, I n, const F *alpha, const void *const *a, I lda, \
        const void *const *x, I incx, const F *beta, void *const *y, I incy, I count
#define NARROW_SIZES m, n, lda, incx, incy, count
#define NARROW_GIVEN handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy, count
#define NARROW_STRIDED(I, F)                                                                  \
    void *handle, int op, I m, I n, const F *alpha, const void *a, I lda, long long stride_a, \
        const void *x, I incx, long long stride_x, const F *beta, void *y, I incy,            \
        long long stride_y, I count
#define NARROW_STRIDED_SIZES m, n, lda, incx, incy, count
#define NARROW_STRIDED_GIVEN \
    handle, op, m, n, alpha, a, lda, stride_a, x, incx, stride_x, beta, y, incy, stride_y, count
#define NARROW_CALLS(name)                \
    FORWARD(name##Batched, NARROW, float) \
    FORWARD(name##StridedBatched, NARROW_STRIDED, float)
NARROW_CALLS(HSHgemv)
NARROW_CALLS(HSSgemv)
NARROW_CALLS(TSTgemv)
NARROW_CALLS(TSSgemv)

#define GER(I, T) \
    void *handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a, I lda
#define GER_SIZES m, n, incx, incy, lda
#define GER_GIVEN handle, m, n, alpha, x, incx, y, incy, a, lda
REAL(ger_v2, GER)
COMPLEX(geru_v2, GER)
COMPLEX(gerc_v2, GER)

#define HALF_VECTOR(I, T)                                                               \
    void *handle, int fill, I n, const T *alpha, const T *a, I lda, const T *x, I incx, \
        const T *beta, T *y, I incy
#define HALF_VECTOR_SIZES n, lda, incx, incy
#define HALF_VECTOR_GIVEN handle, fill, n, alpha, a, lda, x, incx, beta, y, incy
EACH(symv_v2, HALF_VECTOR)
COMPLEX(hemv_v2, HALF_VECTOR)

/* F: the factor's type. */
#define RANK_1(I, T, F) void *handle, int fill, I n, const F *alpha, const T *x, I incx, T *a, I lda
#define RANK_1_SIZES n, incx, lda
#define RANK_1_GIVEN handle, fill, n, alpha, x, incx, a, lda
FORWARD(Ssyr_v2, RANK_1, float, float)
FORWARD(Dsyr_v2, RANK_1, double, double)
FORWARD(Csyr_v2, RANK_1, single, single)
FORWARD(Zsyr_v2, RANK_1, twice, twice)
FORWARD(Cher_v2, RANK_1, single, float)
FORWARD(Zher_v2, RANK_1, twice, double)

#define RANK_2(I, T) \
    void *handle, int fill, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a, I lda
#define RANK_2_SIZES n, incx, incy, lda
#define RANK_2_GIVEN handle, fill, n, alpha, x, incx, y, incy, a, lda
EACH(syr2_v2, RANK_2)
COMPLEX(her2_v2, RANK_2)

#define TRIANGLE_VECTOR(I, T) \
    void *handle, int fill, int op, int diagonal, I n, const T *a, I lda, T *x, I incx
#define TRIANGLE_VECTOR_SIZES n, lda, incx
#define TRIANGLE_VECTOR_GIVEN handle, fill, op, diagonal, n, a, lda, x, incx
EACH(trmv_v2, TRIANGLE_VECTOR)
EACH(trsv_v2, TRIANGLE_VECTOR)

/* ---- banded and packed ones ---- */

#define BAND(I, T)                                                                       \
    void *handle, int op, I m, I n, I below, I above, const T *alpha, const T *a, I lda, \
        const T *x, I incx, const T *beta, T *y, I incy
#define BAND_SIZES m, n, below, above, lda, incx, incy
#define BAND_GIVEN handle, op, m, n, below, above, alpha, a, lda, x, incx, beta, y, incy
EACH(gbmv_v2, BAND)

#define HALF_BAND(I, T)                                                                      \
    void *handle, int fill, I n, I k, const T *alpha, const T *a, I lda, const T *x, I incx, \
        const T *beta, T *y, I incy
#define HALF_BAND_SIZES n, k, lda, incx, incy
#define HALF_BAND_GIVEN handle, fill, n, k, alpha, a, lda, x, incx, beta, y, incy
REAL(sbmv_v2, HALF_BAND)
COMPLEX(hbmv_v2, HALF_BAND)

#define PACKED(I, T)                                                                            \
    void *handle, int fill, I n, const T *alpha, const T *a, const T *x, I incx, const T *beta, \
        T *y, I incy
#define PACKED_SIZES n, incx, incy
#define PACKED_GIVEN handle, fill, n, alpha, a, x, incx, beta, y, incy
REAL(spmv_v2, PACKED)
COMPLEX(hpmv_v2, PACKED)

#define PACKED_1(I, T, F) void *handle, int fill, I n, const F *alpha, const T *x, I incx, T *a
#define PACKED_1_SIZES n, incx
#define PACKED_1_GIVEN handle, fill, n, alpha, x, incx, a
FORWARD(Sspr_v2, PACKED_1, float, float)
FORWARD(Dspr_v2, PACKED_1, double, double)
FORWARD(Chpr_v2, PACKED_1, single, float)
FORWARD(Zhpr_v2, PACKED_1, twice, double)

#define PACKED_2(I, T) \
    void *handle, int fill, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a
#define PACKED_2_SIZES n, incx, incy
#define PACKED_2_GIVEN handle, fill, n, alpha, x, incx, y, incy, a
REAL(spr2_v2, PACKED_2)
COMPLEX(hpr2_v2, PACKED_2)

#define TRIANGLE_BAND(I, T) \
    void *handle, int fill, int op, int diagonal, I n, I k, const T *a, I lda, T *x, I incx
#define TRIANGLE_BAND_SIZES n, k, lda, incx
#define TRIANGLE_BAND_GIVEN handle, fill, op, diagonal, n, k, a, lda, x, incx
EACH(tbmv_v2, TRIANGLE_BAND)
EACH(tbsv_v2, TRIANGLE_BAND)

#define TRIANGLE_PACKED(I, T) \
    void *handle, int fill, int op, int diagonal, I n, const T *a, T *x, I incx
#define TRIANGLE_PACKED_SIZES n, incx
#define TRIANGLE_PACKED_GIVEN handle, fill, op, diagonal, n, a, x, incx
EACH(tpmv_v2, TRIANGLE_PACKED)
EACH(tpsv_v2, TRIANGLE_PACKED)

/* ---- matrices ---- */

#define GEMM(I, T)                                                                      \
    void *handle, int op_a, int op_b, I m, I n, I k, const T *alpha, const T *a, I lda, \
        const T *b, I ldb, const T *beta, T *c, I ldc
#define GEMM_SIZES m, n, k, lda, ldb, ldc
#define GEMM_GIVEN handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
FORWARD(Dgemm_v2, GEMM, double)
FORWARD(Hgemm, GEMM, void)
COMPLEX(gemm_v2, GEMM)
COMPLEX(gemm3m, GEMM)

#define GEMM_BATCH(I, T)                                                                       \
    void *handle, int op_a, int op_b, I m, I n, I k, const T *alpha, const T *const *a, I lda, \
        const T *const *b, I ldb, const T *beta, T *const *c, I ldc, I count
#define GEMM_BATCH_SIZES m, n, k, lda, ldb, ldc, count
#define GEMM_BATCH_GIVEN handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count
EACH(gemmBatched, GEMM_BATCH)
FORWARD(HgemmBatched, GEMM_BATCH, void)
FORWARD(Cgemm3mBatched, GEMM_BATCH, single)

#define GEMM_STRIDED(I, T)                                                                     \
    void *handle, int op_a, int op_b, I m, I n, I k, const T *alpha, const T *a, I lda,        \
        long long stride_a, const T *b, I ldb, long long stride_b, const T *beta, T *c, I ldc, \
        long long stride_c, I count
#define GEMM_STRIDED_SIZES m, n, k, lda, ldb, ldc, count
#define GEMM_STRIDED_GIVEN                                                                \
    handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
        stride_c, count
EACH(gemmStridedBatched, GEMM_STRIDED)
FORWARD(HgemmStridedBatched, GEMM_STRIDED, void)
FORWARD(Cgemm3mStridedBatched, GEMM_STRIDED, single)

/* F: the factors' type. */
#define GEMM_EX(I, F)                                                                           \
    void *handle, int op_a, int op_b, I m, I n, I k, const F *alpha, const void *a, int type_a, \
        I lda, const void *b, int type_b, I ldb, const F *beta, void *c, int type_c, I ldc
#define GEMM_EX_SIZES m, n, k, lda, ldb, ldc
#define GEMM_EX_GIVEN \
    handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc
FORWARD(SgemmEx, GEMM_EX, float)
FORWARD(CgemmEx, GEMM_EX, single)
FORWARD(Cgemm3mEx, GEMM_EX, single)

#define GEMM_CHOSEN(I, F) GEMM_EX(I, F), int compute, int algorithm
#define GEMM_CHOSEN_SIZES GEMM_EX_SIZES
#define GEMM_CHOSEN_GIVEN GEMM_EX_GIVEN, compute, algorithm
FORWARD(GemmEx, GEMM_CHOSEN, void)

#define GEMM_BATCH_EX(I, F)                                                                        \
    void *handle, int op_a, int op_b, I m, I n, I k, const F *alpha, const void *const *a,         \
        int type_a, I lda, const void *const *b, int type_b, I ldb, const F *beta, void *const *c, \
        int type_c, I ldc, I count, int compute, int algorithm
#define GEMM_BATCH_EX_SIZES GEMM_EX_SIZES, count
#define GEMM_BATCH_EX_GIVEN GEMM_EX_GIVEN, count, compute, algorithm
FORWARD(GemmBatchedEx, GEMM_BATCH_EX, void)

#define GEMM_STRIDED_EX(I, F)                                                                   \
    void *handle, int op_a, int op_b, I m, I n, I k, const F *alpha, const void *a, int type_a, \
        I lda, long long stride_a, const void *b, int type_b, I ldb, long long stride_b,        \
        const F *beta, void *c, int type_c, I ldc, long long stride_c, I count, int compute,    \
        int algorithm
#define GEMM_STRIDED_EX_SIZES GEMM_EX_SIZES, count
#define GEMM_STRIDED_EX_GIVEN                                                                     \
    handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, beta, \
        c, type_c, ldc, stride_c, count, compute, algorithm
FORWARD(GemmStridedBatchedEx, GEMM_STRIDED_EX, void)

#define GEAM(I, T)                                                                                \
    void *handle, int op_a, int op_b, I m, I n, const T *alpha, const T *a, I lda, const T *beta, \
        const T *b, I ldb, T *c, I ldc
#define GEAM_SIZES m, n, lda, ldb, ldc
#define GEAM_GIVEN handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc
EACH(geam, GEAM)

#define DIAGONAL(I, T) \
    void *handle, int side, I m, I n, const T *a, I lda, const T *x, I incx, T *c, I ldc
#define DIAGONAL_SIZES m, n, lda, incx, ldc
#define DIAGONAL_GIVEN handle, side, m, n, a, lda, x, incx, c, ldc
EACH(dgmm, DIAGONAL)

#define HALF(I, T)                                                                             \
    void *handle, int side, int fill, I m, I n, const T *alpha, const T *a, I lda, const T *b, \
        I ldb, const T *beta, T *c, I ldc
#define HALF_SIZES m, n, lda, ldb, ldc
#define HALF_GIVEN handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc
EACH(symm_v2, HALF)
COMPLEX(hemm_v2, HALF)

/* F: the factors' type. */
#define RANK(I, T, F)                                                                           \
    void *handle, int fill, int op, I n, I k, const F *alpha, const T *a, I lda, const F *beta, \
        T *c, I ldc
#define RANK_SIZES n, k, lda, ldc
#define RANK_GIVEN handle, fill, op, n, k, alpha, a, lda, beta, c, ldc
FORWARD(Ssyrk_v2, RANK, float, float)
FORWARD(Dsyrk_v2, RANK, double, double)
FORWARD(Csyrk_v2, RANK, single, single)
FORWARD(Zsyrk_v2, RANK, twice, twice)
FORWARD(Cherk_v2, RANK, single, float)
FORWARD(Zherk_v2, RANK, twice, double)

#define RANK_EX(I, F)                                                                           \
    void *handle, int fill, int op, I n, I k, const F *alpha, const void *a, int type_a, I lda, \
        const F *beta, void *c, int type_c, I ldc
#define RANK_EX_SIZES n, k, lda, ldc
#define RANK_EX_GIVEN handle, fill, op, n, k, alpha, a, type_a, lda, beta, c, type_c, ldc
FORWARD(CsyrkEx, RANK_EX, single)
FORWARD(Csyrk3mEx, RANK_EX, single)
FORWARD(CherkEx, RANK_EX, float)
FORWARD(Cherk3mEx, RANK_EX, float)

/* F: beta's type. */
#define RANKS(I, T, F)                                                                       \
    void *handle, int fill, int op, I n, I k, const T *alpha, const T *a, I lda, const T *b, \
        I ldb, const F *beta, T *c, I ldc
#define RANKS_SIZES n, k, lda, ldb, ldc
#define RANKS_GIVEN handle, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define RANKS_CALLS(Letter, T, F, sum, both) \
    FORWARD(Letter##both, RANKS, T, F)       \
    FORWARD(Letter##sum, RANKS, T, F)
RANKS_CALLS(S, float, float, syrkx, syr2k_v2)
RANKS_CALLS(D, double, double, syrkx, syr2k_v2)
RANKS_CALLS(C, single, single, syrkx, syr2k_v2)
RANKS_CALLS(Z, twice, twice, syrkx, syr2k_v2)
RANKS_CALLS(C, single, float, herkx, her2k_v2)
RANKS_CALLS(Z, twice, double, herkx, her2k_v2)

#define TRIANGLE(I, T)                                                                            \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, const T *alpha, const T *a, \
        I lda, const T *b, I ldb, T *c, I ldc
#define TRIANGLE_SIZES m, n, lda, ldb, ldc
#define TRIANGLE_GIVEN handle, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc
EACH(trmm_v2, TRIANGLE)

#define SOLVE(I, T)                                                                               \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, const T *alpha, const T *a, \
        I lda, T *b, I ldb
#define SOLVE_SIZES m, n, lda, ldb
#define SOLVE_GIVEN handle, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb
EACH(trsm_v2, SOLVE)

#define SOLVE_BATCH(I, T)                                                             \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, const T *alpha, \
        const T *const *a, I lda, T *const *b, I ldb, I count
#define SOLVE_BATCH_SIZES SOLVE_SIZES, count
#define SOLVE_BATCH_GIVEN SOLVE_GIVEN, count
EACH(trsmBatched, SOLVE_BATCH)

/* ---- copies between host and device ---- */

#define VECTOR_COPY(I, T) I n, I element_bytes, const T *x, I incx, T *y, I incy
#define VECTOR_COPY_SIZES n, element_bytes, incx, incy
#define VECTOR_COPY_GIVEN n, element_bytes, x, incx, y, incy
FORWARD(SetVector, VECTOR_COPY, void)
FORWARD(GetVector, VECTOR_COPY, void)

#define MATRIX_COPY(I, T) I rows, I columns, I element_bytes, const T *a, I lda, T *b, I ldb
#define MATRIX_COPY_SIZES rows, columns, element_bytes, lda, ldb
#define MATRIX_COPY_GIVEN rows, columns, element_bytes, a, lda, b, ldb
FORWARD(SetMatrix, MATRIX_COPY, void)
FORWARD(GetMatrix, MATRIX_COPY, void)

#define VECTOR_COPY_ASYNC(I, T) VECTOR_COPY(I, T), T *stream
#define VECTOR_COPY_ASYNC_SIZES VECTOR_COPY_SIZES
#define VECTOR_COPY_ASYNC_GIVEN VECTOR_COPY_GIVEN, stream
FORWARD(SetVectorAsync, VECTOR_COPY_ASYNC, void)
FORWARD(GetVectorAsync, VECTOR_COPY_ASYNC, void)

#define MATRIX_COPY_ASYNC(I, T) MATRIX_COPY(I, T), T *stream
#define MATRIX_COPY_ASYNC_SIZES MATRIX_COPY_SIZES
#define MATRIX_COPY_ASYNC_GIVEN MATRIX_COPY_GIVEN, stream
FORWARD(SetMatrixAsync, MATRIX_COPY_ASYNC, void)
FORWARD(GetMatrixAsync, MATRIX_COPY_ASYNC, void)
