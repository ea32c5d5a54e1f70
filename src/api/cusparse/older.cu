/* Kernels behind the older calls of cuSPARSE: incomplete factors, systems of few diagonals, sums of matrices, blocks,
 * sorting and pruning. Plain ones, as those of sparse.cu. Factors are made by one thread, as each row needs those above.
 *
 * older.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "sparse.cuh"

constexpr i64 NONE = 0x7fffffffffffffffll;

/* The first element of a row whose column is not below that one; columns rise. */
DEVICE i64 find_from(const wl_sparse &a, i64 row, i64 begin, i64 end, i64 column)
{
    i64 low = begin;
    while (low < end) {
        i64 middle = (low + end) / 2;
        if (entry_of(a, row, begin, middle).column < column)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* Where the value of an element is; NULL: it is not there. */
template <typename T> DEVICE T *find(const wl_sparse &a, i64 row, i64 column)
{
    i64 begin = row_begin(a, row), end = row_begin(a, row + 1), e = find_from(a, row, begin, end, column);
    if (e == end)
        return nullptr;
    entry found = entry_of(a, row, begin, e);
    return found.column == column ? (T *)a.values + found.at : nullptr;
}

DEVICE float size_of(float x)
{
    return x < 0 ? -x : x;
}

DEVICE double size_of(double x)
{
    return x < 0 ? -x : x;
}

DEVICE float size_of(half x)
{
    return size_of(number(x));
}

template <typename T> DEVICE T size_of(complex<T> x)
{
    return root(square(x));
}

DEVICE float real_of(float x)
{
    return x;
}

DEVICE double real_of(double x)
{
    return x;
}

template <typename T> DEVICE T real_of(complex<T> x)
{
    return x.real;
}

/* ---- incomplete factors ---- */

DEVICE void note_pivot(const wl_sparse &a, i64 row, int *zero_pivot)
{
    if (*zero_pivot < 0)
        *zero_pivot = (int)(a.form == WL_SPARSE_BLOCKS ? row / a.block_rows : row) + a.base;
}

/* L and U of a in its own places; zero_pivot: the first row without a pivot, or -1. */
template <typename T> DEVICE void factor_lu(wl_sparse a, int *zero_pivot, int is_boosted, double tolerance, T boost)
{
    T *values = (T *)a.values;
    *zero_pivot = -1;
    for (i64 row = 0; first() == 0 && row < a.row_count; row++) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1);
        bool has_pivot = false;
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            if (own.column == row) {
                if (is_boosted && size_of(values[own.at]) <= tolerance)
                    values[own.at] = boost;
                has_pivot = !is_zero(values[own.at]);
            }
            if (own.column >= row)
                continue;
            T *pivot = find<T>(a, own.column, own.column);
            if (pivot)
                values[own.at] = quotient(values[own.at], *pivot);
            i64 above = row_begin(a, own.column), above_end = row_begin(a, own.column + 1);
            for (i64 u = find_from(a, own.column, above, above_end, own.column + 1); u < above_end; u++) {
                entry other = entry_of(a, own.column, above, u);
                T *to = find<T>(a, row, other.column);
                if (to)
                    *to = *to - values[own.at] * values[other.at];
            }
        }
        if (!has_pivot)
            note_pivot(a, row, zero_pivot);
    }
}

/* L of a's lower triangle in its own places, where L times its conjugate transpose is a. */
template <typename T> DEVICE void factor_cholesky(wl_sparse a, int *zero_pivot)
{
    T *values = (T *)a.values;
    *zero_pivot = -1;
    for (i64 row = 0; first() == 0 && row < a.row_count; row++) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1);
        bool has_pivot = false;
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            if (own.column > row)
                break;
            T sum = values[own.at];
            i64 other_begin = row_begin(a, own.column);
            i64 other_end = find_from(a, own.column, other_begin, row_begin(a, own.column + 1), own.column);
            for (i64 u = other_begin; u < other_end; u++) {
                entry other = entry_of(a, own.column, other_begin, u);
                T *left = find<T>(a, row, other.column);
                if (left)
                    sum = sum - *left * conjugate(values[other.at], 1);
            }
            if (own.column < row) {
                T *pivot = find<T>(a, own.column, own.column);
                values[own.at] = pivot ? quotient(sum, *pivot) : sum;
                continue;
            }
            has_pivot = real_of(sum) > 0;
            assign(values[own.at], root(size_of(real_of(sum))));
        }
        if (!has_pivot)
            note_pivot(a, row, zero_pivot);
    }
}

