/* Symmetric, Hermitian, triangular and diagonal matrices of complex numbers. */
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

static const char file[] = "complex_structured.ptx";

/* Of an enumerator each; as cublas_api.h numbers them. */
struct shape {
    int side, fill, op, diagonal;
};

/* As the kernels' parameters have it. */
struct half_stored {
    const void *at;
    long long leading;
    int is_upper, is_hermitian, is_conjugate;
};

static bool is_shape(const struct shape *shape)
{
    return (unsigned)shape->side <= 1 && (unsigned)shape->fill <= 1 && (unsigned)shape->op <= 2 &&
           (unsigned)shape->diagonal <= 1;
}

static bool is_matrix(int rows, int columns, int leading)
{
    return wl_complex_is_operand(&(struct wl_complex_operand){0, rows, columns, leading});
}

/* On the right side a matrix of the transposed product, which has neither row_step nor column_step
 * where it cannot lie so. */
static struct wl_complex_matrices side_of(const void *at, int rows, int columns, int leading,
                                          int side)
{
    if (!is_matrix(rows, columns, leading))
        return (struct wl_complex_matrices){0};
    return (struct wl_complex_matrices){
        .base = at, .row_step = side == 1 ? leading : 1, .column_step = side == 1 ? 1 : leading};
}

struct product {
    int side, m, n;
    const void *alpha, *beta;
    struct wl_complex_matrices b, c;
};

/* c = alpha a b + beta c; on the right side the transposed product, of which a Hermitian a is
 * conjugated. */
static int multiply_half(void *pointer, const char *name, int fill, int is_hermitian,
                         const void *from, int lda, const struct product *of)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const bool is_right = of->side == 1;
    struct product product = *of;
    struct half_stored a = {from, lda, fill == 1, is_hermitian, is_hermitian && is_right};
    int order = is_right ? of->n : of->m, columns = is_right ? of->m : of->n;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(&(struct shape){of->side, fill, 0, 0}) || of->m < 0 || of->n < 0 ||
        !is_matrix(order, order, lda) || !of->b.row_step || !of->c.row_step ||
        !wl_cublas_can_point(handle, of->alpha) || !wl_cublas_can_point(handle, of->beta))
        return WL_CUBLAS_INVALID_VALUE;
    if (!of->m || !of->n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, file, name, (int64_t)of->m * of->n, 1,
                                 (void *[]){&order, &columns, wl_complex_scalar(of->alpha), &a,
                                            &product.b, wl_complex_scalar(of->beta), &product.c});
}

/* op(a) of a triangle, or of the transposed product on the right side. */
static struct wl_complex_matrices triangle_of(const struct shape *shape, const void *a, int lda)
{
    const bool is_turned = (shape->op != 0) != (shape->side == 1);
    return (struct wl_complex_matrices){.base = a,
                                        .row_step = is_turned ? lda : 1,
                                        .column_step = is_turned ? 1 : lda,
                                        .is_conjugate = shape->op == 2};
}

static int is_upper_of(const struct shape *shape)
{
    const bool is_turned = (shape->op != 0) != (shape->side == 1);
    return (shape->fill == 1) != is_turned;
}

/* c = alpha op(a) b, without beta. */
static int multiply_triangular(void *pointer, const char *name, const struct shape *shape,
                               const void *from, int lda, const struct product *of)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const bool is_right = shape->side == 1;
    struct product product = *of;
    struct wl_complex_matrices a = triangle_of(shape, from, lda);
    int order = is_right ? of->n : of->m, columns = is_right ? of->m : of->n,
        is_upper = is_upper_of(shape), is_unit = shape->diagonal == 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(shape) || of->m < 0 || of->n < 0 || !is_matrix(order, order, lda) ||
        !of->b.row_step || !of->c.row_step || !wl_cublas_can_point(handle, of->alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (!of->m || !of->n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, file, name, columns, 1,
                                 (void *[]){&is_upper, &is_unit, &order, &columns,
                                            wl_complex_scalar(of->alpha), &a, &product.b,
                                            &product.c});
}

static int solve_vector(void *pointer, const char *name, const struct shape *shape, int n,
                        const void *one, const void *from, int lda, struct wl_complex_matrices x)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct wl_complex_matrices a = triangle_of(shape, from, lda);
    int is_upper = is_upper_of(shape), is_unit = shape->diagonal == 1, columns = 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_shape(shape) || n < 0 || !is_matrix(n, n, lda) || !x.row_step)
        return WL_CUBLAS_INVALID_VALUE;
    if (!n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(
        handle, "complex.ptx", name, 1, 1,
        (void *[]){&is_upper, &is_unit, &n, &columns, wl_complex_scalar(one), &a, &x});
}

/* Which sum of rank k is wanted, of half of c; the second product only if is_both. part_bytes: of a
 * real number. */
struct rank {
    int fill, is_hermitian, is_both, n, k;
    const void *alpha, *beta;
    bool is_alpha_real, is_beta_real;
    size_t part_bytes;
    struct wl_complex_matrices a, b;
};

