/* Conversions between number formats, and arithmetic with a rounding other than to nearest. */
#include <fenv.h>

#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

static const int host_rounding[] = {[WL_ROUND_NEAREST] = FE_TONEAREST,
                                    [WL_ROUND_ZERO] = FE_TOWARDZERO,
                                    [WL_ROUND_DOWN] = FE_DOWNWARD,
                                    [WL_ROUND_UP] = FE_UPWARD};

/* Between them the host rounds that way. It rounds to nearest before and behind; setting that costs
 * more than a conversion. */
static inline void begin_rounding(u32 rounding)
{
    if (rounding != WL_ROUND_NEAREST)
        fesetround(host_rounding[rounding]);
}

static inline void end_rounding(u32 rounding)
{
    if (rounding != WL_ROUND_NEAREST)
        fesetround(FE_TONEAREST);
}

/* A source value of any width as 64 bits, extended as its sign says. */
static inline u64 integer_lane(const struct wl_warp *warp, const struct wl_op *op, int lane)
{
    u64 value = op->width_bytes == 8 ? ((const u64 *)lane_register(warp, op->a))[lane]
                                     : ((const u32 *)lane_register(warp, op->a))[lane];
    int shift = 64 - 8 * op->width_bytes;
    return op->flags & WL_OPF_SIGNED ? (u64)((s64)(value << shift) >> shift)
                                     : value << shift >> shift;
}

enum {
    FORMAT_BFLOAT = 1,
    FLAG_FTZ = 2,
    FLAG_SATURATE = 4,
    FLAG_INTEGRAL = 8,
    FORMAT_BFLOAT_SOURCE = 16,
    FLAG_RELU = 32
};

static void store_float(struct wl_warp *warp, const struct wl_op *op, int lane, double exact,
                        float single)
{
    u32 *d32 = lane_register(warp, op->dst);
    switch (op->count) {
    case 8:
        ((double *)lane_register(warp, op->dst))[lane] = exact;
        break;
    case 2:
        d32[lane] = op->imm & FORMAT_BFLOAT ? bfloat_rounded(exact, op->kind)
                                            : half_rounded(exact, op->kind);
        break;
    default:
        d32[lane] = bits_of(single);
        break;
    }
}

/* An integer as a double that rounds to a half as the integer does. */
static double integer_to_odd(u64 value, bool is_signed)
{
    bool is_negative = is_signed && value >> 63;
    u64 magnitude = is_negative ? 0 - value : value;
    if (magnitude >> 53)
        magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
    return is_negative ? -(double)magnitude : (double)magnitude;
}

RUN(CVT_INT_TO_FLOAT)
{
    begin_rounding(op->kind);
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        u64 value = integer_lane(warp, op, i);
        if (op->imm & FLAG_SATURATE)
            value = op->flags & WL_OPF_SIGNED ? (s64)value > 0 : value != 0;
        if (op->count == 2) {
            end_rounding(op->kind);
            store_float(warp, op, i, integer_to_odd(value, op->flags & WL_OPF_SIGNED), 0);
            begin_rounding(op->kind);
            continue;
        }
        volatile u64 source = value;
        /* without AVX-512 compilers make an unsigned 0 of a difference, which is -0 rounded down */
        bool is_signed = op->flags & WL_OPF_SIGNED || !(source >> 63);
        volatile double exact = is_signed ? (double)(s64)source : (double)source;
        volatile float single = op->flags & WL_OPF_SIGNED ? (float)(s64)source : (float)source;
        store_float(warp, op, i, exact, single);
    }
    end_rounding(op->kind);
    return op + 1;
}

static inline double float_lane(const struct wl_warp *warp, u32 offset, u32 width_bytes,
                                bool is_bfloat, int lane)
{
    const u32 *a32 = lane_register(warp, offset);
    switch (width_bytes) {
    case 8:
        return ((const double *)lane_register(warp, offset))[lane];
    case 2:
        return is_bfloat ? float_of(a32[lane] << 16) : half_to_float(a32[lane] & 0xffffu);
    default:
        return float_of(a32[lane]);
    }
}

