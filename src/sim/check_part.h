/* What the files of checks share: registers, and the executor's own functions. */
#ifndef WL_SIM_CHECK_PART_H
#define WL_SIM_CHECK_PART_H

#include "sim/executor.h"
#include "sim/state.h"

/* Goes on with the executor's own function. */
static inline const struct wl_op *wl_check_run_plain(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_executor_row *row = &wl_executor_table()[op->code];
    return (warp->is_masked ? row->masked : row->full)(warp, op);
}

/* A register's lanes. */
static inline const void *wl_check_lanes_of(const struct wl_warp *warp, uint32_t offset)
{
    return warp->registers + offset;
}

/* ---- check_sync.c: functions around those of the executor ---- */

const struct wl_op *wl_check_lanes(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *wl_check_barrier(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *wl_check_exit(struct wl_warp *warp, const struct wl_op *op);
/* Before lanes arrive at barrier objects: a finding where they are more than one waits for. */
void wl_check_arrivals(struct wl_warp *warp, const struct wl_op *op);

#endif
