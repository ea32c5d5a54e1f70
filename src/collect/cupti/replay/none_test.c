#include "support/replay_support.h"

static void launches_run_free(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_NONE, 0, "", "one two", "0 none\n1 none\n");
}

static void no_counter_is_read(void **state)
{
    (void)state;
    assert_replayed(WL_REPLAY_NONE, 0, ONE_PASS, "one", "0 none\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches_run_free, replay_setup, replay_teardown),
        cmocka_unit_test_setup_teardown(no_counter_is_read, replay_setup, replay_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
