/* What %clock and %globaltimer say: an estimate, good for the order of things and their size. A
 * scheduler issues an instruction a cycle, of its warps in turn, but of no warp one sooner than
 * alu_latency cycles behind its last; a turn that loads takes what device memory
 * takes. The executor lets a warp run alone for long, so that its turn is stretched to
 * what it would take among the others. */
#include "sim/state.h"

#define LATENCY 4 /* of arithmetic, where the GPU's file has none */
#define NS_PER_S 1e9

/* The basic block with that instruction; NULL if there is none. */
static const struct wl_block *find_block(const struct wl_program *program, uint32_t instruction)
{
    for (uint32_t i = 0; i < program->block_count; i++)
        if (instruction - program->blocks[i].first_instruction <
            program->blocks[i].instruction_count)
            return &program->blocks[i];
    return NULL;
}

/* Instructions of the block at hand that come behind the operation: the warp's turn has paid for
 * all of the block. */
static int64_t count_behind(const struct wl_program *program, const struct wl_op *op)
{
    const struct wl_block *block = find_block(program, op->instruction);
    if (!block)
        return 0;
    uint32_t behind = block->first_instruction + block->instruction_count - op->instruction;
    return behind < block->issue_count ? behind : block->issue_count;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

void wl_run_set_pace(struct wl_run *run, uint32_t resident)
{
    double latency = run->gpu->alu_latency ? run->gpu->alu_latency : LATENCY;
    double warps = (double)resident * run->warps_per_block;
    run->issue_lag = greater(latency / warps - 1.0 / WL_ISSUE_PER_CYCLE, 0);
    run->issue_interval = greater(latency, warps / run->gpu->schedulers_per_sm);
}

uint64_t wl_warp_clock(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_run *run = warp->worker->run;
    int64_t executed = WL_FUEL - warp->fuel - count_behind(run->program, op);
    double cycles = (double)warp->sm->time + (double)warp->sm->issued * run->issue_lag +
                    (double)executed * run->issue_interval;
    if (cycles > (double)warp->clock)
        warp->clock = (uint64_t)cycles;
    return warp->clock;
}

uint64_t wl_warp_globaltimer(struct wl_warp *warp, const struct wl_op *op)
{
    double ns = (double)wl_warp_clock(warp, op) * NS_PER_S / warp->worker->run->gpu->sm_clock_hz;
    return warp->worker->run->launch->start_ns + (uint64_t)ns;
}
