/* Complex numbers: vectors, products, sums of matrices, triangles. */
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

#define TILE 16
#define COLUMNS_MOST ((int64_t)TILE * WL_CUBLAS_BLOCKS_MOST) /* of a launch */

static const char file[] = "complex.ptx";

struct vector {
    const void *x;
    int increment;
};

static int move(void *pointer, const char *name, int n, struct vector x, struct vector y,
                size_t bytes, int swap)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (n <= 0)
        return WL_CUBLAS_OK;
    x.x = wl_complex_begin_of(x.x, n, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, n, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, n, 1,
                                 (void *[]){&n, &x.x, &incx, &y.x, &incy, &swap});
}

/* y += alpha x; y = alpha y where x.x is NULL, with the real alpha of alpha_bytes or a complex one.
 */
static int add_scaled(void *pointer, const char *name, int n, const void *alpha, size_t alpha_bytes,
                      struct vector x, struct vector y, size_t bytes)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    int is_real = alpha_bytes < bytes;
    double factor[2] = {0}; /* room for the larger complex number, of a real one */
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || (x.x ? wl_cublas_is_zero(handle, alpha, bytes / 2, 2) : y.increment <= 0))
        return WL_CUBLAS_OK;
    if (is_real && wl_cublas_refuses_late(handle))
        return WL_CUBLAS_NOT_SUPPORTED;
    if (is_real)
        memcpy(factor, alpha, alpha_bytes);
    if (x.x)
        x.x = wl_complex_begin_of(x.x, n, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, n, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, n, 1,
                                 (void *[]){&n, is_real ? factor : wl_complex_scalar(alpha),
                                            &is_real, &x.x, &incx, &y.x, &incy});
}

static int dot(void *pointer, const char *name, int is_conjugate, int n, struct vector x,
               struct vector y, size_t bytes, void *result)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0) {
        return wl_cublas_result_clear(handle, result, bytes);
    }
    void *place;
    int status = wl_cublas_result_place(handle, result, bytes, &place);
    if (status)
        return status;
    x.x = wl_complex_begin_of(x.x, n, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, n, y.increment, bytes);
    status = wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1},
                              (void *[]){&is_conjugate, &n, &x.x, &incx, &y.x, &incy, &place});
    return wl_cublas_result_take(handle, result, place, bytes, status);
}

/* A number of one vector; choice: the kernel's first parameter. */
static int reduce(void *pointer, const char *name, int choice, int n, const void *x, int incx,
                  void *result, size_t bytes)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0) {
        return wl_cublas_result_clear(handle, result, bytes);
    }
    void *place;
    int status = wl_cublas_result_place(handle, result, bytes, &place);
    if (status)
        return status;
    status = wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1},
                              (void *[]){&choice, &n, &x, &incx, &place});
    return wl_cublas_result_take(handle, result, place, bytes, status);
}

struct product {
    size_t part_bytes; /* of alpha's */
    int m, n, k, batch;
    const void *alpha, *beta;
    struct wl_complex_matrices a, b, c;
};

/* As much as a grid has blocks for. */
static int multiply_some(const struct wl_cublas_handle *handle, const char *name,
                         struct product product)
{
    const uint32_t grid[3] = {((uint32_t)product.m + TILE - 1) / TILE,
                              ((uint32_t)product.n + TILE - 1) / TILE, (uint32_t)product.batch};
    return wl_cublas_launch(handle, file, name, grid,
                            (void *[]){&product.m, &product.n, &product.k,
                                       wl_complex_scalar(product.alpha), &product.a, &product.b,
                                       wl_complex_scalar(product.beta), &product.c});
}

static int multiply_all(const struct wl_cublas_handle *handle, const char *name,
                        const struct product *of)
{
    const size_t bytes = 2 * of->part_bytes;
    int status = WL_CUBLAS_OK;
    if (of->n > COLUMNS_MOST && (of->b.list || of->c.list)) {
        wl_device_refuse("cuBLAS's batch of so many columns of complex numbers");
        return WL_CUBLAS_NOT_SUPPORTED;
    }
    for (int64_t first = 0; first < of->batch && !status; first += WL_CUBLAS_BLOCKS_MOST)
        for (int64_t column = 0; column < of->n && !status; column += COLUMNS_MOST) {
            struct product some = *of;
            some.batch = wl_cublas_least(of->batch - first, WL_CUBLAS_BLOCKS_MOST);
            some.n = wl_cublas_least(of->n - column, COLUMNS_MOST);
            some.a = wl_complex_from(of->a, first, bytes);
            some.b = wl_complex_from(of->b, first, bytes);
            some.c = wl_complex_from(of->c, first, bytes);
            if (column) {
                some.b = wl_complex_column_from(some.b, column, bytes);
                some.c = wl_complex_column_from(some.c, column, bytes);
            }
            status = multiply_some(handle, name, some);
        }
    return status;
}

