/* The descriptions of matrices and vectors. */
#include "api/cusparse/generic.h"

enum { INDEX_32 = 2, INDEX_64 = 3 };

int wl_sparse_types(const char *call, int type, int compute_type)
{
    char text[96];
    if (type == compute_type && (type == WL_SPARSE_FLOAT || type == WL_SPARSE_DOUBLE))
        return WL_SPARSE_OK;
    snprintf(text, sizeof text, "%s (cuSPARSE) of values other than floats and doubles", call);
    wl_device_refuse(text);
    return WL_SPARSE_NOT_SUPPORTED;
}

const struct wl_sparse_matrix *wl_sparse_matrix_check(const void *given)
{
    return wl_stand_in_check((void *)(uintptr_t)given, WL_SPARSE_MATRIX);
}

const struct wl_sparse_dense *wl_sparse_dense_check(const void *given)
{
    return wl_stand_in_check((void *)(uintptr_t)given, WL_SPARSE_DENSE);
}

struct wl_dense wl_sparse_transposed(struct wl_dense of)
{
    return (struct wl_dense){of.values, of.column_count, of.row_count, of.column_step, of.row_step};
}

/* ---- sparse ---- */

static int make_sparse(struct wl_sparse_matrix **made, struct wl_sparse is, int offset_type,
                       int column_type, int type)
{
    if (!made || is.row_count < 0 || is.column_count < 0 || is.element_count < 0 ||
        (offset_type != INDEX_32 && offset_type != INDEX_64) ||
        (column_type != INDEX_32 && column_type != INDEX_64))
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_MATRIX, sizeof **made);
    (*made)->is = is;
    (*made)->is.has_wide_offsets = offset_type == INDEX_64;
    (*made)->is.has_wide_columns = column_type == INDEX_64;
    (*made)->type = (enum wl_sparse_type)type;
    (*made)->batch_count = 1;
    return WL_SPARSE_OK;
}

int cusparseCreateCsr(struct wl_sparse_matrix **made, int64_t rows, int64_t columns, int64_t count,
                      void *offsets, void *column_indices, void *values, int offset_type,
                      int column_type, int base, int type)
{
    struct wl_sparse is = {.offsets = offsets,
                           .columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = count,
                           .base = base};
    return make_sparse(made, is, offset_type, column_type, type);
}

int cusparseCreateConstCsr(struct wl_sparse_matrix **made, int64_t rows, int64_t columns,
                           int64_t count, void *offsets, void *column_indices, void *values,
                           int offset_type, int column_type, int base, int type)
{
    return cusparseCreateCsr(made, rows, columns, count, offsets, column_indices, values,
                             offset_type, column_type, base, type);
}

int cusparseCreateCsc(struct wl_sparse_matrix **made, int64_t rows, int64_t columns, int64_t count,
                      void *offsets, void *row_indices, void *values, int offset_type, int row_type,
                      int base, int type)
{
    int status = cusparseCreateCsr(made, columns, rows, count, offsets, row_indices, values,
                                   offset_type, row_type, base, type);
    if (status == WL_SPARSE_OK)
        (*made)->is_transposed = true;
    return status;
}

int cusparseCreateConstCsc(struct wl_sparse_matrix **made, int64_t rows, int64_t columns,
                           int64_t count, void *offsets, void *row_indices, void *values,
                           int offset_type, int row_type, int base, int type)
{
    return cusparseCreateCsc(made, rows, columns, count, offsets, row_indices, values, offset_type,
                             row_type, base, type);
}

int cusparseCreateCoo(struct wl_sparse_matrix **made, int64_t rows, int64_t columns, int64_t count,
                      void *row_indices, void *column_indices, void *values, int index_type,
                      int base, int type)
{
    struct wl_sparse is = {.offsets = row_indices,
                           .columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = count,
                           .base = base,
                           .by_element = 1};
    return make_sparse(made, is, index_type, index_type, type);
}

int cusparseCreateConstCoo(struct wl_sparse_matrix **made, int64_t rows, int64_t columns,
                           int64_t count, void *row_indices, void *column_indices, void *values,
                           int index_type, int base, int type)
{
    return cusparseCreateCoo(made, rows, columns, count, row_indices, column_indices, values,
                             index_type, base, type);
}

