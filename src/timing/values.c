#include "timing/values.h"
#include "base/count.h"
#include "timing/model.h"

static const char *const stall_names[WL_TIMING_STATE_COUNT] = {
#define T(id, name, text) "smsp__average_warps_issue_stalled_" name "_per_issue_active.ratio",
#include "timing/states.def"
#undef T
};

/* Pipes whose busy share Nsight Compute shows, in percent of active cycles. */
static const struct {
    uint8_t pipe;
    const char *name;
} pipe_rows[] = {
    {WL_MACHINE_PIPE_ALU, "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
    {WL_MACHINE_PIPE_FMA, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
    {WL_MACHINE_PIPE_FP64, "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"},
    {WL_MACHINE_PIPE_XU, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"},
    {WL_MACHINE_PIPE_TENSOR, "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"},
    {WL_MACHINE_PIPE_LSU, "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"},
};

struct list {
    struct wl_timing_value *items;
    size_t count;
};

static void add(struct list *list, const char *name, double value)
{
    if (list->count < WL_TIMING_VALUES_MOST)
        list->items[list->count++] = (struct wl_timing_value){name, value};
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double greatest(double a, double b)
{
    return a > b ? a : b;
}

/* How busy the way between the partitions of L2 is, in percent: what device memory sends and what
 * SMs write lies in another partition than its SM's as often as not. Read on an H100, whose L2 has
 * 0.856 of the SMs' clock: the part of lts__throughput that is most in 30 of the 39 ladder runs
 * (breakdown:lts__throughput, ltcfabric2ltc), by sectors and lines that cross:
 * bench/gpu/model/partitions.py, 14 % off on average there. */
static double fabric_pct(const struct wl_timing_input *input, const struct wl_timing *timing)
{
    const struct wl_gpu *gpu = input->gpu;
    const struct wl_timing_traffic *traffic = &input->traffic;
    const double sector_cycles = 2.31, line_cycles = 0.78, clock = 0.856;
    if (gpu->l2_partitions < 2)
        return 0;
    double share = 1 - 1.0 / gpu->l2_partitions;
    double crossing = share * (traffic->dram_read_bytes / 32 + traffic->l2_write_sectors);
    double lines = crossing * ratio(traffic->l2_requests,
                                    traffic->l2_read_sectors + traffic->l2_write_sectors);
    return least(100, 100 * ratio(crossing * sector_cycles + lines * line_cycles,
                                  timing->cycles * clock * gpu->l2_slices));
}

/* Busiest unit of the SMs and of memory, in percent of the elapsed cycles of all SMs. */
static void add_throughputs(struct list *list, const struct wl_timing_input *input,
                            const struct wl_timing *timing)
{
    const struct wl_gpu *gpu = input->gpu;
    const struct wl_timing_traffic *traffic = &input->traffic;
    double elapsed = timing->cycles * gpu->sm_count, slots = elapsed * gpu->schedulers_per_sm;
    double sm = 100 * ratio(timing->instructions, slots);
    for (size_t i = 0; i < WL_COUNT(pipe_rows); i++) {
        double busy = timing->pipe_busy[pipe_rows[i].pipe];
        /* four schedulers share the load/store pipe, which takes one instruction a cycle */
        busy *= pipe_rows[i].pipe == WL_MACHINE_PIPE_LSU ? 2 : 1;
        sm = greatest(sm, 100 * ratio(busy, slots));
        add(list, pipe_rows[i].name,
            100 * ratio(busy, timing->active_cycles * gpu->sm_count * gpu->schedulers_per_sm));
    }
    /* an estimate from a piece of the launch: no unit is busier than all the time */
    double l1 = least(100, 100 * ratio(timing->l1_busy, elapsed));
    if (gpu->capability_major >= 7) {
        double adu = least(100, 100 * ratio(timing->adu_busy, elapsed));
        add(list, "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_elapsed", adu);
        sm = greatest(sm, adu);
    }
    double sectors = traffic->l2_read_sectors + traffic->l2_write_sectors;
    double l2 = 100 * ratio(sectors * 32, timing->cycles * gpu->l2_slices * 64.0);
    double tags = traffic->l2_requests + timing_look_ups_of_misses(traffic);
    /* an estimate: no unit is busier than all the time */
    l2 = greatest(l2, least(100, 100 * ratio(tags, timing->cycles * gpu->l2_slices)));
    double seconds = timing->duration_ns / 1e9;
    double bytes = traffic->dram_read_bytes + traffic->dram_write_bytes;
    double dram = 100 * ratio(bytes, seconds * gpu->memory_bandwidth_bytes_per_s);
    add(list, "sm__throughput.avg.pct_of_peak_sustained_elapsed", least(100, sm));
    add(list, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", l1);
    add(list, "l1tex__throughput.avg.pct_of_peak_sustained_active",
        100 * ratio(timing->l1_busy, timing->active_cycles * gpu->sm_count));
    add(list, "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        greatest(l2, fabric_pct(input, timing)));
    add(list, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dram);
    add(list, "dram__throughput.avg.pct_of_peak_sustained_elapsed", dram);
    /* the way between the partitions is no part of it: ado_5_132 has 76 % and 86 % of L2 */
    add(list, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        greatest(l1, greatest(l2, dram)));
    add(list, "dram__bytes.sum.per_second", ratio(bytes, seconds));
    add(list, "dram__bytes_read.sum.per_second", ratio(traffic->dram_read_bytes, seconds));
    add(list, "dram__bytes_write.sum.per_second", ratio(traffic->dram_write_bytes, seconds));
}

/* Sub-partitions of an SM that have warps: a small block leaves some without, whose cycles are not
 * active. */
static double used_schedulers(const struct wl_timing_input *input)
{
    const struct wl_gpu *gpu = input->gpu;
    double each = (double)((input->block_count + gpu->sm_count - 1) / gpu->sm_count);
    double warps = least(each, timing_resident_blocks(input)) * input->warps_per_block;
    return least(gpu->schedulers_per_sm, greatest(warps, 1));
}

size_t wl_timing_values(const struct wl_timing_input *input, const struct wl_timing *timing,
                        struct wl_timing_value *values)
{
    const struct wl_gpu *gpu = input->gpu;
    struct list list = {values, 0};
    double active = timing->active_cycles * gpu->sm_count;
    double schedulers = used_schedulers(input), slots = active * schedulers;
    /* an estimate from a piece of the launch: no more than there is place for */
    double warps = least(gpu->max_warps_per_sm, ratio(timing->warp_cycles, active));
    double issue = least(1, ratio(timing->issue_cycles, slots)), issued = timing->instructions;
    add(&list, "gpu__time_duration.sum", timing->duration_ns);
    add(&list, "gpc__cycles_elapsed.max", timing->cycles);
    add(&list, "gpc__cycles_elapsed.avg.per_second", gpu->sm_clock_hz);
    add(&list, "sm__cycles_active.avg", timing->active_cycles);
    add(&list, "smsp__inst_executed.sum", issued);
    add(&list, "smsp__inst_issued.sum", issued);
    add(&list, "sm__warps_active.avg.per_cycle_active", warps);
    add(&list, "smsp__warps_active.avg.per_cycle_active", warps / schedulers);
    add(&list, "sm__warps_active.avg.pct_of_peak_sustained_active",
        100 * warps / gpu->max_warps_per_sm);
    add(&list, "smsp__warps_eligible.avg.per_cycle_active", ratio(timing->eligible, slots));
    add(&list, "smsp__issue_active.avg.per_cycle_active", issue);
    add(&list, "smsp__issue_active.avg.pct_of_peak_sustained_active", 100 * issue);
    add(&list, "sm__inst_executed.avg.per_cycle_active", ratio(issued, active));
    add(&list, "sm__inst_executed.avg.per_cycle_elapsed",
        ratio(issued, timing->cycles * gpu->sm_count));
    add(&list, "sm__inst_issued.avg.per_cycle_active", ratio(issued, active));
    add(&list, "smsp__average_warp_latency_per_inst_issued.ratio",
        ratio(timing->warp_cycles, issued));
    for (int i = 0; i < WL_TIMING_STATE_COUNT; i++)
        add(&list, stall_names[i], ratio(timing->states[i], timing->issue_cycles));
    add(&list, "warplens__sampling_error.pct", timing->error_pct);
    add(&list, "warplens__atomics.cycle", input->traffic.atomic_cycles);
    add_throughputs(&list, input, timing);
    return list.count;
}
