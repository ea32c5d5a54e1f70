#include "device/kernel/predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/demangle.h"
#include "base/memory.h"
#include "device/kernel/state.h"
#include "device/kernel/sweep.h"
#include "device/kernel/whatif.h"
#include "timing/values.h"

enum { TRACE_WORDS = 6 << 20, TRACE_WORDS_LATER = 256 << 10 };
/* What a thread's instruction and a word of a trace take of a host with two cores
 * (docs/evidence/speed.md); not what they took: predictions must not depend on what else the host
 * does. */
#define COUNT_S 0.25e-9
#define REPLAY_S 80e-9
#define FREE_S 5 /* what predictions may take before they must be a small part */

static size_t trace_words(void)
{
    bool is_dear = wl_device_kernels.predicting_s > FREE_S + wl_device_kernels.counting_s / 4;
    return is_dear ? TRACE_WORDS_LATER : TRACE_WORDS;
}

/* Of the first SM's trace, what the others have at most. */
#define OTHERS_SHARE 4

uint32_t wl_device_traces_begin(uint64_t block_count, struct wl_trace traces[WL_DEVICE_TRACES])
{
    uint32_t sms = wl_device.gpu.sm_count;
    uint32_t used = block_count < sms ? (uint32_t)block_count : sms;
    uint32_t count = used < WL_DEVICE_TRACES ? 1 : WL_DEVICE_TRACES;
    for (uint32_t i = 0; i < count; i++) {
        size_t words = i ? trace_words() / OTHERS_SHARE : trace_words();
        traces[i] = (struct wl_trace){
            .sm = i * used / count, .words_begin = words, .words_most = 3 * words};
    }
    return count;
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
        .l2_requests = (double)totals[WL_COUNTER_L2_REQUESTS],
        .dram_read_bytes = (double)totals[WL_COUNTER_DRAM_READ],
        .l2_read_halves = counts->l2_read_halves,
        .l2_read_lines_missed = counts->l2_read_lines_missed,
        .dram_filled_bytes = counts->dram_filled_bytes,
        .dram_openings = counts->dram_openings,
        .dram_write_bytes = (double)totals[WL_COUNTER_DRAM_WRITE],
        .atomic_sectors = (double)(totals[WL_COUNTER_L2_ATOM] + totals[WL_COUNTER_L2_RED]),
        .updated_sectors = counts->updated_sectors,
        .atomic_cycles = counts->atomic_cycles,
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

void wl_device_add_value(struct wl_sim_counts *counts, double number, const char *format, ...)
{
    struct wl_sim_value *value = &counts->values[counts->value_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value->name, sizeof value->name, format, arguments);
    va_end(arguments);
    value->value = number;
}

static size_t words_of(const struct wl_trace_block_record *block)
{
    size_t words = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        words += block->warps[w].count;
    return words;
}

/* Blocks whose warps went different ways: their SMs may take different times. */
static bool is_irregular(const struct wl_trace *trace)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t b = 0; b < trace->block_count; b++) {
        size_t words = words_of(trace->blocks[b]);
        least = words < least ? words : least;
        most = words > most ? words : most;
    }
    return trace->block_count > 1 && (double)(most - least) > 0.02 * (double)most;
}

/* The recorded SM's blocks do far more than those of others, or far less: alike among themselves,
 * as where every 64th block is long and 128 SMs take them in turn. */
static bool is_apart(const struct wl_timing_input *input, const struct wl_trace *trace,
                     const struct wl_sim_counts *counts)
{
    static const double far = 1.5;
    double own = (double)trace->issued / fmax(1, trace->blocks_run);
    double mean = (double)counts->issued / (double)input->block_count;
    return own > far * mean || far * own < mean;
}

#define SECTOR_BYTES 32

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Instructions of a block's recorded warps: all, and of the longest. */
static void count_issued(const struct wl_trace_block_record *block,
                         const struct wl_program *program, double *all, double *longest)
{
    *all = *longest = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct wl_trace_warp *warp = &block->warps[w];
        double issued = 0;
        for (size_t i = 0; i < warp->count;) {
            bool is_block = warp->items[i] & WL_TRACE_BLOCK;
            if (is_block)
                issued += program->blocks[wl_trace_block(warp->items[i])].issue_count;
            i += is_block ? 1 : 2;
        }
        *all += issued;
        *longest = issued > *longest ? issued : *longest;
    }
}

/* What a launch's longest warp did once its block went on alone on its SM. */
struct goes_on {
    const struct wl_trace *trace; /* of that block; without blocks: not recorded */
    double reads, misses, far; /* its sectors of L2: all, from device memory, from the far half */
};

/* Cycles that an instruction of a warp takes while its block is alone on an SM, as one does that
 * goes on when all others have ended. Where it was not recorded, a block of the trace stands for
 * it. 0: not known. */
