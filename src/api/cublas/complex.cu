/* Kernels behind cuBLAS's calls on complex numbers. Plain ones: what they count is what such a call does at least, not
 * how cuBLAS does it.
 *
 * complex.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "complex.cuh"
#include "length.cuh"

constexpr int TILE = 16;

template <typename T> DEVICE void move(int n, complex<T> *x, i64 incx, complex<T> *y, i64 incy, int swap)
{
    for (i64 i = first(); i < n; i += step()) {
        const complex<T> value = x[i * incx];
        if (swap) /* else y may never have been written */
            x[i * incx] = y[i * incy];
        y[i * incy] = value;
    }
}

/* y += alpha x, or y = alpha y if there is no x; the parts by themselves where alpha is real. */
template <typename T>
DEVICE void add_scaled(int n, complex<T> alpha, int is_real, const complex<T> *x, i64 incx, complex<T> *y, i64 incy)
{
    for (i64 i = first(); i < n; i += step()) {
        complex<T> *to = &y[i * incy];
        if (x)
            *to = *to + alpha * x[i * incx];
        else if (is_real)
            *to = {alpha.real * to->real, alpha.real * to->imaginary};
        else
            *to = alpha * *to;
    }
}

/* One block adds up products. */
template <typename T>
DEVICE void dot(int is_conjugate, int n, const complex<T> *x, i64 incx, const complex<T> *y, i64 incy,
                complex<T> *result, complex<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    complex<T> sum = {0, 0};
    for (i64 i = thread; i < n; i += THREADS)
        sum = sum + conjugate(x[i * incx], is_conjugate) * y[i * incy];
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] = sums[thread] + sums[thread + half];
    }
    if (!thread)
        *result = sums[0];
}

/* The sum of as many numbers as a block has threads, which thread 0 knows. */
template <typename T> DEVICE T add_up(T own, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    sums[thread] = own;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    return sums[0];
}

/* One block adds up sizes. */
template <typename T> DEVICE void sum(int n, const complex<T> *x, int incx, T *result, T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    T sum = 0;
    for (i64 i = thread; i < n; i += THREADS)
        sum += size(x[i * incx]);
    sum = add_up(sum, sums);
    if (!thread)
        *result = sum;
}

/* One block finds the length: in double precision squares of floats do not overflow, and those of doubles are of scaled
 * ones where they might. */
template <typename T> DEVICE void length(int n, const complex<T> *x, int incx, T *result, double *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    double sum = 0, scale = sizeof(T) == sizeof(double) ? scale_of((const double *)x, n, incx * (i64)2, 2, sums) : 1;
    for (i64 i = thread; i < n; i += THREADS) {
        const double real = x[i * incx].real * scale, imaginary = x[i * incx].imaginary * scale;
        sum += real * real + imaginary * imaginary;
    }
    sum = add_up(sum, sums);
    if (!thread)
        *result = (T)(root(sum) / scale);
}

/* Whether a size is what is searched for, rather than another: a NaN never is. */
template <typename T> DEVICE bool is_better(T one, T other, int for_least)
{
    return one == one && (other != other || (for_least ? one < other : one > other));
}

/* One block finds the first of the largest, or smallest, sizes; counted from 1. */
template <typename T>
DEVICE void search(int for_least, int n, const complex<T> *x, int incx, int *result, T *best, int *places)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    int place = -1;
    T own = 0;
    for (i64 i = thread; i < n; i += THREADS) {
        const T value = size(x[i * incx]);
        if (place < 0 || is_better(value, own, for_least))
            own = value, place = (int)i;
    }
    best[thread] = own;
    places[thread] = place;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        const int other = thread + half;
        if (thread >= half || places[other] < 0)
            continue;
        const T a = best[thread], b = best[other];
        if (places[thread] < 0 || is_better(b, a, for_least) ||
            (!is_better(a, b, for_least) && places[other] < places[thread]))
            best[thread] = b, places[thread] = places[other];
    }
    if (!thread)
        *result = places[0] + 1;
}

