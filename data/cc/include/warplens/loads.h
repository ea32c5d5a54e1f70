/* Loads and stores of global memory with a cache hint, as device.h has them; which includes this. */
#ifndef WARPLENS_LOADS_H
#define WARPLENS_LOADS_H

/* ---- loads through the read-only cache, and with a cache hint ---- */

#define __WL_LOAD(type, letters, word)                                                \
    __WL_DEVICE type __ldg(const type *address)                                       \
    {                                                                                 \
        return (type)__nvvm_ldg_##letters((const word *)address);                     \
    }
__WL_LOAD(char, c, char)
__WL_LOAD(signed char, c, char)
__WL_LOAD(unsigned char, uc, unsigned char)
__WL_LOAD(short, s, short)
__WL_LOAD(unsigned short, us, unsigned short)
__WL_LOAD(int, i, int)
__WL_LOAD(unsigned, ui, unsigned)
__WL_LOAD(long, l, long)
__WL_LOAD(unsigned long, ul, unsigned long)
__WL_LOAD(long long, ll, long long)
__WL_LOAD(unsigned long long, ull, unsigned long long)
__WL_LOAD(float, f, float)
__WL_LOAD(double, d, double)
#undef __WL_LOAD

#define __WL_LOAD(type, letters, element, count)                                      \
    __WL_DEVICE type __ldg(const type *address)                                       \
    {                                                                                 \
        typedef element word __attribute__((ext_vector_type(count)));                 \
        type value;                                                                   \
        *(word *)&value = __nvvm_ldg_##letters((const word *)address);                \
        return value;                                                                 \
    }
__WL_LOAD(int2, i2, int, 2)
__WL_LOAD(int4, i4, int, 4)
__WL_LOAD(uint2, ui2, unsigned, 2)
__WL_LOAD(uint4, ui4, unsigned, 4)
__WL_LOAD(longlong2, ll2, long long, 2)
__WL_LOAD(ulonglong2, ull2, unsigned long long, 2)
__WL_LOAD(float2, f2, float, 2)
__WL_LOAD(float4, f4, float, 4)
__WL_LOAD(double2, d2, double, 2)
#undef __WL_LOAD

#define __WL_HINT(name, hint)                                                         \
    __WL_HINT1(name, hint, int, "s32", "r")                                           \
    __WL_HINT1(name, hint, unsigned, "u32", "r")                                      \
    __WL_HINT1(name, hint, long long, "s64", "l")                                     \
    __WL_HINT1(name, hint, unsigned long long, "u64", "l")                            \
    __WL_HINT1(name, hint, float, "f32", "f")                                         \
    __WL_HINT1(name, hint, double, "f64", "d")                                        \
    __WL_HINT2(name, hint, float2, "f32", "f")                                        \
    __WL_HINT1(name, hint, long, "s64", "l")                                          \
    __WL_HINT1(name, hint, unsigned long, "u64", "l")                                 \
    __WL_HINT1(name, hint, short, "s16", "h")                                         \
    __WL_HINT1(name, hint, unsigned short, "u16", "h")                                \
    __WL_HINT2(name, hint, int2, "s32", "r")                                          \
    __WL_HINT2(name, hint, uint2, "u32", "r")                                         \
    __WL_HINT2(name, hint, double2, "f64", "d")                                       \
    __WL_HINT4(name, hint, float4, "f32", "f")                                        \
    __WL_HINT4(name, hint, uint4, "u32", "r")                                         \
    __WL_HINT4(name, hint, int4, "s32", "r")
#define __WL_HINT1(name, hint, type, words, constraint)                               \
    __WL_DEVICE type name(const type *address)                                        \
    {                                                                                 \
        type value;                                                                   \
        asm volatile("ld." hint "." words " %0, [%1];"                                \
                     : "=" constraint(value)                                          \
                     : "l"(address)                                                   \
                     : "memory");                                                     \
        return value;                                                                 \
    }
#define __WL_HINT2(name, hint, type, words, constraint)                               \
    __WL_DEVICE type name(const type *address)                                        \
    {                                                                                 \
        type value;                                                                   \
        asm volatile("ld." hint ".v2." words " {%0, %1}, [%2];"                       \
                     : "=" constraint(value.x), "=" constraint(value.y)               \
                     : "l"(address)                                                   \
                     : "memory");                                                     \
        return value;                                                                 \
    }
#define __WL_HINT4(name, hint, type, words, constraint)                               \
    __WL_DEVICE type name(const type *address)                                        \
    {                                                                                 \
        type value;                                                                   \
        asm volatile("ld." hint ".v4." words " {%0, %1, %2, %3}, [%4];"               \
                     : "=" constraint(value.x), "=" constraint(value.y),              \
                       "=" constraint(value.z), "=" constraint(value.w)               \
                     : "l"(address)                                                   \
                     : "memory");                                                     \
        return value;                                                                 \
    }
__WL_HINT(__ldca, "ca")
__WL_HINT(__ldcg, "cg")
__WL_HINT(__ldcs, "cs")
__WL_HINT(__ldcv, "cv")
__WL_HINT(__ldlu, "lu")
#undef __WL_HINT1
#undef __WL_HINT2
#undef __WL_HINT4
#define __WL_HINT1(name, hint, type, words, constraint)                               \
    __WL_DEVICE void name(type *address, type value)                                  \
    {                                                                                 \
        asm volatile("st." hint "." words " [%0], %1;"                                \
                     :                                                                \
                     : "l"(address), constraint(value)                                \
                     : "memory");                                                     \
    }
#define __WL_HINT2(name, hint, type, words, constraint)                               \
    __WL_DEVICE void name(type *address, type value)                                  \
    {                                                                                 \
        asm volatile("st." hint ".v2." words " [%0], {%1, %2};"                       \
                     :                                                                \
                     : "l"(address), constraint(value.x), constraint(value.y)         \
                     : "memory");                                                     \
    }
#define __WL_HINT4(name, hint, type, words, constraint)                               \
    __WL_DEVICE void name(type *address, type value)                                  \
    {                                                                                 \
        asm volatile("st." hint ".v4." words " [%0], {%1, %2, %3, %4};"               \
                     :                                                                \
                     : "l"(address), constraint(value.x), constraint(value.y),        \
                       constraint(value.z), constraint(value.w)                       \
                     : "memory");                                                     \
    }
__WL_HINT(__stwb, "wb")
__WL_HINT(__stcg, "cg")
__WL_HINT(__stcs, "cs")
__WL_HINT(__stwt, "wt")
#undef __WL_HINT
#undef __WL_HINT1
#undef __WL_HINT2
#undef __WL_HINT4

#endif
