/* Conversions and arithmetic that is rounded in any way, beside the same of one number after the
 * other, on numbers where it makes a difference, by all executors that the processor has. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/float_bits.h"
#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];

enum { ROUNDS = 20000, REGISTERS = 4, FTZ = 2, SATURATE = 4, INTEGRAL = 8, RELU = 32 };
enum { BFLOAT = 1, BFLOAT_SOURCE = 16 };
enum { ADD, SUB, MUL, DIV, FMA, SQRT, RCP, OPERATIONS };

static const int modes[] = {[WL_ROUND_NEAREST] = FE_TONEAREST,
                            [WL_ROUND_ZERO] = FE_TOWARDZERO,
                            [WL_ROUND_DOWN] = FE_DOWNWARD,
                            [WL_ROUND_UP] = FE_UPWARD};

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static uint64_t draw_bits(void)
{
    return (uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 16 ^ draw(1u << 16);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Numbers of any size, such that lie beside integers, halves of those, and ends of ranges. */
static double draw_value(void)
{
    static const int ends[] = {0, 1, 7, 8, 15, 16, 31, 32, 52, 53, 63, 64, -14, -24, -126, -133};
    const double sign = draw(2) ? -1 : 1;
    switch (draw(5)) {
    case 0:
        return from_bits(draw_bits());
    case 1:
        return sign * (draw(1000) + draw(5) / 4.0);
    case 2:
        return sign * ldexp(1.0 + draw(5) * 0x1p-52 - draw(3) * 0x1p-24, ends[draw(16)]);
    case 3:
        return sign * ldexp(1.0 + draw(1 << 12) * 0x1p-12, (int)draw(70) - 4);
    default:
        return sign * ldexp(1.0 + (double)(draw_bits() >> 12) * 0x1p-52, (int)draw(300) - 150);
    }
}

static uint32_t draw_single(void)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                   0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffc00001};
    return draw(8) ? wl_bits_of_f32((float)draw_value()) : odd[draw(WL_COUNT(odd))];
}

/* Of a half the upper bits are those of a float of the kind, more or less. */
static uint64_t draw_float(uint32_t bytes)
{
    const double value = draw_value();
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bytes == 8 ? bits : bytes == 4 ? draw_single() : draw(1u << 16);
}

static uint64_t draw_integer(void)
{
    const uint64_t bits = draw_bits() >> draw(64);
    return draw(2) ? bits : (draw(2) ? 1ull << draw(64) : 0) + draw(5) - 2;
}

/* ---- one lane ---- */

static double half_value(uint32_t half, bool is_bfloat)
{
    const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    if (is_bfloat)
        return (double)wl_f32_of_bits(half << 16);
    const double value = exponent == 31  ? fraction ? NAN : INFINITY
                         : exponent == 0 ? ldexp(fraction, -24)
                                         : ldexp(1024 + fraction, (int)exponent - 25);
    return half & 0x8000 ? -value : value;
}

static double integral(double value, enum wl_rounding rounding)
{
    return rounding == WL_ROUND_ZERO   ? trunc(value)
           : rounding == WL_ROUND_DOWN ? floor(value)
           : rounding == WL_ROUND_UP   ? ceil(value)
                                       : rint(value);
}

static float to_single(double value, enum wl_rounding rounding)
{
    volatile double source = value;
    fesetround(modes[rounding]);
    volatile float result = (float)source;
    fesetround(FE_TONEAREST);
    return result;
}

/* Formats of 16 bits: fraction bits, and the exponents of the least and the greatest normal number.
 */
