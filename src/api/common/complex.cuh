/* Complex numbers of stand-ins' kernels, and how a grid's threads share elements. */
#ifndef WL_API_COMMON_COMPLEX_CUH
#define WL_API_COMMON_COMPLEX_CUH

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

template <typename T> DEVICE complex<T> operator*(T a, complex<T> b)
{
    return {a * b.real, a * b.imaginary};
}

template <typename T> DEVICE complex<T> operator/(complex<T> a, T b)
{
    return {a.real / b, a.imaginary / b};
}

template <typename T> DEVICE void operator+=(complex<T> &a, complex<T> b)
{
    a = a + b;
}

template <typename T> DEVICE void operator-=(complex<T> &a, complex<T> b)
{
    a = a - b;
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

#endif
