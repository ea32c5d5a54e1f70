/* What atomics and reductions cost the slices of the GPU's L2. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_UPDATES_H
#define WL_SIM_L2_UPDATES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "sim/l2.h"
#include "sim/l2_bits.h"

enum {
    L2_UPDATED = 16, /* sectors of a slice whose updates are counted separately */
    /* Lines of a slice of the GPU's L2 that are neighbours (bench/gpu/model contention: atomics 128
     * bytes to 4 KiB apart). */
    L2_NEIGHBOUR_LINES = 4
};

/* Atomics and reductions that a slice of the GPU's L2 performs, one sector after another. */
struct l2_updates {
    uint64_t count;              /* sectors */
    uint64_t floats[L2_UPDATED]; /* of floating-point numbers, by the low bits of the sector */
};

/* updates: of each of the GPU's slices. sharers: a byte for each sector. */
static inline void l2_updates_note(struct l2_updates *updates, uint32_t gpu_slices, uint64_t line,
                                   uint32_t sharers, bool is_float)
{
    updates += l2_scale(l2_mix((uint32_t)(line / L2_NEIGHBOUR_LINES)), gpu_slices);
    for (uint32_t sector = 0; sector < 4; sector++) {
        uint32_t count = sharers >> (8 * sector) & 0xff;
        updates->count += count;
        if (is_float)
            updates->floats[(line * 4 + sector) % L2_UPDATED] += count;
    }
}

/* What the busiest slice takes for its atomics: for all of them, or for the floating-point numbers
 * of a sector, each of which waits for the one before. updates: for each shard those of each slice.
 */
static inline double l2_updates_cycles(const struct l2_updates *updates, const struct wl_gpu *given,
                                       uint32_t gpu_slices)
{
    struct wl_gpu gpu;
    wl_gpu_assume(given, &gpu);
    double most = 0;
    for (uint32_t slice = 0; slice < gpu_slices; slice++) {
        uint64_t count = 0, repeats = 0;
        for (uint32_t i = 0; i < WL_L2_MAX_SHARDS; i++) {
            const struct l2_updates *part = &updates[(size_t)i * gpu_slices + slice];
            count += part->count;
            for (uint32_t k = 0; k < L2_UPDATED; k++)
                repeats = part->floats[k] > repeats ? part->floats[k] : repeats;
        }
        most = fmax(most, fmax((double)count * gpu.l2_atomic_cycles,
                               (double)repeats * gpu.l2_float_atomic_cycles));
    }
    return most;
}

#endif
