#include <stddef.h>

#include "base/count.h"
#include "gpu/gpu.h"

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    uint64_t rounded = ((uint64_t)value + unit - 1) / unit * unit;
    return rounded > UINT32_MAX ? UINT32_MAX / unit * unit : (uint32_t)rounded;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Registers are handed out per warp in units, out of one register file per scheduler. */
static uint32_t limit_by_registers(const struct wl_gpu *gpu, uint32_t registers, uint32_t warps)
{
    if (registers == 0)
        return gpu->max_blocks_per_sm;
    if (registers > gpu->max_registers_per_thread)
        return 0;
    uint32_t granularity = gpu->warp_allocation_granularity;
    uint32_t per_warp = round_up(registers * gpu->warp_size, gpu->register_allocation_unit);
    if ((uint64_t)per_warp * round_up(warps, granularity) > gpu->registers_per_block)
        return 0;
    return gpu->registers_per_sm / granularity / per_warp * granularity / warps;
}

static uint32_t limit_by_barriers(const struct wl_gpu *gpu, uint32_t barriers)
{
    if (!gpu->max_barriers_per_sm)
        return gpu->max_blocks_per_sm;
    return least(gpu->max_barriers_per_sm / (barriers ? barriers : 1), gpu->max_blocks_per_sm);
}

/* The smallest selectable size that holds bytes, or the largest there is. */
static uint32_t pick_carveout(const struct wl_gpu *gpu, uint64_t bytes)
{
    for (uint32_t i = 0; i < gpu->shared_carveout_count; i++)
        if (gpu->shared_carveouts_kib[i] * UINT64_C(1024) >= bytes)
            return gpu->shared_carveouts_kib[i] * 1024;
    return gpu->shared_per_sm_bytes;
}

/* cudaFuncAttributePreferredSharedMemoryCarveout: that share of the largest size is filled with
 * blocks of the kernel's own shared memory, whose reserved bytes come on top. */
static uint32_t prefer_carveout(const struct wl_gpu *gpu, uint32_t pct, uint32_t own_bytes)
{
    uint64_t wanted_bytes = (uint64_t)gpu->shared_per_sm_bytes * least(pct, 100) / 100;
    if (!own_bytes)
        return pick_carveout(gpu, wanted_bytes);
    uint64_t blocks = wanted_bytes / own_bytes;
    return pick_carveout(gpu, (blocks ? blocks : 1) * (own_bytes + gpu->shared_reserved_bytes));
}

/* The driver's choice without a preference, as seen on Hopper (docs/models/gpu-models.md): room for
 * the blocks that the other limits let run; where more than one block of less than the largest size
 * runs, room for twice as many, but then not more than about half of the unified cache. A kernel
 * that uses no shared memory gets room for the reserved bytes of 32 blocks less its warps. */
static uint32_t choose_carveout(const struct wl_gpu *gpu, uint32_t threads, uint32_t own_bytes,
                                uint32_t blocks, uint32_t barrier_blocks)
{
    uint64_t per_block = (uint64_t)own_bytes + gpu->shared_reserved_bytes;
    if (per_block)
        blocks = least(blocks, (uint32_t)(gpu->shared_per_sm_bytes / per_block));
    uint32_t needed = pick_carveout(gpu, blocks * per_block);
    if (blocks <= 1 || threads >= gpu->max_threads_per_block)
        return needed;
    uint32_t slots = least(gpu->max_blocks_per_sm, barrier_blocks);
    uint32_t roomy = 2 * blocks;
    if (!own_bytes) {
        uint32_t warps = (threads + gpu->warp_size - 1) / gpu->warp_size;
        roomy = gpu->max_blocks_per_sm > warps ? gpu->max_blocks_per_sm - warps : 0;
    }
    uint32_t generous = pick_carveout(gpu, least(roomy, slots) * per_block);
    return most(needed, least(generous, pick_carveout(gpu, gpu->l1_bytes / 2)));
}

