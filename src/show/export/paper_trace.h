/* For this room only: the tables of a trace set on paper. */
#ifndef WL_SHOW_EXPORT_PAPER_TRACE_H
#define WL_SHOW_EXPORT_PAPER_TRACE_H

#include "report/report.h"
#include "show/export/paper.h"

/* Every summary of the trace that has rows, under a heading; nothing where there is no trace.
 * Errors: WL_ERR_CORRUPT. */
enum wl_code wl_paper_trace(struct wl_paper *paper, struct wl_report *report,
                            struct wl_error *error);

#endif
