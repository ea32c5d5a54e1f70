/* Kernels behind the calls of cuSPARSE on compressed rows and single elements. Plain ones: what they count is what
 * such a call does at least, not how cuSPARSE does it. Those whose work is one chain (triangular solves, transposing)
 * have a thread for each chain.
 *
 * sparse.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "sparse.cuh"

/* m = factor * m, where a factor of 0 leaves nothing of what was there. */
template <typename T, typename Sum> DEVICE void scale(wl_dense m, Sum factor)
{
    for (i64 i = first(); i < m.row_count * m.column_count; i += step()) {
        T &value = at<T>(m, i / m.column_count, i % m.column_count);
        assign(value, part(factor, value));
    }
}

/* m = 0. */
template <typename T> DEVICE void blank(wl_dense m)
{
    for (i64 i = first(); i < m.row_count * m.column_count; i += step())
        at<T>(m, i / m.column_count, i % m.column_count) = T{};
}

/* The values of one dense matrix in another. */
template <typename From, typename To> DEVICE void convert(wl_dense from, wl_dense to)
{
    for (i64 i = first(); i < to.row_count * to.column_count; i += step()) {
        i64 row = i / to.column_count, column = i % to.column_count;
        assign(at<To>(to, row, column), number(at<From>(from, row, column)));
    }
}

/* c = alpha * a * b + beta * c, a thread for each element of c: of rows. conjugates: bit 0 of a, bit 1 of b. */
template <typename A, typename B, typename C, typename Sum>
DEVICE void multiply(wl_sparse a, wl_dense b, wl_dense c, Sum alpha, Sum beta, int conjugates)
{
    for (i64 i = first(); i < c.row_count * c.column_count; i += step()) {
        i64 row = i / c.column_count, column = i % c.column_count, begin = row_begin(a, row), end = row_begin(a, row + 1);
        C &value = at<C>(c, row, column);
        Sum sum{};
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            if (own.column >= 0)
                sum += conjugate(as<Sum>(((const A *)a.values)[own.at]), conjugates & 1) *
                       conjugate(as<Sum>(at<B>(b, own.column, column)), conjugates & 2);
        }
        assign(value, is_zero(beta) ? alpha * sum : alpha * sum + part(beta, value));
    }
}

/* c += alpha * a * b, or of a's transposed one: a thread for each row, or element, of a and column of b. */
template <typename A, typename B, typename C, typename Sum>
DEVICE void scatter(wl_sparse a, wl_dense b, wl_dense c, Sum alpha, int transpose, int conjugates)
{
    i64 count = a.by_element ? a.element_count : a.row_count;
    for (i64 i = first(); i < count * c.column_count; i += step()) {
        i64 own = i / c.column_count, column = i % c.column_count, row = a.by_element ? offset(a, own) : own;
        i64 begin = a.by_element ? own : row_begin(a, own), end = a.by_element ? own + 1 : row_begin(a, own + 1);
        for (i64 e = begin; e < end; e++) {
            entry other = entry_of(a, row, begin, e);
            if (other.column < 0)
                continue;
            add(&at<C>(c, transpose ? other.column : row, column),
                as<C>(alpha * (conjugate(as<Sum>(((const A *)a.values)[other.at]), conjugates & 1) *
                               conjugate(as<Sum>(at<B>(b, transpose ? row : other.column, column)), conjugates & 2))));
        }
    }
}

/* The elements of c that are there = alpha * a * b + beta * c: a thread for each row. */
template <typename A, typename C, typename Sum>
DEVICE void sample(wl_dense a, wl_dense b, wl_sparse c, Sum alpha, Sum beta, int conjugates)
{
    for (i64 row = first(); row < c.row_count; row += step()) {
        i64 begin = row_begin(c, row), end = row_begin(c, row + 1);
        for (i64 e = begin; e < end; e++) {
            entry to = entry_of(c, row, begin, e);
            C &value = ((C *)c.values)[to.at];
            Sum sum{};
            for (i64 k = 0; k < a.column_count; k++)
                sum += conjugate(as<Sum>(at<A>(a, row, k)), conjugates & 1) *
                       conjugate(as<Sum>(at<A>(b, k, to.column)), conjugates & 2);
            assign(value, is_zero(beta) ? alpha * sum : alpha * sum + part(beta, value));
        }
    }
}

/* Of a sparse vector x, whose columns are its indices: y += alpha * x. */
template <typename T, typename Sum> DEVICE void axpy(wl_sparse x, T *y, Sum alpha)
{
    for (i64 i = first(); i < x.element_count; i += step()) {
        T &value = y[column_of(x, i)];
        assign(value, as<Sum>(value) + alpha * as<Sum>(((const T *)x.values)[i]));
    }
}

