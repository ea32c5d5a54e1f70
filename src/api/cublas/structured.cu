/* Kernels behind cuBLAS's calls on symmetric and triangular matrices, on diagonals, and on batches of matrices. Plain
 * ones: what they count is what such a call does at least, not how cuBLAS does it.
 *
 * structured.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef long long i64;
constexpr int THREADS = 256, INVERSE_MOST = 32;

DEVICE i64 first()
{
    return (i64)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE i64 step()
{
    return (i64)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

DEVICE float root(float x)
{
    asm("sqrt.rn.f32 %0, %0;" : "+f"(x));
    return x;
}

DEVICE double root(double x)
{
    asm("sqrt.rn.f64 %0, %0;" : "+d"(x));
    return x;
}

template <typename T> DEVICE T size(T value)
{
    return value < 0 ? -value : value;
}

/* Element (row, column) at row * row_step + column * column_step. */
template <typename T> struct matrix {
    T *at;
    i64 row_step, column_step;
    DEVICE T &operator()(i64 row, i64 column) const
    {
        return at[row * row_step + column * column_step];
    }
};

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

/* Of a matrix of which one half is stored. */
template <typename T> DEVICE T symmetric(const T *a, int lda, int is_upper, int row, int column)
{
    const bool is_stored = is_upper ? row <= column : row >= column;
    return is_stored ? a[row + (i64)column * lda] : a[column + (i64)row * lda];
}

/* c = alpha a b + beta c, with a symmetric. */
template <typename T>
DEVICE void multiply_symmetric(int is_upper, int order, int columns, T alpha, const T *a, int lda,
                               matrix<const T> b, T beta, matrix<T> c)
{
    for (i64 i = first(); i < (i64)order * columns; i += step()) {
        const int row = (int)(i % order), column = (int)(i / order);
        T sum = 0;
        for (int k = 0; k < order; k++)
            sum += symmetric(a, lda, is_upper, row, k) * b(k, column);
        c(row, column) = beta == 0 ? alpha * sum : alpha * sum + beta * c(row, column);
    }
}

/* c = alpha op(a) b, with a triangular; c may be b. A thread for each column: a row is written when no other needs what
 * was there. */
template <typename T>
DEVICE void multiply_triangular(int is_upper, int transpose, int is_unit, int order, int columns, T alpha,
                                const T *a, int lda, matrix<const T> b, matrix<T> c)
{
    const int is_forwards = is_upper != transpose;
    const matrix<const T> op = {a, transpose ? lda : 1, transpose ? 1 : lda};
    for (i64 column = first(); column < columns; column += step())
        for (int i = 0; i < order; i++) {
            const int row = is_forwards ? i : order - 1 - i;
            T sum = is_unit ? b(row, column) : op(row, row) * b(row, column);
            for (int k = is_forwards ? row + 1 : 0; k < (is_forwards ? order : row); k++)
                sum += op(row, k) * b(k, column);
            c(row, column) = alpha * sum;
        }
}

/* One half of c = alpha (a b' + b a') + beta c, the second product only if is_both. */
template <typename T>
DEVICE void add_rank(int is_upper, int is_both, int n, int k, T alpha, matrix<const T> a, matrix<const T> b, T beta,
                     T *c, int ldc)
{
    for (i64 i = first(); i < (i64)n * n; i += step()) {
        const int row = (int)(i % n), column = (int)(i / n);
        if (is_upper ? row > column : row < column)
            continue;
        T sum = 0;
        for (int at = 0; at < k; at++) {
            sum += a(row, at) * b(column, at);
            if (is_both)
                sum += b(row, at) * a(column, at);
        }
        T *to = &c[row + (i64)column * ldc];
        *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
    }
}

/* c = diag(x) a, or a diag(x). */
template <typename T>
DEVICE void scale(int by_column, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc)
{
    for (i64 i = first(); i < (i64)m * n; i += step()) {
        const i64 row = i % m, column = i / m;
        c[row + column * ldc] = a[row + column * lda] * x[(by_column ? column : row) * incx];
    }
}

