/* Older calls that count elements, and keep those that are large enough. */
#include <math.h>

#include "api/cusparse/older.h"

#define ROWS(m, n, count, values, offsets, indices, description) \
    wl_sparse_rows(m, n, count, values, offsets, indices, wl_sparse_base(description))

WL_SPARSE_INFO_CALLS(Prune)

/* Elements that are not 0, of each row (direction 0) or column, and how many in all. */
static int count_elements(void *handle, enum wl_sparse_type type, int direction, int m, int n,
                          const void *a, int lda, int *counts, int *total)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream), is_wide = 0, sum = 0;
    struct wl_dense from = {(void *)(uintptr_t)a, m, n, 1, lda};
    if (status)
        return status;
    if (m < 0 || n < 0 || lda < m || !a || !counts || !total || (direction != 0 && direction != 1))
        return WL_SPARSE_INVALID_VALUE;
    from = direction ? wl_sparse_transposed(from) : from;
    status =
        wl_sparse_run("count", type, from.row_count, stream, (void *[]){&from, &counts, &is_wide});
    if (!status)
        status = wl_sparse_wait(stream);
    for (long long i = 0; !status && i < from.row_count; i++)
        sum += counts[i]; /* which the host can read here */
    if (!status)
        *total = sum;
    return status;
}

/* ---- of rows ---- */

static int count_kept(void *handle, enum wl_sparse_type type, struct wl_sparse a, double threshold,
                      int *counts, void **stream)
{
    int status = wl_sparse_stream(handle, stream);
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || !counts)
        return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_run_older("count_kept", type, a.row_count, *stream,
                               (void *[]){&a, &threshold, &counts});
}

static int keep(void *handle, enum wl_sparse_type type, struct wl_sparse a, struct wl_sparse c,
                double threshold)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || !c.offsets)
        return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_run_older("keep", type, a.row_count, stream, (void *[]){&a, &c, &threshold});
}

static int count_compressed(void *handle, enum wl_sparse_type type, struct wl_sparse a,
                            const void *description, double threshold, int *counts, int *total)
{
    void *stream;
    int sum = 0;
    if (handle && (!description || threshold < 0))
        return WL_SPARSE_INVALID_VALUE;
    int status = count_kept(handle, type, a, threshold, counts, &stream);
    if (!status && total)
        status = wl_sparse_wait(stream);
    for (long long i = 0; !status && total && i < a.row_count; i++)
        sum += counts[i];
    if (!status && total)
        *total = sum;
    return status;
}

/* Into rows whose counts are known. */
static int compress(void *handle, enum wl_sparse_type type, struct wl_sparse a, struct wl_sparse c,
                    const void *description, double threshold, const int *counts)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream), is_put = 0;
    long long one = 1, count = a.row_count;
    if (status)
        return status;
    if (!description || threshold < 0 || a.row_count < 0 || a.column_count < 0 || !counts ||
        !c.offsets)
        return WL_SPARSE_INVALID_VALUE;
    void *places = NULL;
    status =
        wl_sparse_run_older_kind("take", "4", count, stream,
                                 (void *[]){&counts, &places, &c.offsets, &one, &count, &is_put});
    if (!status)
        status = wl_sparse_sum_counts(c.offsets, count, c.base, stream, NULL);
    return status ? status : keep(handle, type, a, c, threshold);
}

struct pair {
    float real, imaginary;
};
struct double_pair {
    double real, imaginary;
};

#define COMPRESSES(Letter, type, T, real)                                                        \
    int cusparse##Letter##nnz_compress(void *handle, int m, const void *description,             \
                                       const void *values, const int *offsets, int *counts,      \
                                       int *total, T tolerance)                                  \
    {                                                                                            \
        return count_compressed(handle, type, ROWS(m, 0, 0, values, offsets, NULL, description), \
                                description, tolerance real, counts, total);                     \
    }                                                                                            \
    int cusparse##Letter##csr2csr_compress(                                                      \
        void *handle, int m, int n, const void *description, const void *values,                 \
        const int *indices, const int *offsets, int count, const int *counts, void *to_values,   \
        int *to_indices, int *to_offsets, T tolerance)                                           \
    {                                                                                            \
        return compress(handle, type, ROWS(m, n, count, values, offsets, indices, description),  \
                        ROWS(m, n, 0, to_values, to_offsets, to_indices, description),           \
                        description, tolerance real, counts);                                    \
    }
