/* Readers of a report find a collector's facts by the name that it gives itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "record/collectors.h"

static void test_rows(void **state)
{
    (void)state;
    for (int id = 0; id < WL_COLLECTOR_ID_OTHER; id++)
        assert_ptr_equal(wl_collector_facts_of(wl_collector_facts[id].name),
                         &wl_collector_facts[id]);
    assert_true(wl_collector_facts_of("sim")->is_simulated);
    assert_false(wl_collector_facts_of("cupti")->is_simulated);
    assert_true(wl_collector_facts_of("samples")->joins_another);
}

static void test_others(void **state)
{
    (void)state;
    assert_ptr_equal(wl_collector_facts_of("ncu"), &wl_collector_facts[WL_COLLECTOR_ID_OTHER]);
    assert_ptr_equal(wl_collector_facts_of(""), &wl_collector_facts[WL_COLLECTOR_ID_OTHER]);
    assert_ptr_equal(wl_collector_facts_of(NULL), &wl_collector_facts[WL_COLLECTOR_ID_OTHER]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
