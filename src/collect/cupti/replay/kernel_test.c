#include "support/replay_support.h"

static void launches_in_a_row_are_run_again(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_KERNEL, 0, TWO_PASSES, "one two one",
                    "0 kernel 1000 1001 1002 1003 1004\n"
                    "1 kernel 2000 2001 2002 2003 2004\n"
                    "2 kernel 3000 3001 3002 3003 3004\n");
}

static void another_call_ends_the_row(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_KERNEL, 0, ONE_PASS, "one sync one",
                    "0 kernel 1000 1001\n"
                    "1 kernel 2000 2001\n");
}

static void a_refused_launch_is_not_counted(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_KERNEL, 0, ONE_PASS, "one wrong one",
                    "0 kernel 1000 1001\n"
                    "1 kernel failed\n"
                    "2 kernel 2000 2001\n");
}

static void cupti_runs_them_again_where_memory_cannot_be_saved(void **state)
{
    (void)state;
    assert_replayed_with("libcupti.so.13", WL_REPLAY_KERNEL, 0, TWO_PASSES, "one one",
                         "0 kernel 1000 1001 1002 1003 1004\n"
                         "1 kernel 2000 2001 2002 2003 2004\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches_in_a_row_are_run_again, replay_setup,
                                        replay_teardown),
        cmocka_unit_test_setup_teardown(another_call_ends_the_row, replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(a_refused_launch_is_not_counted, replay_setup,
                                        replay_teardown),
        cmocka_unit_test_setup_teardown(cupti_runs_them_again_where_memory_cannot_be_saved,
                                        replay_setup, replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
