/* The descriptions of matrices and vectors. */
#include "api/cusparse/generic.h"
#include "base/count.h"

int wl_sparse_generic_stream(void *handle, void **stream)
{
    return wl_sparse_stream(handle, stream) ? WL_SPARSE_INVALID_VALUE : WL_SPARSE_OK;
}

int wl_sparse_refuse_types(const char *call)
{
    return wl_sparse_refuse(call, "these types of values");
}

static const struct {
    enum wl_sparse_type a, b, c, compute;
    const char *kind;
} kinds[] = {
    {WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, "s"},
    {WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE, "d"},
    {WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, "c"},
    {WL_SPARSE_DOUBLE_COMPLEX, WL_SPARSE_DOUBLE_COMPLEX, WL_SPARSE_DOUBLE_COMPLEX,
     WL_SPARSE_DOUBLE_COMPLEX, "z"},
    {WL_SPARSE_HALF, WL_SPARSE_HALF, WL_SPARSE_HALF, WL_SPARSE_FLOAT, "h"},
    {WL_SPARSE_BFLOAT, WL_SPARSE_BFLOAT, WL_SPARSE_BFLOAT, WL_SPARSE_FLOAT, "b"},
    {WL_SPARSE_COMPLEX_HALF, WL_SPARSE_COMPLEX_HALF, WL_SPARSE_COMPLEX_HALF, WL_SPARSE_COMPLEX,
     "H"},
    {WL_SPARSE_COMPLEX_BFLOAT, WL_SPARSE_COMPLEX_BFLOAT, WL_SPARSE_COMPLEX_BFLOAT,
     WL_SPARSE_COMPLEX, "B"},
    {WL_SPARSE_COMPLEX_HALF, WL_SPARSE_COMPLEX_HALF, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, "Hc"},
    {WL_SPARSE_COMPLEX_BFLOAT, WL_SPARSE_COMPLEX_BFLOAT, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX,
     "Bc"},
    {WL_SPARSE_HALF, WL_SPARSE_HALF, WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, "hs"},
    {WL_SPARSE_BFLOAT, WL_SPARSE_BFLOAT, WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, "bs"},
    {WL_SPARSE_BYTE, WL_SPARSE_BYTE, WL_SPARSE_INTEGER, WL_SPARSE_INTEGER, "i"},
    {WL_SPARSE_BYTE, WL_SPARSE_BYTE, WL_SPARSE_FLOAT, WL_SPARSE_FLOAT, "is"},
    {WL_SPARSE_FLOAT, WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE, "sd"},
    {WL_SPARSE_FLOAT, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, WL_SPARSE_COMPLEX, "sc"},
    {WL_SPARSE_DOUBLE, WL_SPARSE_DOUBLE_COMPLEX, WL_SPARSE_DOUBLE_COMPLEX, WL_SPARSE_DOUBLE_COMPLEX,
     "dz"},
};

const char *wl_sparse_product_kind(int a, int b, int c, int compute)
{
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if ((int)kinds[i].a == a && (int)kinds[i].b == b && (int)kinds[i].c == c &&
            (int)kinds[i].compute == compute)
            return kinds[i].kind;
    return NULL;
}

enum wl_sparse_type wl_sparse_sum_type(enum wl_sparse_type type)
{
    switch (type) {
    case WL_SPARSE_HALF:
    case WL_SPARSE_BFLOAT:
        return WL_SPARSE_FLOAT;
    case WL_SPARSE_COMPLEX_HALF:
    case WL_SPARSE_COMPLEX_BFLOAT:
        return WL_SPARSE_COMPLEX;
    case WL_SPARSE_BYTE:
        return WL_SPARSE_INTEGER;
    default:
        return type;
    }
}

bool wl_sparse_is_complex(enum wl_sparse_type type)
{
    return type == WL_SPARSE_COMPLEX || type == WL_SPARSE_DOUBLE_COMPLEX ||
           type == WL_SPARSE_COMPLEX_HALF || type == WL_SPARSE_COMPLEX_BFLOAT;
}

bool wl_sparse_is_operation(int op)
{
    return op >= WL_SPARSE_PLAIN && op <= WL_SPARSE_CONJUGATE;
}

