/* The trace of stores says in how many pieces of device memory their lines lie, wherever the lanes
 * that follow one pattern begin: what is kept of a pattern must not tell of another place. */
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
#include "warp/trace.h"

#define WARPS 5

/* Each warp stores four lines, five lines behind the one before it. */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 to)\n{\n"
                           ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                           "ld.param.u64 %d0, [to]; mov.u32 %r0, %tid.x;\n"
                           "and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5; mul.lo.u32 %r2, %r2, 640;\n"
                           "mad.lo.u32 %r1, %r1, 16, %r2; cvt.u64.u32 %d1, %r1;\n"
                           "add.s64 %d0, %d0, %d1;\n"
                           "st.global.v4.b32 [%d0], {%r0, %r0, %r0, %r0};\nret;\n}\n";

static uint32_t pieces_of(const struct wl_trace_warp *warp)
{
    for (size_t i = 0; i < warp->count; i++)
        if (!(warp->items[i] & WL_TRACE_BLOCK))
            return wl_trace_unpack(warp->items[i + 1]).note;
    return 0;
}

static void pieces_follow_the_place(void **state)
{
    (void)state;
    struct wl_error error = {0};
    struct wl_ptx_module *module;
    struct wl_program *program;
    struct wl_gpu gpu;
    struct wl_sim *sim;
    assert_int_equal(wl_ptx_module_parse(text, strlen(text), "pieces", &module, &error), WL_OK);
    struct wl_ptx_lower_input input = {.module = module, .capability = 90};
    input.function = wl_ptx_module_find_function(module, "k");
    assert_int_equal(wl_ptx_lower(&input, &program, &error), WL_OK);
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    assert_int_equal(wl_sim_create(&gpu, &sim, &error), WL_OK);
    uint8_t *memory = wl_alloc_aligned(4096, 8192);
    const uint64_t start = (uint64_t)(uintptr_t)memory;
    const struct wl_sim_range range = {start, start + 8192};
    struct wl_sim_launch launch = {.program = program,
                                   .grid = {1, 1, 1},
                                   .block = {32 * WARPS, 1, 1},
                                   .parameters = (const uint8_t *)&start,
                                   .ranges = &range,
                                   .range_count = 1,
                                   .carveout_pct = -1,
                                   .registers_per_thread = program->register_estimate};
    struct wl_trace trace = {.words_begin = 1000, .words_most = 10000};
    struct wl_sim_options options = {
        .count = true, .threads = 1, .traces = &trace, .trace_count = 1};
    struct wl_sim_counts counts = {0};
    assert_int_equal(wl_sim_run(sim, &launch, &options, &counts, &error), WL_OK);
    assert_int_equal(trace.block_count, 1);
    static const uint32_t expected[WARPS] = {1, 2, 2, 2,
                                             1}; /* lines 0-3, 5-8, 10-13, 15-18, 20-23 */
    for (uint32_t i = 0; i < WARPS; i++)
        assert_int_equal(pieces_of(&trace.blocks[0]->warps[i]), expected[i]);
    wl_trace_free(&trace);
    wl_sim_counts_free(&counts);
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    wl_program_free(program);
    wl_ptx_module_free(module);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_follow_the_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
