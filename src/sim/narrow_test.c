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
#include "base/float_bits.h"
#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"

static const struct wl_executor_row *tables[WL_EXECUTORS_MOST];
static int table_count;

static int find_tables(void **unused)
{
    (void)unused;
    table_count = (int)wl_executor_list(tables);
    return 0;
}

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
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

static uint32_t packed_value(double value, enum wl_matrix_format to, int64_t flags)
{
    const struct format *format = &formats[to];
    const uint32_t rounding = (uint32_t)(flags >> WL_NARROW_ROUNDING_SHIFT);
    const uint32_t place = to == WL_FORMAT_TF32 ? 13 : 0;
    if (isnan(value))
        return format->not_a_number << place;
    if (flags & WL_NARROW_RELU && value <= 0)
        return 0;
    uint32_t found = round_magnitude(format, fabs(value), rounding);
    const bool is_cut = flags & WL_NARROW_FINITE || (rounding == WL_ROUND_ZERO && !isinf(value));
    if (found == format->limit && is_cut)
        found--;
    const int sign_place = format->exponent_bits + format->fraction_bits;
    return (found | (signbit(value) ? 1u << sign_place : 0)) << place;
}

static uint32_t packed(uint32_t bits, enum wl_matrix_format to, int64_t flags)
{
    return packed_value((double)wl_f32_of_bits(bits), to, flags);
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
    return wl_bits_of_f32(bits >> sign_place & 1 ? -value : value);
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
    const uint32_t bits = wl_bits_of_f32((float)(draw() & 1 ? low : (low + high) / 2));
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

/* ---- atomics ---- */

enum { SHARED_BYTES = 256, VALUES = 8, MOST_ELEMENTS = 8 };
struct atomic_machine {
    struct wl_warp warp;
    struct wl_sm sm;
    struct wl_run run;
    struct wl_worker worker;
    struct wl_program program;
    struct wl_site program_site;
    struct wl_site_state site;
    struct wl_shared_pattern patterns[WL_SHARED_PATTERNS];
    uint32_t list[3 * MOST_ELEMENTS];
    uint32_t registers[1 + VALUES][WL_LANES] __attribute__((aligned(64)));
    uint32_t memory[(SHARED_BYTES + WL_SHARED_SLACK_BYTES) / 4] __attribute__((aligned(64)));
};

enum action { ADD, MIN, MAX, SWAP, FLUSHED };
static const struct atomic_row {
    enum wl_atomic kind;
    enum wl_matrix_format format;
    enum action action;
    uint8_t bytes;
} atomics[] = {
    {WL_ATOMIC_ADD_F16, WL_FORMAT_F16, ADD, 2},
    {WL_ATOMIC_ADD_BF16, WL_FORMAT_BF16, ADD, 2},
    {WL_ATOMIC_MIN_F16, WL_FORMAT_F16, MIN, 2},
    {WL_ATOMIC_MIN_BF16, WL_FORMAT_BF16, MIN, 2},
    {WL_ATOMIC_MAX_F16, WL_FORMAT_F16, MAX, 2},
    {WL_ATOMIC_MAX_BF16, WL_FORMAT_BF16, MAX, 2},
    {WL_ATOMIC_ADD_F16X2, WL_FORMAT_F16, ADD, 4},
    {WL_ATOMIC_ADD_BF16X2, WL_FORMAT_BF16, ADD, 4},
    {WL_ATOMIC_MIN_F16X2, WL_FORMAT_F16, MIN, 4},
    {WL_ATOMIC_MIN_BF16X2, WL_FORMAT_BF16, MIN, 4},
    {WL_ATOMIC_MAX_F16X2, WL_FORMAT_F16, MAX, 4},
    {WL_ATOMIC_MAX_BF16X2, WL_FORMAT_BF16, MAX, 4},
    {WL_ATOMIC_CAS_B16, WL_FORMAT_NONE, SWAP, 2},
    {WL_ATOMIC_LIST_ADD_F32, WL_FORMAT_F32, FLUSHED, 4},
};

static uint32_t combined_half(const struct atomic_row *row, uint32_t a, uint32_t b)
{
    const double x = (double)wl_f32_of_bits(widened(a, row->format));
    const double y = (double)wl_f32_of_bits(widened(b, row->format));
    double result = x + y;
    if (row->action != ADD) {
        const bool is_x_less = x < y || (x == y && signbit(x));
        result = isnan(x) ? y : isnan(y) ? x : is_x_less == (row->action == MIN) ? x : y;
    }
    return packed_value(result, row->format, 0);
}

static float flushed(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

static uint32_t combined(const struct atomic_row *row, uint32_t old, uint32_t operand,
                         uint32_t fresh)
{
    if (row->action == SWAP)
        return old == (operand & 0xffff) ? fresh & 0xffff : old;
    if (row->action == FLUSHED)
        return wl_bits_of_f32(
            flushed(flushed(wl_f32_of_bits(old)) + flushed(wl_f32_of_bits(operand))));
    const uint32_t low = combined_half(row, old & 0xffff, operand & 0xffff);
    return row->bytes == 2 ? low : low | combined_half(row, old >> 16, operand >> 16) << 16;
}

/* The same of one lane after the other. */
static void change_one_by_one(struct atomic_machine *self, const struct wl_op *op,
                              const struct atomic_row *row)
{
    const bool has_results = op->flags & WL_OPF_RESULT;
    const uint32_t *operands = self->list + (has_results ? op->count : 0);
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        uint32_t old[MOST_ELEMENTS] = {0};
        if (!(self->warp.active >> lane & 1))
            continue;
        for (uint32_t k = 0; k < op->count; k++) {
            uint8_t *cell = (uint8_t *)self->memory + self->registers[0][lane] + k * row->bytes;
            memcpy(&old[k], cell, row->bytes);
            const uint32_t operand = *(uint32_t *)((uint8_t *)self->registers[0] + operands[k] +
                                                   4 * lane),
                           fresh =
                               *(uint32_t *)((uint8_t *)self->registers[0] +
                                             (row->action == SWAP ? operands[k + op->count] : 0) +
                                             4 * lane);
            const uint32_t result = combined(row, old[k], operand, fresh);
            memcpy(cell, &result, row->bytes);
        }
        for (uint32_t k = 0; k < op->count && has_results; k++)
            memcpy((uint8_t *)self->registers[0] + self->list[k] + 4 * lane, &old[k], 4);
    }
}

/* Usual halves of both formats, and all others. */
static uint32_t draw_halves(const struct atomic_row *row)
{
    static const uint32_t odd[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00,
                                   0x7c01, 0x7f80, 0xff80, 0x7f81, 0x7fff, 0x7bff};
    const uint32_t usual = draw();
    uint32_t result = 0;
    if (row->action == FLUSHED)
        return draw() & 3 ? (usual & 0x807fffff) | (draw() % 8 + (draw() & 1 ? 0 : 120)) << 23 : 0;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t near = (draw() & 0x83ff) | (12 + draw() % 4) << 10;
        result |= (draw() % 4   ? near
                   : draw() % 2 ? odd[draw() % WL_COUNT(odd)]
                                : usual & 0xffff)
                  << 16 * k;
    }
    return result;
}