/* x = c * x + s * y and y = c * y - s * x, at x's indices. */
template <typename T, typename Sum> DEVICE void rotate(wl_sparse x, T *y, Sum c, Sum s)
{
    for (i64 i = first(); i < x.element_count; i += step()) {
        T &other = y[column_of(x, i)], &own = ((T *)x.values)[i];
        Sum a = as<Sum>(own), b = as<Sum>(other);
        assign(own, c * a + s * b);
        assign(other, c * b - s * a);
    }
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
template <typename X, typename Y, typename Sum>
DEVICE void dot(wl_sparse x, const Y *y, Sum *result, int is_conjugate, Sum *sums)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
    Sum sum{};
    for (i64 i = thread; i < x.element_count; i += THREADS)
        sum += conjugate(as<Sum>(((const X *)x.values)[i]), is_conjugate) * as<Sum>(y[column_of(x, i)]);
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
        i64 row = a.by_element ? offset(a, i) : i;
        i64 begin = a.by_element ? i : row_begin(a, i), end = a.by_element ? i + 1 : row_begin(a, i + 1);
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            if (own.column >= 0)
                at<T>(m, transpose ? own.column : row, transpose ? row : own.column) = ((const T *)a.values)[own.at];
        }
    }
}

/* How many of each row are not 0. */
template <typename T> DEVICE void count(wl_dense m, void *counts, int is_wide)
{
    for (i64 row = first(); row < m.row_count; row += step()) {
        i64 found = 0;
        for (i64 column = 0; column < m.column_count; column++)
            found += !is_zero(number(at<T>(m, row, column)));
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
            if (is_zero(number(value)))
                continue;
            if (a.by_element)
                store(a.offsets, a.has_wide_offsets, e, row + a.base);
            store(a.columns, a.has_wide_columns, e, column + a.base);
            ((T *)a.values)[e++] = value;
        }
    }
}

/* The values of a dense matrix at the places of a, which has them already. */
template <typename T> DEVICE void pick(wl_dense m, wl_sparse a)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1);
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            T none{};
            ((T *)a.values)[own.at] = own.column < 0 ? none : at<T>(m, row, own.column);
        }
    }
}

/* Solves a * y = alpha * x, or with a's transposed, of a triangle: a thread for each column. diagonal: in place of
 * a's own, or NULL. */
template <typename T>
DEVICE void solve(wl_sparse a, wl_dense x, wl_dense y, T alpha, const T *diagonals, wl_triangle how)
{
    for (i64 column = first(); column < y.column_count; column += step()) {
        for (i64 row = 0; row < y.row_count; row++)
            at<T>(y, row, column) = alpha * conjugate(at<T>(x, row, column), how.is_right_conjugate);
        int downwards = how.is_upper == how.is_transposed;
        for (i64 i = 0; i < a.row_count; i++) {
            i64 row = downwards ? i : a.row_count - 1 - i, begin = row_begin(a, row), end = row_begin(a, row + 1);
            T sum = at<T>(y, row, column), diagonal = as<T>(1.0f);
            for (i64 e = begin; e < end; e++) {
                entry other = entry_of(a, row, begin, e);
                T value = conjugate(((const T *)a.values)[other.at], how.is_conjugate);
                if (other.column == row)
                    diagonal = how.is_unit ? diagonal : value;
                else if (!how.is_transposed && (how.is_upper ? other.column > row : other.column < row && other.column >= 0))
                    sum -= value * at<T>(y, other.column, column);
            }
            if (diagonals && !how.is_unit)
                diagonal = conjugate(diagonals[row], how.is_conjugate);
            at<T>(y, row, column) = sum = quotient(sum, diagonal);
            for (i64 e = begin; how.is_transposed && e < end; e++) {
                entry other = entry_of(a, row, begin, e);
                if (how.is_upper ? other.column > row : other.column < row && other.column >= 0)
                    at<T>(y, other.column, column) -= conjugate(((const T *)a.values)[other.at], how.is_conjugate) * sum;
            }
        }
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
template <typename V, typename T>
DEVICE void product(wl_sparse a, wl_sparse b, wl_product p, T alpha, int with_values)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 begin = p.begins[row], end = p.begins[row + 1], to = begin;
        i64 *columns = p.columns, *other_columns = columns + p.product_count;
        T *values = (T *)p.values, *other_values = values + p.product_count;
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            i64 inner = column_of(a, e);
            for (i64 f = row_begin(b, inner); f < row_begin(b, inner + 1); f++) {
                columns[to] = column_of(b, f);
                values[to++] = with_values ? as<T>(((const V *)a.values)[e]) * as<T>(((const V *)b.values)[f]) : T{};
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
            T sum{};
            for (; e < end && columns[e] == column; e++)
                sum += values[e];
            p.columns[to] = column;
            ((T *)p.values)[to++] = alpha * sum;
        }
        p.offsets[row] = to - begin;
    }
}

