/* For this room only: the lines of a launch beside those of the launch it is compared with. */
#ifndef WL_SHOW_EXPORT_HTML_SOURCE_BASE_H
#define WL_SHOW_EXPORT_HTML_SOURCE_BASE_H

#include "analyse/metric/source_model.h"
#include "show/export/html.h"

struct wl_html_source_base {
    const struct wl_report_launch *launch; /* of the first baseline; NULL: there is none */
    struct wl_source_model model;
    size_t *partners; /* of each line of the launch the base's; SIZE_MAX: it has none */
};

/* Finds the same launch of the first baseline, and which of its lines are those of model: lines of
 * the same text, in their order, or of the same number where no text is known. Close it in any
 * case. Errors: those of reading the report. */
enum wl_code wl_html_source_base_open(const struct wl_html *html,
                                      const struct wl_report_launch *launch,
                                      struct wl_source_model *model,
                                      struct wl_html_source_base *base, struct wl_error *error);
void wl_html_source_base_close(struct wl_html_source_base *base);

/* Puts what the base has of a column into the column: its total, and what lines had. */
void wl_html_source_base_put(const struct wl_html_source_base *base,
                             const struct wl_source_model *model, const char *name, json_t *column);
/* Positions of the lines that the base has, too. */
json_t *wl_html_source_base_lines(const struct wl_html_source_base *base,
                                  const struct wl_source_model *model);

#endif
