/* One order for what depends on the order of blocks, though SMs run at the same time: the order in
 * which one host thread would run the SMs (or clusters of them: places) one after the other through
 * each part of an epoch. An access made in turn waits until all places before have ended the part.
 * Sums of floats that nobody sees are kept until all have, and then added in that order. Internal
 * to sim/. */
#ifndef WL_SIM_TURNS_H
#define WL_SIM_TURNS_H

#include "sim/state.h"

struct wl_turns;

struct wl_turns *wl_turns_create(uint32_t places);
void wl_turns_free(struct wl_turns *turns);

/* All places begin a part. */
void wl_turns_begin(struct wl_turns *turns);
/* The place has ended it. */
void wl_turns_end(struct wl_turns *turns, uint32_t place);
/* The warp waits for the places before its own, which other threads run. */
void wl_turns_wait(struct wl_warp *warp);
/* Places that had to wait in this part. */
uint32_t wl_turns_waited(const struct wl_turns *turns);

/* Adds what the SM has kept. Nothing else runs meanwhile. */
void wl_turns_add_sums(struct wl_sm *sm);

#endif