static double round_integral(double value, enum wl_rounding rounding)
{
    switch (rounding) {
    case WL_ROUND_ZERO:
        return trunc(value);
    case WL_ROUND_DOWN:
        return floor(value);
    case WL_ROUND_UP:
        return ceil(value);
    default:
        return rint(value);
    }
}

/* Out-of-range values clamp. NaN gives 0, but where the source is double or the result has 64 bits,
 * the sign bit alone (PTX ISA, cvt). The result is extended to 64 bits. */
static u64 clamp_to_integer(double value, u32 width_bytes, bool is_signed, bool is_double)
{
    u32 bits = 8 * width_bytes;
    if (value != value && width_bytes < 8 && !is_double)
        return 0;
    if (value != value)
        return (is_signed ? ~0ull : 1ull) << (bits - 1);
    if (is_signed) {
        double limit = ldexp(1.0, (int)bits - 1);
        s64 top = (s64)((1ull << (bits - 1)) - 1);
        return value >= limit ? (u64)top : value < -limit ? (u64)(-top - 1) : (u64)(s64)value;
    }
    double limit = ldexp(1.0, (int)bits);
    u64 top = bits == 64 ? ~0ull : (1ull << bits) - 1;
    return value >= limit ? top : value <= 0 ? 0 : (u64)value;
}

RUN(CVT_FLOAT_TO_INT)
{
    u32 *d32 = lane_register(warp, op->dst);
    u64 *d64 = lane_register(warp, op->dst);
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        double value = float_lane(warp, op->a, op->count, op->imm & FORMAT_BFLOAT_SOURCE, i);
        if ((op->imm & FLAG_FTZ) && op->count == 4)
            value = flush_f32((float)value);
        u64 result = clamp_to_integer(round_integral(value, op->kind), op->width_bytes,
                                      op->flags & WL_OPF_SIGNED, op->count == 8);
        if (op->flags & WL_OPF_DST64)
            d64[i] = result;
        else
            d32[i] = (u32)result;
    }
    return op + 1;
}

RUN(CVT_FLOAT_TO_FLOAT)
{
    u32 rounding = op->imm & FLAG_INTEGRAL ? WL_ROUND_NEAREST : op->kind;
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        double value = float_lane(warp, op->a, op->width_bytes, op->imm & FORMAT_BFLOAT_SOURCE, i);
        if ((op->imm & FLAG_FTZ) && op->width_bytes == 4)
            value = flush_f32((float)value);
        if (op->imm & FLAG_INTEGRAL)
            value = round_integral(value, op->kind);
        if (op->imm & FLAG_SATURATE)
            value = value > 0 ? (value < 1 ? value : 1) : 0;
        if (op->imm & FLAG_RELU)
            value = value > 0 ? value : value != value ? value : 0;
        begin_rounding(rounding);
        volatile double source = value; /* converted here, not before the rounding is set */
        volatile float single = (float)source;
        end_rounding(rounding);
        float result = canonical_f32(single);
        if (op->imm & FLAG_FTZ)
            result = flush_f32(result);
        store_float(warp, op, i, value, result);
    }
    return op + 1;
}