static double rate_alone(const struct wl_timing_input *input, const struct wl_trace *trace,
                         const struct goes_on *goes_on)
{
    const bool is_recorded = goes_on->trace->block_count > 0;
    struct wl_trace one = is_recorded ? *goes_on->trace : *trace;
    struct wl_timing_input alone = *input;
    struct wl_gpu gpu;
    struct wl_timing timing;
    struct wl_error error = {0};
    if (!one.block_count || (one.is_cut && !is_recorded))
        return 0;
    one.block_count = 1;
    if (is_recorded && goes_on->reads > 0) {
        alone.traffic.l2_read_sectors = alone.traffic.l1_missed_sectors = goes_on->reads;
        alone.traffic.l2_read_missed = goes_on->misses;
        alone.traffic.l2_read_halves = alone.traffic.l2_read_lines_missed = 0;
        alone.traffic.dram_filled_bytes = alone.traffic.dram_openings = 0;
        alone.traffic.dram_read_bytes = SECTOR_BYTES * goes_on->misses;
        wl_gpu_assume(input->gpu, &gpu);
        gpu.l2_latency += (uint32_t)(gpu.l2_far_cycles * goes_on->far / goes_on->reads);
        alone.gpu = &gpu;
    }
    /* the time asked for is that of what was recorded, however much more the block did */
    double longest;
    count_issued(one.blocks[0], input->program, &alone.program_instructions, &longest);
    alone.trace = &one;
    alone.block_count = 1;
    alone.changes = WL_TIMING_NO_BARRIERS;
    alone.busiest_share = alone.even_share = 0;
    if (longest <= 0 || wl_timing_predict(&alone, &timing, &error))
        return 0;
    double cycles = timing.cycles - timing.launch_cycles - timing.start_cycles;
    wl_timing_free(&timing);
    return cycles / longest;
}

/* A recorded SM's time without the launch, as it would be on the busiest SM, and on average. */
struct shares {
    double busiest, even;
};

/* With several waves an SM takes as long as all its work. With one, as long as its longest warp,
 * unless the warps get in each other's way: then all its work at the rate it can issue at most.
 * What passes before the first instruction is no work. A block that goes on when its SM has nothing
 * else to do takes its own time, behind what an SM takes. */
static struct shares share_work(const struct wl_timing_input *input, const struct wl_timing *timing,
                                const struct wl_trace *trace, const struct goes_on *goes_on,
                                const struct wl_sim_counts *counts)
{
    const struct wl_gpu *gpu = input->gpu;
    double start = timing->start_cycles, cycles = timing->cycles - timing->launch_cycles - start;
    cycles = cycles > 1 ? cycles : 1;
    double work = (double)trace->issued / (double)trace->blocks_run * timing->blocks_of_sm;
    double by_work = cycles * (double)counts->issued_most / work;
    double by_warp = cycles * (double)counts->issued_longest / (double)trace->issued_longest;
    /* a warp that is much longer than those that were recorded goes on alone */
    double alone = 0;
    if ((double)counts->issued_longest > WL_TRACE_LONGER_WARP * (double)trace->issued_longest) {
        double more = (double)(counts->issued_longest - trace->issued_longest);
        double rate = rate_alone(input, trace, goes_on);
        alone = cycles + more * rate;
        const bool is_known = goes_on->trace->block_count > 0;
        by_warp = rate > 0 && (is_known || alone < by_warp) ? alone : by_warp;
    }
    double slots = timing->active_cycles * gpu->sm_count * gpu->schedulers_per_sm;
    double busy = slots > 0 ? timing->issue_cycles / slots : 0;
    busy = busy < 1 ? busy : 1;
    bool is_one_wave =
        input->block_count <= (uint64_t)gpu->sm_count * input->occupancy.blocks_per_sm;
    double longest = by_warp > busy * by_work ? by_warp : busy * by_work;
    if (!is_one_wave) /* as long as it is known to have been the last */
        longest = goes_on->trace->block_count && alone > by_work ? alone : by_work;
    double even = cycles * (double)counts->issued / gpu->sm_count / work;
    /* SMs without a block do not begin */
    double used = least((double)input->block_count / gpu->sm_count, 1);
    return (struct shares){start + longest, start * used + even};
}

/* A launch takes as long as its busiest SM: each recorded SM's time as if it had been that one,
 * then their mean, in which an SM counts for as much as it did, since from one that had little to
 * do not much can be told of the busiest; how far they lie apart is an error that is known. What
 * warps issue and wait for is a mean of the same kind. */
