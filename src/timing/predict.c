#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/engine.h"
#include "timing/idle.h"
#include "timing/kept.h"
#include "timing/wake.h"
#include "warp/op.h"

static const char *const state_names[WL_TIMING_STATE_COUNT] = {
#define T(id, name, text) name,
#include "timing/states.def"
#undef T
};

const char *wl_timing_state_name(enum wl_timing_state state)
{
    return state < WL_TIMING_STATE_COUNT ? state_names[state] : "unknown";
}

const struct wl_timing_cause wl_timing_causes[] = {
#define W(id, name, changes, text) {name, text, changes},
#include "timing/causes.def"
#undef W
    {NULL, NULL, 0},
};

void wl_timing_free(struct wl_timing *timing)
{
    free(timing->instruction_states);
    free(timing->instruction_executed);
    *timing = (struct wl_timing){0};
}

/* Blocks that the busiest SM runs. With few waves the SMs end unevenly; with many, the blocks even
 * out but for part of one. */
static double blocks_of_sm(const struct wl_timing_input *input)
{
    double sms = input->gpu->sm_count;
    double mean = (double)input->block_count / sms;
    if (input->changes & WL_TIMING_NO_TAIL && mean > timing_resident_blocks(input))
        return mean;
    if (mean <= 4.0 * timing_resident_blocks(input))
        return ceil(mean);
    return mean + 0.5;
}

/* Cycles that each further block costs an SM once it is full, and how far the two halves of what
 * was replayed differ in that. */
static double cycles_per_block(const struct wl_timing_input *input,
                               const struct timing_result *result, double *difference)
{
    uint32_t count = result->block_end_count, resident = timing_resident_blocks(input);
    double start = 0;
    *difference = 1;
    if (count == 0)
        return 0;
    if (count <= 2 * resident)
        return (result->end - start) / count;
    uint32_t first = resident - 1, last = count - resident > first ? count - resident : count - 1;
    uint32_t middle = (first + last) / 2;
    const double *ends = result->block_ends;
    double all = (ends[last] - ends[first]) / (last - first);
    if (middle > first && last > middle && all > 0) {
        double early = (ends[middle] - ends[first]) / (middle - first);
        double late = (ends[last] - ends[middle]) / (last - middle);
        *difference = fabs(late - early) / all / 2;
    }
    return all;
}

/* Instructions of the source program that a warp's trace holds, with those that others absorbed: as
 * the launch counted them. */
static double traced_instructions(const struct wl_timing_input *input)
{
    double total = 0;
    for (size_t b = 0; b < input->trace->block_count; b++) {
        const struct wl_trace_block_record *record = input->trace->blocks[b];
        for (uint32_t w = 0; w < record->warp_count; w++) {
            const struct wl_trace_warp *warp = &record->warps[w];
            for (size_t i = 0; i < warp->count;) {
                bool is_block = warp->items[i] & WL_TRACE_BLOCK;
                if (is_block)
                    total +=
                        input->program->blocks[wl_trace_block(warp->items[i])].instruction_count;
                i += is_block ? 1 : 2;
            }
        }
    }
    return total;
}

static void scale(const struct wl_timing_input *input, struct timing_result *result,
                  struct wl_timing *timing, double factor)
{
    timing->instructions = result->instructions * factor;
    timing->warp_cycles = result->warp_cycles * factor;
    timing->eligible = result->eligible * factor;
    timing->issue_cycles = result->issue_cycles * factor;
    timing->l1_busy = result->l1_busy * factor;
    timing->adu_busy = result->adu_busy * factor;
    for (int i = 0; i < WL_TIMING_STATE_COUNT; i++)
        timing->states[i] = result->states[i] * factor;
    for (int i = 0; i < WL_MACHINE_PIPE_COUNT; i++)
        timing->pipe_busy[i] = result->pipe_busy[i] * factor;
    timing->instruction_count = input->program->instruction_count;
    timing->instruction_states = result->instruction_states;
    timing->instruction_executed = result->instruction_executed;
    for (size_t i = 0; i < (size_t)timing->instruction_count * WL_TIMING_STATE_COUNT; i++)
        timing->instruction_states[i] *= factor;
    for (uint32_t i = 0; i < timing->instruction_count; i++)
        timing->instruction_executed[i] *= factor;
    result->instruction_states = result->instruction_executed = NULL;
}

static enum wl_code check(const struct wl_timing_input *input, struct wl_error *error)
{
    if (!input->program->machine)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the kernel has no machine code");
    if (!input->trace->block_count || !timing_resident_blocks(input))
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "no block was recorded");
    if (timing_resident_blocks(input) * input->warps_per_block >
        WAKE_SLOTS * input->gpu->schedulers_per_sm)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "more than %d warps of a scheduler are not modelled", WAKE_SLOTS);
    return WL_OK;
}

/* Cycle before which the launch cannot end: the GPU starts one block after another, and the last of
 * them takes as long as any (bench/gpu/model contention, short_*: with blocks of two warps, an SM
 * has room for 32 and gets one in 156 cycles). */
static double last_block_ends(const struct wl_timing_input *input, const struct timing_model *model,
                              const struct timing_result *result)
{
    double sms = input->block_count < input->gpu->sm_count ? (double)input->block_count
                                                           : input->gpu->sm_count;
    double started = ((double)input->block_count - 1) * model->block_interval / sms;
    return fmax(model->start_cycles, model->block_latency) + started + result->least_block;
}

