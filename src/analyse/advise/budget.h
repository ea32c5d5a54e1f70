/* Budgets: limits on metrics and findings of kernels, for a gate in CI. A text file, a limit a
 * line:
 *
 *   gpu h200                                       the report must be of this model
 *   clock 1980                                     and of this clock of the SMs, in MHz
 *   input 2048 --fast                              and of a program with these arguments
 *   gemm_tile  gpu__time_duration.sum <= 700us     kernel, metric, relation, number
 *   gemm_tile  gpu__time_duration.sum <= 700us +5% the same with a tolerance: up to 735 us
 *   regex:^sp  dram__bytes.sum < 1e9               without a unit: in the metric's base unit
 *   *          finding:shared-bank <= 0            how many findings of the rule, notes not counted
 *   *          finding:* <= 3                      of any rule
 *
 * '#' begins a comment. */
#ifndef WL_ANALYSE_ADVISE_BUDGET_H
#define WL_ANALYSE_ADVISE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "analyse/advise/advice.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"

struct wl_budget_limit {
    const char *kernel;   /* a name, "regex:EXPRESSION" or "*" */
    const char *metric;   /* or "finding:RULE" */
    const char *relation; /* "<", "<=", ">", ">=" */
    double number;        /* in base units, tolerance included */
    const char *unit;     /* base unit of what was written behind the number, or NULL */
    unsigned line;
};

struct wl_budget;

/* Errors: WL_ERR_INPUT for a file that cannot be read or a wrong line, where = path:line. */
enum wl_code wl_budget_read(const char *path, struct wl_budget **budget, struct wl_error *error);
void wl_budget_free(struct wl_budget *budget);
const struct wl_budget_limit *wl_budget_limits(const struct wl_budget *budget, size_t *count);
/* The model that the report must be of, or NULL. */
const char *wl_budget_gpu(const struct wl_budget *budget);
/* Whether a value keeps to a limit. */
bool wl_budget_keeps(const struct wl_budget_limit *limit, double value);

/* What a limit gave for one launch (of findings: for all launches of the report). */
struct wl_budget_result {
    const struct wl_budget_limit *limit;
    const struct wl_report_launch *launch; /* NULL: of findings, or no launch matched */
    bool is_kept;
    bool has_value;
    double value;
    const char *unit;   /* of the value */
    const char *reason; /* why there is no value, else NULL */
};

struct wl_budget_results {
    WL_VECTOR_FIELDS(struct wl_budget_result);
    struct wl_arena *arena; /* of the reasons */
};

/* Compares all launches with all limits, in the order of the file. A limit that matches no launch,
 * or a metric that is absent, is not kept. Errors: WL_ERR_NOTHING for a report without launches,
 * WL_ERR_USAGE for another GPU, clock or input
 * than the budget's (unless allowed), a bad expression, an unknown rule, or a limit in another unit
 * than its metric. Free with wl_budget_results_free. */
enum wl_code wl_budget_check(const struct wl_budget *budget, struct wl_report *report,
                             struct wl_metric_catalog *catalog, const struct wl_rules *rules,
                             const struct wl_advice_list *advice, bool allows_unlike,
                             struct wl_budget_results *results, struct wl_error *error);
void wl_budget_results_free(struct wl_budget_results *results);

/* Adds to out a budget that the report keeps: its GPU, clock and input; for each kernel its longest
 * time and its largest counts of memory, those that are timed or modelled with a tolerance in per
 * cent; how many findings it has. Errors: WL_ERR_NOTHING for a report without launches;
 * WL_ERR_UNSUPPORTED for one of several GPUs or clocks. */
enum wl_code wl_budget_write(struct wl_report *report, struct wl_metric_catalog *catalog,
                             const struct wl_advice_list *advice, double tolerance_pct,
                             struct wl_text *out, struct wl_error *error);

#endif
