/* Kernels behind cuBLAS's calls on vectors of halves and bfloat16, computed in single precision and rounded once. Plain
 * ones: what they count is what such a call does at least, not how cuBLAS does it.
 *
 * narrow.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "../common/complex.cuh"
#include "narrow.cuh"

template <typename T> DEVICE void move(int n, T *x, i64 incx, T *y, i64 incy, int swap)
{
    for (i64 i = first(); i < n; i += step()) {
        const T was = y[i * incy];
        y[i * incy] = x[i * incx];
        if (swap)
            x[i * incx] = was;
    }
}

/* y = alpha x + y; y = alpha y where there is no x. */
template <typename T> DEVICE void add_scaled(int n, float alpha, const T *x, i64 incx, T *y, i64 incy)
{
    for (i64 i = first(); i < n; i += step()) {
        const float own = value(y[i * incy]);
        put(&y[i * incy], x ? alpha * value(x[i * incx]) + own : alpha * own);
    }
}

template <typename T> DEVICE void turn(int n, T *x, i64 incx, T *y, i64 incy, float xx, float yx, float xy, float yy)
{
    for (i64 i = first(); i < n; i += step()) {
        const float a = value(x[i * incx]), b = value(y[i * incy]);
        put(&x[i * incx], xx * a + xy * b);
        put(&y[i * incy], yx * a + yy * b);
    }
}

DEVICE float size(float x)
{
    return x < 0 ? -x : x;
}

/* Sums of sizes, or of squares, by a block; in double precision squares of bfloat16 do not overflow. */
template <typename T, typename Sum> DEVICE Sum add_up(int is_square, int n, const T *x, i64 incx, Sum *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    Sum sum = 0;
    for (i64 i = thread; i < n; i += THREADS) {
        const Sum own = value(x[i * incx]);
        sum += is_square ? own * own : own < 0 ? -own : own;
    }
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    return sums[0]; /* what thread 0 knows */
}

/* Whether a size is what is searched for, rather than another: a NaN never is. */
DEVICE bool is_better(float one, float other, int is_smallest)
{
    return one == one && (other != other || (is_smallest ? one < other : one > other));
}

/* The first of the largest or smallest elements, from 1, by a block. */
template <typename T>
DEVICE void find(int is_smallest, int n, const T *x, i64 incx, int *result, float *sizes, int *places)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    sizes[thread] = 0;
    places[thread] = n; /* none */
    for (int i = thread; i < n; i += THREADS) {
        const float own = size(value(x[i * incx]));
        if (places[thread] == n || is_better(own, sizes[thread], is_smallest)) {
            sizes[thread] = own;
            places[thread] = i;
        }
    }
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread >= half || places[thread + half] == n)
            continue;
        const float own = sizes[thread], other = sizes[thread + half];
        if (places[thread] == n || is_better(other, own, is_smallest) ||
            (!is_better(own, other, is_smallest) && places[thread + half] < places[thread])) {
            sizes[thread] = other;
            places[thread] = places[thread + half];
        }
    }
    if (!thread)
        *result = places[0] + 1;
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##move(int n, T *x, i64 incx, T *y, i64 incy, int swap)                               \
    {                                                                                                                  \
        move(n, x, incx, y, incy, swap);                                                                               \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add_scaled(int n, float alpha, const T *x, i64 incx, T *y, i64 incy)                \
    {                                                                                                                  \
        add_scaled(n, alpha, x, incx, y, incy);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##turn(int n, T *x, i64 incx, T *y, i64 incy, float xx, float yx, float xy, float yy) \
    {                                                                                                                  \
        turn(n, x, incx, y, incy, xx, yx, xy, yy);                                                                     \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##asum(int n, const T *x, i64 incx, float *result)                                    \
    {                                                                                                                  \
        SHARED static float sums[THREADS];                                                                             \
        const float sum = add_up(0, n, x, incx, sums);                                                                 \
        if (!__nvvm_read_ptx_sreg_tid_x())                                                                             \
            *result = sum;                                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##nrm2(int n, const T *x, i64 incx, T *result)                                        \
    {                                                                                                                  \
        SHARED static double sums[THREADS];                                                                            \
        const double sum = add_up(1, n, x, incx, sums);                                                                \
        if (!__nvvm_read_ptx_sreg_tid_x())                                                                             \
            put(result, (float)root(sum));                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##find(int is_smallest, int n, const T *x, i64 incx, int *result)                     \
    {                                                                                                                  \
        SHARED static float sizes[THREADS];                                                                            \
        SHARED static int places[THREADS];                                                                             \
        find(is_smallest, n, x, incx, result, sizes, places);                                                          \
    }

KERNELS(h, half)
KERNELS(b, bfloat)
