/* What descriptions of matrices and vectors are asked for, and what is changed in them. */
#include <string.h>

#include "api/cusparse/generic.h"
#include "base/count.h"

/* NULL unless it is a matrix of one of these formats (bits). */
static struct wl_sparse_matrix *of_format(void *given, unsigned formats)
{
    struct wl_sparse_matrix *self = wl_stand_in_check(given, WL_SPARSE_MATRIX);
    return self && formats & 1u << self->format ? self : NULL;
}

enum {
    CSR = 1u << WL_SPARSE_CSR,
    CSC = 1u << WL_SPARSE_CSC,
    COO = 1u << WL_SPARSE_COO,
    BSR = 1u << WL_SPARSE_BSR,
    BLOCKED_ELL = 1u << WL_SPARSE_BLOCKED_ELL,
    VECTOR = 1u << WL_SPARSE_VECTOR,
    MATRIX = ~VECTOR,
};

static int index_type(int is_wide)
{
    return is_wide ? WL_SPARSE_INDEX_64 : WL_SPARSE_INDEX_32;
}

#define CONSTANT(Name, PARAMETERS)                                               \
    int cusparse##Name PARAMETERS;                                               \
    int cusparseConst##Name PARAMETERS __attribute__((alias("cusparse" #Name))); \
    int cusparse##Name PARAMETERS

/* ---- sparse ---- */

/* The parts of a matrix, of which those of NULL are not wanted. */
struct parts {
    int64_t *rows, *columns, *count;
    void **offsets, **indices, **values;
    int *offset_type, *column_type, *base, *type;
};

static int get_parts(const struct wl_sparse_matrix *self, struct parts to)
{
    const struct wl_sparse *is = self ? &self->is : NULL;
    if (!is || !to.rows || !to.columns || !to.count || !to.offsets || !to.indices || !to.values ||
        !to.offset_type || !to.column_type || !to.base || !to.type)
        return WL_SPARSE_INVALID_VALUE;
    *to.rows = self->is_transposed ? is->column_count : is->row_count;
    *to.columns = self->is_transposed ? is->row_count : is->column_count;
    *to.count = is->element_count;
    *to.offsets = is->offsets;
    *to.indices = is->columns;
    *to.values = is->values;
    *to.offset_type = index_type(is->has_wide_offsets);
    *to.column_type = index_type(is->has_wide_columns);
    *to.base = is->base;
    *to.type = (int)self->type;
    return WL_SPARSE_OK;
}

CONSTANT(CsrGet,
         (void *self, int64_t *rows, int64_t *columns, int64_t *count, void **offsets,
          void **indices, void **values, int *offset_type, int *column_type, int *base, int *type))
{
    return get_parts(of_format(self, CSR),
                     (struct parts){rows, columns, count, offsets, indices, values, offset_type,
                                    column_type, base, type});
}

CONSTANT(CscGet,
         (void *self, int64_t *rows, int64_t *columns, int64_t *count, void **offsets,
          void **indices, void **values, int *offset_type, int *column_type, int *base, int *type))
{
    return get_parts(of_format(self, CSC),
                     (struct parts){rows, columns, count, offsets, indices, values, offset_type,
                                    column_type, base, type});
}

CONSTANT(CooGet, (void *self, int64_t *rows, int64_t *columns, int64_t *count, void **row_indices,
                  void **indices, void **values, int *index_type_to, int *base, int *type))
{
    return get_parts(of_format(self, COO),
                     (struct parts){rows, columns, count, row_indices, indices, values,
                                    index_type_to, index_type_to, base, type});
}

CONSTANT(BlockedEllGet,
         (void *self, int64_t *rows, int64_t *columns, int64_t *block_size, int64_t *width,
          void **indices, void **values, int *index_type_to, int *base, int *type))
{
    const struct wl_sparse_matrix *found = of_format(self, BLOCKED_ELL);
    int64_t count;
    void *offsets;
    int status = get_parts(found, (struct parts){rows, columns, &count, &offsets, indices, values,
                                                 index_type_to, index_type_to, base, type});
    if (status || !block_size || !width)
        return WL_SPARSE_INVALID_VALUE;
    *block_size = found->is.block_rows;
    *width = found->is.width;
    return WL_SPARSE_OK;
}

CONSTANT(SpVecGet, (void *self, int64_t *size, int64_t *count, void **indices, void **values,
                    int *index_type_to, int *base, int *type))
{
    int64_t rows;
    void *offsets;
    int offset_type;
    return get_parts(of_format(self, VECTOR),
                     (struct parts){&rows, size, count, &offsets, indices, values, &offset_type,
                                    index_type_to, base, type});
}

