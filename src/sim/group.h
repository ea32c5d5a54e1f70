/* Groups of loads that are counted together (site_state.h). Internal to sim/. */
#ifndef WL_SIM_GROUP_H
#define WL_SIM_GROUP_H

#include "sim/state.h"

/* Finds the groups among a program's operations; without `any`, there are none. */
void wl_groups_find(struct wl_program *program, bool any);
/* The group that the operation leads, made when it is first asked for. */
struct wl_load_group *wl_group_of(struct wl_worker *worker, const struct wl_op *op);
/* The lines of warps in which the lanes of that mask are on, by the first lane's place. NULL: it is
 * the first time in a row that it is asked for; masks that alternate cost no more than to look. */
struct wl_group_lines *wl_group_part_lines(struct wl_load_group *group, uint32_t mask);
/* Adds to the sites' counts what they have not counted yet of what the loads do at that place. */
void wl_group_settle(struct wl_load_group *group, struct wl_group_lines *lines);
/* Before what is known of one of its sites changes: all is looked at again. */
void wl_group_forget(struct wl_load_group *group);
/* Settles all, and frees the groups. */
void wl_groups_end(struct wl_worker *worker);

#endif