static enum wl_code predict(const struct wl_timing_input *input, struct wl_timing *timing,
                            struct wl_error *error)
{
    enum wl_code code = check(input, error);
    if (code)
        return code;
    struct timing_model model;
    struct timing_code machine_code;
    struct timing_result result;
    timing_model_make(input, &model);
    timing_code_make(input, &machine_code);
    if (input->kept)
        timing_kept_run(input, &model, &machine_code, &result);
    else
        timing_engine_run(input, &model, &machine_code, &result);
    if (result.unknown != WL_MACHINE_NONE) {
        code = wl_error_set(error, WL_ERR_UNSUPPORTED, "the time of %s is not modelled",
                            input->program->instructions[result.unknown].opcode);
        timing_code_free(&machine_code);
        timing_result_free(&result);
        return code;
    }
    double difference, each = cycles_per_block(input, &result, &difference);
    double blocks = blocks_of_sm(input), traced = (double)input->trace->block_count;
    /* blocks need not do the same work: those at the end of the data do less */
    double part = input->program_instructions > 0
                      ? result.replayed * traced_instructions(input) / input->program_instructions
                      : traced / (double)input->block_count;
    double sm_cycles;
    if (input->trace->is_cut)
        sm_cycles = result.end / part * traced / (double)input->block_count * blocks / traced;
    else
        sm_cycles = result.end + (blocks - traced) * each;
    sm_cycles = sm_cycles > 1 ? sm_cycles : 1;
    timing->is_sampled = traced + 0.5 < blocks || input->trace->is_cut;
    timing->error_pct =
        timing->is_sampled ? 100 * difference * (blocks - traced) * each / sm_cycles : 0;
    scale(input, &result, timing, 1 / part);
    double sms = input->block_count < input->gpu->sm_count ? (double)input->block_count
                                                           : input->gpu->sm_count;
    double mean = (double)input->block_count / input->gpu->sm_count;
    double busy = blocks > 0 && mean < blocks && mean > 1 ? mean / blocks : 1;
    timing->active_cycles = sm_cycles * busy * sms / input->gpu->sm_count;
    if (input->even_share > 0)
        timing->active_cycles = sm_cycles * input->even_share;
    double share = input->changes & WL_TIMING_NO_TAIL ? input->even_share : input->busiest_share;
    sm_cycles *= share > 0 ? share : 1;
    timing->blocks_of_sm = blocks;
    timing->launch_cycles = model.launch_cycles;
    timing->start_cycles =
        model.start_cycles > model.block_latency ? model.start_cycles : model.block_latency;
    /* a launch ends when L2 has performed its atomics */
    double performed = timing_atomic_cycles(input);
    double until = fmax(fmax(sm_cycles, performed), last_block_ends(input, &model, &result));
    timing->cycles = until + model.launch_cycles;
    timing->duration_ns = timing->cycles / input->gpu->sm_clock_hz * 1e9;
    timing_code_free(&machine_code);
    timing_result_free(&result);
    return WL_OK;
}

/* Blocks of the SMs that have one less than the others, where all run at once and the recorded SM
 * has all of its own; 0: there are no such, or they are not known. */
static uint32_t blocks_of_lesser(const struct wl_timing_input *input)
{
    const struct wl_trace *trace = input->trace;
    uint64_t sms = input->gpu->sm_count, most = (input->block_count + sms - 1) / sms;
    bool is_one_wave = input->block_count > sms && input->block_count % sms != 0 &&
                       most <= timing_resident_blocks(input);
    bool is_known = trace->block_count == most && trace->blocks_run == most && !trace->is_cut &&
                    input->program_instructions > 0 && input->even_share <= 0;
    return is_one_wave && is_known && !input->changes ? (uint32_t)most - 1 : 0;
}

/* What warps do on SMs that have one block less, from the same recorded blocks without the last.
 * The launch takes as long as those that have more. */
static enum wl_code blend_lesser(const struct wl_timing_input *input, uint32_t blocks,
                                 struct wl_timing *timing, struct wl_error *error)
{
    double sms = input->gpu->sm_count;
    double lesser_sms = sms * (blocks + 1) - (double)input->block_count;
    struct wl_trace trace = *input->trace;
    struct wl_timing_input lesser = *input;
    struct wl_timing other = {0};
    trace.block_count = trace.blocks_run = blocks;
    lesser.trace = &trace;
    lesser.block_count = (uint64_t)blocks * input->gpu->sm_count;
    lesser.kept = NULL;
    enum wl_code code = predict(&lesser, &other, error);
    if (!code) {
        wl_timing_blend(timing, &other, lesser_sms * blocks / (double)input->block_count);
        double most = timing->cycles - timing->launch_cycles;
        double least = fmin(other.cycles - other.launch_cycles, most);
        timing->active_cycles = most + (least - most) * lesser_sms / sms;
    }
    wl_timing_free(&other);
    return code;
}

enum wl_code wl_timing_predict(const struct wl_timing_input *input, struct wl_timing *timing,
                               struct wl_error *error)
{
    *timing = (struct wl_timing){0};
    if (!(input->changes & WL_TIMING_NO_IDLE_WARPS)) {
        enum wl_code code = predict(input, timing, error);
        uint32_t blocks = code ? 0 : blocks_of_lesser(input);
        return blocks ? blend_lesser(input, blocks, timing, error) : code;
    }
    struct idle without;
    idle_leave_out(input, &without);
    enum wl_code code = predict(&without.input, timing, error);
    idle_free(&without);
    return code;
}
