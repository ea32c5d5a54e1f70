/* How many clusters a GPU holds. */
#ifndef WL_SIM_CLUSTER_PLACES_H
#define WL_SIM_CLUSTER_PLACES_H

#include <stdint.h>

#include "gpu/gpu.h"

/* Clusters of `size` blocks that a GPU holds with one block an SM; first: where not NULL, the first
 * SM of each. The SMs of a cluster are of one GPC. first has room for gpu->sm_count. */
uint32_t wl_cluster_places(const struct wl_gpu *gpu, uint32_t size, uint32_t *first);

#endif
