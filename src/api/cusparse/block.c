/* Older calls on blocks: products, and between blocks and rows. */
#include "api/cusparse/older.h"

#define ROWS(m, n, count, values, offsets, indices, description) \
    wl_sparse_rows(m, n, count, values, offsets, indices, wl_sparse_base(description))

/* ---- products ---- */

/* c = alpha * a * b + beta * c, of blocks that are not turned. */
static int multiply(void *handle, enum wl_sparse_type type, struct wl_sparse_blocks given, int op,
                    const void *description, struct wl_dense b, struct wl_dense c,
                    const void *alpha, const void *beta)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream), conjugates = 0;
    if (status)
        return status;
    if (!wl_sparse_blocks_check(&given) || op != WL_SPARSE_PLAIN || !description || !alpha ||
        !beta || given.block_rows < 2 || c.column_count < 0)
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse a = wl_sparse_blocks_are(&given);
    union wl_sparse_scalar factors[2];
    void *const alpha_at = wl_sparse_factor(handle, alpha, type, &factors[0]), *const beta_at =
                                                                                   wl_sparse_factor(
                                                                                       handle, beta,
                                                                                       type,
                                                                                       &factors[1]);
    return wl_sparse_run("multiply", type, c.row_count * c.column_count, stream,
                         (void *[]){&a, &b, &c, alpha_at, beta_at, &conjugates});
}

static int multiply_masked(void *handle, enum wl_sparse_type type, struct wl_sparse_blocks given,
                           int op, const int *mask, int mask_count, const int *ends, const void *x,
                           void *y, const void *alpha, const void *beta)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    long long count = mask_count;
    if (status)
        return status;
    if (!wl_sparse_blocks_check(&given) || op != WL_SPARSE_PLAIN || !alpha || !beta ||
        given.block_rows < 2 || mask_count < 0)
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse a = wl_sparse_blocks_are(&given);
    union wl_sparse_scalar factors[2];
    void *const alpha_at = wl_sparse_factor(handle, alpha, type, &factors[0]), *const beta_at =
                                                                                   wl_sparse_factor(
                                                                                       handle, beta,
                                                                                       type,
                                                                                       &factors[1]);
    return wl_sparse_run_older("multiply_masked", type, count * given.block_rows, stream,
                               (void *[]){&a, &ends, &mask, &count, &x, &y, alpha_at, beta_at});
}

static struct wl_dense dense(const void *values, long long rows, long long columns,
                             long long row_step, long long column_step)
{
    return (struct wl_dense){(void *)(uintptr_t)values, rows, columns, row_step, column_step};
}

#define BLOCKS(direction, rows, columns, mb, nb, values, offsets, indices, description)         \
    (struct wl_sparse_blocks)                                                                   \
    {                                                                                           \
        direction, rows, columns, mb, nb, values, offsets, indices, wl_sparse_base(description) \
    }

