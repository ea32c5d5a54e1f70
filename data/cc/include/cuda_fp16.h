/* Half precision: the types and the usual functions. Device code computes in half precision, host
 * code converts to float and back. */
#ifndef WARPLENS_CUDA_FP16_H
#define WARPLENS_CUDA_FP16_H

#include "cuda_runtime.h"

#ifdef __cplusplus

/* ---- the bits of a float as those of a half, to the nearest, and back ---- */

__host__ inline unsigned short __wl_half_bits(float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    unsigned sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (unsigned short)0x7fff; /* not a number */
    if (magnitude >= 0x477ff000)
        return (unsigned short)(sign | 0x7c00); /* rounds to infinity */
    unsigned exponent = magnitude >> 23;
    if (exponent < 102)
        return (unsigned short)sign; /* rounds to 0 */
    unsigned significand = (magnitude & 0x7fffff) | 0x800000;
    unsigned shift = exponent < 113 ? 126 - exponent : 13;
    unsigned kept = significand >> shift, rest = significand & ((1u << shift) - 1);
    unsigned middle = 1u << (shift - 1);
    kept += rest > middle || (rest == middle && (kept & 1));
    unsigned base = exponent < 113 ? 0 : (exponent - 113) << 10;
    return (unsigned short)(sign | (base + kept));
}
__host__ inline float __wl_half_value(unsigned short half)
{
    unsigned sign = (unsigned)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00)
        return __builtin_bit_cast(float, sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    float value = magnitude < 0x400
                      ? (float)magnitude * 0x1p-24f
                      : __builtin_bit_cast(float, (magnitude << 13) + (112u << 23));
    return sign ? -value : value;
}
#ifdef __CUDA__
__WL_DEVICE unsigned short __wl_half_bits(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
__WL_DEVICE float __wl_half_value(unsigned short half)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}
#endif

/* ---- types ---- */

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __WL_BOTH __half(float value) : __x(__wl_half_bits(value)) {}
    __WL_BOTH __half(double value) : __x(__wl_half_bits((float)value)) {}
    __WL_BOTH __half(int value) : __x(__wl_half_bits((float)value)) {}
    __WL_BOTH __half(unsigned value) : __x(__wl_half_bits((float)value)) {}
    __WL_BOTH operator float() const { return __wl_half_value(__x); }
    __WL_BOTH __half &operator=(float value)
    {
        __x = __wl_half_bits(value);
        return *this;
    }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __WL_BOTH __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half half;
typedef __half2 half2;
struct __half_raw {
    unsigned short x;
};

/* ---- conversions ---- */

__WL_BOTH unsigned short __half_as_ushort(__half x) { return x.__x; }
__WL_BOTH __half __ushort_as_half(unsigned short bits)
{
    __half x;
    x.__x = bits;
    return x;
}
__WL_BOTH __half __float2half(float x) { return __half(x); }
__WL_BOTH __half __float2half_rn(float x) { return __half(x); }
__WL_BOTH __half __double2half(double x) { return __half((float)x); }
__WL_BOTH __half __int2half_rn(int x) { return __half(x); }
__WL_BOTH __half __uint2half_rn(unsigned x) { return __half(x); }
__WL_BOTH float __half2float(__half x) { return __wl_half_value(x.__x); }
__WL_BOTH int __half2int_rz(__half x) { return (int)__wl_half_value(x.__x); }
__WL_BOTH __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__WL_BOTH __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__WL_BOTH __half2 __half2half2(__half x) { return __half2(x, x); }
__WL_BOTH __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
__WL_BOTH __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
__WL_BOTH __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
__WL_BOTH __half __low2half(__half2 v) { return v.x; }
__WL_BOTH __half __high2half(__half2 v) { return v.y; }
__WL_BOTH float __low2float(__half2 v) { return __half2float(v.x); }
__WL_BOTH float __high2float(__half2 v) { return __half2float(v.y); }
__WL_BOTH float2 __half22float2(__half2 v) { return float2{__half2float(v.x), __half2float(v.y)}; }
__WL_BOTH __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

/* ---- arithmetic ---- */

__host__ inline __half __hadd(__half x, __half y) { return (float)x + (float)y; }
__host__ inline __half __hsub(__half x, __half y) { return (float)x - (float)y; }
__host__ inline __half __hmul(__half x, __half y) { return (float)x * (float)y; }
__host__ inline __half __hfma(__half x, __half y, __half z)
{
    return __half((double)(float)x * (float)y + (float)z);
}
#ifdef __CUDA__
#define __WL_HALF(name, instruction)                                                      \
    __WL_DEVICE __half name(__half x, __half y)                                           \
    {                                                                                     \
        unsigned short bits;                                                              \
        asm(instruction ".f16 %0, %1, %2;" : "=h"(bits) : "h"(x.__x), "h"(y.__x));        \
        return __ushort_as_half(bits);                                                    \
    }                                                                                     \
    __WL_DEVICE __half2 name##2(__half2 x, __half2 y)                                     \
    {                                                                                     \
        unsigned bits;                                                                    \
        asm(instruction ".f16x2 %0, %1, %2;"                                              \
            : "=r"(bits)                                                                  \
            : "r"(__builtin_bit_cast(unsigned, x)), "r"(__builtin_bit_cast(unsigned, y))); \
        return __builtin_bit_cast(__half2, bits);                                         \
    }
