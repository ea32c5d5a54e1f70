/* Older calls: sums of matrices, and products of dense matrices with sparse vectors. */
#include "api/cusparse/older.h"

#define ROWS(m, n, count, values, offsets, indices, description) \
    wl_sparse_rows(m, n, count, values, offsets, indices, wl_sparse_base(description))

/* c = alpha * a + beta * b; without factors only how many elements its rows have. */
static int add(void *handle, enum wl_sparse_type type, struct wl_sparse a, struct wl_sparse b,
               struct wl_sparse c, const void *alpha, const void *beta, bool is_described,
               int with_values)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    union wl_sparse_scalar factors[2] = {{{0}}, {{0}}};
    void *alpha_at = &factors[0], *beta_at = &factors[1];
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || a.element_count < 0 || b.element_count < 0 ||
        !is_described || !c.offsets || (with_values && (!alpha || !beta)))
        return WL_SPARSE_INVALID_VALUE;
    if (with_values) {
        alpha_at = wl_sparse_factor(handle, alpha, type, &factors[0]);
        beta_at = wl_sparse_factor(handle, beta, type, &factors[1]);
    }
    return wl_sparse_run_older("add_matrices", type, c.row_count, stream,
                               (void *[]){&a, &b, &c, alpha_at, beta_at, &with_values});
}

int cusparseXcsrgeam2Nnz(void *handle, int m, int n, const void *a, int a_count,
                         const int *a_offsets, const int *a_indices, const void *b, int b_count,
                         const int *b_offsets, const int *b_indices, const void *c, int *offsets,
                         int *total, void *space)
{
    void *stream;
    int status = add(handle, WL_SPARSE_FLOAT, ROWS(m, n, a_count, NULL, a_offsets, a_indices, a),
                     ROWS(m, n, b_count, NULL, b_offsets, b_indices, b),
                     ROWS(m, n, 0, NULL, offsets, NULL, c), NULL, NULL, a && b && c, 0);
    (void)space;
    if (!status)
        status = wl_sparse_stream(handle, &stream);
    return status ? status : wl_sparse_sum_counts(offsets, m, wl_sparse_base(c), stream, total);
}

static int multiply(void *handle, enum wl_sparse_type type, int op, struct wl_dense a,
                    struct wl_sparse x, void *y, const void *alpha, const void *beta)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream), is_conjugate = op == WL_SPARSE_CONJUGATE;
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || x.element_count < 0 || !alpha || !beta ||
        !wl_sparse_is_operation(op) || (is_conjugate && !wl_sparse_is_complex(type)))
        return WL_SPARSE_INVALID_VALUE;
    a = op ? wl_sparse_transposed(a) : a;
    union wl_sparse_scalar factors[2];
    void *const alpha_at = wl_sparse_factor(handle, alpha, type, &factors[0]), *const beta_at =
                                                                                   wl_sparse_factor(
                                                                                       handle, beta,
                                                                                       type,
                                                                                       &factors[1]);
    return wl_sparse_run_older("multiply_sparse", type, a.row_count, stream,
                               (void *[]){&a, &x, &y, alpha_at, beta_at, &is_conjugate});
}

#define SUMS(Letter, type)                                                                        \
    int cusparse##Letter##csrgeam2_bufferSizeExt(                                                 \
        void *handle, int m, int n, const void *alpha, const void *a, int a_count,                \
        const void *a_values, const int *a_offsets, const int *a_indices, const void *beta,       \
        const void *b, int b_count, const void *b_values, const int *b_offsets,                   \
        const int *b_indices, const void *c, const void *values, const int *offsets,              \
        const int *indices, size_t *size_bytes)                                                   \
    {                                                                                             \
        (void)m, (void)n, (void)alpha, (void)a, (void)a_count, (void)a_values, (void)a_offsets;   \
        (void)a_indices, (void)beta, (void)b, (void)b_count, (void)b_values, (void)b_offsets;     \
        (void)b_indices, (void)c, (void)values, (void)offsets, (void)indices;                     \
        if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))                                         \
            return WL_SPARSE_NOT_INITIALIZED;                                                     \
        return wl_sparse_give_size(size_bytes);                                                   \
    }                                                                                             \
    int cusparse##Letter##csrgeam2(void *handle, int m, int n, const void *alpha, const void *a,  \
                                   int a_count, const void *a_values, const int *a_offsets,       \
                                   const int *a_indices, const void *beta, const void *b,         \
                                   int b_count, const void *b_values, const int *b_offsets,       \
                                   const int *b_indices, const void *c, void *values,             \
                                   int *offsets, int *indices, void *space)                       \
    {                                                                                             \
        (void)space;                                                                              \
        return add(handle, type, ROWS(m, n, a_count, a_values, a_offsets, a_indices, a),          \
                   ROWS(m, n, b_count, b_values, b_offsets, b_indices, b),                        \
                   ROWS(m, n, 0, values, offsets, indices, c), alpha, beta, a && b && c, 1);      \
    }                                                                                             \
    int cusparse##Letter##gemvi_bufferSize(void *handle, int op, int m, int n, int count,         \
                                           int *size_bytes)                                       \
    {                                                                                             \
        (void)op;                                                                                 \
        return wl_sparse_give_int_size(handle, m >= 0 && n >= 0 && count >= 0, size_bytes);       \
    }                                                                                             \
    int cusparse##Letter##gemvi(                                                                  \
        void *handle, int op, int m, int n, const void *alpha, const void *a, int lda, int count, \
        const void *values, const int *indices, const void *beta, void *y, int base, void *space) \
    {                                                                                             \
        (void)space;                                                                              \
        return multiply(handle, type, op, (struct wl_dense){(void *)(uintptr_t)a, m, n, 1, lda},  \
                        wl_sparse_rows(1, op ? m : n, count, values, NULL, indices, base), y,     \
                        alpha, beta);                                                             \
    }
WL_SPARSE_FOUR(SUMS)
