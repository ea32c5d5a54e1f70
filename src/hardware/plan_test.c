/* Planning, by the real host side of CUPTI: it needs no GPU. Skipped where there is no CUPTI. */
#include "hardware/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hardware/breakdown.h"

static struct wl_cupti cupti;
static char path_of_cupti[4096];

/* CUPTI opens its host library in a way that the address sanitizer refuses. */
#ifdef __SANITIZE_ADDRESS__
enum { MAY_OPEN = 0 };
#else
enum { MAY_OPEN = 1 };
#endif

/* CUPTI plans by a library beside it, which Debian has in a package of its own. */
static bool can_plan(void)
{
    struct wl_cupti_host_chips known = {WL_CUPTI_INIT(wl_cupti_host_chips)};
    return cupti.has[WL_CUPTI_NEED_COUNTERS] &&
           cupti.cuptiProfilerHostGetSupportedChips(&known) == WL_CUPTI_SUCCESS;
}

static int open_any(void **state)
{
    (void)state;
    struct wl_text paths = {0};
    wl_cupti_find(0, &paths);
    for (char *path = paths.data, *next; MAY_OPEN && path && *path; path = next) {
        next = path + strcspn(path, "\n");
        *next++ = '\0';
        snprintf(path_of_cupti, sizeof path_of_cupti, "%s", path);
        if (wl_cupti_open(path, &cupti, NULL) == WL_OK && can_plan())
            break;
        wl_cupti_close(&cupti);
    }
    wl_text_free(&paths);
    if (!cupti.handle)
        printf("no CUPTI that may be opened here: planning is not tested\n");
    return 0;
}

static void skip_without_cupti(void)
{
    puts("skipped: there is no CUPTI that can be opened, with libnvperf_host.so beside it");
    skip();
}

static void plan(const char *chip, const char *metrics, struct wl_cupti_plan *made)
{
    struct wl_error error = {0};
    if (!cupti.handle)
        skip_without_cupti();
    if (wl_cupti_plan_make(&cupti, chip, NULL, metrics, made, &error) != WL_OK)
        fail_msg("%s: %s", chip, error.message);
}

static void sets_take_few_passes(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *set;
        size_t passes_max, refused_max;
    } rows[] = {
        {"GH100", "triage", 2, 0},    {"GH100", "basic", 9, 0},  {"GH100", "detailed", 20, 0},
        {"GH100", "full", 23, 0},     {"TU102", "triage", 1, 4}, {"TU102", "basic", 8, 4},
        {"GA100", "detailed", 17, 4}, {"AD102", "basic", 8, 4},  {"GB100", "basic", 9, 1},
    };
    if (!cupti.handle)
        skip_without_cupti();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_text metrics = {0};
        struct wl_cupti_plan made;
        assert_true(wl_cupti_set_metrics(rows[i].set, &metrics));
        plan(rows[i].chip, metrics.data, &made);
        if (made.parts.count != 1 || made.passes > rows[i].passes_max ||
            made.refused.count > rows[i].refused_max)
            fail_msg("%s %s: %zu parts, %zu passes, %zu refused", rows[i].chip, rows[i].set,
                     made.parts.count, made.passes, made.refused.count);
        wl_cupti_plan_free(&made);
        wl_text_free(&metrics);
    }
}

static void refuses_unknown_metrics_and_plans_the_others(void **state)
{
    (void)state;
    struct wl_cupti_plan made;
    plan("GH100",
         "gpu__time_duration.sum\nsm__no_such_thing.sum\nsm__cycles_active.avg\n"
         "gpu__time_duration.sum\n",
         &made);
    assert_int_equal(made.refused.count, 1);
    assert_string_equal(made.refused.items[0], "sm__no_such_thing.sum");
    assert_int_equal(made.parts.count, 1);
    assert_int_equal(made.parts.items[0].metric_count, 2); /* the same name once */
    assert_int_equal(made.passes, 1);
    wl_cupti_plan_free(&made);
}

static void splits_what_does_not_go_together(void **state)
{
    (void)state;
    struct wl_cupti_plan made;
    plan("GH100", "dram__bytes.sum\npcie__read_bytes.sum\n", &made);
    assert_int_equal(made.refused.count, 0);
    assert_int_equal(made.parts.count, 2);
    assert_int_equal(made.passes, 2);
    wl_cupti_plan_free(&made);
}

static void plans_nothing(void **state)
{
    (void)state;
    struct wl_cupti_plan made;
    plan("GH100", "", &made);
    assert_int_equal(made.parts.count, 0);
    wl_cupti_plan_free(&made);
}

static void says_when_the_chip_is_unknown(void **state)
{
    (void)state;
    struct wl_cupti_plan made;
    struct wl_error error = {0};
    if (!cupti.handle)
        skip_without_cupti();
    assert_int_equal(
        wl_cupti_plan_make(&cupti, "XX999", NULL, "gpu__time_duration.sum\n", &made, &error),
        WL_ERR_UNSUPPORTED);
    assert_string_equal(error.where, "XX999");
    assert_non_null(strstr(error.message, "planning the counters failed"));
    wl_cupti_plan_free(&made);
}

