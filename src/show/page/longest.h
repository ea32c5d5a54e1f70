/* Of very many launches that were counted, those at which the rules look. */
#ifndef WL_SHOW_PAGE_LONGEST_H
#define WL_SHOW_PAGE_LONGEST_H

#include "show/page/context.h"

/* Launches of a context, in its order. */
struct wl_longest {
    const struct wl_report_launch **launches;
    size_t count;
};

/* Whether so many launches of the context were counted that its longest stand for all. */
bool wl_longest_stand_for_all(const struct wl_view_context *context);

/* The longest launches of each kernel, few of each, at most a hundred. free() the launches. */
struct wl_longest wl_longest_choose(const struct wl_view_context *context);

#endif
