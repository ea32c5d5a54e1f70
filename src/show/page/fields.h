/* What identifies a launch: its columns and its headline; notes; metrics as rows. */
#ifndef WL_SHOW_PAGE_FIELDS_H
#define WL_SHOW_PAGE_FIELDS_H

#include "report/report.h"
#include "show/page/context.h"
#include "show/page/marks.h"
#include "show/page/sink.h"

/* Columns of a launch for CSV and JSON: "ID", "Process ID" ... */
enum { WL_LAUNCH_COLUMNS = 11 };
extern const struct wl_column wl_launch_columns[WL_LAUNCH_COLUMNS];
/* Their values, and as JSON its status and what there is of message and NVTX range. */
void wl_put_launch(struct wl_page_sink *sink, const struct wl_report_launch *launch);

/* Whether the launch's time is that of a library's own kernels, not of the stand-in that ran. */
bool wl_fields_has_library_time(const struct wl_report_launch *launch);
/* The kernel's name as it is shown: demangled, else mangled. Not yet safe for a terminal. */
const char *wl_fields_kernel(const struct wl_report_launch *launch);
/* The same where it is short, else its short name. */
const char *wl_fields_short_kernel(const struct wl_report_launch *launch);
/* File name of the program without its folders. */
const char *wl_fields_program(const struct wl_report_process *process);

/* "[pid] program@host" where launch is of another process than before (NULL: none); then
 * "  kernel (grid)x(block), Context ..." and below it failure and notes of the launch. */
void wl_say_launch(struct wl_view_context *context, struct wl_page_sink *sink,
                   const struct wl_report_launch *before, const struct wl_report_launch *launch);
/* "Note: ...", "Warning: ...", "Error: ...", and the hint below. */
void wl_say_note(struct wl_page_sink *sink, const struct wl_record_note *note, size_t indent);
/* A note's fields. */
void wl_put_note(struct wl_page_sink *sink, const struct wl_report_note *note);

/* The same of a launch and of a note as new objects. */
json_t *wl_fields_json(const struct wl_report_launch *launch);
json_t *wl_fields_note_json(const struct wl_report_note *note);

/* The calls around inlined code, "FILE:LINE:COLUMN" by line, innermost first, or NULL: as people
 * read them, "a.cu:3:5, at b.cu:7:1", and as the list "inlined_at". */
void wl_fields_add_callers(struct wl_text *text, const char *inlined_at);
void wl_fields_put_callers(struct wl_page_sink *sink, const char *inlined_at);

/* Unit, value and mark of a metric: columns of a table, of records and of an object. */
enum { WL_METRIC_COLUMNS = 3 };
extern const struct wl_column wl_metric_columns[WL_METRIC_COLUMNS];
/* Their values; where the metric is absent, in JSON why. suffix: said behind the mark in text, or
 * NULL. */
void wl_put_metric(struct wl_page_sink *sink, const struct wl_metric_value *value,
                   const char *suffix);

#endif
