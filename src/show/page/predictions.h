/* Durations of launches on several GPUs, side by side. */
#ifndef WL_SHOW_PAGE_PREDICTIONS_H
#define WL_SHOW_PAGE_PREDICTIONS_H

#include "report/report.h"
#include "show/page/view.h"

/* A GPU and the launches on it, which belong to their report. */
struct wl_gpu_launches {
    const char *gpu; /* "h200" */
    const struct wl_report_launch *const *launches;
    size_t count;
};

/* A row a launch, a column a GPU: launches of equal place are one row. note: said below, for
 * people; width: of the terminal, or 0. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_view_predictions(const struct wl_gpu_launches *gpus, size_t gpu_count,
                                 const char *note, enum wl_view_format format, FILE *out,
                                 size_t width, struct wl_error *error);

#endif
