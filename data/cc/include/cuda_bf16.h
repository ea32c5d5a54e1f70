/* bfloat16: the upper half of a float. Arithmetic is that of float, rounded. */
#ifndef WARPLENS_CUDA_BF16_H
#define WARPLENS_CUDA_BF16_H

#include "cuda_runtime.h"

#ifdef __cplusplus

/* To the nearest, ties to even. */
__WL_BOTH unsigned short __wl_bfloat16_bits(float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff; /* not a number */
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
__WL_BOTH float __wl_bfloat16_value(unsigned short bits)
{
    return __builtin_bit_cast(float, (unsigned)bits << 16);
}

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __WL_BOTH __nv_bfloat16(float value) : __x(__wl_bfloat16_bits(value)) {}
    __WL_BOTH __nv_bfloat16(double value) : __x(__wl_bfloat16_bits((float)value)) {}
    __WL_BOTH __nv_bfloat16(int value) : __x(__wl_bfloat16_bits((float)value)) {}
    __WL_BOTH operator float() const { return __wl_bfloat16_value(__x); }
    __WL_BOTH __nv_bfloat16 &operator=(float value)
    {
        __x = __wl_bfloat16_bits(value);
        return *this;
    }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __WL_BOTH __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
struct __nv_bfloat16_raw {
    unsigned short x;
};

__WL_BOTH __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
__WL_BOTH __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
__WL_BOTH float __bfloat162float(__nv_bfloat16 x) { return __wl_bfloat16_value(x.__x); }
__WL_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
__WL_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    __nv_bfloat16 x;
    x.__x = bits;
    return x;
}
__WL_BOTH __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
__WL_BOTH float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return float2{__bfloat162float(v.x), __bfloat162float(v.y)};
}

#endif
#endif
