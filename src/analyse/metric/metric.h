/* Named metrics of a launch: the values its collector gave, its launch facts, and formulas over
 * them.
 *
 * A catalog knows all names (data/metrics/ and a folder of the user's); a metric set holds what
 * they are for one launch. A metric that cannot be had is absent, with its reason; never zero. */
#ifndef WL_ANALYSE_METRIC_METRIC_H
#define WL_ANALYSE_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "analyse/metric/sandbox.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/report.h"

enum wl_metric_kind {
    WL_METRIC_VALUE,       /* given by a collector, or a fact of the launch or the device */
    WL_METRIC_FORMULA,     /* computed */
    WL_METRIC_ALIAS,       /* another name (nvprof's) of a metric */
    WL_METRIC_ABSENT,      /* a known name of other profilers that cannot be given; see reason */
    WL_METRIC_INSTRUCTION, /* kept for each instruction: on the source page, not for a launch */
};

/* A name the catalog knows. */
struct wl_metric_row {
    const char *name;
    const char *unit; /* base unit, "" if it has none */
    const char *description;
    enum wl_metric_kind kind;
    enum wl_mark mark;    /* at best */
    const char *alias_of; /* WL_METRIC_ALIAS, else NULL */
    const char *reason;   /* WL_METRIC_ABSENT and WL_METRIC_INSTRUCTION, else NULL */
    bool is_hidden;       /* left out of lists unless asked for by name */
    int formula;          /* for this room only */
};

struct wl_metric_catalog;

/* Loads data/metrics/, then the *.lua files of folder (may be NULL) in order of name; a row there
 * replaces one of the same name. Errors: WL_ERR_CORRUPT, WL_ERR_INPUT, with file and line. */
enum wl_code wl_metric_catalog_create(const char *folder, struct wl_metric_catalog **catalog,
                                      struct wl_error *error);
void wl_metric_catalog_free(struct wl_metric_catalog *catalog);

/* All rows, sorted by name. */
const struct wl_metric_row *wl_metric_list(const struct wl_metric_catalog *catalog, size_t *count);
/* The row of exactly this name, or NULL. */
const struct wl_metric_row *wl_metric_find(const struct wl_metric_catalog *catalog,
                                           const char *name);
/* Names for several metrics, in lists of names as "group:NAME" (members as they are) and
 * "breakdown:METRIC" (of a throughput, what it is the largest of; members take its suffix). Data
 * files have some; this adds a member to one of them, and makes it where it is new. */
void wl_metric_group_add(struct wl_metric_catalog *catalog, const char *word, const char *member);

/* The members of "group:..." or "breakdown:..." as names, a line each. Errors: WL_ERR_USAGE for one
 * that is unknown, with near ones in the hint. */
enum wl_code wl_metric_group_members(const struct wl_metric_catalog *catalog, const char *word,
                                     struct wl_text *members, struct wl_error *error);
/* Whether a word of a list names a group. */
bool wl_metric_is_group(const char *word);

/* The sandbox in which formulas run, for other data files in Lua. */
struct wl_sandbox *wl_metric_sandbox(struct wl_metric_catalog *catalog);

/* A metric of a launch. */
struct wl_metric_value {
    const char *name, *unit, *description;
    bool is_present;
    const char *text; /* of a metric that is no number, else NULL */
    double number;
    enum wl_mark mark;
    const char *reason; /* why it is absent, else NULL */
};

struct wl_metric_set;

/* Both must outlive the set. */
struct wl_metric_set *wl_metric_set_create(struct wl_metric_catalog *catalog,
                                           const struct wl_report_launch *launch);
void wl_metric_set_free(struct wl_metric_set *set);

/* Never NULL; belongs to the set. An alias gives the value of what it stands for. Names with a
 * suffix that no row has (.avg, .sum.per_second) go through the suffix rows of data/metrics/. */
const struct wl_metric_value *wl_metric_get(struct wl_metric_set *set, const char *name);

/* Whether this name was asked for until now, by a formula too. */
bool wl_metric_was_asked(const struct wl_metric_set *set, const char *name);

/* All that the launch has, then formulas that are absent; sorted by name within both. Without
 * aliases and hidden rows. Belongs to the set; valid until it is freed. */
const struct wl_metric_value *const *wl_metric_set_list(struct wl_metric_set *set, size_t *count);

/* Names that --metrics asked for. */
struct wl_metric_names {
    WL_VECTOR_FIELDS(char *);
    bool keeps_unknown; /* set by who asks */
};

/* Reads a comma-separated list: names, names without suffix (all suffixes that are known),
 * "regex:EXPRESSION", and "group:NAME" and "breakdown:METRIC", of which members that are not known
 * are passed over. sets (may be empty) give names that only their launches have. Adds each name
 * once. With keeps_unknown, one that is unknown is added too where another one of the list is
 * known: it has no value. Errors: WL_ERR_USAGE where one is unknown otherwise (near ones of the
 * last in the hint), or for a bad expression. */
enum wl_code wl_metric_names_parse(const struct wl_metric_catalog *catalog,
                                   struct wl_metric_set *const *sets, size_t set_count,
                                   const char *list, struct wl_metric_names *names,
                                   struct wl_error *error);
void wl_metric_names_free(struct wl_metric_names *names);

/* "exact", "modelled", "predicted"; and the one character that stands for it in tables. */
const char *wl_metric_mark_name(enum wl_mark mark);
char wl_metric_mark_sign(enum wl_mark mark);

#endif
