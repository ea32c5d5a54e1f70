/* Rules: what may hold a kernel back, how it is recognised and what to do about it (data/rules/,
 * and a folder of the user's). A rule is Lua; what it finds is read by analyse/advise/advice.h. */
#ifndef WL_ANALYSE_ADVISE_RULES_H
#define WL_ANALYSE_ADVISE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyse/metric/metric.h"
#include "base/error.h"

struct wl_rule {
    const char *id;          /* "shared-bank" */
    const char *name;        /* "Bank conflicts in shared memory" */
    const char *section;     /* the section that shows its metrics; "" if none */
    const char *stage;       /* where the guided walk asks it: "grid", "memory", "compute", ... */
    const char *description; /* what it means, and from which threshold on it fires */
    const char *advice;      /* what helps in general */
    const char *group;       /* findings of one group gain the same time; never "" */
    const char *cause;       /* what a re-timed run leaves out ("shared-conflicts"); "" if none */
    double order;            /* among findings of about equal gain: cheap changes first */
    bool is_of_program;      /* it sees all launches at once, not one */
    bool is_of_trace;        /* it sees a trace, and no launch */
    bool lowers_least;  /* what it advises needs fewer bytes or operations than the launch has */
    const char **needs; /* metrics without which it cannot say anything */
    size_t need_count;
};

struct wl_rules;

/* Loads data/rules/, then the *.lua files of folder (may be NULL); a rule there replaces one of the
 * same id. Files of sections and metrics are passed over. Errors: WL_ERR_CORRUPT, WL_ERR_INPUT,
 * with the file. */
enum wl_code wl_rules_load(struct wl_metric_catalog *catalog, const char *folder,
                           struct wl_rules **rules, struct wl_error *error);
void wl_rules_free(struct wl_rules *rules);

/* All, in order, then by id. */
const struct wl_rule *wl_rules_all(const struct wl_rules *rules, size_t *count);
/* NULL if there is none of this id. */
const struct wl_rule *wl_rules_find(const struct wl_rules *rules, const char *id);
/* Whether all of the list ("a,b"; NULL: none) are there. Errors: WL_ERR_USAGE, with near names. */
enum wl_code wl_rules_check(const struct wl_rules *rules, const char *list, struct wl_error *error);

#endif
