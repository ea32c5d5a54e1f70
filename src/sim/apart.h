/* Whether blocks whose order shows may run at the same time. Internal to sim/. */
#ifndef WL_SIM_APART_H
#define WL_SIM_APART_H

#include "sim/state.h"

/* They may where the program says so and the launch's parameters point into different allocations
 * wherever that depends on it: results are then those of one fixed order. */
bool wl_blocks_may_run_at_once(const struct wl_run *run);
/* The same, whatever is checked. */
bool wl_blocks_are_apart(const struct wl_run *run);

#endif