/* The least row whose diagonal is missing, or with numbers 0 too, where found is less. */
template <typename T> DEVICE void find_pivots(wl_sparse a, int with_numbers, int *found)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        T *pivot = find<T>(a, row, row);
        if (!pivot || (with_numbers && is_zero(*pivot)))
            __nvvm_atom_min_gen_i(found, (int)(a.form == WL_SPARSE_BLOCKS ? row / a.block_rows : row) + a.base);
    }
}

/* ---- systems of few diagonals ---- */

/* Row `row` of a system in a line of the window, whose first number is of column `column`, and its right side. */
template <typename T, int K> DEVICE void load_row(const wl_band &b, i64 system, i64 row, i64 column, T *line)
{
    constexpr int W = 2 * K + 1;
    for (int c = 0; c < W; c++) {
        i64 diagonal = column + c - row + K;
        bool is_there = row < b.row_count && column + c < b.row_count && diagonal >= 0 && diagonal < W;
        line[c] = is_there ? ((const T *)b.diagonals[diagonal])[row * b.step + system * b.stride] : T{};
    }
    line[W] = row < b.row_count ? ((const T *)b.x)[row * b.x_step + system * b.x_stride] : T{};
}

/* Solves systems of K diagonals on each side, with pivots: a thread for each system, which looks at K + 1 rows at a
 * time. rows: of each system as many numbers as it has rows, 2 K + 1 times. */
template <typename T, int K> DEVICE void solve_band(wl_band b, T *rows)
{
    constexpr int W = 2 * K + 1;
    T *x = (T *)b.x;
    for (i64 system = first(); system < b.count; system += step()) {
        T window[K + 1][W + 1];
        for (int r = 0; r <= K; r++)
            load_row<T, K>(b, system, r, 0, window[r]);
        for (i64 i = 0; i < b.row_count; i++) {
            int best = 0;
            for (int r = 1; r <= K && i + r < b.row_count; r++)
                if (size_of(window[r][0]) > size_of(window[best][0]))
                    best = r;
            for (int c = 0; c <= W; c++) {
                T other = window[0][c];
                window[0][c] = window[best][c];
                window[best][c] = other;
            }
            for (int c = 0; c < W; c++)
                rows[(i * W + c) * b.count + system] = window[0][c];
            x[i * b.x_step + system * b.x_stride] = window[0][W];
            for (int r = 1; r <= K; r++) {
                T factor = i + r < b.row_count ? quotient(window[r][0], window[0][0]) : T{};
                for (int c = 1; c <= W; c++)
                    window[r][c - (c < W)] = window[r][c] - factor * window[0][c];
                window[r][W - 1] = T{};
            }
            for (int r = 0; r < K; r++)
                for (int c = 0; c <= W; c++)
                    window[r][c] = window[r + 1][c];
            load_row<T, K>(b, system, i + K + 1, i + 1, window[K]);
        }
        for (i64 i = b.row_count - 1; i >= 0; i--) {
            T sum = x[i * b.x_step + system * b.x_stride];
            for (int c = 1; c < W && i + c < b.row_count; c++)
                sum = sum - rows[(i * W + c) * b.count + system] * x[(i + c) * b.x_step + system * b.x_stride];
            x[i * b.x_step + system * b.x_stride] = quotient(sum, rows[i * W * b.count + system]);
        }
    }
}

/* ---- vectors and sums ---- */

/* y = alpha * a * x + beta * y, of a sparse x. */
template <typename T> DEVICE void multiply_sparse(wl_dense a, wl_sparse x, T *y, T alpha, T beta, int is_conjugate)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        T sum{};
        for (i64 e = 0; e < x.element_count; e++)
            sum += conjugate(at<T>(a, row, column_of(x, e)), is_conjugate) * ((const T *)x.values)[e];
        y[row] = is_zero(beta) ? alpha * sum : alpha * sum + part(beta, y[row]);
    }
}

