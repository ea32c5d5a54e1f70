/* For this room only: what the parts of the HTML page are built from.
 *
 * The page is data/html/page.html with the style, the scripts and a JSON text for each section put
 * in. A section is a row of the table in html.c; the scripts read it with warplens.data("NAME"). */
#ifndef WL_SHOW_EXPORT_HTML_H
#define WL_SHOW_EXPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>

#include "analyse/advise/rules.h"
#include "show/export/export.h"
#include "show/page/context.h"

/* An array of JSON items in which equal ones stand once. Zero-initialise. */
struct wl_html_table {
    json_t *items;
    struct wl_html_entry *entries;
};
/* Position of item in the table; it is put there if it is new. Takes item. */
json_int_t wl_html_intern(struct wl_html_table *table, json_t *item);
/* The array, for the caller; the table is empty then. */
json_t *wl_html_table_take(struct wl_html_table *table);

struct wl_html {
    const struct wl_export_report *reports;
    struct wl_view_context *contexts; /* of each report, in the same order */
    size_t report_count;
    bool allows_unlike;        /* reports of different GPUs are compared */
    struct wl_metric_set *set; /* of the first launch, NULL: there is none */
    struct wl_rules *rules;
    json_t *definitions; /* what names of the page mean, by name */
    bool is_served;      /* parts are asked for when they are needed, and only has the ids of the
                            launches that are wanted whole */
    const char *only;    /* "7,9"; NULL: all */
    bool **whole;        /* by report and key: launches that a file has whole; NULL: all */
};

/* Whether launches are so many that they are given without their values: a server is asked for
 * those later, a file has some of them. */
bool wl_html_is_bare(const struct wl_html *html);
/* Whether a launch of html->reports[number] is given whole: it is among those of html->only or
 * html->whole. */
bool wl_html_is_wanted(const struct wl_html *html, size_t number,
                       const struct wl_report_launch *launch);
/* What a launch's kernel is called: of a library the short name that tells two of a function
 * apart, else its function. */
const char *wl_html_function(const struct wl_report_launch *launch);
/* Puts that into an object, beside it the short name where that tells more, and whether it is a
 * stand-in. */
void wl_html_add_kernel(const struct wl_report_launch *launch, json_t *object);
/* By key, the launches that stand for the others of so many: those with findings (of
 * context->advice), one of each kernel and shape, and the counted ones and those that failed, as
 * long as they are not too many. free() it. */
bool *wl_html_choose_whole(const struct wl_view_context *context);
/* What the page knows of launches before their values: a list for each field. */
json_t *wl_html_bare_launches(const struct wl_view_context *context);

/* Sees to it that the page can say what a metric, by its name, means. */
void wl_html_define(struct wl_html *html, const char *name);
/* A number of a metric as it is shown: "9.73 Kbyte". */
json_t *wl_html_shown(double number, const char *unit);

/* Fills a section of the HTML page. Texts may hold anything: html.c makes them safe. */
typedef enum wl_code wl_html_section(struct wl_html *html, json_t *section, struct wl_error *error);
wl_html_section wl_html_launches, wl_html_drawings, wl_html_timeline, wl_html_advice, wl_html_guide,
    wl_html_source, wl_html_compare, wl_html_whatif, wl_html_session, wl_html_definitions;

#endif
