/* Conversions to and from formats of 8 and 16 bits and tf32, beside numbers that are looked up
 * among all that the format has, by all executors that the processor has: every number of 8 and 16
 * bits, and of single precision those at every number of the format and halfway between two. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];
#endif

static const struct wl_executor_row *tables[3];
static int table_count;

static int find_tables(void **unused)
{
    (void)unused;
    table_count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    tables[table_count++] = wl_exec_table_v2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tables[table_count++] = wl_exec_table_v3;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        tables[table_count++] = wl_exec_table_v4;
#else
    tables[table_count++] = wl_executor_table();
#endif
    return 0;
}

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static float single_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- formats ---- */

struct format {
    int exponent_bits, fraction_bits;
    uint32_t limit, not_a_number; /* the first magnitude that is no finite number */
    bool has_infinity;
};

static const struct format formats[] = {
    [WL_FORMAT_F16] = {5, 10, 0x7c00, 0x7fff, true},
    [WL_FORMAT_BF16] = {8, 7, 0x7f80, 0x7fff, true},
    [WL_FORMAT_TF32] = {8, 10, 0x3fc00, 0x3ffff, true},
    [WL_FORMAT_E4M3] = {4, 3, 0x7f, 0x7f, false},
    [WL_FORMAT_E5M2] = {5, 2, 0x7c, 0x7f, true},
};

/* The number of that magnitude; of those from limit on what it were if there were more. */
static double value_of(const struct format *format, uint32_t magnitude)
{
    const int bias = (1 << (format->exponent_bits - 1)) - 1;
    const int biased = (int)(magnitude >> format->fraction_bits);
    const uint32_t one = 1u << format->fraction_bits, fraction = magnitude & (one - 1);
    const int exponent = (biased ? biased : 1) - bias - format->fraction_bits;
    return ldexp(biased ? one + fraction : fraction, exponent);
}

/* The bits without the sign of the greatest number that is not above the value. */
static uint32_t below(const struct format *format, double value)
{
    uint32_t first = 0, last = format->limit;
    while (last - first > 1) {
        const uint32_t middle = (first + last) / 2;
        if (value_of(format, middle) <= value)
            first = middle;
        else
            last = middle;
    }
    return first;
}

static uint32_t round_magnitude(const struct format *format, double value, uint32_t rounding)
{
    if (value >= value_of(format, format->limit))
        return format->limit;
    const uint32_t found = below(format, value);
    const double low = value_of(format, found), high = value_of(format, found + 1);
    const bool is_tie = value - low == high - value;
    if (rounding == WL_ROUND_ZERO)
        return found;
    return found + (is_tie ? rounding == WL_NARROW_AWAY || found & 1 : value - low > high - value);
}

static uint32_t packed(uint32_t bits, enum wl_matrix_format to, int64_t flags)
{
    const struct format *format = &formats[to];
    const float value = single_of(bits);
    const uint32_t rounding = (uint32_t)(flags >> WL_NARROW_ROUNDING_SHIFT);
    const uint32_t place = to == WL_FORMAT_TF32 ? 13 : 0;
    if (isnan(value))
        return format->not_a_number << place;
    if (flags & WL_NARROW_RELU && value <= 0)
        return 0;
    uint32_t found = round_magnitude(format, fabs((double)value), rounding);
    const bool is_cut = flags & WL_NARROW_FINITE || (rounding == WL_ROUND_ZERO && !isinf(value));
    if (found == format->limit && is_cut)
        found--;
    const int sign_place = format->exponent_bits + format->fraction_bits;
    return (found | (signbit(value) ? 1u << sign_place : 0)) << place;
}

/* In single precision. */
static uint32_t widened(uint32_t bits, enum wl_matrix_format from)
{
    const struct format *format = &formats[from];
    const int sign_place = format->exponent_bits + format->fraction_bits;
    const uint32_t magnitude = bits & ((1u << sign_place) - 1);
    float value = (float)value_of(format, magnitude);
    if (magnitude >= format->limit)
        value = magnitude == format->limit && format->has_infinity ? INFINITY : NAN;
    return bits_of(bits >> sign_place & 1 ? -value : value);
}

/* ---- executors ---- */

enum { REGISTER_BYTES = 4 * WL_LANES };
struct machine {
    struct wl_warp warp;
    uint32_t registers[3][WL_LANES] __attribute__((aligned(64)));
};

static uint32_t expected(const struct wl_op *op, uint32_t a, uint32_t b)
{
    const enum wl_matrix_format to = op->kind, from = op->width_bytes;
    const uint32_t from_bits = wl_matrix_format_bits(from), mask = (1u << (from_bits & 31)) - 1;
    if (op->count == 1)
        return packed(from == WL_FORMAT_F32 ? a : widened(a & mask, from), to, op->imm);
    const bool is_joined = op->b != UINT32_MAX;
    const uint32_t low = is_joined ? b : widened(a & mask, from);
    const uint32_t high = is_joined ? a : widened(a >> from_bits & mask, from);
    return packed(low, to, op->imm) | packed(high, to, op->imm) << wl_matrix_format_bits(to);
}

static int64_t flags_of(uint32_t rounding, uint32_t others)
{
    return (int64_t)rounding << WL_NARROW_ROUNDING_SHIFT | others;
}

static struct wl_op conversion(enum wl_matrix_format to, enum wl_matrix_format from, int64_t flags)
{
    const bool is_joined = from == WL_FORMAT_F32 && to != WL_FORMAT_TF32;
    return (struct wl_op){.code = WL_OP_CVT_NARROW,
                          .dst = 0,
                          .a = REGISTER_BYTES,
                          .b = is_joined ? 2 * REGISTER_BYTES : UINT32_MAX,
                          .kind = (uint8_t)to,
                          .width_bytes = (uint8_t)from,
                          .count = to == WL_FORMAT_TF32 ? 1 : 2,
                          .imm = flags};
}

