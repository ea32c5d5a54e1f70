/* Intrinsic functions of device code: single instructions, or what CUDA documents as a few. */
#ifndef WARPLENS_INTRINSICS_H
#define WARPLENS_INTRINSICS_H

#include "math.h"

/* ---- bits ---- */

__WL_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
__WL_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__WL_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__WL_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
__WL_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__WL_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
__WL_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__WL_DEVICE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
__WL_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    return (unsigned)__nvvm_prmt(x, y, selector);
}
__WL_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    unsigned result;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
__WL_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    unsigned result;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}

/* ---- whole numbers ---- */

__WL_DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
__WL_DEVICE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
__WL_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__WL_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return __nvvm_mulhi_ull(x, y);
}
__WL_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
__WL_DEVICE unsigned __umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
__WL_DEVICE unsigned __sad(int x, int y, unsigned z) { return z + (unsigned)(x < y ? y - x : x - y); }
__WL_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
__WL_DEVICE int __dp4a(int x, int y, int z)
{
    int result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}
__WL_DEVICE unsigned __dp4a(unsigned x, unsigned y, unsigned z)
{
    unsigned result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
    return result;
}

/* ---- arithmetic with a rounding mode ---- */

/* nvvm: what the mode is called in builtins */
#define __WL_ROUND(mode, nvvm)                                                              \
    __WL_DEVICE float __fadd_##mode(float x, float y) { return __nvvm_add_##nvvm##_f(x, y); } \
    __WL_DEVICE float __fsub_##mode(float x, float y) { return __nvvm_add_##nvvm##_f(x, -y); } \
    __WL_DEVICE float __fmul_##mode(float x, float y) { return __nvvm_mul_##nvvm##_f(x, y); } \
    __WL_DEVICE float __fdiv_##mode(float x, float y) { return __nvvm_div_##nvvm##_f(x, y); } \
    __WL_DEVICE float __frcp_##mode(float x) { return __nvvm_rcp_##nvvm##_f(x); }     \
    __WL_DEVICE float __fsqrt_##mode(float x) { return __nvvm_sqrt_##nvvm##_f(x); }   \
    __WL_DEVICE float __fmaf_##mode(float x, float y, float z)                        \
    {                                                                                 \
        return __nvvm_fma_##nvvm##_f(x, y, z);                                        \
    }                                                                                 \
    __WL_DEVICE double __dadd_##mode(double x, double y) { return __nvvm_add_##nvvm##_d(x, y); } \
    __WL_DEVICE double __dsub_##mode(double x, double y) { return __nvvm_add_##nvvm##_d(x, -y); } \
    __WL_DEVICE double __dmul_##mode(double x, double y) { return __nvvm_mul_##nvvm##_d(x, y); } \
    __WL_DEVICE double __ddiv_##mode(double x, double y) { return __nvvm_div_##nvvm##_d(x, y); } \
    __WL_DEVICE double __drcp_##mode(double x) { return __nvvm_rcp_##nvvm##_d(x); }   \
    __WL_DEVICE double __dsqrt_##mode(double x) { return __nvvm_sqrt_##nvvm##_d(x); } \
    __WL_DEVICE double __fma_##mode(double x, double y, double z)                     \
    {                                                                                 \
        return __nvvm_fma_##nvvm##_d(x, y, z);                                        \
    }                                                                                 \
    __WL_DEVICE int __float2int_##mode(float x) { return __nvvm_f2i_##nvvm(x); }      \
    __WL_DEVICE unsigned __float2uint_##mode(float x) { return __nvvm_f2ui_##nvvm(x); } \
    __WL_DEVICE long long __float2ll_##mode(float x) { return __nvvm_f2ll_##nvvm(x); } \
    __WL_DEVICE int __double2int_##mode(double x) { return __nvvm_d2i_##nvvm(x); }    \
    __WL_DEVICE unsigned __double2uint_##mode(double x) { return __nvvm_d2ui_##nvvm(x); } \
    __WL_DEVICE long long __double2ll_##mode(double x) { return __nvvm_d2ll_##nvvm(x); } \
    __WL_DEVICE float __double2float_##mode(double x) { return __nvvm_d2f_##nvvm(x); } \
    __WL_DEVICE float __int2float_##mode(int x) { return __nvvm_i2f_##nvvm(x); }      \
    __WL_DEVICE float __uint2float_##mode(unsigned x) { return __nvvm_ui2f_##nvvm(x); }
__WL_ROUND(rn, rn)
__WL_ROUND(rz, rz)
__WL_ROUND(ru, rp)
__WL_ROUND(rd, rm)
#undef __WL_ROUND
__WL_DEVICE double __int2double_rn(int x) { return x; }
__WL_DEVICE double __uint2double_rn(unsigned x) { return x; }

/* ---- fast and inexact ---- */

__WL_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
__WL_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
__WL_DEVICE float fdividef(float x, float y) { return x / y; }
__WL_DEVICE float __frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
__WL_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
__WL_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
__WL_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__WL_DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
__WL_DEVICE float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
__WL_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
__WL_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
__WL_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
__WL_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
__WL_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299956639812f; }
__WL_DEVICE float __powf(float x, float y)
{
    return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}

/* ---- the same bits as another type ---- */

__WL_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WL_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__WL_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WL_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__WL_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WL_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WL_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__WL_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
__WL_DEVICE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

#endif
