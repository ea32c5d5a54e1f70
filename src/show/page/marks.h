/* Marks of values on pages of text, and the legend that explains them. */
#ifndef WL_SHOW_PAGE_MARKS_H
#define WL_SHOW_PAGE_MARKS_H

#include "analyse/metric/metric.h"
#include "show/page/sink.h"

/* Sign of the mark, noting in is_shown (by mark) that the legend must explain it. "" for an absent
 * value. */
const char *wl_mark_text(bool is_shown[3], const struct wl_metric_value *value);
/* What values of a mark are: "caches, device memory". */
const char *wl_mark_meaning(enum wl_mark mark);
/* Explains the marks that the sink has shown. */
void wl_mark_legend(struct wl_page_sink *sink);

#endif
