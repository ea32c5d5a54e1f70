/* What the operations of the special function unit give is what an H100 gives, bit by bit, in each
 * executor that this machine can run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "sim/executor.h"
#include "sim/state.h"
#include "warp/approximate.h"
#include "warp/kinds.h"

static const struct wl_executor_row *tables[WL_EXECUTORS_MOST];
static int table_count;

static int find_tables(void **unused)
{
    (void)unused;
    table_count = (int)wl_executor_list(tables);
    return 0;
}

/* Registers: the result, then the operands. */
enum { REGISTER_BYTES = 8 * WL_LANES };
struct machine {
    struct wl_warp warp;
    uint8_t registers[4 * REGISTER_BYTES] __attribute__((aligned(64)));
};

/* Executes the operation for arguments of so many bytes, a multiple of a warp's. */
static void execute(const struct wl_executor_row *table, const struct wl_op *made, const void *a,
                    const void *b, void *results, size_t count, size_t bytes)
{
    static struct machine self;
    struct wl_op op = *made;
    op.dst = 0, op.a = REGISTER_BYTES, op.b = 2 * REGISTER_BYTES, op.c = 3 * REGISTER_BYTES;
    self.warp.registers = self.registers;
    self.warp.active = WL_FULL_MASK;
    const size_t warp_bytes = WL_LANES * bytes;
    for (size_t i = 0; i < count * bytes; i += warp_bytes) {
        memcpy(self.registers + op.a, (const uint8_t *)a + i, warp_bytes);
        if (b)
            memcpy(self.registers + op.b, (const uint8_t *)b + i, warp_bytes);
        table[op.code].full(&self.warp, &op);
        memcpy((uint8_t *)results + i, self.registers, warp_bytes);
    }
}

struct row {
    enum { RANGE, SPREAD, HALVES, HIGHS, DOUBLES, PAIRS } kind;
    uint16_t code;
    uint8_t half_kind;
    int64_t flags;
    const char *instruction;
    uint32_t first, step, count;
    uint64_t digest;
};
static const struct row rows[] = {
#define RANGE(op, text, first, step, count, digest) \
    {RANGE, WL_OP_##op, 0, 0, text, first, step, count, digest},
#define SPREAD(op, text, digest) {SPREAD, WL_OP_##op, 0, 0, text, 0, 0, 65536, digest},
#define HALVES(flags, half, text, digest) \
    {HALVES, WL_OP_HALF, half, flags, text, 0, 0, 65536, digest},
#define HIGHS(op, text, count, digest) {HIGHS, WL_OP_##op, 0, 0, text, 0, 0, count, digest},
#define DOUBLES(op, text, digest) {DOUBLES, WL_OP_##op, 0, 0, text, 0, 0, 65536, digest},
#define PAIRS(op, text, digest) {PAIRS, WL_OP_##op, 0, 0, text, 0, 0, 1 << 18, digest},
#include "sim/approximate_ranges.def"
};

/* Arguments and results of a row. */
struct case_of {
    void *a, *b, *results;
    size_t bytes; /* of an argument */
};

static uint32_t draw_from(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t high = *state >> 16;
    *state = *state * 1664525u + 1013904223u;
    return high << 16 | *state >> 16;
}

static void spread(uint32_t *to)
{
    static const uint32_t first[] = {0, 1, 0x7fffff, 0x400000};
    uint32_t state = 12345;
    for (uint32_t i = 0; i < 65536; i++) {
        state = state * 1664525u + 1013904223u;
        to[i] = i >> 7 << 23 | ((i & 127) < 4 ? first[i & 127] : state >> 9);
    }
}

static void spread_doubles(uint64_t *to, uint32_t *state)
{
    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t high = draw_from(state), low = draw_from(state);
        high = (i & 15) < 2 ? 0 : (i & 15) == 2 ? ~0u : high;
        low = (i & 15) < 2 ? i & 15 : (i & 15) == 2 ? ~0u : low;
        to[i] = (uint64_t)(i >> 4) << 52 | (uint64_t)(high & 0xfffff) << 32 | low;
    }
}

static void draw_pairs(uint32_t *a, uint32_t *b, uint32_t count, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        a[i] = draw_from(state);
        b[i] = draw_from(state);
        if (!(i & 3)) {
            a[i] = (a[i] & 0x807fffff) | (120 + (draw_from(state) & 15)) << 23;
            b[i] = (b[i] & 0x807fffff) | (120 + (draw_from(state) & 15)) << 23;
        }
        if ((i & 63) == 1)
            b[i] &= 0x807fffff;
        if ((i & 63) == 2)
            b[i] = (b[i] & 0x807fffff) | (253 + (draw_from(state) & 1)) << 23;
        if ((i & 63) == 3)
            a[i] &= 0x807fffff;
        if ((i & 255) == 5)
            b[i] &= 0x80000000;
        if ((i & 255) == 6)
            b[i] |= 0x7f800000;
        if ((i & 255) == 7)
            a[i] |= 0x7f800000;
    }
}

