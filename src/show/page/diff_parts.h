/* For the diff page only: what explains the difference of a kernel between two reports. */
#ifndef WL_SHOW_PAGE_DIFF_PARTS_H
#define WL_SHOW_PAGE_DIFF_PARTS_H

#include <stddef.h>

#include "analyse/metric/metric.h"
#include "report/report.h"
#include "show/page/sink.h"

/* The launches of a kernel in one report. */
struct wl_diff_launches {
    struct wl_report *report;
    const struct wl_report_launch *const *items;
    size_t count;
};

/* Faster or slower, and which waits of warps went and came: sentences, and the list "why". Nothing
 * where a side has no durations. */
void wl_diff_why(struct wl_metric_catalog *catalog, const struct wl_diff_launches *base,
                 const struct wl_diff_launches *other, struct wl_page_sink *sink);

/* Source lines whose counts differ, matched by their text: a table of those that differ most, all
 * as the list "lines". The launches' instructions must have been loaded. */
void wl_diff_lines(const struct wl_diff_launches *base, const struct wl_diff_launches *other,
                   struct wl_page_sink *sink);

#endif
