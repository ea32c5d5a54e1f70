/* Conversions between number formats. All lanes go through double precision, which holds what is
 * converted exactly, or so that it is rounded as that would be. */
#include "sim/exec/half_vector.h"
#include "sim/exec/rounding.h"
#include "sim/exec/values16.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

enum {
    FORMAT_BFLOAT = 1,
    FLAG_FTZ = 2,
    FLAG_SATURATE = 4,
    FLAG_INTEGRAL = 8,
    FORMAT_BFLOAT_SOURCE = 16,
    FLAG_RELU = 32
};

/* ---- values ---- */

/* Of a register in a format of that width. */
static void load_values(const struct wl_warp *warp, const struct wl_op *op, u32 width_bytes,
                        f64 *value)
{
    const u32 *a = lane_register(warp, op->a);
    const u32 unless = flushed_unless(op->imm & FLAG_FTZ);
    if (width_bytes == 8) {
        memcpy(value, a, WL_LANES * sizeof *value);
    } else if (width_bytes == 4) {
        WL_FOR_LANES (i)
            value[i] = (f64)float_of(flush_unless(a[i], unless));
    } else if (op->imm & FORMAT_BFLOAT_SOURCE) {
        WL_FOR_LANES (i)
            value[i] = (f64)float_of(a[i] << 16);
    } else {
        WL_FOR_LANES (i)
            value[i] = (f64)half_to_float(a[i] & 0xffffu);
    }
}

#define MAKE_INTEGRAL(name, T, to_zero, down, up, nearest) \
    static void name(T *value, enum wl_rounding rounding)  \
    {                                                      \
        switch (rounding) {                                \
        case WL_ROUND_ZERO:                                \
            WL_FOR_LANES (i)                               \
                value[i] = to_zero(value[i]);              \
            break;                                         \
        case WL_ROUND_DOWN:                                \
            WL_FOR_LANES (i)                               \
                value[i] = down(value[i]);                 \
            break;                                         \
        case WL_ROUND_UP:                                  \
            WL_FOR_LANES (i)                               \
                value[i] = up(value[i]);                   \
            break;                                         \
        default:                                           \
            WL_FOR_LANES (i)                               \
                value[i] = nearest(value[i]);              \
            break;                                         \
        }                                                  \
    }

MAKE_INTEGRAL(make_integral, f64, trunc, floor, ceil, rint)
MAKE_INTEGRAL(make_integral_single, f32, truncf, floorf, ceilf, rintf)

/* The same as load_values does, in single precision, of up to 32 bits. */
static void load_singles(const struct wl_warp *warp, const struct wl_op *op, f32 *value)
{
    const u32 *a = lane_register(warp, op->a);
    const u32 unless = flushed_unless(op->imm & FLAG_FTZ);
    if (op->width_bytes == 4) {
        WL_FOR_LANES (i)
            value[i] = float_of(flush_unless(a[i], unless));
    } else if (op->imm & FORMAT_BFLOAT_SOURCE) {
        WL_FOR_LANES (i)
            value[i] = float_of(a[i] << 16);
    } else {
        widen_halves(a, value);
    }
}

/* ---- to floats ---- */

WL_ROUNDS to_single(const f64 *value_lanes, f32 *single_lanes, u32 rounding)
{
    const f64 *value = __builtin_assume_aligned(value_lanes, 64);
    f32 *single = __builtin_assume_aligned(single_lanes, 64);
    const u32 before = begin_rounding(rounding);
    WL_FOR_LANES (i)
        single[i] = (f32)value[i];
    end_rounding(rounding, before);
}

static void store_short(const struct wl_warp *warp, const struct wl_op *op, const f64 *value)
{
    const enum wl_rounding rounding = op->kind;
    u32 bits[WL_LANES];
    if (op->imm & FORMAT_BFLOAT) {
        WL_FOR_LANES (i)
            bits[i] = bfloat_rounded(value[i], rounding);
    } else if (rounding == WL_ROUND_NEAREST) {
        WL_FOR_LANES (i)
            bits[i] = double_to_half(value[i]);
    } else {
        for (int i = 0; i < WL_LANES; i++)
            bits[i] = half_rounded(value[i], rounding);
    }
    store_lanes_32(warp, op->dst, bits);
}