/* y = alpha * a * x + beta * y in those rows of blocks that the mask names; their ends are given by themselves. */
template <typename T>
DEVICE void multiply_masked(wl_sparse a, const int *ends, const int *mask, i64 mask_count, const T *x, T *y, T alpha,
                            T beta)
{
    for (i64 i = first(); i < mask_count * a.block_rows; i += step()) {
        i64 outer = mask[i / a.block_rows] - a.base, inner = i % a.block_rows, row = outer * a.block_rows + inner;
        T sum{};
        for (i64 block = offset(a, outer); block < ends[outer] - a.base; block++)
            for (i64 k = 0; k < a.block_columns; k++)
                sum += ((const T *)a.values)[block * a.block_rows * a.block_columns +
                                             (a.is_block_by_column ? inner + k * a.block_rows
                                                                   : inner * a.block_columns + k)] *
                       x[column_of(a, block) * a.block_columns + k];
        y[row] = is_zero(beta) ? alpha * sum : alpha * sum + part(beta, y[row]);
    }
}

/* c = alpha * a + beta * b, of rising columns; without values how many elements each row has. */
template <typename T> DEVICE void add_matrices(wl_sparse a, wl_sparse b, wl_sparse c, T alpha, T beta, int with_values)
{
    for (i64 row = first(); row < c.row_count; row += step()) {
        i64 e = row_begin(a, row), e_end = row_begin(a, row + 1), f = row_begin(b, row), f_end = row_begin(b, row + 1);
        i64 begin = with_values ? offset(c, row) : 0, to = begin;
        for (; e < e_end || f < f_end; to++) {
            i64 left = e < e_end ? column_of(a, e) : NONE, right = f < f_end ? column_of(b, f) : NONE;
            i64 column = left < right ? left : right;
            T sum{};
            if (left == column && with_values)
                sum += alpha * ((const T *)a.values)[e];
            if (right == column && with_values)
                sum += beta * ((const T *)b.values)[f];
            e += left == column;
            f += right == column;
            if (with_values) {
                store(c.columns, 0, to, column + c.base);
                ((T *)c.values)[to] = sum;
            }
        }
        if (!with_values)
            store(c.offsets, 0, row, to);
    }
}

/* ---- what is large enough is kept ---- */

template <typename T> DEVICE void count_kept(wl_sparse a, double threshold, int *counts)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 found = 0;
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++)
            found += size_of(((const T *)a.values)[e]) > threshold;
        counts[row] = (int)found;
    }
}

template <typename T> DEVICE void keep(wl_sparse a, wl_sparse c, double threshold)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 to = offset(c, row);
        for (i64 e = row_begin(a, row); e < row_begin(a, row + 1); e++) {
            T value = ((const T *)a.values)[e];
            if (!(size_of(value) > threshold))
                continue;
            store(c.columns, 0, to, column_of(a, e) + c.base);
            ((T *)c.values)[to++] = value;
        }
    }
}

template <typename T> DEVICE void count_kept_dense(wl_dense a, double threshold, int *counts)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 found = 0;
        for (i64 column = 0; column < a.column_count; column++)
            found += size_of(at<T>(a, row, column)) > threshold;
        counts[row] = (int)found;
    }
}

template <typename T> DEVICE void keep_dense(wl_dense a, wl_sparse c, double threshold)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 to = offset(c, row);
        for (i64 column = 0; column < a.column_count; column++) {
            T value = at<T>(a, row, column);
            if (!(size_of(value) > threshold))
                continue;
            store(c.columns, 0, to, column + c.base);
            ((T *)c.values)[to++] = value;
        }
    }
}

/* The size of the value that has `place` others before it when sizes rise, by halving the bits of doubles: one
 * block. */
template <typename T> DEVICE void select(wl_dense a, i64 place, double *result, int *counts)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
    i64 low = 0, high = 0x7ff0000000000000ll;
    while (low < high) {
        i64 middle = low + (high - low) / 2, total = 0;
        double limit = __builtin_bit_cast(double, middle);
        int found = 0;
        for (i64 i = thread; i < a.row_count * a.column_count; i += THREADS)
            found += size_of(at<T>(a, i % a.row_count, i / a.row_count)) <= limit;
        __syncthreads();
        counts[thread] = found;
        __syncthreads();
        for (int i = 0; i < THREADS; i++)
            total += counts[i];
        if (total > place)
            high = middle;
        else
            low = middle + 1;
    }
    if (!thread)
        *result = __builtin_bit_cast(double, low);
}

/* ---- blocks ---- */

/* The next block of a row of blocks that has an element, from a column on; NONE: there is no more. */
DEVICE i64 next_block(const wl_sparse &a, i64 outer, i64 from, i64 rows, i64 columns)
{
    i64 least = NONE;
    for (i64 row = outer * rows; row < (outer + 1) * rows && row < a.row_count; row++) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1), e = find_from(a, row, begin, end, from);
        i64 column = e < end ? entry_of(a, row, begin, e).column : NONE;
        least = column < least ? column : least;
    }
    return least == NONE ? NONE : least / columns;
}

