/* Operations that the executors for processors with AVX2 and AVX-512 do by instructions of theirs
 * give the same bits as the executor that has no such instructions, for all masks of lanes;
 * divisions by doubles are those of integers, and sums and products of 64 bits those of 128. So are
 * the counts of accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "sim/executor.h"
#include "sim/l1.h"
#include "sim/state.h"
#include "warp/kinds.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];

#define REGISTERS 8
#define ROUNDS 4000

/* A warp, its registers, shared memory and an allocation of global memory: so many bytes each, and
 * what compiled code may read behind them. */
enum { MEMORY_BYTES = 4096, GPU_LINE_BYTES = 128 };
#define MEMORY_ROOM \
    ((MEMORY_BYTES + WL_SHARED_SLACK_BYTES + GPU_LINE_BYTES - 1) / GPU_LINE_BYTES * GPU_LINE_BYTES)
struct machine {
    struct wl_warp warp;
    struct wl_sm sm;
    struct wl_run run;
    struct wl_worker worker;
    struct wl_program program;
    struct wl_site program_site;
    struct wl_site_state site;
    struct wl_shared_pattern patterns[WL_SHARED_PATTERNS];
    uint32_t registers[REGISTERS][2 * WL_LANES] __attribute__((aligned(64)));
    uint8_t memory[2][MEMORY_ROOM] __attribute__((aligned(GPU_LINE_BYTES)));
};

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static uint32_t draw_mask(void)
{
    switch (draw() % 4) {
    case 0:
        return WL_FULL_MASK;
    case 1:
        return 1u << draw() % WL_LANES;
    case 2:
        return draw() & draw() & draw();
    default:
        return draw();
    }
}

static uint32_t place_of(uint32_t number)
{
    return number * (uint32_t)sizeof((struct machine *)NULL)->registers[0];
}

static void bind(struct machine *self)
{
    static const struct wl_gpu gpu = {.shared_banks = 32, .shared_bank_bytes = 4};
    if (!self->run.gpu)
        self->run.gpu = &gpu;
    self->run.program = &self->program;
    self->run.shared_bytes = MEMORY_BYTES;
    self->program.sites = &self->program_site;
    self->worker.run = &self->run;
    self->worker.sites = &self->site;
    self->worker.patterns = self->patterns;
    self->warp.worker = &self->worker;
    self->warp.sm = &self->sm;
    self->warp.shared = self->memory[0];
    self->site.range_start = (uint64_t)(uintptr_t)self->memory[1];
    self->site.range_end = self->site.range_start + MEMORY_BYTES;
}

static void run(struct machine *self, const struct wl_op *op, const struct wl_executor_row *table)
{
    const struct wl_executor_row *row = &table[op->code];
    bind(self);
    self->warp.registers = (uint8_t *)self->registers;
    self->warp.is_masked = self->warp.active != WL_FULL_MASK;
    assert_ptr_equal(op + 1, (self->warp.is_masked ? row->masked : row->full)(&self->warp, op));
}

static bool has_level(int level)
{
    __builtin_cpu_init();
    return level == 3 ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                      : __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

/* Runs it by all executors that this processor has. */
static void compare(const struct machine *start, const struct wl_op *op)
{
    static struct machine narrow, wide;
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    narrow = *start;
    run(&narrow, op, wl_exec_table_v2);
    for (int level = 3; level <= 4 && has_level(level); level++) {
        wide = *start;
        run(&wide, op, tables[level]);
        assert_memory_equal(narrow.registers, wide.registers, sizeof narrow.registers);
    }
}

/* The machines of all executors that this processor has, the plain one first. */
struct machines {
    struct machine of[3];
    const struct wl_executor_row *tables[3];
    uint32_t count;
};

static void fill(struct machine *self)
{
    memset(self, 0, sizeof *self);
    for (uint32_t i = 0; i < REGISTERS; i++)
        for (uint32_t lane = 0; lane < 2 * WL_LANES; lane++)
            self->registers[i][lane] = draw();
    self->warp.active = self->warp.mask = draw_mask();
}

/* Amounts and segments that differ by lanes, and those that programs have. */
static void fill_shuffle(struct machine *self, uint32_t round)
{
    static const uint32_t common[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1e1f, 0x1800, 0x1c03, 0x1f1f};
    const uint32_t amount = draw(), segment = common[draw() % 8];
    for (uint32_t lane = 0; lane < WL_LANES && round % 4; lane++) {
        self->registers[2][lane] = amount;
        self->registers[3][lane] = round % 4 == 1 ? draw() : segment;
    }
}

static void test_shuffles(void **unused)
{
    (void)unused;
    struct machine start;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fill(&start);
        fill_shuffle(&start, round);
        const struct wl_op op = {.code = WL_OP_SHUFFLE,
                                 .kind = (uint8_t)(round / 4 % 4),
                                 .dst = place_of(round / 16 % 4),
                                 .a = place_of(1),
                                 .b = place_of(2),
                                 .c = place_of(3),
                                 .d = round % 3 ? place_of(4) : UINT32_MAX};
        compare(&start, &op);
    }
}

