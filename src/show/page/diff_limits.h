/* For the diff page only: limits on changes, `--fail-on METRIC:5%,finding`. */
#ifndef WL_SHOW_PAGE_DIFF_LIMITS_H
#define WL_SHOW_PAGE_DIFF_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

struct wl_diff_limit {
    char *metric;      /* owned */
    double change_pct; /* above it, or below it where it is negative, the limit is not met */
};

struct wl_diff_limits {
    WL_VECTOR(struct wl_diff_limit) items;
    bool findings; /* none may appear */
    size_t broken; /* how many were not kept in the last walk */
};

/* Reads "time:5%,dram__bytes.sum:10%,finding"; "time" is gpu__time_duration.sum, a bare name has 0
 * %. NULL is none. Errors: WL_ERR_USAGE. Free with wl_diff_limits_free in any case. */
enum wl_code wl_diff_limits_read(const char *text, struct wl_diff_limits *limits,
                                 struct wl_error *error);
void wl_diff_limits_free(struct wl_diff_limits *limits);

/* The limit of the metric that this change breaks, or NULL. */
const struct wl_diff_limit *wl_diff_limits_broken(const struct wl_diff_limits *limits,
                                                  const char *metric, double change_pct);

#endif