/* The elements of a in blocks, what they lack being 0. */
template <typename T> DEVICE void make_blocks(wl_sparse a, wl_sparse c)
{
    i64 rows = c.block_rows, columns = c.block_columns;
    for (i64 outer = first(); outer * rows < a.row_count; outer += step()) {
        i64 to = offset(c, outer);
        for (i64 block = next_block(a, outer, 0, rows, columns); block != NONE;
             block = next_block(a, outer, (block + 1) * columns, rows, columns), to++) {
            T *values = (T *)c.values + to * rows * columns;
            store(c.columns, 0, to, block + c.base);
            for (i64 i = 0; i < rows * columns; i++)
                values[i] = T{};
            for (i64 inner = 0; inner < rows && outer * rows + inner < a.row_count; inner++) {
                i64 row = outer * rows + inner, begin = row_begin(a, row), end = row_begin(a, row + 1);
                for (i64 e = find_from(a, row, begin, end, block * columns); e < end; e++) {
                    entry own = entry_of(a, row, begin, e);
                    i64 k = own.column - block * columns;
                    if (k >= columns)
                        break;
                    values[c.is_block_by_column ? inner + k * rows : inner * columns + k] =
                        ((const T *)a.values)[own.at];
                }
            }
        }
    }
}

/* The elements of a as compressed rows; offsets hold one more than there are rows. */
template <typename T> DEVICE void expand_blocks(wl_sparse a, wl_sparse c)
{
    for (i64 row = first(); row <= a.row_count; row += step()) {
        i64 begin = row_begin(a, row), end = row < a.row_count ? row_begin(a, row + 1) : begin;
        store(c.offsets, 0, row, begin + c.base);
        for (i64 e = begin; e < end; e++) {
            entry own = entry_of(a, row, begin, e);
            store(c.columns, 0, e, own.column + c.base);
            ((T *)c.values)[e] = ((const T *)a.values)[own.at];
        }
    }
}

/* Groups of values from other places, or to them; without places, where they are. */
template <typename T> DEVICE void take(const T *from, const int *places, T *to, i64 size, i64 count, int is_put)
{
    for (i64 i = first(); i < count * size; i += step()) {
        i64 other = (places ? places[i / size] : i / size) * size + i % size;
        to[is_put ? other : i] = from[is_put ? i : other];
    }
}

