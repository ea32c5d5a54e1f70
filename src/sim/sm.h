/* One simulated SM over a launch. Internal to sim/. */
#ifndef WL_SIM_SM_H
#define WL_SIM_SM_H

#include "sim/state.h"

/* Memory that one resident block needs: registers, shared and local memory. */
size_t wl_sm_cta_bytes(const struct wl_run *run);

/* Prepares SM number index for a launch with at most `resident` blocks at a time, in memory of
 * resident * wl_sm_cta_bytes(run) bytes, 64-byte aligned. has_constants: an earlier launch of the
 * same program and shape left its constants there; has_parameters: with the same parameters. The L1
 * and nothing else is kept from before. Its blocks come from hand, which must outlive the launch.
 */
void wl_sm_begin(struct wl_sm *sm, const struct wl_run *run, uint32_t index, uint32_t resident,
                 uint8_t *memory, bool has_constants, bool has_parameters, struct wl_hand *hand);
void wl_sm_end(struct wl_sm *sm);

/* Runs the SM's warps in turn until it has issued `length` more instructions, has filled its trace,
 * or has no blocks left (ctas_live == 0). */
void wl_sm_run_epoch(struct wl_sm *sm, struct wl_worker *worker, uint64_t length);

#endif
