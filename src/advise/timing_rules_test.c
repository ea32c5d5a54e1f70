/* Rules that look at times: for each, values with which it must find something, and others with
 * which it must not. The rules named here need no kernels in tests/rules/fixtures.cu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advise/rule_process.h"
#include "advise/rules.h"
#include "base/memory.h"

/* One a line: tests/rules/run.sh reads them. */
/* clang-format off */
static const char *const names[] = {
    "near-peak",
    "issue-slots",
    "achieved-occupancy",
    "imbalance",
    "stall-long-scoreboard",
    "stall-short-scoreboard",
    "stall-mio-throttle",
    "stall-lg-throttle",
    "stall-tex-throttle",
    "stall-math-pipe-throttle",
    "stall-barrier",
    "stall-membar",
    "stall-drain",
    "stall-wait",
    "stall-branch-resolving",
    "stall-no-instruction",
    "stall-imc-miss",
    "stall-dispatch-stall",
    "stall-sleeping",
    "stall-misc",
    "stall-gmma",
    "stall-not-selected",
    NULL,
};
/* clang-format on */

/* What both have, and the one value that makes a rule fire or not; for stalls that of their state.
 */
static const struct wl_record_value common[] = {
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 40, WL_MARK_PREDICTED},
    {"launch__waves_per_multiprocessor", 2, WL_MARK_EXACT},
    {"sm__maximum_warps_per_active_cycle_pct", 100, WL_MARK_EXACT},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 30, WL_MARK_PREDICTED},
    {"smsp__average_warp_latency_per_inst_issued.ratio", 20, WL_MARK_PREDICTED},
    {"smsp__warps_active.avg.per_cycle_active", 8, WL_MARK_PREDICTED},
    {"smsp__warps_eligible.avg.per_cycle_active", 0.5, WL_MARK_PREDICTED},
};
static const struct deciding {
    const char *rule, *metric;
    double fires, silent;
    bool is_only_absent; /* it says something of every launch that has the metric */
} deciding[] = {
    {"near-peak", "gpu__time_duration.sum", 1000, 0, true},
    {"issue-slots", "smsp__issue_active.avg.pct_of_peak_sustained_active", 20, 90, false},
    {"achieved-occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", 50, 95, false},
    {"imbalance", "sm__cycles_active.max", 2000, 1010, false},
};

enum { most_values = 16 };

struct made {
    struct wl_record_value values[most_values];
    size_t count;
};

static void add(struct made *made, const char *name, double value)
{
    made->values[made->count++] = (struct wl_record_value){name, value, WL_MARK_PREDICTED};
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct wl_record_value *)left)->name,
                  ((const struct wl_record_value *)right)->name);
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
        .record = {.grid = {8, 1, 1}, .block = {64, 1, 1}, .values = made->values}};
    qsort(made->values, made->count, sizeof *made->values, by_name);
    launch.record.value_count = made->count;
    struct wl_rule_subject subject = {&launch, wl_metric_set_create(catalog, &launch)};
    struct wl_rule_run run = {.rules = &rule,
                              .rule_count = 1,
                              .subjects = &subject,
                              .subject_count = 1,
                              .take = take,
                              .self = &taken};
    assert_int_equal(wl_rules_run(&run, NULL), WL_OK);
    wl_metric_set_free(subject.set);
    return taken;
}

/* The metric of a stall rule, from its id; free() it. */
static char *stall_metric(const char *rule)
{
    char *name = wl_string_format("smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                                  rule + strlen("stall-"));
    for (char *at = name; *at; at++)
        if (*at == '-')
            *at = '_';
    return name;
}

static void check(const struct wl_rule *rule, struct wl_metric_catalog *catalog)
{
    const struct deciding *row = NULL;
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (strcmp(deciding[i].rule, rule->id) == 0)
            row = &deciding[i];
    char *metric = row ? wl_string_copy(row->metric) : stall_metric(rule->id);
    for (int kind = 0; kind < 2; kind++) {
        struct made made = {0};
        bool is_firing = kind == 0;
        for (size_t i = 0; i < sizeof common / sizeof *common; i++)
            if (is_firing || !row || !row->is_only_absent || i != 0)
                add(&made, common[i].name, common[i].value);
        if (!row || strcmp(row->rule, "issue-slots") != 0)
            add(&made, "smsp__issue_active.avg.pct_of_peak_sustained_active", 20);
        add(&made, "sm__cycles_active.avg", 1000);
        add(&made, metric, row ? (is_firing ? row->fires : row->silent) : (is_firing ? 10 : 2));
        struct taken taken = apply(rule, catalog, &made);
        if (taken.failures > 0 || (taken.findings > 0) != is_firing)
            fail_msg("%s %s", rule->id, is_firing ? "does not fire" : "fires");
    }
    /* without its metrics it says so */
    struct made nothing = {0};
    struct taken taken = apply(rule, catalog, &nothing);
    assert_int_equal(taken.needs, 1);
    free(metric);
}

static void each_fires_and_is_silent(void **state)
{
    (void)state;
    struct wl_metric_catalog *catalog = NULL;
    struct wl_rules *rules = NULL;
    assert_int_equal(wl_metric_catalog_create(NULL, &catalog, NULL), WL_OK);
    assert_int_equal(wl_rules_load(catalog, NULL, &rules, NULL), WL_OK);
    for (size_t i = 0; names[i]; i++) {
        const struct wl_rule *rule = wl_rules_find(rules, names[i]);
        if (!rule)
            fail_msg("there is no rule %s", names[i]);
        check(rule, catalog);
    }
    wl_rules_free(rules);
    wl_metric_catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fires_and_is_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
