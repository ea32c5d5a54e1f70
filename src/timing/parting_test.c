/* Parts of warps, by themselves and in a predicted time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "support/timed_run.h"
#include "timing/parting.h"

enum { BEFORE, INSIDE, OTHER, BEHIND };

static void lanes_that_parted_meet_once(void **state)
{
    struct parting parting = {0};
    (void)state;
    parting_enter(&parting, BEFORE, 32);
    assert_int_equal(parting_meet(&parting), 0);
    parting_enter(&parting, INSIDE, 20);
    parting_enter(&parting, OTHER, 12);
    parting_enter(&parting, BEHIND, 32);
    assert_int_equal(parting_meet(&parting), 1);
    parting_enter(&parting, INSIDE, 32); /* all go on together */
    parting_enter(&parting, BEHIND, 32);
    assert_int_equal(parting_meet(&parting), 0);
}

static void parts_that_left_a_loop_wait_for_its_end(void **state)
{
    struct parting parting = {0};
    static const uint32_t lanes[] = {32, 32, 20, 20, 7, 1};
    (void)state;
    parting_enter(&parting, BEFORE, 32);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        parting_enter(&parting, INSIDE, lanes[i]);
    parting_enter(&parting, BEHIND, 32);
    assert_int_equal(parting_meet(&parting), 3);
    parting_enter(&parting, INSIDE, 16);
    parting_enter(&parting, BEHIND, 32);
    assert_int_equal(parting_meet(&parting), 1);
}

static void lanes_that_end_are_not_waited_for(void **state)
{
    struct parting parting = {0};
    (void)state;
    parting_enter(&parting, BEFORE, 32);
    parting_enter(&parting, BEHIND, 20);
    assert_int_equal(parting_meet(&parting), 0);
}

static void a_branch_is_taken_over_what_takes_a_slot(void **state)
{
    struct timing_op ops[4] = {{0}};
    (void)state;
    ops[1].is_free = true;
    assert_true(parting_falls_through(&ops[0], &ops[1]));
    assert_true(parting_falls_through(&ops[0], &ops[2]));
    assert_false(parting_falls_through(&ops[0], &ops[3]));
    assert_false(parting_falls_through(&ops[2], &ops[0])); /* back to a loop's beginning */
    assert_false(parting_falls_through(&ops[2], &ops[2]));
}

/* Cycles of a warp whose lanes below `inside` go into a region of 20 additions, 200 times. */
static double cycles_of_region(uint32_t inside, uint64_t changes)
{
    struct run run;
    char *before = wl_string_format(
        "mov.u32 %%r2, 0;\nloop:\nsetp.ge.u32 %%p1, %%r1, %u;\n@%%p1 bra behind;\n", inside);
    char *body = repeat(before, "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 20,
                        "behind:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 200;\n"
                        "@%p2 bra loop;\nst.global.f32 [%rd0], %f1;\n");
    begin(&run, body, 1, 32);
    double cycles = cycles_with(&run, changes);
    end(&run);
    free(before);
    free(body);
    return cycles;
}

static void lanes_that_part_wait_where_they_meet(void **state)
{
    (void)state;
    double all = cycles_of_region(32, 0), some = cycles_of_region(16, 0);
    assert_true(fabs((some - all) / 200 - 26) < 1);
    assert_true(cycles_of_region(16, WL_TIMING_NO_DIVERGENCE) < all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_parted_meet_once),
        cmocka_unit_test(parts_that_left_a_loop_wait_for_its_end),
        cmocka_unit_test(lanes_that_end_are_not_waited_for),
        cmocka_unit_test(lanes_that_part_wait_where_they_meet),
        cmocka_unit_test(a_branch_is_taken_over_what_takes_a_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
