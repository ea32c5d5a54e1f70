/* Scalar meaning of the operations that need more than a C operator. */
#ifndef WL_SIM_EXEC_VALUES_H
#define WL_SIM_EXEC_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "warp/op.h"

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_s128;

#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
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

/* rcp.approx.ftz.f64 keeps the upper 32 bits only (PTX ISA: result has 20 bits of fraction). */
static inline double approximate_rcp_f64(double value)
{
    uint64_t bits = bits_of_double(value);
    if (!(bits & 0x7ff0000000000000ull))
        bits &= 0x8000000000000000ull;
    uint64_t result = bits_of_double(1.0 / double_of(bits & 0xffffffff00000000ull));
    if (!(result & 0x7ff0000000000000ull))
        result &= 0x8000000000000000ull;
    return double_of(result & 0xffffffff00000000ull);
}

static inline double approximate_rsqrt_f64(double value)
{
    uint64_t bits = bits_of_double(value);
    if (!(bits & 0x7ff0000000000000ull))
        bits &= 0x8000000000000000ull;
    double root = __builtin_sqrt(double_of(bits & 0xffffffff00000000ull));
    return double_of(bits_of_double(1.0 / root) & 0xffffffff00000000ull);
}

/* div.approx multiplies by the reciprocal, which is zero for large divisors (PTX ISA, div). */
static inline float divide_approximately(float a, float b)
{
    float magnitude = __builtin_fabsf(b);
    return magnitude > 0x1p126f && magnitude <= 0x1.fffffep127f ? a * __builtin_copysignf(0, b)
                                                                : a / b;
}

/* Division by zero gives all ones in hardware, the remainder too, but on 64 bits the dividend;
 * INT_MIN / -1 wraps. */
static inline int32_t divide_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}

static inline int32_t remainder_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
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

/* bfe: position and length are the low 8 bits; bits beyond the top are the sign (PTX ISA, bfe). */
static inline uint64_t bfe_any(uint64_t value, uint32_t position, uint32_t length, int width,
                               int is_signed)
{
    position &= 0xff;
    length &= 0xff;
    uint32_t top = (uint32_t)width - 1;
    uint32_t sign_at = position + length - 1 < top ? position + length - 1 : top;
    uint64_t sign = is_signed && length ? value >> sign_at & 1 : 0;
    uint64_t field = position > top ? 0 : value >> position;
    if (position <= top && is_signed == 0 && width == 32)
        field &= 0xffffffffu;
    if (length == 0)
        return 0;
    uint32_t have = position > top ? 0 : top + 1 - position;
    uint32_t take = length < have ? length : have;
    uint64_t mask = take >= 64 ? ~0ull : (1ull << take) - 1;
    return (field & mask) | (sign ? ~mask : 0);
}

static inline uint32_t bfe_u32(uint32_t value, uint32_t position, uint32_t length)
{
    return (uint32_t)bfe_any(value, position, length, 32, 0);
}

static inline uint32_t bfe_s32(uint32_t value, uint32_t position, uint32_t length)
{
    return (uint32_t)bfe_any(value, position, length, 32, 1);
}

static inline uint64_t bfe_u64(uint64_t value, uint32_t position, uint32_t length)
{
    return bfe_any(value, position, length, 64, 0);
}

static inline uint64_t bfe_s64(uint64_t value, uint32_t position, uint32_t length)
{
    return bfe_any(value, position, length, 64, 1);
}

static inline uint64_t bfi_any(uint64_t insert, uint64_t into, uint32_t position, uint32_t length,
                               uint32_t width)
{
    position &= 0xff;
    length &= 0xff;
    if (position >= width || length == 0)
        return into;
    uint64_t ones = length >= 64 ? ~0ull : (1ull << length) - 1;
    uint64_t mask = ones << position;
    return (into & ~mask) | (insert << position & mask);
}

