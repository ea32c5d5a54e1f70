/* What a verb that runs a program says of how that went. */
#ifndef WL_CMD_OUTCOME_H
#define WL_CMD_OUTCOME_H

#include "run/launch.h"

/* " while kernel NAME was running (launch 2)", or "" where none was; free() it. */
char *wl_outcome_running(const struct wl_launch_run *run);
/* A signal, an exit code that is not 0, a kernel that was running, launches that are not recorded.
 */
void wl_outcome_print_ending(const struct wl_launch_run *run);
/* Where the report is; of many ranks, how to put theirs together. */
void wl_outcome_print_report(const struct wl_launch_run *run);

#endif
