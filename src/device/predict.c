#include "device/predict.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "device/state.h"
#include "timing/values.h"

enum { TRACE_WORDS = 6 << 20, TRACE_WORDS_LATER = 256 << 10 };
#define FREE_NS 5000000000u /* what predictions may take before they must be a small part */

size_t wl_device_trace_words(void)
{
    bool is_dear = wl_device.predicting_ns > FREE_NS + wl_device.counting_ns / 4;
    return is_dear ? TRACE_WORDS_LATER : TRACE_WORDS;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct wl_timing_traffic traffic_of(const struct wl_sim_counts *counts)
{
    const uint64_t *totals = counts->totals;
    return (struct wl_timing_traffic){
        .l1_missed_sectors =
            (double)(totals[WL_COUNTER_MISS_GLOBAL_LD] + totals[WL_COUNTER_MISS_LOCAL_LD] +
                     totals[WL_COUNTER_MISS_TEXTURE]),
        .l2_read_sectors = (double)totals[WL_COUNTER_L2_READ],
        .l2_read_missed = (double)totals[WL_COUNTER_L2_READ_MISS],
        .l2_write_sectors = (double)totals[WL_COUNTER_L2_WRITE],
        .dram_read_bytes = (double)totals[WL_COUNTER_DRAM_READ],
        .dram_write_bytes = (double)totals[WL_COUNTER_DRAM_WRITE],
    };
}

/* The per-instruction fields are in the order of the states, behind the machine instructions. */
static void add_instructions(const struct wl_timing *timing, struct wl_sim_counts *counts)
{
    for (uint32_t i = 0; i < timing->instruction_count && i < counts->instruction_count; i++) {
        struct wl_instruction_counts *row = &counts->instructions[i];
        const double *states = timing->instruction_states + (size_t)i * WL_TIMING_STATE_COUNT;
        row->machine_executed = (uint64_t)(timing->instruction_executed[i] + 0.5);
        uint64_t *fields = &row->stalled_selected;
        for (int s = 0; s < WL_TIMING_STATE_COUNT; s++)
            fields[s] = (uint64_t)(states[s] + 0.5);
    }
}

void wl_device_predict(const struct wl_sim_launch *launch, const struct wl_trace *trace,
                       struct wl_sim_counts *counts)
{
    uint64_t start_ns = now_ns();
    struct wl_timing timing;
    struct wl_timing_value values[WL_TIMING_VALUES_MOST];
    struct wl_error error = {0};
    struct wl_timing_input input = {
        .gpu = &wl_device.gpu,
        .program = launch->program,
        .trace = trace,
        .block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
        .warps_per_block = counts->occupancy.warps_per_block,
        .blocks_per_sm = counts->occupancy.blocks_per_sm,
        .traffic = traffic_of(counts),
        .program_instructions = (double)counts->totals[WL_COUNTER_INST],
    };
    wl_device.counting_ns += counts->wall_ns;
    if (wl_timing_predict(&input, &timing, &error)) {
        counts->not_predicted = wl_string_copy(error.message);
        return;
    }
    counts->value_count = wl_timing_values(&input, &timing, values);
    counts->values = wl_alloc_zero(counts->value_count, sizeof *counts->values);
    for (size_t i = 0; i < counts->value_count; i++)
        counts->values[i] = (struct wl_sim_value){values[i].name, values[i].value};
    add_instructions(&timing, counts);
    wl_timing_free(&timing);
    wl_device.predicting_ns += now_ns() - start_ns;
}
