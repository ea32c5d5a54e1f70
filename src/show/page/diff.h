/* Reports compared with a base: kernels matched by name, their metrics, and findings that vanished
 * or appeared. */
#ifndef WL_SHOW_PAGE_DIFF_H
#define WL_SHOW_PAGE_DIFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/report.h"

struct wl_diff_options {
    const char *metrics;        /* comma-separated names, or NULL: those that tell most */
    const char *section_folder; /* of the user, or NULL */
    bool is_all;                /* every metric that the base has */
    bool json;
    bool allows_unlike; /* reports of different GPUs or clocks too */
};

struct wl_diff_report {
    const char *name; /* as it is shown */
    struct wl_report *report;
    const struct wl_report_launch *only; /* this launch alone, whatever its name; NULL: all */
};

/* Compares reports[1] and further ones with reports[0]. A kernel's launches are put together: mean,
 * least and most; a difference within the spread of repeated launches is marked as noise.
 * Errors: WL_ERR_USAGE for unlike GPUs or clocks and unknown metrics, WL_ERR_NOTHING where reports
 * have no kernel in common, WL_ERR_OUTPUT. */
enum wl_code wl_view_diff(const struct wl_diff_report *reports, size_t count,
                          const struct wl_diff_options *options, FILE *out, struct wl_error *error);
/* The same as a JSON object, whatever options->json says; the caller's; NULL on errors. */
enum wl_code wl_view_diff_json(const struct wl_diff_report *reports, size_t count,
                               const struct wl_diff_options *options, json_t **page,
                               struct wl_error *error);

#endif
