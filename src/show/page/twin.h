/* The same launches measured on a GPU and simulated on its model, side by side. */
#ifndef WL_SHOW_PAGE_TWIN_H
#define WL_SHOW_PAGE_TWIN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/report.h"

struct wl_twin_options {
    const char *section_folder; /* of the user, or NULL */
    bool json;
};

/* For each kernel, grid and block the first launch that was counted beside the simulated one with
 * the same number among its like; all numbers that both have, facts of the GPU and the launch left
 * out. Errors: WL_ERR_NOTHING where none was measured, WL_ERR_UNSUPPORTED where none is in both. */
enum wl_code wl_view_twin(struct wl_report *measured, struct wl_report *simulated,
                          const struct wl_twin_options *options, FILE *out, struct wl_error *error);

#endif