/* Of a warp's operands, with a mask of lanes that is drawn. */
static void compare(const struct wl_op *op, const uint32_t *a, const uint32_t *b)
{
    const uint32_t active = draw() & 1 ? WL_FULL_MASK : draw();
    static struct machine self;
    for (int t = 0; t < table_count; t++) {
        const struct wl_executor_row *row = &tables[t][op->code];
        memset(self.registers[0], 0xa5, REGISTER_BYTES);
        memcpy(self.registers[1], a, REGISTER_BYTES);
        memcpy(self.registers[2], b, REGISTER_BYTES);
        self.warp.registers = (uint8_t *)self.registers;
        self.warp.active = active;
        self.warp.is_masked = active != WL_FULL_MASK;
        (self.warp.is_masked ? row->masked : row->full)(&self.warp, op);
        for (int lane = 0; lane < WL_LANES; lane++) {
            const bool is_on = active >> lane & 1;
            const uint32_t right = is_on ? expected(op, a[lane], b[lane]) : 0xa5a5a5a5;
            if (self.registers[0][lane] != right)
                print_error("format %d to %d, flags %x, of %08x and %08x: %08x, not %08x\n",
                            op->width_bytes, op->kind, (unsigned)op->imm, a[lane], b[lane],
                            self.registers[0][lane], right);
            assert_int_equal(self.registers[0][lane], right);
        }
    }
}

static const struct {
    enum wl_matrix_format to, from;
    uint32_t rounding;
} conversions[] = {
    {WL_FORMAT_F16, WL_FORMAT_E4M3, WL_ROUND_NEAREST},
    {WL_FORMAT_F16, WL_FORMAT_E5M2, WL_ROUND_NEAREST},
    {WL_FORMAT_E4M3, WL_FORMAT_F16, WL_ROUND_NEAREST},
    {WL_FORMAT_E5M2, WL_FORMAT_F16, WL_ROUND_NEAREST},
    {WL_FORMAT_E4M3, WL_FORMAT_BF16, WL_ROUND_NEAREST},
    {WL_FORMAT_E5M2, WL_FORMAT_BF16, WL_ROUND_NEAREST},
    {WL_FORMAT_BF16, WL_FORMAT_F16, WL_ROUND_ZERO},
    {WL_FORMAT_F16, WL_FORMAT_BF16, WL_ROUND_ZERO},
    {WL_FORMAT_E4M3, WL_FORMAT_F32, WL_ROUND_NEAREST},
    {WL_FORMAT_E5M2, WL_FORMAT_F32, WL_ROUND_NEAREST},
    {WL_FORMAT_F16, WL_FORMAT_F32, WL_ROUND_ZERO},
    {WL_FORMAT_F16, WL_FORMAT_F32, WL_ROUND_NEAREST},
    {WL_FORMAT_BF16, WL_FORMAT_F32, WL_ROUND_ZERO},
    {WL_FORMAT_TF32, WL_FORMAT_F32, WL_ROUND_NEAREST},
    {WL_FORMAT_TF32, WL_FORMAT_F32, WL_ROUND_ZERO},
    {WL_FORMAT_TF32, WL_FORMAT_F32, WL_NARROW_AWAY},
};

/* Every pair of numbers of 8 bits; every number of 16 bits, with another one. */
static void test_every_narrow_number(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < WL_COUNT(conversions); i++) {
        if (conversions[i].from == WL_FORMAT_F32)
            continue;
        for (uint32_t first = 0; first < 1u << 16; first += WL_LANES) {
            uint32_t a[WL_LANES];
            for (uint32_t lane = 0; lane < WL_LANES; lane++)
                a[lane] = (first + lane) | (first + lane) * 40503u << 16;
            const struct wl_op op = conversion(conversions[i].to, conversions[i].from,
                                               flags_of(conversions[i].rounding, draw() & 3));
            compare(&op, a, a);
        }
    }
}

/* At the number of that magnitude or in the middle between it and the next one, or beside. */
static uint32_t near_number(enum wl_matrix_format to, uint32_t magnitude)
{
    const double low = value_of(&formats[to], magnitude);
    const double high = value_of(&formats[to], magnitude + 1);
    const uint32_t bits = bits_of((float)(draw() & 1 ? low : (low + high) / 2));
    return (bits + draw() % 3 - 1) ^ (draw() & 0x80000000u);
}

static uint32_t draw_single(void)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x807fffff,
                                   0x7f800000, 0xff800000, 0x7f800001, 0xffc00001};
    return draw() & 7 ? draw() : odd[draw() % WL_COUNT(odd)];
}

static void test_singles(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < WL_COUNT(conversions); i++) {
        const enum wl_matrix_format to = conversions[i].to;
        if (conversions[i].from != WL_FORMAT_F32)
            continue;
        const uint32_t end = formats[to].limit + 2, least_rounds = 2000;
        for (uint32_t round = 0; round * WL_LANES < 2 * end || round < least_rounds; round++) {
            uint32_t a[WL_LANES], b[WL_LANES];
            for (uint32_t lane = 0; lane < WL_LANES; lane++) {
                a[lane] = near_number(to, (round * WL_LANES + lane) % end);
                b[lane] = draw_single();
            }
            const struct wl_op op =
                conversion(to, WL_FORMAT_F32, flags_of(conversions[i].rounding, draw() & 3));
            if (round & 1)
                compare(&op, b, a);
            else
                compare(&op, a, b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_narrow_number),
        cmocka_unit_test(test_singles),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
