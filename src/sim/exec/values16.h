/* Numbers of 16 bits, and rounding to them. */
#ifndef WL_SIM_EXEC_VALUES16_H
#define WL_SIM_EXEC_VALUES16_H

#include "sim/exec/values.h"

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

/* What follows goes in vectors, too: it chooses rather than branches. */

/* The same from double, rounding once: round to odd in single first (Boldo, Melquiond 2008). */
static inline float double_to_float_odd(double value)
{
    const float nearest = (float)value;
    const double back = (double)nearest;
    const uint32_t bits = bits_of(nearest), is_beyond = fabs(back) > fabs(value);
    const uint32_t odd = (bits - is_beyond) | 1;
    return float_of(back == value || value != value ? bits : odd);
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

/* Of the bits of a number of single precision. */
static inline uint32_t single_to_bfloat(uint32_t bits, enum wl_rounding rounding)
{
    const uint32_t negative = 0u - (bits >> 31);
    const uint32_t more = rounding == WL_ROUND_NEAREST ? 0x7fffu + (bits >> 16 & 1)
                          : rounding == WL_ROUND_UP    ? ~negative & 0xffffu
                          : rounding == WL_ROUND_DOWN  ? negative & 0xffffu
                                                       : 0;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (bits + more) >> 16;
}

static inline uint32_t bfloat_rounded(double value, enum wl_rounding rounding)
{
    return single_to_bfloat(bits_of(double_to_float_odd(value)), rounding);
}

/* The sum of two doubles, rounded to odd: it can be rounded once more to a narrower format. */
static inline double sum_to_odd(double a, double b)
{
    const double sum = a + b;
    const double error = (a - (sum - (sum - a))) + (b - (sum - a));
    const uint64_t bits = bits_of_double(sum), is_beyond = (error < 0) == (sum > 0);
    const uint64_t odd = (bits - is_beyond) | 1;
    const int is_exact = (error == 0) | !(fabs(sum) <= 0x1.fffffffffffffp1023);
    return double_of(is_exact ? bits : odd);
}

/* The same of singles that are products and sums of halves: none overflows. */
static inline float single_sum_to_odd(float a, float b)
{
    const float sum = a + b;
    const float error = (a - (sum - (sum - a))) + (b - (sum - a));
    const uint32_t bits = bits_of(sum), is_beyond = (error < 0) == (sum > 0);
    const uint32_t odd = (bits - is_beyond) | 1;
    const int is_exact = (error == 0) | !(fabsf(sum) <= 0x1.fffffep127f);
    return float_of(is_exact ? bits : odd);
}

/* Single precision has all bits of a product of halves. */
static inline uint32_t fma_half(uint32_t a, uint32_t b, uint32_t c)
{
    const float product = half_to_float(a) * half_to_float(b);
    return float_to_half(single_sum_to_odd(product, half_to_float(c)));
}

/* A NaN becomes the one that arithmetic gives. */
static inline uint32_t canonical_half(uint32_t half)
{
    return (half & 0x7fffu) > 0x7c00u ? 0x7fffu : half;
}

/* An integer that is less for lesser halves; -0 is less than 0. */
static inline int32_t half_order(uint32_t half)
{
    const int32_t extended = (int16_t)half;
    return extended ^ (extended >> 15 & 0x7fff);
}

/* One of two halves; of a NaN and a number the number. */
static inline uint32_t choose_half(uint32_t a, uint32_t b, int is_first)
{
    const uint32_t chosen = is_first ? a : b;
    const uint32_t number = (a & 0x7fffu) > 0x7c00u ? b : (b & 0x7fffu) > 0x7c00u ? a : chosen;
    return canonical_half(number & 0xffffu);
}

static inline uint32_t minimum_half(uint32_t a, uint32_t b)
{
    return choose_half(a, b, half_order(a) < half_order(b));
}

static inline uint32_t maximum_half(uint32_t a, uint32_t b)
{
    return choose_half(a, b, half_order(a) > half_order(b));
}

static inline uint32_t pair(uint32_t low, uint32_t high)
{
    return (low & 0xffffu) | high << 16;
}

#endif
