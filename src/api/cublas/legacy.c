/* The API of cublas.h, older than handles: the calls of today with one handle of the process,
 * factors by value, options as letters, results returned, and the status of the last call that
 * computes kept for cublasGetError. No call needs a cublasInit before it. */
#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

typedef struct wl_complex_single single;
typedef struct wl_complex_twice twice;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasGetVersion_v2(void *handle, int *version);

static void *process_handle; /* NULL: nothing was called yet, or cublasShutdown last */
static int last_status;      /* of a call that computes */

/* The handle; NULL if there can be none. */
static void *get(void)
{
    void *made = NULL, *there = __atomic_load_n(&process_handle, __ATOMIC_ACQUIRE);
    if (there || cublasCreate_v2(&made))
        return there;
    if (__atomic_compare_exchange_n(&process_handle, &there, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    cublasDestroy_v2(made); /* another thread was first */
    return there;
}

static void keep(int status)
{
    __atomic_store_n(&last_status, status, __ATOMIC_RELAXED);
}

int cublasInit(void)
{
    return get() ? WL_CUBLAS_OK : WL_CUBLAS_NOT_INITIALIZED;
}

int cublasShutdown(void)
{
    void *handle = __atomic_exchange_n(&process_handle, NULL, __ATOMIC_ACQ_REL);
    if (handle)
        cublasDestroy_v2(handle);
    return WL_CUBLAS_OK;
}

int cublasGetError(void)
{
    return __atomic_exchange_n(&last_status, WL_CUBLAS_OK, __ATOMIC_RELAXED);
}

int cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(get(), version);
}

int cublasSetKernelStream(void *stream)
{
    return cublasSetStream_v2(get(), stream);
}

int cublasAlloc(int count, int element_bytes, void **made)
{
    if (count <= 0 || element_bytes <= 0 || !made)
        return WL_CUBLAS_INVALID_VALUE;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, (size_t)count * (size_t)element_bytes,
                                     0, made)
               ? WL_CUBLAS_ALLOC_FAILED
               : WL_CUBLAS_OK;
}

int cublasFree(void *memory)
{
    return wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, memory) ? WL_CUBLAS_INTERNAL_ERROR
                                                                  : WL_CUBLAS_OK;
}

/* What a letter, small or large, is among those of an option, in the order of its enumerators; -1:
 * none of them. */
static int find(char letter, const char *among)
{
    for (int i = 0; among[i]; i++)
        if (letter == among[i] || letter == among[i] - 'A' + 'a')
            return i;
    return -1;
}

static int op_of(char letter)
{
    return find(letter, "NTC");
}

static int fill_of(char letter)
{
    return find(letter, "LU");
}

static int side_of(char letter)
{
    return find(letter, "LR");
}

static int diagonal_of(char letter)
{
    return find(letter, "NU");
}

#define BY_VALUE(T) T
#define BY_ADDRESS(T) const T *

/* cublas<name>, whose parameters are the SHAPE's: a macro of the options' type, of how factors are
 * given, and of the types (...) that differ between its calls. SHAPE_GIVEN: them, as the call of
 * today wants them. */
