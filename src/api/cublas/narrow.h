/* Single halves and bfloat16 as their bits. */
#ifndef WL_API_CUBLAS_NARROW_H
#define WL_API_CUBLAS_NARROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float wl_narrow_value(uint16_t bits, bool is_bfloat)
{
    const uint32_t wide = (uint32_t)bits << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    float value;
    if (is_bfloat) {
        memcpy(&value, &wide, sizeof value);
        return value;
    }
    if (exponent == 31)
        return fraction ? __builtin_nanf("") : sign * __builtin_inff();
    if (exponent == 0)
        return sign * (float)fraction * 0x1p-24f;
    return sign * (float)(fraction + 1024) * __builtin_ldexpf(1, (int)exponent - 25);
}

/* To the nearest, ties to even. */
static inline uint16_t wl_narrow_bits(float value, bool is_bfloat)
{
    const float size = fabsf(value);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint32_t wide;
    int exponent;
    if (value != value)
        return 0x7fff;
    if (is_bfloat) {
        memcpy(&wide, &value, sizeof wide);
        return (uint16_t)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    }
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14f)
        return (uint16_t)(sign | (uint16_t)rintf(size * 0x1p24f));
    const float fraction = frexpf(size, &exponent); /* from 0.5 to 1 */
    return (uint16_t)(sign | ((exponent + 13) * 1024 + (int)rintf(fraction * 2048)));
}

#endif