__WL_HALF(__hadd, "add.rn")
__WL_HALF(__hsub, "sub.rn")
__WL_HALF(__hmul, "mul.rn")
#undef __WL_HALF
__WL_DEVICE __half __hfma(__half x, __half y, __half z)
{
    unsigned short bits;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(bits) : "h"(x.__x), "h"(y.__x), "h"(z.__x));
    return __ushort_as_half(bits);
}
__WL_DEVICE __half2 __hfma2(__half2 x, __half2 y, __half2 z)
{
    unsigned bits;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(bits)
        : "r"(__builtin_bit_cast(unsigned, x)), "r"(__builtin_bit_cast(unsigned, y)),
          "r"(__builtin_bit_cast(unsigned, z)));
    return __builtin_bit_cast(__half2, bits);
}
__WL_DEVICE __half2 operator+(__half2 x, __half2 y) { return __hadd2(x, y); }
__WL_DEVICE __half2 operator-(__half2 x, __half2 y) { return __hsub2(x, y); }
__WL_DEVICE __half2 operator*(__half2 x, __half2 y) { return __hmul2(x, y); }
__WL_DEVICE __half __shfl_down_sync(unsigned mask, __half x, unsigned by, int width = warpSize)
{
    return __ushort_as_half((unsigned short)__shfl_down_sync(mask, (unsigned)x.__x, by, width));
}
__WL_DEVICE __half __shfl_xor_sync(unsigned mask, __half x, int lanes, int width = warpSize)
{
    return __ushort_as_half((unsigned short)__shfl_xor_sync(mask, (unsigned)x.__x, lanes, width));
}
__WL_DEVICE __half __shfl_sync(unsigned mask, __half x, int from, int width = warpSize)
{
    return __ushort_as_half((unsigned short)__shfl_sync(mask, (unsigned)x.__x, from, width));
}
__WL_DEVICE __half __ldg(const __half *address)
{
    return __ushort_as_half(__ldg((const unsigned short *)address));
}
__WL_DEVICE __half2 __ldg(const __half2 *address)
{
    return __builtin_bit_cast(__half2, __ldg((const unsigned *)address));
}
#endif
__WL_BOTH __half __hdiv(__half x, __half y) { return __half((float)x / (float)y); }
__WL_BOTH __half __hneg(__half x) { return __ushort_as_half((unsigned short)(x.__x ^ 0x8000)); }
__WL_BOTH __half __habs(__half x) { return __ushort_as_half((unsigned short)(x.__x & 0x7fff)); }
__WL_BOTH __half2 __hneg2(__half2 v) { return __half2(__hneg(v.x), __hneg(v.y)); }
__WL_BOTH __half2 __habs2(__half2 v) { return __half2(__habs(v.x), __habs(v.y)); }

__WL_BOTH __half operator+(__half x, __half y) { return __hadd(x, y); }
__WL_BOTH __half operator-(__half x, __half y) { return __hsub(x, y); }
__WL_BOTH __half operator*(__half x, __half y) { return __hmul(x, y); }
__WL_BOTH __half operator/(__half x, __half y) { return __hdiv(x, y); }
__WL_BOTH __half operator-(__half x) { return __hneg(x); }
__WL_BOTH __half &operator+=(__half &x, __half y) { return x = __hadd(x, y); }
__WL_BOTH __half &operator-=(__half &x, __half y) { return x = __hsub(x, y); }
__WL_BOTH __half &operator*=(__half &x, __half y) { return x = __hmul(x, y); }
__WL_BOTH __half &operator/=(__half &x, __half y) { return x = __hdiv(x, y); }

/* ---- comparisons and functions, through float: exact, or rounded once more ---- */

#define __WL_HALF(name, symbol)                                                           \
    __WL_BOTH bool name(__half x, __half y) { return (float)x symbol(float) y; }          \
    __WL_BOTH bool operator symbol(__half x, __half y) { return (float)x symbol(float) y; }
__WL_HALF(__heq, ==)
__WL_HALF(__hne, !=)
__WL_HALF(__hlt, <)
__WL_HALF(__hle, <=)
__WL_HALF(__hgt, >)
__WL_HALF(__hge, >=)
#undef __WL_HALF
__WL_BOTH bool __hisnan(__half x) { return (x.__x & 0x7fff) > 0x7c00; }
__WL_BOTH __half __hmin(__half x, __half y) { return __hisnan(x) || y < x ? y : x; }
__WL_BOTH __half __hmax(__half x, __half y) { return __hisnan(x) || x < y ? y : x; }
#ifdef __CUDA__
#define __WL_HALF(name, function)                                                         \
    __WL_DEVICE __half h##name(__half x) { return __half(function((float)x)); }           \
    __WL_DEVICE __half2 h2##name(__half2 v)                                               \
    {                                                                                     \
        return __half2(__half(function((float)v.x)), __half(function((float)v.y)));       \
    }
__WL_HALF(sqrt, sqrtf)
__WL_HALF(rsqrt, rsqrtf)
__WL_HALF(rcp, 1 / )
__WL_HALF(exp, expf)
__WL_HALF(exp2, exp2f)
__WL_HALF(log, logf)
__WL_HALF(log2, log2f)
__WL_HALF(sin, sinf)
__WL_HALF(cos, cosf)
__WL_HALF(floor, floorf)
__WL_HALF(ceil, ceilf)
__WL_HALF(trunc, truncf)
__WL_HALF(rint, rintf)
#undef __WL_HALF
#endif
#endif

#endif
