#include "api/nccl/reduce.h"

#include <stdint.h>
#include <string.h>

#include "base/count.h"

static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
enum { HALF = 6, BFLOAT = 9 };

size_t wl_nccl_type_bytes(int type)
{
    return type >= 0 && type < (int)WL_COUNT(type_bytes) ? type_bytes[type] : 0;
}

bool wl_nccl_can_reduce(int type)
{
    return type >= 0 && type <= BFLOAT;
}

/* ---- floats of 16 bits ---- */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float read_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = half & 0x7fffu;
    if (rest >= 0x7c00) /* infinity, NaN */
        return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400)
        return float_of(sign | ((rest << 13) + (112u << 23)));
    const float small = (float)rest * 0x1p-24f; /* not normalized */
    return sign ? -small : small;
}

/* Rounds to even. */
static uint16_t write_half(float value)
{
    const uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7fffu);
    if (magnitude >= 0x477ff000u) /* from 65520 on */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) /* the sum has halves' last place as its own */
        return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | ((rounded >> 13) - (112u << 10)));
}

static float read_bfloat(uint16_t value)
{
    return float_of((uint32_t)value << 16);
}

static uint16_t write_bfloat(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* ---- all types: stored as one, computed in another ---- */

#define AS_IT_IS(value) (value)
/* TYPE(number, stored, computed, read, write) */
#define TYPES(TYPE)                                    \
    TYPE(0, int8_t, int8_t, AS_IT_IS, AS_IT_IS)        \
    TYPE(1, uint8_t, uint8_t, AS_IT_IS, AS_IT_IS)      \
    TYPE(2, int32_t, int32_t, AS_IT_IS, AS_IT_IS)      \
    TYPE(3, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)    \
    TYPE(4, int64_t, int64_t, AS_IT_IS, AS_IT_IS)      \
    TYPE(5, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)    \
    TYPE(HALF, uint16_t, float, read_half, write_half) \
    TYPE(7, float, float, AS_IT_IS, AS_IT_IS)          \
    TYPE(8, double, double, AS_IT_IS, AS_IT_IS)        \
    TYPE(BFLOAT, uint16_t, float, read_bfloat, write_bfloat)

#define COMBINE(number, stored, computed, read, write)                            \
    static computed combine_##number(int operation, computed one, computed other) \
    {                                                                             \
        switch (operation) {                                                      \
        case WL_NCCL_PRODUCT:                                                     \
            return (computed)(one * other);                                       \
        case WL_NCCL_MAXIMUM:                                                     \
            return other > one ? other : one;                                     \
        case WL_NCCL_MINIMUM:                                                     \
            return other < one ? other : one;                                     \
        default:                                                                  \
            return (computed)(one + other);                                       \
        }                                                                         \
    }
TYPES(COMBINE)

void wl_nccl_combine(int type, int operation, void *to, const void *from, size_t count)
{
    switch (type) {
#define CASE(number, stored, computed, read, write)                                                \
    case number:                                                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            ((stored *)to)[i] = (stored)write(combine_##number(operation, read(((stored *)to)[i]), \
                                                               read(((const stored *)from)[i])));  \
        break;
        TYPES(CASE)
#undef CASE
    }
}

void wl_nccl_multiply(int type, void *to, const void *scalar, size_t count)
{
    switch (type) {
#define CASE(number, stored, computed, read, write)                                        \
    case number:                                                                           \
        for (size_t i = 0; i < count; i++)                                                 \
            ((stored *)to)[i] = (stored)write(combine_##number(                            \
                WL_NCCL_PRODUCT, read(((stored *)to)[i]), read(*(const stored *)scalar))); \
        break;
        TYPES(CASE)
#undef CASE
    }
}

void wl_nccl_divide(int type, void *to, int ranks, size_t count)
{
    switch (type) {
#define CASE(number, stored, computed, read, write)                                   \
    case number:                                                                      \
        for (size_t i = 0; i < count; i++)                                            \
            ((stored *)to)[i] =                                                       \
                (stored)write((computed)(read(((stored *)to)[i]) / (computed)ranks)); \
        break;
        TYPES(CASE)
#undef CASE
    }
}
