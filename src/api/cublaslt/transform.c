/* Matrices in any of the orders that layouts have: cublasLtMatrixTransform, which is
 * C = alpha op(A) + beta op(B) of real numbers, and products of 8-bit integers. */
#include <string.h>

#include "api/cublas/narrow.h"
#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "base/count.h"

enum { SCALE_TYPE, POINTERS, OPERATION_A, OPERATION_B };
enum { POINTERS_ON_HOST, POINTERS_ON_DEVICE };
enum { S8 = 3, C32 = 4, S32 = 10, F64 = 1 };
enum { COMPUTE_S32 = 72, COMPUTE_S32_PEDANTIC = 73 };
enum { ORDER_COLUMNS, ORDER_ROWS, ORDER_32, ORDER_TILES_OF_8, ORDER_TILES_OF_32, ORDERS };

static int kernel_type(int64_t type)
{
    return type == S8    ? WL_NUMBER_S8
           : type == S32 ? WL_NUMBER_S32
           : type == F64 ? WL_NUMBER_F64
                         : wl_lt_kernel_type(type);
}

/* What a leading dimension is at least. */
static int64_t least_leading(const struct wl_lt_matrix *matrix)
{
    switch (matrix->order) {
    case ORDER_COLUMNS:
        return matrix->rows;
    case ORDER_ROWS:
        return matrix->columns;
    case ORDER_32:
        return 32 * matrix->rows;
    case ORDER_TILES_OF_8:
        return 32 * ((matrix->rows + 7) / 8 * 8);
    default:
        return 32 * ((matrix->rows + 31) / 32 * 32);
    }
}

bool wl_lt_is_right(const struct wl_lt_matrix *matrix)
{
    return matrix->order >= 0 && matrix->order < ORDERS && matrix->leading >= least_leading(matrix);
}

static bool read_matrix(void *layout, struct wl_lt_matrix *matrix)
{
    return wl_lt_read_layout(layout, matrix) && wl_lt_is_right(matrix);
}

static struct wl_lt_ordered ordered(const struct wl_lt_matrix *matrix, const void *at,
                                    bool is_transposed)
{
    return (struct wl_lt_ordered){.type = kernel_type(matrix->type),
                                  .order = (int)matrix->order,
                                  .is_transposed = is_transposed,
                                  .leading = matrix->leading,
                                  .stride = matrix->stride,
                                  .at = at};
}

static bool does_fit(const struct wl_lt_matrix *matrix, bool is_transposed,
                     const struct wl_lt_matrix *c)
{
    return (is_transposed ? matrix->columns : matrix->rows) == c->rows &&
           (is_transposed ? matrix->rows : matrix->columns) == c->columns &&
           matrix->count == c->count;
}

/* A factor on the host. */
static double value_at(int64_t type, const void *from)
{
    union {
        float single;
        double twice;
        int32_t whole;
        uint16_t half;
    } bits = {0};
    memcpy(&bits, from, (size_t)wl_lt_element_bytes(type));
    return type == WL_LT_F32 ? bits.single
           : type == F64     ? bits.twice
           : type == S32     ? bits.whole
                             : (double)wl_narrow_value(bits.half, false);
}

/* Which conversions there are with factors of a type. */
static bool does_convert(int64_t scale, int64_t from, int64_t to)
{
    static const uint8_t rows[][3] = {
        {WL_LT_F32, WL_LT_F32, WL_LT_F32},
        {WL_LT_F32, WL_LT_F32, WL_LT_F16},
        {WL_LT_F32, WL_LT_F32, WL_LT_BF16},
        {WL_LT_F32, WL_LT_F16, WL_LT_F32},
        {WL_LT_F32, WL_LT_F16, WL_LT_F16},
        {WL_LT_F32, WL_LT_BF16, WL_LT_F32},
        {WL_LT_F32, WL_LT_BF16, WL_LT_BF16},
        {WL_LT_F32, S8, S8},
        {WL_LT_F32, S32, S32},
        {WL_LT_F16, WL_LT_F16, WL_LT_F16},
        {S32, S8, S8},
        {S32, S32, S32},
        {F64, F64, F64},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i][0] == scale && rows[i][1] == from && rows[i][2] == to)
            return true;
    return false;
}

/* Where factors are, or what they are. */
static void set_factors(const void *places[2], double values[2], bool are_on_device, int64_t type,
                        const void *alpha, const void *beta)
{
    const void *const factors[] = {alpha, beta};
    for (int i = 0; i < 2; i++) {
        if (are_on_device)
            places[i] = factors[i];
        else if (factors[i])
            values[i] = value_at(type, factors[i]);
    }
}

