/* Kernels behind the calls of cuSPARSE on compressed rows and single elements. Plain ones: what they count is what
 * such a call does at least, not how cuSPARSE does it. Those whose work is one chain (triangular solves,
 * incomplete factors, transposing) have a thread for each chain.
 *
 * sparse.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "sparse.h"

#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef long long i64;
constexpr int THREADS = 256;

DEVICE i64 first()
{
    return (i64)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE i64 step()
{
    return (i64)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

DEVICE i64 load(const void *from, int is_wide, i64 at)
{
    return is_wide ? ((const i64 *)from)[at] : ((const int *)from)[at];
}

DEVICE void store(void *to, int is_wide, i64 at, i64 value)
{
    if (is_wide)
        ((i64 *)to)[at] = value;
    else
        ((int *)to)[at] = (int)value;
}

DEVICE i64 row_begin(const wl_sparse &a, i64 row)
{
    return load(a.offsets, a.has_wide_offsets, row) - a.base;
}

DEVICE i64 column_of(const wl_sparse &a, i64 element)
{
    return load(a.columns, a.has_wide_columns, element) - a.base;
}

template <typename T> DEVICE T &at(const wl_dense &m, i64 row, i64 column)
{
    return ((T *)m.values)[row * m.row_step + column * m.column_step];
}

DEVICE void add(float *to, float value)
{
    __nvvm_atom_add_gen_f(to, value);
}

DEVICE void add(double *to, double value)
{
    __nvvm_atom_add_gen_d(to, value);
}

/* factor * value. Where the factor is 0 the value may never have been written, and is not read. */
template <typename T> DEVICE T part(T factor, const T &value)
{
    if (factor == 0)
        return 0;
    asm volatile("" ::: "memory"); /* or the value is loaded before the factor is looked at */
    return factor * value;
}

/* m = factor * m, where a factor of 0 leaves nothing of what was there. */
template <typename T> DEVICE void scale(wl_dense m, T factor)
{
    for (i64 i = first(); i < m.row_count * m.column_count; i += step()) {
        T &value = at<T>(m, i / m.column_count, i % m.column_count);
        value = part(factor, value);
    }
}

/* c = alpha * a * b + beta * c, a thread for each element of c: of compressed rows. */
template <typename T> DEVICE void multiply(wl_sparse a, wl_dense b, wl_dense c, T alpha, T beta)
{
    for (i64 i = first(); i < c.row_count * c.column_count; i += step()) {
        i64 row = i / c.column_count, column = i % c.column_count;
        T sum = 0, &value = at<T>(c, row, column);
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++)
            sum += ((const T *)a.values)[e] * at<T>(b, column_of(a, e), column);
        value = beta == 0 ? alpha * sum : alpha * sum + part(beta, value);
    }
}

/* c += alpha * a * b, or of a's transposed one: a thread for each row, or element, of a and column of b. */
template <typename T> DEVICE void scatter(wl_sparse a, wl_dense b, wl_dense c, T alpha, int transpose)
{
    i64 count = a.by_element ? a.element_count : a.row_count;
    for (i64 i = first(); i < count * c.column_count; i += step()) {
        i64 own = i / c.column_count, column = i % c.column_count;
        i64 row = a.by_element ? row_begin(a, own) : own;
        i64 begin = a.by_element ? own : row_begin(a, own);
        i64 end = a.by_element ? own + 1 : row_begin(a, own + 1);
        for (i64 e = begin; e < end; e++) {
            i64 other = column_of(a, e), from = transpose ? row : other;
            add(&at<T>(c, transpose ? other : row, column),
                alpha * ((const T *)a.values)[e] * at<T>(b, from, column));
        }
    }
}

/* The elements of c that are there = alpha * a * b + beta * c. */
template <typename T> DEVICE void sample(wl_dense a, wl_dense b, wl_sparse c, T alpha, T beta)
{
    for (i64 row = first(); row < c.row_count; row += step())
        for (i64 e = row_begin(c, row); e < row_begin(c, row + 1); e++) {
            T sum = 0, &value = ((T *)c.values)[e];
            for (i64 k = 0; k < a.column_count; k++)
                sum += at<T>(a, row, k) * at<T>(b, k, column_of(c, e));
            value = beta == 0 ? alpha * sum : alpha * sum + part(beta, value);
        }
}