/* prmt, default mode: each selector nibble picks a byte of b:a, its top bit replicates the sign. */
static inline uint32_t permute_b32(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t nibble = selector >> (4 * i) & 0xf;
        uint32_t byte = (uint32_t)(bytes >> (8 * (nibble & 7))) & 0xff;
        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* prmt, the other modes: selectors of the default mode. f4e, b4e, rc8, ecl, ecr, rc16. */
static const uint16_t prmt_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

/* length ones from bit position (below 32) on; what does not fit is lost. */
static inline uint32_t mask_b32(uint32_t position, uint32_t length)
{
    return (uint32_t)(((1ull << length) - 1) << position);
}

/* The low `length` bits, at most 32, with their sign. */
static inline uint32_t extend_b32(uint32_t value, uint32_t length)
{
    uint32_t shift = 32 - length;
    return length == 0 ? 0 : (uint32_t)((int32_t)(value << shift) >> shift);
}

static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    uint32_t count = offset < 0 ? 0u - (uint32_t)offset : (uint32_t)offset;
    if (base > 31)
        return 0xffffffffu;
    if (count == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    uint32_t left = offset > 0 ? mask >> base << base : mask << (31 - base) >> (31 - base);
    while (left) {
        uint32_t next =
            offset > 0 ? (uint32_t)__builtin_ctz(left) : 31u - (uint32_t)__builtin_clz(left);
        if (--count == 0)
            return next;
        left &= ~(1u << next);
    }
    return 0xffffffffu;
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

static inline float half_to_float(uint32_t half)
{
    uint32_t bits = (half & 0x7fffu) << 13;
    float value = float_of(bits) * 0x1p112f;
    if (value >= 65536.0f)
        value = float_of(bits | 0x7f800000u);
    return float_of(bits_of(value) | (half & 0x8000u) << 16);
}

/* Round to nearest even; NaN becomes 0x7fff. */
static inline uint32_t float_to_half(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fffu;
    if (magnitude >= 0x47800000u)
        return sign | 0x7c00u;
    if (magnitude < 0x38800000u)
        return sign | (bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u);
    magnitude += 0xc8000fffu + (magnitude >> 13 & 1);
    return sign | magnitude >> 13;
}

/* The same from double, rounding once: round to odd in single first (Boldo, Melquiond 2008). */
static inline float double_to_float_odd(double value)
{
    float nearest = (float)value;
    if ((double)nearest == value || nearest != nearest)
        return nearest;
    uint32_t bits = bits_of(nearest);
    int is_beyond = fabs((double)nearest) > fabs(value);
    if (is_beyond)
        bits--;
    return float_of(bits | 1);
}

static inline uint32_t double_to_half(double value)
{
    return float_to_half(double_to_float_odd(value));
}

static inline uint32_t half_rounded(double value, enum wl_rounding rounding)
{
    uint32_t nearest = double_to_half(value);
    double back = (double)half_to_float(nearest);
    if (rounding == WL_ROUND_NEAREST || value != value || back == value)
        return nearest;
    bool is_above = back > value;
    bool want_above = rounding == WL_ROUND_UP || (rounding == WL_ROUND_ZERO && value < 0);
    if (is_above == want_above)
        return nearest;
    bool away = is_above == (value < 0); /* the other neighbour is farther from zero */
    if ((nearest & 0x7fffu) == 0 && away)
        return (value < 0 ? 0x8000u : 0) | 1;
    return away ? nearest + 1 : nearest - 1;
}

static inline uint32_t bfloat_rounded(double value, enum wl_rounding rounding)
{
    if (value != value)
        return 0x7fffu;
    uint32_t bits = bits_of(double_to_float_odd(value));
    uint32_t kept = bits >> 16, rest = bits & 0xffffu;
    bool negative = bits >> 31;
    bool up = rounding == WL_ROUND_NEAREST ? rest > 0x8000u || (rest == 0x8000u && (kept & 1))
              : rounding == WL_ROUND_UP    ? rest && !negative
              : rounding == WL_ROUND_DOWN  ? rest && negative
                                           : false;
    return kept + up;
}

/* The sum of two doubles, rounded to odd: it can be rounded once more to a narrower format. */
static inline double sum_to_odd(double a, double b)
{
    double sum = a + b;
    double error = (a - (sum - (sum - a))) + (b - (sum - a));
    if (error == 0 || sum != sum || isinf(sum))
        return sum;
    uint64_t bits = bits_of_double(sum);
    bool is_beyond = (error < 0) == (sum > 0);
    return double_of((is_beyond ? bits - 1 : bits) | 1);
}

static inline uint32_t fma_half(uint32_t a, uint32_t b, uint32_t c)
{
    double product = (double)half_to_float(a) * (double)half_to_float(b);
    return double_to_half(sum_to_odd(product, (double)half_to_float(c)));
}

/* A NaN becomes the one that arithmetic gives. */
static inline uint32_t canonical_half(uint32_t half)
{
    return (half & 0x7fffu) > 0x7c00u ? 0x7fffu : half;
}

static inline uint32_t pair(uint32_t low, uint32_t high)
{
    return (low & 0xffffu) | high << 16;
}

#endif
