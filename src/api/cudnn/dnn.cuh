/* What the kernels of the stand-in for cuDNN share: kinds of numbers. */
#ifndef WL_API_CUDNN_DNN_CUH
#define WL_API_CUDNN_DNN_CUH

#include "../common/complex.cuh"
#include "../common/half.cuh"
#include "kernels.h"

/* KINDS(X): X(suffix, type of elements, type of sums). */
#define KINDS(X) X(f, float, float) X(d, double, double) X(h, half, float) X(b, bfloat, float)

DEVICE float number(half x)
{
    return widen(x);
}

DEVICE float number(bfloat x)
{
    return widen(x);
}

DEVICE float number(float x)
{
    return x;
}

DEVICE double number(double x)
{
    return x;
}

DEVICE void assign(float &to, float x)
{
    to = x;
}

DEVICE void assign(double &to, double x)
{
    to = x;
}

/* To the nearest, ties to even. */
DEVICE void assign(half &to, float x)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}

DEVICE void assign(bfloat &to, float x)
{
    unsigned bits = __builtin_bit_cast(unsigned, x);
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    to.bits = is_nan ? 0x7fff : (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* to = alpha * result + beta * to. Where beta is 0 what is there may never have been written, and is not read. */
template <typename T, typename Sum> DEVICE void blend(T *to, Sum alpha, Sum result, Sum beta)
{
    result *= alpha;
    if (beta != 0) {
        asm volatile("" ::: "memory"); /* or the value is loaded before the factor is looked at */
        result += beta * number(*to);
    }
    assign(*to, result);
}

#endif