/* One lane's result; *is_one: whether all members have its value. */
static uint32_t match_lane(const struct machine *start, const struct wl_op *op, uint32_t lane,
                           bool *is_one)
{
    const uint32_t step = op->width_bytes / 4;
    const uint32_t *a = start->registers[1];
    const uint32_t members =
        start->warp.active & (op->b == UINT32_MAX ? WL_FULL_MASK : start->registers[2][lane]);
    uint32_t equal = 0;
    for (uint32_t i = 0; i < WL_LANES; i++)
        equal |= memcmp(&a[step * i], &a[step * lane], op->width_bytes) == 0 ? 1u << i : 0;
    *is_one = (equal & members) == members;
    return op->kind && !*is_one ? 0 : equal & members;
}

static void check_match(const struct machine *start, const struct machine *end,
                        const struct wl_op *op)
{
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        bool is_one = false;
        const bool is_on = start->warp.active >> lane & 1;
        const uint32_t found = match_lane(start, op, lane, &is_one);
        assert_int_equal(end->registers[0][lane], is_on ? found : start->registers[0][lane]);
        if (op->d != UINT32_MAX)
            assert_int_equal(end->registers[4][0] >> lane & 1,
                             is_on && op->kind ? is_one : start->registers[4][0] >> lane & 1);
    }
}

/* From one value to as many as lanes; groups that do not know of each other. */
static void test_matches(void **unused)
{
    (void)unused;
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine start, end;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct wl_op op = {.code = WL_OP_MATCH,
                                 .kind = (uint8_t)(draw() % 2),
                                 .width_bytes = draw() % 2 ? 8 : 4,
                                 .dst = place_of(0),
                                 .a = place_of(1),
                                 .b = draw() % 2 ? place_of(2) : UINT32_MAX,
                                 .d = draw() % 2 ? place_of(4) : UINT32_MAX};
        fill(&start);
        start.warp.active |= 1;
        const uint32_t values = 1u << draw() % 6, mask = draw();
        for (uint32_t i = 0; i < 2 * WL_LANES; i++)
            start.registers[1][i] = draw() % values << 20;
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            start.registers[2][lane] = mask >> lane & 1 ? mask : ~mask;
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            end = start;
            run(&end, &op, tables[level - 2]);
            check_match(&start, &end, &op);
        }
    }
}

/* A number of any length, or one beside a great one. */
static uint32_t draw_number(void)
{
    static const uint32_t great[] = {0, 1u << 31, ~0u, 0xffff0000u};
    const uint32_t shift = draw() % 32, near = draw() % 4;
    return draw() % 3 ? draw() >> shift : great[draw() % 4] + near - 2;
}

/* One that the first is a multiple of, or nearly. */
static uint32_t draw_dividend(uint32_t divisor)
{
    return draw() % 2 ? draw_number() : (divisor ? draw() / divisor * divisor : 0) + draw() % 3 - 1;
}

static uint32_t divide(enum wl_opcode code, uint32_t a, uint32_t b)
{
    const bool wraps = a == 1u << 31 && b == ~0u;
    const int32_t signed_a = (int32_t)a, signed_b = (int32_t)b;
    if (b == 0)
        return ~0u;
    switch (code) {
    case WL_OP_DIV_U32:
        return a / b;
    case WL_OP_REM_U32:
        return a % b;
    case WL_OP_DIV_S32:
        return wraps ? a : (uint32_t)(signed_a / signed_b);
    default:
        return wraps ? 0 : (uint32_t)(signed_a % signed_b);
    }
}

