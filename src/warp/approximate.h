/* The functions of the special function unit (MUFU in machine code) in single precision: which
 * place of its tables an argument has, and what the result is of the value there. Subnormal
 * arguments count as zero; a NaN gives the canonical one. rcp.approx.ftz.f32 and the like of the
 * PTX ISA are these alone; the forms without .ftz scale their argument before and the result
 * behind. All is as an H100 has it (docs/using/simulated-runtime.md). */
#ifndef WL_WARP_APPROXIMATE_H
#define WL_WARP_APPROXIMATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/export.h"
#include "base/float_bits.h"
#include "warp/interpolation.h"

#define WL_CANONICAL_NAN 0x7fffffffu
#define WL_INFINITE 0x7f800000u

/* Results of 24 bits: whole is of the last place. */
static inline uint32_t wl_rcp_place(uint32_t bits)
{
    return (bits & 0x7fffff) << 1;
}

static inline uint32_t wl_rcp_result(uint32_t bits, uint32_t whole)
{
    const uint32_t sign = bits & 0x80000000u, biased = bits >> 23 & 255;
    const int32_t exponent = 253 - (int32_t)biased + (int32_t)(whole >> 24);
    uint32_t result = exponent <= 0 ? 0 : (uint32_t)exponent << 23 | (whole & 0x7fffff);
    result = biased == 0 ? WL_INFINITE : biased == 255 ? 0 : result;
    return (bits & 0x7fffffff) > WL_INFINITE ? WL_CANONICAL_NAN : sign | result;
}

/* Of two binades: the exponent's lowest bit goes before the mantissa. */
static inline uint32_t wl_root_place(uint32_t bits)
{
    return (~bits & 0x800000) | (bits & 0x7fffff);
}

static inline uint32_t wl_rsqrt_result(uint32_t bits, uint32_t whole)
{
    const uint32_t sign = bits & 0x80000000u, biased = bits >> 23 & 255;
    whole = wl_root_place(bits) ? whole : 1 << 24;
    const uint32_t exponent = 126 + 63 - ((biased - (~biased & 1)) >> 1) + (whole >> 24);
    uint32_t result = exponent << 23 | (whole & 0x7fffff);
    result = biased == 255 ? 0 : result;
    result = sign || (bits & 0x7fffffff) > WL_INFINITE ? WL_CANONICAL_NAN : result;
    return biased == 0 ? sign | WL_INFINITE : result;
}

static inline uint32_t wl_sqrt_result(uint32_t bits, uint32_t whole)
{
    const uint32_t sign = bits & 0x80000000u, biased = bits >> 23 & 255;
    const uint32_t exponent = 64 + ((biased - (~biased & 1)) >> 1);
    uint32_t result = exponent << 23 | (whole & 0x7fffff);
    result = biased == 255 ? WL_INFINITE : result;
    result = sign || (bits & 0x7fffffff) > WL_INFINITE ? WL_CANONICAL_NAN : result;
    return biased == 0 ? sign : result;
}

/* The argument in 2^-23, cut off: the fraction is the place. Of a negative one, the complement,
 * where there is a fraction. */
static inline uint32_t wl_ex2_fixed(uint32_t bits)
{
    const uint32_t biased = bits >> 23 & 255, mantissa = (bits & 0x7fffff) | 0x800000;
    const uint32_t left = biased < 127 ? 0 : biased > 134 ? 7 : biased - 127;
    const uint32_t right = biased >= 127 ? 0 : biased < 96 ? 31 : 127 - biased;
    return mantissa << left >> right;
}

static inline uint32_t wl_ex2_place(uint32_t bits)
{
    const uint32_t fraction = wl_ex2_fixed(bits) & 0x7fffff;
    return bits >> 31 && fraction ? ~fraction & 0x7fffff : fraction;
}

