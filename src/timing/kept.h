/* A replay that is kept for those that would be the same. Internal to timing/. */
#ifndef WL_TIMING_KEPT_H
#define WL_TIMING_KEPT_H

#include "timing/engine.h"

/* As timing_engine_run, for input->kept, which is not NULL: where what was kept is the replay that
 * this one would be, gives its result. */
void timing_kept_run(const struct wl_timing_input *input, const struct timing_model *model,
                     const struct timing_code *code, struct timing_result *result);

#endif
