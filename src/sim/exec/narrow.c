/* Conversions between narrow formats, and atomics on halves, vectors and 128 bits. */
#include "sim/exec/narrow.h"
#include "sim/exec/half_vector.h"
#include "sim/exec/values16.h"

#include "sim/exec/reach.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

static u32 not_a_number(enum wl_matrix_format format)
{
    return format == WL_FORMAT_E4M3 || format == WL_FORMAT_E5M2  ? 0x7fu
           : format == WL_FORMAT_F16 || format == WL_FORMAT_BF16 ? 0x7fffu
                                                                 : 0x7fffe000u >> 13;
}

static bool rounds_up(double scaled, double floor_value, u32 rounding)
{
    double rest = scaled - floor_value;
    if (rounding == WL_ROUND_ZERO)
        return false;
    bool is_odd = fmod(floor_value, 2) != 0;
    return rest > 0.5 || (rest == 0.5 && (is_odd || rounding == WL_NARROW_AWAY));
}

/* The bits of a value in that format (tf32: in the place of a single-precision number). */
static u32 pack_narrow(double value, enum wl_matrix_format format, s64 flags)
{
    const struct narrow_row *row = &narrow_rows[format];
    const u32 rounding = (u32)(flags >> WL_NARROW_ROUNDING_SHIFT);
    const int shift = format == WL_FORMAT_TF32 ? 13 : 0;
    if (value != value)
        return not_a_number(format) << shift;
    if (flags & WL_NARROW_RELU && !(value > 0))
        return 0;
    const u32 sign = signbit(value) ? 1u << (row->width_bits - 1) : 0;
    const u32 top = (1u << row->exponent_bits) - 1;
    const u32 infinite = row->has_infinity ? top << row->fraction_bits : 0x7fu;
    const int bias = (int)(top >> 1);
    const double magnitude = fabs(value);
    u32 bits = infinite;
    if (magnitude == 0) {
        bits = 0;
    } else if (!isinf(magnitude) && ilogb(magnitude) <= bias + 1) {
        int exponent = ilogb(magnitude), least = 1 - bias;
        exponent = exponent < least ? least : exponent;
        const double scaled = ldexp(magnitude, row->fraction_bits - exponent);
        const double whole = floor(scaled);
        /* a carry out of the fraction goes on into the exponent */
        bits = (u32)whole + rounds_up(scaled, whole, rounding);
        bits += (u32)(exponent - least) << row->fraction_bits;
    }
    if (bits >= infinite)
        bits = flags & WL_NARROW_FINITE || (rounding == WL_ROUND_ZERO && !isinf(magnitude))
                   ? infinite - 1
                   : infinite;
    return (sign | bits) << shift;
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

static bool is_single_to_short(const struct wl_op *op)
{
    const u32 rounding = (u32)(op->imm >> WL_NARROW_ROUNDING_SHIFT);
    return op->width_bytes == WL_FORMAT_F32 &&
           ((op->kind == WL_FORMAT_F16 && rounding == WL_ROUND_NEAREST) ||
            (op->kind == WL_FORMAT_BF16 &&
             (rounding == WL_ROUND_NEAREST || rounding == WL_ROUND_ZERO)));
}

/* The same to a format of 16 bits. */
static void round_singles(const f32 *single, const struct wl_op *op, u32 *d)
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

static void round_to_short(const struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_joined = op->b != UINT32_MAX;
    u32 low[WL_LANES] __attribute__((aligned(64))), high[WL_LANES] __attribute__((aligned(64)));
    u32 *d = lane_register(warp, op->dst);
    const u32 active = warp->active;
    round_singles(lane_register(warp, is_joined ? op->b : op->a), op, low);
    if (is_joined)
        round_singles(lane_register(warp, op->a), op, high);
    else
        memset(high, 0, sizeof high);
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? pair(low[i], high[i]) : d[i];
}

RUN(CVT_NARROW)
{
    const enum wl_matrix_format to = op->kind, from = op->width_bytes;
    if (is_single_to_short(op)) {
        round_to_short(warp, op);
        return op + 1;
    }
    if (to == WL_FORMAT_TF32 && from == WL_FORMAT_F32 && op->b == UINT32_MAX &&
        !(op->imm & (WL_NARROW_RELU | WL_NARROW_FINITE))) {
        round_to_tf32(warp, op);
        return op + 1;
    }
    const u32 *a = lane_register(warp, op->a);
    const u32 *b = op->b == UINT32_MAX ? a : lane_register(warp, op->b);
    u32 *d = lane_register(warp, op->dst);
    const bool is_joined = op->b != UINT32_MAX;
    const u32 to_bits = wl_matrix_format_bits(to), from_bits = wl_matrix_format_bits(from);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        u32 result = 0;
        for (u32 k = 0; k < op->count; k++) {
            u32 bits = is_joined ? (k ? a[i] : b[i]) : a[i] >> (k * from_bits);
            double value = narrow_to_float(bits, from);
            result |= pack_narrow(value, to, op->imm) << (k * to_bits);
        }
        d[i] = result;
    }
    return op + 1;
}

/* ---- atomics ---- */

