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

/* ---- all types: stored as one, computed in another, added and multiplied in a third, which wraps
 * around where the type is of integers, divided in a fourth ---- */

#define AS_IT_IS(value) (value)
/* INTEGER(number, stored, arithmetic, divided), FLOAT(number, stored, computed, read, write) */
#define TYPES(INTEGER, FLOAT)                           \
    INTEGER(0, int8_t, uint32_t, int64_t)               \
    INTEGER(1, uint8_t, uint32_t, uint64_t)             \
    INTEGER(2, int32_t, uint32_t, int64_t)              \
    INTEGER(3, uint32_t, uint32_t, uint64_t)            \
    INTEGER(4, int64_t, uint64_t, int64_t)              \
    INTEGER(5, uint64_t, uint64_t, uint64_t)            \
    FLOAT(HALF, uint16_t, float, read_half, write_half) \
    FLOAT(7, float, float, AS_IT_IS, AS_IT_IS)          \
    FLOAT(8, double, double, AS_IT_IS, AS_IT_IS)        \
    FLOAT(BFLOAT, uint16_t, float, read_bfloat, write_bfloat)

/* The greater and the lesser one; of floats a number where one is none. */
#define COMBINE(number, computed, arithmetic, is_greater, is_lesser)              \
    static computed combine_##number(int operation, computed one, computed other) \
    {                                                                             \
        switch (operation) {                                                      \
        case WL_NCCL_PRODUCT:                                                     \
            return (computed)((arithmetic)one * (arithmetic)other);               \
        case WL_NCCL_MAXIMUM:                                                     \
            return is_greater ? one : other;                                      \
        case WL_NCCL_MINIMUM:                                                     \
            return is_lesser ? one : other;                                       \
        default:                                                                  \
            return (computed)((arithmetic)one + (arithmetic)other);               \
        }                                                                         \
    }
#define COMBINE_INTEGER(number, stored, arithmetic, divided) \
    COMBINE(number, stored, arithmetic, one > other, one < other)
#define COMBINE_FLOAT(number, stored, computed, read, write)                           \
    COMBINE(number, computed, computed, one > other || (one == one && other != other), \
            one < other || (one == one && other != other))
TYPES(COMBINE_INTEGER, COMBINE_FLOAT)

void wl_nccl_combine(int type, int operation, void *to, const void *from, size_t count)
{
    switch (type) {
#define CASE(number, stored, read, write)                                                          \
    case number:                                                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            ((stored *)to)[i] = (stored)write(combine_##number(operation, read(((stored *)to)[i]), \
                                                               read(((const stored *)from)[i])));  \
        break;
#define CASE_INTEGER(number, stored, arithmetic, divided) CASE(number, stored, AS_IT_IS, AS_IT_IS)
#define CASE_FLOAT(number, stored, computed, read, write) CASE(number, stored, read, write)
        TYPES(CASE_INTEGER, CASE_FLOAT)
#undef CASE
    }
}

void wl_nccl_multiply(int type, void *to, const void *scalar, size_t count)
{
    switch (type) {
#define CASE(number, stored, read, write)                                                  \
    case number:                                                                           \
        for (size_t i = 0; i < count; i++)                                                 \
            ((stored *)to)[i] = (stored)write(combine_##number(                            \
                WL_NCCL_PRODUCT, read(((stored *)to)[i]), read(*(const stored *)scalar))); \
        break;
        TYPES(CASE_INTEGER, CASE_FLOAT)
#undef CASE
#undef CASE_INTEGER
#undef CASE_FLOAT
    }
}

#define NOTHING(number, stored, arithmetic, divided)

bool wl_nccl_inverse(int type, int ranks, void *inverse)
{
    switch (type) {
#define CASE(number, stored, computed, read, write)                        \
    case number:                                                           \
        *(stored *)inverse = (stored)write((computed)1 / (computed)ranks); \
        return true;
        TYPES(NOTHING, CASE)
#undef CASE
    }
    return false;
}

#undef NOTHING
#define NOTHING(number, stored, computed, read, write)

void wl_nccl_divide(int type, void *to, int ranks, size_t count)
{
    switch (type) {
#define CASE(number, stored, arithmetic, divided)                                      \
    case number:                                                                       \
        for (size_t i = 0; i < count; i++)                                             \
            ((stored *)to)[i] = (stored)((divided)((stored *)to)[i] / (divided)ranks); \
        break;
        TYPES(CASE, NOTHING)
#undef CASE
    }
}
