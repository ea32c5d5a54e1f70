#include "support/replay_support.h"

static void each_run_is_a_pass(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_APPLICATION, 0, TWO_PASSES, "one two",
                    "0 application\n"
                    "1 application\n");
    assert_replayed(WL_REPLAY_APPLICATION, 1, TWO_PASSES, "one two",
                    "0 application 1000 1001 1002 1003 1004\n"
                    "1 application 2000 2001 2002 2003 2004\n");
}

static void a_run_that_differs_has_none(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_APPLICATION, 0, TWO_PASSES, "one two",
                    "0 application\n"
                    "1 application\n");
    assert_replayed(WL_REPLAY_APPLICATION, 1, TWO_PASSES, "one one",
                    "0 application 1000 1001 1002 1003 1004\n"
                    "1 application\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_run_is_a_pass, replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(a_run_that_differs_has_none, replay_setup, replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