#define PRODUCTS(Letter, type)                                                                     \
    int cusparse##Letter##bsrmv(void *handle, int direction, int op, int mb, int nb, int count,    \
                                const void *alpha, const void *description, const void *values,    \
                                const int *offsets, const int *indices, int block, const void *x,  \
                                const void *beta, void *y)                                         \
    {                                                                                              \
        (void)count;                                                                               \
        return multiply(                                                                           \
            handle, type,                                                                          \
            BLOCKS(direction, block, block, mb, nb, values, offsets, indices, description), op,    \
            description, dense(x, (long long)nb * block, 1, 1, 1),                                 \
            dense(y, (long long)mb * block, 1, 1, 1), alpha, beta);                                \
    }                                                                                              \
    int cusparse##Letter##bsrxmv(void *handle, int direction, int op, int mask_count, int mb,      \
                                 int nb, int count, const void *alpha, const void *description,    \
                                 const void *values, const int *mask, const int *offsets,          \
                                 const int *ends, const int *indices, int block, const void *x,    \
                                 const void *beta, void *y)                                        \
    {                                                                                              \
        (void)count;                                                                               \
        if (!description && handle)                                                                \
            return WL_SPARSE_INVALID_VALUE;                                                        \
        return multiply_masked(                                                                    \
            handle, type,                                                                          \
            BLOCKS(direction, block, block, mb, nb, values, offsets, indices, description), op,    \
            mask, mask_count, ends, x, y, alpha, beta);                                            \
    }                                                                                              \
    int cusparse##Letter##bsrmm(                                                                   \
        void *handle, int direction, int op, int op_b, int mb, int n, int kb, int count,           \
        const void *alpha, const void *description, const void *values, const int *offsets,        \
        const int *indices, int block, const void *b, int ldb, const void *beta, void *c, int ldc) \
    {                                                                                              \
        const long long inner = (long long)kb * block, rows = (long long)mb * block;               \
        (void)count;                                                                               \
        if (handle && op_b != WL_SPARSE_PLAIN && op_b != WL_SPARSE_TRANSPOSE)                      \
            return WL_SPARSE_INVALID_VALUE;                                                        \
        return multiply(                                                                           \
            handle, type,                                                                          \
            BLOCKS(direction, block, block, mb, kb, values, offsets, indices, description), op,    \
            description, dense(b, inner, n, op_b ? ldb : 1, op_b ? 1 : ldb),                       \
            dense(c, rows, n, 1, ldc), alpha, beta);                                               \
    }
WL_SPARSE_FOUR(PRODUCTS)

/* ---- rows to blocks ---- */

static int over(int count, int size)
{
    return (count + size - 1) / size;
}

/* Offsets of the blocks that a has elements in. */
static int count_blocks(void *handle, struct wl_sparse a, int direction, int rows, int columns,
                        const void *from, const void *to, int *offsets, int *total)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    long long block_rows = rows, block_columns = columns;
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || rows < 1 || columns < 1 || !from || !to ||
        !offsets || (direction != 0 && direction != 1))
        return WL_SPARSE_INVALID_VALUE;
    const int count = over((int)a.row_count, rows);
    status = wl_sparse_run_older("count_blocks", WL_SPARSE_NO_VALUES, count, stream,
                                 (void *[]){&a, &block_rows, &block_columns, &offsets});
    return status ? status
                  : wl_sparse_sum_counts(offsets, count, wl_sparse_base(to), stream, total);
}

static int make_blocks(void *handle, enum wl_sparse_type type, struct wl_sparse a, const void *from,
                       const void *to, struct wl_sparse_blocks given)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (a.row_count < 0 || a.column_count < 0 || !from || !to || given.block_rows < 1 ||
        given.block_columns < 1)
        return WL_SPARSE_INVALID_VALUE;
    given.rows = over((int)a.row_count, given.block_rows);
    given.columns = over((int)a.column_count, given.block_columns);
    if (!wl_sparse_blocks_check(&given))
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse c = wl_sparse_blocks_are(&given);
    return wl_sparse_run_older("make_blocks", type, given.rows, stream, (void *[]){&a, &c});
}

int cusparseXcsr2bsrNnz(void *handle, int direction, int m, int n, const void *from,
                        const int *offsets, const int *indices, int block, const void *to,
                        int *to_offsets, int *total)
{
    if (handle && (block > m || block > n))
        return WL_SPARSE_INVALID_VALUE;
    return count_blocks(handle, ROWS(m, n, 0, NULL, offsets, indices, from), direction, block,
                        block, from, to, to_offsets, total);
}

int cusparseXcsr2gebsrNnz(void *handle, int direction, int m, int n, const void *from,
                          const int *offsets, const int *indices, const void *to, int *to_offsets,
                          int rows, int columns, int *total, void *space)
{
    (void)space;
    return count_blocks(handle, ROWS(m, n, 0, NULL, offsets, indices, from), direction, rows,
                        columns, from, to, to_offsets, total);
}

