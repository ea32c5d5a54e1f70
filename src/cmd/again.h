/* --replay-mode application: the program runs again for what cannot be measured together with
 * counters, and what the same launches gave is put together. */
#ifndef WL_CMD_AGAIN_H
#define WL_CMD_AGAIN_H

#include "cmd/launch.h"

/* Runs the program once more for each of run->again, with nothing of it on stdout, and adds to the
 * streams of the first run. A run that fails or whose launches differ adds what it has, and is
 * warned of. Errors: WL_ERR_OUTPUT, WL_ERR_INPUT. */
enum wl_code wl_again_execute(struct wl_launch_run *run, struct wl_error *error);

#endif