/* Of a sparse vector x, whose columns are its indices: y += alpha * x. */
template <typename T> DEVICE void axpy(wl_sparse x, T *y, T alpha)
{
    for (i64 i = first(); i < x.element_count; i += step())
        y[column_of(x, i)] += alpha * ((const T *)x.values)[i];
}

template <typename T> DEVICE void gather(const T *y, wl_sparse x)
{
    for (i64 i = first(); i < x.element_count; i += step())
        ((T *)x.values)[i] = y[column_of(x, i)];
}

template <typename T> DEVICE void spread(wl_sparse x, T *y)
{
    for (i64 i = first(); i < x.element_count; i += step())
        y[column_of(x, i)] = ((const T *)x.values)[i];
}

/* One block adds up the products. */
template <typename T> DEVICE void dot(wl_sparse x, const T *y, T *result, T *sums)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
    T sum = 0;
    for (i64 i = thread; i < x.element_count; i += THREADS)
        sum += ((const T *)x.values)[i] * y[column_of(x, i)];
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    if (!thread)
        *result = sums[0];
}

/* The elements of a in a dense matrix whose others are 0 already. */
template <typename T> DEVICE void to_dense(wl_sparse a, wl_dense m, int transpose)
{
    i64 count = a.by_element ? a.element_count : a.row_count;
    for (i64 i = first(); i < count; i += step()) {
        i64 row = a.by_element ? row_begin(a, i) : i;
        i64 begin = a.by_element ? i : row_begin(a, i), end = a.by_element ? i + 1 : row_begin(a, i + 1);
        for (i64 e = begin; e < end; e++)
            at<T>(m, transpose ? column_of(a, e) : row, transpose ? row : column_of(a, e)) =
                ((const T *)a.values)[e];
    }
}

/* How many of each row are not 0. */
template <typename T> DEVICE void count(wl_dense m, void *counts, int is_wide)
{
    for (i64 row = first(); row < m.row_count; row += step()) {
        i64 found = 0;
        for (i64 column = 0; column < m.column_count; column++)
            found += at<T>(m, row, column) != 0;
        store(counts, is_wide, row, found);
    }
}

/* Those that are not 0, from the offset of each row on; rows too, where they stand by themselves (by_element, whose
 * places are then in starts). */
template <typename T> DEVICE void from_dense(wl_dense m, wl_sparse a, const void *starts, int is_wide)
{
    for (i64 row = first(); row < m.row_count; row += step()) {
        i64 e = load(starts, is_wide, row) - (a.by_element ? 0 : a.base);
        for (i64 column = 0; column < m.column_count; column++) {
            T value = at<T>(m, row, column);
            if (value == 0)
                continue;
            if (a.by_element)
                store(a.offsets, a.has_wide_offsets, e, row + a.base);
            store(a.columns, a.has_wide_columns, e, column + a.base);
            ((T *)a.values)[e++] = value;
        }
    }
}

/* Solves a * y = alpha * x, or with a's transposed, of a triangle: a thread for each column. */
template <typename T>
DEVICE void solve(wl_sparse a, wl_dense x, wl_dense y, T alpha, int is_upper, int is_unit, int transpose)
{
    for (i64 column = first(); column < y.column_count; column += step()) {
        for (i64 row = 0; row < y.row_count; row++)
            at<T>(y, row, column) = alpha * at<T>(x, row, column);
        int downwards = is_upper == transpose;
        for (i64 i = 0; i < a.row_count; i++) {
            i64 row = downwards ? i : a.row_count - 1 - i;
            T sum = at<T>(y, row, column), diagonal = 1;
            for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
                i64 other = column_of(a, e);
                if (other == row)
                    diagonal = is_unit ? 1 : ((const T *)a.values)[e];
                else if (!transpose && (is_upper ? other > row : other < row))
                    sum -= ((const T *)a.values)[e] * at<T>(y, other, column);
            }
            at<T>(y, row, column) = sum /= diagonal;
            for (i64 e = row_begin(a, row); transpose && e < row_begin(a, row + 1); e++) {
                i64 other = column_of(a, e);
                if (is_upper ? other > row : other < row)
                    at<T>(y, other, column) -= ((const T *)a.values)[e] * sum;
            }
        }
    }
}

