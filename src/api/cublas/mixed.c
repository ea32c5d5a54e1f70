/* Multiplication and dot products of narrow formats, and calls that name their formats. */
#include <limits.h>
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/narrow.h"
#include "api/cublas/product.h"
#include "api/cublas/stand_in.h"
#include "base/count.h"

#define TILE 16

enum { /* cudaDataType */
       TYPE_F32 = 0,
       TYPE_F64 = 1,
       TYPE_F16 = 2,
       TYPE_S8 = 3,
       TYPE_C32 = 4,
       TYPE_C64 = 5,
       TYPE_S32 = 10,
       TYPE_BF16 = 14,
};
enum { COMPUTE_F16 = 64, COMPUTE_F16_PEDANTIC = 65, COMPUTE_F32 = 68, COMPUTE_LAST = 79 };
enum { COMPUTE_F64 = 70, COMPUTE_F64_PEDANTIC = 71, COMPUTE_F64_EMULATED = 79 };
enum { COMPUTE_S32 = 72, COMPUTE_S32_PEDANTIC = 73 };

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc);
int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);
int cublasSdot_v2(void *handle, int n, const float *x, int incx, const float *y, int incy,
                  float *result);
int cublasDdot_v2(void *handle, int n, const double *x, int incx, const double *y, int incy,
                  double *result);

#define COMPLEX(Letter, T)                                                                         \
    int cublas##Letter##gemmStridedBatched(                                                        \
        void *handle, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a,         \
        int lda, long long stride_a, const T *b, int ldb, long long stride_b, const T *beta, T *c, \
        int ldc, long long stride_c, int count);                                                   \
    int cublas##Letter##dotu_v2(void *handle, int n, const T *x, int incx, const T *y, int incy,   \
                                T *result);                                                        \
    int cublas##Letter##dotc_v2(void *handle, int n, const T *x, int incx, const T *y, int incy,   \
                                T *result);
COMPLEX(C, struct wl_complex_single)
COMPLEX(Z, struct wl_complex_twice)

struct matrix {
    const void *elements;
    int type, leading;
    long long stride; /* to that of the next product */
};

struct product {
    int op_a, op_b, m, n, k, count;
    struct matrix a, b, c;
    const void *alpha, *beta;
    int compute, algorithm;
};

/* The kernels' parameters. */
struct parameters {
    int m, n, k;
    int32_t alpha; /* or the bits of a float */
    const void *a;
    long long row_a, step_a, stride_a;
    const void *b;
    long long step_b, column_b, stride_b;
    int32_t beta;
    void *c;
    long long ldc, stride_c;
};

static struct wl_product read_product(const struct wl_product_kernel *self, const void *parameters)
{
    const struct parameters *of = parameters;
    const struct wl_product_matrix c = {of->c, self->result, 1, of->ldc, of->stride_c};
    return (struct wl_product){
        .rows = of->m,
        .columns = of->n,
        .depth = of->k,
        .a = {of->a, self->factor, of->row_a, of->step_a, of->stride_a},
        .b = {of->b, self->factor, of->step_b, of->column_b, of->stride_b},
        .c = c,
        .d = c,
        .alpha.s32 = of->alpha,
        .beta.s32 = of->beta,
    };
}

static const struct product_row {
    int factor, result;
    const char *kernel;
    struct wl_product_kernel direct;
} product_rows[] = {
#define ROW(In, Out, kernel)                                                   \
    {                                                                          \
        TYPE_##In, TYPE_##Out, kernel,                                         \
        {                                                                      \
            .direct = WL_PRODUCT_DIRECT, TILE, TILE, .factor = WL_NUMBER_##In, \
            .result = WL_NUMBER_##Out, .read = read_product                    \
        }                                                                      \
    }
    ROW(F16, F16, "warplens_gemm_f16_f16"),     ROW(F16, F32, "warplens_gemm_f16_f32"),
    ROW(BF16, BF16, "warplens_gemm_bf16_bf16"), ROW(BF16, F32, "warplens_gemm_bf16_f32"),
    ROW(S8, S32, "warplens_gemm_s8_s32"),       ROW(S8, F32, "warplens_gemm_s8_f32"),
#undef ROW
};

static int64_t at_least_one(int64_t value)
{
    return value > 1 ? value : 1;
}

/* cublasGemmAlgo_t, of which all are one. */
static bool is_algorithm(int number)
{
    enum { LAST = 23, TENSOR = 99, TENSOR_LAST = 115, AUTOTUNE = 999 };
    return (number >= -1 && number <= LAST) || (number >= TENSOR && number <= TENSOR_LAST) ||
           number == AUTOTUNE;
}

