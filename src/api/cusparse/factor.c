/* Incomplete factors and triangles of the older calls, of rows and of blocks. */
#include <limits.h>

#include "api/cusparse/older.h"
#include "device/graph/graph.h"

/* Where no row lacks a pivot, or -1. */
enum { NO_PIVOT = INT_MAX };

struct wl_sparse wl_sparse_rows(int rows, int columns, long long count, const void *values,
                                const int *offsets, const int *indices, int base)
{
    return (struct wl_sparse){.offsets = (void *)(uintptr_t)offsets,
                              .columns = (void *)(uintptr_t)indices,
                              .values = (void *)(uintptr_t)values,
                              .row_count = rows,
                              .column_count = columns,
                              .element_count = count,
                              .base = base};
}

bool wl_sparse_blocks_check(const struct wl_sparse_blocks *given)
{
    return given->block_rows > 0 && given->block_columns > 0 && given->rows >= 0 &&
           given->columns >= 0 && (given->direction == 0 || given->direction == 1);
}

struct wl_sparse wl_sparse_blocks_are(const struct wl_sparse_blocks *given)
{
    struct wl_sparse made =
        wl_sparse_rows(given->rows * given->block_rows, given->columns * given->block_columns, 0,
                       given->values, given->offsets, given->indices, given->base);
    made.form = WL_SPARSE_BLOCKS;
    made.is_block_by_column = given->direction;
    made.block_rows = given->block_rows;
    made.block_columns = given->block_columns;
    return made;
}

int wl_sparse_sum_counts(int *offsets, long long count, int base, void *stream, int *total)
{
    int is_wide = 0;
    long long first = base;
    int status = wl_sparse_run("sum_up", WL_SPARSE_NO_VALUES, 1, stream,
                               (void *[]){&offsets, &is_wide, &count, &first});
    if (!status && total)
        status = wl_sparse_wait(stream);
    if (!status && total) /* which the host can read here */
        *total = offsets[count] - base;
    return status;
}

/* ---- what is kept ---- */

int wl_sparse_create_info(struct wl_sparse_info **made)
{
    if (!made)
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_INFO, sizeof **made);
    return WL_SPARSE_OK;
}

int wl_sparse_destroy_info(struct wl_sparse_info *self)
{
    if (!self)
        return WL_SPARSE_OK;
    if (!wl_stand_in_check(self, WL_SPARSE_INFO))
        return WL_SPARSE_INVALID_VALUE;
    if (self->zero_pivot)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, self->zero_pivot);
    if (self->places)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, self->places);
    wl_stand_in_destroy(self, WL_SPARSE_INFO);
    return WL_SPARSE_OK;
}

WL_SPARSE_INFO_CALLS(Csrilu02)
WL_SPARSE_INFO_CALLS(Csric02)
WL_SPARSE_INFO_CALLS(Bsrilu02)
WL_SPARSE_INFO_CALLS(Bsric02)
WL_SPARSE_INFO_CALLS(Bsrsv2)
WL_SPARSE_INFO_CALLS(Bsrsm2)

int wl_sparse_ready_info(void *handle, struct wl_sparse_info *self, void **stream)
{
    void *made;
    int status = wl_sparse_stream(handle, stream);
    if (status)
        return status;
    if (!wl_stand_in_check(self, WL_SPARSE_INFO))
        return WL_SPARSE_INVALID_VALUE;
    if (self->zero_pivot)
        return WL_SPARSE_OK;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, sizeof *self->zero_pivot, 0, &made))
        return WL_SPARSE_ALLOC_FAILED;
    self->zero_pivot = made;
    *self->zero_pivot = -1;
    return WL_SPARSE_OK;
}

