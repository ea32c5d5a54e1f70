#include "sim/cluster.h"

#include "sim/shadow.h"
#include "sim/sm.h"

/* The GPU's TPCs, spread over as few GPCs as hold them. */
uint32_t wl_cluster_places(const struct wl_gpu *gpu, uint32_t size, uint32_t *first)
{
    const uint32_t tpc = gpu->sms_per_tpc ? gpu->sms_per_tpc : 1;
    const uint32_t tpcs = (gpu->sm_count + tpc - 1) / tpc;
    const uint32_t most = gpu->tpcs_per_gpc ? gpu->tpcs_per_gpc : tpcs;
    const uint32_t gpcs = (tpcs + most - 1) / most;
    uint32_t count = 0, start = 0;
    for (uint32_t gpc = 0; gpc < gpcs; gpc++) {
        uint32_t end = start + tpc * (tpcs / gpcs + (gpc < tpcs % gpcs));
        end = end < gpu->sm_count ? end : gpu->sm_count;
        for (uint32_t sm = start; sm + size <= end; sm += size) {
            if (first)
                first[count] = sm;
            count++;
        }
        start = end;
    }
    return count;
}

void wl_cluster_number(const struct wl_run *run, uint64_t cluster, uint32_t rank,
                       struct wl_cta *cta)
{
    const uint32_t *grid = run->launch->grid, *size = run->cluster;
    const uint32_t within[3] = {rank % size[0], rank / size[0] % size[1], rank / size[0] / size[1]};
    uint64_t left = cluster;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t clusters = grid[axis] / size[axis];
        cta->id[axis] = (uint32_t)(left % clusters) * size[axis] + within[axis];
        left /= clusters;
    }
    cta->linear = ((uint64_t)cta->id[2] * grid[1] + cta->id[1]) * grid[0] + cta->id[0];
    cta->rank = rank;
}

static struct wl_cta *first_of(const struct wl_warp *warp)
{
    return wl_cluster_block(warp->cta, 0);
}

/* Lets all go on once the last warp has arrived, at that time. */
static void complete(struct wl_warp *last, uint64_t arrival)
{
    struct wl_cta *first = first_of(last);
    if (first->cluster.arrived < first->cluster.warps_live)
        return;
    first->cluster.arrived = 0;
    const struct wl_run *run = last->worker->run;
    const uint64_t time = arrival + (run->cluster_size > 1 ? run->peer_latency : 0);
    for (uint32_t rank = 0; rank < run->cluster_size; rank++) {
        struct wl_cta *cta = wl_cluster_block(last->cta, rank);
        for (uint32_t i = 0; i < cta->warp_count && cta->is_live; i++) {
            struct wl_warp *warp = &cta->warps[i];
            warp->arrived_lanes = 0;
            warp->is_counted = false;
            if (cta->shadow)
                wl_shadow_await(warp);
            if (warp->status == WL_WARP_AT_CLUSTER)
                wl_sm_wake(warp, time);
        }
    }
}

bool wl_cluster_has_arrived(struct wl_warp *warp)
{
    uint32_t live = warp->mask;
    for (uint32_t i = 0; i < warp->stack_depth; i++)
        live |= warp->stack[i].mask;
    if (live & ~warp->arrived_lanes)
        return false;
    if (!warp->is_counted) {
        warp->is_counted = true;
        first_of(warp)->cluster.arrived++;
        complete(warp, wl_warp_time(warp));
    }
    return true;
}

void wl_cluster_arrive(struct wl_warp *warp)
{
    warp->arrived_lanes |= warp->active;
    if (warp->cta->shadow)
        wl_shadow_signal(warp);
    wl_cluster_has_arrived(warp);
}

void wl_cluster_leave(struct wl_warp *warp)
{
    struct wl_cta *first = first_of(warp);
    first->cluster.arrived -= warp->is_counted;
    first->cluster.warps_live--;
    if (first->cluster.warps_live)
        complete(warp, warp->sm->time);
}
