/* What cublasLtMatmul does to a product: bias, ReLU and GELU, their gradients, what these keep for
 * each other, and gradients of biases. */
#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "base/count.h"

enum {
    RELU = WL_LT_EPILOGUE_RELU,
    BIAS = WL_LT_EPILOGUE_BIAS,
    DRELU = WL_LT_EPILOGUE_DRELU,
    BIAS_GRADIENT = WL_LT_EPILOGUE_BIAS_GRADIENT,
    AUXILIARY = WL_LT_EPILOGUE_AUXILIARY,
    SUM_OF_A = WL_LT_EPILOGUE_SUM_OF_A,
    SUM_OF_B = WL_LT_EPILOGUE_SUM_OF_B,
};
enum { MASK_STEP = 128, INPUT_STEP = 8 }; /* what a leading dimension is a multiple of */

static int64_t number(const struct wl_lt_product *product, unsigned which)
{
    return wl_lt_number_of(product->operation, which);
}

static void *pointer(const struct wl_lt_product *product, unsigned which)
{
    return (void *)(uintptr_t)number(product, which);
}

static bool is_known(int64_t epilogue)
{
    static const uint16_t known[] = {1,   2,   4,   6,   32,  36,  130, 134,
                                     136, 152, 160, 164, 192, 208, 256, 512};
    for (size_t i = 0; i < WL_COUNT(known); i++)
        if (known[i] == epilogue)
            return true;
    return false;
}

/* A type that an attribute tells, D's if it does not. */
static int type_of(const struct wl_lt_product *product, unsigned which)
{
    const int64_t told = number(product, which);
    return wl_lt_kernel_type(told < 0 ? product->d.type : told);
}

/* Bias and ReLU are all that there is for doubles. */
static bool is_of_doubles(const struct wl_lt_product *product)
{
    const int64_t bias_type = number(product, WL_LT_OPERATION_BIAS_TYPE);
    return product->a.type == WL_LT_F64 && product->b.type == WL_LT_F64 &&
           product->d.type == WL_LT_F64 && (bias_type < 0 || bias_type == WL_LT_F64);
}

static bool has_mask(int64_t epilogue)
{
    return epilogue & (RELU | DRELU);
}

static int check_auxiliary(const struct wl_lt_product *product, int64_t epilogue)
{
    const int64_t step = has_mask(epilogue) ? MASK_STEP : INPUT_STEP,
                  leading = number(product, WL_LT_OPERATION_AUX_LEADING),
                  stride = number(product, WL_LT_OPERATION_AUX_STRIDE);
    return leading >= product->d.rows && leading % step == 0 && stride % step == 0
               ? WL_LT_OK
               : WL_LT_INVALID_VALUE;
}

int wl_lt_check_epilogue(const struct wl_lt_product *product)
{
    const int64_t epilogue = number(product, WL_LT_OPERATION_EPILOGUE);
    if (product->a.order > 1 || product->b.order > 1 || product->c.order > 1 ||
        product->d.order > 1)
        return WL_LT_NOT_SUPPORTED;
    if (epilogue == WL_LT_EPILOGUE_DEFAULT)
        return WL_LT_OK;
    if (is_of_doubles(product))
        return epilogue & ~(int64_t)(RELU | BIAS) ? WL_LT_NOT_SUPPORTED : WL_LT_OK;
    const bool has_types = wl_lt_kernel_type(product->d.type) >= 0 &&
                           wl_lt_kernel_type(product->a.type) >= 0 &&
                           wl_lt_kernel_type(product->b.type) >= 0 &&
                           type_of(product, WL_LT_OPERATION_BIAS_TYPE) >= 0 &&
                           type_of(product, WL_LT_OPERATION_AUX_TYPE) >= 0;
    if (!is_known(epilogue) || !has_types || (epilogue & AUXILIARY && product->d.is_by_rows))
        return WL_LT_NOT_SUPPORTED;
    return epilogue & AUXILIARY ? check_auxiliary(product, epilogue) : WL_LT_OK;
}

bool wl_lt_has_epilogue_memory(const struct wl_lt_product *product)
{
    const int64_t epilogue = number(product, WL_LT_OPERATION_EPILOGUE);
    return (!(epilogue & (BIAS | BIAS_GRADIENT | SUM_OF_A | SUM_OF_B)) ||
            pointer(product, WL_LT_OPERATION_BIAS)) &&
           (!(epilogue & AUXILIARY) || pointer(product, WL_LT_OPERATION_AUX));
}

/* ---- its kernels ---- */

/* In cuBLASLt it is part of the product. */
static void set_fused(const char *name)
{
    struct wl_device_kernel *kernel = wl_stand_in_kernel(&wl_lt_kernels, name);
    if (kernel)
        wl_device_kernel_set_fused(kernel);
}