static u32 combine_half(enum wl_atomic kind, u32 a, u32 b)
{
    switch (kind) {
    case WL_ATOMIC_ADD_F16:
    case WL_ATOMIC_ADD_F16X2:
        return float_to_half(half_to_float(a) + half_to_float(b));
    case WL_ATOMIC_MIN_F16:
    case WL_ATOMIC_MIN_F16X2:
        return float_to_half(minimum_f32(half_to_float(a), half_to_float(b)));
    case WL_ATOMIC_MAX_F16:
    case WL_ATOMIC_MAX_F16X2:
        return float_to_half(maximum_f32(half_to_float(a), half_to_float(b)));
    default:
        break;
    }
    const double x = float_of(a << 16), y = float_of(b << 16);
    double result = kind == WL_ATOMIC_ADD_BF16 || kind == WL_ATOMIC_ADD_BF16X2 ? x + y
                    : kind == WL_ATOMIC_MIN_BF16 || kind == WL_ATOMIC_MIN_BF16X2
                        ? (double)minimum_f32((float)x, (float)y)
                        : (double)maximum_f32((float)x, (float)y);
    return pack_narrow(result, WL_FORMAT_BF16, 0);
}

/* One element of up to 64 bits. Blocks run in one order where such atomics are, so no other host
 * thread is at the same place. */
static u64 combine(enum wl_atomic kind, u64 old, u64 operand, u64 fresh)
{
    switch (kind) {
    case WL_ATOMIC_CAS_B16:
        return (old & 0xffff) == (operand & 0xffff) ? fresh & 0xffff : old;
    case WL_ATOMIC_LIST_ADD_F32:
        /* L2 adds without subnormals */
        return bits_of(
            flush_f32(flush_f32(float_of((u32)old)) + flush_f32(float_of((u32)operand))));
    case WL_ATOMIC_ADD_F16X2:
    case WL_ATOMIC_ADD_BF16X2:
    case WL_ATOMIC_MIN_F16X2:
    case WL_ATOMIC_MAX_F16X2:
    case WL_ATOMIC_MIN_BF16X2:
    case WL_ATOMIC_MAX_BF16X2:
        return pair(combine_half(kind, (u32)old & 0xffffu, (u32)operand & 0xffffu),
                    combine_half(kind, (u32)old >> 16, (u32)operand >> 16));
    default:
        return combine_half(kind, (u32)old & 0xffffu, (u32)operand & 0xffffu);
    }
}

u64 WL_EXEC(reduce_element)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand)
{
    return kind < WL_ATOMIC_ADD_F16X2 ? WL_EXEC(reduce_plain)(kind, bytes, old, operand)
                                      : combine(kind, old, operand, 0);
}

static u64 read_element(const struct wl_warp *warp, u32 offset, u32 width_bytes, u32 lane)
{
    return width_bytes == 8 ? ((const u64 *)lane_register(warp, offset))[lane]
                            : ((const u32 *)lane_register(warp, offset))[lane];
}

/* 128 bits, as two elements that change together. */
static void swap_wide(const struct wl_warp *warp, const struct wl_op *op, const u32 *operands,
                      u64 *memory, u32 lane)
{
    bool is_equal = true;
    const bool is_swap = op->kind == WL_ATOMIC_CAS_B128;
    for (u32 k = 0; k < 2 && is_swap; k++)
        is_equal &= memory[k] == read_element(warp, operands[k], 8, lane);
    for (u32 k = 0; k < 2 && is_equal; k++)
        memory[k] = read_element(warp, operands[k + (is_swap ? 2 : 0)], 8, lane);
}

static void run_lane(struct wl_warp *warp, const struct wl_op *op, uint8_t *memory, u32 lane)
{
    const u32 *list = warp->worker->run->program->operands + op->dst;
    const bool has_result = op->flags & WL_OPF_RESULT;
    const u32 *operands = list + (has_result ? op->count : 0);
    u64 old[8] = {0};
    for (u32 k = 0; k < op->count; k++)
        memcpy(&old[k], memory + k * op->width_bytes, op->width_bytes);
    if (op->width_bytes == 8) {
        swap_wide(warp, op, operands, (u64 *)(void *)memory, lane);
    } else {
        for (u32 k = 0; k < op->count; k++) {
            u64 fresh = op->kind == WL_ATOMIC_CAS_B16
                            ? read_element(warp, operands[op->count + k], 4, lane)
                            : 0;
            u64 result = combine(op->kind, old[k],
                                 read_element(warp, operands[k], op->width_bytes, lane), fresh);
            memcpy(memory + k * op->width_bytes, &result, op->width_bytes);
        }
    }
    for (u32 k = 0; k < op->count && has_result; k++) {
        if (op->width_bytes == 8)
            ((u64 *)lane_register(warp, list[k]))[lane] = old[k];
        else
            ((u32 *)lane_register(warp, list[k]))[lane] = (u32)old[k];
    }
}

RUN(ATOMIC_LIST)
{
    wait_for_turn(warp, op);
    const u32 active = warp->active;
    const enum wl_site_access kind = op->flags & WL_OPF_RESULT ? WL_SITE_ATOMIC : WL_SITE_REDUCTION;
    u64 address[WL_LANES], base[WL_LANES];
    for (u32 lane = 0; lane < WL_LANES; lane++)
        base[lane] = reach_base(warp, op, lane);
    for (u32 left = active; left;) {
        /* lanes of one space together */
        const u64 window = base[__builtin_ctz(left)] & WL_WINDOW_MASK;
        u32 group = 0;
        for (u32 rest = left; rest; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctz(rest);
            group |= (base[lane] & WL_WINDOW_MASK) == window ? LANE_BIT(lane) : 0;
        }
        left &= ~group;
        memcpy(address, base, sizeof address);
        set_active(warp, group);
        bool is_good =
            reach_memory(warp, op, op->d, kind, (u32)op->width_bytes * op->count, address);
        for (u32 rest = group; rest && is_good; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctz(rest);
            run_lane(warp, op, (uint8_t *)(uintptr_t)address[lane], lane);
        }
        set_active(warp, active);
        if (!is_good)
            return NULL;
    }
    return op + 1;
}
