/* Which launches are of a class: those that differ in number and time alone. */
#include "show/page/launch_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct wl_record_value first[] = {{"dram__bytes.sum", 5, WL_MARK_EXACT},
                                               {"gpu__time_duration.sum", 10, WL_MARK_EXACT}},
                                    later[] = {{"dram__bytes.sum", 5, WL_MARK_EXACT},
                                               {"gpu__time_duration.sum", 90, WL_MARK_EXACT}},
                                    other[] = {{"dram__bytes.sum", 6, WL_MARK_EXACT},
                                               {"gpu__time_duration.sum", 10, WL_MARK_EXACT}},
                                    modelled[] = {{"dram__bytes.sum", 5, WL_MARK_MODELLED},
                                                  {"gpu__time_duration.sum", 10, WL_MARK_EXACT}};

static struct wl_report_launch launch_with(const struct wl_record_value *values, size_t count)
{
    return (struct wl_report_launch){
        .record = {.grid = {4, 1, 1}, .block = {64, 1, 1}, .values = values, .value_count = count}};
}

static void times_make_no_class(void **state)
{
    struct wl_launch_classes classes = {0};
    struct wl_report_launch a = launch_with(first, 2), b = launch_with(later, 2);
    (void)state;
    b.key = 7;
    b.record.id = 7;
    b.record.start_ns = 12345;
    assert_int_equal(wl_launch_class(&classes, &a), 0);
    assert_int_equal(wl_launch_class(&classes, &b), 0);
    assert_int_equal(wl_launch_class(&classes, &a), 0);
    wl_launch_classes_free(&classes);
}

static void all_else_makes_one(void **state)
{
    struct wl_launch_classes classes = {0};
    static const struct wl_report_kernel kernel;
    static const struct wl_record_attribute attribute;
    struct wl_report_launch launches[10];
    (void)state;
    for (size_t i = 0; i < 10; i++)
        launches[i] = launch_with(first, 2);
    launches[1].record.grid[0] = 5;
    launches[2].record.block[2] = 2;
    launches[3].record.shared_dynamic_bytes = 1;
    launches[4].record.values = other;
    launches[5].record.values = modelled;
    launches[6].record.value_count = 0;
    launches[6].record.values = NULL;
    launches[7].kernel = &kernel;
    launches[8].record.stream_id = 3;
    launches[9].record.attributes = &attribute;
    for (size_t again = 0; again < 2; again++)
        for (size_t i = 0; i < 10; i++)
            assert_int_equal(wl_launch_class(&classes, &launches[i]), i);
    wl_launch_classes_free(&classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_make_no_class),
        cmocka_unit_test(all_else_makes_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
