#include "timing/timing.h"

static void blend(double *numbers, const double *others, size_t count, double share)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] += share * (others[i] - numbers[i]);
}

void wl_timing_blend(struct wl_timing *timing, const struct wl_timing *other, double share)
{
    size_t count = timing->instruction_count;
    blend(&timing->instructions, &other->instructions, 1, share);
    blend(&timing->warp_cycles, &other->warp_cycles, 1, share);
    blend(&timing->eligible, &other->eligible, 1, share);
    blend(&timing->issue_cycles, &other->issue_cycles, 1, share);
    blend(&timing->l1_busy, &other->l1_busy, 1, share);
    blend(&timing->adu_busy, &other->adu_busy, 1, share);
    blend(timing->states, other->states, WL_TIMING_STATE_COUNT, share);
    blend(timing->pipe_busy, other->pipe_busy, WL_MACHINE_PIPE_COUNT, share);
    blend(timing->instruction_executed, other->instruction_executed, count, share);
    blend(timing->instruction_states, other->instruction_states, count * WL_TIMING_STATE_COUNT,
          share);
}
