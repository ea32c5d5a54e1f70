/* A program on a timeline, for the verbs that begin with one. */
#ifndef WL_CMD_TRACE_H
#define WL_CMD_TRACE_H

#include "cmd/launch.h"

/* Runs the program and makes the report of its events; run as wl_launch_choose wants it. Errors:
 * those of wl_launch_...; WL_ERR_NOTHING where nothing was recorded. */
enum wl_code wl_timeline_record(struct wl_launch_run *run, bool *has_report,
                                struct wl_error *error);

#endif