static void store_singles(const struct wl_warp *warp, const struct wl_op *op, const f32 *single)
{
    const u32 unless = flushed_unless(op->imm & FLAG_FTZ);
    u32 bits[WL_LANES];
    WL_FOR_LANES (i)
        bits[i] = flush_unless(bits_of(canonical_f32(single[i])), unless);
    store_lanes_32(warp, op->dst, bits);
}

/* Rounds where the format has less bits, but to nearest if `is_exact`. */
static void store_floats(const struct wl_warp *warp, const struct wl_op *op, const f64 *value,
                         bool is_exact)
{
    f32 single[WL_LANES] __attribute__((aligned(64)));
    if (op->count == 8) {
        u64 wide[WL_LANES];
        memcpy(wide, value, sizeof wide);
        store_lanes_64(warp, op->dst, wide);
        return;
    }
    if (op->count == 2) {
        store_short(warp, op, value);
        return;
    }
    to_single(value, single, is_exact ? WL_ROUND_NEAREST : op->kind);
    store_singles(warp, op, single);
}

/* Whether single precision has all that is converted, and rounds as the format does. */
static bool is_single(const struct wl_op *op)
{
    const bool is_rounded = op->count == 4 || op->imm & FORMAT_BFLOAT;
    return op->width_bytes <= 4 && op->count <= 4 && (is_rounded || op->kind == WL_ROUND_NEAREST);
}

static const struct wl_op *round_singles(struct wl_warp *warp, const struct wl_op *op)
{
    f32 value[WL_LANES] __attribute__((aligned(64)));
    load_singles(warp, op, value);
    if (op->imm & FLAG_INTEGRAL)
        make_integral_single(value, op->kind);
    if (op->imm & FLAG_SATURATE)
        WL_FOR_LANES (i)
            value[i] = saturate_f32(value[i]);
    if (op->imm & FLAG_RELU)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 || value[i] != value[i] ? value[i] : 0;
    if (op->count == 4) {
        store_singles(warp, op, value);
        return op + 1;
    }
    u32 bits[WL_LANES] __attribute__((aligned(64)));
    if (op->imm & FORMAT_BFLOAT)
        WL_FOR_LANES (i)
            bits[i] = single_to_bfloat(bits_of(value[i]), op->kind);
    else
        narrow_halves(value, bits);
    store_lanes_32(warp, op->dst, bits);
    return op + 1;
}

RUN(CVT_FLOAT_TO_FLOAT)
{
    if (is_single(op))
        return round_singles(warp, op);
    f64 value[WL_LANES] __attribute__((aligned(64)));
    load_values(warp, op, op->width_bytes, value);
    if (op->imm & FLAG_INTEGRAL)
        make_integral(value, op->kind);
    if (op->imm & FLAG_SATURATE)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 ? (value[i] < 1 ? value[i] : 1) : 0;
    if (op->imm & FLAG_RELU)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0 || value[i] != value[i] ? value[i] : 0;
    store_floats(warp, op, value, op->imm & FLAG_INTEGRAL || op->width_bytes < 8);
    return op + 1;
}

/* ---- from integers ---- */

/* Of up to 32 bits, which are exact. */
static void load_integers(const struct wl_warp *warp, const struct wl_op *op, f64 *value)
{
    const u32 *a = lane_register(warp, op->a);
    const u32 shift = 32u - 8u * op->width_bytes;
    if (op->flags & WL_OPF_SIGNED) {
        WL_FOR_LANES (i)
            value[i] = (f64)((s32)(a[i] << shift) >> shift);
    } else {
        WL_FOR_LANES (i)
            value[i] = double_of(0x4330000000000000ull | a[i] << shift >> shift) - 0x1p52;
    }
}

/* Of 64 bits: both are exact, and their sum is the integer. Neither is -0. */
static void load_halves(const struct wl_warp *warp, const struct wl_op *op, f64 *high, f64 *low)
{
    const u64 *a = lane_register(warp, op->a);
    const u64 sign = op->flags & WL_OPF_SIGNED ? 1ull << 63 : 0;
    const f64 offset = op->flags & WL_OPF_SIGNED ? 0x1p52 + 0x1p31 : 0x1p52;
    WL_FOR_LANES (i) {
        high[i] = (double_of(0x4330000000000000ull | (a[i] ^ sign) >> 32) - offset) * 0x1p32;
        low[i] = double_of(0x4330000000000000ull | (a[i] & 0xffffffffu)) - 0x1p52;
    }
}

