/* Calls that change how a matrix is stored, and the older calls that say all of a matrix
 * themselves. */
#include "api/cusparse/older.h"

/* ---- dense and sparse ---- */

int cusparseSparseToDense_bufferSize(void *handle, const void *a, const void *b, int algorithm,
                                     size_t *size_bytes)
{
    (void)handle, (void)a, (void)b, (void)algorithm;
    return wl_sparse_give_size(size_bytes);
}

int cusparseSparseToDense(void *handle, const void *a_given, const void *b_given, int algorithm,
                          void *space)
{
    const struct wl_sparse_matrix *a = wl_sparse_matrix_check(a_given);
    const struct wl_sparse_dense *b = wl_sparse_dense_check(b_given);
    void *stream;
    int status = wl_sparse_generic_stream(handle, &stream);
    if (status)
        return status;
    if (!a || !b || !space || algorithm != 0 || a->type != b->type ||
        a->format == WL_SPARSE_VECTOR ||
        (a->is_transposed ? a->is.column_count : a->is.row_count) != b->is.row_count ||
        (a->is_transposed ? a->is.row_count : a->is.column_count) != b->is.column_count)
        return WL_SPARSE_INVALID_VALUE;
    if (a->type == WL_SPARSE_INTEGER)
        return wl_sparse_refuse_types("cusparseSparseToDense");
    if (a->is.form != WL_SPARSE_ROWS)
        return wl_sparse_refuse("cusparseSparseToDense", "this format");
    struct wl_sparse from = a->is;
    struct wl_dense to = b->is;
    union wl_sparse_scalar zero = {{0}};
    int transpose = a->is_transposed;
    status = wl_sparse_run(a->type == WL_SPARSE_BYTE ? "blank" : "scale", b->type,
                           to.row_count * to.column_count, stream, (void *[]){&to, &zero});
    return status ? status
                  : wl_sparse_run("to_dense", b->type, wl_sparse_line_count(&from), stream,
                                  (void *[]){&from, &to, &transpose});
}

