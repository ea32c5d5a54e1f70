/* Sums of floats in global memory whose results no thread is given, kept until all SMs have ended a
 * part of an epoch and then added in the order in which one host thread would have: what they
 * round to depends on that order, and on nothing else. Internal to sim/. */
#ifndef WL_SIM_REDUCTIONS_H
#define WL_SIM_REDUCTIONS_H

#include "sim/state.h"

/* Whether the launch may keep its sums: its blocks depend on their order in nothing else, and no
 * other access of the launch leads to the allocations that they lie in, so that nobody can see
 * that they come later. */
bool wl_reductions_may_wait(const struct wl_run *run);

/* Adds what the SM has kept. Nothing else runs meanwhile. */
void wl_reductions_add(struct wl_sm *sm);

#endif
