/* Mathematical functions of device code. What PTX has as instructions becomes that; the rest is a
 * call that the simulated GPU answers with the C library of this machine, and that costs no modelled
 * instructions (the report says so). To be included before <cmath>, whose constexpr functions then
 * stay on the host. */
#ifndef WARPLENS_MATH_H
#define WARPLENS_MATH_H

#include "attributes.h"

/* ---- calls ---- */

/* -use_fast_math, before clang 18 and since */
#if defined(__CLANG_CUDA_APPROX_TRANSCENDENTALS__) || defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define __WL_EITHER(exact, fast) fast
#else
#define __WL_EITHER(exact, fast) exact
#endif

#define __WL_MATH1(name) __WL_MATH1_OR(name, __wl_##name##f(x))
#define __WL_MATH1_OR(name, fast)                                                     \
    extern "C" __device__ __attribute__((const, nothrow)) double __wl_##name(double)  \
        __asm__(#name);                                                               \
    extern "C" __device__ __attribute__((const, nothrow)) float __wl_##name##f(float) \
        __asm__(#name "f");                                                           \
    __WL_DEVICE double name(double x) { return __wl_##name(x); }                      \
    __WL_DEVICE float name##f(float x) { return __WL_EITHER(__wl_##name##f(x), fast); } \
    __WL_DEVICE float name(float x) { return name##f(x); }                            \
    namespace std {                                                                   \
    using ::name;                                                                     \
    }
#define __WL_MATH2(name) __WL_MATH2_OR(name, __wl_##name##f(x, y))
#define __WL_MATH2_OR(name, fast)                                                     \
    extern "C" __device__ __attribute__((const, nothrow)) double                      \
    __wl_##name(double, double) __asm__(#name);                                       \
    extern "C" __device__ __attribute__((const, nothrow)) float                       \
    __wl_##name##f(float, float) __asm__(#name "f");                                  \
    __WL_DEVICE double name(double x, double y) { return __wl_##name(x, y); }         \
    __WL_DEVICE float name##f(float x, float y)                                       \
    {                                                                                 \
        return __WL_EITHER(__wl_##name##f(x, y), fast);                               \
    }                                                                                 \
    __WL_DEVICE float name(float x, float y) { return name##f(x, y); }                \
    namespace std {                                                                   \
    using ::name;                                                                     \
    }

__WL_MATH1_OR(sin, __nvvm_sin_approx_f(x))
__WL_MATH1_OR(cos, __nvvm_cos_approx_f(x))
__WL_MATH1_OR(tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
__WL_MATH1(asin)
__WL_MATH1(acos)
__WL_MATH1(atan)
__WL_MATH1(sinh)
__WL_MATH1(cosh)
__WL_MATH1(tanh)
__WL_MATH1_OR(exp, __nvvm_ex2_approx_f(x * 1.4426950408889634f))
__WL_MATH1_OR(exp2, __nvvm_ex2_approx_f(x))
__WL_MATH1(expm1)
__WL_MATH1_OR(log, __nvvm_lg2_approx_f(x) * 0.6931471805599453f)
__WL_MATH1_OR(log2, __nvvm_lg2_approx_f(x))
__WL_MATH1_OR(log10, __nvvm_lg2_approx_f(x) * 0.3010299956639812f)
__WL_MATH1(log1p)
__WL_MATH1(cbrt)
__WL_MATH1(erf)
__WL_MATH1(erfc)
__WL_MATH1(tgamma)
__WL_MATH1(lgamma)
__WL_MATH1(round)
__WL_MATH2_OR(pow, __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)))
__WL_MATH2(atan2)
__WL_MATH2(fmod)
__WL_MATH2(hypot)
__WL_MATH2(fdim)
#undef __WL_MATH1
#undef __WL_MATH1_OR
#undef __WL_MATH2
#undef __WL_MATH2_OR
#undef __WL_EITHER

/* ---- instructions ---- */

#define __WL_MATH1(name, of_double, of_float)                                         \
    __WL_DEVICE double name(double x) { return of_double; }                           \
    __WL_DEVICE float name##f(float x) { return of_float; }                           \
    __WL_DEVICE float name(float x) { return of_float; }                              \
    namespace std {                                                                   \
    using ::name;                                                                     \
    }
#define __WL_MATH2(name, of_double, of_float)                                         \
    __WL_DEVICE double name(double x, double y) { return of_double; }                 \
    __WL_DEVICE float name##f(float x, float y) { return of_float; }                  \
    __WL_DEVICE float name(float x, float y) { return of_float; }                     \
    namespace std {                                                                   \
    using ::name;                                                                     \
    }
__WL_MATH1(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
__WL_MATH1(fabs, __builtin_fabs(x), __builtin_fabsf(x))
__WL_MATH1(floor, __builtin_floor(x), __builtin_floorf(x))
__WL_MATH1(ceil, __builtin_ceil(x), __builtin_ceilf(x))
__WL_MATH1(trunc, __builtin_trunc(x), __builtin_truncf(x))
__WL_MATH1(rint, __builtin_rint(x), __builtin_rintf(x))
__WL_MATH1(nearbyint, __builtin_rint(x), __builtin_rintf(x))
__WL_MATH2(fmin, __nvvm_fmin_d(x, y), __nvvm_fmin_f(x, y))
__WL_MATH2(fmax, __nvvm_fmax_d(x, y), __nvvm_fmax_f(x, y))
__WL_MATH2(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
#undef __WL_MATH1
#undef __WL_MATH2

__WL_DEVICE double fma(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
__WL_DEVICE float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
__WL_DEVICE float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
__WL_DEVICE int abs(int x) { return x < 0 ? -x : x; }
__WL_DEVICE long abs(long x) { return x < 0 ? -x : x; }
__WL_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
__WL_DEVICE float abs(float x) { return __builtin_fabsf(x); }
__WL_DEVICE double abs(double x) { return __builtin_fabs(x); }
__WL_DEVICE long labs(long x) { return x < 0 ? -x : x; }
__WL_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
__WL_DEVICE float pow(float x, int y) { return powf(x, (float)y); }
__WL_DEVICE double pow(double x, int y) { return pow(x, (double)y); }
namespace std {
using ::abs;
using ::fma;
}

/* ---- functions that only CUDA has ---- */

__WL_DEVICE double rsqrt(double x) { return 1 / __nvvm_sqrt_rn_d(x); }
__WL_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
__WL_DEVICE float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
__WL_DEVICE double rcbrt(double x) { return 1 / cbrt(x); }
__WL_DEVICE float rcbrtf(float x) { return 1 / cbrtf(x); }
__WL_DEVICE double exp10(double x) { return pow(10.0, x); }
__WL_DEVICE float exp10f(float x) { return powf(10.0f, x); }
__WL_DEVICE double sinpi(double x) { return sin(3.14159265358979323846 * x); }
__WL_DEVICE float sinpif(float x) { return (float)sin(3.14159265358979323846 * x); }
__WL_DEVICE double cospi(double x) { return cos(3.14159265358979323846 * x); }
__WL_DEVICE float cospif(float x) { return (float)cos(3.14159265358979323846 * x); }
__WL_DEVICE void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
__WL_DEVICE void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}

/* least and greatest: in host code, too */
#define __WL_LIMITS(type)                                                             \
    __WL_BOTH type min(type a, type b) { return b < a ? b : a; }                      \
    __WL_BOTH type max(type a, type b) { return a < b ? b : a; }
#define __WL_MIXED_LIMITS(one, other, type)                                           \
    __WL_BOTH type min(one a, other b) { return min((type)a, (type)b); }              \
    __WL_BOTH type min(other a, one b) { return min((type)a, (type)b); }              \
    __WL_BOTH type max(one a, other b) { return max((type)a, (type)b); }              \
    __WL_BOTH type max(other a, one b) { return max((type)a, (type)b); }
__WL_LIMITS(int)
__WL_LIMITS(unsigned)
__WL_LIMITS(long)
__WL_LIMITS(unsigned long)
__WL_LIMITS(long long)
__WL_LIMITS(unsigned long long)
__WL_MIXED_LIMITS(int, unsigned, unsigned)
__WL_MIXED_LIMITS(long, unsigned long, unsigned long)
__WL_MIXED_LIMITS(long long, unsigned long long, unsigned long long)
#undef __WL_LIMITS
#undef __WL_MIXED_LIMITS
__WL_DEVICE float min(float a, float b) { return __nvvm_fmin_f(a, b); }
__WL_DEVICE float max(float a, float b) { return __nvvm_fmax_f(a, b); }
__WL_DEVICE double min(double a, double b) { return __nvvm_fmin_d(a, b); }
__WL_DEVICE double max(double a, double b) { return __nvvm_fmax_d(a, b); }
__WL_DEVICE double min(float a, double b) { return __nvvm_fmin_d(a, b); }
__WL_DEVICE double min(double a, float b) { return __nvvm_fmin_d(a, b); }
__WL_DEVICE double max(float a, double b) { return __nvvm_fmax_d(a, b); }
__WL_DEVICE double max(double a, float b) { return __nvvm_fmax_d(a, b); }
__host__ inline float min(float a, float b) { return __builtin_fminf(a, b); }
__host__ inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
__host__ inline double min(double a, double b) { return __builtin_fmin(a, b); }
__host__ inline double max(double a, double b) { return __builtin_fmax(a, b); }

#endif
