/* For this room only: the interpreter in which rules run, inside a process of its own. */
#ifndef WL_ANALYSE_ADVISE_RULE_STATE_H
#define WL_ANALYSE_ADVISE_RULE_STATE_H

#include <jansson.h>

#include "analyse/advise/rules.h"
#include "analyse/metric/metric.h"
#include "report/report.h"

/* A launch as rules see it. Its instructions and values must have been loaded. */
struct wl_rule_subject {
    const struct wl_report_launch *launch;
    struct wl_metric_set *set;
};

struct wl_rule_state;

/* Runs the files of rules once more, now with all that rules may use. when_read is called once all
 * files are read and before the first runs. Errors: as wl_rules_load. */
enum wl_code wl_rule_state_create(const char *folder, bool (*when_read)(void),
                                  struct wl_rule_state **state, struct wl_error *error);
void wl_rule_state_free(struct wl_rule_state *state);

/* Applies a rule to one subject, one of a program to all count of them, or one of a trace to its
 * facts (analyse/advise/trace_facts.h). The result is a new object: {"findings": [...]}, or
 * {"needs": TEXT} where a metric is absent, or {"failed": TEXT}. */
json_t *wl_rule_state_apply(struct wl_rule_state *state, const struct wl_rule *rule,
                            const struct wl_rule_subject *subjects, size_t count,
                            const json_t *trace);

#endif
