#include "warp/approximate.h"

static float power_of(float value)
{
    const struct wl_interpolation by = WL_INTERPOLATION_EX2;
    const int32_t fixed = wl_ex2_fixed(value);
    const int64_t found = wl_interpolate(&by, wl_ex2_place(fixed));
    return wl_ex2_result(value, fixed, (uint32_t)(found >> WL_PLACE_BITS));
}

void wl_approximate_powers(const float *of, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float power = power_of(of[i] < -126.0f ? of[i] * 0.5f : of[i]);
        to[i] = of[i] < -126.0f ? power * power : power;
    }
}
