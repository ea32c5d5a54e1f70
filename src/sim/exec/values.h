/* Scalar meaning of the operations that need more than a C operator. */
#ifndef WL_SIM_EXEC_VALUES_H
#define WL_SIM_EXEC_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "warp/op.h"

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_s128;

#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))

static inline float float_of(uint32_t bits)
{
    return wl_f32_of_bits(bits);
}

static inline uint32_t bits_of(float value)
{
    return wl_bits_of_f32(value);
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float canonical_f32(float value)
{
    return value == value ? value : float_of(0x7fffffffu);
}

/* Subnormal to zero of the same sign. */
static inline float flush_f32(float value)
{
    uint32_t bits = bits_of(value);
    return (bits & 0x7f800000u) ? value : float_of(bits & 0x80000000u);
}

/* As L2 adds: without subnormals. Of two NaNs the first, however the compiler orders the operands
 * of an addition: sums that are kept give what others give. */
static inline uint32_t add_flushed_bits(uint32_t a, uint32_t b)
{
    const float x = flush_f32(float_of(a)), y = flush_f32(float_of(b));
    return bits_of(x != x ? x + x : flush_f32(x + y));
}

/* Clamped to [0, 1]; NaN gives +0 (PTX ISA, .sat). */
static inline float saturate_f32(float value)
{
    float clamped = value > 0.0f ? value : 0.0f;
    return clamped < 1.0f ? clamped : 1.0f;
}

static inline float minimum_f32(float a, float b)
{
    float least = (a < b || (a == b && (bits_of(a) >> 31))) ? a : b;
    least = a != a ? b : b != b ? a : least;
    return canonical_f32(least);
}

static inline float maximum_f32(float a, float b)
{
    float most = (a > b || (a == b && !(bits_of(a) >> 31))) ? a : b;
    most = a != a ? b : b != b ? a : most;
    return canonical_f32(most);
}

static inline float minimum_nan_f32(float a, float b)
{
    return a != a || b != b ? float_of(0x7fffffffu) : minimum_f32(a, b);
}

static inline float maximum_nan_f32(float a, float b)
{
    return a != a || b != b ? float_of(0x7fffffffu) : maximum_f32(a, b);
}

/* The magnitude with the sign of a times b; NaN stays as it is. */
static inline float signed_product(float magnitude, float a, float b)
{
    uint32_t sign = (bits_of(a) ^ bits_of(b)) & 0x80000000u;
    return magnitude != magnitude ? magnitude : float_of(bits_of(magnitude) | sign);
}

static inline double minimum_f64(double a, double b)
{
    double least = (a < b || (a == b && (bits_of_double(a) >> 63))) ? a : b;
    return a != a ? b : b != b ? a : least;
}

static inline double maximum_f64(double a, double b)
{
    double most = (a > b || (a == b && !(bits_of_double(a) >> 63))) ? a : b;
    return a != a ? b : b != b ? a : most;
}

/* Division by zero gives all ones in hardware, the remainder too, but on 64 bits the dividend;
 * INT_MIN / -1 wraps. */
/* On 32 bits by doubles, which go in vectors: a quotient that is no integer lies farther below the
 * next one than it is rounded by. */
static inline uint32_t divide_u32(uint32_t a, uint32_t b)
{
    const double dividend = double_of(0x4330000000000000ull | a) - 0x1p52;
    const double divisor = double_of(0x4330000000000000ull | b) - 0x1p52;
    const uint64_t quotient = bits_of_double(__builtin_floor(dividend / divisor) + 0x1p52);
    return b == 0 ? UINT32_MAX : (uint32_t)quotient;
}

static inline uint32_t remainder_u32(uint32_t a, uint32_t b)
{
    return b == 0 ? UINT32_MAX : a - divide_u32(a, b) * b;
}

/* On 16 bits by singles, for the same reason. */
static inline uint32_t divide_u16(uint32_t a, uint32_t b)
{
    const int32_t dividend = (int32_t)(a & 0xffffu), divisor = (int32_t)(b & 0xffffu);
    const float quotient = (float)dividend / (float)(divisor | (divisor == 0));
    return divisor == 0 ? 0xffffu : (uint32_t)(int32_t)quotient;
}

static inline uint32_t remainder_u16(uint32_t a, uint32_t b)
{
    const uint32_t divisor = b & 0xffffu;
    return divisor == 0 ? 0xffffu : (a & 0xffffu) - divide_u16(a, b) * divisor;
}

static inline int32_t divide_s32(int32_t a, int32_t b)
{
    const int32_t divisor = b == 0 || b == -1 ? 1 : b;
    const int32_t quotient = (int32_t)((double)a / (double)divisor);
    return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : quotient;
}

static inline int32_t remainder_s32(int32_t a, int32_t b)
{
    const int32_t divisor = b == 0 || b == -1 ? 1 : b;
    const int32_t quotient = (int32_t)((double)a / (double)divisor);
    const uint32_t rest = (uint32_t)a - (uint32_t)quotient * (uint32_t)divisor;
    return b == 0 ? -1 : b == -1 ? 0 : (int32_t)rest;
}

static inline int64_t divide_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0ull - (uint64_t)a) : a / b;
}

static inline int64_t remainder_s64(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline int32_t saturate_s32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static inline int32_t sign24(int32_t value)
{
    return (int32_t)((uint32_t)value << 8) >> 8;
}

static inline uint32_t reverse_b32(uint32_t value)
{
    value = (value & 0x55555555u) << 1 | (value >> 1 & 0x55555555u);
    value = (value & 0x33333333u) << 2 | (value >> 2 & 0x33333333u);
    value = (value & 0x0f0f0f0fu) << 4 | (value >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(value);
}

static inline uint32_t bfind_s32(uint32_t value)
{
    uint32_t magnitude = (int32_t)value < 0 ? ~value : value;
    return magnitude ? 31u - (uint32_t)__builtin_clz(magnitude) : 0xffffffffu;
}

static inline uint32_t bfind_s64(uint64_t value)
{
    uint64_t magnitude = (int64_t)value < 0 ? ~value : value;
    return magnitude ? 63u - (uint32_t)__builtin_clzll(magnitude) : 0xffffffffu;
}

static inline uint32_t dot2(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
    int32_t sum = 0;
    for (int i = 0; i < 2; i++) {
        int32_t x = a_signed ? (int16_t)(a >> (16 * i)) : (uint16_t)(a >> (16 * i));
        int32_t y = b_signed ? (int8_t)(b >> (8 * i)) : (uint8_t)(b >> (8 * i));
        sum += x * y;
    }
    return (uint32_t)sum;
}

static inline uint32_t dot4(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
    int32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        int32_t x = a_signed ? (int8_t)(a >> (8 * i)) : (uint8_t)(a >> (8 * i));
        int32_t y = b_signed ? (int8_t)(b >> (8 * i)) : (uint8_t)(b >> (8 * i));
        sum += x * y;
    }
    return (uint32_t)sum;
}

/* Toward zero, clamped; NaN gives 0. */
static inline int32_t truncate_s32(float value)
{
    return value != value     ? 0
           : value >= 0x1p31f ? INT32_MAX
           : value < -0x1p31f ? INT32_MIN
                              : (int32_t)value;
}

static inline uint32_t truncate_u32(float value)
{
    return !(value > 0) ? 0 : value >= 0x1p32f ? UINT32_MAX : (uint32_t)value;
}

#endif
