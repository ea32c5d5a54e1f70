/* The bits of a number in single precision, and the number of bits. */
#ifndef WL_BASE_FLOAT_BITS_H
#define WL_BASE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t wl_bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float wl_f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