static void compare_sms(struct wl_timing_input *input, const struct wl_trace *traces,
                        uint32_t trace_count, const struct goes_on *goes_on,
                        const struct wl_sim_counts *counts, struct wl_timing *timing)
{
    /* one long warp elsewhere is enough */
    bool is_alike =
        (double)counts->issued_longest <= WL_TRACE_LONGER_WARP * (double)traces[0].issued_longest;
    bool is_regular = traces[0].block_count > 1 && is_alike && !is_irregular(&traces[0]) &&
                      !is_apart(input, &traces[0], counts);
    double own = timing->cycles - timing->launch_cycles;
    if (is_regular || !counts->issued_most || own <= input->traffic.atomic_cycles)
        return;
    double most = 0, least = 0;
    struct shares sum = {0};
    double weights = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace_count; i++) {
        struct wl_timing other;
        struct wl_error error = {0};
        input->trace = &traces[i];
        if (traces[i].block_count == 0 || !traces[i].issued_longest ||
            wl_timing_predict(input, &other, &error))
            continue;
        struct shares shares = share_work(input, &other, &traces[i], goes_on, counts);
        double weight = (double)traces[i].issued;
        sum.busiest += weight * shares.busiest;
        sum.even += weight * shares.even;
        weights += weight;
        wl_timing_blend(timing, &other, weight / weights);
        wl_timing_free(&other);
        least = count == 0 || shares.busiest < least ? shares.busiest : least;
        most = shares.busiest > most ? shares.busiest : most;
        count++;
    }
    input->trace = &traces[0];
    if (weights <= 0)
        return;
    double busiest = sum.busiest / weights;
    double apart = 100 * (most - least) / 2 / busiest;
    input->busiest_share = busiest / own;
    input->even_share = sum.even / weights / own;
    timing->cycles = timing->launch_cycles + busiest;
    timing->active_cycles = sum.even / weights;
    if (timing->active_cycles > timing->cycles)
        timing->active_cycles = timing->cycles;
    timing->duration_ns = timing->cycles / input->gpu->sm_clock_hz * 1e9;
    timing->error_pct = apart > timing->error_pct ? apart : timing->error_pct;
}

/* Why block sizes are not swept, once for each kernel. */
static void say_obstacle(struct wl_device_kernel *kernel, const char *obstacle)
{
    if (kernel->is_obstacle_reported)
        return;
    kernel->is_obstacle_reported = true;
    char *name = wl_demangle_function(kernel->name);
    wl_device_note(0, "no-block-sweep", "", "%s is not timed in blocks of other sizes: %s", name,
                   obstacle);
    free(name);
}

void wl_device_add_library_time(double duration_ns, struct wl_sim_counts *counts)
{
    const double clock_hz = wl_device.gpu.sm_clock_hz;
    counts->values = wl_alloc_zero(3, sizeof *counts->values);
    wl_device_add_value(counts, duration_ns, "gpu__time_duration.sum");
    wl_device_add_value(counts, duration_ns * clock_hz / 1e9, "gpc__cycles_elapsed.max");
    wl_device_add_value(counts, clock_hz, "gpc__cycles_elapsed.avg.per_second");
}

uint64_t wl_device_predict(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                           const struct wl_trace *traces, uint32_t trace_count,
                           const struct wl_trace *alone, bool is_wanted,
                           struct wl_sim_counts *counts)
{
    const struct goes_on goes_on = {alone, (double)counts->alone_reads,
                                    (double)counts->alone_misses, (double)counts->alone_far};
    struct wl_timing timing;
    struct wl_timing_value values[WL_TIMING_VALUES_MOST];
    struct wl_error error = {0};
    struct wl_timing_input input = {
        .gpu = &wl_device.gpu,
        .program = launch->program,
        .trace = &traces[0],
        .block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
        .warps_per_block = counts->occupancy.warps_per_block,
        .occupancy = counts->occupancy,
        .traffic = traffic_of(counts),
        .program_instructions = (double)counts->totals[WL_COUNTER_INST],
        .kept = wl_timing_kept_make(),
    };
    wl_device_kernels.counting_s += (double)counts->totals[WL_COUNTER_THREAD_INST] * COUNT_S;
    for (uint32_t i = 0; i < trace_count; i++)
        wl_device_kernels.predicting_s += (double)traces[i].words * REPLAY_S;
    if (wl_timing_predict(&input, &timing, &error)) {
        counts->not_predicted = wl_string_copy(error.message);
        wl_timing_kept_free(input.kept);
        return 0;
    }
    compare_sms(&input, traces, trace_count, &goes_on, counts, &timing);
    size_t count = wl_timing_values(&input, &timing, values);
    counts->values = wl_alloc_zero(count + WL_DEVICE_WHATIF_MOST, sizeof *counts->values);
    for (size_t i = 0; i < count; i++)
        wl_device_add_value(counts, values[i].value, "%s", values[i].name);
    if (is_wanted)
        wl_device_kernels.whatif_s +=
            wl_device_whatif(kernel, launch, &input, timing.duration_ns, counts);
    if (is_wanted && wl_device.options.whatif) {
        const char *obstacle = wl_device_sweep(launch, &input, counts);
        if (obstacle)
            say_obstacle(kernel, obstacle);
    }
    add_instructions(&timing, counts);
    uint64_t length_ns = (uint64_t)(timing.duration_ns + 0.5);
    wl_timing_free(&timing);
    wl_timing_kept_free(input.kept);
    return length_ns;
}
