/* Kernels behind the calls of cuBLAS on vectors, matrix times vector, and multiplication in double
 * precision. Plain ones: what they count is what such a call does at least, not how cuBLAS does it.
 *
 * vector.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))
#include "length.cuh"

constexpr int THREADS = 256, TILE = 16;

DEVICE long long first()
{
    return (long long)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE long long step()
{
    return (long long)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

/* A vector whose step is negative begins at its end. */
template <typename T> DEVICE T *begin(T *x, int n, int increment)
{
    return increment < 0 ? x - (long long)(n - 1) * increment : x;
}

template <typename T> DEVICE void axpy(int n, T alpha, const T *x, int incx, T *y, int incy)
{
    x = begin(x, n, incx);
    y = begin(y, n, incy);
    for (long long i = first(); i < n; i += step())
        y[i * incy] = alpha * x[i * incx] + y[i * incy];
}

template <typename T> DEVICE void scal(int n, T alpha, T *x, int incx)
{
    for (long long i = first(); i < n; i += step())
        x[i * incx] = alpha * x[i * incx];
}

/* One block adds up the products, each thread those of a chunk first: a sum of float that grows by
 * one term at a time stops growing. scale: of each factor. */
template <typename T, typename Sum>
DEVICE Sum dot(int n, const T *x, int incx, const T *y, int incy, Sum *sums, Sum scale = 1)
{
    constexpr long long CHUNK = 512LL * THREADS;
    int thread = __nvvm_read_ptx_sreg_tid_x();
    Sum sum = 0;
    x = begin(x, n, incx);
    y = begin(y, n, incy);
    for (long long from = thread; from < n; from += CHUNK) {
        const long long to = from + CHUNK < n ? from + CHUNK : n;
        Sum part = 0;
        for (long long i = from; i < to; i += THREADS)
            part += (Sum)x[i * incx] * scale * ((Sum)y[i * incy] * scale);
        sum += part;
    }
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    return sums[0]; /* what thread 0 knows */
}

/* In double precision squares of floats do not overflow; those of doubles are scaled if they might.
 */
template <typename T>
DEVICE void length(int n, const T *x, int incx, T *result, double *sums)
{
    const double scale =
        sizeof(T) == sizeof(double) ? scale_of((const double *)x, n, incx, 1, sums) : 1;
    const double sum = dot(n, x, incx, x, incx, sums, scale);
    if (!__nvvm_read_ptx_sreg_tid_x())
        *result = (T)(__nvvm_sqrt_rn_d(sum) / scale);
}

/* A thread for each element of y. */
template <typename T>
DEVICE void gemv(int transpose, int m, int n, T alpha, const T *a, int lda, const T *x, int incx,
                 T beta, T *y, int incy)
{
    int rows = transpose ? n : m, terms = transpose ? m : n;
    x = begin(x, terms, incx);
    y = begin(y, rows, incy);
    for (long long i = first(); i < rows; i += step()) {
        T sum = 0;
        for (long long k = 0; k < terms; k++)
            sum += (transpose ? a[k + i * lda] : a[i + k * lda]) * x[k * incx];
        T *to = y + i * incy;
        *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
    }
}

#define VECTOR_KERNELS(letter, T)                                                                  \
    GLOBAL void warplens_##letter##axpy(int n, T alpha, const T *x, int incx, T *y, int incy)      \
    {                                                                                              \
        axpy(n, alpha, x, incx, y, incy);                                                          \
    }                                                                                              \
    GLOBAL void warplens_##letter##scal(int n, T alpha, T *x, int incx)                            \
    {                                                                                              \
        scal(n, alpha, x, incx);                                                                   \
    }                                                                                              \
    GLOBAL void warplens_##letter##dot(int n, const T *x, int incx, const T *y, int incy,          \
                                       T *result)                                                  \
    {                                                                                              \
        SHARED static T sums[THREADS];                                                             \
        T sum = dot(n, x, incx, y, incy, sums);                                                    \
        if (!__nvvm_read_ptx_sreg_tid_x())                                                         \
            *result = sum;                                                                         \
    }                                                                                              \
    GLOBAL void warplens_##letter##nrm2(int n, const T *x, int incx, T *result)                    \
    {                                                                                              \
        SHARED static double sums[THREADS];                                                        \
        length(n, x, incx, result, sums);                                                          \
    }                                                                                              \
    GLOBAL void warplens_##letter##gemv(int transpose, int m, int n, T alpha, const T *a, int lda, \
                                        const T *x, int incx, T beta, T *y, int incy)              \
    {                                                                                              \
        gemv(transpose, m, n, alpha, a, lda, x, incx, beta, y, incy);                              \
    }

VECTOR_KERNELS(s, float)
VECTOR_KERNELS(d, double)

/* Tiles of 16 x 16, one element of C for each thread. */
GLOBAL void warplens_dgemm_16x16(int transpose_a, int transpose_b, int m, int n, int k,
                                 double alpha, const double *a, int lda, const double *b, int ldb,
                                 double beta, double *c, int ldc)
{
    SHARED static double tile_a[TILE][TILE + 1], tile_b[TILE][TILE + 1];
    int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE;
    int row = __nvvm_read_ptx_sreg_ctaid_x() * TILE + x;
    int column = __nvvm_read_ptx_sreg_ctaid_y() * TILE + y;
    double sum = 0;
    for (int at = 0; at < k; at += TILE) {
        int ka = at + y, kb = at + x;
        tile_a[y][x] = row < m && ka < k
                           ? (transpose_a ? a[ka + (long long)row * lda] : a[row + (long long)ka * lda])
                           : 0;
        tile_b[y][x] =
            column < n && kb < k
                ? (transpose_b ? b[column + (long long)kb * ldb] : b[kb + (long long)column * ldb])
                : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[i][x] * tile_b[y][i];
        __syncthreads();
    }
    if (row < m && column < n) {
        double *to = c + row + (long long)column * ldc;
        *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
    }
}
