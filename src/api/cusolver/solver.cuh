/* What kernels of real and of complex matrices have in common. */
#ifndef WL_API_CUSOLVER_SOLVER_CUH
#define WL_API_CUSOLVER_SOLVER_CUH

#include "../common/complex.cuh"
#include "solver.h"

static_assert(THREADS == WL_SOLVER_THREADS, "as the host launches them");

/* What real and complex numbers have in common. */
template <typename T> struct parts {
    typedef T real;
    static DEVICE T of(T real)
    {
        return real;
    }
};

template <typename T> struct parts<complex<T>> {
    typedef T real;
    static DEVICE complex<T> of(T real)
    {
        return {real, 0};
    }
};

template <typename T> using real_of = typename parts<T>::real;

template <typename T> DEVICE T size(T value)
{
    return value < 0 ? -value : value;
}

template <typename T> DEVICE bool is_zero(T value)
{
    return value == 0;
}

template <typename T> DEVICE T conjugate(T value)
{
    return value;
}

template <typename T> DEVICE complex<T> conjugate(complex<T> value)
{
    return {value.real, -value.imaginary};
}

template <typename T> DEVICE T real_part(T value)
{
    return value;
}

template <typename T> DEVICE T real_part(complex<T> value)
{
    return value.real;
}

template <typename T> DEVICE T square(T value)
{
    return value * value;
}

template <typename T> DEVICE T conjugate_if(T value, int is_conjugate)
{
    return is_conjugate ? conjugate(value) : value;
}

template <typename T> DEVICE T get(const wl_solver_matrix &a, i64 row, i64 column)
{
    return conjugate_if(((const T *)a.values)[row * a.row_step + column * a.column_step], a.is_conjugate);
}

template <typename T> DEVICE void put(const wl_solver_matrix &a, i64 row, i64 column, T value)
{
    ((T *)a.values)[row * a.row_step + column * a.column_step] = conjugate_if(value, a.is_conjugate);
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

template <typename T> DEVICE T larger(T a, T b)
{
    return b > a ? b : a;
}

/* The largest of all threads' values, which are not below 0. */
template <typename T> DEVICE T largest_of_block(T value, T *values)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    __syncthreads(); /* as above */
    values[thread] = value;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            values[thread] = larger(values[thread], values[thread + half]);
    }
    __syncthreads();
    return values[0];
}

/* The power of 2 that brings a number, not below 0, between 1 and 2, or of one that is hardly in range close to that,
 * so that squares are numbers; 1 of 0 and of what is no finite number. */
DEVICE float scale_of(float largest)
{
    const unsigned exponent = __builtin_bit_cast(unsigned, largest) >> 23;
    if (largest == 0 || exponent == 255)
        return 1;
    return __builtin_bit_cast(float, (254 - (exponent < 1 ? 1 : exponent > 253 ? 253 : exponent)) << 23);
}

DEVICE double scale_of(double largest)
{
    const i64 exponent = __builtin_bit_cast(i64, largest) >> 52;
    if (largest == 0 || exponent == 2047)
        return 1;
    return __builtin_bit_cast(double, (2046 - (exponent < 1 ? 1 : exponent > 2045 ? 2045 : exponent)) << 52);
}

/* a / b, whatever b's square is. */
template <typename T> DEVICE T quotient(T a, T b)
{
    return a / b;
}

template <typename T> DEVICE complex<T> quotient(complex<T> a, complex<T> b)
{
    const T scale = scale_of(larger(size(b.real), size(b.imaginary)));
    return scale * a / (scale * b);
}

/* Pivots are of 32 or 64 bits. */
DEVICE i64 pivot_at(const void *pivots, int is_wide, i64 place)
{
    return is_wide ? ((const i64 *)pivots)[place] : ((const int *)pivots)[place];
}

DEVICE void put_pivot(void *pivots, int is_wide, i64 place, i64 value)
{
    if (is_wide)
        ((i64 *)pivots)[place] = value;
    else
        ((int *)pivots)[place] = (int)value;
}

/* How a reflection takes head, with squares below it, to beta: its factor. */
template <typename T> DEVICE T factor_of(T head, T squares, T beta)
{
    return squares == 0 ? 0 : (beta - head) / beta;
}

template <typename T> DEVICE complex<T> factor_of(complex<T> head, T squares, T beta)
{
    if (squares == 0 && head.imaginary == 0)
        return {0, 0};
    return {(beta - head.real) / beta, -head.imaginary / beta};
}

#endif