static void test_divisions(void **unused)
{
    (void)unused;
    static const enum wl_opcode codes[] = {WL_OP_DIV_U32, WL_OP_REM_U32, WL_OP_DIV_S32,
                                           WL_OP_REM_S32};
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine machine;
    for (uint32_t round = 0; round < 8 * ROUNDS; round++) {
        const enum wl_opcode code = codes[round % 4];
        const struct wl_op op = {
            .code = (uint16_t)code, .dst = place_of(0), .a = place_of(1), .b = place_of(2)};
        machine.warp.active = WL_FULL_MASK;
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            machine.registers[2][lane] = draw_number();
            machine.registers[1][lane] = draw_dividend(machine.registers[2][lane]);
        }
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            run(&machine, &op, tables[level - 2]);
            for (uint32_t lane = 0; lane < WL_LANES; lane++)
                assert_int_equal(
                    machine.registers[0][lane],
                    divide(code, machine.registers[1][lane], machine.registers[2][lane]));
        }
    }
}

static uint32_t divide_short(enum wl_opcode code, uint32_t a, uint32_t b)
{
    const int32_t signed_a = (int16_t)a, signed_b = (int16_t)b;
    a &= 0xffff, b &= 0xffff;
    if (b == 0)
        return 0xffff;
    const int32_t signed_result = code == WL_OP_DIV_S16 ? signed_a / signed_b : signed_a % signed_b;
    return code == WL_OP_DIV_U16   ? a / b
           : code == WL_OP_REM_U16 ? a % b
                                   : (uint32_t)signed_result & 0xffff;
}

/* By every number of 16 bits multiples of it, and what is one less or more. */
static void test_short_divisions(void **unused)
{
    (void)unused;
    static const enum wl_opcode codes[] = {WL_OP_DIV_U16, WL_OP_REM_U16, WL_OP_DIV_S16,
                                           WL_OP_REM_S16};
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine machine;
    for (uint32_t divisor = 0; divisor < 1u << 16; divisor++) {
        const enum wl_opcode code = codes[draw() % 4];
        const struct wl_op op = {
            .code = (uint16_t)code, .dst = place_of(0), .a = place_of(1), .b = place_of(2)};
        machine.warp.active = WL_FULL_MASK;
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            const uint32_t multiple = draw() % (divisor ? 0x10000 / divisor + 1 : 2) * divisor;
            machine.registers[1][lane] = lane ? multiple + draw() % 3 - 1 : 0x8000;
            machine.registers[2][lane] = divisor | draw() << 16;
        }
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            run(&machine, &op, tables[level - 2]);
            for (uint32_t lane = 0; lane < WL_LANES; lane++)
                assert_int_equal(
                    machine.registers[0][lane],
                    divide_short(code, machine.registers[1][lane], machine.registers[2][lane]));
        }
    }
}

/* ---- sums with carries, products of 64 bits ---- */

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide_number;

static uint64_t draw_wide(void)
{
    const uint64_t bits = (uint64_t)draw() << 32 | draw();
    return draw() % 2 ? bits >> draw() % 64
                      : (uint64_t)draw_number() << (draw() % 2 ? 32 : 0) | (draw() % 2 ? ~0u : 0);
}

static wide signed_wide(uint64_t value, uint32_t bits)
{
    const wide sign = (wide)1 << (bits - 1);
    return ((wide)value ^ sign) - sign;
}

/* kind: as of MADC_32. The sum, and the carry or borrow above it. */
static wide chain(enum wl_opcode code, uint32_t kind, uint32_t bits, const uint64_t *operands,
                  uint32_t carry)
{
    const wide a = operands[0], b = operands[1], c = operands[2], in = kind & 1 ? carry : 0;
    if (code == WL_OP_ADDC_32 || code == WL_OP_ADDC_64)
        return a + b + in;
    if (code == WL_OP_SUBC_32 || code == WL_OP_SUBC_64)
        return a - b - in;
    const wide product =
        kind & 8 ? signed_wide(operands[0], bits) * signed_wide(operands[1], bits) : a * b;
    const wide half = kind & 4 ? product >> bits : product;
    return (bits == 64 ? (uint64_t)half : (uint32_t)half) + c + in;
}

