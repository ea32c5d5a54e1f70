#include "support/replay_support.h"

static void each_launch_carries_a_pass(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_SPREAD, 0, TWO_PASSES, "one one",
                    "1 none\n"
                    "0 spread 1000 1001 1002 1003 2004 2\n");
}

static void a_group_that_was_never_covered_has_no_values(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_SPREAD, 0, TWO_PASSES, "wrong", "0 none failed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_launch_carries_a_pass, replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(a_group_that_was_never_covered_has_no_values, replay_setup,
                                        replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
