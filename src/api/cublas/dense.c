/* Copies, sums and searches of vectors, sums of matrices, triangles. */
#include <stdio.h>
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

/* A block for each of count. */
static int launch(struct wl_cublas_handle *handle, const char *name, uint32_t count,
                  void **parameters)
{
    return wl_cublas_launch(handle, "dense.ptx", name, (uint32_t[]){count, 1, 1}, parameters);
}

/* A thread for each of count elements. */
static int launch_over(struct wl_cublas_handle *handle, const char *name, int64_t count,
                       void **parameters)
{
    return wl_cublas_launch_over(handle, "dense.ptx", name, count, 1, parameters);
}

static int move(void *pointer, const char *name, int n, void *x, int incx, void *y, int incy,
                int swap)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (n <= 0)
        return WL_CUBLAS_OK;
    return launch_over(handle, name, n, (void *[]){&n, &x, &incx, &y, &incy, &swap});
}

/* A result of one number: the kernel writes device memory, where it may not be wanted.
 * for_least: NULL if the kernel does not ask. */
static int reduce(void *pointer, const char *name, int n, const void *x, int incx, int *for_least,
                  void *result, size_t result_bytes)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0) {
        return wl_cublas_result_clear(handle, result, result_bytes);
    }
    void *place;
    int status = wl_cublas_result_place(handle, result, result_bytes, &place);
    if (status)
        return status;
    status = for_least ? launch(handle, name, 1, (void *[]){&n, &x, &incx, for_least, &place})
                       : launch(handle, name, 1, (void *[]){&n, &x, &incx, &place});
    return wl_cublas_result_take(handle, result, place, result_bytes, status);
}

static int search(void *handle, const char *name, int n, const void *x, int incx, int for_least,
                  int *result)
{
    return reduce(handle, name, n, x, incx, &for_least, result, sizeof *result);
}

struct sum {
    int op_a, op_b, m, n, lda, ldb, ldc;
    const void *alpha, *a, *beta, *b;
    void *c;
};

static int add(void *pointer, const char *name, const struct sum *given)
{
    struct sum sum = *given;
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const struct wl_complex_operand a = {sum.op_a, sum.m, sum.n, sum.lda},
                                    b = {sum.op_b, sum.m, sum.n, sum.ldb};
    int transpose_a = sum.op_a != 0, transpose_b = sum.op_b != 0;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, sum.alpha) || !wl_cublas_can_point(handle, sum.beta) ||
        !wl_complex_is_operand(&a) || !wl_complex_is_operand(&b) ||
        !wl_complex_is_operand(&(struct wl_complex_operand){0, sum.m, sum.n, sum.ldc}) ||
        !wl_complex_can_be_sum(&a, sum.a, sum.c, sum.ldc) ||
        !wl_complex_can_be_sum(&b, sum.b, sum.c, sum.ldc))
        return WL_CUBLAS_INVALID_VALUE;
    if (!sum.m || !sum.n)
        return WL_CUBLAS_OK;
    return launch_over(handle, name, (int64_t)sum.m * sum.n,
                       (void *[]){&transpose_a, &transpose_b, &sum.m, &sum.n,
                                  (void *)(uintptr_t)sum.alpha, &sum.a, &sum.lda,
                                  (void *)(uintptr_t)sum.beta, &sum.b, &sum.ldb, &sum.c, &sum.ldc});
}

static int outer(void *pointer, const char *name, size_t bytes, int m, int n, const void *alpha,
                 const void *x, int incx, const void *y, int incy, void *a, int lda)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha) || m < 0 || n < 0 || !incx || !incy ||
        lda < (m > 1 ? m : 1))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n || wl_cublas_is_zero(handle, alpha, bytes, 1))
        return WL_CUBLAS_OK;
    return launch_over(
        handle, name, (int64_t)m * n,
        (void *[]){&m, &n, (void *)(uintptr_t)alpha, &x, &incx, &y, &incy, &a, &lda});
}

