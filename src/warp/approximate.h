/* The functions of the special function unit (MUFU in machine code) in single precision: which
 * place of its tables an argument has, and what the result is of the value there. Subnormal
 * arguments count as zero; a NaN gives the canonical one. rcp.approx.ftz.f32 and the like of the
 * PTX ISA are these alone; the forms without .ftz scale their argument before and the result
 * behind. All is as an H100 has it (docs/using/simulated-runtime.md). */
#ifndef WL_WARP_APPROXIMATE_H
#define WL_WARP_APPROXIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"
#include "base/float_bits.h"
#include "warp/interpolation.h"

#define WL_CANONICAL_NAN 0x7fffffffu
#define WL_INFINITE 0x7f800000u

#define WL_GREATEST 0x7fffffffu /* the bits of a magnitude */

/* Arguments of which _usual alone gives the result: their bits under a mask are of count from first
 * on. */
struct wl_usual {
    uint32_t mask, first, count;
};
#define WL_USUAL_RCP ((struct wl_usual){WL_GREATEST, 1u << 23, 251u << 23})
#define WL_USUAL_ROOT ((struct wl_usual){~0u, 1u << 23, 254u << 23})
#define WL_USUAL_LG2 WL_USUAL_ROOT
#define WL_USUAL_EX2 ((struct wl_usual){WL_GREATEST, 0, 0x42fc0000u + 1}) /* up to 126 */
#define WL_USUAL_SIN ((struct wl_usual){WL_GREATEST, 0, WL_INFINITE})

/* Results of 24 bits: whole is of the last place. Its highest bit is added to the exponent. */
static inline uint32_t wl_rcp_place(uint32_t bits)
{
    return (bits & 0x7fffff) << 1;
}

static inline uint32_t wl_rcp_usual(uint32_t bits, uint32_t whole)
{
    return (bits & ~WL_GREATEST) | ((252u << 23) - (bits & WL_INFINITE) + whole);
}

static inline uint32_t wl_rcp_result(uint32_t bits, uint32_t whole)
{
    const uint32_t exponent = bits & WL_INFINITE;
    const int32_t found = (int32_t)((252u << 23) - exponent + whole);
    uint32_t result = found < 1 << 23 ? 0 : (uint32_t)found;
    result = exponent == 0 ? WL_INFINITE : result;
    return (bits & WL_GREATEST) > WL_INFINITE ? WL_CANONICAL_NAN : (bits & ~WL_GREATEST) | result;
}

/* Of two binades: the exponent's lowest bit goes before the mantissa. */
static inline uint32_t wl_root_place(uint32_t bits)
{
    return (bits ^ 0x800000) & 0xffffff;
}

/* The exponent's other bits of what is not zero, halved, in their place. */
static inline uint32_t wl_root_exponent(uint32_t bits)
{
    return ((bits - 0x800000) & 0x7f000000) >> 1;
}

static inline uint32_t wl_rsqrt_usual(uint32_t bits, uint32_t whole)
{
    return (188u << 23) - wl_root_exponent(bits) + (wl_root_place(bits) ? whole : 1 << 24);
}

static inline uint32_t wl_rsqrt_result(uint32_t bits, uint32_t whole)
{
    uint32_t result = bits == WL_INFINITE ? 0 : wl_rsqrt_usual(bits, whole);
    result = bits > WL_INFINITE ? WL_CANONICAL_NAN : result;
    return bits & WL_INFINITE ? result : (bits & ~WL_GREATEST) | WL_INFINITE;
}

static inline uint32_t wl_sqrt_usual(uint32_t bits, uint32_t whole)
{
    return (63u << 23) + wl_root_exponent(bits) + whole;
}

static inline uint32_t wl_sqrt_result(uint32_t bits, uint32_t whole)
{
    uint32_t result = bits == WL_INFINITE ? WL_INFINITE : wl_sqrt_usual(bits, whole);
    result = bits > WL_INFINITE ? WL_CANONICAL_NAN : result;
    return bits & WL_INFINITE ? result : bits & ~WL_GREATEST;
}

/* The argument in 2^-23, cut off. Of a negative one that has a fraction, the complement. */
static inline int32_t wl_ex2_fixed_usual(float value)
{
    const int32_t fixed = (int32_t)(value * 0x1p23f);
    return fixed & 0x7fffff ? fixed + (fixed >> 31) : fixed;
}

/* From 128 on all are alike. */
static inline int32_t wl_ex2_fixed(float value)
{
    const float below = value < 128.0f ? value : 128.0f;
    return wl_ex2_fixed_usual(below > -128.0f ? below : -128.0f);
}

static inline uint32_t wl_ex2_place(int32_t fixed)
{
    return (uint32_t)fixed & 0x7fffff;
}

static inline float wl_ex2_usual(float value, int32_t fixed, uint32_t whole)
{
    (void)value;
    return wl_f32_of_bits((126u << 23) + ((uint32_t)fixed & ~0x7fffffu) + whole);
}

static inline float wl_ex2_result(float value, int32_t fixed, uint32_t whole)
{
    const float found = wl_ex2_usual(value, fixed, whole);
    const float result = (int32_t)wl_bits_of_f32(found) < 1 << 23 ? 0 : found;
    return value != value ? wl_f32_of_bits(WL_CANONICAL_NAN) : result;
}

