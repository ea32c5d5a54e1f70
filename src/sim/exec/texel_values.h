/* Where texels are and what they are worth: what fetches of a lane and of a warp have in common.
 * Internal to the executor's textures. */
#ifndef WL_SIM_EXEC_TEXEL_VALUES_H
#define WL_SIM_EXEC_TEXEL_VALUES_H

#include <math.h>

#include "sim/exec/values16.h"
#include "sim/texture.h"

/* Weights of texels and the positions they come from have 8 fraction bits. */
#define ONE 256
#define HALF 128
/* Fraction bits that coordinates from 0 to 1 keep. */
#define COORDINATE_ONE (1 << 21)
#define OUTSIDE (-1) /* a texel of the border */

static inline uint32_t axis_length(const struct wl_texture *texture, int axis)
{
    uint32_t length = axis == 0 ? texture->width : axis == 1 ? texture->height : texture->depth;
    return length ? length : 1;
}

static inline double bounded(double value)
{
    const double limit = 1 << 30;
    const double least = value <= -limit ? -limit : value;
    const double number = value != value ? 0 : least;
    return number > limit ? limit : number;
}

/* Whether fetches give numbers of single precision. */
static inline bool gives_float(const struct wl_texture *texture)
{
    return texture->kind == WL_TEXEL_FLOAT || texture->reads_float;
}

static inline bool is_filterable(const struct wl_texture *texture)
{
    return texture->kind == WL_TEXEL_FLOAT || texture->channel_bytes < 4;
}

/* Integers that are read as numbers count from here, of which 1 is ... */
static inline double one_of(const struct wl_texture *texture)
{
    return texture->kind == WL_TEXEL_SIGNED ? 32767 : 65535;
}

/* What an integer of the texture counts for as filtering sees it: a 16-bit one. */
static inline double step_of(const struct wl_texture *texture)
{
    const double step = texture->kind == WL_TEXEL_SIGNED ? 32767.0 / 127.0 : 257.0;
    return texture->channel_bytes == 1 ? step : 1;
}

/* The border's color has no more bits than the texels. */
static inline double border_value(const struct wl_texture *texture, uint32_t i)
{
    const double greatest = texture->channel_bytes == 1
                                ? (texture->kind == WL_TEXEL_SIGNED ? 127 : 255)
                                : one_of(texture);
    if (texture->kind == WL_TEXEL_FLOAT)
        return (double)texture->border[i];
    return ceil((double)texture->border[i] * greatest - 0.5) / greatest * one_of(texture);
}

/* What a fetch gives for a value as filtering sees it: one of single or of half precision, to 24 or
 * 11 significant bits, halves away from zero; ... */
static inline uint32_t float_result(double value, bool is_half)
{
    const double magnitude = fabs(value), least = is_half ? 0x1p-14 : 0x1p-126;
    const uint64_t half = 1ull << (is_half ? 41 : 28);
    const double rounded = double_of((bits_of_double(value) + half) & ~(2 * half - 1));
    return bits_of((float)(magnitude >= least && magnitude < 0x1p127 ? rounded : value));
}

/* ... integers that stay integers, to the nearest, halves up, as an H200 does; ... */
static inline uint32_t integer_result(double value, double step)
{
    return (uint32_t)(int32_t)floor(value / step + 0.5);
}

/* ... and those that become numbers up to 1. */
static inline uint32_t fraction_result(double value, double one)
{
    const double fraction = floor(value + 0.5) / one;
    return bits_of((float)(fraction < -1 ? -1 : fraction));
}

/* A part of a weight; halves up or down. */
static inline int32_t part_of(int32_t weight, int32_t fraction, bool rounds_up)
{
    return (int32_t)((uint32_t)(weight * fraction + (rounds_up ? HALF : HALF - 1)) / ONE);
}

#endif