COMPRESSES(S, WL_SPARSE_FLOAT, float, )
COMPRESSES(D, WL_SPARSE_DOUBLE, double, )
COMPRESSES(C, WL_SPARSE_COMPLEX, struct pair, .real)
COMPRESSES(Z, WL_SPARSE_DOUBLE_COMPLEX, struct double_pair, .real)

#define COUNTS(Letter, type)                                                                      \
    int cusparse##Letter##nnz(void *handle, int direction, int m, int n, const void *description, \
                              const void *a, int lda, int *counts, int *total)                    \
    {                                                                                             \
        (void)description;                                                                        \
        return count_elements(handle, type, direction, m, n, a, lda, counts, total);              \
    }
WL_SPARSE_FOUR(COUNTS)

/* ---- pruned ---- */

static double threshold_of(const void *threshold, enum wl_sparse_type type)
{
    const union wl_sparse_scalar made = wl_sparse_read_scalar(threshold, type);
    return type == WL_SPARSE_DOUBLE ? made.d[0] : (double)made.s[0];
}

/* The size below which that part of the values is, in hundredths. */
static int find_threshold(enum wl_sparse_type type, struct wl_dense a, float percentage,
                          void *stream, double *threshold)
{
    void *made;
    const double count = (double)(a.row_count * a.column_count);
    long long place = (long long)ceil(count * ((double)percentage / 100)) - 1;
    if (!(percentage >= 0 && percentage <= 100) || a.row_count < 0 || a.column_count < 0)
        return WL_SPARSE_INVALID_VALUE;
    *threshold = 0;
    if (count == 0)
        return WL_SPARSE_OK;
    place = place < 0 ? 0 : place;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, sizeof *threshold, 0, &made))
        return WL_SPARSE_ALLOC_FAILED;
    int status = wl_sparse_run_older("select", type, 1, stream, (void *[]){&a, &place, &made});
    if (!status)
        status = wl_sparse_wait(stream);
    if (!status)
        *threshold = *(double *)made; /* which the host can read here */
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, made);
    return status;
}

/* What is pruned: a dense matrix, or rows. */
struct pruned {
    enum wl_sparse_type type;
    bool is_dense;
    struct wl_dense dense;
    struct wl_sparse rows;
    bool is_right;
};

static struct pruned dense(enum wl_sparse_type type, int m, int n, const void *a, int lda)
{
    return (struct pruned){.type = type,
                           .is_dense = true,
                           .dense = {(void *)(uintptr_t)a, m, n, 1, lda},
                           .is_right = m >= 0 && n >= 0 && lda >= m};
}

static struct pruned rows(enum wl_sparse_type type, struct wl_sparse a)
{
    return (struct pruned){.type = type,
                           .dense = {a.values, a.element_count, 1, 1, a.element_count},
                           .rows = a,
                           .is_right =
                               a.row_count >= 0 && a.column_count >= 0 && a.element_count >= 0};
}

/* The threshold is given, or (NULL) how much is below it. */
static int take(void *handle, const struct pruned *from, const void *given, float percentage,
                const void *description, void **stream, double *threshold)
{
    int status = wl_sparse_stream(handle, stream);
    if (status)
        return status;
    if (!from->is_right || !description)
        return WL_SPARSE_INVALID_VALUE;
    if (!given)
        return find_threshold(from->type, from->dense, percentage, *stream, threshold);
    *threshold = threshold_of(given, from->type);
    return WL_SPARSE_OK;
}

static int count_pruned(void *handle, struct pruned from, const void *given, float percentage,
                        const void *to, int *offsets, int *total)
{
    void *stream;
    double threshold;
    int status = take(handle, &from, given, percentage, to, &stream, &threshold);
    const long long count = from.is_dense ? from.dense.row_count : from.rows.row_count;
    if (status)
        return status;
    status = from.is_dense ? wl_sparse_run_older("count_kept_dense", from.type, count, stream,
                                                 (void *[]){&from.dense, &threshold, &offsets})
                           : count_kept(handle, from.type, from.rows, threshold, offsets, &stream);
    return status ? status
                  : wl_sparse_sum_counts(offsets, count, wl_sparse_base(to), stream, total);
}

