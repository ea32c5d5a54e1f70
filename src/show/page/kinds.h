/* Launches of one kernel and shape together: what a table of very many launches is made of. */
#ifndef WL_SHOW_PAGE_KINDS_H
#define WL_SHOW_PAGE_KINDS_H

#include <stdbool.h>

#include "base/text.h"
#include "show/page/context.h"

struct wl_kind {
    const struct wl_report_launch *launch;   /* counted, where one of them was */
    const struct wl_report_launch *heaviest; /* longest, of those that are counted if any is */
    double heaviest_ns;
    size_t launches; /* with those that are left out of the report */
    size_t timed;    /* that have a duration; the others ran while counters were on */
    double mean_ns, least_ns, most_ns; /* of those */
    double total_ns; /* of all: those without a duration are taken to be as long as the mean */
};

/* The kinds that take longest first. Free with wl_kinds_free. */
struct wl_kinds {
    struct wl_kind *items;
    size_t count;
    double total_ns;
    size_t launches, untimed; /* untimed: of kinds of which others have a duration */
    size_t unknown;           /* of kinds of which none has */
};

/* duration: the metric that is a launch's time. */
void wl_kinds_make(const struct wl_view_context *context, const char *duration,
                   struct wl_kinds *kinds);
void wl_kinds_free(struct wl_kinds *kinds);

/* Whether launches are so many, and so alike, that a table of kinds is what can be read. */
bool wl_kinds_are_better(const struct wl_view_context *context, const struct wl_kinds *kinds);

/* How their time is dealt among those who made the kernels, most first: "ATen 61%, cuBLAS 30%".
 * False: nobody is known, or no time. */
bool wl_kinds_add_families(const struct wl_kinds *kinds, struct wl_text *out);

#endif
