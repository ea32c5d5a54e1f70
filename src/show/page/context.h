/* What every page works on, here and in the rooms that draw and export. */
#ifndef WL_SHOW_PAGE_CONTEXT_H
#define WL_SHOW_PAGE_CONTEXT_H

#include <jansson.h>

#include "analyse/advise/sections.h"
#include "analyse/metric/metric.h"
#include "base/text.h"
#include "show/page/sink.h"
#include "show/page/view.h"

struct wl_view_context {
    struct wl_report *report;
    const struct wl_view_options *options;
    struct wl_metric_catalog *catalog;
    struct wl_sections *sections;
    const struct wl_section **chosen; /* sections of the details page */
    size_t chosen_count;
    const struct wl_report_launch **launches; /* those that the options choose */
    size_t launch_count;
    struct wl_metric_names names;  /* of --metrics */
    struct wl_view_advice *advice; /* made when it is first wanted: advice_text.h */
};

/* A page: its row of show/page/pages.def. */
struct wl_page {
    const char *name;
    /* Tells sink of the page's data. */
    enum wl_code (*walk)(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error);
    /* The page as a whole document in a format of its own; NULL: it has none. */
    enum wl_code (*document[WL_FORMAT_COUNT])(struct wl_view_context *context, struct wl_text *out,
                                              struct wl_error *error);
    bool has_summary; /* --print-summary */
};
#define WL_PAGE_ROW(id, name) extern const struct wl_page wl_page_##name;
#include "show/page/pages.def"
#undef WL_PAGE_ROW
extern const struct wl_page wl_page_groups; /* of --print-summary */

/* A page of the context as text (free() it), and its fields as JSON. */
enum wl_code wl_page_to_text(const struct wl_page *page, struct wl_view_context *context,
                             char **text, struct wl_error *error);
enum wl_code wl_page_to_json(const struct wl_page *page, struct wl_view_context *context,
                             json_t **object, struct wl_error *error);

/* Loads metrics and sections and chooses launches, as options (which must outlive it) say. Errors:
 * as wl_view_print. Close it in any case. */
enum wl_code wl_view_context_open(struct wl_report *report, const struct wl_view_options *options,
                                  struct wl_view_context *context, struct wl_error *error);
/* The page that its options want: they may want another each time. Errors: as wl_view_print. */
enum wl_code wl_view_context_print(struct wl_view_context *context, FILE *out,
                                   struct wl_error *error);
void wl_view_context_close(struct wl_view_context *context);

#endif
