#include "warp/approximate.h"

float wl_approximate_ex2(float value)
{
    const struct wl_interpolation by = WL_INTERPOLATION_EX2;
    const uint32_t bits = wl_bits_of_f32(value);
    const int64_t found = wl_interpolate(&by, wl_ex2_place(bits));
    return wl_f32_of_bits(wl_ex2_result(bits, (uint32_t)(found >> WL_PLACE_BITS)));
}

/* Below 2^-8 it is the argument; from 8 on it is one. */
float wl_approximate_tanh(float value)
{
    const uint32_t bits = wl_bits_of_f32(value), magnitude = bits & 0x7fffffff;
    if (magnitude > WL_INFINITE)
        return wl_f32_of_bits(WL_CANONICAL_NAN);
    if (magnitude >= wl_bits_of_f32(8))
        return value < 0 ? -1.0f : 1.0f;
    if (magnitude < wl_bits_of_f32(0x1p-8f))
        return value;
    const float result = wl_cut_off((double)wl_interpolate_tanh(magnitude), 0x1p-41);
    return value < 0 ? -result : result;
}

void wl_approximate_powers(const float *of, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float power = wl_approximate_ex2(of[i] < -126.0f ? of[i] * 0.5f : of[i]);
        to[i] = of[i] < -126.0f ? power * power : power;
    }
}
