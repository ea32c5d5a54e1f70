/* The executors of all instruction sets give the same bits for matrix products: those for
 * processors with AVX2 and AVX-512 form them in vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"
#include "warp/program.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];

#define REGISTERS 48
#define ROUNDS 2000
#define SHARED_WORDS 128

struct shape {
    uint32_t m, n, k;
    enum wl_matrix_format a, b, c, d;
    int64_t flags;
};

struct machine {
    struct wl_program program;
    struct wl_run run;
    struct wl_worker worker;
    struct wl_warp warp;
    uint32_t operands[REGISTERS];
    uint32_t registers[REGISTERS][WL_LANES] __attribute__((aligned(64)));
    uint32_t shared[SHARED_WORDS];
};

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* A word of factors: of all bits, near 1, far apart, great ones that add up, mostly 0, small ones,
 * or of two kinds 63 or 64 binary places from each other, if they are floats of 16 bits and more.
 */
static uint32_t draw_factors(uint32_t round, enum wl_matrix_format format)
{
    static const uint32_t masks[][7] = {
        [WL_FORMAT_F16] = {~0u, 0x83ff83ffu, 0xbbffbbffu, 0, 0x8fff8fffu, 0x83ff83ffu, 0x83ff83ffu},
        [WL_FORMAT_BF16] = {~0u, 0x83ff83ffu, 0xbfffbfffu, 0, 0x8fff8fffu, 0xb8ffb8ffu,
                            0x807f807fu},
        [WL_FORMAT_TF32] = {~0u, 0x83ffffffu, 0xbfffffffu, 0, 0x8fffffffu, 0x80007fffu,
                            0x807fffffu},
        [WL_FORMAT_E4M3] = {~0u, 0x87878787u, 0xbfbfbfbfu, 0, 0x8f8f8f8fu, 0x87878787u,
                            0x87878787u},
        [WL_FORMAT_E5M2] = {~0u, 0x83838383u, 0xbbbbbbbbu, 0, 0x8f8f8f8fu, 0x83838383u,
                            0x83838383u},
        [WL_FORMAT_F64] = {0xbfffffffu, 0x800fffffu, 0xbfffffffu, 0, 0x8fffffffu, 0xbfffffffu,
                           0x800fffffu}};
    static const uint32_t added[][7] = {
        [WL_FORMAT_F16] = {0, 0x3c003c00u, 0, 0x3fff3fffu, 0x30003000u, 0, 0x3c003c00u},
        [WL_FORMAT_BF16] = {0, 0x3f803f80u, 0, 0x3fff3fffu, 0x30003000u, 0, 0x28802880u},
        [WL_FORMAT_TF32] = {0, 0x3f800000u, 0, 0x3fffffffu, 0x30000000u, 0x3f800000u, 0x28800000u},
        [WL_FORMAT_E4M3] = {0, 0x38383838u, 0, 0x7e7e7e7eu, 0x30303030u, 0, 0x38383838u},
        [WL_FORMAT_E5M2] = {0, 0x3c3c3c3cu, 0, 0x7b7b7b7bu, 0x30303030u, 0, 0x3c3c3c3cu},
        [WL_FORMAT_F64] = {0, 0x3ff00000u, 0, 0x3fffffffu, 0x30000000u, 0, 0x3ff00000u}};
    const uint32_t bits = draw(), kind = round % 7;
    if (format == WL_FORMAT_S8 || format == WL_FORMAT_U8)
        return kind == 3 ? 0x80808080u : kind == 4 ? ~0u : bits;
    if ((kind == 4 || kind == 6) && bits % 3)
        return 0;
    const uint32_t word = (bits & masks[format][kind]) | added[format][kind];
    if (kind != 6 || (format != WL_FORMAT_BF16 && format != WL_FORMAT_TF32))
        return word;
    const uint32_t all = format == WL_FORMAT_BF16 ? 0x00010001u : 0x00010000u,
                   farther = round / 7 % 2 ? 0x1f80 : 0x2000; /* by 63 or 64 */
    return word + (bits >> 14 & all) * farther;
}

