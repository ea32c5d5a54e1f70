/* Kernels behind cuBLAS's calls that rotate vectors in planes. Plain ones: what they count is what such a call does at
 * least, not how cuBLAS does it.
 *
 * rotation.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "../common/complex.cuh"

template <typename T> DEVICE T conjugate(T value)
{
    return value;
}

template <typename T> DEVICE complex<T> conjugate(complex<T> value)
{
    return {value.real, -value.imaginary};
}

/* x = c x + s y, y = c y - s' x; R: real numbers. */
template <typename T, typename R> DEVICE void rotate(int n, T *x, i64 incx, T *y, i64 incy, R c, T s)
{
    for (i64 i = first(); i < n; i += step()) {
        const T a = x[i * incx], b = y[i * incy];
        x[i * incx] = c * a + s * b;
        y[i * incy] = c * b - conjugate(s) * a;
    }
}

/* Of a matrix by columns, as rotmg makes it. */
template <typename T> struct plane {
    T xx, yx, xy, yy;
};

template <typename T> DEVICE void turn(int n, T *x, i64 incx, T *y, i64 incy, plane<T> by)
{
    for (i64 i = first(); i < n; i += step()) {
        const T a = x[i * incx], b = y[i * incy];
        x[i * incx] = by.xx * a + by.xy * b;
        y[i * incy] = by.yx * a + by.yy * b;
    }
}

#define ROTATE(letter, T, R)                                                                                           \
    GLOBAL void warplens_##letter##rotate(int n, T *x, i64 incx, T *y, i64 incy, R c, T s)                             \
    {                                                                                                                  \
        rotate(n, x, incx, y, incy, c, s);                                                                             \
    }

#define TURN(letter, T)                                                                                                \
    GLOBAL void warplens_##letter##turn(int n, T *x, i64 incx, T *y, i64 incy, plane<T> by)                            \
    {                                                                                                                  \
        turn(n, x, incx, y, incy, by);                                                                                 \
    }

ROTATE(s, float, float)
ROTATE(d, double, double)
ROTATE(c, complex<float>, float)
ROTATE(z, complex<double>, double)
TURN(s, float)
TURN(d, double)
