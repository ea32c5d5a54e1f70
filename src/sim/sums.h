/* Sums of floats that nobody sees before the launch ends, where each is made once at most by a
 * thread and blocks tell each other nothing else: SMs keep them, and they are added in the order of
 * the blocks' numbers. Memory is then the same however many SMs run the blocks, of whatever GPU,
 * and in however many threads. Of one block they are added in the order in which it makes them.
 * Internal to sim/. */
#ifndef WL_SIM_SUMS_H
#define WL_SIM_SUMS_H

#include "sim/state.h"

/* Whether the launch's sums go that way. */
bool wl_sums_are_ordered(const struct wl_run *run);

/* Where the SMs keep many: adds those of blocks that have ended as have all before them. next: the
 * first block that no SM has yet. Not while SMs run. */
void wl_sums_relieve(struct wl_sums *self, struct wl_sm *sms, uint32_t count, uint64_t next);

/* Adds what the SMs keep of blocks below `end`, which will make no more. */
void wl_sums_add(struct wl_sums *self, struct wl_sm *sms, uint32_t count, uint64_t end);

/* Frees what it had memory for; the launch may have more sums. */
void wl_sums_end(struct wl_sums *self);

#endif