static uint32_t draw_addend(uint32_t round, enum wl_matrix_format format)
{
    const uint32_t bits = draw();
    if (format == WL_FORMAT_S32)
        return round % 2 ? bits : bits >> 31 ? 0x7ffffff0u : 0x80000010u;
    if (format == WL_FORMAT_F16)
        return round % 3 ? bits & 0xbfffbfffu : bits;
    switch (round % 5) {
    case 0:
        return bits;
    case 1:
        return bits & 0x80000000u;
    case 2:
        return (bits & 0x807fffffu) | 0x40000000u;
    case 3:
        return bits & 0x807fffffu;
    default:
        return (bits & 0x8fffffffu) | 0x30000000u;
    }
}

/* Eight chunks' indices: some rounds have two that are alike. */
static uint32_t draw_metadata(uint32_t round)
{
    static const uint8_t pairs[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe, 0x1, 0x2};
    uint32_t word = 0;
    if (round % 8 == 7)
        return draw();
    for (uint32_t chunk = 0; chunk < 8; chunk++)
        word |= (uint32_t)pairs[draw() % sizeof pairs] << 4 * chunk;
    return word;
}

/* Counts in halves of registers of doubles, in whole others. */
static void fill(struct machine *self, const struct shape *shape, uint32_t round)
{
    const bool is_sparse = shape->flags & WL_MATRIX_SPARSE;
    const uint32_t all_a = shape->m * shape->k * wl_matrix_format_bits(shape->a) / 1024;
    const uint32_t a = is_sparse ? all_a / 2 + 1 : all_a;
    const uint32_t factors = a + shape->n * shape->k * wl_matrix_format_bits(shape->b) / 1024;
    const uint32_t d = shape->m * shape->n * wl_matrix_format_bits(shape->d) / 1024;
    const uint32_t c = shape->m * shape->n * wl_matrix_format_bits(shape->c) / 1024;
    const bool is_double = shape->a == WL_FORMAT_F64;
    for (uint32_t i = 0; i < d + factors + c; i++) {
        self->operands[is_double ? i / 2 : i] =
            (is_double ? i & ~1u : i) * (uint32_t)sizeof self->registers[0];
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            self->registers[i][lane] = i < d ? 0
                                       : i < d + factors
                                           ? draw_factors(round, i < d + a ? shape->a : shape->b)
                                       : is_double ? draw_factors(round, WL_FORMAT_F64)
                                                   : draw_addend(draw(), shape->c);
    }
    for (uint32_t lane = 0; lane < WL_LANES && is_sparse; lane++)
        self->registers[d + a - 1][lane] = draw_metadata(round);
    if (c == d && round % 2) /* the sum takes the place of the addend */
        memcpy(self->operands, self->operands + (is_double ? (d + factors) / 2 : d + factors),
               (is_double ? d / 2 : d) * sizeof *self->operands);
}