#define CALL(name, SHAPE, ...)                                                \
    int cublas##name##_v2(void *handle, SHAPE(int, BY_ADDRESS, __VA_ARGS__)); \
    void cublas##name(SHAPE(char, BY_VALUE, __VA_ARGS__))                     \
    {                                                                         \
        keep(cublas##name##_v2(get(), SHAPE##_GIVEN));                        \
    }

/* The same of a call with a result. */
#define RESULT(name, R, SHAPE, ...)                                                      \
    int cublas##name##_v2(void *handle, SHAPE(int, BY_ADDRESS, __VA_ARGS__), R *result); \
    R cublas##name(SHAPE(char, BY_VALUE, __VA_ARGS__))                                   \
    {                                                                                    \
        R result = {0};                                                                  \
        keep(cublas##name##_v2(get(), SHAPE##_GIVEN, &result));                          \
        return result;                                                                   \
    }

#define REAL(name, SHAPE)       \
    CALL(S##name, SHAPE, float) \
    CALL(D##name, SHAPE, double)
#define COMPLEX(name, SHAPE)     \
    CALL(C##name, SHAPE, single) \
    CALL(Z##name, SHAPE, twice)
#define EACH(name, SHAPE) \
    REAL(name, SHAPE)     \
    COMPLEX(name, SHAPE)

/* ---- vectors ---- */

#define ONE(O, F, T) int n, const T *x, int incx
#define ONE_GIVEN n, x, incx
RESULT(Snrm2, float, ONE, float)
RESULT(Dnrm2, double, ONE, double)
RESULT(Scnrm2, float, ONE, single)
RESULT(Dznrm2, double, ONE, twice)
RESULT(Sasum, float, ONE, float)
RESULT(Dasum, double, ONE, double)
RESULT(Scasum, float, ONE, single)
RESULT(Dzasum, double, ONE, twice)
RESULT(Isamax, int, ONE, float)
RESULT(Idamax, int, ONE, double)
RESULT(Icamax, int, ONE, single)
RESULT(Izamax, int, ONE, twice)
RESULT(Isamin, int, ONE, float)
RESULT(Idamin, int, ONE, double)
RESULT(Icamin, int, ONE, single)
RESULT(Izamin, int, ONE, twice)

#define TWO(O, F, T) int n, const T *x, int incx, const T *y, int incy
#define TWO_GIVEN n, x, incx, y, incy
RESULT(Sdot, float, TWO, float)
RESULT(Ddot, double, TWO, double)
RESULT(Cdotu, single, TWO, single)
RESULT(Cdotc, single, TWO, single)
RESULT(Zdotu, twice, TWO, twice)
RESULT(Zdotc, twice, TWO, twice)

#define SCALE(O, F, T, A) int n, F(A) alpha, T *x, int incx
#define SCALE_GIVEN n, &alpha, x, incx
CALL(Sscal, SCALE, float, float)
CALL(Dscal, SCALE, double, double)
CALL(Cscal, SCALE, single, single)
CALL(Zscal, SCALE, twice, twice)
CALL(Csscal, SCALE, single, float)
CALL(Zdscal, SCALE, twice, double)

#define ADD(O, F, T) int n, F(T) alpha, const T *x, int incx, T *y, int incy
#define ADD_GIVEN n, &alpha, x, incx, y, incy
EACH(axpy, ADD)

#define MOVE(O, F, T) int n, const T *x, int incx, T *y, int incy
#define MOVE_GIVEN n, x, incx, y, incy
EACH(copy, MOVE)

#define SWAP(O, F, T) int n, T *x, int incx, T *y, int incy
#define SWAP_GIVEN n, x, incx, y, incy
EACH(swap, SWAP)

#define ROTATE(O, F, T, C, S) int n, T *x, int incx, T *y, int incy, F(C) c, F(S) s
#define ROTATE_GIVEN n, x, incx, y, incy, &c, &s
CALL(Srot, ROTATE, float, float, float)
CALL(Drot, ROTATE, double, double, double)
CALL(Crot, ROTATE, single, float, single)
CALL(Zrot, ROTATE, twice, double, twice)
CALL(Csrot, ROTATE, single, float, float)
CALL(Zdrot, ROTATE, twice, double, double)

#define MAKE_ROTATION(O, F, T) T *a, T *b, T *c, T *s
#define MAKE_ROTATION_GIVEN a, b, c, s
REAL(rotg, MAKE_ROTATION)

#define MAKE_TURN(O, F, T, C) T *a, F(T) b, C *c, T *s
#define MAKE_TURN_GIVEN a, &b, c, s
CALL(Crotg, MAKE_TURN, single, float)
CALL(Zrotg, MAKE_TURN, twice, double)

#define PLANE(O, F, T) int n, T *x, int incx, T *y, int incy, const T *plane
#define PLANE_GIVEN n, x, incx, y, incy, plane
REAL(rotm, PLANE)

#define MAKE_PLANE(O, F, T) T *d1, T *d2, T *x1, const T *y1, T *plane
#define MAKE_PLANE_GIVEN d1, d2, x1, y1, plane
REAL(rotmg, MAKE_PLANE)

/* ---- matrix and vector ---- */

#define TIMES(O, F, T)                                                                          \
    O op, int m, int n, F(T) alpha, const T *a, int lda, const T *x, int incx, F(T) beta, T *y, \
        int incy
#define TIMES_GIVEN op_of(op), m, n, &alpha, a, lda, x, incx, &beta, y, incy
EACH(gemv, TIMES)

#define OUTER(O, F, T) \
    int m, int n, F(T) alpha, const T *x, int incx, const T *y, int incy, T *a, int lda
#define OUTER_GIVEN m, n, &alpha, x, incx, y, incy, a, lda
REAL(ger, OUTER)
COMPLEX(geru, OUTER)
COMPLEX(gerc, OUTER)

#define HALF_TIMES(O, F, T) \
    O fill, int n, F(T) alpha, const T *a, int lda, const T *x, int incx, F(T) beta, T *y, int incy
#define HALF_TIMES_GIVEN fill_of(fill), n, &alpha, a, lda, x, incx, &beta, y, incy
REAL(symv, HALF_TIMES)
COMPLEX(hemv, HALF_TIMES)

#define RANK_1(O, F, T, A) O fill, int n, F(A) alpha, const T *x, int incx, T *a, int lda
#define RANK_1_GIVEN fill_of(fill), n, &alpha, x, incx, a, lda
CALL(Ssyr, RANK_1, float, float)
CALL(Dsyr, RANK_1, double, double)
CALL(Cher, RANK_1, single, float)
CALL(Zher, RANK_1, twice, double)

#define RANK_2(O, F, T) \
    O fill, int n, F(T) alpha, const T *x, int incx, const T *y, int incy, T *a, int lda
#define RANK_2_GIVEN fill_of(fill), n, &alpha, x, incx, y, incy, a, lda
REAL(syr2, RANK_2)
COMPLEX(her2, RANK_2)

#define TRIANGLE_VECTOR(O, F, T) \
    O fill, O op, O diagonal, int n, const T *a, int lda, T *x, int incx
#define TRIANGLE_VECTOR_GIVEN fill_of(fill), op_of(op), diagonal_of(diagonal), n, a, lda, x, incx
EACH(trmv, TRIANGLE_VECTOR)
EACH(trsv, TRIANGLE_VECTOR)

/* ---- banded and packed ones ---- */

#define BAND(O, F, T)                                                                      \
    O op, int m, int n, int below, int above, F(T) alpha, const T *a, int lda, const T *x, \
        int incx, F(T) beta, T *y, int incy
#define BAND_GIVEN op_of(op), m, n, below, above, &alpha, a, lda, x, incx, &beta, y, incy
EACH(gbmv, BAND)

#define HALF_BAND(O, F, T)                                                                        \
    O fill, int n, int k, F(T) alpha, const T *a, int lda, const T *x, int incx, F(T) beta, T *y, \
        int incy
#define HALF_BAND_GIVEN fill_of(fill), n, k, &alpha, a, lda, x, incx, &beta, y, incy
REAL(sbmv, HALF_BAND)
COMPLEX(hbmv, HALF_BAND)

#define PACKED(O, F, T) \
    O fill, int n, F(T) alpha, const T *a, const T *x, int incx, F(T) beta, T *y, int incy
#define PACKED_GIVEN fill_of(fill), n, &alpha, a, x, incx, &beta, y, incy
REAL(spmv, PACKED)
COMPLEX(hpmv, PACKED)

#define PACKED_1(O, F, T, A) O fill, int n, F(A) alpha, const T *x, int incx, T *a
#define PACKED_1_GIVEN fill_of(fill), n, &alpha, x, incx, a
CALL(Sspr, PACKED_1, float, float)
CALL(Dspr, PACKED_1, double, double)
CALL(Chpr, PACKED_1, single, float)
CALL(Zhpr, PACKED_1, twice, double)

#define PACKED_2(O, F, T) \
    O fill, int n, F(T) alpha, const T *x, int incx, const T *y, int incy, T *a
#define PACKED_2_GIVEN fill_of(fill), n, &alpha, x, incx, y, incy, a
REAL(spr2, PACKED_2)
COMPLEX(hpr2, PACKED_2)

#define TRIANGLE_BAND(O, F, T) \
    O fill, O op, O diagonal, int n, int k, const T *a, int lda, T *x, int incx
#define TRIANGLE_BAND_GIVEN fill_of(fill), op_of(op), diagonal_of(diagonal), n, k, a, lda, x, incx
EACH(tbmv, TRIANGLE_BAND)
EACH(tbsv, TRIANGLE_BAND)

#define TRIANGLE_PACKED(O, F, T) O fill, O op, O diagonal, int n, const T *a, T *x, int incx
#define TRIANGLE_PACKED_GIVEN fill_of(fill), op_of(op), diagonal_of(diagonal), n, a, x, incx
EACH(tpmv, TRIANGLE_PACKED)
EACH(tpsv, TRIANGLE_PACKED)

/* ---- matrices ---- */

#define GEMM(O, F, T)                                                                          \
    O op_a, O op_b, int m, int n, int k, F(T) alpha, const T *a, int lda, const T *b, int ldb, \
        F(T) beta, T *c, int ldc
#define GEMM_GIVEN op_of(op_a), op_of(op_b), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc
EACH(gemm, GEMM)

/* A: the factors' type. */
#define RANK(O, F, T, A) \
    O fill, O op, int n, int k, F(A) alpha, const T *a, int lda, F(A) beta, T *c, int ldc
#define RANK_GIVEN fill_of(fill), op_of(op), n, k, &alpha, a, lda, &beta, c, ldc
CALL(Ssyrk, RANK, float, float)
CALL(Dsyrk, RANK, double, double)
CALL(Csyrk, RANK, single, single)
CALL(Zsyrk, RANK, twice, twice)
CALL(Cherk, RANK, single, float)
CALL(Zherk, RANK, twice, double)

/* B: beta's type. */
#define RANKS(O, F, T, B)                                                                        \
    O fill, O op, int n, int k, F(T) alpha, const T *a, int lda, const T *b, int ldb, F(B) beta, \
        T *c, int ldc
#define RANKS_GIVEN fill_of(fill), op_of(op), n, k, &alpha, a, lda, b, ldb, &beta, c, ldc
CALL(Ssyr2k, RANKS, float, float)
CALL(Dsyr2k, RANKS, double, double)
CALL(Csyr2k, RANKS, single, single)
CALL(Zsyr2k, RANKS, twice, twice)
CALL(Cher2k, RANKS, single, float)
CALL(Zher2k, RANKS, twice, double)

#define HALF(O, F, T)                                                                              \
    O side, O fill, int m, int n, F(T) alpha, const T *a, int lda, const T *b, int ldb, F(T) beta, \
        T *c, int ldc
#define HALF_GIVEN side_of(side), fill_of(fill), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc
EACH(symm, HALF)
COMPLEX(hemm, HALF)

#define SOLVE(O, F, T) \
    O side, O fill, O op, O diagonal, int m, int n, F(T) alpha, const T *a, int lda, T *b, int ldb
#define SOLVE_GIVEN \
    side_of(side), fill_of(fill), op_of(op), diagonal_of(diagonal), m, n, &alpha, a, lda, b, ldb
EACH(trsm, SOLVE)

/* The product takes its factor's place. */
#define TRIANGLE(Letter, T)                                                                      \
    int cublas##Letter##trmm_v2(void *handle, int side, int fill, int op, int diagonal, int m,   \
                                int n, const T *alpha, const T *a, int lda, const T *b, int ldb, \
                                T *c, int ldc);                                                  \
    void cublas##Letter##trmm(SOLVE(char, BY_VALUE, T))                                          \
    {                                                                                            \
        keep(cublas##Letter##trmm_v2(get(), SOLVE_GIVEN, b, ldb));                               \
    }
TRIANGLE(S, float)
TRIANGLE(D, double)
TRIANGLE(C, single)
TRIANGLE(Z, twice)
