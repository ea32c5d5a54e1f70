/* What identifies a launch: one table of fields for CSV and JSON, and the headline for text. */
#ifndef WL_SHOW_PAGE_FIELDS_H
#define WL_SHOW_PAGE_FIELDS_H

#include <jansson.h>

#include "base/text.h"
#include "report/report.h"
#include "show/page/context.h"

/* "ID","Process ID",...: names or values, each followed by a comma. */
void wl_fields_csv_names(struct wl_text *out);
void wl_fields_csv(const struct wl_report_launch *launch, struct wl_text *out);
/* A new object with all fields. */
json_t *wl_fields_json(const struct wl_report_launch *launch);

/* The kernel's name as it is shown: demangled, else mangled. Not yet safe for a terminal. */
const char *wl_fields_kernel(const struct wl_report_launch *launch);
/* File name of the program without its folders. */
const char *wl_fields_program(const struct wl_report_process *process);

/* "[pid] program@host" where launch is of another process than before (NULL: none); then
 * "  kernel (grid)x(block), Context ..." and below it failure and notes of the launch. */
void wl_fields_headline(struct wl_view_context *context, const struct wl_report_launch *before,
                        const struct wl_report_launch *launch);
/* Switches bold letters on and off where the terminal has them. */
void wl_fields_bold(struct wl_view_context *context, bool is_on);
/* "Note: ...", "Warning: ...", "Error: ...", and the hint below. */
void wl_fields_note(const struct wl_record_note *note, size_t indent, size_t width,
                    struct wl_text *out);
json_t *wl_fields_note_json(const struct wl_report_note *note);

/* A string that may hold any bytes. */
json_t *wl_json_text(const char *text);
/* Whole numbers as integers. */
json_t *wl_json_number(double number);
/* {"unit", "value", "mark"}, and "reason" where value is null; "name" too if with_name. */
json_t *wl_json_metric(const struct wl_metric_value *value, bool with_name);
/* A CSV field with a comma before it. */
void wl_csv_add(struct wl_text *out, const char *text);
/* Unit, value and mark fields of a metric, each with a comma before it. */
void wl_csv_metric(struct wl_text *out, const struct wl_metric_value *value);

/* Sign of the mark for text pages, noting that the legend must explain it. "" for an absent value.
 */
const char *wl_mark_text(struct wl_view_context *context, const struct wl_metric_value *value);
/* What values of a mark are: "caches, device memory". */
const char *wl_mark_meaning(enum wl_mark mark);
/* Explains the marks that were shown. */
void wl_mark_legend(struct wl_view_context *context);

#endif