static uint32_t to_short(double value, enum wl_rounding rounding, bool is_bfloat)
{
    const int fraction = is_bfloat ? 7 : 10, least = is_bfloat ? -126 : -14;
    const int most = is_bfloat ? 127 : 15;
    const uint32_t sign = signbit(value) ? 0x8000u : 0;
    if (isnan(value))
        return 0x7fff;
    const uint32_t infinite = sign | (uint32_t)(most - least + 2) << fraction;
    if (isinf(value))
        return infinite;
    int exponent;
    frexp(value, &exponent);
    const int unit = (exponent - 1 < least ? least : exponent - 1) - fraction;
    const double magnitude = ldexp(fabs(integral(ldexp(value, -unit), rounding)), unit);
    if (magnitude >= ldexp(1, most + 1))
        return rounding == WL_ROUND_NEAREST || rounding == (sign ? WL_ROUND_DOWN : WL_ROUND_UP)
                   ? infinite
                   : infinite - 1;
    if (magnitude < ldexp(1, least))
        return sign | (uint32_t)ldexp(magnitude, fraction - least);
    const double scaled = frexp(magnitude, &exponent);
    const uint32_t above = (uint32_t)(exponent - 1 - least) << fraction;
    return sign | (above + (uint32_t)ldexp(scaled, fraction + 1));
}

