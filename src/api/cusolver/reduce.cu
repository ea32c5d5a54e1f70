/* Kernels behind cuSOLVER's reductions to tridiagonal and bidiagonal form, Bunch-Kaufman's factors of symmetric
 * matrices, triangles' products and blocks of reflections. One block works through a matrix column by column; what is
 * said of lower triangles serves upper ones by steps below 0, which begin at a matrix's last element.
 *
 * reduce.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "solver.cuh"

/* One block: the reflection that takes the first of `rows` elements of a column to a real number, which it gives, and
 * the others, of which it makes the reflection's vector, to 0; the first one becomes 1. */
template <typename T>
DEVICE real_of<T> reflect_column(i64 rows, const wl_solver_matrix &a, i64 row, i64 column, T *factor, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    real_of<T> largest = 0, squares = 0;
    for (i64 i = thread; i < rows; i += THREADS)
        largest = larger(largest, size(get<T>(a, row + i, column)));
    const real_of<T> scale = scale_of(largest_of_block(largest, sums));
    for (i64 i = 1 + thread; i < rows; i += THREADS)
        squares += square(scale * get<T>(a, row + i, column));
    squares = sum_of_block(squares, sums);
    const T head = scale * get<T>(a, row, column);
    const real_of<T> length = root(square(head) + squares), beta = real_part(head) < 0 ? length : -length;
    *factor = factor_of(head, squares, beta);
    const bool is_none = is_zero(*factor);
    for (i64 i = 1 + thread; !is_none && i < rows; i += THREADS)
        put(a, row + i, column, quotient(scale * get<T>(a, row + i, column), head - parts<T>::of(beta)));
    __syncthreads();
    if (!thread)
        put(a, row, column, parts<T>::of(1));
    __syncthreads();
    return (is_none ? real_part(head) : beta) / scale;
}

/* One block: to tridiagonal form, of a lower triangle; diagonal, beside it and factors lie `step` apart; product: n
 * elements of space. */
template <typename T>
DEVICE void tridiagonalize(i64 n, wl_solver_matrix a, real_of<T> *diagonal, real_of<T> *beside, T *factors, int step,
                           T *product, real_of<T> *sums, T *products)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (i64 j = 0; j + 1 < n; j++) {
        const i64 rows = n - 1 - j, k = j + 1;
        T factor;
        const real_of<T> beta = reflect_column<T>(rows, a, k, j, &factor, sums);
        T dot = {};
        for (i64 i = thread; !is_zero(factor) && i < rows; i += THREADS) {
            T sum = {};
            for (i64 c = 0; c < rows; c++) {
                const T value = c < i    ? get<T>(a, k + i, k + c)
                                : c == i ? parts<T>::of(real_part(get<T>(a, k + i, k + i)))
                                         : conjugate(get<T>(a, k + c, k + i));
                sum += value * get<T>(a, k + c, j);
            }
            product[i] = factor * sum;
            dot += conjugate(product[i]) * get<T>(a, k + i, j);
        }
        dot = sum_of_block(dot, products);
        const T half = parts<T>::of(0.5f) * factor * dot;
        for (i64 i = thread; !is_zero(factor) && i < rows; i += THREADS)
            product[i] -= half * get<T>(a, k + i, j);
        __syncthreads();
        for (i64 i = thread; !is_zero(factor) && i < rows; i += THREADS)
            for (i64 c = 0; c <= i; c++) {
                const T value = get<T>(a, k + i, k + c) - get<T>(a, k + i, j) * conjugate(product[c]) -
                                product[i] * conjugate(get<T>(a, k + c, j));
                put(a, k + i, k + c, c == i ? parts<T>::of(real_part(value)) : value);
            }
        __syncthreads();
        if (!thread) {
            put(a, k, j, parts<T>::of(beta));
            beside[j * step] = beta;
            factors[j * step] = factor;
            diagonal[j * step] = real_part(get<T>(a, j, j));
        }
    }
    if (!thread && n)
        diagonal[(n - 1) * step] = real_part(get<T>(a, n - 1, n - 1));
}