/* The incomplete factors of a in its own places; zero_pivot: the first row without one, or -1. */
template <typename T> DEVICE void factor(wl_sparse a, int *zero_pivot)
{
    T *values = (T *)a.values;
    *zero_pivot = -1;
    for (i64 row = 0; first() == 0 && row < a.row_count; row++) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1);
        bool has_pivot = false;
        for (i64 e = begin; e < end; e++) {
            i64 above = column_of(a, e);
            has_pivot |= above == row && values[e] != 0;
            if (above >= row)
                continue;
            T pivot = 1;
            for (i64 u = row_begin(a, above); u < row_begin(a, above + 1); u++)
                if (column_of(a, u) == above)
                    pivot = values[u];
            values[e] /= pivot;
            for (i64 u = row_begin(a, above); u < row_begin(a, above + 1); u++)
                for (i64 w = begin; column_of(a, u) > above && w < end; w++)
                    if (column_of(a, w) == column_of(a, u))
                        values[w] -= values[e] * values[u];
        }
        if (!has_pivot && *zero_pivot < 0)
            *zero_pivot = (int)(row + a.base);
    }
}

/* Columns of a, compressed, in the order of its rows: one thread; offsets hold one more than there are columns. */
template <typename T> DEVICE void transpose(wl_sparse a, wl_sparse made, int with_values)
{
    i64 count = made.row_count;
    for (i64 i = 0; first() == 0 && i <= count; i++)
        store(made.offsets, made.has_wide_offsets, i, 0);
    for (i64 e = 0; first() == 0 && e < a.element_count; e++) {
        i64 column = column_of(a, e) + 1;
        store(made.offsets, made.has_wide_offsets, column, load(made.offsets, made.has_wide_offsets, column) + 1);
    }
    for (i64 i = 0; first() == 0 && i < count; i++)
        store(made.offsets, made.has_wide_offsets, i + 1,
              load(made.offsets, made.has_wide_offsets, i) + load(made.offsets, made.has_wide_offsets, i + 1));
    for (i64 row = a.row_count - 1; first() == 0 && row >= 0; row--)
        for (i64 e = row_begin(a, row + 1) - 1; e >= row_begin(a, row); e--) {
            i64 column = column_of(a, e) + 1, to = load(made.offsets, made.has_wide_offsets, column) - 1;
            store(made.offsets, made.has_wide_offsets, column, to);
            store(made.columns, made.has_wide_columns, to, row + a.base);
            if (with_values)
                ((T *)made.values)[to] = ((const T *)a.values)[e];
        }
    for (i64 i = 0; first() == 0 && i < count; i++) /* each end has become the begin */
        store(made.offsets, made.has_wide_offsets, i,
              load(made.offsets, made.has_wide_offsets, i + 1) + a.base);
    if (first() == 0)
        store(made.offsets, made.has_wide_offsets, count, a.element_count + a.base);
}

/* Where the columns from begin on stop rising. */
DEVICE i64 run_end(const i64 *columns, i64 begin, i64 end)
{
    while (begin + 1 < end && columns[begin] <= columns[begin + 1])
        begin++;
    return begin + 1 < end ? begin + 1 : end;
}

/* Merges each two rising runs of products in [begin, end) to other places; false: there is one at most. Of equal
 * columns the first stays the first. */
template <typename T>
DEVICE bool merge_runs(const i64 *columns, const T *values, i64 *to_columns, T *to_values, i64 begin, i64 end)
{
    if (run_end(columns, begin, end) == end)
        return false;
    for (i64 low = begin; low < end;) {
        i64 middle = run_end(columns, low, end), stop = run_end(columns, middle, end), high = middle;
        for (i64 to = low, left = low; to < stop; to++) {
            i64 from = left < middle && (high == stop || columns[left] <= columns[high]) ? left++ : high++;
            to_columns[to] = columns[from];
            to_values[to] = values[from];
        }
        low = stop;
    }
    return true;
}

/* The elements of alpha * a * b, by rising columns, from where each row's products begin on; offsets: how many. Without
 * values, only where they are. */