static void configure_shared(const struct wl_gpu *gpu, const struct wl_occupancy_input *input,
                             uint32_t own_bytes, struct wl_occupancy *occupancy)
{
    uint32_t blocks = least(least(occupancy->limit_blocks, occupancy->limit_registers),
                            least(occupancy->limit_warps, occupancy->limit_barriers));
    uint32_t config_bytes = gpu->shared_per_sm_bytes;
    if (gpu->shared_carveout_fits) {
        bool has_preference = input->carveout_pct > 0 || (input->carveout_pct == 0 && own_bytes);
        config_bytes = has_preference
                           ? prefer_carveout(gpu, (uint32_t)input->carveout_pct, own_bytes)
                           : choose_carveout(gpu, input->threads_per_block, own_bytes, blocks,
                                             occupancy->limit_barriers);
        config_bytes =
            most(config_bytes, pick_carveout(gpu, own_bytes + gpu->shared_reserved_bytes));
    }
    uint32_t per_block = own_bytes + gpu->shared_reserved_bytes;
    occupancy->shared_config_bytes = config_bytes;
    occupancy->l1_data_bytes = gpu->l1_unified ? gpu->l1_bytes - config_bytes : gpu->l1_bytes;
    occupancy->limit_shared = per_block ? config_bytes / per_block : gpu->max_blocks_per_sm;
}

/* The first of the least: a kernel that fills all warps is not held by its registers, and the
 * carve-out is chosen after the others. */
static void find_limiter(struct wl_occupancy *occupancy)
{
    const struct {
        uint32_t blocks;
        const char *name;
    } limits[] = {
        {occupancy->limit_warps, "warps"},          {occupancy->limit_blocks, "blocks"},
        {occupancy->limit_registers, "registers"},  {occupancy->limit_barriers, "barriers"},
        {occupancy->limit_shared, "shared memory"},
    };
    occupancy->blocks_per_sm = limits[0].blocks;
    occupancy->limiter = limits[0].name;
    for (size_t i = 1; i < WL_COUNT(limits); i++) {
        if (limits[i].blocks < occupancy->blocks_per_sm) {
            occupancy->blocks_per_sm = limits[i].blocks;
            occupancy->limiter = limits[i].name;
        }
    }
}

uint32_t wl_occupancy_most_registers(const struct wl_gpu *gpu, uint32_t threads_per_block,
                                     uint32_t blocks)
{
    const uint32_t warps = round_up(threads_per_block, gpu->warp_size) / gpu->warp_size,
                   granularity = gpu->warp_allocation_granularity,
                   unit = gpu->register_allocation_unit;
    if (!warps || !blocks || blocks > gpu->max_warps_per_sm / warps)
        return 0;
    /* limit_by_registers the other way round: a block alone, then all on the SM's parts */
    const uint32_t alone = gpu->registers_per_block / round_up(warps, granularity),
                   together = gpu->registers_per_sm / round_up(warps * blocks, granularity);
    const uint32_t registers = least(alone, together) / unit * unit / gpu->warp_size;
    return least(registers, gpu->max_registers_per_thread);
}

void wl_occupancy_compute(const struct wl_gpu *gpu, const struct wl_occupancy_input *input,
                          struct wl_occupancy *occupancy)
{
    *occupancy = (struct wl_occupancy){0};
    uint64_t shared_bytes = (uint64_t)input->shared_static_bytes + input->shared_dynamic_bytes;
    bool shared_fits = shared_bytes <= gpu->shared_per_block_optin_bytes;
    uint32_t own_bytes =
        shared_fits ? round_up((uint32_t)shared_bytes, gpu->shared_allocation_unit_bytes) : 0;
    uint32_t threads = input->threads_per_block;
    uint32_t warps = round_up(threads, gpu->warp_size) / gpu->warp_size;
    bool threads_fit = warps > 0 && threads <= gpu->max_threads_per_block;

    occupancy->warps_per_block = warps;
    occupancy->limit_blocks = gpu->max_blocks_per_sm;
    occupancy->limit_warps = threads_fit ? gpu->max_warps_per_sm / warps : 0;
    occupancy->limit_registers =
        threads_fit ? limit_by_registers(gpu, input->registers_per_thread, warps) : 0;
    occupancy->limit_barriers = limit_by_barriers(gpu, input->barriers);
    configure_shared(gpu, input, own_bytes, occupancy);
    if (!shared_fits)
        occupancy->limit_shared = 0;
    find_limiter(occupancy);
    occupancy->warps_per_sm = occupancy->blocks_per_sm * warps;
    occupancy->occupancy_pct = 100.0 * occupancy->warps_per_sm / gpu->max_warps_per_sm;
}