/* One block: columns of c become those of H c, of the reflection that a's column `of` holds from a row on. */
template <typename T>
DEVICE void reflect_others(i64 rows, i64 columns, const wl_solver_matrix &a, i64 row, i64 of, T factor,
                           const wl_solver_matrix &c, i64 row_c, i64 column_c)
{
    for (i64 i = __nvvm_read_ptx_sreg_tid_x(); !is_zero(factor) && i < columns; i += THREADS) {
        T sum = {};
        for (i64 k = 0; k < rows; k++)
            sum += conjugate(get<T>(a, row + k, of)) * get<T>(c, row_c + k, column_c + i);
        sum = factor * sum;
        for (i64 k = 0; k < rows; k++)
            put(c, row_c + k, column_c + i, get<T>(c, row_c + k, column_c + i) - sum * get<T>(a, row + k, of));
    }
    __syncthreads();
}

/* One block: to bidiagonal form, of no fewer rows than columns. Rows' reflections are columns' of the adjoint. */
template <typename T>
DEVICE void bidiagonalize(i64 rows, i64 columns, wl_solver_matrix a, real_of<T> *diagonal, real_of<T> *beside,
                          T *factors, T *factors_of_rows, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const wl_solver_matrix adjoint = {a.values, a.column_step, a.row_step, !a.is_conjugate};
    for (i64 j = 0; j < columns; j++) {
        T factor, factor_of_row = {};
        const real_of<T> head = reflect_column<T>(rows - j, a, j, j, &factor, sums);
        reflect_others(rows - j, columns - j - 1, a, j, j, conjugate(factor), a, j, j + 1);
        if (!thread)
            put(a, j, j, parts<T>::of(head));
        if (j + 1 < columns) {
            const real_of<T> next = reflect_column<T>(columns - j - 1, adjoint, j + 1, j, &factor_of_row, sums);
            reflect_others(columns - j - 1, rows - j - 1, adjoint, j + 1, j, conjugate(factor_of_row), adjoint, j + 1,
                           j + 1);
            if (!thread) {
                put(adjoint, j + 1, j, parts<T>::of(next));
                beside[j] = next;
            }
        }
        if (!thread) {
            diagonal[j] = head;
            factors[j] = factor;
            factors_of_rows[j] = factor_of_row;
        }
        __syncthreads();
    }
}

/* c = H c of count reflections, the last one first, or of the conjugated ones, the first one first: a block for each
 * column of c. Their vectors are columns of a below its diagonal, which counts as 1; factors lie `step` apart. */
template <typename T>
DEVICE void multiply(i64 rows, int count, int is_backwards, wl_solver_matrix a, const T *factors, int step,
                     wl_solver_matrix c, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    for (int i = 0; i < count; i++) {
        const int j = is_backwards ? count - 1 - i : i;
        T product = {};
        for (i64 row = j + thread; row < rows; row += THREADS)
            product += (row == j ? parts<T>::of(1) : conjugate(get<T>(a, row, j))) * get<T>(c, row, column);
        product = conjugate_if(factors[j * step], !is_backwards) * sum_of_block(product, sums);
        for (i64 row = j + thread; row < rows; row += THREADS)
            put(c, row, column, get<T>(c, row, column) - product * (row == j ? parts<T>::of(1) : get<T>(a, row, j)));
        __syncthreads();
    }
}

/* to = from, or the identity where from is nothing. */
template <typename T>
DEVICE void place(i64 rows, i64 columns, wl_solver_matrix from, wl_solver_matrix to)
{
    for (i64 i = first(); i < rows * columns; i += step()) {
        const i64 row = i % rows, column = i / rows;
        put(to, row, column, from.values ? get<T>(from, row, column) : parts<T>::of(row == column));
    }
}

/* to = a b, or to - a b (is_less), of a's `depth` columns; a is full (0), a lower (1) or an upper (2) triangle, with 1
 * on its diagonal where is_unit. */