int cusparseCreateSpVec(struct wl_sparse_matrix **made, int64_t size, int64_t count, void *indices,
                        void *values, int index_type, int base, int type)
{
    struct wl_sparse is = {.columns = indices,
                           .values = values,
                           .row_count = 1,
                           .column_count = size,
                           .element_count = count,
                           .base = base};
    int status = make_sparse(made, is, INDEX_32, index_type, type);
    if (status == WL_SPARSE_OK)
        (*made)->is_vector = true;
    return status;
}

int cusparseCreateConstSpVec(struct wl_sparse_matrix **made, int64_t size, int64_t count,
                             void *indices, void *values, int index_type, int base, int type)
{
    return cusparseCreateSpVec(made, size, count, indices, values, index_type, base, type);
}

int cusparseDestroySpMat(struct wl_sparse_matrix *self)
{
    return wl_stand_in_destroy(self, WL_SPARSE_MATRIX) ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int cusparseDestroySpVec(struct wl_sparse_matrix *self)
{
    return cusparseDestroySpMat(self);
}

static int set_pointers(struct wl_sparse_matrix *self, bool by_element, void *offsets,
                        void *columns, void *values)
{
    if (!wl_sparse_matrix_check(self) || (self->is.by_element != 0) != by_element)
        return WL_SPARSE_INVALID_VALUE;
    self->is.offsets = offsets;
    self->is.columns = columns;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseCsrSetPointers(struct wl_sparse_matrix *self, void *offsets, void *columns,
                           void *values)
{
    return set_pointers(self, false, offsets, columns, values);
}

int cusparseCscSetPointers(struct wl_sparse_matrix *self, void *offsets, void *rows, void *values)
{
    return set_pointers(self, false, offsets, rows, values);
}

int cusparseCooSetPointers(struct wl_sparse_matrix *self, void *rows, void *columns, void *values)
{
    return set_pointers(self, true, rows, columns, values);
}

int cusparseSpMatGetSize(const struct wl_sparse_matrix *self, int64_t *rows, int64_t *columns,
                         int64_t *count)
{
    if (!wl_sparse_matrix_check(self) || !rows || !columns || !count)
        return WL_SPARSE_INVALID_VALUE;
    *rows = self->is_transposed ? self->is.column_count : self->is.row_count;
    *columns = self->is_transposed ? self->is.row_count : self->is.column_count;
    *count = self->is.element_count;
    return WL_SPARSE_OK;
}

int cusparseSpMatSetValues(struct wl_sparse_matrix *self, void *values)
{
    if (!wl_sparse_matrix_check(self))
        return WL_SPARSE_INVALID_VALUE;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseSpMatGetValues(struct wl_sparse_matrix *self, void **values)
{
    if (!wl_sparse_matrix_check(self) || !values)
        return WL_SPARSE_INVALID_VALUE;
    *values = self->is.values;
    return WL_SPARSE_OK;
}

int cusparseSpMatSetAttribute(struct wl_sparse_matrix *self, int attribute, const void *data,
                              size_t size_bytes)
{
    enum { FILL_MODE, DIAG_TYPE };
    if (!wl_sparse_matrix_check(self) || !data || size_bytes != sizeof(int) ||
        (attribute != FILL_MODE && attribute != DIAG_TYPE))
        return WL_SPARSE_INVALID_VALUE;
    *(attribute == FILL_MODE ? &self->is_upper : &self->is_unit) = *(const int *)data;
    return WL_SPARSE_OK;
}

int cusparseCsrSetStridedBatch(struct wl_sparse_matrix *self, int count, int64_t offset_stride,
                               int64_t element_stride)
{
    if (!wl_sparse_matrix_check(self) || count < 1)
        return WL_SPARSE_INVALID_VALUE;
    self->batch_count = count;
    self->offset_stride = offset_stride;
    self->element_stride = element_stride;
    return WL_SPARSE_OK;
}

int cusparseCooSetStridedBatch(struct wl_sparse_matrix *self, int count, int64_t stride)
{
    return cusparseCsrSetStridedBatch(self, count, stride, stride);
}

static void *moved(void *from, long long count, size_t element_bytes)
{
    return (char *)from + count * (long long)element_bytes;
}

size_t wl_sparse_value_bytes(enum wl_sparse_type type)
{
    return type == WL_SPARSE_DOUBLE ? sizeof(double) : sizeof(float);
}

struct wl_sparse wl_sparse_member(const struct wl_sparse_matrix *of, int i)
{
    struct wl_sparse is = of->is;
    if (of->batch_count == 1)
        return is;
    is.offsets = moved(is.offsets, i * of->offset_stride, is.has_wide_offsets ? 8 : 4);
    is.columns = moved(is.columns, i * of->element_stride, is.has_wide_columns ? 8 : 4);
    is.values = moved(is.values, i * of->element_stride, wl_sparse_value_bytes(of->type));
    return is;
}

/* ---- dense ---- */

int cusparseCreateDnMat(struct wl_sparse_dense **made, int64_t rows, int64_t columns,
                        int64_t leading, void *values, int type, int order)
{
    const bool by_row = order == WL_SPARSE_BY_ROW;
    if (!made || rows < 0 || columns < 0 || leading < (by_row ? columns : rows) ||
        (order != WL_SPARSE_BY_ROW && order != WL_SPARSE_BY_COLUMN))
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_DENSE, sizeof **made);
    (*made)->is =
        (struct wl_dense){values, rows, columns, by_row ? leading : 1, by_row ? 1 : leading};
    (*made)->leading = leading;
    (*made)->type = (enum wl_sparse_type)type;
    (*made)->order = (enum wl_sparse_order)order;
    (*made)->batch_count = 1;
    return WL_SPARSE_OK;
}

int cusparseCreateConstDnMat(struct wl_sparse_dense **made, int64_t rows, int64_t columns,
                             int64_t leading, void *values, int type, int order)
{
    return cusparseCreateDnMat(made, rows, columns, leading, values, type, order);
}

int cusparseCreateDnVec(struct wl_sparse_dense **made, int64_t size, void *values, int type)
{
    return cusparseCreateDnMat(made, size, 1, size, values, type, WL_SPARSE_BY_COLUMN);
}

int cusparseCreateConstDnVec(struct wl_sparse_dense **made, int64_t size, void *values, int type)
{
    return cusparseCreateDnVec(made, size, values, type);
}

int cusparseDestroyDnMat(struct wl_sparse_dense *self)
{
    return wl_stand_in_destroy(self, WL_SPARSE_DENSE) ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int cusparseDestroyDnVec(struct wl_sparse_dense *self)
{
    return cusparseDestroyDnMat(self);
}

int cusparseDnMatSetValues(struct wl_sparse_dense *self, void *values)
{
    if (!wl_sparse_dense_check(self))
        return WL_SPARSE_INVALID_VALUE;
    self->is.values = values;
    return WL_SPARSE_OK;
}

int cusparseDnVecSetValues(struct wl_sparse_dense *self, void *values)
{
    return cusparseDnMatSetValues(self, values);
}

int cusparseDnMatGetValues(struct wl_sparse_dense *self, void **values)
{
    if (!wl_sparse_dense_check(self) || !values)
        return WL_SPARSE_INVALID_VALUE;
    *values = self->is.values;
    return WL_SPARSE_OK;
}

int cusparseDnVecGetValues(struct wl_sparse_dense *self, void **values)
{
    return cusparseDnMatGetValues(self, values);
}

int cusparseDnMatSetStridedBatch(struct wl_sparse_dense *self, int count, int64_t stride)
{
    if (!wl_sparse_dense_check(self) || count < 1)
        return WL_SPARSE_INVALID_VALUE;
    self->batch_count = count;
    self->stride = stride;
    return WL_SPARSE_OK;
}

struct wl_dense wl_sparse_dense_member(const struct wl_sparse_dense *of, int i)
{
    struct wl_dense is = of->is;
    if (of->batch_count > 1)
        is.values = moved(is.values, i * of->stride, wl_sparse_value_bytes(of->type));
    return is;
}
