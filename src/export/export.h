/* A report as a file for people: one HTML page that needs nothing beside it. */
#ifndef WL_EXPORT_EXPORT_H
#define WL_EXPORT_EXPORT_H

#include "base/error.h"
#include "report/report.h"
#include "view/view.h"

struct wl_export_report {
    const char *name; /* as it is shown: the file name without folders */
    struct wl_report *report;
};

/* Writes reports[0], with the others as baselines, as an HTML page to path; view chooses launches,
 * sections and metrics as for the pages. A file that is there is replaced only when all went well.
 * Errors: those of wl_view_print; WL_ERR_OUTPUT where path cannot be written. */
enum wl_code wl_export_html(const struct wl_export_report *reports, size_t count,
                            const struct wl_view_options *view, const char *path,
                            struct wl_error *error);

#endif