int wl_sparse_zero_pivot(void *handle, struct wl_sparse_info *self, int *position)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (!wl_stand_in_check(self, WL_SPARSE_INFO) || !position || !self->is_analysed)
        return WL_SPARSE_INVALID_VALUE;
    status = wl_sparse_wait(stream);
    if (status)
        return status;
    *position = *self->zero_pivot == NO_PIVOT ? -1 : *self->zero_pivot;
    return *position < 0 ? WL_SPARSE_OK : WL_SPARSE_ZERO_PIVOT;
}

#define ZERO_PIVOT(name)                                                                      \
    int cusparseX##name##_zeroPivot(void *handle, struct wl_sparse_info *info, int *position) \
    {                                                                                         \
        return wl_sparse_zero_pivot(handle, info, position);                                  \
    }
ZERO_PIVOT(csrilu02)
ZERO_PIVOT(csric02)
ZERO_PIVOT(bsrilu02)
ZERO_PIVOT(bsric02)
ZERO_PIVOT(bsrsv2)
ZERO_PIVOT(bsrsm2)

int wl_sparse_find_pivot(enum wl_sparse_type type, struct wl_sparse *a, int with_numbers,
                         struct wl_sparse_info *self, void *stream)
{
    struct wl_device_operation clear = {.kind = WL_DEVICE_OPERATION_FILL,
                                        .fill = {self->zero_pivot, NO_PIVOT,
                                                 sizeof *self->zero_pivot, 1, 1,
                                                 sizeof *self->zero_pivot}};
    return wl_device_submit(&clear, stream)
               ? WL_SPARSE_EXECUTION_FAILED
               : wl_sparse_run_older("find_pivots", type, a->row_count, stream,
                                     (void *[]){a, &with_numbers, &self->zero_pivot});
}

int wl_sparse_give_int_size(void *handle, bool is_right, int *size_bytes)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!is_right || !size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    *size_bytes = WL_SPARSE_SPACE_BYTES;
    return WL_SPARSE_OK;
}

/* ---- incomplete factors ---- */

/* Where elements are is looked at: values may come later. */
static int analyse(void *handle, enum wl_sparse_type type, struct wl_sparse a,
                   const void *description, struct wl_sparse_info *info)
{
    void *stream;
    int status = wl_sparse_ready_info(handle, info, &stream);
    if (!status && (!description || a.row_count <= 0))
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    info->is_analysed = true;
    return wl_sparse_find_pivot(type, &a, 0, info, stream);
}

static int factor(void *handle, enum wl_sparse_type type, struct wl_sparse a,
                  const void *description, struct wl_sparse_info *info, bool is_cholesky)
{
    void *stream;
    int status = wl_sparse_ready_info(handle, info, &stream);
    if (!status && (!description || a.row_count < 0 || !a.values))
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    info->is_analysed = true;
    return is_cholesky ? wl_sparse_run_older("factor_cholesky", type, 1, stream,
                                             (void *[]){&a, &info->zero_pivot})
                       : wl_sparse_run_older("factor_lu", type, 1, stream,
                                             (void *[]){&a, &info->zero_pivot, &info->is_boosted,
                                                        &info->tolerance, &info->boost});
}

static int boost(void *handle, enum wl_sparse_type type, struct wl_sparse_info *info,
                 int is_boosted, const double *tolerance, const void *value)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!wl_stand_in_check(info, WL_SPARSE_INFO))
        return WL_SPARSE_INVALID_VALUE;
    if (is_boosted && (!tolerance || !value))
        return WL_SPARSE_INTERNAL_ERROR;
    info->is_boosted = is_boosted != 0;
    if (!is_boosted)
        return WL_SPARSE_OK;
    info->tolerance = *tolerance;
    info->boost = wl_sparse_read_scalar(value, type);
    return WL_SPARSE_OK;
}

#define CSR_PARAMETERS                                                                         \
    void *handle, int m, int count, const void *description, void *values, const int *offsets, \
        const int *indices, struct wl_sparse_info *info
#define BSR_PARAMETERS                                                                     \
    void *handle, int direction, int mb, int count, const void *description, void *values, \
        const int *offsets, const int *indices, int block, struct wl_sparse_info *info
