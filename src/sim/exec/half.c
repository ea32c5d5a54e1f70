/* Half-precision arithmetic in all its forms: one value or a pair, binary16 or bfloat16. The plain
 * forms of binary16 have operations of their own. All is computed in single precision and rounded
 * once more, which changes nothing: of sums and products it has more than twice the bits (Figueroa
 * 1995), below its own normal numbers those of bfloat16 are exact or less than half the least one,
 * and what is fused is rounded to odd first (Boldo, Melquiond 2008). */
#include "sim/exec/half_vector.h"
#include "sim/exec/lanes.h"
#include "sim/exec/unit.h"
#include "sim/exec/values16.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

#define SIGN 0x8000u

static inline u32 flush_half(u32 half)
{
    return half & 0x7c00u ? half : half & 0x8000u;
}

/* ---- plain forms ---- */

#ifdef HALF_LANES
static inline half_floats plain_vector(enum wl_half kind, half_floats x, half_floats y,
                                       half_floats z)
{
    if (kind == WL_HALF_FMA)
        return half_fused(x, y, z);
    if (kind == WL_HALF_MUL)
        return x * y;
    return kind == WL_HALF_ADD ? x + y : x - y;
}
#else
static inline u32 plain_half(enum wl_half kind, u32 a, u32 b, u32 c)
{
    const f32 x = half_to_float(a), y = half_to_float(b);
    return kind == WL_HALF_FMA ? fma_half(a, b, c)
                               : float_to_half(kind == WL_HALF_ADD   ? x + y
                                               : kind == WL_HALF_SUB ? x - y
                                                                     : x * y);
}
#endif

/* kind and is_pair: constants. */
static inline __attribute__((always_inline)) void
compute_plain(enum wl_half kind, bool is_pair, const u32 *a, const u32 *b, const u32 *c, u32 *d)
{
#ifdef HALF_LANES
    for (u32 at = 0; is_pair && at < WL_LANES; at += HALF_LANES / 2)
        half_store_pairs(d + at, plain_vector(kind, half_load_pairs(a + at),
                                              half_load_pairs(b + at), half_load_pairs(c + at)));
    for (u32 at = 0; !is_pair && at < WL_LANES; at += HALF_LANES)
        half_store_each(d + at, plain_vector(kind, half_load_each(a + at), half_load_each(b + at),
                                             half_load_each(c + at)));
#else
    WL_FOR_LANES (i) {
        const u32 low = plain_half(kind, a[i], b[i], c[i]);
        d[i] = is_pair ? pair(low, plain_half(kind, a[i] >> 16, b[i] >> 16, c[i] >> 16)) : low;
    }
#endif
}