template <typename T> DEVICE void product(wl_sparse a, wl_sparse b, wl_product p, T alpha, int with_values)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 begin = p.begins[row], end = p.begins[row + 1], to = begin;
        i64 *columns = p.columns, *other_columns = columns + p.product_count;
        T *values = (T *)p.values, *other_values = values + p.product_count;
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            i64 inner = column_of(a, e);
            for (i64 f = row_begin(b, inner); f < row_begin(b, inner + 1); f++) {
                columns[to] = column_of(b, f);
                values[to++] = with_values ? ((const T *)a.values)[e] * ((const T *)b.values)[f] : 0;
            }
        }
        while (merge_runs(columns, values, other_columns, other_values, begin, end)) {
            i64 *sorted_columns = other_columns;
            T *sorted_values = other_values;
            other_columns = columns, columns = sorted_columns;
            other_values = values, values = sorted_values;
        }
        to = begin;
        for (i64 e = begin; e < end;) {
            i64 column = columns[e];
            T sum = 0;
            for (; e < end && columns[e] == column; e++)
                sum += values[e];
            p.columns[to] = column;
            ((T *)p.values)[to++] = alpha * sum;
        }
        p.offsets[row] = to - begin;
    }
}

/* What was made there in the places of c, beta * c added: a thread for each offset. Without values, c's stay. */
template <typename T> DEVICE void put_product(wl_product p, wl_sparse c, T beta, int with_values)
{
    for (i64 row = first(); row <= c.row_count; row += step()) {
        i64 to = p.offsets[row], end = row < c.row_count ? p.offsets[row + 1] : to;
        store(c.offsets, c.has_wide_offsets, row, to + c.base);
        for (i64 from = p.begins[row]; to < end; to++, from++) {
            store(c.columns, c.has_wide_columns, to, p.columns[from] + c.base);
            if (!with_values)
                continue;
            T own = ((const T *)p.values)[from], &value = ((T *)c.values)[to];
            value = beta == 0 ? own : own + part(beta, value);
        }
    }
}

