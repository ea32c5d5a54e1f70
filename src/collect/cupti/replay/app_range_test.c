#include "support/replay_support.h"

static void each_run_is_a_pass_of_the_range(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_APP_RANGE, 0, TWO_PASSES, "start one two stop", "0 app-range 2\n");
    assert_replayed(WL_REPLAY_APP_RANGE, 1, TWO_PASSES, "start one two stop",
                    "0 app-range 2 3000 3001 3002 3003 3004\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_run_is_a_pass_of_the_range, replay_setup,
                                        replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