WL_ROUNDS add_halves(const f64 *high_lanes, const f64 *low_lanes, f64 *sum_lanes, u32 rounding)
{
    const f64 *high = __builtin_assume_aligned(high_lanes, 64);
    const f64 *low = __builtin_assume_aligned(low_lanes, 64);
    f64 *sum = __builtin_assume_aligned(sum_lanes, 64);
    const u32 before = begin_rounding(rounding);
    WL_FOR_LANES (i)
        sum[i] = high[i] + low[i];
    end_rounding(rounding, before);
}

RUN(CVT_INT_TO_FLOAT)
{
    f64 value[WL_LANES] __attribute__((aligned(64)));
    if (op->width_bytes == 8) {
        f64 high[WL_LANES] __attribute__((aligned(64))), low[WL_LANES] __attribute__((aligned(64)));
        load_halves(warp, op, high, low);
        if (op->count == 8)
            add_halves(high, low, value, op->kind);
        else
            WL_FOR_LANES (i)
                value[i] = sum_to_odd(high[i], low[i]);
    } else {
        load_integers(warp, op, value);
    }
    if (op->imm & FLAG_SATURATE)
        WL_FOR_LANES (i)
            value[i] = value[i] > 0;
    store_floats(warp, op, value, false);
    return op + 1;
}

/* ---- to integers ---- */

/* What values become that are no integers of the format, and which those are. */
struct integer_range {
    f64 low, behind; /* the least value, the first that is too great */
    u64 bottom, top, nan;
};

/* Out-of-range values clamp. NaN gives 0, but where the source is double or the result has 64 bits,
 * the sign bit alone (PTX ISA, cvt). Results are extended to 64 bits. */
static struct integer_range find_range(u32 width_bytes, bool is_signed, bool is_double)
{
    const u32 bits = 8 * width_bytes;
    const f64 behind = ldexp(1.0, (int)(bits - is_signed));
    const u64 top = ~0ull >> (64 - bits + is_signed), sign = 1ull << (bits - 1);
    return (struct integer_range){.low = is_signed ? -behind : 0,
                                  .behind = behind,
                                  .bottom = is_signed ? ~top : 0,
                                  .top = top,
                                  .nan = width_bytes < 8 && !is_double ? 0
                                         : is_signed                   ? ~top
                                                                       : sign};
}

static inline u64 clamped(f64 value, u64 integer, const struct integer_range *range)
{
    const u64 below = value < range->low ? range->bottom : integer;
    const u64 inside = value >= range->behind ? range->top : below;
    return value == value ? inside : range->nan;
}

/* The bits of 0x1.8p52 more than an integer end with those of the integer. */
static inline u64 low_bits(f64 integral)
{
    return bits_of_double(integral + 0x1.8p52) - 0x4338000000000000ull;
}

/* From single precision to 32 bits. */
static const struct wl_op *singles_to_words(struct wl_warp *warp, const struct wl_op *op)
{
    f32 value[WL_LANES] __attribute__((aligned(64)));
    u32 result[WL_LANES];
    load_singles(warp, op, value);
    make_integral_single(value, op->kind);
    if (op->flags & WL_OPF_SIGNED) {
        WL_FOR_LANES (i)
            result[i] = (u32)truncate_s32(value[i]);
    } else {
        WL_FOR_LANES (i)
            result[i] = truncate_u32(value[i]);
    }
    store_lanes_32(warp, op->dst, result);
    return op + 1;
}

