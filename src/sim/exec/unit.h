/* The special function unit's functions that have single precision and halves: all lanes. */
#ifndef WL_SIM_EXEC_UNIT_H
#define WL_SIM_EXEC_UNIT_H

#include "sim/exec/interpolate.h"
#include "sim/exec/values.h"

/* to may be of. The first is for usual arguments. */
#define UNIT_EX2(name, to_fixed, result)                             \
    static inline void name(const f32 *of, f32 *to)                  \
    {                                                                \
        struct lane_words fixed, places, whole, behind;              \
        WL_FOR_LANES (i) {                                           \
            fixed.of[i] = (u32)to_fixed(of[i]);                      \
            places.of[i] = wl_ex2_place((s32)fixed.of[i]);           \
        }                                                            \
        interpolate(WL_INTERPOLATION_EX2, &places, &whole, &behind); \
        WL_FOR_LANES (i)                                             \
            to[i] = result(of[i], (s32)fixed.of[i], whole.of[i]);    \
    }
UNIT_EX2(unit_ex2_usual, wl_ex2_fixed_usual, wl_ex2_usual)
UNIT_EX2(unit_ex2, wl_ex2_fixed, wl_ex2_result)

static inline void unit_tanh(const f32 *of, f32 *to)
{
    struct lane_words exponents, places, whole, behind;
    WL_FOR_LANES (i)
        places.of[i] = wl_tanh_exponent(bits_of(of[i]));
    look_up(wl_tanh_exponents, &places, &exponents);
    WL_FOR_LANES (i)
        places.of[i] = wl_tanh_place(bits_of(of[i]), exponents.of[i]);
    interpolate(WL_INTERPOLATION_TANH, &places, &whole, &behind);
    WL_FOR_LANES (i)
        to[i] = wl_tanh_result(of[i], exponents.of[i], whole.of[i], behind.of[i]);
}

#endif
