/* Operations that the special function unit does, or does the most of: all lanes. The sequences
 * around it are those of machine code for sm_90. */
#include "warp/approximate.h"

#include "sim/exec/expression.h"
#include "sim/exec/unit.h"

struct lane_floats {
    f32 of[WL_LANES] __attribute__((aligned(64)));
};

static inline bool is_subnormal(f32 value)
{
    return !(bits_of(value) & 0x7f800000);
}

/* to may be of. Of a function's two, the first is for usual arguments. */
#define UNIT_OF(name, table, place, result)                        \
    static inline void name(const f32 *of, f32 *to)                \
    {                                                              \
        struct lane_words places, whole, behind;                   \
        WL_FOR_LANES (i)                                           \
            places.of[i] = place(bits_of(of[i]));                  \
        interpolate(table, &places, &whole, &behind);              \
        WL_FOR_LANES (i)                                           \
            to[i] = float_of(result(bits_of(of[i]), whole.of[i])); \
    }
#define UNIT(name, table, place, result)                \
    UNIT_OF(name##_usual, table, place, result##_usual) \
    UNIT_OF(name, table, place, result##_result)
UNIT(unit_rcp, WL_INTERPOLATION_RCP, wl_rcp_place, wl_rcp)
UNIT(unit_rsqrt, WL_INTERPOLATION_RSQRT, wl_root_place, wl_rsqrt)
UNIT(unit_sqrt, WL_INTERPOLATION_SQRT, wl_root_place, wl_sqrt)

#define UNIT_LG2(name, result)                                         \
    static inline void name(const f32 *of, f32 *to)                    \
    {                                                                  \
        struct lane_words places, whole, behind;                       \
        WL_FOR_LANES (i)                                               \
            places.of[i] = bits_of(of[i]) & 0x7fffff;                  \
        interpolate(WL_INTERPOLATION_LG2, &places, &whole, &behind);   \
        WL_FOR_LANES (i)                                               \
            to[i] = result(bits_of(of[i]), whole.of[i], behind.of[i]); \
    }
UNIT_LG2(unit_lg2_usual, wl_lg2_usual)
UNIT_LG2(unit_lg2, wl_lg2_result)

#define UNIT_SIN(name, quarters, to_fixed, result)                                   \
    static inline void name(const f32 *of, f32 *to)                                  \
    {                                                                                \
        struct lane_words fixed, places, whole, behind;                              \
        WL_FOR_LANES (i) {                                                           \
            fixed.of[i] = to_fixed(of[i], quarters);                                 \
            places.of[i] = wl_sin_place(fixed.of[i]);                                \
        }                                                                            \
        interpolate(WL_INTERPOLATION_SIN, &places, &whole, &behind);                 \
        WL_FOR_LANES (i)                                                             \
            to[i] = result(of[i], quarters, fixed.of[i], whole.of[i], behind.of[i]); \
    }
UNIT_SIN(unit_sin_usual, 0, wl_sin_fixed_usual, wl_sin_usual)
UNIT_SIN(unit_sin, 0, wl_sin_fixed, wl_sin_result)
UNIT_SIN(unit_cos_usual, 1, wl_sin_fixed_usual, wl_sin_usual)
UNIT_SIN(unit_cos, 1, wl_sin_fixed, wl_sin_result)

#define OPERANDS(TD, TA)                      \
    const TA *a = lane_register(warp, op->a); \
    TD *d = lane_register(warp, op->dst)

static void scaled_rcp(const f32 *a, f32 *d)
{
    struct lane_floats scaled, factors;
    WL_FOR_LANES (i) {
        const f32 factor = __builtin_fabsf(a[i]) > 0x1p126f ? 0.25f : 1.0f;
        factors.of[i] = is_subnormal(a[i]) ? 0x1p24f : factor;
        scaled.of[i] = a[i] * factors.of[i];
    }
    unit_rcp(scaled.of, scaled.of);
    WL_FOR_LANES (i)
        d[i] = scaled.of[i] * factors.of[i];
}

/* Subnormal arguments times 2^24, and what that makes of results. */
#define SCALED(name, unit, behind)                                          \
    static void name(const f32 *a, f32 *d)                                  \
    {                                                                       \
        struct lane_floats scaled, result;                                  \
        WL_FOR_LANES (i)                                                    \
            scaled.of[i] = is_subnormal(a[i]) ? a[i] * 0x1p24f : a[i];      \
        unit(scaled.of, result.of);                                         \
        WL_FOR_LANES (i)                                                    \
            d[i] = is_subnormal(a[i]) ? result.of[i] behind : result.of[i]; \
    }
SCALED(scaled_rsqrt, unit_rsqrt, *0x1p12f)
SCALED(scaled_sqrt, unit_sqrt, *0x1p-12f)
SCALED(scaled_lg2, unit_lg2, -24.0f)

/* Where the result may be subnormal, it is the square of that of half the argument. */
static void halved_ex2(const f32 *a, f32 *d)
{
    struct lane_floats halved, result;
    WL_FOR_LANES (i)
        halved.of[i] = a[i] < -126.0f ? a[i] * 0.5f : a[i];
    unit_ex2(halved.of, result.of);
    WL_FOR_LANES (i)
        d[i] = a[i] < -126.0f ? result.of[i] * result.of[i] : result.of[i];
}

#define FUNCTION(id, usual, unit_usual, unit) \
    HEAD(id)                                  \
    {                                         \
        OPERANDS(f32, f32);                   \
        if (are_usual(usual, a))              \
            unit_usual(a, d);                 \
        else                                  \
            unit(a, d);                       \
        return op + 1;                        \
    }
FUNCTION(RCP_APPROX_FTZ_F32, WL_USUAL_RCP, unit_rcp_usual, unit_rcp)
FUNCTION(RCP_APPROX_F32, WL_USUAL_RCP, unit_rcp_usual, scaled_rcp)
FUNCTION(RSQRT_FTZ_F32, WL_USUAL_ROOT, unit_rsqrt_usual, unit_rsqrt)
FUNCTION(RSQRT_F32, WL_USUAL_ROOT, unit_rsqrt_usual, scaled_rsqrt)
FUNCTION(SQRT_APPROX_FTZ_F32, WL_USUAL_ROOT, unit_sqrt_usual, unit_sqrt)
FUNCTION(SQRT_APPROX_F32, WL_USUAL_ROOT, unit_sqrt_usual, scaled_sqrt)
FUNCTION(LG2_FTZ_F32, WL_USUAL_LG2, unit_lg2_usual, unit_lg2)
FUNCTION(LG2_F32, WL_USUAL_LG2, unit_lg2_usual, scaled_lg2)
FUNCTION(EX2_FTZ_F32, WL_USUAL_EX2, unit_ex2_usual, unit_ex2)
FUNCTION(EX2_F32, WL_USUAL_EX2, unit_ex2_usual, halved_ex2)
FUNCTION(SIN_F32, WL_USUAL_SIN, unit_sin_usual, unit_sin)
FUNCTION(COS_F32, WL_USUAL_SIN, unit_cos_usual, unit_cos)

HEAD(TANH_F32)
{
    OPERANDS(f32, f32);
    unit_tanh(a, d);
    return op + 1;
}

/* a times the reciprocal of b, both scaled where b is subnormal or, wants_large, near the greatest.
 */
static inline __attribute__((always_inline)) void divide_scaled(const f32 *a, const f32 *b, f32 *d,
                                                                bool is_flushed, bool wants_large)
{
    struct lane_floats dividends, divisors;
    WL_FOR_LANES (i) {
        const f32 large = wants_large && __builtin_fabsf(b[i]) > 0x1p126f ? 0.25f : 1.0f;
        const f32 factor = !is_flushed && is_subnormal(b[i]) ? 0x1p24f : large;
        const f32 dividend = (is_flushed ? flush_f32(a[i]) : a[i]) * factor;
        dividends.of[i] = is_flushed ? flush_f32(dividend) : dividend;
        divisors.of[i] = b[i] * factor;
    }
    unit_rcp(divisors.of, divisors.of);
    WL_FOR_LANES (i) {
        const f32 quotient = canonical_f32(dividends.of[i] * divisors.of[i]);
        d[i] = is_flushed ? flush_f32(quotient) : quotient;
    }
}

static inline __attribute__((always_inline)) void divide(const f32 *a, const f32 *b, f32 *d,
                                                         bool is_flushed, bool wants_large)
{
    if (are_usual(WL_USUAL_RCP, b)) {
        struct lane_floats reciprocals;
        unit_rcp_usual(b, reciprocals.of);
        WL_FOR_LANES (i) {
            const f32 dividend = is_flushed ? flush_f32(a[i]) : a[i];
            const f32 quotient = canonical_f32(dividend * reciprocals.of[i]);
            d[i] = is_flushed ? flush_f32(quotient) : quotient;
        }
    } else {
        divide_scaled(a, b, d, is_flushed, wants_large);
    }
}

#define DIVIDE(id, is_flushed, wants_large)                                \
    HEAD(id)                                                               \
    {                                                                      \
        OPERANDS(f32, f32);                                                \
        divide(a, lane_register(warp, op->b), d, is_flushed, wants_large); \
        return op + 1;                                                     \
    }                                                                      \
    HEAD(id##_I)                                                           \
    {                                                                      \
        OPERANDS(f32, f32);                                                \
        IMMEDIATE(f32, divisor);                                           \
        struct lane_floats divisors;                                       \
        WL_FOR_LANES (i)                                                   \
            divisors.of[i] = divisor;                                      \
        divide(a, divisors.of, d, is_flushed, wants_large);                \
        return op + 1;                                                     \
    }
DIVIDE(DIV_APPROX_F32, false, false)
DIVIDE(DIV_APPROX_FTZ_F32, true, false)
DIVIDE(DIV_FULL_F32, false, true)
DIVIDE(DIV_FULL_FTZ_F32, true, true)

/* The unit takes and gives the high word of a double, whose low one is zero then. */
static inline u64 wide_rcp(u32 high, u32 whole)
{
    const u32 sign = high & 0x80000000u, biased = high >> 20 & 2047;
    const s32 exponent = 2045 - (s32)biased + (s32)(whole >> 24);
    u32 result = exponent <= 0 ? 0 : (u32)exponent << 20 | (whole >> 3 & 0xfffff);
    result = biased == 0 ? 0x7ff00000u : biased == 2047 ? 0 : result;
    return (u64)((high & 0x7fffffff) > 0x7ff00000u ? WL_CANONICAL_NAN : sign | result) << 32;
}

HEAD(RCP_APPROX_FTZ_F64)
{
    OPERANDS(u64, u64);
    struct lane_words places, whole, behind;
    WL_FOR_LANES (i)
        places.of[i] = (u32)(a[i] >> 32 & 0xfffff) << 4;
    interpolate(WL_INTERPOLATION_RCP, &places, &whole, &behind);
    WL_FOR_LANES (i)
        d[i] = wide_rcp((u32)(a[i] >> 32), whole.of[i]);
    return op + 1;
}

static inline u32 wide_root_place(u32 high)
{
    return (~high & 0x100000) << 3 | (high & 0xfffff) << 3;
}

static inline u64 wide_rsqrt(u32 high, u32 whole)
{
    const u32 sign = high & 0x80000000u, biased = high >> 20 & 2047;
    whole = wide_root_place(high) ? whole : 1 << 24;
    const u32 exponent = 1022 + 511 - ((biased - (~biased & 1)) >> 1) + (whole >> 24);
    u32 result = exponent << 20 | (whole >> 3 & 0xfffff);
    result = biased == 2047 ? 0 : result;
    result = sign || (high & 0x7fffffff) > 0x7ff00000u ? WL_CANONICAL_NAN : result;
    return (u64)(biased == 0 ? sign | 0x7ff00000u : result) << 32;
}

static inline void unit_wide_rsqrt(const u64 *of, u64 *to)
{
    struct lane_words places, whole, behind;
    WL_FOR_LANES (i)
        places.of[i] = wide_root_place((u32)(of[i] >> 32));
    interpolate(WL_INTERPOLATION_RSQRT, &places, &whole, &behind);
    WL_FOR_LANES (i)
        to[i] = wide_rsqrt((u32)(of[i] >> 32), whole.of[i]);
}

HEAD(RSQRT_APPROX_FTZ_F64)
{
    OPERANDS(u64, u64);
    unit_wide_rsqrt(a, d);
    return op + 1;
}

/* One step from what the unit gives; zero, what is infinite, negative or no number apart. */
static inline f64 refined_rsqrt(f64 scaled, f64 root, f64 a, bool is_small)
{
    const f64 error = __builtin_fma(scaled, -(root * root), 1.0);
    const f64 refined = __builtin_fma(__builtin_fma(error, 0.375, 0.5), root * error, root);
    f64 result = is_small ? refined * 0x1p27 : refined;
    result = a < 0 ? double_of(0xfff8000000000000ull) : result;
    result = a == double_of(0x7ff0000000000000ull) ? 0 : result;
    result = a == 0 ? double_of((bits_of_double(a) & 0x8000000000000000ull) | 0x7ff0000000000000ull)
                    : result;
    return a != a ? a + a : result;
}

HEAD(RSQRT_APPROX_F64)
{
    OPERANDS(f64, f64);
    f64 scaled[WL_LANES] __attribute__((aligned(64)));
    u64 bits[WL_LANES] __attribute__((aligned(64))), roots[WL_LANES] __attribute__((aligned(64)));
    WL_FOR_LANES (i) {
        scaled[i] = __builtin_fabs(a[i]) < 0x1p-1022 ? a[i] * 0x1p54 : a[i];
        bits[i] = bits_of_double(scaled[i]);
    }
    unit_wide_rsqrt(bits, roots);
    WL_FOR_LANES (i)
        d[i] =
            refined_rsqrt(scaled[i], double_of(roots[i]), a[i], __builtin_fabs(a[i]) < 0x1p-1022);
    return op + 1;
}
