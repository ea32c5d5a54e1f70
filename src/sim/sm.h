/* One simulated SM over a launch. Internal to sim/. */
#ifndef WL_SIM_SM_H
#define WL_SIM_SM_H

#include "sim/state.h"

/* Memory that one resident block needs: registers, shared and local memory. */
size_t wl_sm_cta_bytes(const struct wl_run *run);

/* Of these, registers and shared memory, which stand first: what it has with its seat. */
size_t wl_sm_seat_bytes(const struct wl_run *run);

/* Prepares SM number index for a launch with at most `resident` blocks at a time, in memory of
 * resident * wl_sm_cta_bytes(run) bytes, 64-byte aligned, of which its blocks have what does not
 * belong to seats (sim/seats.h). The L1 and nothing else is kept from before, but memory. Its
 * blocks come from hand, which must outlive the launch. */
void wl_sm_begin(struct wl_sm *sm, const struct wl_run *run, uint32_t index, uint32_t resident,
                 uint8_t *memory, struct wl_hand *hand);
void wl_sm_end(struct wl_sm *sm);
/* Frees what launches leave to the next. */
void wl_sm_free(struct wl_sm *sm);

/* Runs the warps of the SMs of a cluster (count of them, 1 where there are no clusters) in turn
 * until each is `length` cycles further, one has filled its trace, or they have no blocks left
 * (ctas_live == 0). */
void wl_sm_run_epoch(struct wl_sm *sms, uint32_t count, struct wl_worker *worker, uint64_t length);

/* A warp that waited for others of its cluster goes on at that time. */
void wl_sm_wake(struct wl_warp *warp, uint64_t time);

#endif