static bool is_valid(const struct wl_cublas_handle *handle, const struct product *product)
{
    return wl_cublas_can_point(handle, product->alpha) &&
           wl_cublas_can_point(handle, product->beta) && (unsigned)product->op_a <= 2 &&
           (unsigned)product->op_b <= 2 && product->m >= 0 && product->n >= 0 && product->k >= 0 &&
           product->count >= 0 && product->m <= INT_MAX - TILE && product->n <= INT_MAX - TILE &&
           product->k <= INT_MAX - TILE &&
           product->a.leading >= at_least_one(product->op_a ? product->k : product->m) &&
           product->b.leading >= at_least_one(product->op_b ? product->n : product->k) &&
           product->c.leading >= at_least_one(product->m) && is_algorithm(product->algorithm);
}

/* Where a factor is as the kernels want it: where it was given, or, of a half, in wide. */
static void *scale_of(const void *given, int compute, float *wide)
{
    uint16_t bits;
    if (compute != COMPUTE_F16 && compute != COMPUTE_F16_PEDANTIC)
        return wl_complex_scalar(given);
    memcpy(&bits, given, sizeof bits);
    *wide = wl_narrow_value(bits, false);
    return wide;
}

/* The element at an index. */
static void *at(const struct matrix *matrix, long long index, size_t bytes)
{
    return (char *)(uintptr_t)matrix->elements + index * (long long)bytes;
}

/* As much as a grid has blocks for. */
static int multiply_some(struct wl_cublas_handle *handle, const struct product *product,
                         const struct product_row *row)
{
    const struct matrix *a = &product->a, *b = &product->b, *c = &product->c;
    int m = product->m, n = product->n, k = product->k;
    long long row_a = product->op_a ? a->leading : 1, step_a = product->op_a ? 1 : a->leading;
    long long step_b = product->op_b ? b->leading : 1, column_b = product->op_b ? 1 : b->leading;
    long long ldc = c->leading, stride_a = a->stride, stride_b = b->stride, stride_c = c->stride;
    const int compute = product->compute;
    float alpha, beta;
    if ((compute == COMPUTE_F16 || compute == COMPUTE_F16_PEDANTIC) &&
        wl_cublas_refuses_late(handle))
        return WL_CUBLAS_NOT_SUPPORTED;
    const void *const alpha_at = scale_of(product->alpha, compute, &alpha);
    if (row->factor != TYPE_S8 && wl_cublas_is_zero(handle, alpha_at, sizeof alpha, 1))
        k = 0;
    void *parameters[] = {&m,
                          &n,
                          &k,
                          wl_complex_scalar(alpha_at),
                          (void *)&a->elements,
                          &row_a,
                          &step_a,
                          &stride_a,
                          (void *)&b->elements,
                          &step_b,
                          &column_b,
                          &stride_b,
                          scale_of(product->beta, compute, &beta),
                          (void *)&c->elements,
                          &ldc,
                          &stride_c};
    uint32_t grid[] = {((uint32_t)m + TILE - 1) / TILE, ((uint32_t)n + TILE - 1) / TILE,
                       (uint32_t)product->count};
    return wl_cublas_launch_kernel(
        handle,
        wl_product_kernel_known(wl_cublas_find_kernel("mixed.ptx", row->kernel), &row->direct),
        grid, parameters);
}

static int multiply_mixed(struct wl_cublas_handle *handle, const struct product *product,
                          const struct product_row *row)
{
    const int64_t columns_most = (int64_t)TILE * WL_CUBLAS_BLOCKS_MOST;
    const size_t factor_bytes = wl_number_bytes(row->direct.factor),
                 result_bytes = wl_number_bytes(row->direct.result);
    const long long column_b = product->op_b ? 1 : product->b.leading;
    int status = WL_CUBLAS_OK;
    for (int64_t first = 0; first < product->count && !status; first += WL_CUBLAS_BLOCKS_MOST)
        for (int64_t column = 0; column < product->n && !status; column += columns_most) {
            struct product some = *product;
            some.count = wl_cublas_least(product->count - first, WL_CUBLAS_BLOCKS_MOST);
            some.n = wl_cublas_least(product->n - column, columns_most);
            some.a.elements = at(&product->a, first * product->a.stride, factor_bytes);
            some.b.elements =
                at(&product->b, first * product->b.stride + column * column_b, factor_bytes);
            some.c.elements = at(
                &product->c, first * product->c.stride + column * product->c.leading, result_bytes);
            status = multiply_some(handle, &some, row);
        }
    return status;
}

