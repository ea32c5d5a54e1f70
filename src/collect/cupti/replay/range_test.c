#include "support/replay_support.h"

static void a_range_is_run_again(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_RANGE, 0, TWO_PASSES, "start one two stop",
                    "0 range 2 3000 3001 3002 3003 3004\n");
}

static void what_cannot_be_repeated_leaves_the_first_pass(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_RANGE, 0, TWO_PASSES, "start one graph stop",
                    "0 range 2 3000 3001 3002 3003\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_range_is_run_again, replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_repeated_leaves_the_first_pass, replay_setup,
                                        replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
