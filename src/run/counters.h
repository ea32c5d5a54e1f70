/* The counters of a real GPU that the options ask for: which, and in how many passes. */
#ifndef WL_RUN_COUNTERS_H
#define WL_RUN_COUNTERS_H

#include "report/report.h"
#include "run/launch.h"

/* Before the program runs: replaces run->settings.counters by the names that the GPU's chip has,
 * groups, breakdowns and expressions among them, and says how many passes they take and why.
 * Without CUPTI's host side, or for a chip that it does not know, names are taken as they are.
 * Nothing for a simulated GPU. Errors: WL_ERR_USAGE for a name that nobody knows, with near ones in
 * the hint; those of the catalog. */
enum wl_code wl_counters_prepare(struct wl_launch_run *run, struct wl_error *error);

/* --metrics as the pages of the report can show it: groups and breakdowns are the counters of
 * run->settings that launches have; those that no launch has are left out, with a warning. free()
 * it; NULL where it can stay as it is. */
char *wl_counters_shown(const struct wl_launch_run *run, struct wl_report *report);

#endif