/* In room if it is to become a complex number. */
static void *complex_of(const void *value, bool is_real, size_t part_bytes, double room[2])
{
    if (!is_real)
        return wl_complex_scalar(value);
    memset(room, 0, 2 * sizeof *room);
    memcpy(room, value, part_bytes);
    return room;
}

static int add_rank(void *pointer, const char *name, const struct rank *of, const void *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct rank rank = *of;
    int is_upper = of->fill == 1;
    double alpha[2], beta[2];
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)of->fill > 1 || of->k < 0 || !is_matrix(of->n, of->n, ldc) || !of->a.row_step ||
        !of->b.row_step || !wl_cublas_can_point(handle, of->alpha) ||
        !wl_cublas_can_point(handle, of->beta))
        return WL_CUBLAS_INVALID_VALUE;
    if ((of->is_alpha_real || of->is_beta_real) && wl_cublas_refuses_late(handle))
        return WL_CUBLAS_NOT_SUPPORTED;
    if (!of->n || (wl_cublas_is_one(of->beta) &&
                   wl_cublas_is_zero(handle, of->alpha, of->part_bytes, of->is_alpha_real ? 1 : 2)))
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(
        handle, file, name, (int64_t)of->n * of->n, 1,
        (void *[]){&is_upper, &rank.is_hermitian, &rank.is_both, &rank.n, &rank.k,
                   complex_of(of->alpha, of->is_alpha_real, of->part_bytes, alpha), &rank.a,
                   &rank.b, complex_of(of->beta, of->is_beta_real, of->part_bytes, beta), &c,
                   &ldc});
}

/* A factor of n by k that lies as op says; without a step where it does not fit. Either op that
 * turns is the one of its kind of sum, as on an H200. */
static struct wl_complex_matrices factor_of(const void *a, int leading, int op, int is_hermitian,
                                            int n, int k)
{
    const int turning = is_hermitian ? 2 : 1;
    const struct wl_complex_operand of = {op == 1 || op == 2 ? turning : op, n, k, leading};
    if (!wl_complex_is_operand(&of))
        return (struct wl_complex_matrices){0};
    return wl_complex_matrices_of(&of, a, 0);
}

static int scale(void *pointer, const char *name, int side, int m, int n, const void *a, int lda,
                 struct wl_complex_matrices x, const void *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)side > 1 || !is_matrix(m, n, lda) || !is_matrix(m, n, ldc))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, file, name, (int64_t)m * n, 1,
                                 (void *[]){&side, &m, &n, &a, &lda, &x, &c, &ldc});
}

#define NAME(letter, kernel) "warplens_" #letter kernel
#define COLUMN(x, incx) wl_complex_column_of(x, n, incx, sizeof *(x))

/* Products and vectors of symmetric (sy) and Hermitian (he) matrices. */
#define HALF_CALLS(Letter, letter, T, kind, is_hermitian)                                         \
    int cublas##Letter##kind##mm_v2(void *handle, int side, int fill, int m, int n,               \
                                    const T *alpha, const T *a, int lda, const T *b, int ldb,     \
                                    const T *beta, T *c, int ldc)                                 \
    {                                                                                             \
        return multiply_half(handle, NAME(letter, "multiply_half"), fill, is_hermitian, a, lda,   \
                             &(struct product){side, m, n, alpha, beta,                           \
                                               side_of(b, m, n, ldb, side),                       \
                                               side_of(c, m, n, ldc, side)});                     \
    }                                                                                             \
    int cublas##Letter##kind##mv_v2(void *handle, int fill, int n, const T *alpha, const T *a,    \
                                    int lda, const T *x, int incx, const T *beta, T *y, int incy) \
    {                                                                                             \
        return multiply_half(                                                                     \
            handle, NAME(letter, "multiply_half"), fill, is_hermitian, a, lda,                    \
            &(struct product){0, n, 1, alpha, beta, COLUMN(x, incx), COLUMN(y, incy)});           \
    }