template <typename T>
DEVICE void product(i64 rows, i64 columns, i64 depth, wl_solver_matrix a, int kind, int is_unit, wl_solver_matrix b,
                    wl_solver_matrix to, int is_less)
{
    for (i64 i = first(); i < rows * columns; i += step()) {
        const i64 row = i % rows, column = i / rows;
        T sum = {};
        for (i64 k = kind == 2 ? row : 0; k < (kind == 1 ? row + 1 : depth); k++)
            sum += (kind && is_unit && k == row ? parts<T>::of(1) : get<T>(a, row, k)) * get<T>(b, k, column);
        put(to, row, column, is_less ? get<T>(to, row, column) - sum : sum);
    }
}

/* The lower triangle of a becomes that of from, but for its diagonal where is_unit. */
template <typename T>
DEVICE void place_triangle(i64 rows, wl_solver_matrix from, wl_solver_matrix a, int is_unit, const int *info)
{
    for (i64 i = first(); !*info && i < rows * rows; i += step())
        if (i % rows >= i / rows + is_unit)
            put(a, i % rows, i / rows, get<T>(from, i % rows, i / rows));
}

/* ---- Bunch and Kaufman ---- */

/* Where pivots of rows are: upper triangles' are counted from the end. */
DEVICE i64 turned(i64 n, i64 row, int is_upper)
{
    return is_upper ? n - 1 - row : row;
}

DEVICE void set_pivot(wl_solver_pivot_list pivots, i64 n, i64 row, i64 other, int is_pair)
{
    const i64 value = turned(n, other, pivots.is_upper) + 1;
    if (pivots.values)
        put_pivot(pivots.values, pivots.is_wide, turned(n, row, pivots.is_upper), is_pair ? -value : value);
}

/* The row that a row was exchanged with; is_pair: it is one of two of a block. */
DEVICE i64 get_pivot(wl_solver_pivot_list pivots, i64 n, i64 row, bool *is_pair)
{
    if (!pivots.values) {
        *is_pair = false;
        return row;
    }
    const i64 value = pivot_at(pivots.values, pivots.is_wide, turned(n, row, pivots.is_upper));
    *is_pair = value < 0;
    return turned(n, (value < 0 ? -value : value) - 1, pivots.is_upper);
}

/* One block: the largest of a column's or, of is_row, a row's elements from..to - 1 in magnitude, and the place of the
 * first, or, of is_last, the last one. */
template <typename T>
DEVICE real_of<T> largest(const wl_solver_matrix &a, i64 line, int is_row, i64 from, i64 to, int is_last, i64 *place,
                          real_of<T> *best, i64 *places)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    real_of<T> own = -1;
    i64 at = from;
    for (i64 i = from + thread; i < to; i += THREADS) {
        const real_of<T> value = size(is_row ? get<T>(a, line, i) : get<T>(a, i, line));
        if (value > own || (is_last && value == own))
            own = value, at = i;
    }
    __syncthreads();
    best[thread] = own, places[thread] = at;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        const int other = thread + half;
        if (thread < half && (best[other] > best[thread] ||
                              (best[other] == best[thread] && (places[other] < places[thread]) != is_last)))
            best[thread] = best[other], places[thread] = places[other];
    }
    __syncthreads();
    *place = places[0];
    return best[0] < 0 ? 0 : best[0];
}

/* The elements below, of the two columns of a block, and in the rest of a lower triangle. */
template <typename T> DEVICE void eliminate_pair(i64 n, const wl_solver_matrix &a, i64 k)
{
    const T beside = get<T>(a, k + 1, k), one = quotient(get<T>(a, k + 1, k + 1), beside),
            two = quotient(get<T>(a, k, k), beside);
    const T scale = quotient(parts<T>::of(1) / (one * two - parts<T>::of(1)), beside);
    for (i64 j = k + 2; j < n; j++) {
        const T x = get<T>(a, j, k), y = get<T>(a, j, k + 1);
        const T first_of = scale * (one * x - y), second_of = scale * (two * y - x);
        for (i64 i = j + __nvvm_read_ptx_sreg_tid_x(); i < n; i += THREADS)
            put(a, i, j, get<T>(a, i, j) - get<T>(a, i, k) * first_of - get<T>(a, i, k + 1) * second_of);
        __syncthreads();
        if (!__nvvm_read_ptx_sreg_tid_x()) {
            put(a, j, k, first_of);
            put(a, j, k + 1, second_of);
        }
    }
    __syncthreads();
}

