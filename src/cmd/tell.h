/* What a verb that runs a program says of how that went. */
#ifndef WL_CMD_TELL_H
#define WL_CMD_TELL_H

#include "run/launch.h"

/* " while kernel NAME was running (launch 2)", or "" where none was; free() it. */
char *wl_tell_running(const struct wl_launch_run *run);
/* A signal, an exit code that is not 0, a kernel that was running, launches that are not recorded.
 */
void wl_tell_ending(const struct wl_launch_run *run);
/* Where the report is; of many ranks, how to put theirs together. */
void wl_tell_report(const struct wl_launch_run *run);

#endif
