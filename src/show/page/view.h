/* Pages of a report as text, CSV or JSON. Reads the report through report/ and analyse/metric/
 * only. */
#ifndef WL_SHOW_PAGE_VIEW_H
#define WL_SHOW_PAGE_VIEW_H

#include <stdio.h>

#include "base/error.h"
#include "report/report.h"
#include "show/format/format.h"
#include "show/page/sink.h"

/* WL_PAGE_SUMMARY ... */
enum wl_view_page {
#define WL_PAGE_ROW(id, name) WL_PAGE_##id,
#include "show/page/pages.def"
#undef WL_PAGE_ROW
};
/* "|summary|details|...": behind the first bar as an option with a choice takes them. */
extern const char wl_view_page_list[];
/* Position of the page of that name, or -1. */
int wl_view_page_find(const char *name);

enum wl_view_summary {
    WL_SUMMARY_NONE,
    WL_SUMMARY_PER_KERNEL,
    WL_SUMMARY_PER_GPU,
    WL_SUMMARY_PER_NVTX
};

/* What the details page has of each section. */
enum wl_view_details { WL_DETAILS_ALL, WL_DETAILS_HEADER, WL_DETAILS_BODY };
enum wl_view_metric_name { WL_METRIC_LABEL, WL_METRIC_NAME, WL_METRIC_LABEL_AND_NAME };

struct wl_view_options {
    enum wl_view_page page;
    enum wl_view_format format;
    enum wl_view_units units;
    enum wl_view_summary summary;
    const char *sections;               /* comma-separated identifiers or NULL: those of the set */
    const char *set;                    /* "basic", "detailed", "full" or NULL */
    const char *section_folder;         /* user's Lua sections/metrics, or NULL */
    const char *metrics;                /* comma-separated names (regex: allowed) or NULL */
    const char *kernel_name;            /* -k on show: as in record/settings.h, or NULL */
    uint64_t launch_skip, launch_count; /* on show; count 0: all */
    const char *ranks;                  /* list as in base/rank.h, or NULL: all */
    const char *top;                    /* source page: --top METRIC, or NULL */
    bool percent;                       /* source page: values as percent of the kernel's total */
    const char *view_source;            /* source page: "cuda,ptx" (default), "cuda", "ptx" */
    uint32_t width;                     /* columns of the terminal, 0: 120 */
    bool color;
    const char *rules; /* advice and details page: comma-separated ids, or NULL: all */
    bool has_findings, has_rule_details; /* details page: what rules find; as text with values */
    enum wl_view_details details;
    enum wl_view_metric_name metric_name;
    const char *report_path; /* as printed commands name it, or NULL: REPORT */
};

/* Errors: WL_ERR_USAGE (unknown metric or section, with near names as hint), WL_ERR_NOTHING. */
enum wl_code wl_view_print(struct wl_report *report, const struct wl_view_options *options,
                           FILE *out, struct wl_error *error);

#endif
