/* Launches leave memory to those behind them, of other programs and shapes: none of what it held
 * may show there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "gpu/gpu.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"

#define WORDS 4096

/* Each thread writes its number times the parameter; `apart`: odd lanes go their own way, so that
 * paths are kept on the warp's stack, and lanes lie a line apart. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry even(.param .u64 to, .param .u32 factor)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [to]; ld.param.u32 %r7, [factor];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %d1, %r3, 4; add.s64 %d2, %d0, %d1;\n"
    "mul.lo.u32 %r4, %r3, %r7; st.global.u32 [%d2], %r4; ret;\n}\n"
    ".visible .entry apart(.param .u64 to, .param .u32 factor)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d0, [to]; ld.param.u32 %r7, [factor];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 128; add.s64 %d2, %d0, %d1;\n"
    "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; mov.u32 %r4, 7;\n"
    "@%p0 bra even_lanes; mul.lo.u32 %r4, %r0, %r7; bra together;\n"
    "even_lanes: add.u32 %r4, %r0, %r7; together: st.global.u32 [%d2], %r4; ret;\n}\n"
    /* each block's SM, told by its first thread */
    ".visible .entry where(.param .u64 to, .param .u32 factor)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d0, [to]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid;\n"
    "mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d0, %d1; setp.eq.u32 %p0, %r0, 0;\n"
    "@%p0 st.global.u32 [%d2], %r2; ret;\n}\n"
    /* what each thread finds in its word of shared memory, and what its even lanes get of odd ones,
     * which have written nothing; then leaves something in both */
    ".visible .entry left(.param .u64 to, .param .u32 factor)\n{\n"
    ".shared .align 4 .b8 words[256]; .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d0, [to]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %d1, %r3, 4; add.s64 %d2, %d0, %d1;\n"
    "shl.b32 %r4, %r0, 2; mov.u32 %r5, words; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4];\n"
    "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @!%p0 bra leave;\n"
    "mov.u32 %r7, 7; shfl.sync.bfly.b32 %r8, %r7, 1, 31, 0xffffffff; add.u32 %r6, %r6, %r8;\n"
    "leave: add.u32 %r6, %r6, 5; mov.u32 %r7, 9; shfl.sync.idx.b32 %r8, %r7, 0, 31, 0xffffffff;\n"
    "st.shared.u32 [%r4], %r8; st.global.u32 [%d2], %r6; ret;\n}\n";

struct bench {
    struct wl_gpu gpu;
    struct wl_ptx_module *module;
    struct wl_program *even, *apart, *where, *left;
    uint32_t *memory;
    struct wl_sim_range range;
};

static struct wl_program *lower(const struct bench *bench, const char *name)
{
    struct wl_error error = {0};
    struct wl_program *program;
    struct wl_ptx_lower_input input = {.module = bench->module, .capability = 90};
    input.function = wl_ptx_module_find_function(bench->module, name);
    assert_int_equal(wl_ptx_lower(&input, &program, &error), WL_OK);
    return program;
}

static int set_up(void **state)
{
    struct bench *bench = wl_alloc_zero(1, sizeof *bench);
    struct wl_error error = {0};
    assert_int_equal(wl_ptx_module_parse(text, strlen(text), "launches", &bench->module, &error),
                     WL_OK);
    assert_int_equal(wl_gpu_load("h200", NULL, &bench->gpu, &error), WL_OK);
    bench->even = lower(bench, "even");
    bench->apart = lower(bench, "apart");
    bench->where = lower(bench, "where");
    bench->left = lower(bench, "left");
    bench->memory = wl_alloc_aligned(4096, WORDS * sizeof *bench->memory);
    bench->range.start = (uint64_t)(uintptr_t)bench->memory;
    bench->range.end = bench->range.start + WORDS * sizeof *bench->memory;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    wl_program_free(bench->even);
    wl_program_free(bench->apart);
    wl_program_free(bench->where);
    wl_program_free(bench->left);
    wl_gpu_free(&bench->gpu);
    wl_ptx_module_free(bench->module);
    free(bench->memory);
    free(bench);
    return 0;
}