static uint32_t flush(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static double source_value(const struct wl_op *op, uint64_t bits, uint32_t bytes)
{
    if (bytes == 8)
        return from_bits(bits);
    if (bytes == 2)
        return half_value((uint32_t)bits & 0xffff, op->imm & BFLOAT_SOURCE);
    return (double)wl_f32_of_bits(op->imm & FTZ ? flush((uint32_t)bits) : (uint32_t)bits);
}

static uint64_t finish_single(const struct wl_op *op, float value)
{
    if (isnan(value))
        return 0x7fffffff;
    return op->imm & FTZ ? flush(wl_bits_of_f32(value)) : wl_bits_of_f32(value);
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t float_to_float(const struct wl_op *op, const uint64_t *operands)
{
    double value = source_value(op, operands[0], op->width_bytes);
    if (op->imm & INTEGRAL)
        value = integral(value, op->kind);
    if (op->imm & SATURATE)
        value = value > 0 ? fmin(value, 1) : 0;
    if (op->imm & RELU && !(value > 0) && !isnan(value))
        value = 0;
    if (op->count == 8)
        return bits_of_double(value);
    if (op->count == 2)
        return to_short(value, op->kind, op->imm & BFLOAT);
    return finish_single(op, to_single(value, op->imm & INTEGRAL ? WL_ROUND_NEAREST : op->kind));
}

static uint64_t float_to_integer(const struct wl_op *op, const uint64_t *operands)
{
    const double value = integral(source_value(op, operands[0], op->count), op->kind);
    const uint32_t bits = 8u * op->width_bytes;
    const bool is_signed = op->flags & WL_OPF_SIGNED;
    const uint64_t top = is_signed ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
    const uint64_t bottom = is_signed ? ~top : 0;
    if (isnan(value))
        return bits < 64 && op->count < 8 ? 0 : is_signed ? bottom : 1ull << (bits - 1);
    if (value >= ldexp(1, (int)bits - is_signed))
        return top;
    if (value < (is_signed ? -ldexp(1, (int)bits - 1) : 0))
        return bottom;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t integer_to_float(const struct wl_op *op, const uint64_t *operands)
{
    const uint32_t shift = 64u - 8u * op->width_bytes;
    const bool is_signed = op->flags & WL_OPF_SIGNED;
    const uint64_t bits = operands[0] << shift;
    __extension__ __int128 value = is_signed ? (int64_t)bits >> shift : (__int128)(bits >> shift);
    if (op->imm & SATURATE)
        value = value > 0;
    const bool is_negative = value < 0;
    uint64_t magnitude = (uint64_t)(is_negative ? -value : value);
    /* so many bits as the format has, and what decides how to round */
    const int kept = op->count == 8 ? 53 : op->count == 4 ? 24 : op->imm & BFLOAT ? 8 : 11;
    int down = 0;
    while (magnitude >> kept >> down >> 3)
        down++;
    magnitude = magnitude >> down | ((magnitude & ((1ull << down) - 1)) != 0);
    const enum wl_rounding rounding = op->kind;
    if (op->count == 2)
        return to_short(ldexp(is_negative ? -(double)magnitude : (double)magnitude, down), rounding,
                        op->imm & BFLOAT);
    if (op->count == 4)
        return wl_bits_of_f32(ldexpf(
            to_single(is_negative ? -(double)magnitude : (double)magnitude, rounding), down));
    volatile int64_t source = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    fesetround(modes[rounding]);
    volatile double result = (double)source;
    fesetround(FE_TONEAREST);
    return bits_of_double(ldexp(result, down));
}

static float compute_single(uint32_t operation, float a, float b, float c)
{
    volatile float x = a, y = b, z = c, one = 1;
    switch (operation) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    case DIV:
        return x / y;
    case FMA:
        return fmaf(x, y, z);
    case SQRT:
        return sqrtf(x);
    default:
        return one / x;
    }
}

static uint64_t rounded_single(const struct wl_op *op, const uint64_t *operands)
{
    float values[3];
    for (int i = 0; i < 3; i++)
        values[i] =
            wl_f32_of_bits(op->imm & FTZ ? flush((uint32_t)operands[i]) : (uint32_t)operands[i]);
    fesetround(modes[op->kind & 15]);
    volatile float result = compute_single(op->kind >> 4, values[0], values[1], values[2]);
    fesetround(FE_TONEAREST);
    if (op->imm & SATURATE)
        result = result > 0 ? fminf(result, 1) : 0;
    return finish_single(op, result);
}

static uint64_t rounded_double(const struct wl_op *op, const uint64_t *operands)
{
    volatile double x = from_bits(operands[0]), y = from_bits(operands[1]);
    volatile double z = from_bits(operands[2]), one = 1;
    fesetround(modes[op->kind & 15]);
    const uint32_t operation = op->kind >> 4;
    volatile double result = operation == ADD    ? x + y
                             : operation == SUB  ? x - y
                             : operation == MUL  ? x * y
                             : operation == DIV  ? x / y
                             : operation == FMA  ? fma(x, y, z)
                             : operation == SQRT ? sqrt(x)
                                                 : one / x;
    fesetround(FE_TONEAREST);
    return bits_of_double(result);
}

/* Rounded so that it can be rounded once more: towards zero, the last bit set if that lost any. */
static double add_to_odd(double a, double b)
{
    volatile double x = a, y = b;
    feclearexcept(FE_INEXACT);
    fesetround(FE_TOWARDZERO);
    volatile double sum = x + y;
    const bool is_exact = !fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    return is_exact || isinf(sum) ? sum : from_bits(bits_of_double(sum) | 1);
}

static double least_or_most(double a, double b, bool is_least, bool wants_nan)
{
    if (isnan(a) || isnan(b))
        return wants_nan ? NAN : isnan(a) ? b : a;
    if (a == b)
        return (signbit(a) != 0) == is_least ? a : b;
    return (a < b) == is_least ? a : b;
}

static uint32_t flush_half(const struct wl_op *op, uint32_t half)
{
    return !(op->imm & WL_HALF_FTZ) || half & 0x7c00 ? half : half & 0x8000;
}

static uint32_t compute_half(const struct wl_op *op, const uint32_t *halves)
{
    const bool is_bfloat = op->imm & WL_HALF_BFLOAT, wants_nan = op->imm & WL_HALF_NAN;
    const bool is_magnitude = op->imm & WL_HALF_XORSIGN;
    double value[3], result;
    for (int i = 0; i < 3; i++) {
        value[i] = half_value(is_bfloat ? halves[i] : flush_half(op, halves[i]), is_bfloat);
        if (is_magnitude)
            value[i] = fabs(value[i]);
    }
    switch (op->kind) {
    case WL_HALF_NEG:
    case WL_HALF_ABS:
        return isnan(value[0]) ? 0x7fff
                               : (flush_half(op, halves[0]) & 0x7fff) |
                                     (op->kind == WL_HALF_NEG ? ~halves[0] & 0x8000 : 0);
    case WL_HALF_ADD:
    case WL_HALF_SUB:
        result = add_to_odd(value[0], op->kind == WL_HALF_ADD ? value[1] : -value[1]);
        break;
    case WL_HALF_MUL:
        result = value[0] * value[1];
        break;
    case WL_HALF_FMA:
        result = add_to_odd(value[0] * value[1], value[2]);
        break;
    default:
        result = least_or_most(value[0], value[1], op->kind == WL_HALF_MIN, wants_nan);
        break;
    }
    if (op->imm & WL_HALF_SAT)
        result = result > 0 ? fmin(result, 1) : 0;
    if (op->imm & WL_HALF_RELU && !(result > 0) && !isnan(result))
        result = 0;
    const uint32_t half = to_short(result, WL_ROUND_NEAREST, is_bfloat);
    if (is_magnitude && !isnan(value[0]) && !isnan(value[1]))
        return half | ((halves[0] ^ halves[1]) & 0x8000);
    return is_bfloat ? half : flush_half(op, half);
}

static uint64_t half_pair(const struct wl_op *op, const uint64_t *operands)
{
    uint32_t low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = (uint32_t)operands[i] & 0xffff;
        high[i] = (uint32_t)operands[i] >> 16;
    }
    return compute_half(op, low) | (op->imm & WL_HALF_PAIR ? compute_half(op, high) << 16 : 0);
}

/* ---- all lanes ---- */

struct machine {
    struct wl_warp warp;
    uint32_t registers[REGISTERS][2 * WL_LANES] __attribute__((aligned(64)));
};

static uint64_t lane_of(const struct machine *machine, uint32_t number, uint32_t lane, bool is_wide)
{
    uint64_t value;
    if (!is_wide)
        return machine->registers[number][lane];
    memcpy(&value, &machine->registers[number][2 * lane], sizeof value);
    return value;
}

static void set_lane(struct machine *machine, uint32_t number, uint32_t lane, bool is_wide,
                     uint64_t value)
{
    if (is_wide)
        memcpy(&machine->registers[number][2 * lane], &value, sizeof value);
    else
        machine->registers[number][lane] = (uint32_t)value;
}

/* Which NaN a double is, is the host's affair. */
static bool are_alike(uint64_t a, uint64_t b, bool is_double)
{
    return a == b || (is_double && isnan(from_bits(a)) && isnan(from_bits(b)));
}

struct kind {
    uint64_t (*reference)(const struct wl_op *op, const uint64_t *operands);
    bool is_wide_source, is_wide, is_double; /* wide, double: the result */
};

static void compare(const struct machine *start, const struct wl_op *op, const struct kind *kind)
{
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    const bool has_level[] = {true, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
                              __builtin_cpu_supports("avx512bw") &&
                                  __builtin_cpu_supports("avx512vl")};
    for (size_t level = 0; level < WL_COUNT(tables); level++) {
        static struct machine machine;
        const struct wl_executor_row *row = &tables[level][op->code];
        if (!has_level[level])
            continue;
        machine = *start;
        machine.warp.registers = (uint8_t *)machine.registers;
        machine.warp.is_masked = machine.warp.active != WL_FULL_MASK;
        (machine.warp.is_masked ? row->masked : row->full)(&machine.warp, op);
        assert_int_equal(FE_TONEAREST, fegetround());
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            uint64_t operands[3], expected = lane_of(start, 0, lane, kind->is_wide);
            for (uint32_t i = 0; i < 3; i++)
                operands[i] = lane_of(start, 1 + i, lane, kind->is_wide_source);
            if (start->warp.active >> lane & 1)
                expected = kind->reference(op, operands);
            if (!kind->is_wide)
                expected = (uint32_t)expected;
            const uint64_t found = lane_of(&machine, 0, lane, kind->is_wide);
            if (!are_alike(expected, found, kind->is_double))
                fail_msg("level %zu operation %u kind %u imm %d width %u count %u flags %x: "
                         "of %llx, %llx, %llx it made %llx, not %llx",
                         level, op->code, op->kind, (int)op->imm, op->width_bytes, op->count,
                         op->flags, (unsigned long long)operands[0],
                         (unsigned long long)operands[1], (unsigned long long)operands[2],
                         (unsigned long long)found, (unsigned long long)expected);
        }
    }
}

