/* What rules find about a launch, below the sections they belong to, as ncu prints it. */
#ifndef WL_SHOW_PAGE_DETAILS_FINDINGS_H
#define WL_SHOW_PAGE_DETAILS_FINDINGS_H

#include "show/page/advice_text.h"

/* Findings of the section, best first: text only. advice: NULL, nothing is said. */
void wl_say_findings(const struct wl_view_advice *advice, bool has_details, const char *section,
                     struct wl_page_sink *sink);

#endif
