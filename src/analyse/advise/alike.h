/* Launches that others stand for: on a GPU the first of like launches (kernel, grid, block, shared
 * memory) are counted, and the others have a time and nothing else. */
#ifndef WL_ANALYSE_ADVISE_ALIKE_H
#define WL_ANALYSE_ADVISE_ALIKE_H

#include <stddef.h>

#include "report/report.h"

/* For each launch the index of the one that stands for it: its own, or that of a counted one alike.
 * free() it. */
size_t *wl_alike_find(const struct wl_report_launch *const *launches, size_t count);

#endif