static inline uint32_t wl_ex2_result(uint32_t bits, uint32_t whole)
{
    const uint32_t fixed = wl_ex2_fixed(bits), is_negative = bits >> 31;
    const int32_t up = (int32_t)(fixed >> 23), down = -up - ((fixed & 0x7fffff) != 0);
    const int32_t exponent = 127 + (is_negative ? down : up);
    uint32_t result = (uint32_t)exponent << 23 | (whole & 0x7fffff);
    result = exponent <= 0 ? 0 : exponent >= 255 ? WL_INFINITE : result;
    result = (bits >> 23 & 255) > 134 ? (is_negative ? 0 : WL_INFINITE) : result;
    return (bits & 0x7fffffff) > WL_INFINITE ? WL_CANONICAL_NAN : result;
}

/* A number of at most 53 bits, cut off at 24, times 2^-point. */
static inline float wl_cut_off(double value, double scale)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~(uint64_t)0x1fffffff;
    memcpy(&value, &bits, sizeof bits);
    return (float)(value * scale);
}

/* 13 bits of what is behind the last place count. Below zero it is the complement. */
static inline float wl_lg2_result(uint32_t bits, uint32_t whole, uint32_t behind)
{
    const uint32_t biased = bits >> 23 & 255;
    const int32_t sum = (int32_t)(((biased - 127) << 23) + whole), is_negative = sum < 0 ? -1 : 0;
    const int32_t high = sum ^ is_negative, low = ((int32_t)(behind >> 4) ^ is_negative) & 0x1fff;
    const float magnitude = wl_cut_off((double)high * 0x1p13 + (double)low, 0x1p-36);
    float result = is_negative ? -magnitude : magnitude;
    result = bits == 0x3f800000 ? 0 : result;
    result = bits == WL_INFINITE ? wl_f32_of_bits(WL_INFINITE) : result;
    result = bits > WL_INFINITE ? wl_f32_of_bits(WL_CANONICAL_NAN) : result;
    return biased == 0 ? wl_f32_of_bits(0x80000000u | WL_INFINITE) : result;
}

/* sin.approx and cos.approx: the argument in turns, as the product before the unit has it. */
static inline uint32_t wl_turns_of(float value)
{
    const double turns = (double)value * (double)0.15915493667125701904f;
    const double magnitude = turns < 0 ? -turns : turns;
    const uint32_t bits = wl_bits_of_f32(wl_cut_off(turns, 1));
    return magnitude < 0x1p-126 ? wl_bits_of_f32(value) & 0x80000000u : bits;
}

/* Turns in 2^-25, of which whole ones are left out. */
static inline uint32_t wl_turns_fixed(uint32_t bits)
{
    const uint32_t biased = bits >> 23 & 255, mantissa = (bits & 0x7fffff) | 0x800000;
    const uint32_t left = biased < 125 ? 0 : biased > 156 ? 31 : biased - 125;
    const uint32_t right = biased >= 125 ? 0 : biased < 94 ? 31 : 125 - biased;
    return (mantissa << left >> right) & 0x1ffffff;
}

/* quarters: that the cosine is ahead. Every other one goes backwards. */
static inline uint32_t wl_sin_place(uint32_t turns, uint32_t quarters)
{
    const uint32_t fixed = wl_turns_fixed(turns) + (quarters << 23);
    return (fixed >> 23 & 1 ? ~fixed : fixed) & 0x7fffff;
}

static inline float wl_sin_result(uint32_t turns, uint32_t quarters, uint32_t whole,
                                  uint32_t behind)
{
    const float magnitude =
        wl_cut_off((double)(int32_t)whole * 0x1p17 + (double)(int32_t)behind, 0x1p-41);
    const uint32_t sign = quarters ? 0 : turns & 0x80000000u;
    const uint32_t half = (wl_turns_fixed(turns) + (quarters << 23)) >> 24 << 31;
    const uint32_t result = wl_bits_of_f32(magnitude) | (sign ^ half);
    return wl_f32_of_bits((turns >> 23 & 255) == 255 ? WL_CANONICAL_NAN : result);
}

/* 2^value and tanh(value), a value at a time. */
float wl_approximate_ex2(float value);
float wl_approximate_tanh(float value);

/* ex2.approx.f32 of count values. to may be of. */
WL_EXPORT void wl_approximate_powers(const float *of, float *to, size_t count);

#endif