static void lists_what_a_chip_has(void **state)
{
    (void)state;
    struct wl_text names = {0};
    if (!cupti.handle)
        skip_without_cupti();
    assert_int_equal(wl_cupti_chip_metrics(&cupti, "GH100", &names, NULL), WL_OK);
    assert_non_null(strstr(names.data, "\ndram__bytes_read.sum\n"));
    assert_non_null(strstr(names.data, "\nlts__t_sector_hit_rate.pct\n"));
    wl_text_free(&names);
}

static void patterns_and_bare_names_are_expanded(void **state)
{
    (void)state;
    struct wl_text expanded = {0};
    struct wl_error error = {0};
    if (!cupti.handle)
        skip_without_cupti();
    assert_int_equal(wl_cupti_expand_metrics(&cupti, "GH100",
                                             "regex:^dram__bytes_(read|write)\\.sum$\n"
                                             "smsp__inst_executed\nno__such.sum\nno__such\n",
                                             &expanded, &error),
                     WL_OK);
    assert_string_equal(expanded.data, "dram__bytes_read.sum\ndram__bytes_write.sum\n"
                                       "smsp__inst_executed.avg\nsmsp__inst_executed.max\n"
                                       "smsp__inst_executed.min\nsmsp__inst_executed.sum\n"
                                       "no__such.sum\nno__such\n");
    wl_text_free(&expanded);
    assert_int_equal(wl_cupti_expand_metrics(&cupti, "GH100", "regex:(\n", &expanded, &error),
                     WL_ERR_USAGE);
    assert_string_equal(error.message, "bad expression '('");
    wl_text_free(&expanded);
}

static void throughputs_have_parts(void **state)
{
    (void)state;
    struct wl_text members = {0};
    struct wl_error error = {0};
    if (!cupti.handle)
        skip_without_cupti();
    enum wl_code code = wl_cupti_breakdown(path_of_cupti, "GH100", "gpu__compute_memory_throughput",
                                           &members, &error);
    if (code == WL_ERR_UNSUPPORTED) /* CUPTI without the library beside it */
        skip_without_cupti();
    assert_int_equal(code, WL_OK);
    assert_non_null(
        strstr(members.data, "l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed\n"));
    assert_non_null(
        strstr(members.data, "dram__cycles_active.avg.pct_of_peak_sustained_elapsed\n"));
    wl_text_free(&members);
    assert_int_equal(
        wl_cupti_breakdown(path_of_cupti, "GH100", "dram__bytes.sum", &members, &error),
        WL_ERR_USAGE);
    assert_string_equal(
        error.message, "'dram__bytes.sum' has no breakdown: it is no throughput of the chip GH100");
    wl_error_clear(&error);
    assert_int_equal(wl_cupti_breakdown("/nowhere/libcupti.so", "GH100", "x", &members, &error),
                     WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "there is no libnvperf_host.so beside CUPTI");
}

static void capabilities_have_chips(void **state)
{
    (void)state;
    struct wl_cupti_host_chips known = {WL_CUPTI_INIT(wl_cupti_host_chips)};
    assert_string_equal(wl_cupti_chip_of(90), "GH100");
    assert_null(wl_cupti_chip_of(35));
    if (!cupti.handle)
        skip_without_cupti();
    assert_int_equal(cupti.cuptiProfilerHostGetSupportedChips(&known), WL_CUPTI_SUCCESS);
    for (uint32_t capability = 75; capability < 110; capability++) {
        const char *chip = wl_cupti_chip_of(capability);
        bool is_known = !chip;
        for (size_t i = 0; i < known.count; i++)
            is_known = is_known || strcmp(known.names[i], chip) == 0;
        assert_true(is_known);
    }
}

static void there_are_four_sets(void **state)
{
    (void)state;
    struct wl_text metrics = {0};
    assert_true(wl_cupti_set_metrics("", &metrics));
    size_t triage = metrics.length;
    wl_text_free(&metrics);
    assert_true(wl_cupti_set_metrics("full", &metrics));
    assert_true(metrics.length > triage);
    assert_false(wl_cupti_set_metrics("roofline", &metrics));
    wl_text_free(&metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_take_few_passes),
        cmocka_unit_test(refuses_unknown_metrics_and_plans_the_others),
        cmocka_unit_test(splits_what_does_not_go_together),
        cmocka_unit_test(plans_nothing),
        cmocka_unit_test(says_when_the_chip_is_unknown),
        cmocka_unit_test(lists_what_a_chip_has),
        cmocka_unit_test(patterns_and_bare_names_are_expanded),
        cmocka_unit_test(throughputs_have_parts),
        cmocka_unit_test(capabilities_have_chips),
        cmocka_unit_test(there_are_four_sets),
    };
    return cmocka_run_group_tests(tests, open_any, NULL);
}