static int set_pointers(void *given, unsigned formats, void *offsets, void *columns, void *values)
{
    struct wl_sparse_matrix *self = of_format(given, formats);
    if (!self)
        return WL_SPARSE_INVALID_VALUE;
    self->is.offsets = offsets;
    self->is.columns = columns;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseCsrSetPointers(void *self, void *offsets, void *columns, void *values)
{
    return set_pointers(self, CSR, offsets, columns, values);
}

int cusparseCscSetPointers(void *self, void *offsets, void *rows, void *values)
{
    return set_pointers(self, CSC, offsets, rows, values);
}

int cusparseCooSetPointers(void *self, void *rows, void *columns, void *values)
{
    return set_pointers(self, COO, rows, columns, values);
}

int cusparseSpMatGetSize(void *given, int64_t *rows, int64_t *columns, int64_t *count)
{
    const struct wl_sparse_matrix *self = of_format(given, MATRIX);
    if (!self || !rows || !columns || !count)
        return WL_SPARSE_INVALID_VALUE;
    *rows = self->is_transposed ? self->is.column_count : self->is.row_count;
    *columns = self->is_transposed ? self->is.row_count : self->is.column_count;
    *count = self->is.element_count;
    return WL_SPARSE_OK;
}

int cusparseSpMatGetFormat(void *given, int *format)
{
    const struct wl_sparse_matrix *self = of_format(given, MATRIX);
    if (!self || !format)
        return WL_SPARSE_INVALID_VALUE;
    *format = (int)self->format;
    return WL_SPARSE_OK;
}

static int get_base(const struct wl_sparse_matrix *self, int *base)
{
    if (!self || !base)
        return WL_SPARSE_INVALID_VALUE;
    *base = self->is.base;
    return WL_SPARSE_OK;
}

static int get_values(const struct wl_sparse_matrix *self, void **values)
{
    if (!self || !values)
        return WL_SPARSE_INVALID_VALUE;
    *values = self->is.values;
    return WL_SPARSE_OK;
}

static int set_values(struct wl_sparse_matrix *self, void *values)
{
    if (!self)
        return WL_SPARSE_INVALID_VALUE;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseSpMatGetIndexBase(void *self, int *base)
{
    return get_base(of_format(self, MATRIX), base);
}

int cusparseSpVecGetIndexBase(void *self, int *base)
{
    return get_base(of_format(self, VECTOR), base);
}

CONSTANT(SpMatGetValues, (void *self, void **values))
{
    return get_values(of_format(self, MATRIX), values);
}

CONSTANT(SpVecGetValues, (void *self, void **values))
{
    return get_values(of_format(self, VECTOR), values);
}

int cusparseSpMatSetValues(void *self, void *values)
{
    return set_values(of_format(self, MATRIX), values);
}

int cusparseSpVecSetValues(void *self, void *values)
{
    return set_values(of_format(self, VECTOR), values);
}

/* Fill mode 0, and whether the diagonal is of ones 1. */
static int *attribute_of(struct wl_sparse_matrix *self, int attribute, const void *data,
                         size_t size_bytes)
{
    if (!self || !data || size_bytes != sizeof(int) || attribute < 0 || attribute > 1)
        return NULL;
    return attribute ? &self->is_unit : &self->is_upper;
}

int cusparseSpMatSetAttribute(void *self, int attribute, const void *data, size_t size_bytes)
{
    int *place = attribute_of(of_format(self, MATRIX), attribute, data, size_bytes);
    int value;
    if (!place)
        return WL_SPARSE_INVALID_VALUE;
    memcpy(&value, data, sizeof value);
    *place = value;
    return WL_SPARSE_OK;
}

int cusparseSpMatGetAttribute(void *self, int attribute, void *data, size_t size_bytes)
{
    const int *place = attribute_of(of_format(self, MATRIX), attribute, data, size_bytes);
    if (!place)
        return WL_SPARSE_INVALID_VALUE;
    memcpy(data, place, sizeof *place);
    return WL_SPARSE_OK;
}

static int set_batch(struct wl_sparse_matrix *self, int count, int64_t offset_stride,
                     int64_t column_stride, int64_t value_stride)
{
    if (!self || count < 1 || offset_stride < 0 || column_stride < 0 || value_stride < 0 ||
        (value_stride && value_stride < self->is.element_count))
        return WL_SPARSE_INVALID_VALUE;
    self->batch_count = count;
    self->offset_stride = offset_stride;
    self->column_stride = column_stride;
    self->value_stride = value_stride;
    return WL_SPARSE_OK;
}

int cusparseCsrSetStridedBatch(void *given, int count, int64_t offset_stride,
                               int64_t element_stride)
{
    struct wl_sparse_matrix *self = of_format(given, CSR | CSC);
    if (self && offset_stride && offset_stride <= self->is.row_count)
        return WL_SPARSE_INVALID_VALUE;
    return set_batch(self, count, offset_stride, element_stride, element_stride);
}

int cusparseCooSetStridedBatch(void *self, int count, int64_t stride)
{
    return set_batch(of_format(self, COO), count, stride, stride, stride);
}

int cusparseBsrSetStridedBatch(void *self, int count, int64_t offset_stride, int64_t column_stride,
                               int64_t value_stride)
{
    return set_batch(of_format(self, BSR), count, offset_stride, column_stride, value_stride);
}

int cusparseSpMatGetStridedBatch(void *given, int *count)
{
    const struct wl_sparse_matrix *self = of_format(given, MATRIX);
    if (!self || !count)
        return WL_SPARSE_INVALID_VALUE;
    *count = self->batch_count;
    return WL_SPARSE_OK;
}

/* ---- dense ---- */

CONSTANT(DnMatGet, (void *given, int64_t *rows, int64_t *columns, int64_t *leading, void **values,
                    int *type, int *order))
{
    const struct wl_sparse_dense *self = wl_sparse_dense_check(given);
    if (!self || !rows || !columns || !leading || !values || !type || !order)
        return WL_SPARSE_INVALID_VALUE;
    *rows = self->is.row_count;
    *columns = self->is.column_count;
    *leading = self->leading;
    *values = self->is.values;
    *type = (int)self->type;
    *order = (int)self->order;
    return WL_SPARSE_OK;
}

CONSTANT(DnVecGet, (void *self, int64_t *size, void **values, int *type))
{
    int64_t columns, leading;
    int order;
    return cusparseDnMatGet(self, size, &columns, &leading, values, type, &order);
}

CONSTANT(DnMatGetValues, (void *given, void **values))
{
    const struct wl_sparse_dense *self = wl_sparse_dense_check(given);
    if (!self || !values)
        return WL_SPARSE_INVALID_VALUE;
    *values = self->is.values;
    return WL_SPARSE_OK;
}

CONSTANT(DnVecGetValues, (void *self, void **values))
{
    return cusparseDnMatGetValues(self, values);
}

int cusparseDnMatSetValues(void *given, void *values)
{
    struct wl_sparse_dense *self = wl_stand_in_check(given, WL_SPARSE_DENSE);
    if (!self)
        return WL_SPARSE_INVALID_VALUE;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseDnVecSetValues(void *self, void *values)
{
    return cusparseDnMatSetValues(self, values);
}

int cusparseDnMatSetStridedBatch(void *given, int count, int64_t stride)
{
    struct wl_sparse_dense *self = wl_stand_in_check(given, WL_SPARSE_DENSE);
    const long long lines = !self                             ? 0
                            : self->order == WL_SPARSE_BY_ROW ? self->is.row_count
                                                              : self->is.column_count;
    if (!self || count < 1 || stride < 0 || (stride && stride < lines * self->leading))
        return WL_SPARSE_INVALID_VALUE;
    self->batch_count = count;
    self->stride = stride;
    return WL_SPARSE_OK;
}

int cusparseDnMatGetStridedBatch(void *given, int *count, int64_t *stride)
{
    const struct wl_sparse_dense *self = wl_sparse_dense_check(given);
    if (!self || !count || !stride)
        return WL_SPARSE_INVALID_VALUE;
    *count = self->batch_count;
    *stride = self->stride;
    return WL_SPARSE_OK;
}

/* ---- the library ---- */

int cusparseGetProperty(int property, int *value)
{
    static const int version[] = {12, 5, 0};
    if (property < 0 || property >= (int)WL_COUNT(version) || !value)
        return WL_SPARSE_INVALID_VALUE;
    *value = version[property];
    return WL_SPARSE_OK;
}

/* Nothing is logged. */
int cusparseLoggerSetCallback(void *callback)
{
    (void)callback;
    return WL_SPARSE_OK;
}

int cusparseLoggerSetFile(void *file)
{
    (void)file;
    return WL_SPARSE_OK;
}

int cusparseLoggerOpenFile(const char *path)
{
    return path ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int cusparseLoggerSetLevel(int level)
{
    return level >= 0 && level <= 5 ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int cusparseLoggerSetMask(int mask)
{
    return mask >= 0 ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int cusparseLoggerForceDisable(void)
{
    return WL_SPARSE_OK;
}