template <typename T> DEVICE void eliminate_one(i64 n, const wl_solver_matrix &a, i64 k)
{
    const T scale = quotient(parts<T>::of(1), get<T>(a, k, k));
    for (i64 i = k + 1 + __nvvm_read_ptx_sreg_tid_x(); i < n; i += THREADS)
        for (i64 j = k + 1; j <= i; j++)
            put(a, i, j, get<T>(a, i, j) - get<T>(a, i, k) * scale * get<T>(a, j, k));
    __syncthreads();
    for (i64 i = k + 1 + __nvvm_read_ptx_sreg_tid_x(); i < n; i += THREADS)
        put(a, i, k, get<T>(a, i, k) * scale);
    __syncthreads();
}

template <typename T>
DEVICE void swap_elements(const wl_solver_matrix &a, i64 row, i64 column, i64 other_row, i64 other_column)
{
    const T value = get<T>(a, row, column);
    put(a, row, column, get<T>(a, other_row, other_column));
    put(a, other_row, other_column, value);
}

/* Rows and columns `row` and `other`, which is behind it, of a lower triangle whose columns before k are done. */
template <typename T> DEVICE void exchange_both(i64 n, const wl_solver_matrix &a, i64 k, i64 row, i64 other)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (i64 i = other + 1 + thread; i < n; i += THREADS)
        swap_elements<T>(a, i, row, i, other);
    for (i64 i = row + 1 + thread; i < other; i += THREADS)
        swap_elements<T>(a, i, row, other, i);
    if (!thread) {
        swap_elements<T>(a, row, row, other, other);
        if (row != k)
            swap_elements<T>(a, row, k, other, k);
    }
    __syncthreads();
}

/* One block: a = L D L^T of blocks of one and two rows, of a lower triangle; info: of the first block of 0. */
template <typename T>
DEVICE void factor_symmetric(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots, int *info, real_of<T> *best,
                             i64 *places)
{
    const real_of<T> share = (real_of<T>)0.6403882032022076; /* (1 + root of 17) / 8 */
    const int is_last = pivots.is_upper;
    for (i64 k = 0, count; k < n; k += count) {
        i64 chosen = k, place, unused;
        const real_of<T> own = size(get<T>(a, k, k));
        const real_of<T> below = pivots.values ? largest<T>(a, k, 0, k + 1, n, is_last, &place, best, places) : 0;
        count = 1;
        if (!(own > 0) && !(below > 0)) {
            if (!__nvvm_read_ptx_sreg_tid_x()) {
                if (!*info)
                    *info = (int)turned(n, k, pivots.is_upper) + 1;
                set_pivot(pivots, n, k, k, 0);
            }
            continue;
        }
        if (own < share * below) {
            const real_of<T> left = largest<T>(a, place, 1, k, place, is_last, &unused, best, places),
                             under = largest<T>(a, place, 0, place + 1, n, is_last, &unused, best, places),
                             beside = left > under ? left : under;
            if (!(own >= share * below * (below / beside))) {
                chosen = place;
                count = size(get<T>(a, place, place)) >= share * beside ? 1 : 2;
            }
        }
        const i64 row = k + count - 1;
        __syncthreads();
        if (chosen != row)
            exchange_both<T>(n, a, k, row, chosen);
        if (!__nvvm_read_ptx_sreg_tid_x())
            for (i64 i = k; i < k + count; i++)
                set_pivot(pivots, n, i, chosen, count == 2);
        if (count == 1)
            eliminate_one<T>(n, a, k);
        else
            eliminate_pair<T>(n, a, k);
    }
}

