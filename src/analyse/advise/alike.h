/* Launches that others stand for: on a GPU the first of like launches (kernel, grid, block, shared
 * memory) are counted, and the others have a time and nothing else; and of a program that repeats
 * launches many have the same in every number. */
#ifndef WL_ANALYSE_ADVISE_ALIKE_H
#define WL_ANALYSE_ADVISE_ALIKE_H

#include <stddef.h>

#include "report/report.h"

/* For each launch the index of the first that is its equal in all that rules read but its number:
 * kernel, process, range, configuration, attributes, values, and those of instructions, which must
 * have been loaded. Its own where there is none. free() it. */
size_t *wl_alike_equals(const struct wl_report_launch *const *launches, size_t count);

/* For each launch the index of the one that stands for it: its own, that of its equal, or that of a
 * counted one alike; where none alike is counted the first stands for all.
 * free() it. */
size_t *wl_alike_find(const struct wl_report_launch *const *launches, size_t count);

#endif
