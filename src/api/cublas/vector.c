/* Vectors, matrix times vector, and multiplication in double precision. */
#include <stdio.h>
#include <string.h>

#include "api/cublas/product.h"
#include "api/cublas/stand_in.h"
#include "base/count.h"

#define BLOCK_THREADS 256
#define BLOCKS_MAX 1024
#define TILE 16
#define COLUMNS_MOST ((int64_t)TILE * WL_CUBLAS_BLOCKS_MOST) /* of a launch */

static struct wl_product read_gemm(const struct wl_product_kernel *self, const void *parameters)
{
    const struct {
        int transpose_a, transpose_b, m, n, k;
        double alpha;
        const double *a;
        int lda;
        const double *b;
        int ldb;
        double beta;
        double *c;
        int ldc;
    } *of = parameters;
    const struct wl_product_matrix c = wl_product_matrix_of(of->c, WL_NUMBER_F64, of->ldc, false);
    (void)self;
    return (struct wl_product){
        .rows = of->m,
        .columns = of->n,
        .depth = of->k,
        .a = wl_product_matrix_of(of->a, WL_NUMBER_F64, of->lda, of->transpose_a),
        .b = wl_product_matrix_of(of->b, WL_NUMBER_F64, of->ldb, of->transpose_b),
        .c = c,
        .d = c,
        .alpha.f64 = of->alpha,
        .beta.f64 = of->beta,
    };
}

/* A product of one column, if the results are neighbours. */
#define READ_GEMV(letter, T, number, field)                                            \
    static struct wl_product read_##letter##gemv(const struct wl_product_kernel *self, \
                                                 const void *parameters)               \
    {                                                                                  \
        const struct {                                                                 \
            int transpose, m, n;                                                       \
            T alpha;                                                                   \
            const T *a;                                                                \
            int lda;                                                                   \
            const T *x;                                                                \
            int incx;                                                                  \
            T beta;                                                                    \
            T *y;                                                                      \
            int incy;                                                                  \
        } *of = parameters;                                                            \
        const bool turns = of->transpose;                                              \
        const struct wl_product_matrix y = {of->y, number, of->incy, 1, 0};            \
        (void)self;                                                                    \
        return (struct wl_product){                                                    \
            .rows = turns ? of->n : of->m,                                             \
            .columns = 1,                                                              \
            .depth = turns ? of->m : of->n,                                            \
            .a = wl_product_matrix_of(of->a, number, of->lda, turns),                  \
            .b = {of->x, number, of->incx, 1, 0},                                      \
            .c = y,                                                                    \
            .d = y,                                                                    \
            .alpha.field = of->alpha,                                                  \
            .beta.field = of->beta,                                                    \
        };                                                                             \
    }
READ_GEMV(s, float, WL_NUMBER_F32, f32)
READ_GEMV(d, double, WL_NUMBER_F64, f64)

static const struct wl_product_kernel gemm_direct = {WL_PRODUCT_DIRECT, TILE, TILE,
                                                     .read = read_gemm},
                                      sgemv_direct = {WL_PRODUCT_DIRECT, 0, 1, .read = read_sgemv},
                                      dgemv_direct = {WL_PRODUCT_DIRECT, 0, 1, .read = read_dgemv};

/* direct: NULL if it is no product. */
static int run_as(struct wl_cublas_handle *handle, const char *name,
                  const struct wl_product_kernel *direct, const uint32_t grid[2], void **parameters)
{
    struct wl_device_kernel *kernel = wl_cublas_find_kernel("vector.ptx", name);
    return wl_cublas_launch_kernel(handle,
                                   direct ? wl_product_kernel_known(kernel, direct) : kernel,
                                   (uint32_t[]){grid[0], grid[1], 1}, parameters);
}

static int run(struct wl_cublas_handle *handle, const char *name, const uint32_t grid[2],
               void **parameters)
{
    return run_as(handle, name, NULL, grid, parameters);
}

static uint32_t blocks_of(int threads)
{
    const uint32_t blocks = ((uint32_t)threads + BLOCK_THREADS - 1) / BLOCK_THREADS;
    return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

/* A thread for each of count elements, at most so many blocks. */
static int run_over(struct wl_cublas_handle *handle, const char *name, int count, void **parameters)
{
    return run(handle, name, (uint32_t[]){blocks_of(count), 1}, parameters);
}

static int axpy(void *pointer, const char *name, size_t bytes, int n, const void *alpha,
                const void *x, int incx, void *y, int incy)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || wl_cublas_is_zero(handle, alpha, bytes, 1))
        return WL_CUBLAS_OK;
    return run_over(handle, name, n,
                    (void *[]){&n, (void *)(uintptr_t)alpha, &x, &incx, &y, &incy});
}

static int scal(void *pointer, const char *name, int n, const void *alpha, void *x, int incx)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return WL_CUBLAS_OK;
    return run_over(handle, name, n, (void *[]){&n, (void *)(uintptr_t)alpha, &x, &incx});
}

/* The kernel, whose last argument that is, writes device memory; the result may be wanted in memory
 * that only the host has. */
static int run_for_result(void *pointer, const char *name, void **arguments, size_t count,
                          void *result, size_t result_bytes)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    void *place;
    int status = wl_cublas_result_place(handle, result, result_bytes, &place);
    if (status)
        return status;
    arguments[count - 1] = &place;
    status = run(handle, name, (uint32_t[]){1, 1}, arguments);
    return wl_cublas_result_take(handle, result, place, result_bytes, status);
}

