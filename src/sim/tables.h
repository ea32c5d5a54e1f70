/* What the workers of a launch count in, kept from launch to launch: small launches would spend
 * their time in getting pages of it. */
#ifndef WL_SIM_TABLES_H
#define WL_SIM_TABLES_H

#include "sim/arena.h"
#include "sim/state.h"

/* Gives `count` workers their tables, with nothing counted or learnt. They are the GPU's own, but
 * where a launch that has not ended has those. */
void wl_tables_give(struct wl_sim *sim, const struct wl_program *program, struct wl_worker *workers,
                    uint32_t count);
void wl_tables_take(struct wl_sim *sim, struct wl_worker *workers);

#endif
