/* Kernels behind cuBLAS's calls that copy, swap, add up and search vectors, add matrices, solve triangles and factor
 * batches of matrices. Plain ones: what they count is what such a call does at least, not how cuBLAS does it.
 *
 * dense.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
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

/* A vector whose step is negative begins at its end. */
template <typename T> DEVICE T *begin(T *x, int n, int increment)
{
    return increment < 0 ? x - (i64)(n - 1) * increment : x;
}

template <typename T> DEVICE void move(int n, T *x, int incx, T *y, int incy, int swap)
{
    x = begin(x, n, incx);
    y = begin(y, n, incy);
    for (i64 i = first(); i < n; i += step()) {
        T value = x[i * incx];
        if (swap) /* else y may never have been written */
            x[i * incx] = y[i * incy];
        y[i * incy] = value;
    }
}

template <typename T> DEVICE T size(T value)
{
    return value < 0 ? -value : value;
}

/* One block adds up the magnitudes. */
template <typename T> DEVICE void sum(int n, const T *x, int incx, T *result, T *sums)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
    T sum = 0;
    for (i64 i = thread; i < n; i += THREADS)
        sum += size(x[i * incx]);
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    if (!thread)
        *result = sums[0];
}

/* Whether a size is what is searched for, rather than another: a NaN never is. */
template <typename T> DEVICE bool is_better(T one, T other, int for_least)
{
    return one == one && (other != other || (for_least ? one < other : one > other));
}

/* One block finds the first of the largest, or smallest, magnitudes; counted from 1. */
template <typename T>
DEVICE void search(int n, const T *x, int incx, int for_least, int *result, T *best, int *places)
{
    int thread = __nvvm_read_ptx_sreg_tid_x(), place = -1;
    T own = 0;
    for (i64 i = thread; i < n; i += THREADS) {
        T value = size(x[i * incx]);
        if (place < 0 || is_better(value, own, for_least))
            own = value, place = (int)i;
    }
    best[thread] = own;
    places[thread] = place;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        int other = thread + half;
        if (thread >= half || places[other] < 0)
            continue;
        T a = best[thread], b = best[other];
        if (places[thread] < 0 || is_better(b, a, for_least) ||
            (!is_better(a, b, for_least) && places[other] < places[thread]))
            best[thread] = b, places[thread] = places[other];
    }
    if (!thread)
        *result = places[0] + 1;
}

template <typename T> DEVICE T at(const T *a, int lda, int row, int column, int transpose)
{
    return transpose ? a[column + (i64)row * lda] : a[row + (i64)column * lda];
}

/* c = alpha * a + beta * b, of which a factor of 0 leaves its matrix unread. */
template <typename T>
DEVICE void add(int transpose_a, int transpose_b, int m, int n, T alpha, const T *a, int lda, T beta, const T *b,
                int ldb, T *c, int ldc)
{
    for (i64 i = first(); i < (i64)m * n; i += step()) {
        int row = (int)(i % m), column = (int)(i / m);
        T sum = alpha == 0 ? 0 : alpha * at(a, lda, row, column, transpose_a);
        c[row + (i64)column * ldc] = beta == 0 ? sum : sum + beta * at(b, ldb, row, column, transpose_b);
    }
}

/* a += alpha * x * y' */
template <typename T>
DEVICE void outer(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)
{
    x = begin(x, m, incx);
    y = begin(y, n, incy);
    for (i64 i = first(); i < (i64)m * n; i += step())
        a[i % m + i / m * lda] += alpha * x[i % m * incx] * y[i / m * incy];
}

/* Solves a * x = alpha * b in b's place, or with a's transposed: of row i and column j of b at i * row_step +
 * j * column_step; a thread for each column. */
template <typename T>
DEVICE void solve(int is_upper, int transpose, int is_unit, int m, int n, T alpha, const T *a, int lda, T *b,
                  i64 row_step, i64 column_step)
{
    int is_backwards = is_upper != transpose;
    for (i64 column = first(); column < n; column += step()) {
        T *own = b + column * column_step;
        for (int i = 0; i < m; i++) {
            int row = is_backwards ? m - 1 - i : i;
            T sum = alpha * own[row * row_step];
            for (int k = 0; k < i; k++) {
                int done = is_backwards ? m - 1 - k : k;
                sum -= at(a, lda, row, done, transpose) * own[done * row_step];
            }
            own[row * row_step] = is_unit ? sum : sum / at(a, lda, row, row, transpose);
        }
    }
}

