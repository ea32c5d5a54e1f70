/* What rules find about a launch, with the sections they belong to, as ncu prints it. */
#ifndef WL_SHOW_PAGE_DETAILS_FINDINGS_H
#define WL_SHOW_PAGE_DETAILS_FINDINGS_H

#include "show/page/advice_text.h"

/* ncu's columns of findings in CSV. */
enum { WL_FINDING_COLUMNS = 5 };
extern const struct wl_column wl_finding_columns[WL_FINDING_COLUMNS];

/* Findings of the section, best first, as records; as a list "findings" in JSON. */
void wl_put_findings(const struct wl_view_advice *advice, const char *section,
                     struct wl_page_sink *sink);
/* The same as text. advice: NULL, nothing is printed. */
void wl_say_findings(const struct wl_view_advice *advice, bool has_details, const char *section,
                     struct wl_page_sink *sink);

#endif