/* Blocks as the older calls name them, NULL if the sizes are none. */
static struct wl_sparse blocks(struct wl_sparse_blocks given)
{
    if (wl_sparse_blocks_check(&given))
        return wl_sparse_blocks_are(&given);
    return (struct wl_sparse){.row_count = -1};
}

int cusparseXgebsr2gebsrNnz(void *handle, int direction, int mb, int nb, int count,
                            const void *from, const int *offsets, const int *indices, int rows,
                            int columns, const void *to, int *to_offsets, int to_rows,
                            int to_columns, int *total, void *space)
{
    (void)count, (void)space;
    return count_blocks(
        handle, blocks(BLOCKS(direction, rows, columns, mb, nb, NULL, offsets, indices, from)),
        direction, to_rows, to_columns, from, to, to_offsets, total);
}

static int expand(void *handle, enum wl_sparse_type type, struct wl_sparse a, const void *from,
                  const void *to, void *values, int *offsets, int *indices)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (a.row_count < 0 || !from || !to)
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse c =
        ROWS((int)a.row_count, (int)a.column_count, 0, values, offsets, indices, to);
    return wl_sparse_run_older("expand_blocks", type, a.row_count + 1, stream, (void *[]){&a, &c});
}

/* Columns of blocks, each as it is: their places are turned first. */
static int turn(void *handle, enum wl_sparse_type type, int mb, int nb, int count,
                const void *values, const int *offsets, const int *indices, int size,
                void *to_values, int *to_indices, int *to_offsets, int with_values, int base,
                void *space)
{
    char kind[8];
    void *stream;
    int *places = space, *made = places + count, is_put = 0, one = 1;
    long long blocks_count = count, block_size = size;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (mb < 0 || nb < 0 || count < 0 || size < 1 || !space)
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse from = wl_sparse_rows(mb, nb, count, places, offsets, indices, base);
    struct wl_sparse to = wl_sparse_rows(nb, mb, count, made, to_offsets, to_indices, base);
    status = wl_sparse_run("number", WL_SPARSE_NO_VALUES, count, stream,
                           (void *[]){&places, &blocks_count});
    if (!status)
        status = wl_sparse_run_kind("transpose", "4", 1, stream, (void *[]){&from, &to, &one});
    snprintf(kind, sizeof kind, "%d", (int)wl_sparse_value_bytes(type));
    if (status || !with_values)
        return status;
    return wl_sparse_run_older_kind(
        "take", kind, blocks_count * block_size, stream,
        (void *[]){&values, &made, &to_values, &block_size, &blocks_count, &is_put});
}