/* L and U of each matrix in its place, a block for each; pivots count from 1. */
template <typename T> DEVICE void factor(int n, T *const *matrices, int lda, int *all_pivots, int *info, int *pivot)
{
    int thread = __nvvm_read_ptx_sreg_tid_x(), matrix = __nvvm_read_ptx_sreg_ctaid_x(), failed = 0;
    T *a = matrices[matrix];
    for (int k = 0; k < n; k++) {
        if (!thread) {
            int best = k;
            for (int row = k + 1; all_pivots && row < n; row++)
                if (size(a[row + (i64)k * lda]) > size(a[best + (i64)k * lda]))
                    best = row;
            *pivot = best;
            if (all_pivots)
                all_pivots[(i64)matrix * n + k] = best + 1;
        }
        __syncthreads();
        int other = *pivot;
        for (int column = thread; other != k && column < n; column += THREADS) {
            T value = a[k + (i64)column * lda];
            a[k + (i64)column * lda] = a[other + (i64)column * lda];
            a[other + (i64)column * lda] = value;
        }
        __syncthreads();
        T divisor = a[k + (i64)k * lda];
        if (divisor == 0) {
            failed = failed ? failed : k + 1;
            __syncthreads();
            continue;
        }
        for (int row = k + 1 + thread; row < n; row += THREADS)
            a[row + (i64)k * lda] /= divisor;
        __syncthreads();
        int rest = n - k - 1;
        for (i64 i = thread; i < (i64)rest * rest; i += THREADS) {
            int row = k + 1 + (int)(i % rest), column = k + 1 + (int)(i / rest);
            a[row + (i64)column * lda] -= a[row + (i64)k * lda] * a[k + (i64)column * lda];
        }
        __syncthreads();
    }
    if (!thread)
        info[matrix] = failed;
}

/* Solves with such factors: a block for each matrix, a thread for each column. With identity, b becomes that first. */
template <typename T>
DEVICE void solve_factored(int transpose, int n, int columns, const T *const *matrices, int lda, const int *all_pivots,
                           T *const *sides, int ldb, int identity)
{
    int matrix = __nvvm_read_ptx_sreg_ctaid_x();
    const T *a = matrices[matrix];
    const int *pivots = all_pivots ? all_pivots + (i64)matrix * n : nullptr;
    for (int column = __nvvm_read_ptx_sreg_tid_x(); column < columns; column += THREADS) {
        T *b = sides[matrix] + (i64)column * ldb;
        for (int row = 0; identity && row < n; row++)
            b[row] = row == column;
        for (int k = 0; !transpose && pivots && k < n; k++) {
            T value = b[k];
            b[k] = b[pivots[k] - 1];
            b[pivots[k] - 1] = value;
        }
        for (int pass = 0; pass < 2; pass++) {
            bool is_lower = transpose ? pass : !pass, is_backwards = is_lower == (bool)transpose;
            for (int i = 0; i < n; i++) {
                int row = is_backwards ? n - 1 - i : i;
                T sum = b[row];
                for (int k = 0; k < i; k++) {
                    int done = is_backwards ? n - 1 - k : k;
                    sum -= at(a, lda, row, done, transpose) * b[done];
                }
                b[row] = is_lower ? sum : sum / a[row + (i64)row * lda];
            }
        }
        for (int k = n - 1; transpose && pivots && k >= 0; k--) {
            T value = b[k];
            b[k] = b[pivots[k] - 1];
            b[pivots[k] - 1] = value;
        }
    }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##move(int n, T *x, int incx, T *y, int incy, int swap)                               \
    {                                                                                                                  \
        move(n, x, incx, y, incy, swap);                                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##sum(int n, const T *x, int incx, T *result)                                         \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        sum(n, x, incx, result, sums);                                                                                 \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##search(int n, const T *x, int incx, int for_least, int *result)                     \
    {                                                                                                                  \
        SHARED static T best[THREADS];                                                                                 \
        SHARED static int places[THREADS];                                                                             \
        search(n, x, incx, for_least, result, best, places);                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add(int transpose_a, int transpose_b, int m, int n, T alpha, const T *a, int lda,   \
                                       T beta, const T *b, int ldb, T *c, int ldc)                                     \
    {                                                                                                                  \
        add(transpose_a, transpose_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                      \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##outer(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,      \
                                         int lda)                                                                      \
    {                                                                                                                  \
        outer(m, n, alpha, x, incx, y, incy, a, lda);                                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve(int is_upper, int transpose, int is_unit, int m, int n, T alpha, const T *a,  \
                                         int lda, T *b, i64 row_step, i64 column_step)                                 \
    {                                                                                                                  \
        solve(is_upper, transpose, is_unit, m, n, alpha, a, lda, b, row_step, column_step);                            \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##factor(int n, T *const *matrices, int lda, int *pivots, int *info)                  \
    {                                                                                                                  \
        SHARED static int pivot;                                                                                       \
        factor(n, matrices, lda, pivots, info, &pivot);                                                                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve_factored(int transpose, int n, int columns, const T *const *matrices,         \
                                                  int lda, const int *pivots, T *const *sides, int ldb, int identity)  \
    {                                                                                                                  \
        solve_factored(transpose, n, columns, matrices, lda, pivots, sides, ldb, identity);                            \
    }

KERNELS(s, float)
KERNELS(d, double)