#define CSR wl_sparse_rows(m, m, count, values, offsets, indices, wl_sparse_base(description))
#define BSR                                                                                    \
    (struct wl_sparse_blocks)                                                                  \
    {                                                                                          \
        direction, block, block, mb, mb, values, offsets, indices, wl_sparse_base(description) \
    }

static struct wl_sparse blocks(struct wl_sparse_blocks given)
{
    if (wl_sparse_blocks_check(&given))
        return wl_sparse_blocks_are(&given);
    return (struct wl_sparse){.row_count = -1};
}

#define FACTORS(Letter, type, name, parameters, matrix, size, is_cholesky)             \
    int cusparse##Letter##name##_bufferSize(parameters, int *size_bytes)               \
    {                                                                                  \
        (void)count, (void)description, (void)values, (void)offsets, (void)indices;    \
        return wl_sparse_give_int_size(                                                \
            handle, size >= 0 && wl_stand_in_check(info, WL_SPARSE_INFO), size_bytes); \
    }                                                                                  \
    int cusparse##Letter##name##_analysis(parameters, int policy, void *space)         \
    {                                                                                  \
        (void)policy, (void)space, (void)count;                                        \
        return analyse(handle, type, matrix, description, info);                       \
    }                                                                                  \
    int cusparse##Letter##name(parameters, int policy, void *space)                    \
    {                                                                                  \
        (void)policy, (void)space, (void)count;                                        \
        return factor(handle, type, matrix, description, info, is_cholesky);           \
    }
#define BOOST(Letter, type, name)                                                             \
    int cusparse##Letter##name##_numericBoost(void *handle, struct wl_sparse_info *info,      \
                                              int is_boosted, double *tolerance, void *value) \
    {                                                                                         \
        return boost(handle, type, info, is_boosted, tolerance, value);                       \
    }
#define ALL_FACTORS(Letter, type)                                                                  \
    FACTORS(Letter, type, csrilu02, CSR_PARAMETERS, CSR, m, false)                                 \
    FACTORS(Letter, type, csric02, CSR_PARAMETERS, CSR, m, true)                                   \
    FACTORS(Letter, type, bsrilu02, BSR_PARAMETERS, blocks(BSR),                                   \
            (direction + block > 0 ? mb : -1), false)                                              \
    FACTORS(Letter, type, bsric02, BSR_PARAMETERS, blocks(BSR), (direction + block > 0 ? mb : -1), \
            true)                                                                                  \
    BOOST(Letter, type, csrilu02)                                                                  \
    BOOST(Letter, type, bsrilu02)
WL_SPARSE_FOUR(ALL_FACTORS)

/* ---- triangles of blocks ---- */

/* op (a) y = alpha op (x). */
static int solve(void *handle, enum wl_sparse_type type, struct wl_sparse a, int op,
                 const void *description, const void *alpha, struct wl_dense x, struct wl_dense y,
                 struct wl_sparse_info *info)
{
    void *stream, *diagonals = NULL;
    int status = wl_sparse_ready_info(handle, info, &stream);
    if (!status && (!description || a.row_count < 0 || !alpha || !wl_sparse_is_operation(op) ||
                    y.column_count < 0))
        status = WL_SPARSE_INVALID_VALUE;
    struct wl_triangle how = wl_sparse_triangle(description);
    if (!status && !how.is_unit)
        status = wl_sparse_find_pivot(type, &a, 1, info, stream);
    if (status)
        return status;
    union wl_sparse_scalar copy;
    void *const factor = wl_sparse_factor(handle, alpha, type, &copy);
    info->is_analysed = true;
    how.is_transposed = op != WL_SPARSE_PLAIN;
    how.is_conjugate = op == WL_SPARSE_CONJUGATE;
    return wl_sparse_run("solve", type, y.column_count, stream,
                         (void *[]){&a, &x, &y, factor, &diagonals, &how});
}

