/* Kernels behind cuSOLVER's factors of dense matrices and what solves with them: panels of 32 columns, and tiles of
 * 32 x 32 elements for what remains of the matrix behind them. Plain ones: what they count is what such a call does at
 * least, not how cuSOLVER does it.
 *
 * solver.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "solver.h"

#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef long long i64;
constexpr int THREADS = WL_SOLVER_THREADS, TILE = WL_SOLVER_TILE, TILE_ROWS = THREADS / TILE;

DEVICE i64 first()
{
    return (i64)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE i64 step()
{
    return (i64)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

template <typename T> DEVICE T &at(const wl_solver_matrix &a, i64 row, i64 column)
{
    return ((T *)a.values)[row * a.row_step + column * a.column_step];
}

DEVICE float root(float value)
{
    return __nvvm_sqrt_rn_f(value);
}

DEVICE double root(double value)
{
    return __nvvm_sqrt_rn_d(value);
}

template <typename T> DEVICE T size(T value)
{
    return value < 0 ? -value : value;
}

/* The sum of all threads' values, which each gets. */
template <typename T> DEVICE T sum_of_block(T value, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    __syncthreads(); /* sums may still be read for the sum before */
    sums[thread] = value;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    __syncthreads();
    return sums[0];
}

/* One block: a = L L' of count columns at most TILE, in place; info: of the first leading minor that is not positive,
 * counted from 1 with `before` columns before these. Nothing is done behind one. */
template <typename T> DEVICE void cholesky(wl_solver_matrix a, int count, int before, int *info, T (*tile)[TILE + 1])
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    if (*info)
        return;
    for (int i = thread; i < count * count; i += THREADS)
        if (i % count >= i / count)
            tile[i % count][i / count] = at<T>(a, i % count, i / count);
    __syncthreads();
    for (int j = 0; j < count; j++) {
        const T pivot = tile[j][j];
        if (!(pivot > 0)) {
            if (!thread)
                *info = before + j + 1;
            return;
        }
        const T diagonal = root(pivot);
        __syncthreads();
        if (thread >= j && thread < count)
            tile[thread][j] = thread == j ? diagonal : tile[thread][j] / diagonal;
        __syncthreads();
        for (int i = thread; i < count * count; i += THREADS)
            if (i / count > j && i % count >= i / count)
                tile[i % count][i / count] -= tile[i % count][j] * tile[i / count][j];
        __syncthreads();
    }
    for (int i = thread; i < count * count; i += THREADS)
        if (i % count >= i / count)
            at<T>(a, i % count, i / count) = tile[i % count][i / count];
}

/* x = x * inverse of l', of a lower triangle of count columns: a thread for each row of x. */
template <typename T>
DEVICE void divide(i64 rows, int count, wl_solver_matrix l, int is_unit, wl_solver_matrix x, const int *info)
{
    if (info && *info)
        return;
    for (i64 row = first(); row < rows; row += step())
        for (int j = 0; j < count; j++) {
            T sum = at<T>(x, row, j);
            for (int k = 0; k < j; k++)
                sum -= at<T>(x, row, k) * at<T>(l, j, k);
            at<T>(x, row, j) = is_unit ? sum : sum / at<T>(l, j, j);
        }
}

/* c -= a * b of at most TILE columns of a: a block for each tile of c. is_lower: nothing above c's diagonal is read or
 * written. */
template <typename T>
DEVICE void update(i64 rows, i64 columns, int depth, wl_solver_matrix a, wl_solver_matrix b, wl_solver_matrix c,
                   int is_lower, const int *info, T (*left)[TILE + 1], T (*right)[TILE + 1])
{
    const int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE;
    const i64 row = (i64)__nvvm_read_ptx_sreg_ctaid_x() * TILE, column = (i64)__nvvm_read_ptx_sreg_ctaid_y() * TILE;
    if ((info && *info) || (is_lower && row + TILE <= column))
        return;
    for (int i = y; i < TILE; i += TILE_ROWS) {
        left[i][x] = i < depth && row + x < rows ? at<T>(a, row + x, i) : 0;
        right[x][i] = x < depth && column + i < columns ? at<T>(b, x, column + i) : 0;
    }
    __syncthreads();
    if (row + x >= rows)
        return;
    for (int i = y; i < TILE && column + i < columns; i += TILE_ROWS) {
        if (is_lower && row + x < column + i)
            continue;
        T sum = 0;
        for (int k = 0; k < depth; k++)
            sum += left[k][x] * right[k][i];
        at<T>(c, row + x, column + i) -= sum;
    }
}

