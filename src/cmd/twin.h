/* `warplens profile --twin`: what was measured is simulated, too, and compared. */
#ifndef WL_CMD_TWIN_H
#define WL_CMD_TWIN_H

#include "cmd/groups.h"
#include "run/launch.h"

/* After run was measured and its report made: runs the program again on the model most like the GPU
 * (its stdout is discarded), makes REPORT.twin.wlr, and prints both side by side. Errors: those
 * of wl_launch_..., those of wl_view_twin. */
enum wl_code wl_twin_run(const struct wl_launch_run *run, const struct wl_page_options *pages,
                         FILE *out, struct wl_error *error);

#endif
