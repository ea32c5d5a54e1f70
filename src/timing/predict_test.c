/* Of a launch as a whole: SMs that have less to do than others, what a warp does lane by lane, and
 * what is no instruction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "support/timed_run.h"

static double instructions_of_copies(uint32_t lanes)
{
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body = wl_string_format(
        "shl.b32 %%r2, %%r1, 4;\nadd.s32 %%r3, %%r0, %%r2;\nmul.wide.u32 %%rd1, %%r1, 16;\n"
        "add.s64 %%rd2, %%rd0, %%rd1;\nsetp.ge.u32 %%p1, %%r1, %u;\n@%%p1 bra DONE;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%%rd2], [%%r3], 16;\nDONE:\n",
        lanes);
    begin(&run, body, 1, 32);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double instructions = timing.instructions;
    wl_timing_free(&timing);
    end(&run);
    free(body);
    return instructions;
}

/* What each lane copies in bulk is a turn of a loop, of eight instructions where addresses differ.
 */
static void copies_in_bulk_go_lane_by_lane(void **state)
{
    (void)state;
    double one = instructions_of_copies(1);
    assert_true(fabs(instructions_of_copies(2) - one - 8) < 0.5);
    assert_true(fabs(instructions_of_copies(32) - one - 31 * 8) < 0.5);
}

/* Of blocks that run at once, some SMs have one more than the others: what warps do is the mean
 * over both, the time that of those that have more. */
static void sms_with_fewer_blocks_count(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing even, uneven;
    struct wl_error error = {0};
    char *body =
        repeat("", "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 400, "st.global.f32 [%rd0], %f1;\n");
    uint64_t blocks[] = {2 * 132, 132 + 33};
    struct wl_timing *timings[] = {&even, &uneven};
    double cycles[2];
    for (int i = 0; i < 2; i++) {
        begin(&run, body, (uint32_t)blocks[i], 256);
        assert_int_equal(run.input.gpu->sm_count, 132);
        assert_int_equal(wl_timing_predict(&run.input, timings[i], &error), WL_OK);
        cycles[i] = cycles_with(&run, 0);
        end(&run);
    }
    free(body);
    assert_true(fabs(cycles[1] / cycles[0] - 1) < 0.05);
    /* 33 SMs have 16 warps, 99 have eight, for as long: each waits for its own results */
    double share =
        uneven.warp_cycles / uneven.active_cycles / (even.warp_cycles / even.active_cycles);
    assert_true(share > 0.58 && share < 0.67); /* 0.625 */
    assert_true(uneven.states[WL_TIMING_NOT_SELECTED] / uneven.instructions <
                0.7 * even.states[WL_TIMING_NOT_SELECTED] / even.instructions);
    wl_timing_free(&even);
    wl_timing_free(&uneven);
}

static double instructions_of_differences(int count)
{
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body = repeat("", "mul.f32 %f2, %f1, %f3;\nsub.f32 %f1, %f4, %f2;\n", count,
                        "st.global.f32 [%rd0], %f1;\n");
    begin(&run, body, 132, 256);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double instructions = timing.instructions / (132 * 8);
    wl_timing_free(&timing);
    end(&run);
    free(body);
    return instructions;
}

/* A product that goes into a difference is no instruction of machine code: a launch has no more for
 * those that were recorded to be in proportion to what was counted. */
static void absorbed_products_take_no_slot(void **state)
{
    (void)state;
    double more = instructions_of_differences(200) - instructions_of_differences(100);
    assert_true(fabs(more - 100) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_bulk_go_lane_by_lane),
        cmocka_unit_test(sms_with_fewer_blocks_count),
        cmocka_unit_test(absorbed_products_take_no_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