static int finish_plain(const struct wl_lt_product *product, int what, void *to, void *stream)
{
    int type = wl_lt_kernel_type(product->d.type);
    int bias_type = type_of(product, WL_LT_OPERATION_BIAS_TYPE);
    const void *bias = pointer(product, WL_LT_OPERATION_BIAS);
    long long rows = product->d.rows, columns = product->d.columns, leading = product->d.leading;
    void *parameters[] = {&type, &bias_type, &what, &to, &bias, &rows, &columns, &leading};
    struct wl_device_kernel *kernel = wl_stand_in_kernel(&wl_lt_kernels, "warplens_epilogue");
    if (kernel)
        wl_device_kernel_set_direct(kernel, &wl_lt_epilogue_direct);
    set_fused("warplens_epilogue");
    return wl_stand_in_run(&wl_lt_kernels, "warplens_epilogue", (uint64_t)(rows * columns), stream,
                           parameters);
}

static long long count_of(const struct wl_lt_matrix *matrix)
{
    return matrix->count > 1 ? matrix->count : 1;
}

static int finish_wide(const struct wl_lt_product *product, int what, void *to, void *stream)
{
    const struct wl_lt_matrix *d = &product->d;
    struct wl_lt_epilogue arguments = {
        .type = wl_lt_kernel_type(d->type),
        .bias_type = type_of(product, WL_LT_OPERATION_BIAS_TYPE),
        .aux_type = type_of(product, WL_LT_OPERATION_AUX_TYPE),
        .what = what,
        .rows = d->rows,
        .columns = d->columns,
        .count = count_of(d),
        .row_step = d->is_by_rows ? d->leading : 1,
        .column_step = d->is_by_rows ? 1 : d->leading,
        .stride = d->stride,
        .d = to,
        .bias = pointer(product, WL_LT_OPERATION_BIAS),
        .bias_stride = number(product, WL_LT_OPERATION_BIAS_STRIDE),
        .aux = pointer(product, WL_LT_OPERATION_AUX),
        .aux_leading = number(product, WL_LT_OPERATION_AUX_LEADING),
        .aux_stride = number(product, WL_LT_OPERATION_AUX_STRIDE),
    };
    set_fused("warplens_epilogue_doubles");
    set_fused("warplens_epilogue_wide");
    if (is_of_doubles(product))
        return wl_stand_in_run(&wl_lt_kernels, "warplens_epilogue_doubles",
                               (uint64_t)(d->rows * d->columns * count_of(d)), stream,
                               (void *[]){&arguments});
    const long long groups = (d->rows + 7) / 8;
    return wl_stand_in_run(&wl_lt_kernels, "warplens_epilogue_wide",
                           (uint64_t)(groups * d->columns * count_of(d)), stream,
                           (void *[]){&arguments});
}

/* Sums of a matrix's rows, or of its columns, into the bias's place. */
static int sum_lines(const struct wl_lt_product *product, const struct wl_lt_matrix *matrix,
                     const void *from, bool are_columns, void *stream)
{
    const long long row_step = matrix->is_by_rows ? matrix->leading : 1,
                    column_step = matrix->is_by_rows ? 1 : matrix->leading,
                    lines = are_columns ? matrix->columns : matrix->rows;
    struct wl_lt_sums arguments = {
        .type = wl_lt_kernel_type(matrix->type),
        .to_type = type_of(product, WL_LT_OPERATION_BIAS_TYPE),
        .from = from,
        .depth = are_columns ? matrix->rows : matrix->columns,
        .line_step = are_columns ? column_step : row_step,
        .depth_step = are_columns ? row_step : column_step,
        .stride = matrix->stride,
        .to = pointer(product, WL_LT_OPERATION_BIAS),
        .to_stride = number(product, WL_LT_OPERATION_BIAS_STRIDE),
    };
    struct wl_device_request request = {
        .kernel = wl_stand_in_kernel(&wl_lt_kernels, "warplens_line_sums"),
        .grid = {(uint32_t)lines, (uint32_t)count_of(&product->d), 1},
        .block = {WL_STAND_IN_THREADS, 1, 1},
        .stream = stream,
        .parameters = (void *[]){&arguments},
    };
    set_fused("warplens_line_sums");
    return request.kernel ? wl_device_launch(&request) : WL_DEVICE_NO_IMAGE;
}

int wl_lt_finish_product(const struct wl_lt_product *product, const void *a, const void *b, void *d,
                         void *stream)
{
    const int64_t epilogue = number(product, WL_LT_OPERATION_EPILOGUE);
    const int what = (int)(epilogue & ~(int64_t)(BIAS_GRADIENT | SUM_OF_A | SUM_OF_B));
    int status = WL_DEVICE_OK;
    if (epilogue == WL_LT_EPILOGUE_DEFAULT || !product->d.rows || !product->d.columns)
        return WL_LT_OK;
    if (what)
        status = what & ~WL_LT_EPILOGUE_ALL || product->d.is_by_rows || product->d.count > 1 ||
                         is_of_doubles(product)
                     ? finish_wide(product, what, d, stream)
                     : finish_plain(product, what, d, stream);
    if (!status && epilogue & BIAS_GRADIENT)
        status = sum_lines(product, &product->d, d, false, stream);
    if (!status && epilogue & SUM_OF_A)
        status =
            sum_lines(product, &product->a, a, number(product, WL_LT_OPERATION_A) != 0, stream);
    if (!status && epilogue & SUM_OF_B)
        status =
            sum_lines(product, &product->b, b, number(product, WL_LT_OPERATION_B) == 0, stream);
    return status ? WL_LT_EXECUTION_FAILED : WL_LT_OK;
}