/* are_valid: what the call says of a, b and c. */
static int multiply(void *pointer, const char *name, bool are_valid, const struct product *of)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct product product = *of;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!are_valid || !wl_cublas_can_point(handle, of->alpha) ||
        !wl_cublas_can_point(handle, of->beta) || of->batch < 0)
        return WL_CUBLAS_INVALID_VALUE;
    const bool is_zero = wl_cublas_is_zero(handle, of->alpha, of->part_bytes, 2);
    if (!of->m || !of->n || !of->batch || (is_zero && wl_cublas_is_one(of->beta)))
        return WL_CUBLAS_OK;
    product.k = is_zero ? 0 : of->k;
    return multiply_all(handle, name, &product);
}

static int multiply_matrices(void *handle, const char *name, size_t bytes,
                             const struct wl_complex_operand operands[3], const void *alpha,
                             const struct wl_complex_matrices of[3], const void *beta, int batch)
{
    const bool are_valid = wl_complex_is_operand(&operands[0]) &&
                           wl_complex_is_operand(&operands[1]) &&
                           wl_complex_is_operand(&operands[2]);
    return multiply(handle, name, are_valid,
                    &(struct product){bytes / 2, operands[2].rows, operands[2].columns,
                                      operands[0].columns, batch, alpha, beta, of[0], of[1],
                                      of[2]});
}

/* a: m by n as it lies. */
static int multiply_vector(void *handle, const char *name, const struct wl_complex_operand *a,
                           const void *alpha, const void *from, struct vector x, const void *beta,
                           struct vector y, size_t bytes)
{
    return multiply(handle, name, wl_complex_is_operand(a),
                    &(struct product){bytes / 2, a->rows, 1, a->columns, 1, alpha, beta,
                                      wl_complex_matrices_of(a, from, 0),
                                      wl_complex_column_of(x.x, a->columns, x.increment, bytes),
                                      wl_complex_column_of(y.x, a->rows, y.increment, bytes)});
}

/* a += alpha x y', or with y's conjugate. */
static int add_outer(void *handle, const char *name, int is_conjugate,
                     const struct wl_complex_operand *a, const void *alpha, struct vector x,
                     struct vector y, const void *one, const void *to, size_t bytes)
{
    struct wl_complex_matrices row = wl_complex_column_of(y.x, a->columns, y.increment, bytes);
    row.column_step = row.row_step;
    row.row_step = 0;
    row.is_conjugate = is_conjugate;
    return multiply(handle, name, wl_complex_is_operand(a) && x.increment && y.increment,
                    &(struct product){bytes / 2, a->rows, a->columns, 1, 1, alpha, one,
                                      wl_complex_column_of(x.x, a->rows, x.increment, bytes), row,
                                      wl_complex_matrices_of(a, to, 0)});
}

static int add(void *pointer, const char *name, const struct wl_complex_operand operands[2],
               const void *alpha, const void *a, const void *beta, const void *b, const void *c,
               int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct wl_complex_matrices of_a = wl_complex_matrices_of(&operands[0], a, 0),
                               of_b = wl_complex_matrices_of(&operands[1], b, 0);
    int m = operands[0].rows, n = operands[0].columns;
    long long leading = ldc;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_complex_is_operand(&operands[0]) || !wl_complex_is_operand(&operands[1]) ||
        !wl_complex_is_operand(&(struct wl_complex_operand){0, m, n, ldc}) ||
        !wl_complex_can_be_sum(&operands[0], a, c, ldc) ||
        !wl_complex_can_be_sum(&operands[1], b, c, ldc) || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, file, name, (int64_t)m * n, 1,
                                 (void *[]){&m, &n, wl_complex_scalar(alpha), &of_a,
                                            wl_complex_scalar(beta), &of_b, &c, &leading});
}

