/* Half-precision arithmetic in all its forms: one value or a pair, binary16 or bfloat16. The plain
 * forms of binary16 have operations of their own. */
#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"
#include "warp/approximate.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

static inline u32 flush_half(u32 half)
{
    return half & 0x7c00u ? half : half & 0x8000u;
}

static inline f32 widen(u32 half, s64 flags)
{
    if (flags & WL_HALF_BFLOAT)
        return float_of(half << 16);
    return half_to_float(flags & WL_HALF_FTZ ? flush_half(half) : half);
}

static inline u32 narrow(f64 value, s64 flags)
{
    if (flags & WL_HALF_SAT)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (flags & WL_HALF_RELU)
        value = value > 0 || value != value ? value : 0;
    if (flags & WL_HALF_BFLOAT)
        return bfloat_rounded(value, WL_ROUND_NEAREST);
    u32 half = double_to_half(value);
    return flags & WL_HALF_FTZ ? flush_half(half) : half;
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

/* The same number with that sign; NaN becomes the one that arithmetic gives. */
static inline u32 with_sign(u32 half, s64 flags, u32 sign)
{
    const u32 infinite = flags & WL_HALF_BFLOAT ? 0x7f80u : 0x7c00u;
    const u32 kept = flags & WL_HALF_FTZ ? flush_half(half) : half;
    return (half & 0x7fffu) > infinite ? 0x7fffu : (kept & 0x7fffu) | sign;
}

static u32 compute(enum wl_half kind, s64 flags, u32 a, u32 b, u32 c)
{
    const u32 sign = 0x8000u;
    const bool wants_nan = flags & WL_HALF_NAN;
    f32 x = widen(a, flags), y = widen(b, flags);
    if (flags & WL_HALF_XORSIGN) {
        const u32 least = compute(kind, flags & ~(s64)WL_HALF_XORSIGN, a & ~sign, b & ~sign, c);
        return x != x || y != y ? least : least | ((a ^ b) & sign);
    }
    switch (kind) {
    case WL_HALF_ADD:
        return narrow(sum_to_odd((f64)x, (f64)y), flags);
    case WL_HALF_SUB:
        return narrow(sum_to_odd((f64)x, -(f64)y), flags);
    case WL_HALF_MUL:
        return narrow((f64)x * (f64)y, flags);
    case WL_HALF_FMA:
        return narrow(sum_to_odd((f64)x * (f64)y, (f64)widen(c, flags)), flags);
    case WL_HALF_MIN:
        return narrow((f64)(wants_nan ? minimum_nan_f32(x, y) : minimum_f32(x, y)), flags);
    case WL_HALF_MAX:
        return narrow((f64)(wants_nan ? maximum_nan_f32(x, y) : maximum_f32(x, y)), flags);
    case WL_HALF_NEG:
        return with_sign(a, flags, (a & sign) ^ sign);
    case WL_HALF_ABS:
        return with_sign(a, flags, 0);
    case WL_HALF_EX2:
        return narrow_cut(wl_approximate_ex2(x), flags);
    case WL_HALF_TANH:
        return narrow_cut(wl_approximate_tanh(x), flags);
    }
    return 0;
}

RUN(HALF)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c);
    u32 *d = lane_register(warp, op->dst);
    const bool is_pair = op->imm & WL_HALF_PAIR;
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        u32 low = compute(op->kind, op->imm, a[i] & 0xffffu, b[i] & 0xffffu, c[i] & 0xffffu);
        u32 high = is_pair ? compute(op->kind, op->imm, a[i] >> 16, b[i] >> 16, c[i] >> 16) : 0;
        d[i] = pair(low, high);
    }
    return op + 1;
}
