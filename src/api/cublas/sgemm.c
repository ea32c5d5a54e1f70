#include "api/cublas/sgemm.h"

#include <limits.h>
#include <stddef.h>

#include "api/cublas/product.h"
#include "api/cublas/stand_in.h"

#define TILE 64
#define COLUMNS_MOST ((int64_t)TILE * WL_CUBLAS_BLOCKS_MOST) /* of a launch */
#define DEPTH_STEP 8

/* The kernels' parameters. */
struct parameters {
    int m, n, k;
    float alpha;
    const float *a;
    int lda;
    const float *b;
    int ldb;
    float beta;
    float *c;
    int ldc;
    long long stride_a, stride_b, stride_c;
};

static struct wl_product read(const struct wl_product_kernel *self, const void *parameters)
{
    const struct parameters *of = parameters;
    struct wl_product_matrix c = wl_product_matrix_of(of->c, WL_NUMBER_F32, of->ldc, false);
    c.stride = of->stride_c;
    struct wl_product product = {
        .rows = of->m,
        .columns = of->n,
        .depth = of->k,
        .a = wl_product_matrix_of(of->a, WL_NUMBER_F32, of->lda, self->transposes_a),
        .b = wl_product_matrix_of(of->b, WL_NUMBER_F32, of->ldb, self->transposes_b),
        .c = c,
        .d = c,
        .alpha.f32 = of->alpha,
        .beta.f32 = of->beta,
    };
    product.a.stride = of->stride_a;
    product.b.stride = of->stride_b;
    return product;
}

#define KERNEL(a, b, round)                                                                  \
    {                                                                                        \
        .direct = WL_PRODUCT_DIRECT, TILE, DEPTH_STEP, .transposes_a = a, .transposes_b = b, \
        .read = read, .may_round = round                                                     \
    }
#define KERNELS(round)                                               \
    {                                                                \
        {KERNEL(false, false, round), KERNEL(false, true, round)},   \
            {KERNEL(true, false, round), KERNEL(true, true, round)}, \
    }

/* The kernel for the two operations; NULL if the module cannot be loaded. may_round: tensor cores
 * may be used, in TF32. */
static struct wl_device_kernel *find_kernel(bool transpose_a, bool transpose_b, bool may_round)
{
    static const char *const names[2][2] = {
        {"warplens_sgemm_nn_64x64", "warplens_sgemm_nt_64x64"},
        {"warplens_sgemm_tn_64x64", "warplens_sgemm_tt_64x64"},
    };
    static const struct wl_product_kernel kernels[2][2][2] = {KERNELS(false), KERNELS(true)};
    return wl_product_kernel_known(
        wl_cublas_find_kernel("sgemm.ptx", names[transpose_a][transpose_b]),
        &kernels[may_round][transpose_a][transpose_b]);
}

static int64_t at_least_one(int64_t value)
{
    return value > 1 ? value : 1;
}

static bool is_valid(const struct wl_cublas_product *product)
{
    int64_t rows_a = product->transpose_a ? product->k : product->m;
    int64_t rows_b = product->transpose_b ? product->n : product->k;
    return product->m >= 0 && product->n >= 0 && product->k >= 0 &&
           product->lda >= at_least_one(rows_a) && product->ldb >= at_least_one(rows_b) &&
           product->ldc >= at_least_one(product->m) && product->m <= INT_MAX - TILE &&
           product->n <= INT_MAX - TILE && product->k <= INT_MAX - TILE &&
           product->lda <= INT_MAX && product->ldb <= INT_MAX && product->ldc <= INT_MAX;
}

/* What is larger than a grid may be in y and z takes several launches. */
static enum wl_cublas_status launch_all(const struct wl_cublas_product *product, int k)
{
    const struct wl_cublas_handle *handle = product->handle;
    struct wl_device_kernel *kernel = find_kernel(product->transpose_a, product->transpose_b,
                                                  handle->math_mode == WL_CUBLAS_MATH_TF32);
    int m = (int)product->m;
    int lda = (int)product->lda, ldb = (int)product->ldb, ldc = (int)product->ldc;
    long long stride_a = product->stride_a, stride_b = product->stride_b,
              stride_c = product->stride_c;
    enum wl_cublas_status status = WL_CUBLAS_OK;
    for (int64_t batch = 0; batch < product->count && !status; batch += WL_CUBLAS_BLOCKS_MOST)
        for (int64_t column = 0; column < product->n && !status; column += COLUMNS_MOST) {
            int n = wl_cublas_least(product->n - column, COLUMNS_MOST);
            const float *a = product->a + batch * stride_a;
            const float *b =
                product->b + batch * stride_b + column * (product->transpose_b ? 1 : product->ldb);
            float *c = product->c + batch * stride_c + column * product->ldc;
            void *parameters[] = {&m,
                                  &n,
                                  &k,
                                  (void *)(uintptr_t)product->alpha,
                                  &a,
                                  &lda,
                                  &b,
                                  &ldb,
                                  (void *)(uintptr_t)product->beta,
                                  &c,
                                  &ldc,
                                  &stride_a,
                                  &stride_b,
                                  &stride_c};
            const uint32_t grid[] = {
                (uint32_t)(m + TILE - 1) / TILE, (uint32_t)(n + TILE - 1) / TILE,
                (uint32_t)wl_cublas_least(product->count - batch, WL_CUBLAS_BLOCKS_MOST)};
            status =
                (enum wl_cublas_status)wl_cublas_launch_kernel(handle, kernel, grid, parameters);
        }
    return status;
}

enum wl_cublas_status wl_cublas_multiply(const struct wl_cublas_product *product)
{
    if (!is_valid(product))
        return WL_CUBLAS_INVALID_VALUE;
    if (!product->m || !product->n || !product->count)
        return WL_CUBLAS_OK;
    const bool is_zero =
        wl_cublas_is_zero(product->handle, product->alpha, sizeof *product->alpha, 1);
    if (is_zero && *product->beta == 1.0f)
        return WL_CUBLAS_OK;
    return launch_all(product, is_zero ? 0 : (int)product->k);
}
