/* Complex numbers: vectors, products, sums of matrices, triangles. */
#include <string.h>

#include "api/cublas/stand_in.h"

#define TILE 16
#define BATCH_MAX 65535 /* blocks in y or z */

static const char file[] = "complex.ptx";

/* As the kernels' parameters have it (complex.cu). */
struct matrices {
    const void *list, *base;
    long long stride, row_step, column_step;
    int is_conjugate;
};

/* What a call says of op(x); rows and columns: of op(x). */
struct operand {
    int op, rows, columns, leading;
};

static bool is_operand(const struct operand *of)
{
    const int rows = of->op ? of->columns : of->rows;
    return (unsigned)of->op <= 2 && of->rows >= 0 && of->columns >= 0 &&
           of->leading >= (rows > 1 ? rows : 1);
}

static struct matrices lie(const struct operand *of)
{
    return (struct matrices){.row_step = of->op ? of->leading : 1,
                             .column_step = of->op ? 1 : of->leading,
                             .is_conjugate = of->op == 2};
}

static struct matrices matrices_of(const struct operand *of, const void *base, long long stride)
{
    struct matrices made = lie(of);
    made.base = base;
    made.stride = stride;
    return made;
}

static struct matrices listed_of(const struct operand *of, const void *list)
{
    struct matrices made = lie(of);
    made.list = list;
    return made;
}

/* A vector whose step is negative begins at its end. */
static const void *begin_of(const void *x, int n, int increment, size_t bytes)
{
    const long long back = increment < 0 && n > 0 ? (long long)(n - 1) * increment : 0;
    return (const char *)x - back * (long long)bytes;
}

/* A vector as the column of a matrix. */
static struct matrices column_of(const void *x, int n, int increment, size_t bytes)
{
    return (struct matrices){.base = begin_of(x, n, increment, bytes), .row_step = increment};
}

static void *scalar(const void *value)
{
    return (void *)(uintptr_t)value;
}

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
    x.x = begin_of(x.x, n, x.increment, bytes);
    y.x = begin_of(y.x, n, y.increment, bytes);
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
    double factor[2] = {0}; /* room for the larger complex number */
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || (!x.x && y.increment <= 0))
        return WL_CUBLAS_OK;
    memcpy(factor, alpha, alpha_bytes);
    if (x.x)
        x.x = begin_of(x.x, n, x.increment, bytes);
    y.x = begin_of(y.x, n, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, n, 1,
                                 (void *[]){&n, factor, &is_real, &x.x, &incx, &y.x, &incy});
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
        memset(result, 0, bytes);
        return WL_CUBLAS_OK;
    }
    void *place = wl_cublas_result_place(result, bytes);
    if (!place)
        return WL_CUBLAS_ALLOC_FAILED;
    x.x = begin_of(x.x, n, x.increment, bytes);
    y.x = begin_of(y.x, n, y.increment, bytes);
    const int status =
        wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1},
                         (void *[]){&is_conjugate, &n, &x.x, &incx, &y.x, &incy, &place});
    return wl_cublas_result_take(result, place, bytes, status);
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
        memset(result, 0, bytes);
        return WL_CUBLAS_OK;
    }
    void *place = wl_cublas_result_place(result, bytes);
    if (!place)
        return WL_CUBLAS_ALLOC_FAILED;
    const int status = wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1},
                                        (void *[]){&choice, &n, &x, &incx, &place});
    return wl_cublas_result_take(result, place, bytes, status);
}

struct product {
    int m, n, k, batch;
    const void *alpha, *beta;
    struct matrices a, b, c;
};

/* are_valid: what the call says of a, b and c. */
static int multiply(void *pointer, const char *name, bool are_valid, const struct product *of)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct product product = *of;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!are_valid || !wl_cublas_can_point(handle, of->alpha) ||
        !wl_cublas_can_point(handle, of->beta) || of->batch < 0 || of->batch > BATCH_MAX)
        return WL_CUBLAS_INVALID_VALUE;
    if (!of->m || !of->n || !of->batch)
        return WL_CUBLAS_OK;
    const uint32_t grid[3] = {((uint32_t)of->m + TILE - 1) / TILE,
                              ((uint32_t)of->n + TILE - 1) / TILE, (uint32_t)of->batch};
    return wl_cublas_launch(handle, file, name, grid,
                            (void *[]){&product.m, &product.n, &product.k, scalar(of->alpha),
                                       &product.a, &product.b, scalar(of->beta), &product.c});
}

