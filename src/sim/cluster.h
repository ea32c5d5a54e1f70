/* Clusters: blocks that run at the same time, each on an SM of its own beside the others', in the
 * same place there. What belongs to a cluster is kept with its first block. A block without others
 * is a cluster of one. Internal to sim/. */
#ifndef WL_SIM_CLUSTER_H
#define WL_SIM_CLUSTER_H

#include "sim/cluster_places.h"
#include "sim/state.h"

/* The block of that rank, less than the cluster's size. */
static inline struct wl_cta *wl_cluster_block(const struct wl_cta *cta, uint32_t rank)
{
    const struct wl_sm *sm = cta->warps->sm;
    return &(sm - cta->rank + rank)->ctas[cta - sm->ctas];
}

/* Number and place of the block of that rank in the grid. */
void wl_cluster_number(const struct wl_run *run, uint64_t cluster, uint32_t rank,
                       struct wl_cta *cta);

/* The barrier of all threads of a cluster. The active lanes of the warp arrive. */
void wl_cluster_arrive(struct wl_warp *warp);
/* Whether all lanes of the warp that have not ended have arrived, and are counted. */
bool wl_cluster_has_arrived(struct wl_warp *warp);
/* The warp has ended: nobody waits for it. */
void wl_cluster_leave(struct wl_warp *warp);

#endif
