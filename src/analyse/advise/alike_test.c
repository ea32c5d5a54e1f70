/* Which launch stands for which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/advise/alike.h"

enum { most = 8 };

static const struct wl_record_value values[2];
static const struct wl_record_instruction_value counts[2];
static const struct wl_report_kernel kernel;

/* Launches of one kernel that are equal in all. */
static void make(struct wl_report_launch *launches, const struct wl_report_launch **list,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        launches[i] = (struct wl_report_launch){.kernel = &kernel};
        launches[i].record = (struct wl_record_launch){.id = i,
                                                       .grid = {2, 1, 1},
                                                       .block = {32, 1, 1},
                                                       .range = "",
                                                       .message = "",
                                                       .values = values,
                                                       .value_count = 1,
                                                       .instruction_values = counts,
                                                       .instruction_value_count = 1};
        list[i] = &launches[i];
    }
}

static void test_equals_are_one(void **state)
{
    (void)state;
    struct wl_report_launch launches[most];
    const struct wl_report_launch *list[most];
    make(launches, list, most);
    launches[1].record.values = values + 1;
    launches[2].record.instruction_values = counts + 1;
    launches[3].record.range = "step";
    launches[4].record.grid[1] = 2;
    launches[5].record.value_count = 0;
    launches[5].record.values = NULL;
    launches[6].record.range = "step";
    const size_t expected[most] = {0, 1, 2, 3, 4, 5, 6, 0};
    size_t *equals = wl_alike_equals(list, most), *stands = wl_alike_find(list, most);
    assert_memory_equal(equals, expected, sizeof expected);
    assert_memory_equal(stands, expected, sizeof expected);
    free(equals);
    free(stands);
}

static void test_counted_ones_stand_for_others(void **state)
{
    (void)state;
    static const struct wl_record_attribute uncounted = {.name = "launch__uncounted", .text = "x"};
    struct wl_report_launch launches[4];
    const struct wl_report_launch *list[4];
    make(launches, list, 4);
    for (size_t i = 0; i < 4; i += 2) {
        launches[i].record.attributes = &uncounted;
        launches[i].record.attribute_count = 1;
        launches[i].record.values = values + 1;
    }
    size_t *stands = wl_alike_find(list, 4);
    const size_t expected[] = {1, 1, 1, 1};
    assert_memory_equal(stands, expected, sizeof expected);
    free(stands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_are_one),
        cmocka_unit_test(test_counted_ones_stand_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
