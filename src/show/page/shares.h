/* Kernels of a report by the time they take: what the guide begins with. */
#ifndef WL_SHOW_PAGE_SHARES_H
#define WL_SHOW_PAGE_SHARES_H

#include "show/page/context.h"

/* The launches of one kernel. */
struct wl_share {
    const struct wl_report_launch *launch; /* the heaviest */
    double time_ns, heaviest_ns;
    size_t launch_count;
    bool is_stand_in;
};

/* Longest first. Free with wl_shares_free. */
struct wl_shares {
    struct wl_share *items;
    size_t count;
    double total_ns;
    bool has_durations;       /* else the times are floors by counts */
    size_t launches, untimed; /* those that have no duration */
};

void wl_shares_make(struct wl_view_context *context, struct wl_shares *shares);
void wl_shares_free(struct wl_shares *shares);

#endif