/* c = alpha a b + beta c of each of a batch, which blocks in z are. */
template <typename T>
DEVICE void multiply(int m, int n, int k, complex<T> alpha, matrices<T> a, matrices<T> b, complex<T> beta,
                     matrices<T> c, complex<T> (*tile_a)[TILE + 1], complex<T> (*tile_b)[TILE + 1])
{
    const int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE,
              number = __nvvm_read_ptx_sreg_ctaid_z(), row = __nvvm_read_ptx_sreg_ctaid_x() * TILE + x,
              column = __nvvm_read_ptx_sreg_ctaid_y() * TILE + y;
    const complex<T> *from_a = a.of(number), *from_b = b.of(number), zero = {0, 0};
    complex<T> sum = zero;
    for (int at = 0; at < k; at += TILE) {
        tile_a[y][x] = row < m && at + y < k ? a.get(from_a, row, at + y) : zero;
        tile_b[y][x] = column < n && at + x < k ? b.get(from_b, at + x, column) : zero;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum = sum + tile_a[i][x] * tile_b[y][i];
        __syncthreads();
    }
    if (row < m && column < n) {
        complex<T> *to = &c.of(number)[c.place(row, column)];
        *to = is_zero(beta) ? alpha * sum : alpha * sum + beta * *to;
    }
}

/* c = alpha a + beta b, of which a factor of 0 leaves its matrix unread. */
template <typename T>
DEVICE void add(int m, int n, complex<T> alpha, matrices<T> a, complex<T> beta, matrices<T> b, complex<T> *c, i64 ldc)
{
    for (i64 i = first(); i < (i64)m * n; i += step()) {
        const i64 row = i % m, column = i / m;
        complex<T> sum = {0, 0};
        if (!is_zero(alpha))
            sum = alpha * a.get(a.base, row, column);
        if (!is_zero(beta))
            sum = sum + beta * b.get(b.base, row, column);
        c[row + column * ldc] = sum;
    }
}

/* Solves a x = alpha b in b's place, for each of a batch, which blocks in y are; a thread for each column. */
template <typename T>
DEVICE void solve(int is_upper, int is_unit, int order, int columns, complex<T> alpha, matrices<T> a, matrices<T> b)
{
    const int number = __nvvm_read_ptx_sreg_ctaid_y();
    const complex<T> *from = a.of(number);
    complex<T> *to = b.of(number);
    for (i64 column = first(); column < columns; column += step())
        for (int i = 0; i < order; i++) {
            const int row = is_upper ? order - 1 - i : i;
            complex<T> *own = &to[b.place(row, column)], sum = alpha * *own;
            for (int k = 0; k < i; k++) {
                const int done = is_upper ? order - 1 - k : k;
                sum = sum - a.get(from, row, done) * to[b.place(done, column)];
            }
            *own = is_unit ? sum : quotient(sum, a.get(from, row, row));
        }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##move(int n, complex<T> *x, i64 incx, complex<T> *y, i64 incy, int swap)             \
    {                                                                                                                  \
        move(n, x, incx, y, incy, swap);                                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add_scaled(int n, complex<T> alpha, int is_real, const complex<T> *x, i64 incx,     \
                                              complex<T> *y, i64 incy)                                                 \
    {                                                                                                                  \
        add_scaled(n, alpha, is_real, x, incx, y, incy);                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##dot(int is_conjugate, int n, const complex<T> *x, i64 incx, const complex<T> *y,    \
                                       i64 incy, complex<T> *result)                                                   \
    {                                                                                                                  \
        SHARED static complex<T> sums[THREADS];                                                                        \
        dot(is_conjugate, n, x, incx, y, incy, result, sums);                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##sum(int is_length, int n, const complex<T> *x, int incx, T *result)                 \
    {                                                                                                                  \
        SHARED static double sums[THREADS];                                                                            \
        if (is_length)                                                                                                 \
            length(n, x, incx, result, sums);                                                                          \
        else                                                                                                           \
            sum(n, x, incx, result, (T *)sums);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##search(int for_least, int n, const complex<T> *x, int incx, int *result)            \
    {                                                                                                                  \
        SHARED static T best[THREADS];                                                                                 \
        SHARED static int places[THREADS];                                                                             \
        search(for_least, n, x, incx, result, best, places);                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##multiply(int m, int n, int k, complex<T> alpha, matrices<T> a, matrices<T> b,       \
                                            complex<T> beta, matrices<T> c)                                            \
    {                                                                                                                  \
        SHARED static complex<T> tile_a[TILE][TILE + 1], tile_b[TILE][TILE + 1];                                       \
        multiply(m, n, k, alpha, a, b, beta, c, tile_a, tile_b);                                                       \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add(int m, int n, complex<T> alpha, matrices<T> a, complex<T> beta, matrices<T> b,  \
                                       complex<T> *c, i64 ldc)                                                         \
    {                                                                                                                  \
        add(m, n, alpha, a, beta, b, c, ldc);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve(int is_upper, int is_unit, int order, int columns, complex<T> alpha,          \
                                         matrices<T> a, matrices<T> b)                                                 \
    {                                                                                                                  \
        solve(is_upper, is_unit, order, columns, alpha, a, b);                                                         \
    }

KERNELS(c, float)
KERNELS(z, double)