static void fill(struct machine *machine, uint32_t float_bytes)
{
    memset(machine, 0, sizeof *machine);
    for (uint32_t number = 0; number < REGISTERS; number++)
        for (uint32_t lane = 0; lane < (float_bytes == 8 ? WL_LANES : 2 * WL_LANES); lane++)
            set_lane(machine, number, lane, float_bytes == 8,
                     float_bytes ? draw_float(float_bytes) : draw_integer());
    machine->warp.active = draw(2) ? WL_FULL_MASK : (uint32_t)draw_bits();
    machine->warp.mask = machine->warp.active;
}

static struct wl_op draw_operation(enum wl_opcode code)
{
    return (struct wl_op){.code = (uint16_t)code,
                          .kind = (uint8_t)draw(4),
                          .dst = 0,
                          .a = 8 * WL_LANES,
                          .b = 16 * WL_LANES,
                          .c = 24 * WL_LANES};
}

static uint8_t draw_width(void)
{
    return (uint8_t)(2u << draw(3));
}

static void test_float_to_float(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_CVT_FLOAT_TO_FLOAT);
        op.width_bytes = draw_width();
        op.count = draw_width();
        op.imm = draw(64);
        fill(&machine, op.width_bytes);
        compare(&machine, &op,
                &(struct kind){float_to_float, op.width_bytes == 8, op.count == 8, op.count == 8});
    }
}

