#include "warp/interpolation.h"

/* In the high word of a segment. */
#define REST(slope, curve, curve_bits) ((uint32_t)(slope) << (curve_bits) | (uint32_t)(curve))

#define TABLE(function, count) const uint64_t wl_##function##_segments[count]
#define SEGMENT(start, slope, curve, curve_bits) \
    (uint64_t) REST(slope, curve, curve_bits) << 32 | (uint32_t)(start),
#include "warp/interpolation_tables.def"
#undef TABLE
#undef SEGMENT

#define TABLE(function, count) \
    const uint32_t wl_##function##_starts[count] __attribute__((aligned(64)))
#define SEGMENT(start, slope, curve, curve_bits) (start),
#include "warp/interpolation_tables.def"
#undef TABLE
#undef SEGMENT

#define TABLE(function, count) \
    const uint32_t wl_##function##_rests[count] __attribute__((aligned(64)))
#define SEGMENT(start, slope, curve, curve_bits) REST(slope, curve, curve_bits),
#include "warp/interpolation_tables.def"

#define EXPONENT(first, left_out, point) \
    ((uint32_t)(127 + WL_PLACE_BITS - (point)) << 23 | (first) << WL_PLACE_BITS | (left_out))
const uint32_t wl_tanh_exponents[16] __attribute__((aligned(64))) = {
    EXPONENT(0, 6, 40),  EXPONENT(1, 6, 39),  EXPONENT(2, 6, 38),  EXPONENT(3, 5, 38),
    EXPONENT(5, 5, 37),  EXPONENT(7, 4, 38),  EXPONENT(11, 4, 37), EXPONENT(15, 4, 36),
    EXPONENT(19, 3, 37), EXPONENT(27, 2, 39), EXPONENT(43, 3, 39),
};

/* x^2 in units of 2^19; what is below one is left out of each partial product. */
static uint32_t square(uint32_t x)
{
    const uint32_t high = x >> 9;
    uint32_t sum = (high * high - (high & 1)) >> 1;
    for (uint32_t bit = 2; bit < 9; bit++)
        sum += x >> bit & 1 ? x >> (18 - bit) : 0;
    return sum;
}

#define TWICE(half) ((uint32_t)(half) << 16 | (half))
const uint32_t wl_square_masks[9] = {
    TWICE(0x7f80), TWICE(0x0180), TWICE(0x7f00), TWICE(0x0060), TWICE(0x7c00),
    TWICE(0x0018), TWICE(0x7000), TWICE(0x0004), TWICE(0x4000),
};

int64_t wl_interpolate(const struct wl_interpolation *by, uint32_t place)
{
    const uint64_t segment = by->segments[place >> WL_PLACE_BITS];
    const uint32_t rest = (uint32_t)(segment >> 32), x = place & WL_PLACE_MASK;
    const int64_t bent = (int64_t)(rest & ((1u << by->curve_bits) - 1)) * square(x);
    return ((int64_t)(uint32_t)segment << 10) + by->bias +
           (int64_t)((int32_t)rest >> by->curve_bits) * (int32_t)x +
           (by->bends_down ? -bent : bent);
}