static int gemv(void *pointer, const char *name, const struct wl_product_kernel *direct,
                size_t bytes, int operation, int m, int n, const void *alpha, const void *a,
                int lda, const void *x, int incx, const void *beta, void *y, int incy)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    int transpose = operation != 0;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha) || !wl_cublas_can_point(handle, beta) ||
        (unsigned)operation > 2 || m < 0 || n < 0 || lda < (m > 1 ? m : 1))
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n)
        return WL_CUBLAS_OK;
    const uint32_t blocks = blocks_of(transpose ? n : m);
    if (wl_cublas_is_zero(handle, alpha, bytes, 1))
        *(transpose ? &m : &n) = 0; /* terms of each sum */
    return run_as(handle, name, direct, (uint32_t[]){blocks, 1},
                  (void *[]){&transpose, &m, &n, (void *)(uintptr_t)alpha, &a, &lda, &x, &incx,
                             (void *)(uintptr_t)beta, &y, &incy});
}

#define VECTOR_CALLS(Letter, letter, T)                                                           \
    int cublas##Letter##axpy_v2(void *handle, int n, const T *alpha, const T *x, int incx, T *y,  \
                                int incy)                                                         \
    {                                                                                             \
        return axpy(handle, "warplens_" #letter "axpy", sizeof(T), n, alpha, x, incx, y, incy);   \
    }                                                                                             \
    int cublas##Letter##scal_v2(void *handle, int n, const T *alpha, T *x, int incx)              \
    {                                                                                             \
        return scal(handle, "warplens_" #letter "scal", n, alpha, x, incx);                       \
    }                                                                                             \
    int cublas##Letter##dot_v2(void *handle, int n, const T *x, int incx, const T *y, int incy,   \
                               T *result)                                                         \
    {                                                                                             \
        void *arguments[] = {&n, &x, &incx, &y, &incy, NULL};                                     \
        return run_for_result(handle, "warplens_" #letter "dot", arguments, WL_COUNT(arguments),  \
                              result, sizeof *result);                                            \
    }                                                                                             \
    int cublas##Letter##nrm2_v2(void *handle, int n, const T *x, int incx, T *result)             \
    {                                                                                             \
        int count = incx > 0 ? n : 0; /* a step backward leaves nothing to sum */                 \
        void *arguments[] = {&count, &x, &incx, NULL};                                            \
        return run_for_result(handle, "warplens_" #letter "nrm2", arguments, WL_COUNT(arguments), \
                              result, sizeof *result);                                            \
    }                                                                                             \
    int cublas##Letter##gemv_v2(void *handle, int operation, int m, int n, const T *alpha,        \
                                const T *a, int lda, const T *x, int incx, const T *beta, T *y,   \
                                int incy)                                                         \
    {                                                                                             \
        return gemv(handle, "warplens_" #letter "gemv", &letter##gemv_direct, sizeof(T),          \
                    operation, m, n, alpha, a, lda, x, incx, beta, y, incy);                      \
    }

VECTOR_CALLS(S, s, float)
VECTOR_CALLS(D, d, double)

int cublasDgemm_v2(void *pointer, int op_a, int op_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    int rows_a = op_a ? k : m, rows_b = op_b ? n : k;
    if (!wl_cublas_can_point(handle, alpha) || !wl_cublas_can_point(handle, beta) ||
        (unsigned)op_a > 2 || (unsigned)op_b > 2 || m < 0 || n < 0 || k < 0 ||
        lda < (rows_a > 1 ? rows_a : 1) || ldb < (rows_b > 1 ? rows_b : 1) || ldc < (m > 1 ? m : 1))
        return WL_CUBLAS_INVALID_VALUE;
    const bool is_zero = wl_cublas_is_zero(handle, alpha, sizeof *alpha, 1);
    if (!m || !n || (is_zero && *beta == 1.0))
        return WL_CUBLAS_OK;
    k = is_zero ? 0 : k;
    int transpose_a = op_a != 0, transpose_b = op_b != 0, status = WL_CUBLAS_OK;
    for (int64_t left = n; left > 0 && !status; left -= COLUMNS_MOST) {
        int columns = wl_cublas_least(left, COLUMNS_MOST);
        uint32_t grid[] = {((uint32_t)m + TILE - 1) / TILE, ((uint32_t)columns + TILE - 1) / TILE};
        status = run_as(handle, "warplens_dgemm_16x16", &gemm_direct, grid,
                        (void *[]){&transpose_a, &transpose_b, &m, &columns, &k,
                                   (void *)(uintptr_t)alpha, &a, &lda, &b, &ldb,
                                   (void *)(uintptr_t)beta, &c, &ldc});
        b += (int64_t)columns * (op_b ? 1 : ldb);
        c += (int64_t)columns * ldc;
    }
    return status;
}

int cublasDgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                              const double *alpha, const double *a, int lda, long long stride_a,
                              const double *b, int ldb, long long stride_b, const double *beta,
                              double *c, int ldc, long long stride_c, int count)
{
    int status = count < 0 ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_OK;
    for (int i = 0; status == WL_CUBLAS_OK && i < count; i++)
        status = cublasDgemm_v2(handle, op_a, op_b, m, n, k, alpha, a + i * stride_a, lda,
                                b + i * stride_b, ldb, beta, c + i * stride_c, ldc);
    return status;
}

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc);

/* The arrays of pointers are in device memory, which the host can read here. */
#define BATCHED(Letter, T)                                                                         \
    int cublas##Letter##gemmBatched(                                                               \
        void *handle, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *const a[], \
        int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count)     \
    {                                                                                              \
        int status = count < 0 || !a || !b || !c ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_OK;         \
        for (int i = 0; status == WL_CUBLAS_OK && i < count; i++)                                  \
            status = cublas##Letter##gemm_v2(handle, op_a, op_b, m, n, k, alpha, a[i], lda, b[i],  \
                                             ldb, beta, c[i], ldc);                                \
        return status;                                                                             \
    }

BATCHED(S, float)
BATCHED(D, double)