/* y = alpha op(a) x + beta y of each of a batch, which blocks in y are. */
template <typename T>
DEVICE void multiply_vectors(int transpose, int m, int n, T alpha, batch<const T> as, int lda, batch<const T> xs,
                             i64 incx, T beta, batch<T> ys, i64 incy)
{
    const int number = __nvvm_read_ptx_sreg_ctaid_y(), rows = transpose ? n : m, depth = transpose ? m : n;
    const matrix<const T> op = {as[number], transpose ? lda : 1, transpose ? 1 : lda};
    const T *x = xs[number] - (incx < 0 ? (depth - 1) * incx : 0);
    T *y = ys[number] - (incy < 0 ? (rows - 1) * incy : 0);
    for (i64 row = first(); row < rows; row += step()) {
        T sum = 0;
        for (int k = 0; k < depth; k++)
            sum += op(row, k) * x[k * incx];
        y[row * incy] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row * incy];
    }
}

/* Solves a x = alpha b in b's place, or with a's transposed, for each of a batch; a thread for each column. */
template <typename T>
DEVICE void solve(int is_upper, int transpose, int is_unit, int order, int columns, T alpha, const T *const *as,
                  int lda, T *const *bs, i64 row_step, i64 column_step)
{
    const int number = __nvvm_read_ptx_sreg_ctaid_y(), is_backwards = is_upper != transpose;
    const matrix<const T> op = {as[number], transpose ? lda : 1, transpose ? 1 : lda};
    const matrix<T> b = {bs[number], row_step, column_step};
    for (i64 column = first(); column < columns; column += step())
        for (int i = 0; i < order; i++) {
            const int row = is_backwards ? order - 1 - i : i;
            T sum = alpha * b(row, column);
            for (int k = 0; k < i; k++) {
                const int done = is_backwards ? order - 1 - k : k;
                sum -= op(row, done) * b(done, column);
            }
            b(row, column) = is_unit ? sum : sum / op(row, row);
        }
}

/* The inverse of a matrix by a block: whole and identity in turn become identity and inverse. */
template <typename T>
DEVICE void invert(int n, const T *a, int lda, T *inverse, int ldi, int *info, T (*work)[2 * INVERSE_MOST], int *pivot)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    int failed = 0;
    for (int i = thread; i < n * n; i += THREADS) {
        work[i % n][i / n] = a[i % n + (i64)(i / n) * lda];
        work[i % n][n + i / n] = i % n == i / n;
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
        const T divisor = work[other][k];
        if (divisor == 0) {
            failed = failed ? failed : k + 1;
            continue;
        }
        __syncthreads();
        if (thread < 2 * n) {
            const T value = work[other][thread];
            work[other][thread] = work[k][thread];
            work[k][thread] = value / divisor;
        }
        __syncthreads();
        const int column = thread % (2 * n); /* its other columns have no thread beside them */
        for (int row = thread / (2 * n); row < n; row += THREADS / (2 * n)) {
            if (row == k || column == k || thread >= THREADS / (2 * n) * (2 * n))
                continue;
            work[row][column] -= work[row][k] * work[k][column];
        }
        __syncthreads();
        if (thread < n && thread != k)
            work[thread][k] = 0;
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

/* Takes what the reflector of column k, whose first element counts as 1, makes of columns of c. */
template <typename T>
DEVICE void reflect(int m, int k, const T *a, int lda, T tau, T *c, int ldc, int from, int columns)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const T *v = a + (i64)k * lda;
    for (int column = from + thread; column < columns; column += THREADS) {
        T *own = c + (i64)column * ldc, sum = own[k];
        for (int row = k + 1; row < m; row++)
            sum += v[row] * own[row];
        sum *= tau;
        own[k] -= sum;
        for (int row = k + 1; row < m; row++)
            own[row] -= sum * v[row];
    }
    __syncthreads();
}

/* The reflector of column k, as LAPACK's larfg has it: R's diagonal, the vector below it. Returns its factor. */
template <typename T> DEVICE T make_reflector(int m, int k, T *a, int lda, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    T *v = a + (i64)k * lda, own = 0;
    for (int row = k + 1 + thread; row < m; row += THREADS)
        own += v[row] * v[row];
    const T below = add_up(own, sums), head = v[k];
    __syncthreads();
    if (below == 0)
        return 0;
    const T length = root(head * head + below), diagonal = head < 0 ? length : -length;
    for (int row = k + 1 + thread; row < m; row += THREADS)
        v[row] /= head - diagonal;
    if (!thread)
        v[k] = diagonal;
    __syncthreads();
    return (diagonal - head) / diagonal;
}

