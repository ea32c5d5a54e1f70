/* Symmetric and triangular matrices, diagonals. */
#include <string.h>

#include "api/cublas/stand_in.h"

/* As the kernels' parameters have it: element (row, column) at row * row_step + column *
 * column_step. */
struct matrix {
    const void *at;
    long long row_step, column_step;
};

/* Of an enumerator each; as cublas_api.h numbers them */
struct shape {
    int side, fill, op, diagonal;
};

static bool is_shape(const struct shape *shape)
{
    return (unsigned)shape->side <= 1 && (unsigned)shape->fill <= 1 && (unsigned)shape->op <= 2 &&
           (unsigned)shape->diagonal <= 1;
}

/* Whether a matrix of so many rows can lie so. */
static bool is_leading(int leading, int rows)
{
    return leading >= (rows > 1 ? rows : 1);
}

static void *scalar(const void *value)
{
    return (void *)(uintptr_t)value;
}

static struct matrix matrix_of(const void *at, int leading, bool is_turned)
{
    return is_turned ? (struct matrix){at, leading, 1} : (struct matrix){at, 1, leading};
}

/* A vector whose step is negative begins at its end. */
static struct matrix column_of(const void *x, int n, int increment, size_t bytes)
{
    const long long back = increment < 0 && n > 0 ? (long long)(n - 1) * increment : 0;
    return (struct matrix){(const char *)x - back * (long long)bytes, increment, 0};
}

/* A thread for each of count elements, of each of a batch. */
static int launch_over(struct wl_cublas_handle *handle, const char *name, int64_t count, int batch,
                       void **parameters)
{
    return wl_cublas_launch_over(handle, "structured.ptx", name, count, (uint32_t)batch,
                                 parameters);
}

/* c = alpha a b + beta c. On the right side it is the transposed product. */
static int multiply_symmetric(void *pointer, const char *name, int side, int fill, int m, int n,
                              const void *alpha, const void *a, int lda, struct matrix b,
                              const void *beta, struct matrix c)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = fill == 1, order = side == 1 ? n : m, columns = side == 1 ? m : n;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(&(struct shape){side, fill, 0, 0}) || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta) || m < 0 || n < 0 || !is_leading(lda, order))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return launch_over(
        handle, name, (int64_t)m * n, 1,
        (void *[]){&is_upper, &order, &columns, scalar(alpha), &a, &lda, &b, scalar(beta), &c});
}

/* c = alpha op(a) b, m by n. */
static int multiply_triangular(void *pointer, const char *name, struct shape shape, int m, int n,
                               const void *alpha, const void *a, int lda, struct matrix b,
                               struct matrix c)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = shape.fill == 1, transpose = (shape.op != 0) != (shape.side == 1),
        is_unit = shape.diagonal == 1, order = shape.side == 1 ? n : m,
        columns = shape.side == 1 ? m : n;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(&shape) || !wl_cublas_can_point(handle, alpha) || m < 0 || n < 0 ||
        !is_leading(lda, order))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return launch_over(handle, name, columns, 1,
                       (void *[]){&is_upper, &transpose, &is_unit, &order, &columns, scalar(alpha),
                                  &a, &lda, &b, &c});
}

static int solve_vector(void *pointer, const char *name, struct shape shape, int n, const void *one,
                        const void *a, int lda, struct matrix x)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = shape.fill == 1, transpose = shape.op != 0, is_unit = shape.diagonal == 1,
        columns = 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(&shape) || n < 0 || !is_leading(lda, n) || !x.row_step)
        return WL_CUBLAS_INVALID_VALUE;
    if (!n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, "dense.ptx", name, 1, 1,
                                 (void *[]){&is_upper, &transpose, &is_unit, &n, &columns,
                                            scalar(one), &a, &lda, &x.at, &x.row_step,
                                            &x.column_step});
}

/* c = alpha (a b' + b a') + beta c, of n by k; the second product only if is_both. */
static int add_rank(void *pointer, const char *name, size_t bytes, int fill, int is_both, int n,
                    int k, const void *alpha, struct matrix a, struct matrix b, const void *beta,
                    const void *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = fill == 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)fill > 1 || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta) || n < 0 || k < 0 || !is_leading(ldc, n) ||
        !a.row_step || !b.row_step)
        return WL_CUBLAS_INVALID_VALUE;
    if (!n || (wl_cublas_is_one(beta) && wl_cublas_is_zero(handle, alpha, bytes, 1)))
        return WL_CUBLAS_OK;
    return launch_over(
        handle, name, (int64_t)n * n, 1,
        (void *[]){&is_upper, &is_both, &n, &k, scalar(alpha), &a, &b, scalar(beta), &c, &ldc});
}

