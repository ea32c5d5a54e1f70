/* Kernels behind cuBLAS's calls on batches of complex matrices. Plain ones: what they count is what such a call does at
 * least, not how cuBLAS does it. Their parameters are those of the kernels for real numbers (dense.cu, structured.cu).
 *
 * complex_batch.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "complex.cuh"

constexpr int INVERSE_MOST = 32;

/* One of a batch: of pointers, or a stride apart. */
template <typename T> struct batch {
    T *const *list;
    T *base;
    i64 stride;
    DEVICE T *operator[](int i) const
    {
        return list ? list[i] : base + i * stride;
    }
};

/* y = alpha op(a) x + beta y of each of a batch, which blocks in y are. */
template <typename T>
DEVICE void multiply_vectors(int op, int m, int n, complex<T> alpha, batch<const complex<T>> as, int lda,
                             batch<const complex<T>> xs, i64 incx, complex<T> beta, batch<complex<T>> ys, i64 incy)
{
    const int number = __nvvm_read_ptx_sreg_ctaid_y(), rows = op ? n : m, depth = op ? m : n;
    const complex<T> *a = as[number], *x = xs[number] - (incx < 0 ? (depth - 1) * incx : 0);
    complex<T> *y = ys[number] - (incy < 0 ? (rows - 1) * incy : 0);
    for (i64 row = first(); row < rows; row += step()) {
        complex<T> sum = {0, 0};
        for (int k = 0; k < depth; k++)
            sum = sum + element(a, lda, op, (int)row, k) * x[k * incx];
        y[row * incy] = is_zero(beta) ? alpha * sum : alpha * sum + beta * y[row * incy];
    }
}

/* L and U of each matrix in its place, a block for each; pivots count from 1. */
template <typename T>
DEVICE void factor(int n, complex<T> *const *matrices, int lda, int *all_pivots, int *info, int *pivot)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), matrix = __nvvm_read_ptx_sreg_ctaid_x();
    int failed = 0;
    complex<T> *a = matrices[matrix];
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
        const int other = *pivot;
        for (int column = thread; other != k && column < n; column += THREADS) {
            const complex<T> value = a[k + (i64)column * lda];
            a[k + (i64)column * lda] = a[other + (i64)column * lda];
            a[other + (i64)column * lda] = value;
        }
        __syncthreads();
        const complex<T> divisor = a[k + (i64)k * lda];
        if (is_zero(divisor)) {
            failed = failed ? failed : k + 1;
            __syncthreads();
            continue;
        }
        for (int row = k + 1 + thread; row < n; row += THREADS)
            a[row + (i64)k * lda] = quotient(a[row + (i64)k * lda], divisor);
        __syncthreads();
        const int rest = n - k - 1;
        for (i64 i = thread; i < (i64)rest * rest; i += THREADS) {
            const int row = k + 1 + (int)(i % rest), column = k + 1 + (int)(i / rest);
            complex<T> *own = &a[row + (i64)column * lda];
            *own = *own - a[row + (i64)k * lda] * a[k + (i64)column * lda];
        }
        __syncthreads();
    }
    if (!thread)
        info[matrix] = failed;
}

template <typename T> DEVICE void swap_rows(int k, const int *pivots, complex<T> *b)
{
    const complex<T> value = b[k];
    b[k] = b[pivots[k] - 1];
    b[pivots[k] - 1] = value;
}

