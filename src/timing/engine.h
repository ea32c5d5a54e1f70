/* One SM, cycle by cycle. Internal to timing/. */
#ifndef WL_TIMING_ENGINE_H
#define WL_TIMING_ENGINE_H

#include "timing/code.h"
#include "timing/model.h"

/* What the replay of a trace's blocks gave. */
struct timing_result {
    double replayed;    /* share of the trace; less than 1 if its warps were cut off */
    double end;         /* cycle at which the last block ended */
    double *block_ends; /* of each traced block, in the order in which they ended */
    uint32_t block_end_count;
    double least_block; /* cycles that the quickest of them took */
    double instructions, eligible, issue_cycles, warp_cycles, l1_busy, adu_busy;
    uint32_t met; /* changes (enum wl_timing_change) whose matter instructions had in the replay */
    uint32_t unknown; /* an instruction that ran and cannot be timed; WL_MACHINE_NONE */
    double states[WL_TIMING_STATE_COUNT];
    double pipe_busy[WL_MACHINE_PIPE_COUNT];
    double *instruction_states, *instruction_executed; /* as in struct wl_timing */
};

void timing_engine_run(const struct wl_timing_input *input, const struct timing_model *model,
                       const struct timing_code *code, struct timing_result *result);
void timing_result_free(struct timing_result *result);

#endif
