/* What a throughput is the largest of, asked of the library that CUPTI evaluates metrics with
 * (libnvperf_host.so, beside it): no GPU is needed for it. */
#ifndef WL_HARDWARE_BREAKDOWN_H
#define WL_HARDWARE_BREAKDOWN_H

#include "base/error.h"
#include "base/text.h"

/* Adds the metric itself and its parts, and theirs, each with the metric's suffix
 * (".avg.pct_of_peak_sustained_elapsed" if it has none), a line each. chip: "GH100". Errors:
 * WL_ERR_UNSUPPORTED where the library is not there or refuses; WL_ERR_USAGE for what is no
 * throughput of the chip, with near ones as hint. */
enum wl_code wl_cupti_breakdown(const char *cupti_path, const char *chip, const char *metric,
                                struct wl_text *members, struct wl_error *error);

#endif