/* One block: L and U of a panel; pivots count from 1 over the whole matrix, of which `before` rows are done, and
 * without them rows stay where they are. info: of the first pivot of 0, which is passed over. */
template <typename T>
DEVICE void factor(i64 rows, int count, T *a, i64 lda, int before, int *pivots, int *info, T *best, int *places)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (int j = 0; j < count; j++) {
        T own = -1;
        int place = j;
        for (i64 row = j + thread; pivots && row < rows; row += THREADS)
            if (size(a[row + j * lda]) > own)
                own = size(a[row + j * lda]), place = (int)row;
        best[thread] = own;
        places[thread] = place;
        for (int half = THREADS / 2; half; half /= 2) {
            __syncthreads();
            const int other = thread + half;
            if (thread < half && (best[other] > best[thread] ||
                                  (best[other] == best[thread] && places[other] < places[thread])))
                best[thread] = best[other], places[thread] = places[other];
        }
        __syncthreads();
        const int chosen = places[0];
        if (!thread && pivots)
            pivots[j] = before + chosen + 1;
        if (chosen != j && thread < count) {
            const T value = a[j + thread * lda];
            a[j + thread * lda] = a[chosen + thread * lda];
            a[chosen + thread * lda] = value;
        }
        __syncthreads();
        const T pivot = a[j + j * lda];
        if (!thread && pivot == 0 && !*info)
            *info = before + j + 1;
        for (i64 row = j + 1 + thread; pivot != 0 && row < rows; row += THREADS) {
            const T factor = a[row + j * lda] / pivot;
            a[row + j * lda] = factor;
            for (int column = j + 1; column < count; column++)
                a[row + column * lda] -= factor * a[j + column * lda];
        }
        __syncthreads();
    }
}

/* Exchanges rows as count pivots say, of all columns but `gap` of them behind the first ones: a thread for each. */
template <typename T>
DEVICE void exchange(i64 columns, i64 gap_begin, int gap, T *a, i64 lda, int before, int count, int is_backwards,
                     const int *pivots)
{
    for (i64 i = first(); i < columns; i += step()) {
        T *own = a + (i < gap_begin ? i : i + gap) * lda;
        for (int k = 0; k < count; k++) {
            const int row = before + (is_backwards ? count - 1 - k : k), other = pivots[row] - 1;
            const T value = own[row];
            own[row] = own[other];
            own[other] = value;
        }
    }
}

/* Solves a * x = b in b's place, of a triangle: a block for each column. */
template <typename T>
DEVICE void solve(int rows, wl_solver_matrix a, int is_backwards, int is_unit, wl_solver_matrix b)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), last = rows - 1;
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    T before = 0;
    for (int i = 0; i < rows; i++) {
        const int row = is_backwards ? last - i : i;
        const T sum = at<T>(b, row, column), value = is_unit ? sum : sum / at<T>(a, row, row);
        if (!thread && i) /* no thread reads it any more */
            at<T>(b, is_backwards ? row + 1 : row - 1, column) = before;
        before = value;
        for (int k = i + 1 + thread; k < rows; k += THREADS) {
            const int other = is_backwards ? last - k : k;
            at<T>(b, other, column) -= at<T>(a, other, row) * value;
        }
        __syncthreads();
    }
    if (!thread && rows)
        at<T>(b, is_backwards ? 0 : last, column) = before;
}

/* One block: the Householder vectors of a panel, whose first elements are 1 and not stored, and their factors; R above
 * them. */
template <typename T> DEVICE void reflect(i64 rows, int count, T *a, i64 lda, T *factors, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (int j = 0; j < count; j++) {
        T *vector = a + j * lda, squares = 0;
        for (i64 row = j + 1 + thread; row < rows; row += THREADS)
            squares += vector[row] * vector[row];
        squares = sum_of_block(squares, sums);
        const T head = vector[j], length = root(head * head + squares), beta = head < 0 ? length : -length;
        const T factor = squares == 0 ? 0 : (beta - head) / beta;
        __syncthreads();
        if (!thread)
            factors[j] = factor;
        if (squares == 0)
            continue;
        for (i64 row = j + 1 + thread; row < rows; row += THREADS)
            vector[row] /= head - beta;
        for (int column = j + 1; column < count; column++) {
            T *other = a + column * lda, product = thread ? 0 : other[j];
            for (i64 row = j + 1 + thread; row < rows; row += THREADS)
                product += vector[row] * other[row];
            product = factor * sum_of_block(product, sums);
            for (i64 row = j + thread; row < rows; row += THREADS)
                other[row] -= product * (row == j ? 1 : vector[row]);
        }
        __syncthreads();
        if (!thread)
            vector[j] = beta;
    }
}