#define FACTORS(name, T)                                                                                               \
    GLOBAL void warplens_sparse_factor_lu_##name(wl_sparse a, int *zero_pivot, int is_boosted, double tolerance,       \
                                                 T boost)                                                              \
    {                                                                                                                  \
        factor_lu(a, zero_pivot, is_boosted, tolerance, boost);                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_factor_cholesky_##name(wl_sparse a, int *zero_pivot)                                   \
    {                                                                                                                  \
        factor_cholesky<T>(a, zero_pivot);                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_find_pivots_##name(wl_sparse a, int with_numbers, int *found)                          \
    {                                                                                                                  \
        find_pivots<T>(a, with_numbers, found);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_solve_tridiagonal_##name(wl_band b, T *rows)                                           \
    {                                                                                                                  \
        solve_band<T, 1>(b, rows);                                                                                     \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_solve_pentadiagonal_##name(wl_band b, T *rows)                                         \
    {                                                                                                                  \
        solve_band<T, 2>(b, rows);                                                                                     \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_multiply_sparse_##name(wl_dense a, wl_sparse x, T *y, T alpha, T beta,                 \
                                                       int is_conjugate)                                               \
    {                                                                                                                  \
        multiply_sparse(a, x, y, alpha, beta, is_conjugate);                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_multiply_masked_##name(wl_sparse a, const int *ends, const int *mask, i64 mask_count,  \
                                                       const T *x, T *y, T alpha, T beta)                              \
    {                                                                                                                  \
        multiply_masked(a, ends, mask, mask_count, x, y, alpha, beta);                                                 \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_add_matrices_##name(wl_sparse a, wl_sparse b, wl_sparse c, T alpha, T beta,            \
                                                    int with_values)                                                   \
    {                                                                                                                  \
        add_matrices(a, b, c, alpha, beta, with_values);                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_make_blocks_##name(wl_sparse a, wl_sparse c)                                           \
    {                                                                                                                  \
        make_blocks<T>(a, c);                                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_expand_blocks_##name(wl_sparse a, wl_sparse c)                                         \
    {                                                                                                                  \
        expand_blocks<T>(a, c);                                                                                        \
    }

#define PRUNES(name, T)                                                                                                \
    GLOBAL void warplens_sparse_count_kept_##name(wl_sparse a, double threshold, int *counts)                          \
    {                                                                                                                  \
        count_kept<T>(a, threshold, counts);                                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_keep_##name(wl_sparse a, wl_sparse c, double threshold)                                \
    {                                                                                                                  \
        keep<T>(a, c, threshold);                                                                                      \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_count_kept_dense_##name(wl_dense a, double threshold, int *counts)                     \
    {                                                                                                                  \
        count_kept_dense<T>(a, threshold, counts);                                                                     \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_keep_dense_##name(wl_dense a, wl_sparse c, double threshold)                           \
    {                                                                                                                  \
        keep_dense<T>(a, c, threshold);                                                                                \
    }                                                                                                                  \
    GLOBAL void warplens_sparse_select_##name(wl_dense a, i64 place, double *result)                                   \
    {                                                                                                                  \
        SHARED static int counts[THREADS];                                                                             \
        select<T>(a, place, result, counts);                                                                           \
    }

#define TAKES(name, T)                                                                                                 \
    GLOBAL void warplens_sparse_take_##name(const T *from, const int *places, T *to, i64 size, i64 count, int is_put)  \
    {                                                                                                                  \
        take(from, places, to, size, count, is_put);                                                                   \
    }

FACTORS(s, float)
FACTORS(d, double)
FACTORS(c, complex<float>)
FACTORS(z, complex<double>)
PRUNES(s, float)
PRUNES(d, double)
PRUNES(c, complex<float>)
PRUNES(z, complex<double>)
PRUNES(h, half)
TAKES(4, int)
TAKES(8, i64)
TAKES(16, complex<double>)

/* How many blocks each row of blocks has. */
GLOBAL void warplens_sparse_count_blocks(wl_sparse a, i64 rows, i64 columns, int *counts)
{
    for (i64 outer = first(); outer * rows < a.row_count; outer += step()) {
        int found = 0;
        for (i64 block = next_block(a, outer, 0, rows, columns); block != NONE;
             block = next_block(a, outer, (block + 1) * columns, rows, columns))
            found++;
        counts[outer] = found;
    }
}

/* Merges each two sorted runs of that width, of elements whose keys and places are given: a thread for each two. */
GLOBAL void warplens_sparse_merge(const int *keys, const int *others, const int *places, int *to_keys, int *to_others,
                                  int *to_places, i64 count, i64 width)
{
    for (i64 begin = first() * 2 * width; begin < count; begin += step() * 2 * width) {
        i64 middle = begin + width < count ? begin + width : count, end = middle + width < count ? middle + width : count;
        i64 left = begin, right = middle;
        for (i64 to = begin; to < end; to++) {
            bool is_left = left < middle &&
                           (right == end || keys[left] < keys[right] ||
                            (keys[left] == keys[right] && others[left] <= others[right]));
            i64 from = is_left ? left++ : right++;
            to_keys[to] = keys[from];
            to_others[to] = others[from];
            to_places[to] = places[from];
        }
    }
}

DEVICE unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

/* Gives the least colour that no neighbour has to each row that has none (-1) and comes before all such neighbours
 * in an order without pattern. uncoloured: how many rows are left. */
GLOBAL void warplens_sparse_colour(wl_sparse a, int *colours, int *uncoloured)
{
    for (i64 row = first(); row < a.row_count; row += step()) {
        i64 begin = row_begin(a, row), end = row_begin(a, row + 1);
        unsigned own = mixed((unsigned)row);
        bool is_next = colours[row] < 0;
        if (!is_next)
            continue;
        for (i64 e = begin; e < end; e++) {
            i64 other = column_of(a, e);
            unsigned rank = mixed((unsigned)other);
            if (other != row && ((volatile int *)colours)[other] < 0 && (rank > own || (rank == own && other > row)))
                is_next = false;
        }
        if (!is_next) {
            __nvvm_atom_add_gen_i(uncoloured, 1);
            continue;
        }
        int colour = 0;
        for (i64 e = begin; e < end; e++) {
            i64 other = column_of(a, e);
            if (other != row && ((volatile int *)colours)[other] == colour) {
                colour++;
                e = begin - 1; /* from the start again */
            }
        }
        ((volatile int *)colours)[row] = colour;
    }
}