static int multiply_matrices(void *handle, const char *name, const struct operand operands[3],
                             const void *alpha, const struct matrices of[3], const void *beta,
                             int batch)
{
    const bool are_valid =
        is_operand(&operands[0]) && is_operand(&operands[1]) && is_operand(&operands[2]);
    return multiply(handle, name, are_valid,
                    &(struct product){operands[2].rows, operands[2].columns, operands[0].columns,
                                      batch, alpha, beta, of[0], of[1], of[2]});
}

/* a: m by n as it lies. */
static int multiply_vector(void *handle, const char *name, const struct operand *a,
                           const void *alpha, const void *from, struct vector x, const void *beta,
                           struct vector y, size_t bytes)
{
    return multiply(handle, name, is_operand(a) && x.increment && y.increment,
                    &(struct product){a->rows, 1, a->columns, 1, alpha, beta,
                                      matrices_of(a, from, 0),
                                      column_of(x.x, a->columns, x.increment, bytes),
                                      column_of(y.x, a->rows, y.increment, bytes)});
}

/* a += alpha x y', or with y's conjugate. */
static int add_outer(void *handle, const char *name, int is_conjugate, const struct operand *a,
                     const void *alpha, struct vector x, struct vector y, const void *one,
                     const void *to, size_t bytes)
{
    struct matrices row = column_of(y.x, a->columns, y.increment, bytes);
    row.column_step = row.row_step;
    row.row_step = 0;
    row.is_conjugate = is_conjugate;
    return multiply(handle, name, is_operand(a) && x.increment && y.increment,
                    &(struct product){a->rows, a->columns, 1, 1, alpha, one,
                                      column_of(x.x, a->rows, x.increment, bytes), row,
                                      matrices_of(a, to, 0)});
}

static int add(void *pointer, const char *name, const struct operand operands[2], const void *alpha,
               const void *a, const void *beta, const void *b, const void *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct matrices of_a = matrices_of(&operands[0], a, 0), of_b = matrices_of(&operands[1], b, 0);
    int m = operands[0].rows, n = operands[0].columns;
    long long leading = ldc;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_operand(&operands[0]) || !is_operand(&operands[1]) ||
        !is_operand(&(struct operand){0, m, n, ldc}) || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(
        handle, file, name, (int64_t)m * n, 1,
        (void *[]){&m, &n, scalar(alpha), &of_a, scalar(beta), &of_b, &c, &leading});
}

struct triangle {
    int side, fill, op, diagonal, m, n, lda, ldb;
};

/* Of the matrices a and b say where they are, the rest follows from of. On the right side it is the
 * transposed problem: rows of b are its columns, and op(a) is turned once more. */
static int solve(void *pointer, const char *name, const struct triangle *of, const void *alpha,
                 struct matrices a, struct matrices b, int batch)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const bool is_right = of->side == 1, is_turned = (of->op != 0) != is_right;
    int order = is_right ? of->n : of->m, columns = is_right ? of->m : of->n,
        is_upper = (of->fill == 1) != is_turned, is_unit = of->diagonal == 1;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)of->side > 1 || (unsigned)of->fill > 1 || (unsigned)of->diagonal > 1 ||
        (unsigned)of->op > 2 || !is_operand(&(struct operand){0, order, order, of->lda}) ||
        !is_operand(&(struct operand){0, of->m, of->n, of->ldb}) ||
        !wl_cublas_can_point(handle, alpha) || batch < 0 || batch > BATCH_MAX)
        return WL_CUBLAS_INVALID_VALUE;
    if (!of->m || !of->n || !batch)
        return WL_CUBLAS_OK;
    a.row_step = is_turned ? of->lda : 1;
    a.column_step = is_turned ? 1 : of->lda;
    a.is_conjugate = of->op == 2;
    b.row_step = is_right ? of->ldb : 1;
    b.column_step = is_right ? 1 : of->ldb;
    return wl_cublas_launch_over(
        handle, file, name, columns, (uint32_t)batch,
        (void *[]){&is_upper, &is_unit, &order, &columns, scalar(alpha), &a, &b});
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

#define OPERANDS                                                                               \
    const struct operand operands[3] = {{op_a, m, k, lda}, {op_b, k, n, ldb}, {0, m, n, ldc}}; \
    const struct operand *a_is = &operands[0], *b_is = &operands[1], *c_is = &operands[2]

