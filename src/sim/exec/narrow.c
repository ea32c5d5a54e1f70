/* Conversions between narrow formats. */
#include "sim/exec/narrow.h"
#include "sim/exec/half_vector.h"
#include "sim/exec/values16.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* What rounding single precision to a format takes. Numbers below its least normal one are counted
 * in its least one, all others are rounded as integers: a carry goes on into the exponent. */
struct packing {
    u32 least, shift;      /* the bits of the least normal number; by how much fractions differ */
    u32 most, is_even;     /* added before cutting off; the latter where the last bit is set */
    f32 units, tie;        /* least numbers in one; a greater rest is rounded up */
    u32 limit;             /* the first magnitude that is no finite number */
    u32 infinite, beyond;  /* what infinity becomes, and what is too great */
    u32 sign_shift, place; /* of the sign, to the right; of the result, to the left */
    u32 not_a_number;
};

static struct packing packing_of(enum wl_matrix_format format, s64 flags)
{
    const struct narrow_row *row = &narrow_rows[format];
    const u32 rounding = (u32)(flags >> WL_NARROW_ROUNDING_SHIFT);
    const u32 top = (1u << row->exponent_bits) - 1, bias = top >> 1;
    const u32 shift = 23u - row->fraction_bits, half = 1u << shift >> 1;
    const u32 limit = row->has_infinity ? top << row->fraction_bits : 0x7fu;
    const bool is_wide = bias == 127; /* exponents are those of single precision */
    const bool is_zero = rounding == WL_ROUND_ZERO, is_away = rounding == WL_NARROW_AWAY;
    const bool is_finite = flags & WL_NARROW_FINITE, is_even = !is_zero && !is_away && half;
    return (struct packing){
        .least = is_wide ? 0 : (128 - bias) << 23,
        .shift = shift,
        .most = is_zero ? 0 : half - is_even,
        .is_even = is_even,
        .units = is_wide ? 0 : float_of((126 + bias + row->fraction_bits) << 23),
        .tie = is_zero   ? 1.0f
               : is_away ? 0x1.fffffep-2f
                         : 0.5f,
        .infinite = is_finite ? limit - 1 : limit,
        .beyond = is_finite || is_zero ? limit - 1 : limit,
        .limit = limit,
        .sign_shift = 32u - row->width_bits,
        .place = format == WL_FORMAT_TF32 ? 13 : 0,
        .not_a_number = format == WL_FORMAT_E4M3 || format == WL_FORMAT_E5M2  ? 0x7fu
                        : format == WL_FORMAT_F16 || format == WL_FORMAT_BF16 ? 0x7fffu
                                                                              : 0x7fffe000u >> 13,
    };
}

/* d = the bits of single precision in the format (tf32: in the place of a single-precision number).
 */
static void pack_singles(const f32 *value, const struct packing to, bool is_relu, u32 *d)
{
    const u32 limit = to.limit, beyond = to.beyond, infinite = to.infinite, least = to.least;
    const f32 below = float_of(least);
    const u32 not_a_number = to.not_a_number, dropped = is_relu ? 0x80000000u : 0;
    WL_FOR_LANES (i) {
        const u32 bits = bits_of(value[i]), magnitude = bits & 0x7fffffffu;
        const f32 scaled = MINIMUM(__builtin_fabsf(value[i]), below) * to.units;
        const s32 whole = (s32)scaled;
        const f32 rest = scaled - (f32)whole;
        const u32 is_up = (rest > to.tie) | ((rest == to.tie) & (u32)whole & to.is_even);
        const u32 above = MAXIMUM(magnitude, least) - least;
        u32 packed = (u32)whole + is_up;
        packed += (above + to.most + (above >> to.shift & to.is_even)) >> to.shift;
        packed = packed >= limit ? beyond : packed;
        packed = magnitude == 0x7f800000u ? infinite : packed;
        packed |= (bits & 0x80000000u) >> to.sign_shift;
        packed = bits & dropped ? 0 : packed;
        d[i] = (magnitude > 0x7f800000u ? not_a_number : packed) << to.place;
    }
}

/* Single precision to tf32, in vectors. */
static void round_to_tf32(const struct wl_warp *warp, const struct wl_op *op)
{
    const u32 *a = lane_register(warp, op->a),
              rounding = (u32)(op->imm >> WL_NARROW_ROUNDING_SHIFT);
    u32 *d = lane_register(warp, op->dst);
    const u32 most = rounding == WL_NARROW_AWAY ? 0x1000 : rounding == WL_ROUND_ZERO ? 0 : 0xfff;
    const u32 is_even = rounding != WL_NARROW_AWAY && rounding != WL_ROUND_ZERO;
    const u32 active = warp->active;
    WL_FOR_LANES (i) {
        const u32 magnitude = a[i] & 0x7fffffffu;
        const u32 rounded = magnitude + most + (magnitude >> 13 & is_even);
        const u32 value =
            magnitude > 0x7f800000u ? 0x7fffe000u : (a[i] & 0x80000000u) | (rounded & 0xffffe000u);
        d[i] = active >> i & 1 ? value : d[i];
    }
}