template <typename T> DEVICE void exchange_rows(const wl_solver_matrix &b, i64 row, i64 other, i64 column)
{
    __syncthreads();
    if (!__nvvm_read_ptx_sreg_tid_x() && row != other)
        swap_elements<T>(b, row, column, other, column);
    __syncthreads();
}

/* What those factors solve: a block for each column of b. */
template <typename T>
DEVICE void solve_symmetric(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots, wl_solver_matrix b, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    bool is_pair;
    for (i64 k = 0, count; k < n; k += count) {
        const i64 other = get_pivot(pivots, n, k, &is_pair);
        count = is_pair ? 2 : 1;
        exchange_rows<T>(b, k + count - 1, other, column);
        const T x = get<T>(b, k, column), y = is_pair ? get<T>(b, k + 1, column) : T{};
        for (i64 i = k + count + thread; i < n; i += THREADS)
            put(b, i, column,
                get<T>(b, i, column) - get<T>(a, i, k) * x - (is_pair ? get<T>(a, i, k + 1) * y : T{}));
        __syncthreads();
        if (!thread && !is_pair)
            put(b, k, column, quotient(x, get<T>(a, k, k)));
        if (!thread && is_pair) {
            const T beside = get<T>(a, k + 1, k), one = quotient(get<T>(a, k, k), beside),
                    two = quotient(get<T>(a, k + 1, k + 1), beside), scale = one * two - parts<T>::of(1),
                    x_of = quotient(x, beside), y_of = quotient(y, beside);
            put(b, k, column, (two * x_of - y_of) / scale);
            put(b, k + 1, column, (one * y_of - x_of) / scale);
        }
        __syncthreads();
    }
    for (i64 k = n - 1, count; k >= 0; k -= count) {
        const i64 other = get_pivot(pivots, n, k, &is_pair);
        count = is_pair ? 2 : 1;
        for (i64 row = k; row > k - count; row--) {
            T sum = {};
            for (i64 i = k + 1 + thread; i < n; i += THREADS)
                sum += get<T>(a, i, row) * get<T>(b, i, column);
            sum = sum_of_block(sum, sums);
            if (!thread)
                put(b, row, column, get<T>(b, row, column) - sum);
        }
        exchange_rows<T>(b, k, other, column);
    }
}

/* One block: info of the first block of one row that is 0. */
template <typename T>
DEVICE void find_zero_block(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots, int *info)
{
    bool is_pair;
    if (!__nvvm_read_ptx_sreg_tid_x())
        for (i64 k = 0; k < n && !*info; k++) {
            get_pivot(pivots, n, k, &is_pair);
            if (!is_pair && is_zero(get<T>(a, k, k)))
                *info = (int)turned(n, k, pivots.is_upper) + 1;
        }
}

/* ---- others ---- */

/* One block: the upper triangle by which count reflections become one, 1 - v t v'. */
template <typename T>
DEVICE void block_of_reflections(i64 rows, int count, wl_solver_matrix v, const T *factors, int step,
                                 wl_solver_matrix t, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (int j = 0; j < count; j++) {
        const T factor = factors[j * step];
        for (int k = 0; k < j; k++) {
            T sum = {};
            for (i64 row = j + thread; row < rows; row += THREADS)
                sum += conjugate(get<T>(v, row, k)) * (row == j ? parts<T>::of(1) : get<T>(v, row, j));
            sum = sum_of_block(sum, sums);
            if (!thread)
                put(t, k, j, T{} - factor * sum);
        }
        __syncthreads();
        for (int k = 0; !thread && k < j; k++) { /* what is below is not changed yet */
            T sum = {};
            for (int i = k; i < j; i++)
                sum += get<T>(t, k, i) * get<T>(t, i, j);
            put(t, k, j, sum);
        }
        if (!thread)
            put(t, j, j, factor);
        __syncthreads();
    }
}

