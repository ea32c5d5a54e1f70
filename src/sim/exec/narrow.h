/* Narrow floating-point formats: 16-bit and 8-bit ones and tf32. */
#ifndef WL_SIM_EXEC_NARROW_H
#define WL_SIM_EXEC_NARROW_H

#include "sim/exec/values16.h"
#include "warp/op.h"

/* A finite number as sign and significand times 2^exponent; the significand of a normal number has
 * its first bit at the format's precision. */
struct scaled {
    int32_t significand, exponent;
    bool is_special; /* infinite or NaN: the other fields say nothing */
};

struct narrow_row {
    uint8_t exponent_bits, fraction_bits, width_bits;
    bool has_infinity;
};

static const struct narrow_row narrow_rows[] = {
    [WL_FORMAT_F16] = {5, 10, 16, true},  [WL_FORMAT_BF16] = {8, 7, 16, true},
    [WL_FORMAT_TF32] = {8, 10, 19, true}, [WL_FORMAT_E4M3] = {4, 3, 8, false},
    [WL_FORMAT_E5M2] = {5, 2, 8, true},   [WL_FORMAT_F32] = {8, 23, 32, true},
};

/* The bits of a number of that format (tf32: the upper 19 of 32). */
static inline struct scaled unpack_narrow(uint32_t bits, enum wl_matrix_format format)
{
    const struct narrow_row *row = &narrow_rows[format];
    if (format == WL_FORMAT_TF32)
        bits >>= 13;
    const uint32_t fraction = bits & ((1u << row->fraction_bits) - 1);
    const uint32_t top = (1u << row->exponent_bits) - 1, biased = bits >> row->fraction_bits & top;
    const int32_t bias = (int32_t)(top >> 1);
    struct scaled result = {.is_special =
                                row->has_infinity ? biased == top : biased == top && fraction == 7};
    result.significand = (int32_t)(biased ? fraction | 1u << row->fraction_bits : fraction);
    result.exponent = (int32_t)(biased ? biased : 1) - bias - row->fraction_bits;
    if (bits >> (row->width_bits - 1) & 1)
        result.significand = -result.significand;
    return result;
}

static inline float narrow_to_float(uint32_t bits, enum wl_matrix_format format)
{
    switch (format) {
    case WL_FORMAT_F16:
        return half_to_float(bits & 0xffffu);
    case WL_FORMAT_BF16:
        return float_of(bits << 16);
    case WL_FORMAT_TF32:
        return float_of(bits & 0xffffe000u);
    case WL_FORMAT_E5M2:
        return half_to_float((bits & 0xffu) << 8);
    case WL_FORMAT_E4M3: {
        struct scaled scaled = unpack_narrow(bits & 0xffu, format);
        float value = (float)scaled.significand;
        /* times 2^exponent, which lies in [-9, 5] */
        value *= float_of((uint32_t)(127 + scaled.exponent) << 23);
        if (bits & 0x80u && scaled.significand == 0)
            value = -0.0f;
        return scaled.is_special ? float_of(0x7fffffffu) : value;
    }
    default:
        return float_of(bits);
    }
}

#endif