#define PLAIN(id, kind, is_pair)                                       \
    RUN(id)                                                            \
    {                                                                  \
        const u32 *b = lane_register(warp, op->b);                     \
        compute_plain(kind, is_pair, lane_register(warp, op->a), b, b, \
                      lane_register(warp, op->dst));                   \
        return op + 1;                                                 \
    }                                                                  \
    RUN(id##_I)                                                        \
    {                                                                  \
        u32 b[WL_LANES] __attribute__((aligned(64)));                  \
        WL_FOR_LANES (i)                                               \
            b[i] = (u32)op->imm;                                       \
        compute_plain(kind, is_pair, lane_register(warp, op->a), b, b, \
                      lane_register(warp, op->dst));                   \
        return op + 1;                                                 \
    }
PLAIN(ADD_F16, WL_HALF_ADD, false)
PLAIN(SUB_F16, WL_HALF_SUB, false)
PLAIN(MUL_F16, WL_HALF_MUL, false)
PLAIN(ADD_F16X2, WL_HALF_ADD, true)
PLAIN(SUB_F16X2, WL_HALF_SUB, true)
PLAIN(MUL_F16X2, WL_HALF_MUL, true)

#define PLAIN_FUSED(id, is_pair)                                              \
    RUN(id)                                                                   \
    {                                                                         \
        compute_plain(WL_HALF_FMA, is_pair, lane_register(warp, op->a),       \
                      lane_register(warp, op->b), lane_register(warp, op->c), \
                      lane_register(warp, op->dst));                          \
        return op + 1;                                                        \
    }
PLAIN_FUSED(FMA_F16, false)
PLAIN_FUSED(FMA_F16X2, true)

RUN(CVT_F32_F16)
{
    f32 *d = lane_register(warp, op->dst);
    widen_halves(lane_register(warp, op->a), d);
    WL_FOR_LANES (i)
        d[i] = canonical_f32(d[i]);
    return op + 1;
}

RUN(CVT_F16_F32)
{
    narrow_halves(lane_register(warp, op->a), lane_register(warp, op->dst));
    return op + 1;
}

/* ---- all forms ---- */

/* d = numbers of 16 bits in single precision, which has them all. half: changes. */
static void widen(u32 *half, s64 flags, f32 *d)
{
    if (flags & WL_HALF_BFLOAT) {
        WL_FOR_LANES (i)
            d[i] = float_of(half[i] << 16);
        return;
    }
    if (flags & WL_HALF_FTZ)
        WL_FOR_LANES (i)
            half[i] = flush_half(half[i]);
    widen_halves(half, d);
}

/* d = values, which may have been rounded to odd, in 16 bits. */
static void narrow(f32 *value, s64 flags, u32 *d)
{
    if (flags & WL_HALF_SAT)
        WL_FOR_LANES (i)
            value[i] = saturate_f32(value[i]);
    if (flags & WL_HALF_RELU)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 || value[i] != value[i] ? value[i] : 0;
    if (flags & WL_HALF_BFLOAT) {
        WL_FOR_LANES (i)
            d[i] = single_to_bfloat(bits_of(value[i]), WL_ROUND_NEAREST);
        return;
    }
    narrow_halves(value, d);
    if (flags & WL_HALF_FTZ)
        WL_FOR_LANES (i)
            d[i] = flush_half(d[i]);
}

/* value = x * y + z, rounded to odd. */
static inline void fuse(const f32 *x, const f32 *y, const f32 *z, s64 flags, f32 *value)
{
#ifdef __AVX512F__
    (void)flags;
    for (u32 at = 0; at < WL_LANES; at += HALF_LANES)
        _mm512_store_ps(value + at, half_fused(_mm512_load_ps(x + at), _mm512_load_ps(y + at),
                                               _mm512_load_ps(z + at)));
#else
    if (flags & WL_HALF_BFLOAT) { /* whose product may be too small or too great */
        WL_FOR_LANES (i)
            value[i] = double_to_float_odd(sum_to_odd((f64)x[i] * (f64)y[i], (f64)z[i]));
    } else {
        WL_FOR_LANES (i)
            value[i] = single_sum_to_odd(x[i] * y[i], z[i]);
    }
#endif
}

/* d = values in 16 bits, cut off as the special function unit does it; what would be rounded to
 * infinity is that. */
static void cut_off(const f32 *value, s64 flags, u32 *d)
{
    u32 nearest[WL_LANES] __attribute__((aligned(64)));
    f32 back[WL_LANES] __attribute__((aligned(64)));
    if (flags & WL_HALF_BFLOAT) {
        WL_FOR_LANES (i)
            d[i] = bits_of(value[i]) >> 16;
        return;
    }
    narrow_halves(value, nearest);
    widen_halves(nearest, back);
    WL_FOR_LANES (i) {
        const u32 is_above = __builtin_fabsf(back[i]) > __builtin_fabsf(value[i]);
        d[i] = nearest[i] - (is_above & ((nearest[i] & 0x7fffu) < 0x7c00u));
    }
    if (flags & WL_HALF_FTZ)
        WL_FOR_LANES (i)
            d[i] = flush_half(d[i]);
}

static void approximate(enum wl_half kind, s64 flags, u32 *half, u32 *d)
{
    f32 value[WL_LANES] __attribute__((aligned(64)));
    widen(half, flags, value);
    if (kind == WL_HALF_TANH)
        unit_tanh(value, value);
    else if (are_usual(WL_USUAL_EX2, value))
        unit_ex2_usual(value, value);
    else
        unit_ex2(value, value);
    cut_off(value, flags, d);
}

#define CASE(kind, expression)       \
    case kind:                       \
        WL_FOR_LANES (i)             \
            value[i] = (expression); \
        break

/* d = the same numbers with another sign, or none; NaN becomes the one that arithmetic gives. */
static void change_sign(const u32 *half, s64 flags, bool negates, u32 *d)
{
    const u32 infinite = flags & WL_HALF_BFLOAT ? 0x7f80u : 0x7c00u;
    WL_FOR_LANES (i) {
        const u32 sign = negates ? (half[i] & SIGN) ^ SIGN : 0;
        const u32 kept = flags & WL_HALF_FTZ ? flush_half(half[i]) : half[i];
        const u32 magnitude = half[i] & ~SIGN;
        d[i] = magnitude > infinite ? 0x7fffu : (kept & ~SIGN) | sign;
    }
}

/* d = the operation on numbers of 16 bits in the lanes of a, b and c, which change. */
static void compute(enum wl_half kind, s64 flags, u32 *a, u32 *b, u32 *c, u32 *d)
{
    f32 x[WL_LANES] __attribute__((aligned(64))), y[WL_LANES] __attribute__((aligned(64)));
    f32 z[WL_LANES] __attribute__((aligned(64))), value[WL_LANES] __attribute__((aligned(64)));
    const bool wants_nan = flags & WL_HALF_NAN;
    widen(a, flags, x);
    widen(b, flags, y);
    switch (kind) {
        CASE(WL_HALF_ADD, x[i] + y[i]);
        CASE(WL_HALF_SUB, x[i] - y[i]);
        CASE(WL_HALF_MUL, x[i] * y[i]);
        CASE(WL_HALF_MIN, wants_nan ? minimum_nan_f32(x[i], y[i]) : minimum_f32(x[i], y[i]));
        CASE(WL_HALF_MAX, wants_nan ? maximum_nan_f32(x[i], y[i]) : maximum_f32(x[i], y[i]));
    case WL_HALF_FMA:
        widen(c, flags, z);
        fuse(x, y, z, flags, value);
        break;
    case WL_HALF_NEG: /* not here */
    case WL_HALF_ABS:
    case WL_HALF_EX2:
    case WL_HALF_TANH:
        break;
    }
    narrow(value, flags, d);
}

/* The same of magnitudes, with both signs multiplied. */
static void compute_xorsign(enum wl_half kind, s64 flags, u32 *a, u32 *b, u32 *d)
{
    const u32 infinite = flags & WL_HALF_BFLOAT ? 0x7f80u : 0x7c00u;
    u32 signs[WL_LANES];
    WL_FOR_LANES (i) {
        const bool is_nan = (a[i] & ~SIGN) > infinite || (b[i] & ~SIGN) > infinite;
        signs[i] = is_nan ? 0 : (a[i] ^ b[i]) & SIGN;
        a[i] &= ~SIGN;
        b[i] &= ~SIGN;
    }
    compute(kind, flags, a, b, a, d);
    WL_FOR_LANES (i)
        d[i] |= signs[i];
}

/* The same in the low or the high 16 bits of the registers. */
static void compute_part(const struct wl_warp *warp, const struct wl_op *op, u32 shift, u32 *d)
{
    const u32 *registers[] = {lane_register(warp, op->a), lane_register(warp, op->b),
                              lane_register(warp, op->c)};
    u32 part[3][WL_LANES] __attribute__((aligned(64)));
    for (u32 k = 0; k < 3; k++)
        WL_FOR_LANES (i)
            part[k][i] = registers[k][i] >> shift & 0xffffu;
    if (op->kind == WL_HALF_NEG || op->kind == WL_HALF_ABS)
        change_sign(part[0], op->imm, op->kind == WL_HALF_NEG, d);
    else if (op->kind == WL_HALF_EX2 || op->kind == WL_HALF_TANH)
        approximate(op->kind, op->imm, part[0], d);
    else if (op->imm & WL_HALF_XORSIGN)
        compute_xorsign(op->kind, op->imm, part[0], part[1], d);
    else
        compute(op->kind, op->imm, part[0], part[1], part[2], d);
}

RUN(HALF)
{
    u32 low[WL_LANES] __attribute__((aligned(64))), high[WL_LANES] __attribute__((aligned(64)));
    u32 *d = lane_register(warp, op->dst);
    const u32 active = warp->active;
    compute_part(warp, op, 0, low);
    if (op->imm & WL_HALF_PAIR)
        compute_part(warp, op, 16, high);
    else
        memset(high, 0, sizeof high);
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? pair(low[i], high[i]) : d[i];
    return op + 1;
}