/* n columns of as many rows; turned: each is a row. */
static struct wl_dense columns(const void *values, long long rows, long long n, long long leading,
                               bool is_turned)
{
    return (struct wl_dense){(void *)(uintptr_t)values, rows, n, is_turned ? leading : 1,
                             is_turned ? 1 : leading};
}

#define VECTOR_PARAMETERS void *handle, int direction, int op, int mb, int count
#define MATRIX_PARAMETERS void *handle, int direction, int op, int op_x, int mb, int n, int count
#define BLOCK_PARAMETERS                                                                      \
    const void *description, void *values, const int *offsets, const int *indices, int block, \
        struct wl_sparse_info *info

#define TRIANGLES(Letter, type)                                                                   \
    int cusparse##Letter##bsrsv2_bufferSize(VECTOR_PARAMETERS, BLOCK_PARAMETERS, int *size_bytes) \
    {                                                                                             \
        (void)direction, (void)op, (void)count, (void)description, (void)values, (void)offsets;   \
        (void)indices, (void)info;                                                                \
        return wl_sparse_give_int_size(handle, mb >= 0 && block > 0, size_bytes);                 \
    }                                                                                             \
    int cusparse##Letter##bsrsv2_analysis(VECTOR_PARAMETERS, BLOCK_PARAMETERS, int policy,        \
                                          void *space)                                            \
    {                                                                                             \
        (void)op, (void)count, (void)policy, (void)space;                                         \
        return analyse(handle, type, blocks(BSR), description, info);                             \
    }                                                                                             \
    int cusparse##Letter##bsrsv2_solve(VECTOR_PARAMETERS, const void *alpha, BLOCK_PARAMETERS,    \
                                       const void *x, void *y, int policy, void *space)           \
    {                                                                                             \
        const long long rows = (long long)mb * block;                                             \
        (void)count, (void)policy, (void)space;                                                   \
        return solve(handle, type, blocks(BSR), op, description, alpha,                           \
                     columns(x, rows, 1, rows, false), columns(y, rows, 1, rows, false), info);   \
    }                                                                                             \
    int cusparse##Letter##bsrsm2_bufferSize(MATRIX_PARAMETERS, BLOCK_PARAMETERS, int *size_bytes) \
    {                                                                                             \
        (void)direction, (void)op, (void)op_x, (void)count, (void)description, (void)values;      \
        (void)offsets, (void)indices, (void)info;                                                 \
        return wl_sparse_give_int_size(handle, mb >= 0 && n >= 0 && block > 0, size_bytes);       \
    }                                                                                             \
    int cusparse##Letter##bsrsm2_analysis(MATRIX_PARAMETERS, BLOCK_PARAMETERS, int policy,        \
                                          void *space)                                            \
    {                                                                                             \
        (void)op, (void)op_x, (void)n, (void)count, (void)policy, (void)space;                    \
        return analyse(handle, type, blocks(BSR), description, info);                             \
    }                                                                                             \
    int cusparse##Letter##bsrsm2_solve(MATRIX_PARAMETERS, const void *alpha, BLOCK_PARAMETERS,    \
                                       const void *x, int ldx, void *y, int ldy, int policy,      \
                                       void *space)                                               \
    {                                                                                             \
        const long long rows = (long long)mb * block;                                             \
        struct wl_dense from = columns(x, rows, n, ldx, op_x),                                    \
                        to = columns(y, rows, n, ldy, op_x);                                      \
        (void)count, (void)policy, (void)space;                                                   \
        if (op_x == WL_SPARSE_CONJUGATE && wl_sparse_is_complex(type)) {                          \
            wl_device_refuse("cusparse" #Letter                                                   \
                             "bsrsm2_solve (cuSPARSE) of conjugated right sides");                \
            return WL_SPARSE_NOT_SUPPORTED;                                                       \
        }                                                                                         \
        return solve(handle, type, blocks(BSR), op, description, alpha, from, to, info);          \
    }
WL_SPARSE_FOUR(TRIANGLES)