static uint64_t lane_value(const struct machine *self, uint32_t number, uint32_t lane, bool is_wide)
{
    uint64_t value;
    memcpy(&value, &self->registers[number][2 * lane], sizeof value);
    return is_wide ? value : self->registers[number][lane];
}

static void check_chain(const struct machine *start, const struct machine *end,
                        const struct wl_op *op, bool is_wide)
{
    const uint32_t bits = is_wide ? 64 : 32, carries = start->registers[4][0];
    uint32_t out = carries;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        uint64_t operands[3], expected = lane_value(start, 0, lane, is_wide);
        if (start->warp.active >> lane & 1) {
            for (uint32_t i = 0; i < 3; i++)
                operands[i] = lane_value(start, 1 + i, lane, is_wide);
            const wide sum = chain(op->code, op->kind, bits, operands, carries >> lane & 1);
            expected = is_wide ? (uint64_t)sum : (uint32_t)sum;
            out = (out & ~(1u << lane)) | (uint32_t)(sum >> bits & 1) << lane;
        }
        assert_int_equal(lane_value(end, 0, lane, is_wide), expected);
    }
    assert_int_equal(end->registers[4][0], op->kind & 2 ? out : carries);
}

static void test_carries(void **unused)
{
    (void)unused;
    static const enum wl_opcode codes[] = {WL_OP_ADDC_32, WL_OP_SUBC_32, WL_OP_MADC_32,
                                           WL_OP_ADDC_64, WL_OP_SUBC_64, WL_OP_MADC_64};
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine start, end;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t which = round % 6;
        const struct wl_op op = {.code = (uint16_t)codes[which],
                                 .kind = (uint8_t)(draw() % (which % 3 == 2 ? 16 : 4)),
                                 .dst = place_of(0),
                                 .a = place_of(1),
                                 .b = place_of(2),
                                 .c = place_of(3),
                                 .d = place_of(4)};
        fill(&start);
        for (uint32_t i = 1; i < 4; i++)
            for (uint32_t lane = 0; lane < WL_LANES; lane++) {
                const uint64_t value = which < 3 ? draw_number() : draw_wide();
                memcpy(&start.registers[i][(which < 3 ? 1 : 2) * lane], &value, which < 3 ? 4 : 8);
            }
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            end = start;
            run(&end, &op, tables[level - 2]);
            check_chain(&start, &end, &op, which >= 3);
        }
    }
}

/* ---- saturated integers, classes of floats ---- */

static uint64_t saturated(const struct wl_op *op, uint64_t value)
{
    const uint32_t from = 8u * op->width_bytes, to = 8 * (op->imm & 0xff);
    const signed_wide_number limit = (signed_wide_number)1 << (op->imm >> 8 ? to - 1 : to),
                             least = op->imm >> 8 ? -limit : 0;
    const wide sign = op->flags & WL_OPF_SIGNED ? (wide)1 << (from - 1) : 0;
    const signed_wide_number number =
        (signed_wide_number)(((wide)value & (((wide)1 << from) - 1)) ^ sign) -
        (signed_wide_number)sign;
    return (uint64_t)(number < least ? least : number >= limit ? limit - 1 : number);
}

static void test_saturated_integers(void **unused)
{
    (void)unused;
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine start, end;
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        const uint32_t from = 1u << draw() % 4, to = 1u << draw() % 4;
        const struct wl_op op = {.code = WL_OP_CVT_SATURATE,
                                 .width_bytes = (uint8_t)from,
                                 .flags = (draw() % 2 ? WL_OPF_SIGNED : 0) |
                                          (to == 8 ? WL_OPF_DST64 : 0),
                                 .imm = to | draw() % 2 << 8,
                                 .dst = place_of(0),
                                 .a = place_of(1)};
        fill(&start);
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            const uint64_t value = draw_wide() * (draw() % 2 ? 1 : ~0ull);
            memcpy(&start.registers[1][from == 8 ? 2 * lane : lane], &value, from == 8 ? 8 : 4);
        }
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            end = start;
            run(&end, &op, tables[level - 2]);
            for (uint32_t lane = 0; lane < WL_LANES; lane++) {
                const uint64_t found = saturated(&op, lane_value(&start, 1, lane, from == 8));
                const bool is_on = start.warp.active >> lane & 1;
                const uint64_t result = to == 8 ? found : (uint32_t)found;
                assert_int_equal(lane_value(&end, 0, lane, to == 8),
                                 is_on ? result : lane_value(&start, 0, lane, to == 8));
            }
        }
    }
}