int cublasLtMatrixTransform(void *handle, void *description, const void *alpha, const void *a,
                            void *a_layout, const void *beta, const void *b, void *b_layout,
                            void *c, void *c_layout, void *stream)
{
    const struct wl_lt_attributes *of = wl_lt_check_transform(description);
    struct wl_lt_matrix left, right = {0}, result;
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (!of || !alpha || !a || !c || !read_matrix(a_layout, &left) ||
        !read_matrix(c_layout, &result) || (b && (!beta || !read_matrix(b_layout, &right))))
        return WL_LT_INVALID_VALUE;
    const bool turns_a = wl_lt_number_of(of, OPERATION_A) != 0,
               turns_b = wl_lt_number_of(of, OPERATION_B) != 0;
    const int64_t scale = wl_lt_number_of(of, SCALE_TYPE), pointers = wl_lt_number_of(of, POINTERS);
    if (!does_fit(&left, turns_a, &result) || (b && !does_fit(&right, turns_b, &result)))
        return WL_LT_INVALID_VALUE;
    if (pointers > POINTERS_ON_DEVICE || scale == C32 || left.is_list || right.is_list ||
        result.is_list) {
        wl_device_refuse("cublasLtMatrixTransform (cuBLASLt) of complex numbers, of lists of "
                         "matrices or with vectors");
        return WL_LT_NOT_SUPPORTED;
    }
    if (!does_convert(scale, left.type, result.type) ||
        (b && !does_convert(scale, right.type, result.type)))
        return WL_LT_NOT_SUPPORTED;
    struct wl_lt_transform transform = {.rows = result.rows,
                                        .columns = result.columns,
                                        .count = result.count > 1 ? result.count : 1,
                                        .factor_type = kernel_type(scale),
                                        .a = ordered(&left, a, turns_a),
                                        .b = ordered(&right, b, turns_b),
                                        .c = ordered(&result, c, false)};
    set_factors(transform.factors, transform.values, pointers == POINTERS_ON_DEVICE, scale, alpha,
                beta);
    return wl_stand_in_run(&wl_lt_kernels, "warplens_transform",
                           (uint64_t)(transform.rows * transform.columns * transform.count), stream,
                           (void *[]){&transform})
               ? WL_LT_EXECUTION_FAILED
               : WL_LT_OK;
}

/* ---- products of 8-bit integers ---- */

bool wl_lt_is_whole(const struct wl_lt_product *product)
{
    return product->a.type == S8 && product->b.type == S8 &&
           (product->d.type == S8 || product->a.order > ORDER_ROWS ||
            product->b.order > ORDER_ROWS || product->d.order > ORDER_ROWS);
}

/* C and D of 8 bits are scaled by single precision, those of 32 by integers. */
int wl_lt_check_whole(const struct wl_lt_product *product)
{
    const struct wl_lt_attributes *of = product->operation;
    const struct wl_lt_matrix *const all[] = {&product->a, &product->b, &product->c, &product->d};
    const int64_t type = product->d.type, compute = wl_lt_number_of(of, WL_LT_OPERATION_COMPUTE);
    for (size_t i = 0; i < WL_COUNT(all); i++)
        if (!wl_lt_is_right(all[i]))
            return WL_LT_INVALID_VALUE;
    if (!wl_lt_do_sizes_fit(product))
        return WL_LT_INVALID_VALUE;
    return (compute == COMPUTE_S32 || compute == COMPUTE_S32_PEDANTIC) && product->c.type == type &&
                   (type == S8 || type == S32) &&
                   wl_lt_number_of(of, WL_LT_OPERATION_SCALE) == (type == S8 ? WL_LT_F32 : S32) &&
                   wl_lt_number_of(of, WL_LT_OPERATION_EPILOGUE) == WL_LT_EPILOGUE_DEFAULT &&
                   wl_lt_number_of(of, WL_LT_OPERATION_POINTERS) <= POINTERS_ON_DEVICE
               ? WL_LT_OK
               : WL_LT_NOT_SUPPORTED;
}

int wl_lt_multiply_whole(void *handle, const struct wl_lt_product *product,
                         const struct wl_lt_memory *memory, void *stream)
{
    const struct wl_lt_attributes *of = product->operation;
    const bool turns_a = wl_lt_number_of(of, WL_LT_OPERATION_A) != 0,
               turns_b = wl_lt_number_of(of, WL_LT_OPERATION_B) != 0;
    const int64_t scale = wl_lt_number_of(of, WL_LT_OPERATION_SCALE);
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (!memory->alpha || !memory->beta || !memory->a || !memory->b || !memory->d)
        return WL_LT_INVALID_VALUE;
    const int status = wl_lt_check_whole(product);
    if (status == WL_LT_NOT_SUPPORTED)
        wl_device_refuse("cublasLtMatmul (cuBLASLt) of 8-bit integers with this epilogue, order or "
                         "types");
    if (status)
        return status;
    struct wl_lt_whole whole = {
        .rows = product->d.rows,
        .columns = product->d.columns,
        .depth = turns_a ? product->a.rows : product->a.columns,
        .count = product->d.count > 1 ? product->d.count : 1,
        .factor_type = kernel_type(scale),
        .a = ordered(&product->a, memory->a, turns_a),
        .b = ordered(&product->b, memory->b, turns_b),
        .c = ordered(&product->c, memory->c ? memory->c : memory->d, false),
        .d = ordered(&product->d, memory->d, false),
    };
    set_factors(whole.factors, whole.values,
                wl_lt_number_of(of, WL_LT_OPERATION_POINTERS) == POINTERS_ON_DEVICE, scale,
                memory->alpha, memory->beta);
    return wl_stand_in_run(&wl_lt_kernels, "warplens_whole",
                           (uint64_t)(whole.rows * whole.columns * whole.count), stream,
                           (void *[]){&whole})
               ? WL_LT_EXECUTION_FAILED
               : WL_LT_OK;
}
