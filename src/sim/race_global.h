/* Races on global memory, of warps of a block and of blocks: who wrote and read each word last.
 * Within a block the shadow of its shared memory says what happens before what. Blocks are ordered
 * where one made what it did visible (a fence and then a strong write or atomic, or a release) and
 * the other has read strongly since: more than the memory model demands of the address, so that
 * what is right is never reported. Internal to sim/. */
#ifndef WL_SIM_RACE_GLOBAL_H
#define WL_SIM_RACE_GLOBAL_H

#include "sim/state.h"

struct wl_race_global;

/* One lane's access. */
struct wl_race_access {
    uint32_t lane, bytes;
    uint64_t address;
    const uint64_t *values; /* of each lane, when written as far as is known; else NULL */
    bool is_write, is_read, is_atomic;
};

/* For one launch, whose blocks run on one worker. */
struct wl_race_global *wl_race_global_begin(uint64_t block_total);
void wl_race_global_free(struct wl_race_global *races);

void wl_race_global_access(struct wl_warp *warp, const struct wl_op *op,
                           const struct wl_race_access *access);
/* After a fence of the warp; before a strong access is given to the shadow. */
void wl_race_global_fence(struct wl_warp *warp);
void wl_race_global_strong(struct wl_warp *warp, const struct wl_op *op, bool is_read,
                           bool is_write);

#endif
