/* The executors of all instruction sets give the same bits for matrix products: the one for
 * processors with AVX-512 forms them in vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"
#include "warp/program.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v4[];

#define REGISTERS 32
#define ROUNDS 4000

struct shape {
    uint32_t n, k;
    enum wl_matrix_format factors, c, d;
};

struct machine {
    struct wl_program program;
    struct wl_run run;
    struct wl_worker worker;
    struct wl_warp warp;
    uint32_t operands[REGISTERS];
    uint32_t registers[REGISTERS][WL_LANES] __attribute__((aligned(64)));
};

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* Two factors: of all bits, near 1, far apart, great ones that add up, or mostly 0. */
static uint32_t draw_factors(uint32_t round, bool is_bfloat)
{
    const uint32_t bits = draw();
    switch (round % 6) {
    case 0:
        return bits;
    case 1:
        return (bits & 0x83ff83ffu) | (is_bfloat ? 0x3f803f80u : 0x3c003c00u);
    case 2:
        return bits & (is_bfloat ? 0xbfffbfffu : 0xbbffbbffu);
    case 3:
        return is_bfloat ? 0x3fff3fffu : 0x3fff3fffu;
    case 4:
        return bits % 3 ? 0 : (bits & 0x8fff8fffu) | 0x30003000u;
    default:
        return bits & (is_bfloat ? 0xb8ffb8ffu : 0x83ff83ffu);
    }
}

static uint32_t draw_addend(uint32_t round, enum wl_matrix_format format)
{
    const uint32_t bits = draw();
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

static void fill(struct machine *self, const struct shape *shape, uint32_t round)
{
    const uint32_t factors = (16 + shape->n) * shape->k / 64;
    const uint32_t sums = 16 * shape->n / 32;
    const uint32_t d = shape->d == WL_FORMAT_F16 ? sums / 2 : sums;
    const uint32_t c = shape->c == WL_FORMAT_F16 ? sums / 2 : sums;
    for (uint32_t i = 0; i < d + factors + c; i++) {
        self->operands[i] = i * (uint32_t)sizeof self->registers[0];
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            self->registers[i][lane] = i < d ? 0
                                       : i < d + factors
                                           ? draw_factors(round, shape->factors == WL_FORMAT_BF16)
                                           : draw_addend(draw(), shape->c);
    }
    if (c == d && round % 2) /* the sum takes the place of the addend */
        memcpy(self->operands, self->operands + d + factors, d * sizeof *self->operands);
}

static void compare(const struct shape *shape)
{
    static struct machine narrow, wide;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(&narrow, 0, sizeof narrow);
        fill(&narrow, shape, round);
        wide = narrow;
        struct machine *machines[] = {&narrow, &wide};
        const struct wl_op op = {.imm = WL_MATRIX_SHAPE(16, shape->n, shape->k),
                                 .kind = (uint8_t)shape->factors,
                                 .width_bytes = (uint8_t)shape->factors,
                                 .count = (uint8_t)shape->d,
                                 .spare = (uint16_t)shape->c};
        for (int i = 0; i < 2; i++) {
            struct machine *self = machines[i];
            self->program.operands = self->operands;
            self->run.program = &self->program;
            self->worker.run = &self->run;
            self->warp.worker = &self->worker;
            self->warp.registers = (uint8_t *)self->registers;
            self->warp.active = self->warp.mask = WL_FULL_MASK;
            (i ? wl_exec_table_v4 : wl_exec_table_v2)[WL_OP_MATRIX_MULTIPLY].full(&self->warp, &op);
        }
        assert_memory_equal(narrow.registers, wide.registers, sizeof narrow.registers);
    }
}

static void test_same_bits(void **unused)
{
    (void)unused;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl")) {
        print_message("skipped: this processor has no AVX-512\n");
        skip();
    }
    const struct shape shapes[] = {
        {8, 16, WL_FORMAT_F16, WL_FORMAT_F32, WL_FORMAT_F32},
        {8, 8, WL_FORMAT_F16, WL_FORMAT_F32, WL_FORMAT_F32},
        {16, 16, WL_FORMAT_F16, WL_FORMAT_F32, WL_FORMAT_F32},
        {8, 16, WL_FORMAT_F16, WL_FORMAT_F16, WL_FORMAT_F16},
        {16, 16, WL_FORMAT_F16, WL_FORMAT_F16, WL_FORMAT_F16},
        {16, 16, WL_FORMAT_F16, WL_FORMAT_F16, WL_FORMAT_F32},
        {16, 16, WL_FORMAT_F16, WL_FORMAT_F32, WL_FORMAT_F16},
        {8, 16, WL_FORMAT_BF16, WL_FORMAT_F32, WL_FORMAT_F32},
        {8, 8, WL_FORMAT_BF16, WL_FORMAT_F32, WL_FORMAT_F32},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare(&shapes[i]);
}
#else
static void test_same_bits(void **unused)
{
    (void)unused;
    print_message("skipped: there is one executor\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