static int prune(void *handle, struct pruned from, const void *given, float percentage,
                 const void *to, void *values, const int *offsets, int *indices)
{
    void *stream;
    double threshold;
    int status = take(handle, &from, given, percentage, to, &stream, &threshold);
    if (status)
        return status;
    struct wl_sparse c = ROWS(0, 0, 0, values, offsets, indices, to);
    return from.is_dense ? wl_sparse_run_older("keep_dense", from.type, from.dense.row_count,
                                               stream, (void *[]){&from.dense, &c, &threshold})
                         : keep(handle, from.type, from.rows, c, threshold);
}

static int give_size(void *handle, size_t *size_bytes)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    return wl_sparse_give_size(size_bytes);
}

#define DENSE_PARAMETERS void *handle, int m, int n, const void *a, int lda
#define ROWS_PARAMETERS                                                          \
    void *handle, int m, int n, int count, const void *from, const void *values, \
        const int *offsets, const int *indices
#define RESULT const void *to, void *to_values, const int *to_offsets, int *to_indices
#define IGNORED_DENSE (void)m, (void)n, (void)a, (void)lda
#define IGNORED_ROWS \
    (void)m, (void)n, (void)count, (void)from, (void)values, (void)offsets, (void)indices
#define IGNORED_RESULT (void)to, (void)to_values, (void)to_offsets, (void)to_indices

/* The calls of a threshold, and those of a percentage. */
#define PRUNES(Name, parameters, ignored, matrix)                                                  \
    int cusparse##Name##_bufferSizeExt(parameters, const void *threshold, RESULT,                  \
                                       size_t *size_bytes)                                         \
    {                                                                                              \
        ignored, (void)threshold, IGNORED_RESULT;                                                  \
        return give_size(handle, size_bytes);                                                      \
    }                                                                                              \
    int cusparse##Name##Nnz(parameters, const void *threshold, const void *to, int *to_offsets,    \
                            int *total, void *space)                                               \
    {                                                                                              \
        (void)space;                                                                               \
        return count_pruned(handle, matrix, threshold, threshold ? 0 : -1, to, to_offsets, total); \
    }                                                                                              \
    int cusparse##Name(parameters, const void *threshold, RESULT, void *space)                     \
    {                                                                                              \
        (void)space;                                                                               \
        return prune(handle, matrix, threshold, threshold ? 0 : -1, to, to_values, to_offsets,     \
                     to_indices);                                                                  \
    }                                                                                              \
    int cusparse##Name##ByPercentage_bufferSizeExt(parameters, float percentage, RESULT,           \
                                                   void *info, size_t *size_bytes)                 \
    {                                                                                              \
        ignored, (void)percentage, IGNORED_RESULT, (void)info;                                     \
        return give_size(handle, size_bytes);                                                      \
    }                                                                                              \
    int cusparse##Name##NnzByPercentage(parameters, float percentage, const void *to,              \
                                        int *to_offsets, int *total, void *info, void *space)      \
    {                                                                                              \
        (void)info, (void)space;                                                                   \
        return count_pruned(handle, matrix, NULL, percentage, to, to_offsets, total);              \
    }                                                                                              \
    int cusparse##Name##ByPercentage(parameters, float percentage, RESULT, void *info,             \
                                     void *space)                                                  \
    {                                                                                              \
        (void)info, (void)space;                                                                   \
        return prune(handle, matrix, NULL, percentage, to, to_values, to_offsets, to_indices);     \
    }
#define BOTH(Letter, type)                                                                     \
    PRUNES(Letter##pruneDense2csr, DENSE_PARAMETERS, IGNORED_DENSE, dense(type, m, n, a, lda)) \
    PRUNES(Letter##pruneCsr2csr, ROWS_PARAMETERS, IGNORED_ROWS,                                \
           rows(type, ROWS(m, n, count, values, offsets, indices, from)))
BOTH(S, WL_SPARSE_FLOAT)
BOTH(D, WL_SPARSE_DOUBLE)
BOTH(H, WL_SPARSE_HALF)