static struct case_of make(const struct row *row)
{
    const bool is_wide = row->kind == HIGHS || row->kind == DOUBLES;
    struct case_of made = {.bytes = is_wide ? 8 : 4};
    made.a = wl_alloc_zero(row->count, 8), made.b = wl_alloc_zero(row->count, 8);
    made.results = wl_alloc_zero(row->count, 8);
    uint32_t *words = made.a, state = 777;
    for (uint32_t i = 0; i < row->count && (row->kind == RANGE || row->kind == HALVES); i++)
        words[i] = row->kind == RANGE ? row->first + i * row->step : i;
    for (uint32_t i = 0; i < row->count && row->kind == HIGHS; i++)
        ((uint64_t *)made.a)[i] = (uint64_t)(0x3ff00000 + i) << 32;
    if (row->kind == SPREAD)
        spread(words);
    if (row->kind == DOUBLES || row->kind == PAIRS)
        spread_doubles(made.a, &state);
    if (row->kind == PAIRS)
        draw_pairs(made.a, made.b, row->count, &state);
    return made;
}

static void drop(struct case_of *made)
{
    free(made->a);
    free(made->b);
    free(made->results);
}

/* Results as the digest has them: halves of 16 bits, high words alone. */
static uint64_t digest_of(const struct row *row, const struct case_of *made)
{
    uint32_t *words = made->results;
    uint16_t *halves = made->results;
    size_t bytes = row->count * made->bytes;
    for (uint32_t i = 0; i < row->count && row->kind == HALVES; i++)
        halves[i] = (uint16_t)words[i];
    for (uint32_t i = 0; i < row->count && row->kind == HIGHS; i++)
        words[i] = words[2 * i + 1];
    bytes = row->kind == HALVES || row->kind == HIGHS ? bytes / 2 : bytes;
    return XXH3_64bits(made->results, bytes);
}

/* The slower executors do not all of the long ranges. */
static void test_as_an_h100(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int t = 0; t < table_count; t++) {
            if (t > 0 && rows[i].count > 0x200000)
                continue;
            struct case_of made = make(&rows[i]);
            const struct wl_op op = {
                .code = rows[i].code, .kind = rows[i].half_kind, .imm = rows[i].flags};
            execute(tables[t], &op, made.a, made.b, made.results, rows[i].count, made.bytes);
            const bool is_same = digest_of(&rows[i], &made) == rows[i].digest;
            drop(&made);
            if (!is_same)
                print_error("%s, arguments from 0x%08x, executor %d\n", rows[i].instruction,
                            rows[i].first, t);
            assert_true(is_same);
        }
}

/* Of all executors the results are the same, too, where no digest tells. */
static void test_executors_agree(void **unused)
{
    enum { COUNT = 1 << 16 };
    static uint32_t a[COUNT], b[COUNT], first[COUNT], other[COUNT];
    (void)unused;
    uint32_t state = 3;
    draw_pairs(a, b, COUNT, &state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct wl_op op = {.code = rows[i].code};
        if (rows[i].kind != SPREAD && rows[i].kind != PAIRS)
            continue;
        execute(tables[0], &op, a, b, first, COUNT, 4);
        for (int t = 1; t < table_count; t++) {
            execute(tables[t], &op, a, b, other, COUNT, 4);
            assert_memory_equal(first, other, sizeof first);
        }
    }
}

/* A result does not depend on the other lanes' arguments: not where they are of all kinds, while a
 * warp of the table's order has one exponent. */
