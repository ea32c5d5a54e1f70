/* Checks beyond those of every run: operations get functions around the executor's own when the
 * program is linked, so that runs without checks are as fast as ever. Internal to sim/. */
#ifndef WL_SIM_CHECK_H
#define WL_SIM_CHECK_H

#include "sim/state.h"

#define WL_CHECK_BUDGET 0x80000000u /* in a mode: instructions are counted */

/* What the program has to be linked for, by the options; 0: no checks. */
uint32_t wl_check_mode(const struct wl_sim_options *options);
/* Whether it has operations that write memory in ways the checks do not know: what they touch is
 * taken for written, and no races are looked for. */
bool wl_check_is_opaque(const struct wl_program *program);
/* The function around the operation in that mode; NULL: the executor's own. */
wl_op_run wl_check_handler(uint32_t mode, const struct wl_op *op);

/* ---- what compiled code asks of its loads by all lanes, before they are done ---- */

/* Whether that is all that the function around the operation would do. */
bool wl_check_is_simple_load(uint32_t mode, const struct wl_op *op);
/* Those of shared memory, together. False: nothing was done, they are to be asked one by one. */
struct wl_shadow_reads;
bool wl_check_shared_at_once(struct wl_warp *warp, const struct wl_shadow_reads *reads,
                             const uint32_t *base, uint32_t base_count);
/* One load, by how the lanes' addresses lie to the first lane's and where that is before the
 * operation's offset. */
void wl_check_shared_load(struct wl_warp *warp, const struct wl_op *op,
                          const uint32_t near[WL_LANES], uint32_t first);
void wl_check_global_load(struct wl_warp *warp, const struct wl_op *op,
                          const uint64_t far[WL_LANES], uint64_t first);

/* ---- barriers ---- */

/* A barrier that is about to let its warps go, before it does: a finding where it is for more
 * threads than came, as the others have ended. */
void wl_check_short_barrier(struct wl_cta *cta, uint32_t number);
/* Who arrived at a barrier without waiting. */
struct wl_lonely {
    struct wl_warp *warp; /* the last that did; NULL: one waited since, or none did */
    const struct wl_op *op;
    uint32_t lane;
};
/* A block that is over: findings of arrivals at barriers that nobody waited for. */
void wl_check_lonely_arrivals(struct wl_cta *cta);

#endif