static int multiply_plain(void *handle, const struct product *product)
{
    const struct matrix *a = &product->a, *b = &product->b, *c = &product->c;
    const bool is_double = a->type == TYPE_F64;
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);
    int status = WL_CUBLAS_OK;
    for (int i = 0; status == WL_CUBLAS_OK && i < product->count; i++) {
        void *from_a = at(a, i * a->stride, bytes), *from_b = at(b, i * b->stride, bytes);
        void *to = at(c, i * c->stride, bytes);
        if (is_double)
            status = cublasDgemm_v2(handle, product->op_a, product->op_b, product->m, product->n,
                                    product->k, product->alpha, from_a, a->leading, from_b,
                                    b->leading, product->beta, to, c->leading);
        else
            status = cublasSgemm_v2(handle, product->op_a, product->op_b, product->m, product->n,
                                    product->k, product->alpha, from_a, a->leading, from_b,
                                    b->leading, product->beta, to, c->leading);
    }
    return status;
}

static int multiply_complex(void *handle, const struct product *of)
{
    const struct matrix *a = &of->a, *b = &of->b, *c = &of->c;
    void *to = (void *)(uintptr_t)c->elements;
    if (a->type == TYPE_C32)
        return cublasCgemmStridedBatched(handle, of->op_a, of->op_b, of->m, of->n, of->k, of->alpha,
                                         a->elements, a->leading, a->stride, b->elements,
                                         b->leading, b->stride, of->beta, to, c->leading, c->stride,
                                         of->count);
    return cublasZgemmStridedBatched(handle, of->op_a, of->op_b, of->m, of->n, of->k, of->alpha,
                                     a->elements, a->leading, a->stride, b->elements, b->leading,
                                     b->stride, of->beta, to, c->leading, c->stride, of->count);
}

/* The scale factors must be of the type that the sums are in. */
static bool is_compute_type(const struct product *product)
{
    const int compute = product->compute;
    const bool is_whole = compute == COMPUTE_S32 || compute == COMPUTE_S32_PEDANTIC;
    const bool is_double = compute == COMPUTE_F64 || compute == COMPUTE_F64_PEDANTIC ||
                           compute == COMPUTE_F64_EMULATED;
    const bool is_half = compute == COMPUTE_F16 || compute == COMPUTE_F16_PEDANTIC;
    return compute >= COMPUTE_F16 && compute <= COMPUTE_LAST &&
           is_whole == (product->c.type == TYPE_S32) &&
           is_double == (product->a.type == TYPE_F64 || product->a.type == TYPE_C64) &&
           (!is_half || (product->a.type == TYPE_F16 && product->c.type == TYPE_F16));
}

static int multiply(void *pointer, const struct product *product)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    const int factor = product->a.type, result = product->c.type;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_valid(handle, product))
        return WL_CUBLAS_INVALID_VALUE;
    if (factor != product->b.type || !is_compute_type(product))
        return WL_CUBLAS_NOT_SUPPORTED;
    if (factor == result && (factor == TYPE_F32 || factor == TYPE_F64))
        return multiply_plain(pointer, product);
    if (factor == result && (factor == TYPE_C32 || factor == TYPE_C64))
        return multiply_complex(pointer, product);
    for (size_t i = 0; i < WL_COUNT(product_rows); i++) {
        if (product_rows[i].factor != factor || product_rows[i].result != result)
            continue;
        if (!product->m || !product->n || !product->count)
            return WL_CUBLAS_OK;
        return multiply_mixed(handle, product, &product_rows[i]);
    }
    return WL_CUBLAS_NOT_SUPPORTED;
}

int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm)
{
    return multiply(handle, &(struct product){.op_a = op_a,
                                              .op_b = op_b,
                                              .m = m,
                                              .n = n,
                                              .k = k,
                                              .count = count,
                                              .a = {a, type_a, lda, stride_a},
                                              .b = {b, type_b, ldb, stride_b},
                                              .c = {c, type_c, ldc, stride_c},
                                              .alpha = alpha,
                                              .beta = beta,
                                              .compute = compute,
                                              .algorithm = algorithm});
}

int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm)
{
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b,
                                      type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute,
                                      algorithm);
}

/* The arrays of pointers are in device memory, which the host can read here. */
int cublasGemmBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                        const void *const a[], int type_a, int lda, const void *const b[],
                        int type_b, int ldb, const void *beta, void *const c[], int type_c, int ldc,
                        int count, int compute, int algorithm)
{
    int status = count < 0 || !a || !b || !c ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_OK;
    for (int i = 0; status == WL_CUBLAS_OK && i < count; i++)
        status = cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a[i], type_a, lda, b[i], type_b,
                              ldb, beta, c[i], type_c, ldc, compute, algorithm);
    return status;
}

int cublasSgemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                  const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                  const float *beta, void *c, int type_c, int ldc)
{
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                        type_c, ldc, COMPUTE_F32, 0);
}