#define PRODUCT_CALLS(Letter, letter, T)                                                           \
    int cublas##Letter##gemm_v2(void *handle, int op_a, int op_b, int m, int n, int k,             \
                                const T *alpha, const T *a, int lda, const T *b, int ldb,          \
                                const T *beta, T *c, int ldc)                                      \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return multiply_matrices(handle, NAME(letter, "multiply"), operands, alpha,                \
                                 (struct matrices[]){matrices_of(a_is, a, 0),                      \
                                                     matrices_of(b_is, b, 0),                      \
                                                     matrices_of(c_is, c, 0)},                     \
                                 beta, 1);                                                         \
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
        return multiply_matrices(                                                                  \
            handle, NAME(letter, "multiply"), operands, alpha,                                     \
            (struct matrices[]){listed_of(a_is, a), listed_of(b_is, b), listed_of(c_is, c)}, beta, \
            count);                                                                                \
    }                                                                                              \
    int cublas##Letter##gemmStridedBatched(                                                        \
        void *handle, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a,         \
        int lda, long long stride_a, const T *b, int ldb, long long stride_b, const T *beta, T *c, \
        int ldc, long long stride_c, int count)                                                    \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return multiply_matrices(handle, NAME(letter, "multiply"), operands, alpha,                \
                                 (struct matrices[]){matrices_of(a_is, a, stride_a),               \
                                                     matrices_of(b_is, b, stride_b),               \
                                                     matrices_of(c_is, c, stride_c)},              \
                                 beta, count);                                                     \
    }                                                                                              \
    int cublas##Letter##gemv_v2(void *handle, int op, int m, int n, const T *alpha, const T *a,    \
                                int lda, const T *x, int incx, const T *beta, T *y, int incy)      \
    {                                                                                              \
        const struct operand of = {op, op ? n : m, op ? m : n, lda};                               \
        return multiply_vector(handle, NAME(letter, "multiply"), &of, alpha, a,                    \
                               (struct vector){x, incx}, beta, (struct vector){y, incy},           \
                               sizeof(T));                                                         \
    }                                                                                              \
    int cublas##Letter##geru_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx,  \
                                const T *y, int incy, T *a, int lda)                               \
    {                                                                                              \
        static const T one = {1, 0};                                                               \
        return add_outer(handle, NAME(letter, "multiply"), 0, &(struct operand){0, m, n, lda},     \
                         alpha, (struct vector){x, incx}, (struct vector){y, incy}, &one, a,       \
                         sizeof(T));                                                               \
    }                                                                                              \
    int cublas##Letter##gerc_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx,  \
                                const T *y, int incy, T *a, int lda)                               \
    {                                                                                              \
        static const T one = {1, 0};                                                               \
        return add_outer(handle, NAME(letter, "multiply"), 1, &(struct operand){0, m, n, lda},     \
                         alpha, (struct vector){x, incx}, (struct vector){y, incy}, &one, a,       \
                         sizeof(T));                                                               \
    }                                                                                              \
    int cublas##Letter##geam(void *handle, int op_a, int op_b, int m, int n, const T *alpha,       \
                             const T *a, int lda, const T *beta, const T *b, int ldb, T *c,        \
                             int ldc)                                                              \
    {                                                                                              \
        return add(handle, NAME(letter, "add"),                                                    \
                   (struct operand[]){{op_a, m, n, lda}, {op_b, m, n, ldb}}, alpha, a, beta, b, c, \
                   ldc);                                                                           \
    }                                                                                              \
    int cublas##Letter##trsm_v2(void *handle, int side, int fill, int op, int diagonal, int m,     \
                                int n, const T *alpha, const T *a, int lda, T *b, int ldb)         \
    {                                                                                              \
        return solve(handle, NAME(letter, "solve"),                                                \
                     &(struct triangle){side, fill, op, diagonal, m, n, lda, ldb}, alpha,          \
                     (struct matrices){.base = a}, (struct matrices){.base = b}, 1);               \
    }                                                                                              \
    int cublas##Letter##trsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, \
                                    int n, const T *alpha, const T *const *a, int lda,             \
                                    T *const *b, int ldb, int count)                               \
    {                                                                                              \
        return solve(handle, NAME(letter, "solve"),                                                \
                     &(struct triangle){side, fill, op, diagonal, m, n, lda, ldb}, alpha,          \
                     (struct matrices){.list = a}, (struct matrices){.list = b}, count);           \
    }

struct single {
    float real, imaginary;
};
struct twice {
    double real, imaginary;
};

VECTOR_CALLS(C, c, struct single, S, s, float)
VECTOR_CALLS(Z, z, struct twice, D, d, double)
PRODUCT_CALLS(C, c, struct single)
PRODUCT_CALLS(Z, z, struct twice)
