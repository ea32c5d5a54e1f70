#include "warp/approximate.h"

float wl_approximate_ex2(float value)
{
    const struct wl_interpolation by = WL_INTERPOLATION_EX2;
    const int32_t fixed = wl_ex2_fixed(value);
    const int64_t found = wl_interpolate(&by, wl_ex2_place(fixed));
    return wl_ex2_result(value, fixed, (uint32_t)(found >> WL_PLACE_BITS));
}

float wl_approximate_tanh(float value)
{
    const struct wl_interpolation by = WL_INTERPOLATION_TANH;
    const uint32_t bits = wl_bits_of_f32(value);
    const uint32_t exponent = wl_tanh_exponents[wl_tanh_exponent(bits)];
    const int64_t found = wl_interpolate(&by, wl_tanh_place(bits, exponent));
    return wl_tanh_result(value, exponent, (uint32_t)(found >> WL_PLACE_BITS),
                          (uint32_t)found & WL_PLACE_MASK);
}

void wl_approximate_powers(const float *of, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float power = wl_approximate_ex2(of[i] < -126.0f ? of[i] * 0.5f : of[i]);
        to[i] = of[i] < -126.0f ? power * power : power;
    }
}
