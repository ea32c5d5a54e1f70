/* Which programs have blocks that are alike; what it gives is in tests/ptx/counts/count_alike.ptx.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/lower.h"
#include "sim/alike.h"

static bool are_alike(const char *body, uint32_t checks)
{
    struct wl_error error = {0};
    struct wl_ptx_module *module = NULL;
    struct wl_program *program = NULL;
    char *text = wl_string_format(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 cell;\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n"
        ".reg .pred %%p<2>;\n.shared .b32 word;\n%s\nret;\n}\n",
        body);
    assert_int_equal(wl_ptx_module_parse(text, strlen(text), "k", &module, &error), WL_OK);
    struct wl_ptx_lower_input input = {
        .module = module, .function = wl_ptx_module_find_function(module, "k"), .capability = 90};
    assert_int_equal(wl_ptx_lower(&input, &program, &error), WL_OK);
    bool result = wl_blocks_are_alike(program, checks);
    wl_program_free(program);
    wl_ptx_module_free(module);
    free(text);
    return result;
}

static void test_alike(void **state)
{
    (void)state;
    assert_true(are_alike("", 0));
    assert_true(are_alike("", WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC));
    assert_true(are_alike("mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r1;", 0));
    assert_true(are_alike("mov.u32 %r1, %nctaid.x; ld.param.u64 %rd1, [p];", 0));
    assert_true(are_alike("bar.sync 0;", 0));
}

static void test_not_alike(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mov.u32 %r1, %ctaid.x;",
        "mov.u32 %r1, %clock;",
        "mov.u32 %r1, %smid;",
        "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];",
        "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r1;",
        "ld.param.u64 %rd1, [p]; red.global.add.u32 [%rd1], 1;",
        "st.shared.u32 [word], %r1;",
        "atom.shared.cas.b32 %r1, [word], 0, 1;",
        "trap;",
    };
    for (size_t i = 0; i < WL_COUNT(bodies); i++)
        if (are_alike(bodies[i], 0))
            fail_msg("alike: %s", bodies[i]);
    assert_false(are_alike("bar.sync 0;", WL_CHECK_SYNC));
}

static void test_counts(void **state)
{
    (void)state;
    assert_int_equal(wl_alike_wanted(1000000, 100, false), 1);
    assert_int_equal(wl_alike_wanted(1000000, 100, true), 800);
    assert_int_equal(wl_alike_wanted(30, 100, true), 30);
    struct wl_instruction_counts instruction = {.warps = 1600, .threads = 51200};
    struct wl_sim_counts counts = {.instructions = &instruction, .instruction_count = 1};
    counts.totals[WL_COUNTER_INST] = 4800;
    wl_counts_extend(&counts, 800, 1000001);
    assert_int_equal(counts.totals[WL_COUNTER_INST], 6000006);
    assert_int_equal(instruction.warps, 2000002);
    assert_int_equal(instruction.threads, 64000064);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_not_alike),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