/* A factor of n by k that lies as op says; without a step where it does not fit. */
static struct matrix factor_of(const void *a, int leading, int op, int n, int k)
{
    const bool fits = (unsigned)op <= 2 && is_leading(leading, op ? k : n);
    return fits ? matrix_of(a, leading, op != 0) : (struct matrix){0};
}

static int scale(void *pointer, const char *name, int side, int m, int n, const void *a, int lda,
                 struct matrix x, const void *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int increment = (int)x.row_step;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)side > 1 || m < 0 || n < 0 || !is_leading(lda, m) || !is_leading(ldc, m))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return launch_over(handle, name, (int64_t)m * n, 1,
                       (void *[]){&side, &m, &n, &a, &lda, &x.at, &increment, &c, &ldc});
}

/* As solve() of dense.c, for each of a batch. */
static int solve_batch(void *pointer, const char *name, struct shape shape, int m, int n,
                       const void *alpha, const void *const *as, int lda, const void *const *bs,
                       int ldb, int batch)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int is_upper = shape.fill == 1, transpose = (shape.op != 0) != (shape.side == 1),
        is_unit = shape.diagonal == 1, order = shape.side == 1 ? n : m,
        columns = shape.side == 1 ? m : n;
    struct matrix b = matrix_of(bs, ldb, shape.side == 1);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(&shape) || !wl_cublas_can_point(handle, alpha) || m < 0 || n < 0 ||
        !is_leading(lda, order) || !is_leading(ldb, m) || batch < 0)
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n || !batch)
        return WL_CUBLAS_OK;
    int status = WL_CUBLAS_OK;
    for (int64_t left = batch; left > 0 && !status; left -= WL_CUBLAS_BLOCKS_MOST) {
        status =
            launch_over(handle, name, columns, wl_cublas_least(left, WL_CUBLAS_BLOCKS_MOST),
                        (void *[]){&is_upper, &transpose, &is_unit, &order, &columns, scalar(alpha),
                                   &as, &lda, &bs, &b.row_step, &b.column_step});
        as += WL_CUBLAS_BLOCKS_MOST, bs += WL_CUBLAS_BLOCKS_MOST;
    }
    return status;
}

#define NAME(letter, kernel) "warplens_" #letter kernel

/* Of matrices. */
#define MATRIX_CALLS(Letter, letter, T)                                                           \
    int cublas##Letter##symm_v2(void *handle, int side, int fill, int m, int n, const T *alpha,   \
                                const T *a, int lda, const T *b, int ldb, const T *beta, T *c,    \
                                int ldc)                                                          \
    {                                                                                             \
        if (!is_leading(ldb, m) || !is_leading(ldc, m))                                           \
            return WL_CUBLAS_INVALID_VALUE;                                                       \
        return multiply_symmetric(handle, NAME(letter, "multiply_symmetric"), side, fill, m, n,   \
                                  alpha, a, lda, matrix_of(b, ldb, side == 1), beta,              \
                                  matrix_of(c, ldc, side == 1));                                  \
    }                                                                                             \
    int cublas##Letter##trmm_v2(void *handle, int side, int fill, int op, int diagonal, int m,    \
                                int n, const T *alpha, const T *a, int lda, const T *b, int ldb,  \
                                T *c, int ldc)                                                    \
    {                                                                                             \
        if (!is_leading(ldb, m) || !is_leading(ldc, m))                                           \
            return WL_CUBLAS_INVALID_VALUE;                                                       \
        return multiply_triangular(handle, NAME(letter, "multiply_triangular"),                   \
                                   (struct shape){side, fill, op, diagonal}, m, n, alpha, a, lda, \
                                   matrix_of(b, ldb, side == 1), matrix_of(c, ldc, side == 1));   \
    }                                                                                             \
    int cublas##Letter##syrk_v2(void *handle, int fill, int op, int n, int k, const T *alpha,     \
                                const T *a, int lda, const T *beta, T *c, int ldc)                \
    {                                                                                             \
        return add_rank(handle, NAME(letter, "add_rank"), sizeof(T), fill, 0, n, k, alpha,        \
                        factor_of(a, lda, op, n, k), factor_of(a, lda, op, n, k), beta, c, ldc);  \
    }                                                                                             \
    int cublas##Letter##syr2k_v2(void *handle, int fill, int op, int n, int k, const T *alpha,    \
                                 const T *a, int lda, const T *b, int ldb, const T *beta, T *c,   \
                                 int ldc)                                                         \
    {                                                                                             \
        return add_rank(handle, NAME(letter, "add_rank"), sizeof(T), fill, 1, n, k, alpha,        \
                        factor_of(a, lda, op, n, k), factor_of(b, ldb, op, n, k), beta, c, ldc);  \
    }                                                                                             \
    int cublas##Letter##syrkx(void *handle, int fill, int op, int n, int k, const T *alpha,       \
                              const T *a, int lda, const T *b, int ldb, const T *beta, T *c,      \
                              int ldc)                                                            \
    {                                                                                             \
        return add_rank(handle, NAME(letter, "add_rank"), sizeof(T), fill, 0, n, k, alpha,        \
                        factor_of(a, lda, op, n, k), factor_of(b, ldb, op, n, k), beta, c, ldc);  \
    }                                                                                             \
    int cublas##Letter##dgmm(void *handle, int side, int m, int n, const T *a, int lda,           \
                             const T *x, int incx, T *c, int ldc)                                 \
    {                                                                                             \
        return scale(handle, NAME(letter, "scale"), side, m, n, a, lda,                           \
                     column_of(x, side ? n : m, incx, sizeof(T)), c, ldc);                        \
    }

