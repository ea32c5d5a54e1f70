/* While a thread of the host runs an SM, it asks the host's second-level cache for what the SM that
 * it is likely to run next has: its warps, L1's tags, the registers and shared memory of its
 * blocks. All SMs' together do not fit there, and between two turns of one all others have theirs.
 * Changes nothing but time. Internal to sim/. */
#ifndef WL_SIM_AHEAD_H
#define WL_SIM_AHEAD_H

#include <stddef.h>
#include <stdint.h>

struct wl_run;
struct wl_sm;

/* What is left to ask for. All zero: nothing. */
struct wl_ahead {
    const struct wl_sm *sm; /* NULL: nothing */
    uint32_t piece;         /* of what it has: the next one */
    const uint8_t *at;      /* in the present one, of which `left` bytes are left */
    size_t left;
};

/* From now on asks for what that SM has; NULL: for nothing. */
void wl_ahead_begin(struct wl_ahead *ahead, const struct wl_sm *sm);
/* Asks for a few lines; for each turn of a warp. */
void wl_ahead_ask(struct wl_ahead *ahead, const struct wl_run *run);

#endif