static void test_float_to_integer(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_CVT_FLOAT_TO_INT);
        op.count = draw_width();
        op.width_bytes = (uint8_t)(1u << draw(4));
        const bool is_wide = op.width_bytes == 8 || draw(3) == 0;
        op.flags = (uint8_t)((draw(2) ? WL_OPF_SIGNED : 0) | (is_wide ? WL_OPF_DST64 : 0));
        op.imm = (draw(2) ? FTZ : 0) | (draw(2) ? BFLOAT_SOURCE : 0);
        fill(&machine, op.count);
        compare(&machine, &op, &(struct kind){float_to_integer, op.count == 8, is_wide, false});
    }
}

static void test_integer_to_float(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_CVT_INT_TO_FLOAT);
        op.width_bytes = (uint8_t)(1u << draw(4));
        op.count = draw_width();
        op.flags = draw(2) ? WL_OPF_SIGNED : 0;
        op.imm = (draw(4) ? 0 : SATURATE) | (draw(2) ? BFLOAT : 0);
        fill(&machine, 0);
        compare(&machine, &op,
                &(struct kind){integer_to_float, op.width_bytes == 8, op.count == 8, false});
    }
}

static void test_rounded(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool is_double = draw(2);
        struct wl_op op = draw_operation(is_double ? WL_OP_ROUNDED_F64 : WL_OP_ROUNDED_F32);
        op.kind |= (uint8_t)(draw(OPERATIONS) << 4);
        op.imm = is_double ? 0 : (draw(2) ? FTZ : 0) | (draw(3) ? 0 : SATURATE);
        fill(&machine, is_double ? 8 : 4);
        compare(&machine, &op,
                &(struct kind){is_double ? rounded_double : rounded_single, is_double, is_double,
                               is_double});
    }
}

/* Those that have operations of their own. */
static void compare_plain(const struct machine *machine, const struct wl_op *op)
{
    static const enum wl_opcode codes[][2] = {[WL_HALF_ADD] = {WL_OP_ADD_F16, WL_OP_ADD_F16X2},
                                              [WL_HALF_SUB] = {WL_OP_SUB_F16, WL_OP_SUB_F16X2},
                                              [WL_HALF_MUL] = {WL_OP_MUL_F16, WL_OP_MUL_F16X2},
                                              [WL_HALF_FMA] = {WL_OP_FMA_F16, WL_OP_FMA_F16X2},
                                              [WL_HALF_MIN] = {WL_OP_MIN_F16},
                                              [WL_HALF_MAX] = {WL_OP_MAX_F16}};
    struct wl_op plain = *op;
    if (op->kind >= WL_COUNT(codes) || !codes[op->kind][op->imm & WL_HALF_PAIR])
        return;
    plain.code = (uint16_t)codes[op->kind][op->imm & WL_HALF_PAIR];
    plain.imm &= WL_HALF_PAIR;
    compare(machine, &plain, &(struct kind){half_pair, false, false, false});
}

