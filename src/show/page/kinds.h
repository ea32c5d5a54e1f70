/* Launches of one kernel and shape together: what a table of very many launches is made of. */
#ifndef WL_SHOW_PAGE_KINDS_H
#define WL_SHOW_PAGE_KINDS_H

#include <stdbool.h>

#include "show/page/context.h"

struct wl_kind {
    const struct wl_report_launch *launch; /* counted, where one of them was */
    size_t launches, timed;                /* timed: that have a duration */
    double total_ns, least_ns, most_ns;    /* of those */
};

/* The kinds that take longest first. Free with wl_kinds_free. */
struct wl_kinds {
    struct wl_kind *items;
    size_t count;
    double total_ns;
};

void wl_kinds_make(const struct wl_view_context *context, struct wl_kinds *kinds);
void wl_kinds_free(struct wl_kinds *kinds);

/* Whether launches are so many, and so alike, that a table of kinds is what can be read. */
bool wl_kinds_are_better(const struct wl_view_context *context, const struct wl_kinds *kinds);

#endif