/* Sums of rank k, symmetric and Hermitian, which differ in what of their factors is real. */
#define RANK_CALLS(Letter, letter, T, kind, is_hermitian, Alpha, Beta, part)                       \
    int cublas##Letter##kind##rk_v2(void *handle, int fill, int op, int n, int k,                  \
                                    const Alpha *alpha, const T *a, int lda, const Beta *beta,     \
                                    T *c, int ldc)                                                 \
    {                                                                                              \
        const struct wl_complex_matrices factor = factor_of(a, lda, op, is_hermitian, n, k);       \
        return add_rank(handle, NAME(letter, "add_rank"),                                          \
                        &(struct rank){fill, is_hermitian, 0, n, k, alpha, beta, is_hermitian,     \
                                       is_hermitian, sizeof(part), factor, factor},                \
                        c, ldc);                                                                   \
    }                                                                                              \
    int cublas##Letter##kind##r2k_v2(void *handle, int fill, int op, int n, int k, const T *alpha, \
                                     const T *a, int lda, const T *b, int ldb, const Beta *beta,   \
                                     T *c, int ldc)                                                \
    {                                                                                              \
        return add_rank(handle, NAME(letter, "add_rank"),                                          \
                        &(struct rank){fill, is_hermitian, 1, n, k, alpha, beta, false,            \
                                       is_hermitian, sizeof(part),                                 \
                                       factor_of(a, lda, op, is_hermitian, n, k),                  \
                                       factor_of(b, ldb, op, is_hermitian, n, k)},                 \
                        c, ldc);                                                                   \
    }                                                                                              \
    int cublas##Letter##kind##rkx(void *handle, int fill, int op, int n, int k, const T *alpha,    \
                                  const T *a, int lda, const T *b, int ldb, const Beta *beta,      \
                                  T *c, int ldc)                                                   \
    {                                                                                              \
        return add_rank(handle, NAME(letter, "add_rank"),                                          \
                        &(struct rank){fill, is_hermitian, 0, n, k, alpha, beta, false,            \
                                       is_hermitian, sizeof(part),                                 \
                                       factor_of(a, lda, op, is_hermitian, n, k),                  \
                                       factor_of(b, ldb, op, is_hermitian, n, k)},                 \
                        c, ldc);                                                                   \
    }                                                                                              \
    int cublas##Letter##kind##r_v2(void *handle, int fill, int n, const Alpha *alpha, const T *x,  \
                                   int incx, T *a, int lda)                                        \
    {                                                                                              \
        return add_rank(handle, NAME(letter, "add_rank"),                                          \
                        &(struct rank){fill, is_hermitian, 0, n, 1, alpha, &wl_cublas_one.letter,  \
                                       is_hermitian, false, sizeof(part), COLUMN(x, incx),         \
                                       COLUMN(x, incx)},                                           \
                        a, lda);                                                                   \
    }                                                                                              \
    int cublas##Letter##kind##r2_v2(void *handle, int fill, int n, const T *alpha, const T *x,     \
                                    int incx, const T *y, int incy, T *a, int lda)                 \
    {                                                                                              \
        return add_rank(handle, NAME(letter, "add_rank"),                                          \
                        &(struct rank){fill, is_hermitian, 1, n, 1, alpha, &wl_cublas_one.letter,  \
                                       false, false, sizeof(part), COLUMN(x, incx),                \
                                       COLUMN(y, incy)},                                           \
                        a, lda);                                                                   \
    }

#define TRIANGLE_CALLS(Letter, letter, T)                                                          \
    int cublas##Letter##trmm_v2(void *handle, int side, int fill, int op, int diagonal, int m,     \
                                int n, const T *alpha, const T *a, int lda, const T *b, int ldb,   \
                                T *c, int ldc)                                                     \
    {                                                                                              \
        return multiply_triangular(handle, NAME(letter, "multiply_triangular"),                    \
                                   &(struct shape){side, fill, op, diagonal}, a, lda,              \
                                   &(struct product){side, m, n, alpha, NULL,                      \
                                                     side_of(b, m, n, ldb, side),                  \
                                                     side_of(c, m, n, ldc, side)});                \
    }                                                                                              \
    int cublas##Letter##trmv_v2(void *handle, int fill, int op, int diagonal, int n, const T *a,   \
                                int lda, T *x, int incx)                                           \
    {                                                                                              \
        return multiply_triangular(handle, NAME(letter, "multiply_triangular"),                    \
                                   &(struct shape){0, fill, op, diagonal}, a, lda,                 \
                                   &(struct product){0, n, 1, &wl_cublas_one.letter, NULL,         \
                                                     COLUMN(x, incx), COLUMN(x, incx)});           \
    }                                                                                              \
    int cublas##Letter##trsv_v2(void *handle, int fill, int op, int diagonal, int n, const T *a,   \
                                int lda, T *x, int incx)                                           \
    {                                                                                              \
        return solve_vector(handle, NAME(letter, "solve"), &(struct shape){0, fill, op, diagonal}, \
                            n, &wl_cublas_one.letter, a, lda, COLUMN(x, incx));                    \
    }                                                                                              \
    int cublas##Letter##dgmm(void *handle, int side, int m, int n, const T *a, int lda,            \
                             const T *x, int incx, T *c, int ldc)                                  \
    {                                                                                              \
        return scale(handle, NAME(letter, "scale"), side, m, n, a, lda,                            \
                     wl_complex_column_of(x, side ? n : m, incx, sizeof *x), c, ldc);              \
    }

#define CALLS(Letter, letter, T, part)                     \
    HALF_CALLS(Letter, letter, T, sy, 0)                   \
    HALF_CALLS(Letter, letter, T, he, 1)                   \
    RANK_CALLS(Letter, letter, T, sy, 0, T, T, part)       \
    RANK_CALLS(Letter, letter, T, he, 1, part, part, part) \
    TRIANGLE_CALLS(Letter, letter, T)

CALLS(C, c, struct wl_complex_single, float)
CALLS(Z, z, struct wl_complex_twice, double)