/* Solves with such factors: a block for each matrix, a thread for each column. With identity, b becomes that first. */
template <typename T>
DEVICE void solve_factored(int op, int n, int columns, const complex<T> *const *matrices, int lda,
                           const int *all_pivots, complex<T> *const *sides, int ldb, int identity)
{
    const int matrix = __nvvm_read_ptx_sreg_ctaid_x();
    const complex<T> *a = matrices[matrix];
    const int *pivots = all_pivots ? all_pivots + (i64)matrix * n : nullptr;
    for (int column = __nvvm_read_ptx_sreg_tid_x(); column < columns; column += THREADS) {
        complex<T> *b = sides[matrix] + (i64)column * ldb;
        for (int row = 0; identity && row < n; row++)
            b[row] = {row == column ? (T)1 : (T)0, 0};
        for (int k = 0; !op && pivots && k < n; k++)
            swap_rows(k, pivots, b);
        for (int pass = 0; pass < 2; pass++) {
            const bool is_lower = op ? pass : !pass, is_backwards = is_lower == (op != 0);
            for (int i = 0; i < n; i++) {
                const int row = is_backwards ? n - 1 - i : i;
                complex<T> sum = b[row];
                for (int k = 0; k < i; k++) {
                    const int done = is_backwards ? n - 1 - k : k;
                    sum = sum - element(a, lda, op, row, done) * b[done];
                }
                b[row] = is_lower ? sum : quotient(sum, element(a, lda, op, row, row));
            }
        }
        for (int k = n - 1; op && pivots && k >= 0; k--)
            swap_rows(k, pivots, b);
    }
}

/* The inverse of a matrix by a block: whole and identity in turn become identity and inverse. */
template <typename T>
DEVICE void invert(int n, const complex<T> *a, int lda, complex<T> *inverse, int ldi, int *info,
                   complex<T> (*work)[2 * INVERSE_MOST], int *pivot)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), width = 2 * n, rows_at_once = THREADS / width;
    int failed = 0;
    for (int i = thread; i < n * n; i += THREADS) {
        work[i % n][i / n] = a[i % n + (i64)(i / n) * lda];
        work[i % n][n + i / n] = {i % n == i / n ? (T)1 : (T)0, 0};
    }
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (!thread) {
            *pivot = k;
            for (int row = k + 1; row < n; row++)
                if (size(work[row][k]) > size(work[*pivot][k]))
                    *pivot = row;
        }
        __syncthreads();
        const int other = *pivot;
        const complex<T> divisor = work[other][k];
        if (is_zero(divisor)) {
            failed = failed ? failed : k + 1;
            continue;
        }
        __syncthreads();
        if (thread < width) {
            const complex<T> value = work[other][thread];
            work[other][thread] = work[k][thread];
            work[k][thread] = quotient(value, divisor);
        }
        __syncthreads();
        const int column = thread % width; /* its other columns have no thread beside them */
        for (int row = thread / width; row < n && thread < rows_at_once * width; row += rows_at_once)
            if (row != k && column != k)
                work[row][column] = work[row][column] - work[row][k] * work[k][column];
        __syncthreads();
        if (thread < n && thread != k)
            work[thread][k] = {0, 0};
    }
    __syncthreads();
    for (int i = thread; i < n * n; i += THREADS)
        inverse[i % n + (i64)(i / n) * ldi] = work[i % n][n + i / n];
    if (!thread)
        *info = failed;
}

/* Adds up what all threads of the block have. */
template <typename T> DEVICE T add_up(T own, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    __syncthreads();
    sums[thread] = own;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    __syncthreads();
    return sums[0];
}

/* The reflector of column k, as LAPACK's larfg has it: R's real diagonal, the vector below it. Returns its factor. */
template <typename T> DEVICE complex<T> make_reflector(int m, int k, complex<T> *a, int lda, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    complex<T> *v = a + (i64)k * lda;
    T own = 0;
    for (int row = k + 1 + thread; row < m; row += THREADS)
        own += square(v[row]);
    const T below = add_up(own, sums);
    const complex<T> head = v[k];
    __syncthreads();
    if (below == 0 && head.imaginary == 0)
        return {0, 0};
    const T length = root(square(head) + below), diagonal = head.real < 0 ? length : -length;
    const complex<T> divisor = {head.real - diagonal, head.imaginary};
    for (int row = k + 1 + thread; row < m; row += THREADS)
        v[row] = quotient(v[row], divisor);
    if (!thread)
        v[k] = {diagonal, 0};
    __syncthreads();
    return {(diagonal - head.real) / diagonal, -head.imaginary / diagonal};
}