/* Numbers beside each other in size, whose sums are halfway between numbers, and any. */
static void test_halves(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_HALF);
        op.kind = (uint8_t)draw(WL_HALF_ABS + 1);
        op.imm = draw(2) ? draw(4) : draw(128);
        if (op.kind != WL_HALF_MIN && op.kind != WL_HALF_MAX)
            op.imm &= ~(int64_t)(WL_HALF_XORSIGN | WL_HALF_NAN);
        fill(&machine, 4);
        for (uint32_t number = 1; number < REGISTERS; number++)
            for (uint32_t lane = 0; lane < WL_LANES; lane++)
                machine.registers[number][lane] =
                    (uint32_t)draw_bits() & (draw(2) ? 0xbfffbfff : 0xffffffff);
        compare(&machine, &op, &(struct kind){half_pair, false, false, false});
        compare_plain(&machine, &op);
    }
}

/* Halves of which the product of two is about half of what the last bit of the third stands for:
 * exactly, or (1 + n)(2 - 2n), a bit less. fraction_bits, bias: of the format. */
static void draw_halfway(uint32_t halves[3], uint32_t fraction_bits, uint32_t bias)
{
    const uint32_t ones = (1u << fraction_bits) - 1, exponents = 2 * bias + 1;
    const uint32_t c = draw(exponents), below = draw(3) + fraction_bits, near = draw(4);
    const uint32_t sum = (c > below ? c - below : 1) + bias, a = draw(exponents);
    const uint32_t b = sum > a && sum - a < exponents ? sum - a : draw(exponents);
    halves[0] = a << fraction_bits | near;
    halves[1] = b << fraction_bits | ((0 - 2 * near) & ones);
    halves[2] = c << fraction_bits | (draw(2) ? draw(2) : (uint32_t)draw_bits() & ones);
    for (uint32_t i = 0; i < 3; i++)
        halves[i] |= draw(2) << 15;
}

static void test_fused_halfway(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_HALF);
        const bool is_bfloat = draw(2);
        op.kind = WL_HALF_FMA;
        op.imm = WL_HALF_PAIR | (is_bfloat ? WL_HALF_BFLOAT : 0);
        fill(&machine, 4);
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            uint32_t low[3], high[3];
            draw_halfway(low, is_bfloat ? 7 : 10, is_bfloat ? 127 : 15);
            draw_halfway(high, is_bfloat ? 7 : 10, is_bfloat ? 127 : 15);
            for (uint32_t i = 0; i < 3; i++)
                machine.registers[1 + i][lane] = low[i] | high[i] << 16;
        }
        compare(&machine, &op, &(struct kind){half_pair, false, false, false});
        if (!is_bfloat)
            compare_plain(&machine, &op);
    }
}

static uint64_t immediate_pair(const struct wl_op *op, const uint64_t *operands)
{
    static const struct {
        uint8_t kind;
        bool is_pair;
    } plain[WL_OP_COUNT] = {
        [WL_OP_ADD_F16_I] = {WL_HALF_ADD, false},  [WL_OP_SUB_F16_I] = {WL_HALF_SUB, false},
        [WL_OP_MUL_F16_I] = {WL_HALF_MUL, false},  [WL_OP_ADD_F16X2_I] = {WL_HALF_ADD, true},
        [WL_OP_SUB_F16X2_I] = {WL_HALF_SUB, true}, [WL_OP_MUL_F16X2_I] = {WL_HALF_MUL, true}};
    const struct wl_op general = {.kind = plain[op->code].kind,
                                  .imm = plain[op->code].is_pair ? WL_HALF_PAIR : 0};
    const uint64_t both[3] = {operands[0], (uint64_t)op->imm, 0};
    return half_pair(&general, both);
}

