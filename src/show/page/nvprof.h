/* A report as nvprof prints it: its summary, its traces, its tables of metrics and events. */
#ifndef WL_SHOW_PAGE_NVPROF_H
#define WL_SHOW_PAGE_NVPROF_H

#include <stdio.h>

#include "report/report.h"

#define WL_NVPROF_UNIT_WORDS "auto|s|ms|us|ns|col"
struct wl_nvprof_view {
    FILE *out;
    bool csv;
    int time_unit;  /* in WL_NVPROF_UNIT_WORDS */
    bool has_bases; /* names of kernels without types and parameters */
    bool has_summary, has_gpu_summary, has_api_summary, has_gpu_trace, has_api_trace;
    bool has_allocations;
    const char *metrics, *events; /* of launches, ',' between; NULL or "": none */
    const char *section_folder;
};
/* Errors: WL_ERR_USAGE (no such metric, with near ones as hint), WL_ERR_CORRUPT. */
enum wl_code wl_nvprof_print(struct wl_report *report, const struct wl_nvprof_view *view,
                             struct wl_error *error);

/* All metrics, or events, that nvprof's names are known of. */
enum wl_code wl_nvprof_list(bool is_of_events, FILE *out, struct wl_error *error);

#endif
