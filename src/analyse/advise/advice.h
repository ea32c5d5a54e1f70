/* Advice: what the rules found in a report, ranked by what it would gain.
 *
 * A finding names a launch, a line, the numbers that show it and what to do. Gains of one group in
 * one launch are the same time seen from different sides and must not be added. */
#ifndef WL_ANALYSE_ADVISE_ADVICE_H
#define WL_ANALYSE_ADVISE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "analyse/advise/rules.h"
#include "base/error.h"
#include "report/report.h"

enum wl_advice_severity { WL_ADVICE_NOTE, WL_ADVICE_WARNING };
enum wl_advice_confidence { WL_ADVICE_LOW, WL_ADVICE_MEDIUM, WL_ADVICE_HIGH };
enum wl_advice_method { WL_ADVICE_FORMULA, WL_ADVICE_WHATIF };

const char *wl_advice_severity_name(enum wl_advice_severity severity);       /* "note", "warning" */
const char *wl_advice_confidence_name(enum wl_advice_confidence confidence); /* "low", ... */
const char *wl_advice_method_name(enum wl_advice_method method); /* "formula", "what-if" */

/* A place in the source, or in the PTX where there is no line. */
struct wl_advice_place {
    const char *file; /* "" where nothing is known */
    uint32_t line, column;
    const char *inlined_at; /* the calls around the line, "FILE:LINE:COLUMN" by line; NULL: none */
    const struct wl_record_instruction *instruction; /* or NULL */
};

struct wl_advice_evidence {
    const char *metric; /* name of a metric, or what was looked at */
    const char *text;   /* of a metric that is no number, else NULL */
    double value;
    const char *unit;
    bool has_mark, has_threshold;
    enum wl_mark mark;
    double threshold;
};

struct wl_advice_link {
    struct wl_advice_place place;
    const char *text;
};

struct wl_advice {
    const struct wl_rule *rule;
    enum wl_advice_severity severity;
    const struct wl_report_launch *launch; /* the one where it weighs most; NULL: of the program */
    size_t launch_count;                   /* launches of the kernel that have it */
    struct wl_advice_place place;
    const char *title, *todo; /* what is so; what to do */
    struct wl_advice_evidence *evidence;
    size_t evidence_count;
    struct wl_advice_link *chain; /* from what waits back to what it waits for */
    size_t chain_count;
    bool is_timed; /* the launch has a time of its own */
    bool has_gain;
    double saved;  /* part of the launch's time (of the program's, where launch is NULL), 0 to 1 */
    double factor; /* 1 / (1 - saved) */
    double saved_ns; /* of all its launches, in the whole program where the report has a trace of
                        it; 0 where no duration is in the report */
    double saved_program; /* the same as part of the program's duration; 0 without a trace */
    enum wl_advice_method method;
    const char *how; /* the formula and its numbers, or which re-timed run */
    enum wl_advice_confidence confidence;
    const char *group;
    size_t overlaps; /* number (from 1) of the finding that leads its group, 0: it leads itself */
    double score;    /* what it is ranked by */
};

/* A rule that could not say anything, and in how many launches. */
struct wl_advice_skip {
    const struct wl_rule *rule;
    bool is_failure;  /* the rule is wrong, else a metric is absent */
    const char *text; /* what is wrong, or the metric's name */
    size_t launch_count;
};

struct wl_advice_list;

struct wl_advice_options {
    const char *folder; /* the user's rules, metrics; may be NULL */
    const char *rules;  /* only these ids, comma-separated; NULL: all */
    const struct wl_report_launch *const *launches;
    size_t launch_count;
};

/* Applies the rules to these launches. Errors: WL_ERR_USAGE for an unknown id; those of reading the
 * report and of loading the rules. */
enum wl_code wl_advise(struct wl_report *report, struct wl_metric_catalog *catalog,
                       const struct wl_rules *rules, const struct wl_advice_options *options,
                       struct wl_advice_list **list, struct wl_error *error);
/* The same for each of the launches as if there was no other, in one go: lists has a place for
 * each, and each is to be freed. In an error no list is left. A rule that fails for a launch is not
 * tried on those behind it. */
enum wl_code wl_advise_each(struct wl_report *report, struct wl_metric_catalog *catalog,
                            const struct wl_rules *rules, const struct wl_advice_options *options,
                            struct wl_advice_list **lists, struct wl_error *error);
void wl_advice_free(struct wl_advice_list *list);

/* Best first; the same for the same report. */
const struct wl_advice *wl_advice_all(const struct wl_advice_list *list, size_t *count);
/* Where the program's time goes (docs/using/advice.md, facts of a trace), or NULL: the report holds
 * no trace. The list's. */
const json_t *wl_advice_facts(const struct wl_advice_list *list);
/* In the order of the rules. */
const struct wl_advice_skip *wl_advice_skips(const struct wl_advice_list *list, size_t *count);

#endif
