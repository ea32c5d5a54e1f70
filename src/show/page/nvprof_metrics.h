/* The tables of metrics and events of nvprof.c. */
#ifndef WL_SHOW_PAGE_NVPROF_METRICS_H
#define WL_SHOW_PAGE_NVPROF_METRICS_H

#include "show/page/nvprof.h"

long wl_nvprof_pid(struct wl_report *report);
enum wl_code wl_nvprof_print_metrics(struct wl_report *report, const struct wl_nvprof_view *view,
                                     struct wl_error *error);

#endif
