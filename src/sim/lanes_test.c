/* Operations that the executors for processors with AVX2 and AVX-512 do by instructions of theirs
 * give the same bits as the executor that has no such instructions, for all masks of lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"

#if defined(__x86_64__)
extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];

#define REGISTERS 8
#define ROUNDS 4000

struct machine {
    struct wl_warp warp;
    uint32_t registers[REGISTERS][2 * WL_LANES] __attribute__((aligned(64)));
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

static void run(struct machine *self, const struct wl_op *op, const struct wl_executor_row *table)
{
    const struct wl_executor_row *row = &table[op->code];
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
#endif

int main(void)
{
#if defined(__x86_64__)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shuffles)};
    return has_level(3) ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
#else
    return 0;
#endif
}