/* imm: destination width | signed << 8; the source is width_bytes and SIGNED. */
RUN(CVT_SATURATE)
{
    u32 width_bytes = (u32)op->imm & 0xff;
    bool is_signed = op->imm >> 8 & 1;
    u32 bits = 8 * width_bytes;
    s64 top = is_signed    ? (s64)((1ull << (bits - 1)) - 1)
              : bits == 64 ? INT64_MAX
                           : (s64)((1ull << bits) - 1);
    s64 bottom = is_signed ? -top - 1 : 0;
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        u64 value = integer_lane(warp, op, i);
        bool is_huge = !(op->flags & WL_OPF_SIGNED) && value > (u64)INT64_MAX;
        s64 clamped = is_huge || (s64)value > top ? top : (s64)value < bottom ? bottom : (s64)value;
        if (is_huge && bits == 64 && !is_signed)
            clamped = (s64)value;
        if (op->flags & WL_OPF_DST64)
            ((u64 *)lane_register(warp, op->dst))[i] = (u64)clamped;
        else
            ((u32 *)lane_register(warp, op->dst))[i] = (u32)clamped;
    }
    return op + 1;
}

/* kind: operation << 4 | rounding. */
enum {
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_MUL,
    OPERATION_DIV,
    OPERATION_FMA,
    OPERATION_SQRT,
    OPERATION_RCP
};

RUN(ROUNDED_F32)
{
    const f32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const f32 *c = lane_register(warp, op->c);
    f32 *d = lane_register(warp, op->dst);
    bool ftz = op->imm & FLAG_FTZ;
    begin_rounding(op->kind & 15);
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        volatile f32 x = ftz ? flush_f32(a[i]) : a[i], y = ftz ? flush_f32(b[i]) : b[i];
        volatile f32 z = ftz ? flush_f32(c[i]) : c[i], one = 1.0f, result = 0;
        switch (op->kind >> 4) {
        case OPERATION_ADD:
            result = x + y;
            break;
        case OPERATION_SUB:
            result = x - y;
            break;
        case OPERATION_MUL:
            result = x * y;
            break;
        case OPERATION_DIV:
            result = x / y;
            break;
        case OPERATION_FMA:
            result = fmaf(x, y, z);
            break;
        case OPERATION_SQRT:
            result = sqrtf(x);
            break;
        case OPERATION_RCP:
            result = one / x;
            break;
        }
        f32 value = canonical_f32(result);
        if (op->imm & FLAG_SATURATE)
            value = saturate_f32(value);
        d[i] = ftz ? flush_f32(value) : value;
    }
    end_rounding(op->kind & 15);
    return op + 1;
}

RUN(ROUNDED_F64)
{
    const f64 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const f64 *c = lane_register(warp, op->c);
    f64 *d = lane_register(warp, op->dst);
    begin_rounding(op->kind & 15);
    for (int i = 0; i < WL_LANES; i++) {
        if (!(warp->active >> i & 1))
            continue;
        volatile f64 x = a[i], y = b[i], z = c[i], one = 1.0, result = 0;
        switch (op->kind >> 4) {
        case OPERATION_ADD:
            result = x + y;
            break;
        case OPERATION_SUB:
            result = x - y;
            break;
        case OPERATION_MUL:
            result = x * y;
            break;
        case OPERATION_DIV:
            result = x / y;
            break;
        case OPERATION_FMA:
            result = fma(x, y, z);
            break;
        case OPERATION_SQRT:
            result = sqrt(x);
            break;
        case OPERATION_RCP:
            result = one / x;
            break;
        }
        d[i] = result;
    }
    end_rounding(op->kind & 15);
    return op + 1;
}

/* kind: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal; width_bytes 4 or 8. */
RUN(TESTP)
{
    u32 result = 0;
    for (int i = 0; i < WL_LANES; i++) {
        double value = float_lane(warp, op->a, op->width_bytes, false, i);
        double least = op->width_bytes == 4 ? 0x1p-126 : 0x1p-1022;
        bool is_finite = fabs(value) <= 1.7976931348623157e308;
        bool is_subnormal = value != 0 && fabs(value) < least;
        const bool classes[] = {
            is_finite,      isinf(value) != 0,          value == value,
            value != value, is_finite && !is_subnormal, /* zero is one of them */
            is_subnormal};
        result |= (u32)classes[op->kind] << i;
    }
    set_predicate(warp, op->dst, result);
    return op + 1;
}
