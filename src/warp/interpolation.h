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

/* start in the low word; in the high one slope, which has a sign, and in its 12 lowest bits curve.
 */
extern const uint64_t wl_rcp_segments[128], wl_rsqrt_segments[128], wl_sqrt_segments[128];
extern const uint64_t wl_ex2_segments[64], wl_lg2_segments[64], wl_sin_segments[64];

/* Values are in 2^-17 of the last place: start, slope times the place, curve times its square. */
struct wl_interpolation {
    const uint64_t *segments;
    uint32_t start_bits; /* of start, behind the point */
    int32_t bias;
    uint32_t curve_shift;
    bool bends_down;
};
#define WL_INTERPOLATION_RCP ((struct wl_interpolation){wl_rcp_segments, 2, 8092, 2, false})
#define WL_INTERPOLATION_RSQRT ((struct wl_interpolation){wl_rsqrt_segments, 2, 32766, 3, false})
#define WL_INTERPOLATION_SQRT ((struct wl_interpolation){wl_sqrt_segments, 2, 32767, 1, true})
#define WL_INTERPOLATION_EX2 ((struct wl_interpolation){wl_ex2_segments, 2, 24456, 2, false})
#define WL_INTERPOLATION_LG2 ((struct wl_interpolation){wl_lg2_segments, 3, 3348, 3, true})
#define WL_INTERPOLATION_SIN ((struct wl_interpolation){wl_sin_segments, 2, 0, 4, true})

/* The value at a place, which is the segment's number and the bits within it. The 17 lowest bits
 * are behind the last place. */
int64_t wl_interpolate(const struct wl_interpolation *by, uint32_t place);

/* |tanh(x)| for bits of |x| from 2^-8 to below 8, in 2^-41: there the segments of each exponent are
 * as many as it needs. */
int64_t wl_interpolate_tanh(uint32_t bits);

#endif
