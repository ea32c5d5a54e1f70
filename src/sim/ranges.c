/* The allocations that addresses lie in. */
#include "sim/heap.h"
#include "sim/reach.h"
#include "sim/state.h"

/* Memory of the executor's own that kernels may touch. */
static bool find_own_range(const struct wl_run *run, struct wl_site_state *site, uint64_t address,
                           uint64_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)run->workspace;
    uint64_t to = run->workspace ? from + WL_WORKSPACE_BYTES : from;
    if (run->heap && wl_heap_has(run->heap, address, bytes)) {
        struct wl_heap_block block = wl_heap_nearest(run->heap, address);
        from = block.start;
        to = block.is_freed ? from : from + block.size_bytes;
    }
    if (from == to || !wl_reach_holds(from, to, address, bytes))
        return false;
    site->range_start = from;
    site->range_end = to;
    return true;
}

bool wl_run_find_range(const struct wl_run *run, struct wl_site_state *site, uint64_t address,
                       uint64_t bytes)
{
    const struct wl_sim_range *ranges = run->launch->ranges;
    size_t low = 0, high = run->launch->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == run->launch->range_count ||
        !wl_reach_holds(ranges[low].start, ranges[low].end, address, bytes))
        return find_own_range(run, site, address, bytes);
    if (run->options->touched)
        __atomic_store_n(&run->options->touched[low], 1, __ATOMIC_RELAXED);
    site->range_start = ranges[low].start;
    site->range_end = ranges[low].end;
    return true;
}