static bool is_of_class(uint32_t kind, int class)
{
    static const int zero = 1 << FP_ZERO, normal = 1 << FP_NORMAL, subnormal = 1 << FP_SUBNORMAL;
    static const int infinite = 1 << FP_INFINITE, nan = 1 << FP_NAN;
    const int classes[] = {zero | normal | subnormal,
                           infinite,
                           zero | normal | subnormal | infinite,
                           nan,
                           zero | normal,
                           subnormal};
    return classes[kind] >> class & 1;
}

/* Of every exponent, with the least, the greatest and any fraction. */
static void test_classes(void **unused)
{
    (void)unused;
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine start, end;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct wl_op op = {.code = WL_OP_TESTP,
                                 .kind = (uint8_t)(round % 6),
                                 .width_bytes = round / 6 % 2 ? 8 : 4,
                                 .dst = place_of(0),
                                 .a = place_of(1)};
        uint32_t expected = 0;
        fill(&start);
        for (uint32_t lane = 0; lane < WL_LANES; lane++) {
            const uint64_t fraction =
                draw() % 4 ? draw() % 3 - 1ull : (uint64_t)draw() << 32 | draw();
            const uint64_t exponent = draw() % 2 ? draw() % 3 - 1u : draw();
            const uint64_t wide_bits = (exponent & 0xfff) << 52 | fraction >> 12 | (fraction & 1);
            const uint32_t bits =
                (uint32_t)(exponent & 0x1ff) << 23 | (uint32_t)(fraction >> 41) | (fraction & 1);
            float single;
            double number;
            memcpy(&single, &bits, sizeof single);
            memcpy(&number, &wide_bits, sizeof number);
            memcpy(&start.registers[1][op.width_bytes / 4 * lane],
                   op.width_bytes == 8 ? (const void *)&wide_bits : &bits, op.width_bytes);
            const int class = op.width_bytes == 8 ? fpclassify(number) : fpclassify(single);
            expected |= is_of_class(op.kind, class) ? 1u << lane : 0;
        }
        const uint32_t active = start.warp.active, before = start.registers[0][0];
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            end = start;
            run(&end, &op, tables[level - 2]);
            assert_int_equal(end.registers[0][0], (expected & active) | (before & ~active));
        }
    }
}

/* In the test above the high halves of products are those of a MADC; these have operations of their
 * own. */
static void test_high_products(void **unused)
{
    (void)unused;
    static const struct {
        enum wl_opcode code;
        bool is_signed, adds, is_immediate;
    } rows[] = {{WL_OP_MUL_HI_U64, false, false, false},  {WL_OP_MUL_HI_S64, true, false, false},
                {WL_OP_MUL_HI_U64_I, false, false, true}, {WL_OP_MUL_HI_S64_I, true, false, true},
                {WL_OP_MAD_HI_U64, false, true, false},   {WL_OP_MAD_HI_S64, true, true, false}};
    const struct wl_executor_row *tables[] = {wl_exec_table_v2, wl_exec_table_v3, wl_exec_table_v4};
    static struct machine start, end;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t which = round % 6, target = draw() % 4;
        const struct wl_op op = {.code = (uint16_t)rows[which].code,
                                 .dst = place_of(target),
                                 .a = place_of(1),
                                 .b = place_of(2),
                                 .c = place_of(3),
                                 .imm = (int64_t)draw_wide()};
        fill(&start);
        for (uint32_t i = 0; i < 3 * WL_LANES; i++) {
            const uint64_t value = draw_wide();
            memcpy(&start.registers[1 + i / WL_LANES][2 * (i % WL_LANES)], &value, sizeof value);
        }
        for (int level = 2; level <= 4 && (level == 2 || has_level(level)); level++) {
            end = start;
            run(&end, &op, tables[level - 2]);
            for (uint32_t lane = 0; lane < WL_LANES; lane++) {
                const uint64_t b = lane_value(&start, 2, lane, true);
                const uint64_t operands[3] = {lane_value(&start, 1, lane, true),
                                              rows[which].is_immediate ? (uint64_t)op.imm : b,
                                              rows[which].adds ? lane_value(&start, 3, lane, true)
                                                               : 0};
                const bool is_on = start.warp.active >> lane & 1;
                assert_int_equal(lane_value(&end, target, lane, true),
                                 is_on ? (uint64_t)chain(WL_OP_MADC_64,
                                                         rows[which].is_signed ? 12 : 4, 64,
                                                         operands, 0)
                                       : lane_value(&start, target, lane, true));
            }
        }
    }
}