/* Exchanges rows from..to as pivots say, which lie `step` apart: a thread for each column. */
template <typename T>
DEVICE void exchange_rows_of(i64 columns, T *a, i64 lda, int from, int to, const int *pivots, int step_of)
{
    const int apart = step_of < 0 ? -step_of : step_of, count = to - from + 1;
    for (i64 i = first(); i < columns; i += step())
        for (int k = 0; k < count; k++) {
            const int row = step_of < 0 ? to - k : from + k, other = pivots[from - 1 + (row - from) * apart];
            T *own = a + i * lda;
            const T value = own[row - 1];
            own[row - 1] = own[other - 1];
            own[other - 1] = value;
        }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_solver_tridiagonalize_##letter(i64 n, wl_solver_matrix a, real_of<T> *diagonal,               \
                                                        real_of<T> *beside, T *factors, int step, T *product)          \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        SHARED static T products[THREADS];                                                                             \
        tridiagonalize<T>(n, a, diagonal, beside, factors, step, product, sums, products);                             \
    }                                                                                                                  \
    GLOBAL void warplens_solver_bidiagonalize_##letter(i64 rows, i64 columns, wl_solver_matrix a,                      \
                                                       real_of<T> *diagonal, real_of<T> *beside, T *factors,           \
                                                       T *factors_of_rows)                                             \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        bidiagonalize<T>(rows, columns, a, diagonal, beside, factors, factors_of_rows, sums);                          \
    }                                                                                                                  \
    GLOBAL void warplens_solver_multiply_##letter(i64 rows, int count, int is_backwards, wl_solver_matrix a,           \
                                                  const T *factors, int step, wl_solver_matrix c)                      \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        multiply(rows, count, is_backwards, a, factors, step, c, sums);                                                \
    }                                                                                                                  \
    GLOBAL void warplens_solver_place_##letter(i64 rows, i64 columns, wl_solver_matrix from, wl_solver_matrix to)      \
    {                                                                                                                  \
        place<T>(rows, columns, from, to);                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_solver_product_##letter(i64 rows, i64 columns, i64 depth, wl_solver_matrix a, int kind,       \
                                                 int is_unit, wl_solver_matrix b, wl_solver_matrix to, int is_less)    \
    {                                                                                                                  \
        product<T>(rows, columns, depth, a, kind, is_unit, b, to, is_less);                                            \
    }                                                                                                                  \
    GLOBAL void warplens_solver_place_triangle_##letter(i64 rows, wl_solver_matrix from, wl_solver_matrix a,           \
                                                        int is_unit, const int *info)                                  \
    {                                                                                                                  \
        place_triangle<T>(rows, from, a, is_unit, info);                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_solver_factor_symmetric_##letter(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots,      \
                                                          int *info)                                                   \
    {                                                                                                                  \
        SHARED static real_of<T> best[THREADS];                                                                        \
        SHARED static i64 places[THREADS];                                                                             \
        factor_symmetric<T>(n, a, pivots, info, best, places);                                                         \
    }                                                                                                                  \
    GLOBAL void warplens_solver_solve_symmetric_##letter(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots,       \
                                                         wl_solver_matrix b)                                           \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        solve_symmetric<T>(n, a, pivots, b, sums);                                                                     \
    }                                                                                                                  \
    GLOBAL void warplens_solver_find_zero_block_##letter(i64 n, wl_solver_matrix a, wl_solver_pivot_list pivots,       \
                                                         int *info)                                                    \
    {                                                                                                                  \
        find_zero_block<T>(n, a, pivots, info);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_solver_block_of_reflections_##letter(i64 rows, int count, wl_solver_matrix v,                 \
                                                              const T *factors, int step, wl_solver_matrix t)          \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        block_of_reflections(rows, count, v, factors, step, t, sums);                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_solver_exchange_rows_of_##letter(i64 columns, T *a, i64 lda, int from, int to,                \
                                                          const int *pivots, int step)                                 \
    {                                                                                                                  \
        exchange_rows_of(columns, a, lda, from, to, pivots, step);                                                     \
    }

KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, complex<float>)
KERNELS(z, complex<double>)
