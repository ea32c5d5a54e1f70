/* Complex numbers of kernels, matrices of them, and how a grid's threads share elements. */
#ifndef WL_API_CUBLAS_COMPLEX_CUH
#define WL_API_CUBLAS_COMPLEX_CUH

#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef long long i64;
constexpr int THREADS = 256;

template <typename T> struct alignas(2 * sizeof(T)) complex {
    T real, imaginary;
};

template <typename T> DEVICE complex<T> operator+(complex<T> a, complex<T> b)
{
    return {a.real + b.real, a.imaginary + b.imaginary};
}

template <typename T> DEVICE complex<T> operator-(complex<T> a, complex<T> b)
{
    return {a.real - b.real, a.imaginary - b.imaginary};
}

template <typename T> DEVICE complex<T> operator*(complex<T> a, complex<T> b)
{
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

template <typename T> DEVICE complex<T> operator/(complex<T> a, complex<T> b)
{
    const T size = b.real * b.real + b.imaginary * b.imaginary;
    return {(a.real * b.real + a.imaginary * b.imaginary) / size, (a.imaginary * b.real - a.real * b.imaginary) / size};
}

template <typename T> DEVICE bool is_zero(complex<T> a)
{
    return a.real == 0 && a.imaginary == 0;
}

template <typename T> DEVICE complex<T> conjugate(complex<T> a, int is_conjugate)
{
    return {a.real, is_conjugate ? -a.imaginary : a.imaginary};
}

template <typename T> DEVICE T size(complex<T> a)
{
    return (a.real < 0 ? -a.real : a.real) + (a.imaginary < 0 ? -a.imaginary : a.imaginary);
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

DEVICE i64 first()
{
    return (i64)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE i64 step()
{
    return (i64)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

template <typename T> DEVICE T square(complex<T> a)
{
    return a.real * a.real + a.imaginary * a.imaginary;
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
