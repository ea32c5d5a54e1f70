/* Tables of a trace (report/tables.h) as text, CSV or JSON. */
#ifndef WL_SHOW_PAGE_TIMELINE_TABLES_H
#define WL_SHOW_PAGE_TIMELINE_TABLES_H

#include "base/text.h"
#include "report/tables.h"
#include "show/page/view.h"

/* names: ','-separated; NULL: all summaries that have rows. Errors: WL_ERR_USAGE (no such table or
 * format), WL_ERR_NOTHING (no events in the report), WL_ERR_OUTPUT. */
enum wl_code wl_view_trace_tables(struct wl_report *report, const char *names,
                                  enum wl_view_format format, FILE *out, struct wl_error *error);

/* Adds a number of a table as people read it: with as many decimals as nsys prints. */
void wl_table_number_print(double number, enum wl_table_unit unit, struct wl_text *out);

#endif
