/* Numbers of narrow formats of kernels, which define DEVICE. */
#ifndef WL_API_CUBLAS_NARROW_CUH
#define WL_API_CUBLAS_NARROW_CUH

#include "../common/half.cuh"

DEVICE float value(half x)
{
    return widen(x);
}
DEVICE float value(bfloat x)
{
    return widen(x);
}
DEVICE float value(float x)
{
    return x;
}
DEVICE int value(signed char x)
{
    return x;
}

DEVICE int value(int x)
{
    return x;
}

DEVICE void put(half *to, float x)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}
/* To the nearest, ties to even. */
DEVICE void put(bfloat *to, float x)
{
    unsigned bits = __builtin_bit_cast(unsigned, x);
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    to->bits = is_nan ? 0x7fff : (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
DEVICE void put(float *to, float x)
{
    *to = x;
}
DEVICE void put(int *to, int x)
{
    *to = x;
}

#endif