enum pattern { RUN, EVERY_OTHER, WINDOW, RANDOM, ONE_PLACE, PATTERNS };

/* Offsets of lanes, each a multiple of so many bytes, all within so much memory. */
static void draw_offsets(uint32_t offset[WL_LANES], enum pattern pattern, uint32_t bytes)
{
    const uint32_t room = MEMORY_BYTES - (pattern == RANDOM || pattern == ONE_PLACE ? bytes : 1024);
    const uint32_t first = draw() % (room / bytes + 1) * bytes;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        const uint32_t random = draw();
        offset[lane] = pattern == RUN           ? first + lane * bytes
                       : pattern == EVERY_OTHER ? first + 2 * lane * bytes
                       : pattern == WINDOW      ? first + random % 128 / bytes * bytes
                       : pattern == RANDOM      ? random % (room / bytes + 1) * bytes
                                                : first;
    }
}

static struct wl_op draw_access(bool is_store, bool is_shared)
{
    static const enum wl_opcode codes[2][2] = {{WL_OP_LOAD_GLOBAL, WL_OP_STORE_GLOBAL},
                                               {WL_OP_LOAD_SHARED, WL_OP_STORE_SHARED}};
    static const uint8_t counts[] = {1, 1, 2, 4};
    struct wl_op op = {.code = (uint16_t)codes[is_shared][is_store], .a = place_of(6)};
    op.width_bytes = (uint8_t)(1u << draw() % 4);
    const bool is_wide = op.width_bytes == 8 || draw() % 4 == 0;
    op.flags = (uint8_t)((draw() % 2 ? WL_OPF_SIGNED : 0) | (is_wide ? WL_OPF_DST64 : 0) |
                         (is_shared && draw() % 2 ? WL_OPF_ADDRESS32 : 0));
    op.kind = op.width_bytes <= 2 && !is_wide && !is_store ? draw() % 2 * WL_LOAD_SHORT : 0;
    op.count = counts[draw() % (op.width_bytes == 8 ? 3 : 4)];
    op.dst = place_of(0);
    op.b = place_of(1);
    op.c = place_of(2);
    op.d = place_of(3);
    return op;
}

/* The same offsets from wherever the machine has its memory. */
static void set_addresses(struct machine *self, const struct wl_op *op,
                          const uint32_t offset[WL_LANES], bool is_shared)
{
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        const uint64_t start = is_shared ? 0 : (uint64_t)(uintptr_t)self->memory[1];
        const uint64_t address = start + offset[lane];
        if (op->flags & WL_OPF_ADDRESS32)
            self->registers[6][lane] = offset[lane];
        else
            memcpy(&self->registers[6][2 * lane], &address, sizeof address);
    }
}

/* Some accesses of one place in the program, one after another. */
static void access_often(struct machines *machines, bool is_store, bool is_shared)
{
    const struct wl_op op = draw_access(is_store, is_shared);
    uint32_t offset[WL_LANES], first[REGISTERS][2 * WL_LANES];
    for (uint32_t step = 0; step < 6; step++) {
        if (step % 2 == 0)
            draw_offsets(offset, draw() % PATTERNS, (uint32_t)op.width_bytes * op.count);
        const uint32_t mask = step < 3 ? WL_FULL_MASK : draw_mask();
        for (uint32_t i = 0; i < machines->count; i++) {
            struct machine *self = &machines->of[i];
            self->warp.active = self->warp.mask = mask ? mask : 1;
            set_addresses(self, &op, offset, is_shared);
            run(self, &op, machines->tables[i]);
            memset(self->registers[6], 0, sizeof self->registers[6]);
            if (i == 0)
                memcpy(first, self->registers, sizeof first);
            assert_memory_equal(first, self->registers, sizeof first);
            assert_memory_equal(machines->of[0].memory, self->memory, sizeof self->memory);
        }
    }
}