static void fill_atomic(struct atomic_machine *self, const struct wl_op *op,
                        const struct atomic_row *row)
{
    memset(self, 0, sizeof *self);
    const uint32_t bytes = op->count * row->bytes, places = draw() & 1 ? 4 : SHARED_BYTES / bytes;
    for (uint32_t lane = 0; lane < WL_LANES; lane++)
        self->registers[0][lane] = draw() % places * bytes;
    for (uint32_t i = 0; i < VALUES * WL_LANES; i++)
        self->registers[1 + i / WL_LANES][i % WL_LANES] = draw_halves(row);
    for (uint32_t i = 0; i < SHARED_BYTES / 4; i++)
        self->memory[i] = draw_halves(row);
    /* some compare-and-swaps find what they look for */
    for (uint32_t lane = 0; lane < WL_LANES && row->action == SWAP; lane++)
        memcpy(&self->registers[1 + draw() % VALUES][lane],
               (uint8_t *)self->memory + self->registers[0][lane], 2);
    const uint32_t first = draw();
    for (uint32_t k = 0; k < 3 * MOST_ELEMENTS; k++)
        self->list[k] = (1 + (first + k) % VALUES) * REGISTER_BYTES;
    self->warp.active = draw() & 1 ? WL_FULL_MASK : draw() | 1;
}

static void bind(struct atomic_machine *self)
{
    static const struct wl_gpu gpu = {.shared_banks = 32, .shared_bank_bytes = 4};
    self->run.gpu = &gpu;
    self->run.program = &self->program;
    self->run.shared_bytes = SHARED_BYTES;
    self->program.sites = &self->program_site;
    self->program.operands = self->list;
    self->worker.run = &self->run;
    self->worker.sites = &self->site;
    self->worker.patterns = self->patterns;
    self->warp.worker = &self->worker;
    self->warp.sm = &self->sm;
    self->warp.shared = (uint8_t *)self->memory;
    self->warp.registers = (uint8_t *)self->registers;
    self->warp.mask = self->warp.active;
    self->warp.is_masked = self->warp.active != WL_FULL_MASK;
}

static void test_atomics(void **unused)
{
    (void)unused;
    static struct atomic_machine start, right, found;
    for (uint32_t round = 0; round < 20000; round++) {
        const struct atomic_row *row = &atomics[round % WL_COUNT(atomics)];
        const uint32_t most = row->action == SWAP ? 1 : 16 / row->bytes;
        const struct wl_op op = {.code = WL_OP_ATOMIC_LIST,
                                 .kind = (uint8_t)row->kind,
                                 .d = WL_SITE_SHARED,
                                 .flags = WL_OPF_ADDRESS32 | (draw() & 1 ? WL_OPF_RESULT : 0),
                                 .width_bytes = row->bytes,
                                 .count = (uint8_t)(most > 1 ? 1u << draw() % 3 : 1)};
        fill_atomic(&start, &op, row);
        right = start;
        change_one_by_one(&right, &op, row);
        for (int t = 0; t < table_count; t++) {
            const struct wl_executor_row *executor = &tables[t][op.code];
            found = start;
            bind(&found);
            assert_ptr_equal(&op + 1, (found.warp.is_masked ? executor->masked
                                                            : executor->full)(&found.warp, &op));
            for (uint32_t i = 0; i < SHARED_BYTES / 4; i++)
                if (found.memory[i] != right.memory[i])
                    print_error("atomic %d, executor %d: %08x, not %08x\n", row->kind, t,
                                found.memory[i], right.memory[i]);
            assert_memory_equal(found.memory, right.memory, SHARED_BYTES);
            assert_memory_equal(found.registers, right.registers, sizeof right.registers);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_narrow_number),
        cmocka_unit_test(test_singles),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