/* On the right side it is the transposed problem: rows of b are its columns. */
static int solve(void *pointer, const char *name, bool is_double, int side, int fill, int op,
                 int diagonal, int m, int n, const void *alpha, const void *a, int lda, void *b,
                 int ldb)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = fill == 1, is_unit = diagonal == 1, transpose = (op != 0) != (side == 1);
    int order = side == 1 ? n : m, columns = side == 1 ? m : n;
    long long row_step = side == 1 ? ldb : 1, column_step = side == 1 ? 1 : ldb;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha) || (unsigned)side > 1 || (unsigned)fill > 1 ||
        (unsigned)op > 2 || (unsigned)diagonal > 1 || m < 0 || n < 0 ||
        lda < (order > 1 ? order : 1) || ldb < (m > 1 ? m : 1))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_steps(
        handle, "dense.ptx", name,
        &(struct wl_cublas_steps){WL_LIBRARY_TRSM, order, columns, is_double, false},
        (uint32_t[]){wl_cublas_blocks(columns), 1, 1},
        (void *[]){&is_upper, &transpose, &is_unit, &order, &columns, (void *)(uintptr_t)alpha, &a,
                   &lda, &b, &row_step, &column_step});
}

#define CALLS(Letter, letter, T)                                                                   \
    int cublas##Letter##copy_v2(void *handle, int n, const T *x, int incx, T *y, int incy)         \
    {                                                                                              \
        return move(handle, "warplens_" #letter "move", n, (void *)(uintptr_t)x, incx, y, incy,    \
                    0);                                                                            \
    }                                                                                              \
    int cublas##Letter##swap_v2(void *handle, int n, T *x, int incx, T *y, int incy)               \
    {                                                                                              \
        return move(handle, "warplens_" #letter "move", n, x, incx, y, incy, 1);                   \
    }                                                                                              \
    int cublas##Letter##asum_v2(void *handle, int n, const T *x, int incx, T *result)              \
    {                                                                                              \
        return reduce(handle, "warplens_" #letter "sum", n, x, incx, NULL, result,                 \
                      sizeof *result);                                                             \
    }                                                                                              \
    int cublasI##letter##amax_v2(void *handle, int n, const T *x, int incx, int *result)           \
    {                                                                                              \
        return search(handle, "warplens_" #letter "search", n, x, incx, 0, result);                \
    }                                                                                              \
    int cublasI##letter##amin_v2(void *handle, int n, const T *x, int incx, int *result)           \
    {                                                                                              \
        return search(handle, "warplens_" #letter "search", n, x, incx, 1, result);                \
    }                                                                                              \
    int cublas##Letter##geam(void *handle, int op_a, int op_b, int m, int n, const T *alpha,       \
                             const T *a, int lda, const T *beta, const T *b, int ldb, T *c,        \
                             int ldc)                                                              \
    {                                                                                              \
        return add(handle, "warplens_" #letter "add",                                              \
                   &(struct sum){op_a, op_b, m, n, lda, ldb, ldc, alpha, a, beta, b, c});          \
    }                                                                                              \
    int cublas##Letter##ger_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx,   \
                               const T *y, int incy, T *a, int lda)                                \
    {                                                                                              \
        return outer(handle, "warplens_" #letter "outer", sizeof(T), m, n, alpha, x, incx, y,      \
                     incy, a, lda);                                                                \
    }                                                                                              \
    int cublas##Letter##trsm_v2(void *handle, int side, int fill, int op, int diagonal, int m,     \
                                int n, const T *alpha, const T *a, int lda, T *b, int ldb)         \
    {                                                                                              \
        return solve(handle, "warplens_" #letter "solve", sizeof(T) == sizeof(double), side, fill, \
                     op, diagonal, m, n, alpha, a, lda, b, ldb);                                   \
    }

CALLS(S, s, float)
CALLS(D, d, double)