/* The sum of numbers that are not negative, cut off at 24 bits. high is zero or the greater one. */
static inline float wl_sum_cut_off(float high, float low)
{
    const float sum = high + low;
    return wl_f32_of_bits(wl_bits_of_f32(sum) - (low < sum - high));
}

/* 13 bits of what is behind the last place count. Below zero it is the complement. */
static inline float wl_lg2_usual(uint32_t bits, uint32_t whole, uint32_t behind)
{
    const int32_t sum = (int32_t)((bits & WL_INFINITE) - (127u << 23) + whole);
    const int32_t is_negative = sum >> 31;
    const int32_t high = sum ^ is_negative, low = ((int32_t)(behind >> 4) ^ is_negative) & 0x1fff;
    const float magnitude = wl_sum_cut_off((float)(high & ~0x7f) * 0x1p-23f,
                                           (float)((high & 0x7f) << 13 | low) * 0x1p-36f);
    const float result =
        wl_f32_of_bits(wl_bits_of_f32(magnitude) | ((uint32_t)is_negative & 0x80000000u));
    return bits == 0x3f800000 ? 0 : result;
}

static inline float wl_lg2_result(uint32_t bits, uint32_t whole, uint32_t behind)
{
    float result = wl_lg2_usual(bits, whole, behind);
    result = bits == WL_INFINITE ? wl_f32_of_bits(WL_INFINITE) : result;
    result = bits > WL_INFINITE ? wl_f32_of_bits(WL_CANONICAL_NAN) : result;
    return bits & WL_INFINITE ? result : wl_f32_of_bits(0x80000000u | WL_INFINITE);
}

/* sin.approx and cos.approx: the argument's magnitude in turns, as the product before the unit has
 * it, cut off at 24 bits. What is below 2^-126 is as good as zero to the unit. */
static inline float wl_turns_of(float value)
{
    const float magnitude = __builtin_fabsf(value), factor = 0.15915493667125701904f;
    const float product = magnitude * factor;
#ifdef __FMA__
    const bool is_above = __builtin_fmaf(magnitude, factor, -product) < 0;
#else
    const bool is_above = (double)product > (double)magnitude * (double)factor;
#endif
    return wl_f32_of_bits(wl_bits_of_f32(product) - is_above);
}

/* Turns in 2^-25, of which whole ones are left out, and the cosine is a quarter ahead. */
static inline uint32_t wl_sin_fixed_usual(float value, uint32_t quarters)
{
    const float turns = wl_turns_of(value), fraction = turns - __builtin_truncf(turns);
    return (uint32_t)(int32_t)(fraction * 0x1p25f) + (quarters << 23);
}

static inline uint32_t wl_sin_fixed(float value, uint32_t quarters)
{
    const bool is_finite = __builtin_fabsf(value) < __builtin_inff();
    return wl_sin_fixed_usual(is_finite ? value : 0, quarters);
}

/* Every other quarter goes backwards. */
static inline uint32_t wl_sin_place(uint32_t fixed)
{
    return (fixed >> 23 & 1 ? ~fixed : fixed) & 0x7fffff;
}

static inline float wl_sin_usual(float value, uint32_t quarters, uint32_t fixed, uint32_t whole,
                                 uint32_t behind)
{
    const uint32_t sign = quarters ? 0 : wl_bits_of_f32(value) & ~WL_GREATEST;
    const float magnitude =
        wl_sum_cut_off((float)(int32_t)whole * 0x1p-24f, (float)(int32_t)behind * 0x1p-37f);
    return wl_f32_of_bits(wl_bits_of_f32(magnitude) | (sign ^ (fixed << 7 & 0x80000000u)));
}

static inline float wl_sin_result(float value, uint32_t quarters, uint32_t fixed, uint32_t whole,
                                  uint32_t behind)
{
    const bool is_finite = __builtin_fabsf(value) < __builtin_inff();
    const float result = wl_sin_usual(value, quarters, fixed, whole, behind);
    return is_finite ? result : wl_f32_of_bits(WL_CANONICAL_NAN);
}

/* The number of tanh's row in wl_tanh_exponents. */
static inline uint32_t wl_tanh_exponent(uint32_t bits)
{
    return ((bits >> 23) - 119) & 15;
}

static inline uint32_t wl_tanh_place(uint32_t bits, uint32_t exponent)
{
    return ((bits & 0x7fffff) >> (exponent & 31)) + (exponent & (63u << WL_PLACE_BITS));
}

/* Below 2^-8 it is the argument; from 8 on it is one. */
static inline float wl_tanh_result(float value, uint32_t exponent, uint32_t whole, uint32_t behind)
{
    const float scale = wl_f32_of_bits(exponent & WL_INFINITE), magnitude = __builtin_fabsf(value);
    float result = wl_sum_cut_off((float)(int32_t)whole, (float)(int32_t)behind * 0x1p-17f) * scale;
    result = magnitude < 0x1p-8f ? magnitude : magnitude >= 8 ? 1 : result;
    const uint32_t bits = wl_bits_of_f32(result) | (wl_bits_of_f32(value) & 0x80000000u);
    return wl_f32_of_bits(value != value ? WL_CANONICAL_NAN : bits);
}

/* ex2.approx.f32 of count values. to may be of. */
WL_EXPORT void wl_approximate_powers(const float *of, float *to, size_t count);

#endif