RUN(CVT_FLOAT_TO_INT)
{
    if (op->count == 4 && op->width_bytes == 4 && !(op->flags & WL_OPF_DST64))
        return singles_to_words(warp, op);
    f64 value[WL_LANES] __attribute__((aligned(64)));
    u64 result[WL_LANES];
    const struct integer_range range =
        find_range(op->width_bytes, op->flags & WL_OPF_SIGNED, op->count == 8);
    load_values(warp, op, op->count, value);
    make_integral(value, op->kind);
    if (op->width_bytes < 8) {
        WL_FOR_LANES (i)
            result[i] = clamped(value[i], low_bits(value[i]), &range);
    } else {
        WL_FOR_LANES (i) {
            const f64 high = floor(value[i] * 0x1p-32);
            const u64 low = low_bits(value[i] - high * 0x1p32);
            result[i] = clamped(value[i], (low_bits(high) << 32) + low, &range);
        }
    }
    if (op->flags & WL_OPF_DST64) {
        store_lanes_64(warp, op->dst, result);
    } else {
        u32 narrow[WL_LANES];
        WL_FOR_LANES (i)
            narrow[i] = (u32)result[i];
        store_lanes_32(warp, op->dst, narrow);
    }
    return op + 1;
}

/* ---- between integers ---- */

/* Of any width as 64 bits, extended as their sign says. */
static void extend_integers(const struct wl_warp *warp, const struct wl_op *op, u64 *value)
{
    const u32 *a = lane_register(warp, op->a);
    const u32 shift = 32u - 8u * op->width_bytes;
    if (op->width_bytes == 8) {
        memcpy(value, a, WL_LANES * sizeof *value);
    } else if (op->flags & WL_OPF_SIGNED) {
        WL_FOR_LANES (i)
            value[i] = (u64)((s32)(a[i] << shift) >> shift);
    } else {
        WL_FOR_LANES (i)
            value[i] = a[i] << shift >> shift;
    }
}

/* imm: destination width | signed << 8; the source is width_bytes and SIGNED. */
RUN(CVT_SATURATE)
{
    const u32 bits = 8 * ((u32)op->imm & 0xff);
    const bool is_signed = op->imm >> 8 & 1;
    const u64 top = UINT64_MAX >> (64 - bits + is_signed);
    const s64 most = top > INT64_MAX ? INT64_MAX : (s64)top, least = is_signed ? -most - 1 : 0;
    u64 value[WL_LANES] __attribute__((aligned(64)));
    u32 narrow[WL_LANES] __attribute__((aligned(64)));
    extend_integers(warp, op, value);
    if (op->flags & WL_OPF_SIGNED) {
        WL_FOR_LANES (i) {
            const s64 above = MAXIMUM((s64)value[i], least);
            value[i] = (u64)MINIMUM(above, most);
        }
    } else {
        WL_FOR_LANES (i)
            value[i] = MINIMUM(value[i], top);
    }
    if (op->flags & WL_OPF_DST64) {
        store_lanes_64(warp, op->dst, value);
        return op + 1;
    }
    WL_FOR_LANES (i)
        narrow[i] = (u32)value[i];
    store_lanes_32(warp, op->dst, narrow);
    return op + 1;
}

/* The lanes whose class of numbers is asked for: the magnitude's bits are of `count` from `first`
 * on, but, of normal numbers, not below `least`, as zero alone is. */
#define TEST_CLASS(name, T, infinite, least)                                                 \
    static u32 name(const T *a, u32 kind)                                                    \
    {                                                                                        \
        const T firsts[] = {0, infinite, 0, infinite + 1, 0, 1};                             \
        const T counts[] = {infinite, 1, infinite + 1, infinite, infinite, least - 1};       \
        const T first = firsts[kind], count = counts[kind], out = kind == 4 ? least - 1 : 0; \
        u32 result = 0;                                                                      \
        WL_FOR_LANES (i) {                                                                   \
            const T magnitude = a[i] << 1 >> 1;                                              \
            const u32 is_in = (magnitude - first < count) & (magnitude - 1 >= out);          \
            result |= is_in ? lane_bits_4[i] : 0;                                            \
        }                                                                                    \
        return result;                                                                       \
    }
TEST_CLASS(test_singles, u32, 0x7f800000u, 0x800000u)
TEST_CLASS(test_doubles, u64, 0x7ff0000000000000ull, 0x10000000000000ull)

/* kind: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal; width_bytes 4 or 8. */
RUN(TESTP)
{
    const u32 *a = lane_register(warp, op->a);
    const u64 *wide = lane_register(warp, op->a);
    set_predicate(warp, op->dst,
                  op->width_bytes == 8 ? test_doubles(wide, op->kind) : test_singles(a, op->kind));
    return op + 1;
}