/* c = H c of count reflections, the first one first or last: a block for each column of c. */
template <typename T>
DEVICE void apply(i64 rows, int count, int is_backwards, const T *a, i64 lda, const T *factors, wl_solver_matrix c,
                  T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    for (int i = 0; i < count; i++) {
        const int j = is_backwards ? count - 1 - i : i;
        const T *vector = a + j * lda;
        T product = 0;
        for (i64 row = j + thread; row < rows; row += THREADS)
            product += (row == j ? 1 : vector[row]) * at<T>(c, row, column);
        product = factors[j] * sum_of_block(product, sums);
        for (i64 row = j + thread; row < rows; row += THREADS)
            at<T>(c, row, column) -= product * (row == j ? 1 : vector[row]);
        __syncthreads();
    }
}

/* to = from, or the identity where from is nothing. */
template <typename T> DEVICE void copy(i64 rows, i64 columns, const T *from, i64 ld_from, T *to, i64 ld_to)
{
    for (i64 i = first(); i < rows * columns; i += step()) {
        const i64 row = i % rows, column = i / rows;
        to[row + column * ld_to] = from ? from[row + column * ld_from] : (T)(row == column);
    }
}

GLOBAL void warplens_solver_begin(int *info)
{
    if (first() == 0)
        *info = 0;
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_solver_cholesky_##letter(wl_solver_matrix a, int count, int before, int *info)                \
    {                                                                                                                  \
        SHARED static T tile[TILE][TILE + 1];                                                                          \
        cholesky(a, count, before, info, tile);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_solver_divide_##letter(i64 rows, int count, wl_solver_matrix l, int is_unit,                  \
                                                wl_solver_matrix x, const int *info)                                   \
    {                                                                                                                  \
        divide<T>(rows, count, l, is_unit, x, info);                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_update_##letter(i64 rows, i64 columns, int depth, wl_solver_matrix a,                  \
                                                wl_solver_matrix b, wl_solver_matrix c, int is_lower, const int *info) \
    {                                                                                                                  \
        SHARED static T left[TILE][TILE + 1], right[TILE][TILE + 1];                                                   \
        update(rows, columns, depth, a, b, c, is_lower, info, left, right);                                            \
    }                                                                                                                  \
    GLOBAL void warplens_solver_factor_##letter(i64 rows, int count, T *a, i64 lda, int before, int *pivots,           \
                                                int *info)                                                             \
    {                                                                                                                  \
        SHARED static T best[THREADS];                                                                                 \
        SHARED static int places[THREADS];                                                                             \
        factor(rows, count, a, lda, before, pivots, info, best, places);                                               \
    }                                                                                                                  \
    GLOBAL void warplens_solver_exchange_##letter(i64 columns, i64 gap_begin, int gap, T *a, i64 lda, int before,      \
                                                  int count, int is_backwards, const int *pivots)                      \
    {                                                                                                                  \
        exchange(columns, gap_begin, gap, a, lda, before, count, is_backwards, pivots);                                \
    }                                                                                                                  \
    GLOBAL void warplens_solver_solve_##letter(int rows, wl_solver_matrix a, int is_backwards, int is_unit,            \
                                               wl_solver_matrix b)                                                     \
    {                                                                                                                  \
        solve<T>(rows, a, is_backwards, is_unit, b);                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_reflect_##letter(i64 rows, int count, T *a, i64 lda, T *factors)                       \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        reflect(rows, count, a, lda, factors, sums);                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_apply_##letter(i64 rows, int count, int is_backwards, const T *a, i64 lda,             \
                                               const T *factors, wl_solver_matrix c)                                   \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        apply(rows, count, is_backwards, a, lda, factors, c, sums);                                                    \
    }                                                                                                                  \
    GLOBAL void warplens_solver_copy_##letter(i64 rows, i64 columns, const T *from, i64 ld_from, T *to, i64 ld_to)     \
    {                                                                                                                  \
        copy(rows, columns, from, ld_from, to, ld_to);                                                                 \
    }

KERNELS(s, float)
KERNELS(d, double)