/* d = numbers of a format, above `first` other bits, in single precision. A NaN may become any. */
static void widen_narrow(const u32 *a, enum wl_matrix_format format, u32 first, f32 *d)
{
    u32 half[WL_LANES] __attribute__((aligned(64)));
    switch (format) {
    case WL_FORMAT_F16:
        WL_FOR_LANES (i)
            half[i] = a[i] >> first;
        widen_halves(half, d);
        break;
    case WL_FORMAT_E5M2:
        WL_FOR_LANES (i)
            half[i] = a[i] >> first << 8;
        widen_halves(half, d);
        break;
    case WL_FORMAT_E4M3: /* as a half its exponent is 8 less */
        WL_FOR_LANES (i)
            half[i] = (a[i] >> first & 0x80u) << 8 | (a[i] >> first & 0x7fu) << 7;
        widen_halves(half, d);
        WL_FOR_LANES (i)
            d[i] = float_of((half[i] & 0x3f80u) == 0x3f80u ? 0x7fffffffu : bits_of(d[i] * 256));
        break;
    case WL_FORMAT_BF16:
        WL_FOR_LANES (i)
            d[i] = float_of(a[i] >> first << 16);
        break;
    default:
        WL_FOR_LANES (i)
            d[i] = float_of(format == WL_FORMAT_TF32 ? a[i] & 0xffffe000u : a[i]);
        break;
    }
}

static bool is_to_short(const struct wl_op *op)
{
    const u32 rounding = (u32)(op->imm >> WL_NARROW_ROUNDING_SHIFT);
    return (op->kind == WL_FORMAT_F16 && rounding == WL_ROUND_NEAREST) ||
           (op->kind == WL_FORMAT_BF16 &&
            (rounding == WL_ROUND_NEAREST || rounding == WL_ROUND_ZERO));
}

/* Single precision to a format of 16 bits. */
static void round_to_short(const f32 *single, const struct wl_op *op, u32 *d)
{
    const enum wl_rounding rounding = (u32)(op->imm >> WL_NARROW_ROUNDING_SHIFT);
    const u32 infinite = op->kind == WL_FORMAT_F16 ? 0x7c00u : 0x7f80u;
    f32 value[WL_LANES] __attribute__((aligned(64)));
    const bool is_relu = op->imm & WL_NARROW_RELU;
    WL_FOR_LANES (i)
        value[i] = is_relu && single[i] <= 0 ? 0 : single[i];
    if (op->kind == WL_FORMAT_F16)
        narrow_halves(value, d);
    else
        WL_FOR_LANES (i)
            d[i] = single_to_bfloat(bits_of(value[i]), rounding);
    if (op->imm & WL_NARROW_FINITE)
        WL_FOR_LANES (i)
            d[i] -= (d[i] & 0x7fffu) == infinite;
}

/* d = one number of each lane, of those of a above `first` other bits. */
static void convert_part(const u32 *a, const struct wl_op *op, u32 first, u32 *d)
{
    f32 wide[WL_LANES] __attribute__((aligned(64)));
    const f32 *single = (const f32 *)(const void *)a;
    if (op->width_bytes != WL_FORMAT_F32) {
        widen_narrow(a, op->width_bytes, first, wide);
        single = wide;
    }
    if (is_to_short(op))
        round_to_short(single, op, d);
    else
        pack_singles(single, packing_of(op->kind, op->imm), op->imm & WL_NARROW_RELU, d);
}

RUN(CVT_NARROW)
{
    const enum wl_matrix_format to = op->kind, from = op->width_bytes;
    if (to == WL_FORMAT_TF32 && from == WL_FORMAT_F32 && op->b == UINT32_MAX &&
        !(op->imm & (WL_NARROW_RELU | WL_NARROW_FINITE))) {
        round_to_tf32(warp, op);
        return op + 1;
    }
    u32 low[WL_LANES] __attribute__((aligned(64))), high[WL_LANES] __attribute__((aligned(64)));
    const bool is_joined = op->b != UINT32_MAX;
    const u32 *a = lane_register(warp, op->a);
    const u32 active = warp->active, high_first = op->count > 1 ? wl_matrix_format_bits(to) : 0;
    u32 *d = lane_register(warp, op->dst);
    convert_part(is_joined ? lane_register(warp, op->b) : a, op, 0, low);
    if (op->count > 1)
        convert_part(a, op, is_joined ? 0 : wl_matrix_format_bits(from), high);
    else
        memset(high, 0, sizeof high);
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? low[i] | high[i] << high_first : d[i];
    return op + 1;
}
