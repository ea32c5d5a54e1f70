#include "warp/interpolation.h"

/* The rows of a table have its slopes in the same unit. */
#define SEGMENT(start, slope, curve) \
    ((uint64_t)((uint32_t)(slope) << 12 | (uint32_t)(curve)) << 32 | (uint32_t)(start)),

const uint64_t wl_rcp_segments[128] = {
#define RCP_SEGMENT(start, slope, curve) SEGMENT(start, -2 * (slope), curve)
#include "warp/interpolation.def"
#undef RCP_SEGMENT
};
const uint64_t wl_rsqrt_segments[128] = {
#define RSQRT_SEGMENT(start, slope, curve) SEGMENT(start, -2 * (slope), curve)
#include "warp/interpolation.def"
#undef RSQRT_SEGMENT
};
const uint64_t wl_sqrt_segments[128] = {
#define SQRT_SEGMENT SEGMENT
#include "warp/interpolation.def"
#undef SQRT_SEGMENT
};
const uint64_t wl_ex2_segments[64] = {
#define EX2_SEGMENT(start, slope, curve) SEGMENT(start, 4 * (slope), curve)
#include "warp/interpolation.def"
#undef EX2_SEGMENT
};
const uint64_t wl_lg2_segments[64] = {
#define LG2_SEGMENT(start, slope, curve) SEGMENT(start, 4 * (slope), curve)
#include "warp/interpolation.def"
#undef LG2_SEGMENT
};
const uint64_t wl_sin_segments[64] = {
#define SIN_SEGMENT(start, slope, curve) SEGMENT(start, 16 * (slope), curve)
#include "warp/interpolation.def"
#undef SIN_SEGMENT
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

int64_t wl_interpolate(const struct wl_interpolation *by, uint32_t place)
{
    const uint64_t segment = by->segments[place >> WL_PLACE_BITS];
    const uint32_t rest = (uint32_t)(segment >> 32), x = place & WL_PLACE_MASK;
    const int64_t start = (int64_t)(uint32_t)segment << (WL_PLACE_BITS - by->start_bits);
    const int64_t bent = (int64_t)(rest & 0xfff) * square(x) << by->curve_shift;
    return start + by->bias + (int64_t)((int32_t)rest >> 12) * (int32_t)x +
           (by->bends_down ? -bent : bent);
}

static const struct {
    int32_t start, slope, curve;
} tanh_segments[] = {
#define TANH_SEGMENT(start, slope, curve) {start, slope, curve},
#include "warp/interpolation.def"
};
/* Of the exponents from -8 to 2: their first segment, how many bits of the mantissa are left out,
 * and how many bits of a result stand behind the point. */
static const struct {
    uint8_t first, left_out, point;
} tanh_exponents[] = {{0, 6, 31},  {1, 6, 30},  {2, 6, 29},  {3, 5, 28},  {5, 5, 27}, {7, 4, 26},
                      {11, 4, 25}, {15, 4, 24}, {19, 3, 24}, {27, 2, 24}, {43, 3, 24}};
enum { LEAST_EXPONENT = 119, TANH_POINT = 41 };

int64_t wl_interpolate_tanh(uint32_t bits)
{
    const uint32_t exponent = (bits >> 23) - LEAST_EXPONENT;
    const uint32_t place = (bits & 0x7fffff) >> tanh_exponents[exponent].left_out;
    const uint32_t number = tanh_exponents[exponent].first + (place >> WL_PLACE_BITS);
    const int32_t x = (int32_t)(place & WL_PLACE_MASK);
    const int64_t value = ((int64_t)tanh_segments[number].start << WL_PLACE_BITS) +
                          (int64_t)tanh_segments[number].slope * x +
                          (int64_t)tanh_segments[number].curve * (int32_t)square((uint32_t)x) * 4;
    return value >> (WL_PLACE_BITS + tanh_exponents[exponent].point - TANH_POINT);
}
