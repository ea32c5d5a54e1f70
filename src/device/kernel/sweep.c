#include "device/kernel/sweep.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/kernel/predict.h"
#include "warp/trace.h"

#define WARP_THREADS 32u

static const uint32_t sizes[WL_DEVICE_SWEEP_MOST] = {64, 128, 256, 512, 1024};

/* A trace whose blocks are made of another's warps. */
struct regrouped {
    struct wl_trace trace;
    struct wl_trace_block_record *records;
    struct wl_trace_warp *warps;
};

/* Warps that do not fill a block are left out. */
static void regroup(const struct wl_trace *trace, uint32_t warps_per_block,
                    struct regrouped *regrouped)
{
    size_t warp_count = 0, at = 0;
    for (size_t b = 0; b < trace->block_count; b++)
        warp_count += trace->blocks[b]->warp_count;
    size_t block_count = warp_count / warps_per_block;
    regrouped->trace = *trace;
    regrouped->trace.block_count = block_count;
    regrouped->trace.blocks = wl_alloc_zero(block_count + 1, sizeof *regrouped->trace.blocks);
    regrouped->records = wl_alloc_zero(block_count + 1, sizeof *regrouped->records);
    regrouped->warps = wl_alloc_zero(warp_count + 1, sizeof *regrouped->warps);
    for (size_t b = 0; b < trace->block_count; b++)
        for (uint32_t w = 0; w < trace->blocks[b]->warp_count; w++)
            regrouped->warps[at++] = trace->blocks[b]->warps[w];
    for (size_t b = 0; b < block_count; b++) {
        regrouped->trace.blocks[b] = &regrouped->records[b];
        regrouped->records[b] = (struct wl_trace_block_record){
            b, regrouped->warps + b * warps_per_block, warps_per_block};
    }
}

static void regrouped_free(struct regrouped *regrouped)
{
    free(regrouped->trace.blocks);
    free(regrouped->records);
    free(regrouped->warps);
}

/* 0: it cannot run so, or cannot be timed. */
static double duration_of(const struct wl_sim_launch *launch, const struct wl_timing_input *input,
                          uint32_t threads)
{
    struct wl_occupancy_input asked = {
        .registers_per_thread = launch->registers_per_thread,
        .threads_per_block = threads,
        .barriers = launch->program->barrier_count,
        .carveout_pct = launch->carveout_pct,
    };
    struct wl_timing_input other = *input;
    struct wl_timing timing;
    struct wl_error error = {0};
    struct regrouped regrouped;
    wl_occupancy_compute(input->gpu, &asked, &other.occupancy);
    if (!other.occupancy.blocks_per_sm)
        return 0;
    other.changes = 0;
    other.warps_per_block = threads / WARP_THREADS;
    other.block_count = input->block_count * launch->block[0] / threads;
    regroup(input->trace, other.warps_per_block, &regrouped);
    other.trace = &regrouped.trace;
    double duration_ns = 0;
    if (regrouped.trace.block_count && !wl_timing_predict(&other, &timing, &error)) {
        duration_ns = timing.duration_ns;
        wl_timing_free(&timing);
    }
    regrouped_free(&regrouped);
    return duration_ns;
}

const char *wl_device_sweep(const struct wl_sim_launch *launch, const struct wl_timing_input *input,
                            struct wl_sim_counts *counts)
{
    const struct wl_program *program = launch->program;
    uint64_t threads = (uint64_t)launch->grid[0] * launch->block[0];
    if (program->numbering_obstacle)
        return program->numbering_obstacle;
    if (launch->shared_dynamic_bytes)
        return "it uses shared memory";
    if (launch->grid[1] * launch->grid[2] * launch->block[1] * launch->block[2] != 1)
        return "its grid has more than one dimension";
    if (launch->block[0] % WARP_THREADS)
        return "its blocks are not whole warps";
    for (size_t i = 0; i < WL_DEVICE_SWEEP_MOST; i++) {
        bool is_other =
            sizes[i] != launch->block[0] && threads % sizes[i] == 0 &&
            (!program->max_threads_per_block || sizes[i] <= program->max_threads_per_block);
        double duration_ns = is_other ? duration_of(launch, input, sizes[i]) : 0;
        if (duration_ns > 0)
            wl_device_add_value(counts, duration_ns, "whatif__block-%u__duration.ns", sizes[i]);
    }
    return NULL;
}
