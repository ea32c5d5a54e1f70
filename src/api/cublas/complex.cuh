/* Matrices of complex numbers of kernels. */
#ifndef WL_API_CUBLAS_COMPLEX_CUH
#define WL_API_CUBLAS_COMPLEX_CUH

#include "../common/complex.cuh"

/* About 1 / x of an x that is not negative, as a power of two. */
DEVICE float reciprocal_power(float x)
{
    const unsigned exponent = __builtin_bit_cast(unsigned, x) >> 23;
    return __builtin_bit_cast(float, (exponent < 253 ? 254 - exponent : 1) << 23);
}

DEVICE double reciprocal_power(double x)
{
    const unsigned long long exponent = __builtin_bit_cast(unsigned long long, x) >> 52;
    return __builtin_bit_cast(double, (exponent < 2045 ? 2046 - exponent : 1) << 52);
}

/* a / b, where the square of b's size need not be a number that there is: b is scaled, which rounds nothing. */
template <typename T> DEVICE complex<T> quotient(complex<T> a, complex<T> b)
{
    const T real = b.real < 0 ? -b.real : b.real, imaginary = b.imaginary < 0 ? -b.imaginary : b.imaginary;
    const T scale = reciprocal_power(real > imaginary ? real : imaginary);
    return scale * (a / (scale * b));
}

template <typename T> DEVICE T quotient(T a, T b)
{
    return a / b;
}

/* Matrices of a batch: list[i], or stride elements apart. Element (row, column) lies at row * row_step + column *
 * column_step. */
template <typename T> struct matrices {
    complex<T> *const *list;
    complex<T> *base;
    i64 stride, row_step, column_step;
    int is_conjugate;
    DEVICE complex<T> *of(int number) const
    {
        return list ? list[number] : base + number * stride;
    }
    DEVICE i64 place(i64 row, i64 column) const
    {
        return row * row_step + column * column_step;
    }
    DEVICE complex<T> get(const complex<T> *from, i64 row, i64 column) const
    {
        return conjugate(from[place(row, column)], is_conjugate);
    }
};

/* Element (row, column) of a matrix, of its transposed if op is 1, of its conjugate transposed if op is 2. */
template <typename T> DEVICE complex<T> element(const complex<T> *a, int lda, int op, int row, int column)
{
    return conjugate(op ? a[column + (i64)row * lda] : a[row + (i64)column * lda], op == 2);
}

#endif