int cusparseDenseToSparse_bufferSize(void *handle, const void *a, const void *b, int algorithm,
                                     size_t *size_bytes)
{
    const struct wl_sparse_matrix *to = wl_sparse_matrix_check(b);
    (void)handle, (void)a, (void)algorithm;
    if (!to || !size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    /* Of single elements, whose rows have no offsets of their own, these are kept here. */
    *size_bytes = (size_t)(to->is.row_count + 1) * sizeof(int64_t) + WL_SPARSE_SPACE_BYTES;
    return WL_SPARSE_OK;
}

/* Where each row's elements begin: offsets of the matrix, or the space of the call. */
static void *starts_of(const struct wl_sparse_matrix *b, void *space, int *is_wide)
{
    *is_wide = b->is.by_element || b->is.has_wide_offsets;
    return b->is.by_element ? space : b->is.offsets;
}

static int take_dense(const char *call, void *handle, const void *a_given, const void *b_given,
                      int algorithm, void **stream)
{
    const struct wl_sparse_dense *a = wl_sparse_dense_check(a_given);
    const struct wl_sparse_matrix *b = wl_sparse_matrix_check(b_given);
    int status = wl_sparse_generic_stream(handle, stream);
    if (status)
        return status;
    if (!a || !b || algorithm != 0 || a->type != b->type || b->format == WL_SPARSE_VECTOR ||
        (b->is_transposed ? b->is.column_count : b->is.row_count) != a->is.row_count ||
        (b->is_transposed ? b->is.row_count : b->is.column_count) != a->is.column_count)
        return WL_SPARSE_INVALID_VALUE;
    if (b->is.form == WL_SPARSE_BLOCKS || b->is.form == WL_SPARSE_SLICES)
        return wl_sparse_refuse(call, "this format");
    return a->type == WL_SPARSE_INTEGER ? wl_sparse_refuse_types(call) : WL_SPARSE_OK;
}

int cusparseDenseToSparse_analysis(void *handle, const void *a_given, void *b_given, int algorithm,
                                   void *space)
{
    const struct wl_sparse_dense *a = a_given;
    struct wl_sparse_matrix *b = b_given;
    void *stream;
    int is_wide, status = take_dense("cusparseDenseToSparse_analysis", handle, a_given, b_given,
                                     algorithm, &stream);
    if (!status && !space)
        status = WL_SPARSE_INVALID_VALUE;
    if (status || b->is.form == WL_SPARSE_ELLPACK) /* whose places are given */
        return status;
    struct wl_dense from = b->is_transposed ? wl_sparse_transposed(a->is) : a->is;
    void *starts = starts_of(b, space, &is_wide);
    long long count = from.row_count, base = b->is.by_element ? 0 : b->is.base;
    if (!starts)
        return WL_SPARSE_INVALID_VALUE;
    status = wl_sparse_run("count", a->type, count, stream, (void *[]){&from, &starts, &is_wide});
    if (!status)
        status = wl_sparse_run("sum_up", WL_SPARSE_NO_VALUES, 1, stream,
                               (void *[]){&starts, &is_wide, &count, &base});
    if (!status)
        status = wl_sparse_wait(stream);
    if (!status) /* which the host can read here */
        b->is.element_count =
            (is_wide ? (long long)((int64_t *)starts)[count] : (long long)((int *)starts)[count]) -
            base;
    return status;
}

int cusparseDenseToSparse_convert(void *handle, const void *a_given, void *b_given, int algorithm,
                                  void *space)
{
    const struct wl_sparse_dense *a = a_given;
    const struct wl_sparse_matrix *b = b_given;
    void *stream;
    int is_wide, status = take_dense("cusparseDenseToSparse_convert", handle, a_given, b_given,
                                     algorithm, &stream);
    if (status)
        return status;
    struct wl_dense from = b->is_transposed ? wl_sparse_transposed(a->is) : a->is;
    struct wl_sparse to = b->is;
    void *starts = starts_of(b, space, &is_wide);
    if (to.form == WL_SPARSE_ELLPACK)
        return wl_sparse_run("pick", a->type, to.row_count, stream, (void *[]){&from, &to});
    if (!starts)
        return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_run("from_dense", a->type, from.row_count, stream,
                         (void *[]){&from, &to, &starts, &is_wide});
}

/* ---- older calls ---- */

int cusparseCsr2cscEx2_bufferSize(void *handle, int m, int n, int count, const void *values,
                                  const int *offsets, const int *columns, void *to_values,
                                  int *to_offsets, int *to_rows, int type, int action, int base,
                                  int algorithm, size_t *size_bytes)
{
    (void)handle, (void)m, (void)n, (void)count, (void)values, (void)offsets, (void)columns;
    (void)to_values, (void)to_offsets, (void)to_rows, (void)type, (void)action, (void)base;
    (void)algorithm;
    return wl_sparse_give_size(size_bytes);
}

int cusparseCsr2cscEx2(void *handle, int m, int n, int count, const void *values,
                       const int *offsets, const int *columns, void *to_values, int *to_offsets,
                       int *to_rows, int type, int action, int base, int algorithm, void *space)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream), with_values = action; /* 1: numeric */
    (void)algorithm, (void)space;
    if (status)
        return status;
    if (m < 0 || n < 0 || count < 0)
        return WL_SPARSE_INVALID_VALUE;
    const size_t bytes = wl_sparse_value_bytes((enum wl_sparse_type)type);
    char kind[8];
    snprintf(kind, sizeof kind, "%d", (int)bytes);
    if (!bytes)
        return wl_sparse_refuse_types("cusparseCsr2cscEx2");
    struct wl_sparse from = wl_sparse_rows(m, n, count, values, offsets, columns, base);
    struct wl_sparse to = wl_sparse_rows(n, m, count, to_values, to_offsets, to_rows, base);
    return wl_sparse_run_kind("transpose", kind, 1, stream, (void *[]){&from, &to, &with_values});
}

int cusparseCreateIdentityPermutation(void *handle, int n, int *places)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    long long count = n;
    if (status)
        return status;
    return places ? wl_sparse_run("number", WL_SPARSE_NO_VALUES, n, stream,
                                  (void *[]){&places, &count})
                  : WL_SPARSE_INVALID_VALUE;
}

int cusparseXcoo2csr(void *handle, const int *rows, int count, int m, int *offsets, int base)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    long long element_count = count, row_count = m;
    return status ? status
                  : wl_sparse_run("compress", WL_SPARSE_NO_VALUES, row_count + 1, stream,
                                  (void *[]){&rows, &element_count, &row_count, &offsets, &base});
}

int cusparseXcsr2coo(void *handle, const int *offsets, int count, int m, int *rows, int base)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    long long row_count = m;
    (void)count;
    return status ? status
                  : wl_sparse_run("expand", WL_SPARSE_NO_VALUES, row_count, stream,
                                  (void *[]){&offsets, &row_count, &rows, &base});
}