/* The element of c in that column among those of [begin, end), whose columns rise; end: there is none. */
DEVICE i64 find_column(const wl_sparse &c, i64 begin, i64 end, i64 column)
{
    i64 low = begin, high = end;
    while (low < high) {
        i64 middle = (low + high) / 2;
        if (column_of(c, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && column_of(c, low) == column ? low : end;
}

/* The elements of c, which are those of a * b, = alpha * a * b + beta * c. */
template <typename T> DEVICE void fill_product(wl_sparse a, wl_sparse b, wl_sparse c, T alpha, T beta)
{
    T *values = (T *)c.values;
    for (i64 row = first(); row < c.row_count; row += step()) {
        i64 begin = row_begin(c, row), end = row_begin(c, row + 1);
        for (i64 e = begin; e < end; e++)
            values[e] = part(beta, values[e]);
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            i64 inner = column_of(a, e);
            T factor = alpha * ((const T *)a.values)[e];
            for (i64 f = row_begin(b, inner); f < row_begin(b, inner + 1); f++) {
                i64 to = find_column(c, begin, end, column_of(b, f));
                if (to < end)
                    values[to] += factor * ((const T *)b.values)[f];
            }
        }
    }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_sparse_scale_##letter(wl_dense m, T factor)                                                   \
    {                                                                                                                  \
        scale(m, factor);                                                                                              \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_multiply_##letter(wl_sparse a, wl_dense b, wl_dense c, T alpha, T beta)                \
    {                                                                                                                  \
        multiply(a, b, c, alpha, beta);                                                                                \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_scatter_##letter(wl_sparse a, wl_dense b, wl_dense c, T alpha, int transpose)          \
    {                                                                                                                  \
        scatter(a, b, c, alpha, transpose);                                                                            \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_sample_##letter(wl_dense a, wl_dense b, wl_sparse c, T alpha, T beta)                  \
    {                                                                                                                  \
        sample(a, b, c, alpha, beta);                                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_axpy_##letter(wl_sparse x, T *y, T alpha)                                              \
    {                                                                                                                  \
        axpy(x, y, alpha);                                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_gather_##letter(const T *y, wl_sparse x)                                               \
    {                                                                                                                  \
        gather(y, x);                                                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_spread_##letter(wl_sparse x, T *y)                                                     \
    {                                                                                                                  \
        spread(x, y);                                                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_dot_##letter(wl_sparse x, const T *y, T *result)                                       \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        dot(x, y, result, sums);                                                                                       \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_to_dense_##letter(wl_sparse a, wl_dense m, int transpose)                              \
    {                                                                                                                  \
        to_dense<T>(a, m, transpose);                                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_count_##letter(wl_dense m, void *counts, int is_wide)                                  \
    {                                                                                                                  \
        count<T>(m, counts, is_wide);                                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_from_dense_##letter(wl_dense m, wl_sparse a, const void *starts, int is_wide)          \
    {                                                                                                                  \
        from_dense<T>(m, a, starts, is_wide);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_solve_##letter(wl_sparse a, wl_dense x, wl_dense y, T alpha, int is_upper,             \
                                               int is_unit, int transpose)                                             \
    {                                                                                                                  \
        solve(a, x, y, alpha, is_upper, is_unit, transpose);                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_factor_##letter(wl_sparse a, int *zero_pivot)                                          \
    {                                                                                                                  \
        factor<T>(a, zero_pivot);                                                                                      \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_transpose_##letter(wl_sparse a, wl_sparse made, int with_values)                       \
    {                                                                                                                  \
        transpose<T>(a, made, with_values);                                                                            \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_product_##letter(wl_sparse a, wl_sparse b, wl_product p, T alpha, int with_values)     \
    {                                                                                                                  \
        product(a, b, p, alpha, with_values);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_put_product_##letter(wl_product p, wl_sparse c, T beta, int with_values)               \
    {                                                                                                                  \
        put_product(p, c, beta, with_values);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_fill_product_##letter(wl_sparse a, wl_sparse b, wl_sparse c, T alpha, T beta)          \
    {                                                                                                                  \
        fill_product(a, b, c, alpha, beta);                                                                            \
    }

KERNELS(s, float)
KERNELS(d, double)

/* Offsets out of counts: one thread. */
GLOBAL void warplens_sparse_sum_up(void *offsets, int is_wide, i64 count, i64 base)
{
    i64 sum = base;
    for (i64 i = 0; first() == 0 && i <= count; i++) {
        i64 own = i < count ? load(offsets, is_wide, i) : 0;
        store(offsets, is_wide, i, sum);
        sum += own;
    }
}

/* How many products each row of a * b is made of. */
GLOBAL void warplens_sparse_count_products(wl_sparse a, wl_sparse b, i64 *counts)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 found = 0;
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            i64 inner = column_of(a, e);
            found += row_begin(b, inner + 1) - row_begin(b, inner);
        }
        counts[row] = found;
    }
}

/* The columns of each row in rising order, and with them where each stood: a thread for each row. */
GLOBAL void warplens_sparse_sort(wl_sparse a, int *places)
{
    for (i64 row = first(); row < a.row_count; row += step())
        for (i64 begin = row_begin(a, row), e = begin + 1; e < row_begin(a, row + 1); e++) {
            i64 column = column_of(a, e), to = e;
            int place = places ? places[e] : 0;
            for (; to > begin && column_of(a, to - 1) > column; to--) {
                store(a.columns, a.has_wide_columns, to, column_of(a, to - 1) + a.base);
                if (places)
                    places[to] = places[to - 1];
            }
            store(a.columns, a.has_wide_columns, to, column + a.base);
            if (places)
                places[to] = place;
        }
}

GLOBAL void warplens_sparse_number(int *places, i64 count)
{
    for (i64 i = first(); i < count; i += step())
        places[i] = (int)i;
}

/* The row of each element, of compressed rows. */
GLOBAL void warplens_sparse_expand(const int *offsets, i64 row_count, int *rows, int base)
{
    for (i64 row = first(); row < row_count; row += step())
        for (i64 e = offsets[row] - base; e < offsets[row + 1] - base; e++)
            rows[e] = (int)row + base;
}

/* Compressed rows, of rising rows of elements. */
GLOBAL void warplens_sparse_compress(const int *rows, i64 element_count, i64 row_count, int *offsets, int base)
{
    for (i64 row = first(); row <= row_count; row += step()) {
        i64 low = 0, high = element_count;
        while (low < high) {
            i64 middle = (low + high) / 2;
            if (rows[middle] - base < row)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[row] = (int)low + base;
    }
}
