#include "timing/laps.h"

#include "warp/trace.h"

/* Cycles between the instructions of a loop that copies lane by lane: ptxas says 36 for eight of
 * them, and for five 31. */
#define LANE_LOOP_CYCLES 5

/* Cycles of a further round of the loop that adds floats, and for which a word that several warps
 * add to is kept by each lane: bench/gpu/model contention, shared_float.one_word, 3,030 of 32 lanes
 * of one warp, 1,397 of those of each of 32 warps, which try again every 118 cycles meanwhile. */
#define SUM_ROUND_CYCLES 95
#define SUM_LANE_CYCLES 44

void laps_begin(struct warp *warp, const struct timing_op *op, uint64_t now)
{
    const uint32_t word = warp->slots[op->slot];
    if (op->kind == WL_MACHINE_BULK) {
        warp->laps = wl_trace_bulk_lanes(word) * op->lane_count;
        warp->lap_cycles = LANE_LOOP_CYCLES;
        return;
    }
    const uint32_t rounds = wl_trace_unpack(word).rounds;
    warp->laps = 1;
    if (rounds < 2)
        return;
    uint64_t alone = now + (rounds - 1) * SUM_ROUND_CYCLES;
    uint64_t first = warp->block->summed > now ? warp->block->summed : now;
    warp->block->summed = first + rounds * SUM_LANE_CYCLES;
    uint64_t end = warp->block->summed > alone ? warp->block->summed : alone;
    warp->laps += (uint32_t)((end - now) / SUM_ROUND_CYCLES) * op->lane_count;
    warp->lap_cycles = (uint32_t)((end - now) / (warp->laps - 1));
}
