/* Pages of a report as the options ask for them; shared by `profile` and `show`. */
#ifndef WL_CMD_PAGES_H
#define WL_CMD_PAGES_H

#include "cmd/console.h"
#include "cmd/groups.h"

/* Whether the options name a page or a form, so that --quiet does not suppress it. */
bool wl_pages_are_requested(const struct wl_page_options *options);

/* What is asked of the views: out says width and colour. filter: which launches of the report, by
 * its options of WL_SETTINGS_LAUNCHES, or NULL: all. */
void wl_pages_view(const struct wl_page_options *options, const struct wl_settings *filter,
                   FILE *out, struct wl_view_options *view);

/* Prints what the options ask for; without any: details of each launch, then the summary if there
 * is more than one launch; only the summary if there are many. path is named in messages. */
enum wl_code wl_pages_print(struct wl_report *report, const char *path,
                            const struct wl_page_options *options, const struct wl_settings *filter,
                            const struct wl_console *console, struct wl_error *error);

#endif