struct triangle {
    int side, fill, op, diagonal, m, n, lda, ldb;
};

/* Of the matrices a and b say where they are, the rest follows from of. On the right side it is the
 * transposed problem: rows of b are its columns, and op(a) is turned once more. */
static int solve(void *pointer, const char *name, size_t bytes, const struct triangle *of,
                 const void *alpha, struct wl_complex_matrices a, struct wl_complex_matrices b,
                 int batch)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const bool is_right = of->side == 1, is_turned = (of->op != 0) != is_right;
    int order = is_right ? of->n : of->m, columns = is_right ? of->m : of->n,
        is_upper = (of->fill == 1) != is_turned, is_unit = of->diagonal == 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)of->side > 1 || (unsigned)of->fill > 1 || (unsigned)of->diagonal > 1 ||
        (unsigned)of->op > 2 ||
        !wl_complex_is_operand(&(struct wl_complex_operand){0, order, order, of->lda}) ||
        !wl_complex_is_operand(&(struct wl_complex_operand){0, of->m, of->n, of->ldb}) ||
        !wl_cublas_can_point(handle, alpha) || batch < 0)
        return WL_CUBLAS_INVALID_VALUE;
    if (!of->m || !of->n || !batch)
        return WL_CUBLAS_OK;
    a.row_step = is_turned ? of->lda : 1;
    a.column_step = is_turned ? 1 : of->lda;
    a.is_conjugate = of->op == 2;
    b.row_step = is_right ? of->ldb : 1;
    b.column_step = is_right ? 1 : of->ldb;
    int status = WL_CUBLAS_OK;
    for (int64_t first = 0; first < batch && !status; first += WL_CUBLAS_BLOCKS_MOST) {
        struct wl_complex_matrices from = wl_complex_from(a, first, bytes),
                                   to = wl_complex_from(b, first, bytes);
        status =
            wl_cublas_launch_over(handle, file, name, columns,
                                  (uint32_t)wl_cublas_least(batch - first, WL_CUBLAS_BLOCKS_MOST),
                                  (void *[]){&is_upper, &is_unit, &order, &columns,
                                             wl_complex_scalar(alpha), &from, &to});
    }
    return status;
}

#define NAME(letter, kernel) "warplens_" #letter kernel

/* Real: the parts' letter and type. */
#define VECTOR_CALLS(Letter, letter, T, Real, real, part)                                        \
    int cublas##Letter##copy_v2(void *handle, int n, const T *x, int incx, T *y, int incy)       \
    {                                                                                            \
        return move(handle, NAME(letter, "move"), n, (struct vector){x, incx},                   \
                    (struct vector){y, incy}, sizeof(T), 0);                                     \
    }                                                                                            \
    int cublas##Letter##swap_v2(void *handle, int n, T *x, int incx, T *y, int incy)             \
    {                                                                                            \
        return move(handle, NAME(letter, "move"), n, (struct vector){x, incx},                   \
                    (struct vector){y, incy}, sizeof(T), 1);                                     \
    }                                                                                            \
    int cublas##Letter##axpy_v2(void *handle, int n, const T *alpha, const T *x, int incx, T *y, \
                                int incy)                                                        \
    {                                                                                            \
        return x ? add_scaled(handle, NAME(letter, "add_scaled"), n, alpha, sizeof(T),           \
                              (struct vector){x, incx}, (struct vector){y, incy}, sizeof(T))     \
                 : WL_CUBLAS_INVALID_VALUE;                                                      \
    }                                                                                            \
    int cublas##Letter##scal_v2(void *handle, int n, const T *alpha, T *x, int incx)             \
    {                                                                                            \
        return add_scaled(handle, NAME(letter, "add_scaled"), n, alpha, sizeof(T),               \
                          (struct vector){0}, (struct vector){x, incx}, sizeof(T));              \
    }                                                                                            \
    int cublas##Letter##real##scal_v2(void *handle, int n, const part *alpha, T *x, int incx)    \
    {                                                                                            \
        return add_scaled(handle, NAME(letter, "add_scaled"), n, alpha, sizeof(part),            \
                          (struct vector){0}, (struct vector){x, incx}, sizeof(T));              \
    }                                                                                            \
    int cublas##Letter##dotu_v2(void *handle, int n, const T *x, int incx, const T *y, int incy, \
                                T *result)                                                       \
    {                                                                                            \
        return dot(handle, NAME(letter, "dot"), 0, n, (struct vector){x, incx},                  \
                   (struct vector){y, incy}, sizeof(T), result);                                 \
    }                                                                                            \
    int cublas##Letter##dotc_v2(void *handle, int n, const T *x, int incx, const T *y, int incy, \
                                T *result)                                                       \
    {                                                                                            \
        return dot(handle, NAME(letter, "dot"), 1, n, (struct vector){x, incx},                  \
                   (struct vector){y, incy}, sizeof(T), result);                                 \
    }                                                                                            \
    int cublas##Real##letter##asum_v2(void *handle, int n, const T *x, int incx, part *result)   \
    {                                                                                            \
        return reduce(handle, NAME(letter, "sum"), 0, n, x, incx, result, sizeof(part));         \
    }                                                                                            \
    int cublas##Real##letter##nrm2_v2(void *handle, int n, const T *x, int incx, part *result)   \
    {                                                                                            \
        return reduce(handle, NAME(letter, "sum"), 1, n, x, incx, result, sizeof(part));         \
    }                                                                                            \
    int cublasI##letter##amax_v2(void *handle, int n, const T *x, int incx, int *result)         \
    {                                                                                            \
        return reduce(handle, NAME(letter, "search"), 0, n, x, incx, result, sizeof *result);    \
    }                                                                                            \
    int cublasI##letter##amin_v2(void *handle, int n, const T *x, int incx, int *result)         \
    {                                                                                            \
        return reduce(handle, NAME(letter, "search"), 1, n, x, incx, result, sizeof *result);    \
    }

