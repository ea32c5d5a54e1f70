/* --replay-mode application and app-range: the program is replayed, once for each pass of the
 * counters, and for what cannot be measured together with counters; what the same launches gave is
 * put together. */
#ifndef WL_RUN_RERUN_H
#define WL_RUN_RERUN_H

#include "run/launch.h"

/* Runs the program as often as the first run says that its counters need, which leaves the streams
 * of the last run, then once more for each of run->rerun, which is added to them; with nothing of
 * it on stdout. A run that fails or whose launches differ adds what it has, with a warning.
 * Errors: WL_ERR_OUTPUT, WL_ERR_INPUT. */
enum wl_code wl_rerun_execute(struct wl_launch_run *run, struct wl_error *error);

#endif
