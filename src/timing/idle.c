#include "timing/idle.h"

#include <stdlib.h>

#include "base/memory.h"

/* A warp whose accesses touch less than such a part of the sectors that those of its block's
 * busiest warp do has nothing to do: it reads what tells it so, and waits at barriers. */
#define IDLE_PART 4

static uint64_t sectors_of(const struct wl_trace_warp *warp)
{
    uint64_t sectors = 0;
    for (size_t i = 0; i < warp->count;) {
        bool is_block = warp->items[i] & WL_TRACE_BLOCK;
        if (!is_block)
            sectors += wl_trace_unpack(warp->items[i + 1]).sectors;
        i += is_block ? 1 : 2;
    }
    return sectors;
}

/* The block's warps that have something to do. */
static struct wl_trace_block_record *copy_busy(const struct wl_trace_block_record *from)
{
    struct wl_trace_block_record *to = wl_alloc_zero(1, sizeof *to);
    uint64_t *sectors = wl_alloc_zero(from->warp_count + 1u, sizeof *sectors), most = 0;
    for (uint32_t w = 0; w < from->warp_count; w++) {
        sectors[w] = sectors_of(&from->warps[w]);
        most = sectors[w] > most ? sectors[w] : most;
    }
    to->number = from->number;
    to->warps = wl_alloc_zero(from->warp_count + 1u, sizeof *to->warps);
    for (uint32_t w = 0; w < from->warp_count; w++)
        if (sectors[w] * IDLE_PART >= most)
            to->warps[to->warp_count++] = from->warps[w];
    free(sectors);
    return to;
}

void idle_leave_out(const struct wl_timing_input *input, struct idle *without)
{
    const struct wl_trace *from = input->trace;
    uint32_t most = 1, warps = input->warps_per_block;
    uint64_t words = 0, kept = 0;
    *without = (struct idle){.input = *input, .trace = *from};
    without->trace.blocks = wl_alloc_zero(from->block_count + 1, sizeof *without->trace.blocks);
    for (size_t b = 0; b < from->block_count; b++) {
        struct wl_trace_block_record *block = copy_busy(from->blocks[b]);
        without->trace.blocks[b] = block;
        most = block->warp_count > most ? block->warp_count : most;
        for (uint32_t w = 0; w < from->blocks[b]->warp_count; w++)
            words += from->blocks[b]->warps[w].count;
        for (uint32_t w = 0; w < block->warp_count; w++)
            kept += block->warps[w].count;
    }
    without->input.trace = &without->trace;
    if (words)
        without->input.program_instructions *= (double)kept / (double)words;
    /* smaller blocks: more of them find threads and registers */
    struct wl_occupancy *occupancy = &without->input.occupancy;
    without->input.warps_per_block = most;
    occupancy->limit_warps = occupancy->limit_warps * warps / most;
    occupancy->limit_registers = occupancy->limit_registers * warps / most;
}

void idle_free(struct idle *without)
{
    for (size_t b = 0; b < without->trace.block_count; b++) {
        free(without->trace.blocks[b]->warps);
        free(without->trace.blocks[b]);
    }
    free(without->trace.blocks);
    *without = (struct idle){0};
}