/* Whether this processor has what the executor is compiled for. */
static bool has_level(int level)
{
    __builtin_cpu_init();
    return level == 3 ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                      : __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static void begin(struct machine *self)
{
    self->program.operands = self->operands;
    self->run.program = &self->program;
    self->run.shared_bytes = sizeof self->shared;
    self->worker.run = &self->run;
    self->warp.worker = &self->worker;
    self->warp.registers = (uint8_t *)self->registers;
    self->warp.shared = (uint8_t *)self->shared;
    self->warp.active = self->warp.mask = WL_FULL_MASK;
}

static void multiply(struct machine *self, const struct shape *shape,
                     const struct wl_executor_row *table)
{
    static struct wl_op ops[8]; /* an executor knows an operation again by its address */
    struct wl_op *op = &ops[(shape->k / 8 + (uint32_t)shape->a) % (sizeof ops / sizeof *ops)];
    *op = (struct wl_op){.imm = WL_MATRIX_SHAPE(shape->m, shape->n, shape->k) | shape->flags,
                         .kind = (uint8_t)shape->a,
                         .width_bytes = (uint8_t)shape->b,
                         .count = (uint8_t)shape->d,
                         .spare = (uint16_t)shape->c};
    begin(self);
    table[WL_OP_MATRIX_MULTIPLY].full(&self->warp, op);
}

/* Registers of a warpgroup's product of 8 columns: sums; where A and B go; zeros; A; metadata; the
 * predicate; B's descriptor. */
enum {
    SUMS = 0,
    TO_A = 4,
    TO_B = 8,
    ZEROS = 12,
    A = 13,
    METADATA = 17,
    ADDS = 18,
    DESCRIPTOR = 20
};

/* Rows of B in shared memory, 16 bytes of each beside those of the others. */
static void fill_group(struct machine *self, const struct shape *shape, uint32_t round)
{
    const uint32_t sums = wl_matrix_format_bits(shape->d) / 8,
                   of_b = shape->flags & WL_MATRIX_SPARSE ? 4 : 2;
    const struct {
        uint32_t first, count;
    } parts[] = {{SUMS, sums}, {TO_A, 4}, {TO_B, of_b}, {ZEROS, 1},
                 {SUMS, sums}, {A, 4},    {METADATA, 1}};
    uint32_t listed = 0;
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (uint32_t i = 0; i < parts[part].count; i++)
            self->operands[listed++] =
                (parts[part].first + i) * (uint32_t)sizeof self->registers[0];
    for (uint32_t i = 0; i < SHARED_WORDS; i++)
        self->shared[i] = draw_factors(round, shape->b);
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t of_bits_not_kept = round % 8 == 6 ? 0x800003ffu : ~0u;
            self->registers[SUMS + i][lane] = draw_addend(draw(), shape->c) & of_bits_not_kept;
            self->registers[A + i][lane] = draw_factors(round, shape->a);
        }
        self->registers[METADATA][lane] = draw_metadata(round);
        ((uint64_t *)self->registers[DESCRIPTOR])[lane] = 0x0000002000080000;
    }
    self->registers[ADDS][0] = round % 4 != 0;
}

static void multiply_group(struct machine *self, const struct shape *shape,
                           const struct wl_executor_row *table)
{
    const uint32_t bytes = sizeof self->registers[0];
    const struct wl_op op = {.imm = WL_MATRIX_SHAPE(64, 1, shape->k) | shape->flags,
                             .a = UINT32_MAX,
                             .b = DESCRIPTOR * bytes,
                             .c = ADDS * bytes,
                             .kind = (uint8_t)shape->a,
                             .width_bytes = (uint8_t)shape->b,
                             .count = (uint8_t)shape->d};
    begin(self);
    assert_non_null(table[WL_OP_WARPGROUP_MULTIPLY].full(&self->warp, &op));
}

/* The same product in both executors, from the same registers; kept: the wide one's factors. */
static void compare_once(struct machine *narrow, const struct shape *shape,
                         const struct wl_executor_row *table, void **kept)
{
    static struct machine wide;
    wide = *narrow;
    wide.worker.factors = *kept;
    multiply(narrow, shape, wl_exec_table_v2);
    multiply(&wide, shape, table);
    *kept = wide.worker.factors;
    assert_memory_equal(narrow->registers, wide.registers, sizeof narrow->registers);
}

static void compare(const struct shape *shape, const struct wl_executor_row *table)
{
    static struct machine narrow;
    void *kept = NULL;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(&narrow, 0, sizeof narrow);
        fill(&narrow, shape, round);
        compare_once(&narrow, shape, table, &kept);
    }
    free(kept);
}

