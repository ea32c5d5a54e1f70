/* What tests of cuSPARSE share: values of its types as complex numbers, and managed memory. Values
 * are small integers, so that sums are exact in any order. */
#ifndef SPARSE_VALUES_H
#define SPARSE_VALUES_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

enum { OK = 0, NOT_INITIALIZED = 1, INVALID = 3, ZERO_PIVOT = 9, NOT_SUPPORTED = 10 };
enum {
    FLOAT = 0,
    DOUBLE = 1,
    HALF = 2,
    BYTE = 3,
    COMPLEX = 4,
    DOUBLE_COMPLEX = 5,
    INTEGER = 10,
    BFLOAT = 14
};
enum { PLAIN, TRANSPOSE, CONJUGATE };
enum { BY_COLUMN = 1, BY_ROW = 2, INDEX_32 = 2, INDEX_64 = 3 };

typedef double complex number;

static uint32_t state = 1;

static inline int random_below(int limit)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)limit);
}

static inline void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes + 16, 1), 0);
    memset(made, 0, bytes + 16);
    return made;
}

static inline bool is_complex(int type)
{
    return type == COMPLEX || type == DOUBLE_COMPLEX;
}

static inline size_t bytes_of(int type)
{
    return type == DOUBLE_COMPLEX              ? 16
           : type == DOUBLE || type == COMPLEX ? 8
           : type == HALF || type == BFLOAT    ? 2
           : type == BYTE                      ? 1
                                               : 4;
}

/* Of a number that is exact in a half. */
static inline uint16_t half_of(float value)
{
    int exponent = 0;
    float part = frexpf(fabsf(value), &exponent);
    if (value == 0)
        return 0;
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                      ((int)(part * 2048) & 0x3ff));
}

static inline float of_half(uint16_t bits)
{
    if (!(bits & 0x7fff))
        return 0;
    float size = ldexpf((float)(0x400 | (bits & 0x3ff)), (bits >> 10 & 31) - 25);
    return bits & 0x8000 ? -size : size;
}

static inline void put(void *to, int type, long long at, number value)
{
    const float real = (float)creal(value), imaginary = (float)cimag(value);
    const float pair[] = {real, imaginary};
    uint32_t bits;
    memcpy(&bits, &real, sizeof bits);
    const uint16_t narrow = type == HALF ? half_of(real) : (uint16_t)(bits >> 16);
    const double exact = creal(value);
    const int whole = (int)exact;
    const signed char byte = (signed char)whole;
    const void *from = type == FLOAT || type == COMPLEX ? (const void *)pair
                       : type == DOUBLE                 ? (const void *)&exact
                       : type == DOUBLE_COMPLEX         ? (const void *)&value
                       : type == BYTE                   ? (const void *)&byte
                       : type == INTEGER                ? (const void *)&whole
                                                        : (const void *)&narrow;
    memcpy((char *)to + at * (long long)bytes_of(type), from, bytes_of(type));
}

static inline number get(const void *from, int type, long long at)
{
    const char *place = (const char *)from + at * (long long)bytes_of(type);
    union {
        float s[2];
        double d[2];
        uint16_t h;
        uint32_t u;
        int i;
        signed char c;
    } is = {{0}};
    memcpy(&is, place, bytes_of(type));
    if (type == BFLOAT)
        is.u = (uint32_t)is.h << 16;
    switch (type) {
    case COMPLEX:
        return is.s[0] + is.s[1] * I;
    case DOUBLE:
        return is.d[0];
    case DOUBLE_COMPLEX:
        return is.d[0] + is.d[1] * I;
    case HALF:
        return of_half(is.h);
    case BYTE:
        return is.c;
    case INTEGER:
        return is.i;
    default:
        return is.s[0];
    }
}

static inline number any_value(int type)
{
    return random_below(7) - 3 + (is_complex(type) ? (random_below(7) - 3) * I : 0);
}

static inline void put_index(void *to, int type, long long at, long long value)
{
    if (type == INDEX_64)
        ((int64_t *)to)[at] = value;
    else
        ((int *)to)[at] = (int)value;
}

static inline long long get_index(const void *from, int type, long long at)
{
    return type == INDEX_64 ? ((const int64_t *)from)[at] : ((const int *)from)[at];
}

static inline number turned(number value, int op)
{
    return op == CONJUGATE ? conj(value) : value;
}

/* How many calls of a test gave wrong numbers is told, not each number. */
#define EXPECT_NUMBERS(wrong, ...)                          \
    do {                                                    \
        if (wrong) {                                        \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__);                   \
            fprintf(stderr, ": %d wrong\n", wrong);         \
            failures++;                                     \
        }                                                   \
    } while (0)

#endif