/* Of vectors: matrices of one column. */
#define VECTOR_CALLS(Letter, letter, T)                                                            \
    int cublas##Letter##symv_v2(void *handle, int fill, int n, const T *alpha, const T *a,         \
                                int lda, const T *x, int incx, const T *beta, T *y, int incy)      \
    {                                                                                              \
        if (!incx || !incy)                                                                        \
            return WL_CUBLAS_INVALID_VALUE;                                                        \
        return multiply_symmetric(handle, NAME(letter, "multiply_symmetric"), 0, fill, n, 1,       \
                                  alpha, a, lda, column_of(x, n, incx, sizeof(T)), beta,           \
                                  column_of(y, n, incy, sizeof(T)));                               \
    }                                                                                              \
    int cublas##Letter##trmv_v2(void *handle, int fill, int op, int diagonal, int n, const T *a,   \
                                int lda, T *x, int incx)                                           \
    {                                                                                              \
        const struct matrix column = column_of(x, n, incx, sizeof(T));                             \
        if (!incx)                                                                                 \
            return WL_CUBLAS_INVALID_VALUE;                                                        \
        return multiply_triangular(handle, NAME(letter, "multiply_triangular"),                    \
                                   (struct shape){0, fill, op, diagonal}, n, 1,                    \
                                   &wl_cublas_one.letter, a, lda, column, column);                 \
    }                                                                                              \
    int cublas##Letter##trsv_v2(void *handle, int fill, int op, int diagonal, int n, const T *a,   \
                                int lda, T *x, int incx)                                           \
    {                                                                                              \
        return solve_vector(handle, NAME(letter, "solve"), (struct shape){0, fill, op, diagonal},  \
                            n, &wl_cublas_one.letter, a, lda, column_of(x, n, incx, sizeof(T)));   \
    }                                                                                              \
    int cublas##Letter##syr_v2(void *handle, int fill, int n, const T *alpha, const T *x,          \
                               int incx, T *a, int lda)                                            \
    {                                                                                              \
        const struct matrix column = column_of(x, n, incx, sizeof(T));                             \
        return add_rank(handle, NAME(letter, "add_rank"), sizeof(T), fill, 0, n, 1, alpha, column, \
                        column, &wl_cublas_one.letter, a, lda);                                    \
    }                                                                                              \
    int cublas##Letter##syr2_v2(void *handle, int fill, int n, const T *alpha, const T *x,         \
                                int incx, const T *y, int incy, T *a, int lda)                     \
    {                                                                                              \
        return add_rank(handle, NAME(letter, "add_rank"), sizeof(T), fill, 1, n, 1, alpha,         \
                        column_of(x, n, incx, sizeof(T)), column_of(y, n, incy, sizeof(T)),        \
                        &wl_cublas_one.letter, a, lda);                                            \
    }

#define BATCH_CALLS(Letter, letter, T)                                                             \
    int cublas##Letter##trsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, \
                                    int n, const T *alpha, const T *const *a, int lda,             \
                                    T *const *b, int ldb, int count)                               \
    {                                                                                              \
        return solve_batch(handle, NAME(letter, "solve_batch"),                                    \
                           (struct shape){side, fill, op, diagonal}, m, n, alpha,                  \
                           (const void *const *)a, lda, (const void *const *)b, ldb, count);       \
    }

#define CALLS(Letter, letter, T)    \
    MATRIX_CALLS(Letter, letter, T) \
    VECTOR_CALLS(Letter, letter, T) \
    BATCH_CALLS(Letter, letter, T)

CALLS(S, s, float)
CALLS(D, d, double)