#define OPERANDS                                               \
    const struct wl_complex_operand operands[3] = {            \
        {op_a, m, k, lda}, {op_b, k, n, ldb}, {0, m, n, ldc}}; \
    const struct wl_complex_operand *a_is = &operands[0], *b_is = &operands[1], *c_is = &operands[2]

#define PRODUCT_CALLS(Letter, letter, T)                                                           \
    int cublas##Letter##gemm_v2(void *handle, int op_a, int op_b, int m, int n, int k,             \
                                const T *alpha, const T *a, int lda, const T *b, int ldb,          \
                                const T *beta, T *c, int ldc)                                      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return multiply_matrices(                                                                  \
            handle, NAME(letter, "multiply"), sizeof(T), operands, alpha,                          \
            (struct wl_complex_matrices[]){wl_complex_matrices_of(a_is, a, 0),                     \
                                           wl_complex_matrices_of(b_is, b, 0),                     \
                                           wl_complex_matrices_of(c_is, c, 0)},                    \
            beta, 1);                                                                              \
    }                                                                                              \
    int cublas##Letter##gemm3m(void *handle, int op_a, int op_b, int m, int n, int k,              \
                               const T *alpha, const T *a, int lda, const T *b, int ldb,           \
                               const T *beta, T *c, int ldc)                                       \
    {                                                                                              \
        return cublas##Letter##gemm_v2(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,   \
                                       c, ldc);                                                    \
    }                                                                                              \
    int cublas##Letter##gemmBatched(void *handle, int op_a, int op_b, int m, int n, int k,         \
                                    const T *alpha, const T *const *a, int lda, const T *const *b, \
                                    int ldb, const T *beta, T *const *c, int ldc, int count)       \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return multiply_matrices(handle, NAME(letter, "multiply"), sizeof(T), operands, alpha,     \
                                 (struct wl_complex_matrices[]){wl_complex_listed_of(a_is, a),     \
                                                                wl_complex_listed_of(b_is, b),     \
                                                                wl_complex_listed_of(c_is, c)},    \
                                 beta, count);                                                     \
    }                                                                                              \
    int cublas##Letter##gemmStridedBatched(                                                        \
        void *handle, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a,         \
        int lda, long long stride_a, const T *b, int ldb, long long stride_b, const T *beta, T *c, \
        int ldc, long long stride_c, int count)                                                    \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return multiply_matrices(                                                                  \
            handle, NAME(letter, "multiply"), sizeof(T), operands, alpha,                          \
            (struct wl_complex_matrices[]){wl_complex_matrices_of(a_is, a, stride_a),              \
                                           wl_complex_matrices_of(b_is, b, stride_b),              \
                                           wl_complex_matrices_of(c_is, c, stride_c)},             \
            beta, count);                                                                          \
    }                                                                                              \
    int cublas##Letter##gemv_v2(void *handle, int op, int m, int n, const T *alpha, const T *a,    \
                                int lda, const T *x, int incx, const T *beta, T *y, int incy)      \
    {                                                                                              \
        const struct wl_complex_operand of = {op, op ? n : m, op ? m : n, lda};                    \
        return multiply_vector(handle, NAME(letter, "multiply"), &of, alpha, a,                    \
                               (struct vector){x, incx}, beta, (struct vector){y, incy},           \
                               sizeof(T));                                                         \
    }                                                                                              \
    int cublas##Letter##geru_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx,  \
                                const T *y, int incy, T *a, int lda)                               \
    {                                                                                              \
        return add_outer(handle, NAME(letter, "multiply"), 0,                                      \
                         &(struct wl_complex_operand){0, m, n, lda}, alpha,                        \
                         (struct vector){x, incx}, (struct vector){y, incy},                       \
                         &wl_cublas_one.letter, a, sizeof(T));                                     \
    }                                                                                              \
    int cublas##Letter##gerc_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx,  \
                                const T *y, int incy, T *a, int lda)                               \
    {                                                                                              \
        return add_outer(handle, NAME(letter, "multiply"), 1,                                      \
                         &(struct wl_complex_operand){0, m, n, lda}, alpha,                        \
                         (struct vector){x, incx}, (struct vector){y, incy},                       \
                         &wl_cublas_one.letter, a, sizeof(T));                                     \
    }                                                                                              \
    int cublas##Letter##geam(void *handle, int op_a, int op_b, int m, int n, const T *alpha,       \
                             const T *a, int lda, const T *beta, const T *b, int ldb, T *c,        \
                             int ldc)                                                              \
    {                                                                                              \
        return add(handle, NAME(letter, "add"),                                                    \
                   (struct wl_complex_operand[]){{op_a, m, n, lda}, {op_b, m, n, ldb}}, alpha, a,  \
                   beta, b, c, ldc);                                                               \
    }                                                                                              \
    int cublas##Letter##trsm_v2(void *handle, int side, int fill, int op, int diagonal, int m,     \
                                int n, const T *alpha, const T *a, int lda, T *b, int ldb)         \
    {                                                                                              \
        return solve(handle, NAME(letter, "solve"), sizeof(T),                                     \
                     &(struct triangle){side, fill, op, diagonal, m, n, lda, ldb}, alpha,          \
                     (struct wl_complex_matrices){.base = a},                                      \
                     (struct wl_complex_matrices){.base = b}, 1);                                  \
    }                                                                                              \
    int cublas##Letter##trsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, \
                                    int n, const T *alpha, const T *const *a, int lda,             \
                                    T *const *b, int ldb, int count)                               \
    {                                                                                              \
        return solve(handle, NAME(letter, "solve"), sizeof(T),                                     \
                     &(struct triangle){side, fill, op, diagonal, m, n, lda, ldb}, alpha,          \
                     (struct wl_complex_matrices){.list = a},                                      \
                     (struct wl_complex_matrices){.list = b}, count);                              \
    }

VECTOR_CALLS(C, c, struct wl_complex_single, S, s, float)
VECTOR_CALLS(Z, z, struct wl_complex_twice, D, d, double)
PRODUCT_CALLS(C, c, struct wl_complex_single)
PRODUCT_CALLS(Z, z, struct wl_complex_twice)

/* With three products of real numbers instead of four in cuBLAS; the same here. */
int cublasCgemm3mBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                         const struct wl_complex_single *alpha,
                         const struct wl_complex_single *const *a, int lda,
                         const struct wl_complex_single *const *b, int ldb,
                         const struct wl_complex_single *beta, struct wl_complex_single *const *c,
                         int ldc, int count)
{
    return cublasCgemmBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                              count);
}

int cublasCgemm3mStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                                const struct wl_complex_single *alpha,
                                const struct wl_complex_single *a, int lda, long long stride_a,
                                const struct wl_complex_single *b, int ldb, long long stride_b,
                                const struct wl_complex_single *beta, struct wl_complex_single *c,
                                int ldc, long long stride_c, int count)
{
    return cublasCgemmStridedBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                                     stride_b, beta, c, ldc, stride_c, count);
}