static void launch(const struct bench *bench, struct wl_sim *sim, struct wl_program *program,
                   uint32_t blocks, uint32_t threads, uint32_t factor, uint64_t *totals)
{ /* totals: NULL: nobody counts */
    const struct {
        uint64_t to;
        uint32_t factor;
    } parameters = {bench->range.start, factor};
    const struct wl_sim_launch given = {.program = program,
                                        .grid = {blocks, 1, 1},
                                        .block = {threads, 1, 1},
                                        .parameters = (const uint8_t *)&parameters,
                                        .ranges = &bench->range,
                                        .range_count = 1,
                                        .carveout_pct = -1,
                                        .registers_per_thread = program->register_estimate};
    const struct wl_sim_options options = {
        .count = totals != NULL, .threads = 1, .l1_global_loads = true};
    struct wl_sim_counts counts = {0};
    struct wl_error error = {0};
    memset(bench->memory, 0, WORDS * sizeof *bench->memory);
    assert_int_equal(wl_sim_run(sim, &given, &options, &counts, &error), WL_OK);
    if (totals)
        memcpy(totals, counts.totals, sizeof counts.totals);
    wl_sim_counts_free(&counts);
}

static void expect_even(const struct bench *bench, uint32_t threads, uint32_t factor)
{
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(bench->memory[i], i < threads ? i * factor : 0);
}

static void expect_apart(const struct bench *bench, uint32_t threads, uint32_t factor)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t thread = i / 32, value = thread % 2 ? thread * factor : thread + factor;
        assert_int_equal(bench->memory[i], i % 32 == 0 && thread < threads ? value : 0);
    }
}

static void launches_leave_nothing(void **state)
{
    const struct bench *bench = *state;
    struct wl_error error = {0};
    struct wl_sim *alone, *both;
    uint64_t expected[WL_COUNTER_COUNT], seen[WL_COUNTER_COUNT];
    assert_int_equal(wl_sim_create(&bench->gpu, &alone, &error), WL_OK);
    assert_int_equal(wl_sim_create(&bench->gpu, &both, &error), WL_OK);
    launch(bench, alone, bench->apart, 1, 100, 3, expected);
    launch(bench, both, bench->even, 4, 1000, 5, seen);
    expect_even(bench, 4000, 5);
    for (uint32_t factor = 3; factor < 5; factor++) {
        launch(bench, both, bench->apart, 1, 100, factor, seen);
        expect_apart(bench, 100, factor);
        assert_memory_equal(seen, expected, sizeof seen);
        launch(bench, both, bench->even, 20, 33, factor, seen);
        expect_even(bench, 660, factor);
        launch(bench, both, bench->even, 200, 20, factor, NULL);
        expect_even(bench, 4000, factor);
        launch(bench, both, bench->apart, 1, 100, factor, NULL);
        expect_apart(bench, 100, factor);
        launch(bench, both, bench->even, 200, 20, factor + 1, seen);
        expect_even(bench, 4000, factor + 1);
    }
    wl_sim_free(alone);
    wl_sim_free(both);
}

/* A kernel that asks for its SM has those of the GPU, as when it is counted. */
static void blocks_are_where_they_say(void **state)
{
    const struct bench *bench = *state;
    struct wl_error error = {0};
    struct wl_sim *sim;
    uint64_t seen[WL_COUNTER_COUNT];
    uint32_t counted[132];
    assert_int_equal(wl_sim_create(&bench->gpu, &sim, &error), WL_OK);
    launch(bench, sim, bench->where, 1000, 64, 1, seen);
    memcpy(counted, bench->memory, sizeof counted);
    assert_int_equal(counted[131], 131);
    launch(bench, sim, bench->where, 1000, 64, 1, NULL);
    assert_memory_equal(bench->memory, counted, sizeof counted);
    wl_sim_free(sim);
}

/* Shared memory and what shuffles read begin as zeros in each block, whoever had its seat. */
static void blocks_leave_nothing(void **state)
{
    const struct bench *bench = *state;
    struct wl_error error = {0};
    struct wl_sim *sim;
    uint64_t seen[WL_COUNTER_COUNT];
    assert_int_equal(wl_sim_create(&bench->gpu, &sim, &error), WL_OK);
    for (uint32_t round = 0; round < 4; round++) {
        launch(bench, sim, bench->left, WORDS / 64, 64, 1, round % 2 ? NULL : seen);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(bench->memory[i], 5);
    }
    wl_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches_leave_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_leave_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_where_they_say, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
