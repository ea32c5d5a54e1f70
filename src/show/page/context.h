/* What every page works on, here and in the rooms that draw and export. */
#ifndef WL_SHOW_PAGE_CONTEXT_H
#define WL_SHOW_PAGE_CONTEXT_H

#include <jansson.h>

#include "analyse/advise/sections.h"
#include "analyse/metric/metric.h"
#include "base/text.h"
#include "show/page/view.h"

struct wl_view_context {
    struct wl_report *report;
    const struct wl_view_options *options;
    FILE *out;
    struct wl_text text; /* page so far, where it is text or CSV; see wl_view_flush */
    json_t *root;        /* page so far, where it is JSON */
    struct wl_metric_catalog *catalog;
    struct wl_sections *sections;
    const struct wl_section **chosen; /* sections of the details page */
    size_t chosen_count;
    const struct wl_report_launch **launches; /* those that the options choose */
    size_t launch_count;
    struct wl_metric_names names; /* of --metrics */
    bool is_mark_shown[3];        /* marks that the legend must explain */
    size_t width;                 /* columns */
};

/* A page in one format. */
typedef enum wl_code wl_view_page_print(struct wl_view_context *context, struct wl_error *error);

wl_view_page_print wl_page_summary_text, wl_page_summary_csv, wl_page_summary_json;
wl_view_page_print wl_page_details_text, wl_page_details_csv, wl_page_details_json;
wl_view_page_print wl_page_raw_text, wl_page_raw_csv, wl_page_raw_json;
wl_view_page_print wl_page_session_text, wl_page_session_csv, wl_page_session_json;
wl_view_page_print wl_page_source_text, wl_page_source_csv, wl_page_source_json;
wl_view_page_print wl_page_advice_text, wl_page_advice_csv, wl_page_advice_json;
wl_view_page_print wl_page_guide_text;
wl_view_page_print wl_page_advice_sarif, wl_page_advice_markdown;
wl_view_page_print wl_page_whatif_text, wl_page_whatif_csv, wl_page_whatif_json;
wl_view_page_print wl_page_groups_text, wl_page_groups_csv, wl_page_groups_json;

/* Loads metrics and sections and chooses launches, as options (which must outlive it) say. Errors:
 * as wl_view_print. Close it in any case. */
enum wl_code wl_view_context_open(struct wl_report *report, const struct wl_view_options *options,
                                  FILE *out, struct wl_view_context *context,
                                  struct wl_error *error);
void wl_view_context_close(struct wl_view_context *context);

/* Writes what context->text holds and empties it, so that a long page is not held whole. */
void wl_view_flush(struct wl_view_context *context);

#endif
