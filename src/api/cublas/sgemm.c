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
};

static struct wl_product read(const struct wl_product_kernel *self, const void *parameters)
{
    const struct parameters *of = parameters;
    const struct wl_product_matrix c = wl_product_matrix_of(of->c, WL_NUMBER_F32, of->ldc, false);
    return (struct wl_product){
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
}

#define KERNEL(a, b)                                                                         \
    {                                                                                        \
        .direct = WL_PRODUCT_DIRECT, TILE, DEPTH_STEP, .transposes_a = a, .transposes_b = b, \
        .read = read                                                                         \
    }

/* The kernel for the two operations; NULL if the module cannot be loaded. */
static struct wl_device_kernel *find_kernel(bool transpose_a, bool transpose_b)
{
    static const char *const names[2][2] = {
        {"warplens_sgemm_nn_64x64", "warplens_sgemm_nt_64x64"},
        {"warplens_sgemm_tn_64x64", "warplens_sgemm_tt_64x64"},
    };
    static const struct wl_product_kernel kernels[2][2] = {
        {KERNEL(false, false), KERNEL(false, true)},
        {KERNEL(true, false), KERNEL(true, true)},
    };
    return wl_product_kernel_known(
        wl_cublas_find_kernel("sgemm.ptx", names[transpose_a][transpose_b]),
        &kernels[transpose_a][transpose_b]);
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

enum wl_cublas_status wl_cublas_multiply(const struct wl_cublas_product *product)
{
    if (!is_valid(product))
        return WL_CUBLAS_INVALID_VALUE;
    if (!product->m || !product->n)
        return WL_CUBLAS_OK;
    const bool is_zero =
        wl_cublas_is_zero(product->handle, product->alpha, sizeof *product->alpha, 1);
    if (is_zero && *product->beta == 1.0f)
        return WL_CUBLAS_OK;
    int m = (int)product->m;
    int k = is_zero ? 0 : (int)product->k;
    int lda = (int)product->lda, ldb = (int)product->ldb, ldc = (int)product->ldc;
    const float *a = product->a, *b = product->b;
    float *c = product->c;
    enum wl_cublas_status status = WL_CUBLAS_OK;
    for (int64_t left = product->n; left > 0 && !status; left -= COLUMNS_MOST) {
        int n = wl_cublas_least(left, COLUMNS_MOST);
        void *parameters[] = {&m,   &n, &k,   (void *)(uintptr_t)product->alpha, &a,
                              &lda, &b, &ldb, (void *)(uintptr_t)product->beta,  &c,
                              &ldc};
        const uint32_t grid[] = {(uint32_t)(m + TILE - 1) / TILE, (uint32_t)(n + TILE - 1) / TILE,
                                 1};
        status = (enum wl_cublas_status)wl_cublas_launch_kernel(
            product->handle, find_kernel(product->transpose_a, product->transpose_b), grid,
            parameters);
        b += n * (product->transpose_b ? 1 : product->ldb);
        c += n * product->ldc;
    }
    return status;
}