/* Applies the conjugate of the reflector of column k, whose first element counts as 1, to columns of c. */
template <typename T>
DEVICE void reflect(int m, int k, const complex<T> *a, int lda, complex<T> tau, complex<T> *c, int ldc, int from,
                    int columns)
{
    const complex<T> *v = a + (i64)k * lda, factor = conjugate(tau, 1);
    for (int column = from + (int)__nvvm_read_ptx_sreg_tid_x(); column < columns; column += THREADS) {
        complex<T> *own = c + (i64)column * ldc, sum = own[k];
        for (int row = k + 1; row < m; row++)
            sum = sum + conjugate(v[row], 1) * own[row];
        sum = factor * sum;
        own[k] = own[k] - sum;
        for (int row = k + 1; row < m; row++)
            own[row] = own[row] - sum * v[row];
    }
    __syncthreads();
}

/* Q and R of a matrix in its place, by a block; columns of c, if there are any, become Q's conjugate transposed c. */
template <typename T>
DEVICE void factor_orthogonal(int m, int n, complex<T> *a, int lda, complex<T> *taus, complex<T> *c, int ldc,
                              int columns, T *sums)
{
    for (int k = 0; k < m && k < n; k++) {
        const complex<T> tau = make_reflector(m, k, a, lda, sums);
        reflect(m, k, a, lda, tau, a, lda, k + 1, n);
        reflect(m, k, a, lda, tau, c, ldc, 0, columns);
        if (taus && !__nvvm_read_ptx_sreg_tid_x())
            taus[k] = tau;
    }
}

/* The least squares of a x - c, m not less than n. */
template <typename T>
DEVICE void fit(int m, int n, int columns, complex<T> *a, int lda, complex<T> *c, int ldc, int *info, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    int failed = 0;
    factor_orthogonal<T>(m, n, a, lda, nullptr, c, ldc, columns, sums);
    for (int k = n - 1; k >= 0; k--)
        if (is_zero(a[k + (i64)k * lda]))
            failed = k + 1;
    for (int column = thread; !failed && column < columns; column += THREADS) {
        complex<T> *own = c + (i64)column * ldc;
        for (int row = n - 1; row >= 0; row--) {
            complex<T> sum = own[row];
            for (int k = row + 1; k < n; k++)
                sum = sum - a[row + (i64)k * lda] * own[k];
            own[row] = quotient(sum, a[row + (i64)row * lda]);
        }
    }
    if (info && !thread)
        *info = failed;
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##multiply_vectors(int op, int m, int n, complex<T> alpha, batch<const complex<T>> as,\
                                                    int lda, batch<const complex<T>> xs, i64 incx, complex<T> beta,    \
                                                    batch<complex<T>> ys, i64 incy)                                    \
    {                                                                                                                  \
        multiply_vectors(op, m, n, alpha, as, lda, xs, incx, beta, ys, incy);                                          \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##factor(int n, complex<T> *const *matrices, int lda, int *pivots, int *info)         \
    {                                                                                                                  \
        SHARED static int pivot;                                                                                       \
        factor(n, matrices, lda, pivots, info, &pivot);                                                                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve_factored(int op, int n, int columns, const complex<T> *const *matrices,       \
                                                  int lda, const int *pivots, complex<T> *const *sides, int ldb,       \
                                                  int identity)                                                        \
    {                                                                                                                  \
        solve_factored(op, n, columns, matrices, lda, pivots, sides, ldb, identity);                                   \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##invert(int n, const complex<T> *const *as, int lda, complex<T> *const *inverses,    \
                                          int ldi, int *info)                                                          \
    {                                                                                                                  \
        SHARED static complex<T> work[INVERSE_MOST][2 * INVERSE_MOST];                                                 \
        SHARED static int pivot;                                                                                       \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        invert(n, as[number], lda, inverses[number], ldi, info + number, work, &pivot);                                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##factor_orthogonal(int m, int n, complex<T> *const *as, int lda,                     \
                                                     complex<T> *const *taus)                                          \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        factor_orthogonal<T>(m, n, as[number], lda, taus[number], nullptr, 0, 0, sums);                                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##fit(int m, int n, int columns, complex<T> *const *as, int lda,                      \
                                       complex<T> *const *cs, int ldc, int *info)                                      \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        fit(m, n, columns, as[number], lda, cs[number], ldc, info ? info + number : nullptr, sums);                    \
    }

KERNELS(c, float)
KERNELS(z, double)