int cublasCgemmEx(void *handle, int op_a, int op_b, int m, int n, int k,
                  const struct wl_complex_single *alpha, const void *a, int type_a, int lda,
                  const void *b, int type_b, int ldb, const struct wl_complex_single *beta, void *c,
                  int type_c, int ldc)
{
    if (type_a != TYPE_C32 && wl_cublas_check(handle)) /* the factors would be no complex numbers */
        return WL_CUBLAS_NOT_SUPPORTED;
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                        type_c, ldc, COMPUTE_F32, 0);
}

int cublasCgemm3mEx(void *handle, int op_a, int op_b, int m, int n, int k,
                    const struct wl_complex_single *alpha, const void *a, int type_a, int lda,
                    const void *b, int type_b, int ldb, const struct wl_complex_single *beta,
                    void *c, int type_c, int ldc)
{
    return cublasCgemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta,
                         c, type_c, ldc);
}

int cublasHgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                              const void *alpha, const void *a, int lda, long long stride_a,
                              const void *b, int ldb, long long stride_b, const void *beta, void *c,
                              int ldc, long long stride_c, int count)
{
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, TYPE_F16, lda,
                                      stride_a, b, TYPE_F16, ldb, stride_b, beta, c, TYPE_F16, ldc,
                                      stride_c, count, COMPUTE_F16, 0);
}

int cublasHgemm(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc)
{
    return cublasHgemmStridedBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta,
                                     c, ldc, 0, 1);
}

int cublasHgemmBatched(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                       const void *const a[], int lda, const void *const b[], int ldb,
                       const void *beta, void *const c[], int ldc, int count)
{
    return cublasGemmBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, TYPE_F16, lda, b, TYPE_F16,
                               ldb, beta, c, TYPE_F16, ldc, count, COMPUTE_F16, 0);
}

/* ---- dot products ---- */

static int dot_narrow(struct wl_cublas_handle *handle, const char *kernel, int n, const void *x,
                      int incx, const void *y, int incy, void *result)
{
    void *place;
    int status = wl_cublas_result_place(handle, result, sizeof(uint16_t), &place);
    if (status)
        return status;
    status = wl_cublas_launch_kernel(handle, wl_cublas_find_kernel("mixed.ptx", kernel),
                                     (uint32_t[]){1, 1, 1},
                                     (void *[]){&n, &x, &incx, &y, &incy, &place});
    return wl_cublas_result_take(handle, result, place, sizeof(uint16_t), status);
}

/* Of complex numbers, of which the first vector's may be conjugated. */
static int dot_complex(void *handle, bool is_conjugate, int n, const void *x, int type, int incx,
                       const void *y, int incy, void *result)
{
    if (type == TYPE_C32)
        return (is_conjugate ? cublasCdotc_v2 : cublasCdotu_v2)(handle, n, x, incx, y, incy,
                                                                result);
    return (is_conjugate ? cublasZdotc_v2 : cublasZdotu_v2)(handle, n, x, incx, y, incy, result);
}

static int dot(void *pointer, bool is_conjugate, int n, const void *x, int type_x, int incx,
               const void *y, int type_y, int incy, void *result, int type_result,
               int type_execution)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    if (type_x != type_y || type_x != type_result)
        return WL_CUBLAS_NOT_SUPPORTED;
    if (type_x == TYPE_F32 && type_execution == TYPE_F32)
        return cublasSdot_v2(pointer, n, x, incx, y, incy, result);
    if (type_x == TYPE_F64 && type_execution == TYPE_F64)
        return cublasDdot_v2(pointer, n, x, incx, y, incy, result);
    if (type_x == type_execution && (type_x == TYPE_C32 || type_x == TYPE_C64))
        return dot_complex(pointer, is_conjugate, n, x, type_x, incx, y, incy, result);
    if (type_execution != TYPE_F32 || (type_x != TYPE_F16 && type_x != TYPE_BF16))
        return WL_CUBLAS_NOT_SUPPORTED;
    return dot_narrow(handle, type_x == TYPE_F16 ? "warplens_dot_f16" : "warplens_dot_bf16", n, x,
                      incx, y, incy, result);
}

int cublasDotEx(void *handle, int n, const void *x, int type_x, int incx, const void *y, int type_y,
                int incy, void *result, int type_result, int type_execution)
{
    return dot(handle, false, n, x, type_x, incx, y, type_y, incy, result, type_result,
               type_execution);
}

int cublasDotcEx(void *handle, int n, const void *x, int type_x, int incx, const void *y,
                 int type_y, int incy, void *result, int type_result, int type_execution)
{
    return dot(handle, true, n, x, type_x, incx, y, type_y, incy, result, type_result,
               type_execution);
}
