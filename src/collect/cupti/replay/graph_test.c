#include "support/replay_support.h"

static void each_launch_of_a_graph_carries_a_pass(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_KERNEL, 0, TWO_PASSES, "graph graph",
                    "0 spread 1000 1001 1002 1003 2004 2\n");
}

static void a_graph_that_is_launched_once_has_what_it_counted(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_KERNEL, 0, TWO_PASSES, "graph", "0 spread 1000 1001 1002 1003 1\n");
}

static void runs_count_each_launch_of_a_graph(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_APPLICATION, 0, ONE_PASS, "graph graph",
                    "0 application 1000 1001\n"
                    "1 application 2000 2001\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_launch_of_a_graph_carries_a_pass, replay_setup,
                                        replay_teardown),
        cmocka_unit_test_setup_teardown(a_graph_that_is_launched_once_has_what_it_counted,
                                        replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(runs_count_each_launch_of_a_graph, replay_setup,
                                        replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