static void test_lanes_are_apart(void **unused)
{
    enum { COUNT = 1 << 16, ODD = 25173 };
    static uint32_t a[COUNT], b[COUNT], mixed_a[COUNT], mixed_b[COUNT], apart[COUNT], mixed[COUNT];
    (void)unused;
    spread(a);
    for (uint32_t n = 0; n < COUNT; n++)
        b[n] = a[COUNT - 1 - n];
    for (uint32_t n = 0; n < COUNT; n++) {
        mixed_a[n] = a[n * ODD % COUNT], mixed_b[n] = b[n * ODD % COUNT];
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct wl_op op = {.code = rows[i].code};
        for (int t = 0; t < table_count && (rows[i].kind == SPREAD || rows[i].kind == PAIRS); t++) {
            execute(tables[t], &op, a, b, apart, COUNT, 4);
            execute(tables[t], &op, mixed_a, mixed_b, mixed, COUNT, 4);
            for (uint32_t n = 0; n < COUNT; n++) {
                if (mixed[n] != apart[n * ODD % COUNT])
                    print_error("%s of 0x%08x, 0x%08x, executor %d\n", rows[i].instruction,
                                mixed_a[n], mixed_b[n], t);
                assert_int_equal(mixed[n], apart[n * ODD % COUNT]);
            }
        }
    }
}

static uint32_t flushed(uint32_t half)
{
    return half & 0x7c00 ? half : half & 0x8000;
}

/* Of pairs each half has what it has alone, whatever the other lanes and the other half have; .ftz
 * makes subnormal arguments and results of binary16 zero. */
static void test_pairs_of_halves(void **unused)
{
    enum { COUNT = 1 << 16, ODD = 25173 };
    static uint32_t every[COUNT], alone[COUNT], pairs[COUNT], results[COUNT];
    (void)unused;
    for (uint32_t n = 0; n < COUNT; n++) {
        every[n] = n;
        pairs[n] = n * ODD % COUNT | (COUNT - 1 - n) << 16;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int t = 0; t < 2 * table_count && rows[i].kind == HALVES; t++) {
            const bool flushes = t & 1 && !(rows[i].flags & WL_HALF_BFLOAT);
            struct wl_op op = {
                .code = rows[i].code, .kind = rows[i].half_kind, .imm = rows[i].flags};
            execute(tables[t / 2], &op, every, NULL, alone, COUNT, 4);
            op.imm |= WL_HALF_PAIR | (flushes ? WL_HALF_FTZ : 0);
            execute(tables[t / 2], &op, pairs, NULL, results, COUNT, 4);
            for (uint32_t n = 0; n < COUNT; n++) {
                const uint32_t low = pairs[n] & 0xffff, high = pairs[n] >> 16;
                const uint32_t expected =
                    flushes ? flushed(alone[flushed(low)]) | flushed(alone[flushed(high)]) << 16
                            : alone[low] | alone[high] << 16;
                assert_int_equal(results[n], expected);
            }
        }
}

/* A divisor that is the immediate divides as one in a register. */
static void test_immediate_divisors(void **unused)
{
    enum { COUNT = 1 << 10 };
    static uint32_t a[COUNT], b[COUNT], by_register[COUNT], by_immediate[COUNT];
    static const uint32_t divisors[] = {0x40400000, 0x00000001, 0x7f000000, 0, 0x7f800000};
    (void)unused;
    uint32_t state = 5;
    draw_pairs(a, b, COUNT, &state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t d = 0; d < sizeof divisors / 4 && rows[i].kind == PAIRS; d++) {
            for (uint32_t n = 0; n < COUNT; n++)
                b[n] = divisors[d];
            const struct wl_op with = {.code = rows[i].code},
                               immediate = {.code = (uint16_t)(rows[i].code + 1),
                                            .imm = divisors[d]};
            execute(tables[0], &with, a, b, by_register, COUNT, 4);
            execute(tables[0], &immediate, a, NULL, by_immediate, COUNT, 4);
            assert_memory_equal(by_register, by_immediate, sizeof by_register);
        }
}

/* What libraries' stand-ins compute themselves is ex2.approx.f32. */
static void test_powers_are_the_operation(void **unused)
{
    enum { COUNT = 1 << 16 };
    static uint32_t arguments[COUNT], executed[COUNT], computed[COUNT];
    const struct wl_op op = {.code = WL_OP_EX2_F32};
    float values[COUNT / 64], powers[COUNT / 64];
    (void)unused;
    spread(arguments);
    execute(tables[0], &op, arguments, NULL, executed, COUNT, 4);
    for (int i = 0; i < COUNT; i += COUNT / 64) {
        memcpy(values, arguments + i, sizeof values);
        wl_approximate_powers(values, powers, COUNT / 64);
        memcpy(computed + i, powers, sizeof powers);
    }
    assert_memory_equal(executed, computed, sizeof executed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_an_h100),         cmocka_unit_test(test_executors_agree),
        cmocka_unit_test(test_lanes_are_apart),    cmocka_unit_test(test_pairs_of_halves),
        cmocka_unit_test(test_immediate_divisors), cmocka_unit_test(test_powers_are_the_operation),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
