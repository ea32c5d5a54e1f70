/* For this room only: rules in a child process with limits, so that one that fails or never ends
 * costs nothing but its own findings. */
#ifndef WL_ANALYSE_ADVISE_RULE_PROCESS_H
#define WL_ANALYSE_ADVISE_RULE_PROCESS_H

#include <jansson.h>

#include "analyse/advise/rule_state.h"
#include "analyse/advise/rules.h"

/* What one rule said of one subject (wl_rule_state_apply); subject is NULL for rules of a program
 * or a trace, unless each subject is alone.
 * result belongs to the caller of this function. */
typedef void wl_rule_take(void *self, const struct wl_rule *rule,
                          const struct wl_rule_subject *subject, const json_t *result);

struct wl_rule_run {
    const char *folder; /* as for wl_rules_load */
    const struct wl_rule *const *rules;
    size_t rule_count;
    const struct wl_rule_subject *subjects;
    size_t subject_count;
    size_t each_count;   /* rules of launches are applied to so many, the first; others have all */
    bool is_each_alone;  /* each subject has the rules of programs and traces, too, as if it were
                            all there is; each_count is not read */
    const json_t *trace; /* facts for rules of a trace, or NULL: there is none */
    uint32_t cpu_limit_ms;  /* of one rule on one subject; 0: the default, 2 s */
    uint32_t wait_limit_ms; /* by the clock, on a busy machine, too; 0: the default, 300 s */
    wl_rule_take *take;
    void *self;
};

/* Applies every rule to every subject, and the rules of a program or a trace once, in a fixed
 * order. A rule that ends its process or runs away gives {"failed": ...} and is not tried on
 * further subjects. Errors: those of loading the rules; WL_ERR_INTERNAL where no process can be
 * started. */
enum wl_code wl_rules_run(const struct wl_rule_run *run, struct wl_error *error);

#endif