/* Q and R of a matrix in its place, by a block; columns of c, if there are any, become Q' c. */
template <typename T>
DEVICE void factor(int m, int n, T *a, int lda, T *taus, T *c, int ldc, int columns, T *sums)
{
    for (int k = 0; k < m && k < n; k++) {
        const T tau = make_reflector(m, k, a, lda, sums);
        reflect(m, k, a, lda, tau, a, lda, k + 1, n);
        reflect(m, k, a, lda, tau, c, ldc, 0, columns);
        if (taus && !__nvvm_read_ptx_sreg_tid_x())
            taus[k] = tau;
    }
}

/* The least squares of a x - c, m not less than n. */
template <typename T>
DEVICE void fit(int m, int n, int columns, T *a, int lda, T *c, int ldc, int *info, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    int failed = 0;
    factor<T>(m, n, a, lda, nullptr, c, ldc, columns, sums);
    for (int k = n - 1; k >= 0; k--)
        if (a[k + (i64)k * lda] == 0)
            failed = k + 1;
    for (int column = thread; !failed && column < columns; column += THREADS) {
        T *own = c + (i64)column * ldc;
        for (int row = n - 1; row >= 0; row--) {
            T sum = own[row];
            for (int k = row + 1; k < n; k++)
                sum -= a[row + (i64)k * lda] * own[k];
            own[row] = sum / a[row + (i64)row * lda];
        }
    }
    if (info && !thread)
        *info = failed;
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##multiply_symmetric(int is_upper, int order, int columns, T alpha, const T *a,       \
                                                      int lda, matrix<const T> b, T beta, matrix<T> c)                 \
    {                                                                                                                  \
        multiply_symmetric(is_upper, order, columns, alpha, a, lda, b, beta, c);                                       \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##multiply_triangular(int is_upper, int transpose, int is_unit, int order,            \
                                                       int columns, T alpha, const T *a, int lda, matrix<const T> b,   \
                                                       matrix<T> c)                                                    \
    {                                                                                                                  \
        multiply_triangular(is_upper, transpose, is_unit, order, columns, alpha, a, lda, b, c);                        \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add_rank(int is_upper, int is_both, int n, int k, T alpha, matrix<const T> a,       \
                                            matrix<const T> b, T beta, T *c, int ldc)                                  \
    {                                                                                                                  \
        add_rank(is_upper, is_both, n, k, alpha, a, b, beta, c, ldc);                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##scale(int by_column, int m, int n, const T *a, int lda, const T *x, int incx, T *c, \
                                         int ldc)                                                                      \
    {                                                                                                                  \
        scale(by_column, m, n, a, lda, x, incx, c, ldc);                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##multiply_vectors(int transpose, int m, int n, T alpha, batch<const T> as, int lda,  \
                                                    batch<const T> xs, i64 incx, T beta, batch<T> ys, i64 incy)        \
    {                                                                                                                  \
        multiply_vectors(transpose, m, n, alpha, as, lda, xs, incx, beta, ys, incy);                                   \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve_batch(int is_upper, int transpose, int is_unit, int order, int columns,       \
                                               T alpha, const T *const *as, int lda, T *const *bs, i64 row_step,       \
                                               i64 column_step)                                                        \
    {                                                                                                                  \
        solve(is_upper, transpose, is_unit, order, columns, alpha, as, lda, bs, row_step, column_step);                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##invert(int n, const T *const *as, int lda, T *const *inverses, int ldi, int *info)  \
    {                                                                                                                  \
        SHARED static T work[INVERSE_MOST][2 * INVERSE_MOST];                                                          \
        SHARED static int pivot;                                                                                       \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        invert(n, as[number], lda, inverses[number], ldi, info + number, work, &pivot);                                \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##factor_orthogonal(int m, int n, T *const *as, int lda, T *const *taus)              \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        factor<T>(m, n, as[number], lda, taus[number], nullptr, 0, 0, sums);                                           \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##fit(int m, int n, int columns, T *const *as, int lda, T *const *cs, int ldc,        \
                                       int *info)                                                                      \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        const int number = __nvvm_read_ptx_sreg_ctaid_x();                                                             \
        fit(m, n, columns, as[number], lda, cs[number], ldc, info ? info + number : nullptr, sums);                    \
    }

KERNELS(s, float)
KERNELS(d, double)