static void compare_groups(const struct shape *shape, const struct wl_executor_row *table)
{
    static struct machine narrow, wide;
    void *kept = NULL;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(&narrow, 0, sizeof narrow);
        fill_group(&narrow, shape, round);
        wide = narrow;
        wide.worker.factors = kept;
        multiply_group(&narrow, shape, wl_exec_table_v2);
        multiply_group(&wide, shape, table);
        kept = wide.worker.factors;
        assert_memory_equal(narrow.registers, wide.registers, sizeof narrow.registers);
    }
    free(kept);
}

static void test_same_bits(void **unused)
{
    (void)unused;
    const struct shape shapes[] = {
#define HALF WL_FORMAT_F16
#define BFLOAT WL_FORMAT_BF16
#define FLOAT WL_FORMAT_F32
        {16, 8, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 8, 8, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 16, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {32, 8, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {8, 32, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 8, 16, HALF, HALF, HALF, HALF, 0},
        {16, 16, 16, HALF, HALF, HALF, HALF, 0},
        {16, 16, 16, HALF, HALF, HALF, FLOAT, 0},
        {16, 16, 16, HALF, HALF, FLOAT, HALF, 0},
        {16, 8, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, 0},
        {16, 8, 8, BFLOAT, BFLOAT, FLOAT, FLOAT, 0},
        {16, 16, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, 0},
        {32, 8, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, 0},
        {16, 16, 8, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, 0},
        {16, 8, 8, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, 0},
        {16, 8, 4, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, 0},
        {16, 16, 16, WL_FORMAT_S8, WL_FORMAT_S8, WL_FORMAT_S32, WL_FORMAT_S32, 0},
        {16, 16, 16, WL_FORMAT_U8, WL_FORMAT_U8, WL_FORMAT_S32, WL_FORMAT_S32, WL_MATRIX_SATURATE},
        {32, 8, 16, WL_FORMAT_S8, WL_FORMAT_U8, WL_FORMAT_S32, WL_FORMAT_S32, 0},
        {16, 8, 32, WL_FORMAT_U8, WL_FORMAT_S8, WL_FORMAT_S32, WL_FORMAT_S32, WL_MATRIX_SATURATE},
        {8, 8, 4, WL_FORMAT_F64, WL_FORMAT_F64, WL_FORMAT_F64, WL_FORMAT_F64, 0},
        {16, 8, 8, WL_FORMAT_F64, WL_FORMAT_F64, WL_FORMAT_F64, WL_FORMAT_F64, 0},
        {8, 8, 16, WL_FORMAT_S8, WL_FORMAT_S8, WL_FORMAT_S32, WL_FORMAT_S32, WL_MATRIX_SATURATE},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E5M2, WL_FORMAT_E5M2, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E5M2, FLOAT, FLOAT, 0},
        {16, 8, 16, WL_FORMAT_E5M2, WL_FORMAT_E4M3, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E4M3, HALF, HALF, 0},
#define SPARSE(selector) (WL_MATRIX_SPARSE | WL_MATRIX_SELECTOR(selector))
        {16, 8, 16, HALF, HALF, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 16, HALF, HALF, HALF, HALF, SPARSE(3)},
        {16, 8, 32, HALF, HALF, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 32, HALF, HALF, HALF, HALF, SPARSE(1)},
        {16, 8, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, SPARSE(2)},
        {16, 8, 32, BFLOAT, BFLOAT, FLOAT, FLOAT, SPARSE(1)},
        {16, 8, 8, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, SPARSE(1)},
        {16, 8, 16, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 32, WL_FORMAT_S8, WL_FORMAT_U8, WL_FORMAT_S32, WL_FORMAT_S32, SPARSE(1)},
        {16, 8, 64, WL_FORMAT_U8, WL_FORMAT_S8, WL_FORMAT_S32, WL_FORMAT_S32,
         SPARSE(0) | WL_MATRIX_SATURATE},
        {16, 8, 64, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 64, WL_FORMAT_E5M2, WL_FORMAT_E4M3, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 64, WL_FORMAT_E4M3, WL_FORMAT_E5M2, FLOAT, FLOAT, SPARSE(0)},
    };
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    if (!has_level(3)) {
        print_message("skipped: this processor has no AVX2\n");
        skip();
    }
    for (int level = 3; level <= 4 && has_level(level); level++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            compare(&shapes[i], tables[level]);
}

/* Of warpgroups, which add up 8-bit numbers another way. */
static void test_same_bits_of_groups(void **unused)
{
    (void)unused;
    const struct shape shapes[] = {
        {16, 8, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 8, 16, HALF, HALF, HALF, HALF, 0},
        {16, 8, 8, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_S8, WL_FORMAT_U8, WL_FORMAT_S32, WL_FORMAT_S32, 0},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E5M2, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E5M2, WL_FORMAT_E5M2, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_E5M2, WL_FORMAT_E5M2, HALF, HALF, 0},
        {16, 8, 32, HALF, HALF, FLOAT, FLOAT, SPARSE(1)},
        {16, 8, 64, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 64, WL_FORMAT_E5M2, WL_FORMAT_E4M3, FLOAT, FLOAT, SPARSE(0)},
    };
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    for (int level = 3; level <= 4 && has_level(level); level++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            compare_groups(&shapes[i], tables[level]);
}

/* Products by the same registers again: some have what they had, some differ in one lane. */
static void compare_changing(const struct shape *shapes, size_t count,
                             const struct wl_executor_row *table)
{
    static struct machine narrow;
    void *kept = NULL;
    memset(&narrow, 0, sizeof narrow);
    for (uint32_t round = 0; round < 4 * ROUNDS; round++) {
        const struct shape *shape = &shapes[draw() % count];
        if (round % 16 == 0)
            fill(&narrow, &shapes[round / 16 % count], 1);
        for (uint32_t i = 0; i < REGISTERS && round % 8 == 0; i++) /* others' first, too */
            narrow.operands[i] =
                (i + draw() % 2 * 8) % REGISTERS * (uint32_t)sizeof narrow.registers[0];
        if (draw() % 4 == 0)
            narrow.registers[draw() % REGISTERS][draw() % WL_LANES] ^= 1u << draw() % 16;
        compare_once(&narrow, shape, table, &kept);
    }
    free(kept);
}

static void test_factors_made_again_when_they_change(void **unused)
{
    (void)unused;
    const struct shape shapes[] = {
        {16, 8, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 8, 16, BFLOAT, BFLOAT, FLOAT, FLOAT, 0},
        {16, 8, 8, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 16, 16, HALF, HALF, FLOAT, FLOAT, 0},
        {16, 8, 8, WL_FORMAT_TF32, WL_FORMAT_TF32, FLOAT, FLOAT, 0},
        {16, 8, 32, WL_FORMAT_S8, WL_FORMAT_U8, WL_FORMAT_S32, WL_FORMAT_S32, 0},
        {16, 8, 32, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, 0},
        {16, 8, 32, HALF, HALF, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 32, HALF, HALF, FLOAT, FLOAT, SPARSE(1)},
        {16, 8, 16, HALF, HALF, FLOAT, FLOAT, SPARSE(0)},
        {16, 8, 64, WL_FORMAT_E4M3, WL_FORMAT_E4M3, FLOAT, FLOAT, SPARSE(0)},
    };
    const struct wl_executor_row *tables[] = {[3] = wl_exec_table_v3, [4] = wl_exec_table_v4};
    for (int level = 3; level <= 4 && has_level(level); level++)
        compare_changing(shapes, sizeof shapes / sizeof *shapes, tables[level]);
}
#else
static void test_same_bits_of_groups(void **unused)
{
    (void)unused;
    skip();
}

static void test_factors_made_again_when_they_change(void **unused)
{
    (void)unused;
    skip();
}

static void test_same_bits(void **unused)
{
    (void)unused;
    print_message("skipped: there is one executor\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_same_bits_of_groups),
                                       cmocka_unit_test(test_factors_made_again_when_they_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