static void test_accesses(void **unused)
{
    (void)unused;
    static struct machines machines = {.tables = {wl_exec_table_v2}, .count = 1};
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    for (int level = 3; level <= 4 && has_level(level); level++)
        machines.tables[machines.count++] = tables[level];
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fill(&machines.of[0]);
        for (uint32_t i = 0; i < sizeof machines.of[0].memory; i++)
            machines.of[0]
                .memory[i / sizeof machines.of[0].memory[0]][i % sizeof machines.of[0].memory[0]] =
                (uint8_t)draw();
        for (uint32_t i = 1; i < machines.count; i++)
            machines.of[i] = machines.of[0];
        access_often(&machines, round % 2, round / 2 % 2);
    }
}
/* What is counted of an access, and asked of L2, by places in the machine's memory. */
static void compare_counts(const struct machine *first, const struct machine *self)
{
    const struct wl_site_state *a = &first->site, *b = &self->site;
    const uint64_t lines_a = (uint64_t)(uintptr_t)first->memory[1] / GPU_LINE_BYTES,
                   lines_b = (uint64_t)(uintptr_t)self->memory[1] / GPU_LINE_BYTES;
    assert_memory_equal(a->requests, b->requests, sizeof a->requests);
    assert_int_equal(a->sectors, b->sectors);
    assert_int_equal(a->sectors_ideal, b->sectors_ideal);
    assert_int_equal(a->tags, b->tags);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->hits, b->hits);
    assert_int_equal(a->misses, b->misses);
    assert_int_equal(first->sm.request_count, self->sm.request_count);
    for (size_t i = 0; i < first->sm.request_count; i++) {
        const struct wl_l2_request *of = &first->sm.requests[i], *to = &self->sm.requests[i];
        assert_int_equal(of->line - (uint32_t)lines_a, to->line - (uint32_t)lines_b);
        assert_int_equal(of->high >> 16, to->high >> 16);
        assert_int_equal(of->words, to->words);
        assert_int_equal(of->time, to->time);
    }
}

/* Accesses of one place in the program by some lanes, which are counted. */
static void count_often(struct machines *machines, const struct wl_gpu *gpu)
{
    const struct wl_op op = draw_access(draw() % 2, false);
    uint32_t offset[WL_LANES];
    for (uint32_t i = 0; i < machines->count; i++) {
        struct machine *self = &machines->of[i];
        self->run.gpu = gpu;
        self->run.count = true;
        self->run.sector_cost = 256;
        self->sm.l1 = wl_l1_create(gpu, 1 << 16, true);
    }
    for (uint32_t step = 0; step < 6; step++) {
        const uint32_t bytes = (uint32_t)op.width_bytes * op.count, mask = draw_mask();
        draw_offsets(offset, draw() % PATTERNS, bytes);
        for (uint32_t i = 0; i < machines->count; i++) {
            struct machine *self = &machines->of[i];
            self->warp.active = self->warp.mask = mask ? mask : 1;
            set_addresses(self, &op, offset, false);
            run(self, &op, machines->tables[i]);
            compare_counts(&machines->of[0], self);
        }
    }
    for (uint32_t i = 0; i < machines->count; i++) {
        wl_l1_free(machines->of[i].sm.l1);
        free(machines->of[i].sm.requests);
        free(machines->of[i].sm.repeats.lines.items);
        free(machines->of[i].sm.repeats.runs.items);
    }
}

static void test_counts(void **unused)
{
    (void)unused;
    static struct machines machines = {.tables = {wl_exec_table_v2}, .count = 1};
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    struct wl_error error = {0};
    struct wl_gpu gpu;
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    for (int level = 3; level <= 4 && has_level(level); level++)
        machines.tables[machines.count++] = tables[level];
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fill(&machines.of[0]);
        for (uint32_t i = 1; i < machines.count; i++)
            machines.of[i] = machines.of[0];
        count_often(&machines, &gpu);
    }
    wl_gpu_free(&gpu);
}
#endif

int main(void)
{
#if defined(__x86_64__)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shuffles),
                                       cmocka_unit_test(test_matches),
                                       cmocka_unit_test(test_divisions),
                                       cmocka_unit_test(test_short_divisions),
                                       cmocka_unit_test(test_saturated_integers),
                                       cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_carries),
                                       cmocka_unit_test(test_high_products),
                                       cmocka_unit_test(test_accesses),
                                       cmocka_unit_test(test_counts)};
    return has_level(3) ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
#else
    return 0;
#endif
}
