/* One table of a trace in the forms of `nsys stats`. */
#ifndef WL_SHOW_PAGE_TABLE_FORMS_H
#define WL_SHOW_PAGE_TABLE_FORMS_H

#include "base/text.h"
#include "report/tables.h"

#define WL_TABLE_FORM_WORDS "column|table|csv|tsv|json|hdoc|htable"
enum wl_table_form {
    WL_TABLE_FORM_COLUMN, /* for terminals */
    WL_TABLE_FORM_TABLE,  /* the same with lines around cells */
    WL_TABLE_FORM_CSV,
    WL_TABLE_FORM_TSV,
    WL_TABLE_FORM_JSON, /* a list of objects, whose keys are the headings */
    WL_TABLE_FORM_HDOC, /* a whole HTML document */
    WL_TABLE_FORM_HTABLE,
};
/* What a file of this form is called: "csv". */
const char *wl_table_form_suffix(enum wl_table_form form);

#define WL_TABLE_TIME_WORDS "nsec|usec|msec|sec"
struct wl_table_request {
    const struct wl_timeline_table *table;
    enum wl_table_form form;
    int time_unit;  /* in WL_TABLE_TIME_WORDS */
    bool has_bases; /* kernels by their names without types and parameters */
    bool has_title; /* not in CSV, TSV and JSON */
    size_t width;   /* of the terminal, for the first two forms; 0: as wide as they are */
};
/* Adds the table to out; row_count may be NULL. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_table_form_print(struct wl_report *report, const struct wl_table_request *request,
                                 size_t *row_count, struct wl_text *out, struct wl_error *error);

#endif
