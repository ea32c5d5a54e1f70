/* Vector types: one to four elements named x, y, z, w, and their make_ functions. */
#ifndef WARPLENS_VECTORS_H
#define WARPLENS_VECTORS_H

#include "attributes.h"

#ifdef __cplusplus
#define __WL_MAKE(type, base)                                                             \
    __WL_BOTH type##1 make_##type##1(base x) { return type##1{x}; }                       \
    __WL_BOTH type##2 make_##type##2(base x, base y) { return type##2{x, y}; }            \
    __WL_BOTH type##3 make_##type##3(base x, base y, base z) { return type##3{x, y, z}; } \
    __WL_BOTH type##4 make_##type##4(base x, base y, base z, base w)                      \
    {                                                                                     \
        return type##4{x, y, z, w};                                                       \
    }
#else
#define __WL_MAKE(type, base)
#endif

/* In device code, vectors of 8 and 16 bytes are assigned by elements at an aligned address, which
 * become one access; structures would be copied by words, where only the cast to them says that the
 * address is aligned. */
#define __WL_PIECES(type, count)
#if defined(__cplusplus) && defined(__CUDA_ARCH__)
#define __WL_COPY_2 x = other.x, y = other.y
#define __WL_COPY_4 __WL_COPY_2, z = other.z, w = other.w
#define __WL_WHOLE(type, count)                                                           \
    __WL_BOTH type &operator=(const type &other)                                          \
    {                                                                                     \
        __WL_COPY_##count;                                                                \
        return *this;                                                                     \
    }
#else
#define __WL_WHOLE __WL_PIECES
#endif

/* two, four: alignment of the vectors of so many, and how they are assigned */
#define __WL_VECTORS(type, base, two, four, assign_two, assign_four)                      \
    struct type##1 {                                                                      \
        base x;                                                                           \
    };                                                                                    \
    struct __attribute__((aligned(two))) type##2 {                                        \
        base x, y;                                                                        \
        assign_two(type##2, 2)                                                            \
    };                                                                                    \
    struct type##3 {                                                                      \
        base x, y, z;                                                                     \
    };                                                                                    \
    struct __attribute__((aligned(four))) type##4 {                                       \
        base x, y, z, w;                                                                  \
        assign_four(type##4, 4)                                                           \
    };                                                                                    \
    typedef struct type##1 type##1;                                                       \
    typedef struct type##2 type##2;                                                       \
    typedef struct type##3 type##3;                                                       \
    typedef struct type##4 type##4;                                                       \
    __WL_MAKE(type, base)

__WL_VECTORS(char, signed char, 2, 4, __WL_PIECES, __WL_PIECES)
__WL_VECTORS(uchar, unsigned char, 2, 4, __WL_PIECES, __WL_PIECES)
__WL_VECTORS(short, short, 4, 8, __WL_PIECES, __WL_PIECES)
__WL_VECTORS(ushort, unsigned short, 4, 8, __WL_PIECES, __WL_PIECES)
__WL_VECTORS(int, int, 8, 16, __WL_WHOLE, __WL_WHOLE)
__WL_VECTORS(uint, unsigned, 8, 16, __WL_WHOLE, __WL_WHOLE)
__WL_VECTORS(long, long, 16, 16, __WL_WHOLE, __WL_PIECES)
__WL_VECTORS(ulong, unsigned long, 16, 16, __WL_WHOLE, __WL_PIECES)
__WL_VECTORS(longlong, long long, 16, 16, __WL_WHOLE, __WL_PIECES)
__WL_VECTORS(ulonglong, unsigned long long, 16, 16, __WL_WHOLE, __WL_PIECES)
__WL_VECTORS(float, float, 8, 16, __WL_WHOLE, __WL_WHOLE)
__WL_VECTORS(double, double, 16, 16, __WL_WHOLE, __WL_PIECES)

#undef __WL_VECTORS
#undef __WL_MAKE
#undef __WL_WHOLE
#undef __WL_PIECES

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
