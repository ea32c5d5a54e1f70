/* Rules that need what only a real GPU tells: for each, what an H200 told of a kernel in which it
 * must find something, and of one in which it must not (tests/rules/hardware.cu, hardware.csv). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/advise/rule_process.h"
#include "analyse/advise/rules.h"
#include "base/memory.h"

enum { most_values = 32, least_rules = 6 };

/* What was read of one kernel. */
struct made {
    struct wl_record_value values[most_values];
    size_t count;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct wl_record_value *)left)->name,
                  ((const struct wl_record_value *)right)->name);
}

static void made_free(struct made *made)
{
    for (size_t i = 0; i < made->count; i++)
        free((char *)(uintptr_t)made->values[i].name);
    made->count = 0;
}

static void read_kernel(const char *kernel, struct made *made)
{
    char name[64], metric[128];
    double value;
    FILE *file = fopen(WL_SOURCE_DIR "/tests/rules/hardware.csv", "r");
    assert_non_null(file);
    made->count = 0;
    for (int fields;
         (fields = fscanf(file, "%63[^,],%127[^,],%lf\n", name, metric, &value)) != EOF;) {
        if (fields != 3) { /* the heading */
            assert_int_equal(fscanf(file, "%*[^\n]\n"), 0);
            continue;
        }
        if (strcmp(name, kernel) != 0)
            continue;
        assert_true(made->count < most_values);
        made->values[made->count++] =
            (struct wl_record_value){wl_string_copy(metric), value, WL_MARK_EXACT};
    }
    fclose(file);
}

struct taken {
    size_t findings, needs, failures;
};

static void take(void *self, const struct wl_rule *rule, const struct wl_rule_subject *subject,
                 const json_t *result)
{
    (void)rule, (void)subject;
    struct taken *taken = self;
    taken->findings += json_array_size(json_object_get(result, "findings"));
    taken->needs += json_object_get(result, "needs") != NULL;
    if (json_object_get(result, "failed")) {
        taken->failures++;
        print_message("%s\n", json_string_value(json_object_get(result, "failed")));
    }
}

static struct taken apply(const struct wl_rule *rule, struct wl_metric_catalog *catalog,
                          struct made *made)
{
    struct taken taken = {0};
    struct wl_report_launch launch = {
        .record = {.grid = {264, 1, 1}, .block = {1024, 1, 1}, .values = made->values}};
    qsort(made->values, made->count, sizeof *made->values, by_name);
    launch.record.value_count = made->count;
    struct wl_rule_subject subject = {&launch, wl_metric_set_create(catalog, &launch)};
    struct wl_rule_run run = {.rules = &rule,
                              .rule_count = 1,
                              .subjects = &subject,
                              .subject_count = 1,
                              .each_count = 1,
                              .take = take,
                              .self = &taken};
    assert_int_equal(wl_rules_run(&run, NULL), WL_OK);
    wl_metric_set_free(subject.set);
    return taken;
}

/* Rules that find something in the kernel of another one. */
static const char *kernel_of(const char *rule)
{
    return strcmp(rule, "instruction-cache") == 0 ? "stall-no-instruction" : rule;
}

static size_t check(const struct wl_rule *rule, struct wl_metric_catalog *catalog)
{
    struct made made = {0};
    char *kernel = wl_string_format("fires_%s", kernel_of(rule->id));
    for (char *at = kernel; *at; at++)
        if (*at == '-')
            *at = '_';
    read_kernel(kernel, &made);
    size_t is_there = made.count > 0;
    for (int kind = 0; kind < 2 && is_there; kind++) {
        if (kind == 1) {
            made_free(&made);
            read_kernel("silent_hardware", &made);
        }
        struct taken taken = apply(rule, catalog, &made);
        if (taken.failures > 0 || taken.needs > 0 || (taken.findings > 0) != (kind == 0))
            fail_msg("%s %s", rule->id, kind == 0 ? "does not fire" : "fires");
    }
    made_free(&made);
    if (is_there) { /* without its metrics it says so */
        struct taken taken = apply(rule, catalog, &made);
        assert_int_equal(taken.needs, 1);
    }
    free(kernel);
    return is_there;
}

static void each_fires_and_is_silent(void **state)
{
    (void)state;
    struct wl_metric_catalog *catalog = NULL;
    struct wl_rules *rules = NULL;
    size_t count = 0, tested = 0;
    assert_int_equal(wl_metric_catalog_create(NULL, &catalog, NULL), WL_OK);
    assert_int_equal(wl_rules_load(catalog, NULL, &rules, NULL), WL_OK);
    const struct wl_rule *all = wl_rules_all(rules, &count);
    for (size_t i = 0; i < count; i++)
        tested += check(&all[i], catalog);
    assert_true(tested >= least_rules);
    wl_rules_free(rules);
    wl_metric_catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fires_and_is_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