bool wl_sparse_is_operation_of(int op, enum wl_sparse_type type)
{
    return wl_sparse_is_operation(op) && (op != WL_SPARSE_CONJUGATE || wl_sparse_is_complex(type));
}

long long wl_sparse_line_count(const struct wl_sparse *self)
{
    return self->by_element ? self->element_count : self->row_count;
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

static bool is_index_type(int type)
{
    return type == WL_SPARSE_INDEX_32 || type == WL_SPARSE_INDEX_64;
}

static int make_sparse(struct wl_sparse_matrix **made, enum wl_sparse_format format,
                       struct wl_sparse is, int offset_type, int column_type, int type)
{
    if (!made || is.row_count < 0 || is.column_count < 0 || is.element_count < 0 ||
        !is_index_type(offset_type) || !is_index_type(column_type) ||
        (is.base != 0 && is.base != 1) || !wl_sparse_value_bytes((enum wl_sparse_type)type))
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_MATRIX, sizeof **made);
    (*made)->is = is;
    (*made)->is.has_wide_offsets = offset_type == WL_SPARSE_INDEX_64;
    (*made)->is.has_wide_columns = column_type == WL_SPARSE_INDEX_64;
    (*made)->format = format;
    (*made)->is_transposed = format == WL_SPARSE_CSC;
    (*made)->type = (enum wl_sparse_type)type;
    (*made)->batch_count = 1;
    return WL_SPARSE_OK;
}

/* Each is made of constant arrays by a call of another name, too. */
#define CREATE(Name, PARAMETERS)                                                             \
    int cusparseCreate##Name PARAMETERS;                                                     \
    int cusparseCreateConst##Name PARAMETERS __attribute__((alias("cusparseCreate" #Name))); \
    int cusparseCreate##Name PARAMETERS

CREATE(Csr, (struct wl_sparse_matrix * *made, int64_t rows, int64_t columns, int64_t count,
             void *offsets, void *column_indices, void *values, int offset_type, int column_type,
             int base, int type))
{
    struct wl_sparse is = {.offsets = offsets,
                           .columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = count,
                           .base = base};
    return make_sparse(made, WL_SPARSE_CSR, is, offset_type, column_type, type);
}

CREATE(Csc, (struct wl_sparse_matrix * *made, int64_t rows, int64_t columns, int64_t count,
             void *offsets, void *row_indices, void *values, int offset_type, int row_type,
             int base, int type))
{
    struct wl_sparse is = {.offsets = offsets,
                           .columns = row_indices,
                           .values = values,
                           .row_count = columns,
                           .column_count = rows,
                           .element_count = count,
                           .base = base};
    return make_sparse(made, WL_SPARSE_CSC, is, offset_type, row_type, type);
}

CREATE(Coo,
       (struct wl_sparse_matrix * *made, int64_t rows, int64_t columns, int64_t count,
        void *row_indices, void *column_indices, void *values, int index_type, int base, int type))
{
    struct wl_sparse is = {.offsets = row_indices,
                           .columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = count,
                           .base = base,
                           .by_element = 1};
    return make_sparse(made, WL_SPARSE_COO, is, index_type, index_type, type);
}

CREATE(SpVec, (struct wl_sparse_matrix * *made, int64_t size, int64_t count, void *indices,
               void *values, int index_type, int base, int type))
{
    struct wl_sparse is = {.columns = indices,
                           .values = values,
                           .row_count = 1,
                           .column_count = size,
                           .element_count = count,
                           .base = base};
    if (count > size)
        return WL_SPARSE_INVALID_VALUE;
    return make_sparse(made, WL_SPARSE_VECTOR, is, WL_SPARSE_INDEX_32, index_type, type);
}

CREATE(Bsr, (struct wl_sparse_matrix * *made, int64_t block_row_count, int64_t block_column_count,
             int64_t count, int64_t block_rows, int64_t block_columns, void *offsets,
             void *column_indices, void *values, int offset_type, int column_type, int base,
             int type, int order))
{
    struct wl_sparse is = {.offsets = offsets,
                           .columns = column_indices,
                           .values = values,
                           .row_count = block_row_count * block_rows,
                           .column_count = block_column_count * block_columns,
                           .element_count = count * block_rows * block_columns,
                           .base = base,
                           .form = WL_SPARSE_BLOCKS,
                           .is_block_by_column = order == WL_SPARSE_BY_COLUMN,
                           .block_rows = block_rows,
                           .block_columns = block_columns};
    if (block_rows < 1 || block_columns != block_rows ||
        (order != WL_SPARSE_BY_COLUMN && order != WL_SPARSE_BY_ROW))
        return WL_SPARSE_INVALID_VALUE;
    return make_sparse(made, WL_SPARSE_BSR, is, offset_type, column_type, type);
}

