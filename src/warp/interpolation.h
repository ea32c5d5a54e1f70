/* The interpolator of the special function unit, which its functions share: a segment of a table,
 * 17 bits of the argument within it, and the square of these, whose 19 lowest columns are left out.
 * With these tables the results are those of an H100, bit by bit. */
#ifndef WL_WARP_INTERPOLATION_H
#define WL_WARP_INTERPOLATION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WL_PLACE_BITS = 17, /* of the argument within a segment */
    WL_PLACE_MASK = (1 << WL_PLACE_BITS) - 1
};

/* The segments of a function, one after the other: start in the low word, and in the high one
 * slope, which has a sign, and in its lowest bits curve. The same words apart, for who looks them
 * up in vectors. */
#define WL_SEGMENTS(function, count)                                                  \
    extern const uint64_t wl_##function##_segments[count];                            \
    extern const uint32_t wl_##function##_starts[count] __attribute__((aligned(64))), \
        wl_##function##_rests[count] __attribute__((aligned(64)))
WL_SEGMENTS(rcp, 128);
WL_SEGMENTS(rsqrt, 128);
WL_SEGMENTS(sqrt, 128);
WL_SEGMENTS(ex2, 64);
WL_SEGMENTS(lg2, 64);
WL_SEGMENTS(sin, 64);
WL_SEGMENTS(tanh, 64);

/* tanh has as many segments of each exponent from -8 to 2 as it needs. exponents: how many bits of
 * the mantissa are left out, the first segment as part of a place, and as exponent of a float what
 * one of whole is; the rows behind are no exponent's. */
extern const uint32_t wl_tanh_exponents[16] __attribute__((aligned(64)));

/* A value is start times 2^10, slope times the place, and curve times its square. */
struct wl_interpolation {
    const uint64_t *segments;
    const uint32_t *starts, *rests;
    uint32_t count, curve_bits;
    int32_t bias;
    bool bends_down;
    uint32_t point; /* this many bits of a value are behind the last place */
};
#define WL_INTERPOLATION(function, ...)                                          \
    ((struct wl_interpolation){wl_##function##_segments, wl_##function##_starts, \
                               wl_##function##_rests, __VA_ARGS__})
#define WL_INTERPOLATION_RCP WL_INTERPOLATION(rcp, 128, 12, 8092, false, 17)
#define WL_INTERPOLATION_RSQRT WL_INTERPOLATION(rsqrt, 128, 13, 32766, false, 17)
#define WL_INTERPOLATION_SQRT WL_INTERPOLATION(sqrt, 128, 11, 32767, true, 17)
#define WL_INTERPOLATION_EX2 WL_INTERPOLATION(ex2, 64, 12, 24456, false, 17)
#define WL_INTERPOLATION_LG2 WL_INTERPOLATION(lg2, 64, 13, 3348, true, 17)
#define WL_INTERPOLATION_SIN WL_INTERPOLATION(sin, 64, 11, 0, true, 13)
#define WL_INTERPOLATION_TANH WL_INTERPOLATION(tanh, 64, 15, 0, true, 17)

/* Masks of pairs of bits, as the vectors of sim/exec/interpolate.h multiply them for a square: in
 * memory, from where operations take them without an instruction. */
extern const uint32_t wl_square_masks[9];

/* The value at a place, which is the segment's number and the bits within it. */
int64_t wl_interpolate(const struct wl_interpolation *by, uint32_t place);

#endif