#define CONVERSIONS(Letter, type)                                                                  \
    int cusparse##Letter##csr2bsr(void *handle, int direction, int m, int n, const void *from,     \
                                  const void *values, const int *offsets, const int *indices,      \
                                  int block, const void *to, void *to_values, int *to_offsets,     \
                                  int *to_indices)                                                 \
    {                                                                                              \
        return make_blocks(                                                                        \
            handle, type, ROWS(m, n, 0, values, offsets, indices, from), from, to,                 \
            BLOCKS(direction, block, block, 0, 0, to_values, to_offsets, to_indices, to));         \
    }                                                                                              \
    int cusparse##Letter##csr2gebsr_bufferSize(                                                    \
        void *handle, int direction, int m, int n, const void *from, const void *values,           \
        const int *offsets, const int *indices, int rows, int columns, int *size_bytes)            \
    {                                                                                              \
        (void)direction, (void)from, (void)values, (void)offsets, (void)indices;                   \
        return wl_sparse_give_int_size(handle, m >= 0 && n >= 0 && rows > 0 && columns > 0,        \
                                       size_bytes);                                                \
    }                                                                                              \
    int cusparse##Letter##csr2gebsr(void *handle, int direction, int m, int n, const void *from,   \
                                    const void *values, const int *offsets, const int *indices,    \
                                    const void *to, void *to_values, int *to_offsets,              \
                                    int *to_indices, int rows, int columns, void *space)           \
    {                                                                                              \
        (void)space;                                                                               \
        return make_blocks(                                                                        \
            handle, type, ROWS(m, n, 0, values, offsets, indices, from), from, to,                 \
            BLOCKS(direction, rows, columns, 0, 0, to_values, to_offsets, to_indices, to));        \
    }                                                                                              \
    int cusparse##Letter##bsr2csr(void *handle, int direction, int mb, int nb, const void *from,   \
                                  const void *values, const int *offsets, const int *indices,      \
                                  int block, const void *to, void *to_values, int *to_offsets,     \
                                  int *to_indices)                                                 \
    {                                                                                              \
        return expand(                                                                             \
            handle, type,                                                                          \
            blocks(BLOCKS(direction, block, block, mb, nb, values, offsets, indices, from)), from, \
            to, to_values, to_offsets, to_indices);                                                \
    }                                                                                              \
    int cusparse##Letter##gebsr2csr(void *handle, int direction, int mb, int nb, const void *from, \
                                    const void *values, const int *offsets, const int *indices,    \
                                    int rows, int columns, const void *to, void *to_values,        \
                                    int *to_offsets, int *to_indices)                              \
    {                                                                                              \
        return expand(                                                                             \
            handle, type,                                                                          \
            blocks(BLOCKS(direction, rows, columns, mb, nb, values, offsets, indices, from)),      \
            from, to, to_values, to_offsets, to_indices);                                          \
    }                                                                                              \
    int cusparse##Letter##gebsr2gebsc_bufferSize(                                                  \
        void *handle, int mb, int nb, int count, const void *values, const int *offsets,           \
        const int *indices, int rows, int columns, int *size_bytes)                                \
    {                                                                                              \
        (void)values, (void)offsets, (void)indices;                                                \
        int status = wl_sparse_give_int_size(                                                      \
            handle, mb >= 0 && nb >= 0 && count >= 0 && rows > 0 && columns > 0, size_bytes);      \
        if (!status)                                                                               \
            *size_bytes += 2 * count * (int)sizeof(int);                                           \
        return status;                                                                             \
    }                                                                                              \
    int cusparse##Letter##gebsr2gebsc(void *handle, int mb, int nb, int count, const void *values, \
                                      const int *offsets, const int *indices, int rows,            \
                                      int columns, void *to_values, int *to_indices,               \
                                      int *to_offsets, int action, int base, void *space)          \
    {                                                                                              \
        return turn(handle, type, mb, nb, count, values, offsets, indices, rows * columns,         \
                    to_values, to_indices, to_offsets, action, base, space);                       \
    }                                                                                              \
    int cusparse##Letter##gebsr2gebsr_bufferSize(                                                  \
        void *handle, int direction, int mb, int nb, int count, const void *from,                  \
        const void *values, const int *offsets, const int *indices, int rows, int columns,         \
        int to_rows, int to_columns, int *size_bytes)                                              \
    {                                                                                              \
        (void)direction, (void)count, (void)from, (void)values, (void)offsets, (void)indices;      \
        return wl_sparse_give_int_size(handle,                                                     \
                                       mb >= 0 && nb >= 0 && rows > 0 && columns > 0 &&            \
                                           to_rows > 0 && to_columns > 0,                          \
                                       size_bytes);                                                \
    }                                                                                              \
    int cusparse##Letter##gebsr2gebsr(void *handle, int direction, int mb, int nb, int count,      \
                                      const void *from, const void *values, const int *offsets,    \
                                      const int *indices, int rows, int columns, const void *to,   \
                                      void *to_values, int *to_offsets, int *to_indices,           \
                                      int to_rows, int to_columns, void *space)                    \
    {                                                                                              \
        (void)count, (void)space;                                                                  \
        return make_blocks(                                                                        \
            handle, type,                                                                          \
            blocks(BLOCKS(direction, rows, columns, mb, nb, values, offsets, indices, from)),      \
            from, to,                                                                              \
            BLOCKS(direction, to_rows, to_columns, 0, 0, to_values, to_offsets, to_indices, to));  \
    }
WL_SPARSE_FOUR(CONVERSIONS)