static uint64_t single_of_half(const struct wl_op *op, const uint64_t *operands)
{
    const double value = half_value((uint32_t)operands[0] & 0xffff, false);
    (void)op;
    return isnan(value) ? 0x7fffffff : wl_bits_of_f32((float)value);
}

static uint64_t half_of_single(const struct wl_op *op, const uint64_t *operands)
{
    (void)op;
    return to_short((double)wl_f32_of_bits((uint32_t)operands[0]), WL_ROUND_NEAREST, false);
}

/* Every half, with one that is the same for all lanes; every half in single precision; and of
 * singles those beside every half and beside the numbers halfway between them. */
static void test_every_half(void **unused)
{
    static const enum wl_opcode codes[] = {WL_OP_ADD_F16_I,   WL_OP_SUB_F16_I,   WL_OP_MUL_F16_I,
                                           WL_OP_ADD_F16X2_I, WL_OP_SUB_F16X2_I, WL_OP_MUL_F16X2_I};
    (void)unused;
    struct machine machine;
    for (uint32_t first = 0; first < 1u << 16; first += WL_LANES) {
        fill(&machine, 4);
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            machine.registers[1][lane] = (first + lane) | (0x8000 ^ (first + lane)) << 16;
        struct wl_op op = draw_operation(codes[draw(WL_COUNT(codes))]);
        op.imm = (int64_t)(draw_bits() & 0xffffffff);
        compare(&machine, &op, &(struct kind){immediate_pair, false, false, false});
        op = draw_operation(WL_OP_CVT_F32_F16);
        compare(&machine, &op, &(struct kind){single_of_half, false, false, false});
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            const double value = half_value(first + lane, false);
            const double next = half_value(first + lane + 1, false);
            const double beside = draw(2) ? value : value / 2 + next / 2;
            machine.registers[1][lane] = wl_bits_of_f32((float)beside) + draw(3) - 1;
        }
        op = draw_operation(WL_OP_CVT_F16_F32);
        compare(&machine, &op, &(struct kind){half_of_single, false, false, false});
    }
}
static uint32_t narrowed(const struct wl_op *op, uint32_t bits)
{
    const bool is_bfloat = op->kind == WL_FORMAT_BF16;
    const uint32_t infinite = is_bfloat ? 0x7f80 : 0x7c00;
    const float value = wl_f32_of_bits(bits);
    if (op->imm & WL_NARROW_RELU && value <= 0)
        return 0;
    const uint32_t half =
        to_short((double)value, (uint32_t)(op->imm >> WL_NARROW_ROUNDING_SHIFT), is_bfloat);
    return op->imm & WL_NARROW_FINITE && (half & 0x7fff) == infinite ? half - 1 : half;
}

static uint64_t narrowed_pair(const struct wl_op *op, const uint64_t *operands)
{
    if (op->b == UINT32_MAX)
        return narrowed(op, (uint32_t)operands[0]);
    return narrowed(op, (uint32_t)operands[1]) | narrowed(op, (uint32_t)operands[0]) << 16;
}

static void test_narrow(void **unused)
{
    (void)unused;
    struct machine machine;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct wl_op op = draw_operation(WL_OP_CVT_NARROW);
        op.kind = draw(2) ? WL_FORMAT_BF16 : WL_FORMAT_F16;
        op.width_bytes = WL_FORMAT_F32;
        op.count = (uint8_t)(1 + draw(2));
        op.b = op.count == 2 ? op.b : UINT32_MAX;
        op.imm = draw(4) | (draw(2) ? WL_ROUND_NEAREST : WL_ROUND_ZERO) << WL_NARROW_ROUNDING_SHIFT;
        fill(&machine, 4);
        compare(&machine, &op, &(struct kind){narrowed_pair, false, false, false});
    }
}
#endif

int main(void)
{
#if defined(__x86_64__)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_to_float),   cmocka_unit_test(test_float_to_integer),
        cmocka_unit_test(test_integer_to_float), cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_halves),           cmocka_unit_test(test_fused_halfway),
        cmocka_unit_test(test_every_half),       cmocka_unit_test(test_narrow)};
    __builtin_cpu_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