CREATE(BlockedEll,
       (struct wl_sparse_matrix * *made, int64_t rows, int64_t columns, int64_t block_size,
        int64_t width, void *column_indices, void *values, int index_type, int base, int type))
{
    struct wl_sparse is = {.columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = rows * width,
                           .base = base,
                           .form = WL_SPARSE_ELLPACK,
                           .block_rows = block_size,
                           .block_columns = block_size,
                           .width = width};
    if (block_size < 1 || width < 0 || width > columns || rows % block_size ||
        columns % block_size || width % block_size)
        return WL_SPARSE_INVALID_VALUE;
    return make_sparse(made, WL_SPARSE_BLOCKED_ELL, is, index_type, index_type, type);
}

CREATE(SlicedEll, (struct wl_sparse_matrix * *made, int64_t rows, int64_t columns, int64_t count,
                   int64_t stored_count, int64_t slice_rows, void *offsets, void *column_indices,
                   void *values, int offset_type, int column_type, int base, int type))
{
    struct wl_sparse is = {.offsets = offsets,
                           .columns = column_indices,
                           .values = values,
                           .row_count = rows,
                           .column_count = columns,
                           .element_count = count,
                           .base = base,
                           .form = WL_SPARSE_SLICES,
                           .block_rows = slice_rows,
                           .block_columns = 1};
    if (slice_rows < 1 || stored_count < count)
        return WL_SPARSE_INVALID_VALUE;
    int status = make_sparse(made, WL_SPARSE_SLICED_ELL, is, offset_type, column_type, type);
    if (!status)
        (*made)->stored_count = stored_count;
    return status;
}

int cusparseDestroySpMat(struct wl_sparse_matrix *self)
{
    return wl_sparse_destroy(self, WL_SPARSE_MATRIX);
}

int cusparseDestroySpVec(struct wl_sparse_matrix *self)
{
    return cusparseDestroySpMat(self);
}

static void *moved(void *from, long long count, size_t element_bytes)
{
    return (char *)from + count * (long long)element_bytes;
}

struct wl_sparse wl_sparse_member(const struct wl_sparse_matrix *of, int i)
{
    struct wl_sparse is = of->is;
    if (of->batch_count == 1)
        return is;
    is.offsets = moved(is.offsets, i * of->offset_stride, is.has_wide_offsets ? 8 : 4);
    is.columns = moved(is.columns, i * of->column_stride, is.has_wide_columns ? 8 : 4);
    is.values = moved(is.values, i * of->value_stride, wl_sparse_value_bytes(of->type));
    return is;
}

/* ---- dense ---- */

CREATE(DnMat, (struct wl_sparse_dense * *made, int64_t rows, int64_t columns, int64_t leading,
               void *values, int type, int order))
{
    const bool by_row = order == WL_SPARSE_BY_ROW;
    if (!made || rows < 0 || columns < 0 || leading < (by_row ? columns : rows) ||
        (order != WL_SPARSE_BY_ROW && order != WL_SPARSE_BY_COLUMN) ||
        !wl_sparse_value_bytes((enum wl_sparse_type)type))
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

CREATE(DnVec, (struct wl_sparse_dense * *made, int64_t size, void *values, int type))
{
    return cusparseCreateDnMat(made, size, 1, size, values, type, WL_SPARSE_BY_COLUMN);
}

int cusparseDestroyDnMat(struct wl_sparse_dense *self)
{
    return wl_sparse_destroy(self, WL_SPARSE_DENSE);
}

int cusparseDestroyDnVec(struct wl_sparse_dense *self)
{
    return cusparseDestroyDnMat(self);
}

struct wl_dense wl_sparse_dense_member(const struct wl_sparse_dense *of, int i)
{
    struct wl_dense is = of->is;
    if (of->batch_count > 1)
        is.values = moved(is.values, i * of->stride, wl_sparse_value_bytes(of->type));
    return is;
}
