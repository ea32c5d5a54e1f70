/* Half-precision arithmetic in all its forms: one value or a pair, binary16 or bfloat16. The plain
 * forms of binary16 have operations of their own. */
#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"
#include "warp/approximate.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

#define SIGN 0x8000u

static inline u32 flush_half(u32 half)
{
    return half & 0x7c00u ? half : half & 0x8000u;
}

/* d = numbers of 16 bits in single precision, which has them all. */
static void widen(const u32 *half, s64 flags, f32 *d)
{
    if (flags & WL_HALF_BFLOAT) {
        WL_FOR_LANES (i)
            d[i] = float_of(half[i] << 16);
    } else if (flags & WL_HALF_FTZ) {
        WL_FOR_LANES (i)
            d[i] = half_to_float(flush_half(half[i]));
    } else {
        WL_FOR_LANES (i)
            d[i] = half_to_float(half[i]);
    }
}

/* d = values, which may have been rounded to odd, in 16 bits. */
static void narrow(f64 *value, s64 flags, u32 *d)
{
    if (flags & WL_HALF_SAT)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 ? (value[i] < 1 ? value[i] : 1) : 0;
    if (flags & WL_HALF_RELU)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 || value[i] != value[i] ? value[i] : 0;
    if (flags & WL_HALF_BFLOAT) {
        WL_FOR_LANES (i)
            d[i] = bfloat_rounded(value[i], WL_ROUND_NEAREST);
        return;
    }
    WL_FOR_LANES (i)
        d[i] = double_to_half(value[i]);
    if (flags & WL_HALF_FTZ)
        WL_FOR_LANES (i)
            d[i] = flush_half(d[i]);
}

/* What the special function unit gives is cut off, not rounded. */
static inline u32 narrow_cut(f32 value, s64 flags)
{
    if (flags & WL_HALF_BFLOAT)
        return bits_of(value) >> 16;
    const u32 half = float_to_half(value);
    const bool is_above = __builtin_fabsf(half_to_float(half)) > __builtin_fabsf(value);
    const u32 cut = is_above && (half & 0x7fffu) < 0x7c00u ? half - 1 : half;
    return flags & WL_HALF_FTZ ? flush_half(cut) : cut;
}

static void approximate(enum wl_half kind, s64 flags, const u32 *half, u32 *d)
{
    f32 x[WL_LANES] __attribute__((aligned(64)));
    widen(half, flags, x);
    WL_FOR_LANES (i) {
        const f32 found =
            kind == WL_HALF_EX2 ? wl_approximate_ex2(x[i]) : wl_approximate_tanh(x[i]);
        d[i] = narrow_cut(found, flags);
    }
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

/* d = the operation on numbers of 16 bits in the lanes of a, b and c. A sum of two is rounded twice
 * as it would be once: double precision has more than twice their bits (Figueroa 1995). */
static void compute(enum wl_half kind, s64 flags, const u32 *a, const u32 *b, const u32 *c, u32 *d)
{
    f32 x[WL_LANES] __attribute__((aligned(64))), y[WL_LANES] __attribute__((aligned(64)));
    f32 z[WL_LANES] __attribute__((aligned(64)));
    f64 value[WL_LANES] __attribute__((aligned(64)));
    const bool wants_nan = flags & WL_HALF_NAN;
    widen(a, flags, x);
    widen(b, flags, y);
    switch (kind) {
        CASE(WL_HALF_ADD, (f64)x[i] + (f64)y[i]);
        CASE(WL_HALF_SUB, (f64)x[i] - (f64)y[i]);
        CASE(WL_HALF_MUL, (f64)x[i] * (f64)y[i]);
        CASE(WL_HALF_MIN, (f64)(wants_nan ? minimum_nan_f32(x[i], y[i]) : minimum_f32(x[i], y[i])));
        CASE(WL_HALF_MAX, (f64)(wants_nan ? maximum_nan_f32(x[i], y[i]) : maximum_f32(x[i], y[i])));
    case WL_HALF_FMA:
        widen(c, flags, z);
        WL_FOR_LANES (i)
            value[i] = sum_to_odd((f64)x[i] * (f64)y[i], (f64)z[i]);
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
static void compute_xorsign(enum wl_half kind, s64 flags, const u32 *a, const u32 *b, u32 *d)
{
    const u32 infinite = flags & WL_HALF_BFLOAT ? 0x7f80u : 0x7c00u;
    u32 magnitudes[2][WL_LANES];
    WL_FOR_LANES (i) {
        magnitudes[0][i] = a[i] & ~SIGN;
        magnitudes[1][i] = b[i] & ~SIGN;
    }
    compute(kind, flags, magnitudes[0], magnitudes[1], magnitudes[0], d);
    WL_FOR_LANES (i) {
        const bool is_nan = magnitudes[0][i] > infinite || magnitudes[1][i] > infinite;
        d[i] = is_nan ? d[i] : d[i] | ((a[i] ^ b[i]) & SIGN);
    }
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
