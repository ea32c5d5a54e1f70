/* More functions in double precision, to some units in the last place, beside those of functions.cuh. */
#ifndef WL_API_CUDNN_ELEMENTARY_CUH
#define WL_API_CUDNN_ELEMENTARY_CUH

#include "functions.cuh"

#define INFINITE __builtin_huge_val()

DEVICE double round_even(double x)
{
    double result;
    asm("cvt.rni.f64.f64 %0, %1;" : "=d"(result) : "d"(x));
    return result;
}

DEVICE double toward_zero(double x)
{
    double result;
    asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(result) : "d"(x));
    return result;
}

DEVICE double floor_of(double x)
{
    double result;
    asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(result) : "d"(x));
    return result;
}

DEVICE double magnitude(double x)
{
    return __builtin_fabs(x);
}

/* exp(r) - 1 for |r| < 0.5. */
DEVICE double exponential_near(double r)
{
    double sum = 0;
    for (int n = 16; n >= 1; n--)
        sum = (sum + 1) * r / n;
    return sum;
}

/* exp(x) - 1. */
DEVICE double exponential_less_one(double x)
{
    return magnitude(x) < 0.4 ? exponential_near(x) : exponential(x) - 1;
}

/* log(1 + x) for x >= 0. */
DEVICE double logarithm_one_more(double x)
{
    double sum = 1 + x;
    return sum == INFINITE ? sum : logarithm(sum) + (x - (sum - 1)) / sum;
}

/* The sine of x + quarters * pi / 2. */
DEVICE double sine(double x, int quarters)
{
    double k = round_even(x * 0.63661977236758134308);
    double r = __builtin_fma(-k, 1.5707963267948966, x);
    r = __builtin_fma(-k, 6.123233995736766e-17, r);
    int q = (int)((long long)k + quarters & 3);
    double square = r * r, odd = 0, even = 0;
    for (int n = 20; n >= 2; n -= 2) {
        even = -(1 + even) * square / ((n - 1) * n);
        odd = -(1 + odd) * square / (n * (n + 1));
    }
    double result = q & 1 ? 1 + even : r * (1 + odd);
    return q & 2 ? -result : result;
}

DEVICE double error_function(double x)
{
    double a = magnitude(x), square = x * x;
    if (a > 6)
        return x > 0 ? 1 : -1;
    if (a < 2.5) {
        double sum = 0;
        for (int n = 60; n >= 1; n--)
            sum = (1 + sum) * 2 * square / (2 * n + 1);
        return 1.1283791670955126 * x * (1 + sum) * exponential(-square);
    }
    double part = a;
    for (int n = 60; n >= 1; n--)
        part = a + n * 0.5 / part;
    double rest = exponential(-square) * 0.5641895835477563 / part;
    return x > 0 ? 1 - rest : rest - 1;
}

DEVICE double arc_tangent(double x)
{
    double a = magnitude(x), t = a > 1 ? 1 / a : a;
    t = t / (1 + root(1 + t * t));
    t = t / (1 + root(1 + t * t));
    double square = t * t, sum = 0;
    for (int n = 25; n >= 3; n -= 2)
        sum = (1.0 / n - sum) * square;
    double angle = 4 * t * (1 - sum);
    angle = a > 1 ? 1.5707963267948966 - angle : angle;
    return x < 0 ? -angle : angle;
}

DEVICE double arc_tangent(double y, double x)
{
    double pi = 3.14159265358979323846;
    if (x == 0 && y == 0)
        return __builtin_signbit(x) ? __builtin_copysign(pi, y) : y;
    if (magnitude(x) == INFINITE && magnitude(y) == INFINITE)
        return __builtin_copysign(x > 0 ? pi / 4 : 3 * pi / 4, y);
    if (x > 0)
        return arc_tangent(y / x);
    if (x == 0)
        return y > 0 ? pi / 2 : -pi / 2;
    return arc_tangent(y / x) + (__builtin_signbit(y) ? -pi : pi);
}

/* x^y. */
DEVICE double raise(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    bool is_whole = toward_zero(y) == y, is_odd = is_whole && toward_zero(y * 0.5) * 2 != y;
    if (x == 0)
        return y > 0 ? (is_odd ? x : 0) : INFINITE;
    if (x < 0 && !is_whole)
        return __builtin_nan("");
    double result = exponential(y * logarithm(magnitude(x)));
    return x < 0 && is_odd ? -result : result;
}

#endif
