/* What-if rows of a report: found, and refused where there is nothing to compare with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/advise/whatif.h"

static struct wl_metric_catalog *catalog;

static int make(void **state)
{
    (void)state;
    return wl_metric_catalog_create(NULL, &catalog, NULL);
}

static int drop(void **state)
{
    (void)state;
    wl_metric_catalog_free(catalog);
    return 0;
}

static bool find(const struct wl_record_value *values, size_t count, const char *cause,
                 struct wl_whatif *whatif)
{
    static const struct wl_record_attribute line = {"whatif__barriers__line", "a.cu:7", 0};
    struct wl_report_launch launch = {
        .record = {
            .values = values, .value_count = count, .attributes = &line, .attribute_count = 1}};
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    bool is_found = wl_whatif_find(set, cause, whatif);
    if (is_found && strcmp(cause, "barriers") == 0)
        assert_string_equal(whatif->line, "a.cu:7");
    wl_metric_set_free(set);
    return is_found;
}

static void rows_are_found(void **state)
{
    (void)state;
    static const struct wl_record_value values[] = {
        {"gpu__time_duration.sum", 1000, WL_MARK_PREDICTED},
        {"whatif__barriers__duration.ns", 750, WL_MARK_PREDICTED},
        {"whatif__uncoalesced__duration.ns", 900, WL_MARK_PREDICTED}};
    struct wl_whatif whatif;
    assert_true(find(values, 3, "barriers", &whatif));
    assert_true(whatif.duration_ns == 1000 && whatif.without_ns == 750);
    assert_int_equal(whatif.mark, WL_MARK_PREDICTED);
    assert_true(find(values, 3, "uncoalesced", &whatif));
    assert_null(whatif.line);
    assert_false(find(values, 3, "tail-wave", &whatif));
    assert_false(find(values, 3, "", &whatif));
    assert_false(find(values + 1, 2, "barriers", &whatif)); /* no duration of the launch */
}

static void nonsense_is_no_row(void **state)
{
    (void)state;
    static const struct wl_record_value negative[] = {
        {"gpu__time_duration.sum", 1000, WL_MARK_PREDICTED},
        {"whatif__barriers__duration.ns", -1, WL_MARK_PREDICTED}};
    static const struct wl_record_value zero[] = {
        {"gpu__time_duration.sum", 0, WL_MARK_PREDICTED},
        {"whatif__barriers__duration.ns", 5, WL_MARK_PREDICTED}};
    struct wl_whatif whatif;
    assert_false(find(negative, 2, "barriers", &whatif));
    assert_false(find(zero, 2, "barriers", &whatif));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_found),
                                       cmocka_unit_test(nonsense_is_no_row)};
    return cmocka_run_group_tests(tests, make, drop);
}