/* What was made there in the places of c, beta * c added: a thread for each offset. Without values, c's stay. */
template <typename V, typename T> DEVICE void put_product(wl_product p, wl_sparse c, T beta, int with_values)
{
    for (i64 row = first(); row <= c.row_count; row += step()) {
        i64 to = p.offsets[row], end = row < c.row_count ? p.offsets[row + 1] : to;
        store(c.offsets, c.has_wide_offsets, row, to + c.base);
        for (i64 from = p.begins[row]; to < end; to++, from++) {
            store(c.columns, c.has_wide_columns, to, p.columns[from] + c.base);
            if (!with_values)
                continue;
            T own = ((const T *)p.values)[from];
            V &value = ((V *)c.values)[to];
            assign(value, is_zero(beta) ? own : own + part(beta, value));
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
template <typename V, typename T> DEVICE void fill_product(wl_sparse a, wl_sparse b, wl_sparse c, T alpha, T beta)
{
    V *values = (V *)c.values;
    for (i64 row = first(); row < c.row_count; row += step()) {
        i64 begin = row_begin(c, row), end = row_begin(c, row + 1);
        for (i64 e = begin; e < end; e++)
            assign(values[e], part(beta, values[e]));
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            i64 inner = column_of(a, e);
            T factor = alpha * as<T>(((const V *)a.values)[e]);
            for (i64 f = row_begin(b, inner); f < row_begin(b, inner + 1); f++) {
                i64 to = find_column(c, begin, end, column_of(b, f));
                if (to < end)
                    assign(values[to], as<T>(values[to]) + factor * as<T>(((const V *)b.values)[f]));
            }
        }
    }
}

/* ---- of each kind of values ---- */

/* Of a, b and c, and the sums that are formed. */
#define PRODUCTS(name, A, B, C, Sum) \
    GLOBAL void warplens_sparse_multiply_##name(wl_sparse a, wl_dense b, wl_dense c, Sum alpha, Sum beta, int conjugates) \
    { \
        multiply<A, B, C>(a, b, c, alpha, beta, conjugates); \
    }

/* The same where sums are added up in c. */
#define SCATTERS(name, A, B, C, Sum) \
    GLOBAL void warplens_sparse_scatter_##name(wl_sparse a, wl_dense b, wl_dense c, Sum alpha, int transpose, int conjugates) \
    { \
        scatter<A, B, C>(a, b, c, alpha, transpose, conjugates); \
    }

#define SAMPLES(name, A, C, Sum) \
    GLOBAL void warplens_sparse_sample_##name(wl_dense a, wl_dense b, wl_sparse c, Sum alpha, Sum beta, int conjugates) \
    { \
        sample<A, C>(a, b, c, alpha, beta, conjugates); \
    }

#define DOTS(name, X, Y, Sum) \
    GLOBAL void warplens_sparse_dot_##name(wl_sparse x, const Y *y, Sum *result, int is_conjugate) \
    { \
        SHARED static Sum sums[THREADS]; \
        dot<X>(x, y, result, is_conjugate, sums); \
    }

#define SCALES(name, T, Sum) \
    GLOBAL void warplens_sparse_scale_##name(wl_dense m, Sum factor) \
    { \
        scale<T>(m, factor); \
    } \
    GLOBAL void warplens_sparse_axpy_##name(wl_sparse x, T *y, Sum alpha) \
    { \
        axpy(x, y, alpha); \
    } \
    GLOBAL void warplens_sparse_rotate_##name(wl_sparse x, T *y, Sum c, Sum s) \
    { \
        rotate(x, y, c, s); \
    }

#define MOVES(name, T) \
    GLOBAL void warplens_sparse_to_dense_##name(wl_sparse a, wl_dense m, int transpose) \
    { \
        to_dense<T>(a, m, transpose); \
    } \
    GLOBAL void warplens_sparse_count_##name(wl_dense m, void *counts, int is_wide) \
    { \
        count<T>(m, counts, is_wide); \
    } \
    GLOBAL void warplens_sparse_from_dense_##name(wl_dense m, wl_sparse a, const void *starts, int is_wide) \
    { \
        from_dense<T>(m, a, starts, is_wide); \
    } \
    GLOBAL void warplens_sparse_pick_##name(wl_dense m, wl_sparse a) \
    { \
        pick<T>(m, a); \
    }

/* Of as many bits as a value has. */
#define BITS(name, T) \
    GLOBAL void warplens_sparse_gather_##name(const T *y, wl_sparse x) \
    { \
        gather(y, x); \
    } \
    GLOBAL void warplens_sparse_spread_##name(wl_sparse x, T *y) \
    { \
        spread(x, y); \
    } \
    GLOBAL void warplens_sparse_transpose_##name(wl_sparse a, wl_sparse made, int with_values) \
    { \
        transpose<T>(a, made, with_values); \
    }

#define TRIANGLES(name, T) \
    GLOBAL void warplens_sparse_solve_##name(wl_sparse a, wl_dense x, wl_dense y, T alpha, const T *diagonals, wl_triangle how) \
    { \
        solve(a, x, y, alpha, diagonals, how); \
    }

#define PAIRS(name, T, Sum) \
    GLOBAL void warplens_sparse_product_##name(wl_sparse a, wl_sparse b, wl_product p, Sum alpha, int with_values) \
    { \
        product<T>(a, b, p, alpha, with_values); \
    } \
    GLOBAL void warplens_sparse_put_product_##name(wl_product p, wl_sparse c, Sum beta, int with_values) \
    { \
        put_product<T>(p, c, beta, with_values); \
    } \
    GLOBAL void warplens_sparse_fill_product_##name(wl_sparse a, wl_sparse b, wl_sparse c, Sum alpha, Sum beta) \
    { \
        fill_product<T>(a, b, c, alpha, beta); \
    }

#define KINDS(X)                                       \
    X(s, float, float, float, float)                   \
    X(d, double, double, double, double)               \
    X(c, complex<float>, complex<float>, complex<float>, complex<float>) \
    X(z, complex<double>, complex<double>, complex<double>, complex<double>) \
    X(hs, half, half, float, float)                    \
    X(bs, bfloat, bfloat, float, float)                \
    X(i, signed char, signed char, int, int)           \
    X(is, signed char, signed char, float, float)      \
    X(sd, float, double, double, double)               \
    X(sc, float, complex<float>, complex<float>, complex<float>) X(dz, double, complex<double>, complex<double>, complex<double>) \
    X(Hc, complex<half>, complex<half>, complex<float>, complex<float>) \
    X(Bc, complex<bfloat>, complex<bfloat>, complex<float>, complex<float>)
KINDS(PRODUCTS)
KINDS(SCATTERS)
PRODUCTS(h, half, half, half, float)
PRODUCTS(b, bfloat, bfloat, bfloat, float)
PRODUCTS(H, complex<half>, complex<half>, complex<half>, complex<float>)
PRODUCTS(B, complex<bfloat>, complex<bfloat>, complex<bfloat>, complex<float>)

#define SAME(X)                    \
    X(s, float, float)             \
    X(d, double, double)           \
    X(c, complex<float>, complex<float>)   \
    X(z, complex<double>, complex<double>) \
    X(h, half, float)              \
    X(b, bfloat, float)            \
    X(H, complex<half>, complex<float>) \
    X(B, complex<bfloat>, complex<float>)
SAME(SCALES)
SAME(PAIRS)
SCALES(i, int, int)

#define SAMPLE(name, T, Sum) SAMPLES(name, T, T, Sum)
SAME(SAMPLE)
SAMPLES(hs, half, float, float)
SAMPLES(bs, bfloat, float, float)

#define DOT(name, X, Y, C, Sum) DOTS(name, X, Y, Sum)
KINDS(DOT)

#define MOVE(name, T, Sum) MOVES(name, T)
SAME(MOVE)
MOVES(i, signed char)
GLOBAL void warplens_sparse_blank_i(wl_dense m)
{
    blank<signed char>(m);
}

BITS(1, char)
BITS(2, short)
BITS(4, int)
BITS(8, i64)
BITS(16, complex<double>)
TRIANGLES(s, float)
TRIANGLES(d, double)
TRIANGLES(c, complex<float>)
TRIANGLES(z, complex<double>)

#define CONVERTS(name, From, To) \
    GLOBAL void warplens_sparse_convert_##name(wl_dense from, wl_dense to) \
    { \
        convert<From, To>(from, to); \
    }
CONVERTS(hs, half, float)
CONVERTS(sh, float, half)
CONVERTS(bs, bfloat, float)
CONVERTS(sb, float, bfloat)
CONVERTS(Hc, complex<half>, complex<float>)
CONVERTS(cH, complex<float>, complex<half>)
CONVERTS(Bc, complex<bfloat>, complex<float>)
CONVERTS(cB, complex<float>, complex<bfloat>)

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
