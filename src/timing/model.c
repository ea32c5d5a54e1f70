#include "timing/model.h"
#include "base/count.h"
#include "timing/code.h"

#include <math.h>
#include <string.h>

enum scoreboard { SCOREBOARD_NONE, SCOREBOARD_FIXED, SCOREBOARD_SHORT, SCOREBOARD_LONG };
enum queue {
    QUEUE_MIO = WL_TIMING_QUEUE_MIO,
    QUEUE_LG = WL_TIMING_QUEUE_LG,
    QUEUE_TEXTURE = WL_TIMING_QUEUE_TEXTURE,
    QUEUE_NONE = WL_TIMING_QUEUES,
    QUEUE_XU /* of the pipe itself */
};

/* The keys of machine.def. */
struct latencies {
    uint32_t none, alu, integer, half, fp64, xu, tensor, vote, shuffle, special, l1, shared,
        shared_atomic, atomic, constant, fence;
};

struct kind_row {
    uint8_t pipe, queue, scoreboard;
    size_t latency; /* offset in struct latencies */
};

static const struct kind_row kind_rows[WL_MACHINE_KIND_COUNT] = {
#define K(id, pipe, latency, queue, scoreboard, ahead, access, order, text) \
    {WL_MACHINE_PIPE_##pipe, QUEUE_##queue, SCOREBOARD_##scoreboard,        \
     offsetof(struct latencies, latency)},
#include "timing/machine/machine.def"
#undef K
};

static const uint8_t states[] = {[SCOREBOARD_NONE] = WL_TIMING_WAIT,
                                 [SCOREBOARD_FIXED] = WL_TIMING_WAIT,
                                 [SCOREBOARD_SHORT] = WL_TIMING_SHORT_SCOREBOARD,
                                 [SCOREBOARD_LONG] = WL_TIMING_LONG_SCOREBOARD};
static const uint8_t throttles[] = {[QUEUE_MIO] = WL_TIMING_MIO_THROTTLE,
                                    [QUEUE_LG] = WL_TIMING_LG_THROTTLE,
                                    [QUEUE_TEXTURE] = WL_TIMING_TEX_THROTTLE,
                                    [QUEUE_NONE] = WL_TIMING_MATH_PIPE_THROTTLE,
                                    [QUEUE_XU] = WL_TIMING_MIO_THROTTLE};

/* Instructions that wait for the pipe of special functions and hold no warp back: bench/gpu/model
 * fetch, exponentials.4.adds_8. */
#define XU_QUEUE 1

/* The pipe that takes a kind's instructions: some differ in rate only. */
static uint8_t pipe_of(uint8_t pipe)
{
    if (pipe == WL_MACHINE_PIPE_WARPGROUP)
        return WL_MACHINE_PIPE_TENSOR;
    return pipe == WL_MACHINE_PIPE_IMAD || pipe == WL_MACHINE_PIPE_IMAD_WIDE ? WL_MACHINE_PIPE_FMA
           : pipe == WL_MACHINE_PIPE_CONVERT                                 ? WL_MACHINE_PIPE_XU
           : pipe == WL_MACHINE_PIPE_EITHER                                  ? WL_MACHINE_PIPE_ALU
                                                                             : pipe;
}

/* Cycles for which a warp's instruction keeps a scheduler's share of the pipe, for that many
 * threads an SM does in a cycle. */
static uint16_t interval(const struct wl_gpu *gpu, double per_cycle)
{
    if (per_cycle <= 0)
        return 32;
    double cycles = 32.0 * gpu->schedulers_per_sm / per_cycle;
    return cycles < 1 ? 1 : (uint16_t)(cycles + 0.5);
}

/* Multiply-adds of 16 bits that an SM does for warpgroups: H100's architecture paper, of the one
 * generation that has such products. Their units are of 512. */
#define WARPGROUP_PER_CYCLE 2048.0

static void set_intervals(const struct wl_gpu *gpu, uint16_t intervals[WL_MACHINE_PIPE_COUNT])
{
    intervals[WL_MACHINE_PIPE_ALU] = interval(gpu, gpu->int32_per_cycle);
    intervals[WL_MACHINE_PIPE_FMA] = interval(gpu, gpu->fp32_per_cycle);
    intervals[WL_MACHINE_PIPE_IMAD] = interval(gpu, gpu->int32_per_cycle);
    /* bench/gpu/model rate.imad_wide: 5.1 cycles a scheduler, with additions beside it */
    intervals[WL_MACHINE_PIPE_IMAD_WIDE] = (uint16_t)(2 * intervals[WL_MACHINE_PIPE_IMAD]);
    intervals[WL_MACHINE_PIPE_EITHER] = intervals[WL_MACHINE_PIPE_ALU];
    intervals[WL_MACHINE_PIPE_FP64] = interval(gpu, gpu->fp64_per_cycle);
    intervals[WL_MACHINE_PIPE_XU] = interval(gpu, gpu->xu_per_cycle);
    intervals[WL_MACHINE_PIPE_CONVERT] = interval(gpu, gpu->convert_per_cycle);
    intervals[WL_MACHINE_PIPE_TENSOR] = interval(gpu, gpu->tensor_per_cycle / 256 * 32);
    intervals[WL_MACHINE_PIPE_WARPGROUP] = interval(gpu, WARPGROUP_PER_CYCLE / 512 * 32);
    intervals[WL_MACHINE_PIPE_LSU] = 2;
    intervals[WL_MACHINE_PIPE_TEXTURE] = 4;
    intervals[WL_MACHINE_PIPE_SPECIAL] = 2;
    intervals[WL_MACHINE_PIPE_UNIFORM] = 1;
    intervals[WL_MACHINE_PIPE_BRANCH] = 1;
}

/* What an instruction takes of its scheduler's operand port besides its registers, in registers:
 * bench/gpu/model scheduling, mix.* with loads and 64-bit products. */
static uint16_t fetches_of(uint8_t pipe)
{
    return pipe == WL_MACHINE_PIPE_IMAD_WIDE                                ? 4
           : pipe == WL_MACHINE_PIPE_LSU || pipe == WL_MACHINE_PIPE_TEXTURE ? 2
                                                                            : 0;
}

static void set_kinds(const struct wl_timing_input *input, struct timing_model *model)
{
    const struct wl_gpu *gpu = input->gpu;
    uint32_t alu = gpu->alu_latency, shared = gpu->shared_latency;
    const struct latencies latencies = {
        .none = 0,
        .alu = alu,
        .integer = gpu->integer_latency,
        .half = gpu->half_latency,
        .fp64 = gpu->fp64_latency,
        .xu = gpu->xu_latency,
        .tensor = 32,
        .vote = 3 * alu,
        .shuffle = gpu->shuffle_latency,
        .special = gpu->special_latency,
        .l1 = gpu->l1_latency,
        .shared = shared,
        .shared_atomic = 2 * shared,
        .atomic = gpu->atomic_latency,
        .constant = gpu->constant_latency,
        .fence = gpu->l2_latency,
    };
    uint16_t intervals[WL_MACHINE_PIPE_COUNT] = {0};
    set_intervals(gpu, intervals);
    for (int i = 0; i < WL_MACHINE_KIND_COUNT; i++) {
        const struct kind_row *row = &kind_rows[i];
        uint32_t latency;
        memcpy(&latency, (const char *)&latencies + row->latency, sizeof latency);
        struct timing_kind *kind = &model->kinds[i];
        *kind = (struct timing_kind){
            .pipe = pipe_of(row->pipe),
            .other_pipe =
                row->pipe == WL_MACHINE_PIPE_EITHER ? WL_MACHINE_PIPE_FMA : pipe_of(row->pipe),
            .queue = row->queue == QUEUE_XU ? QUEUE_NONE : row->queue,
            .spacing = row->queue == QUEUE_XU     ? TIMING_SPACED_BY_PIPE
                       : row->queue != QUEUE_NONE ? TIMING_SPACED_BY_MEMORY
                                                  : TIMING_SPACED_BY_NOTHING,
            .state = states[row->scoreboard],
            .throttle = throttles[row->queue],
            .interval = intervals[row->pipe],
            .ahead = row->queue == QUEUE_XU ? (uint16_t)(XU_QUEUE * intervals[row->pipe]) : 0,
            .latency = (uint16_t)latency,
            .fetches = fetches_of(row->pipe)};
        if (input->changes & WL_TIMING_NO_LATENCY && row->scoreboard == SCOREBOARD_FIXED)
            kind->latency = 1;
        if (input->changes & WL_TIMING_FAST_SPECIAL &&
            (row->pipe == WL_MACHINE_PIPE_XU || row->pipe == WL_MACHINE_PIPE_CONVERT)) {
            kind->interval = intervals[WL_MACHINE_PIPE_FMA];
            kind->spacing = TIMING_SPACED_BY_NOTHING;
            kind->ahead = 0;
            kind->latency = (uint16_t)alu;
        }
    }
}

/* Lanes that share a word are a sector each, but where they meet nowhere. */
static double atomic_sectors(const struct wl_timing_input *input)
{
    bool is_spread = input->changes & WL_TIMING_SPREAD_ATOMICS;
    return is_spread ? input->traffic.updated_sectors : input->traffic.atomic_sectors;
}

double timing_atomic_cycles(const struct wl_timing_input *input)
{
    const struct wl_timing_traffic *traffic = &input->traffic;
    struct wl_gpu gpu;
    wl_gpu_assume(input->gpu, &gpu);
    double slices = gpu.l2_slices ? gpu.l2_slices : 1;
    double even = traffic->updated_sectors * gpu.l2_atomic_cycles / slices;
    if (input->changes & WL_TIMING_MATH_ONLY)
        return 0;
    return input->changes & WL_TIMING_SPREAD_ATOMICS && even < traffic->atomic_cycles
               ? even
               : traffic->atomic_cycles;
}

/* Look-ups of L2 that a line costs which was not there, besides its own: in the half that is its
 * home, and when it comes. H200: lts__t_tag_requests are 1.9 times the requests where all reads
 * miss and all writes hit, half and half. */
#define LOOK_UPS_OF_A_MISS 1.8

double timing_look_ups_of_misses(const struct wl_timing_traffic *traffic)
{
    return LOOK_UPS_OF_A_MISS * traffic->l2_read_lines_missed;
}

/* Look-ups for each sector that is read: one for each half of a line that has any of them, and what
 * is not there takes more of the same (bench/gpu/model contention: of flights1 with 32 lines a
 * quarter of the sectors was not there the first time, and 16 or 32 warps take 20 % longer than the
 * halves alone; of flights2 less flights1 all were). */
static double look_ups_per_sector(const struct wl_timing_input *input)
{
    const struct wl_timing_traffic *traffic = &input->traffic;
    if (traffic->l2_read_sectors <= 0)
        return 0.5;
    double halves =
        traffic->l2_read_halves > 0 ? traffic->l2_read_halves : traffic->l2_read_sectors / 2;
    if (!(input->changes & WL_TIMING_L2_HITS))
        halves += timing_look_ups_of_misses(traffic);
    return halves / traffic->l2_read_sectors;
}

/* What block slots and the rate of starting blocks hold back, larger blocks mend: so much larger.
 */
#define LARGER_BLOCKS 4

/* How long what one SM asks of L2 and device memory takes of its share of them. */
static void set_rates(const struct wl_timing_input *input, double sms, struct timing_model *model)
{
    const struct wl_gpu *gpu = input->gpu;
    const struct wl_timing_traffic *traffic = &input->traffic;
    double port = gpu->l2_port_bytes_per_cycle;
    /* where nothing is known: so much for each slice, writes, lines and requests as on H200 */
    double l2_share = gpu->l2_read_bytes_per_cycle / sms;
    double write_share = gpu->l2_write_bytes_per_cycle / sms;
    double efficiency = gpu->dram_efficiency;
    double dram_share = gpu->memory_bandwidth_bytes_per_s * efficiency / gpu->sm_clock_hz / sms;
    model->l2_sector_cycles = 32 / (l2_share < port ? l2_share : port);
    double halves_per_sector =
        traffic->l2_read_halves > 0 ? traffic->l2_read_halves / traffic->l2_read_sectors : 0.5;
    /* a port gives the two sectors of a half together */
    double look_ups = look_ups_per_sector(input) * sms / gpu->l2_read_requests_per_cycle;
    model->l2_sector_cycles =
        fmax(model->l2_sector_cycles, fmax(64 / port * halves_per_sector, look_ups));
    model->l2_write_line_cycles = sms / gpu->l2_write_requests_per_cycle;
    double crowded = sms / gpu->l2_write_neighbours_per_cycle;
    model->l2_write_crowded_cycles = crowded - model->l2_write_line_cycles;
    if (model->l2_write_crowded_cycles < 0)
        model->l2_write_crowded_cycles = 0;
    model->l2_write_part_cycles = sms / gpu->l2_write_parts_per_cycle;
    double write_port = gpu->l2_port_write_bytes_per_cycle;
    model->l2_fill_cycles = 32 / write_share;
    model->l2_write_cycles = 32 / (write_share < write_port ? write_share : write_port);
    model->dram_byte_cycles = input->changes & WL_TIMING_NO_BANDWIDTH_LIMIT
                                  ? 0
                                  : 1 / (dram_share < port ? dram_share : port);
    model->dram_turning = fmax(efficiency / gpu->copy_efficiency - 1, 0);
    model->dram_crowding = gpu->dram_crowding_cycles;
    if (input->changes & (WL_TIMING_NO_BANDWIDTH_LIMIT | WL_TIMING_NO_MEMORY_LATENCY))
        model->dram_crowding = 0;
}

/* What L2 does not have, and what device memory moves for it. */
static void set_misses(const struct wl_timing_input *input, struct timing_model *model)
{
    const struct wl_timing_traffic *traffic = &input->traffic;
    model->l2_merged =
        traffic->l1_missed_sectors > 0 ? traffic->l2_read_sectors / traffic->l1_missed_sectors : 1;
    model->l2_merged = model->l2_merged > 1 ? 1 : model->l2_merged;
    double filled = traffic->dram_filled_bytes;
    double read = fmax(traffic->dram_read_bytes - filled, 0);
    double device_sectors = fmin(read / 32, traffic->l2_read_missed);
    model->l2_miss_ratio =
        traffic->l2_read_sectors > 0 ? device_sectors / traffic->l2_read_sectors : 0;
    model->far_cycles = input->gpu->l2_far_cycles;
    if (input->changes & WL_TIMING_L2_HITS)
        model->l2_miss_ratio = model->far_cycles = 0;
    /* the recorded SMs are no others than the rest: what is recorded is where its misses are, how
     * many there are is the launch's */
    const struct wl_trace *trace = input->trace;
    if (trace && trace->answered_by_device)
        model->device_scale = model->l2_merged * model->l2_miss_ratio * (double)trace->answered /
                              (double)trace->answered_by_device;
    model->is_whole_trace = trace && trace->block_count == trace->blocks_run && !trace->is_cut;
    /* bench/gpu/model rows: rows_in_place takes 107 us where lines are written whole, 173 where all
     * lie a sector beside, rows_copy 106 and 134, rows_write 51 and 49; in L2 none takes longer */
    double written = fmax(traffic->l2_write_sectors, 1);
    model->one_by_one.in_place = model->l2_miss_ratio;
    model->one_by_one.elsewhere =
        model->l2_miss_ratio * fmin(traffic->l2_read_missed / written, 1) / 2;
    model->filled_share = filled / 32 / written;
    /* where less is read each time than could be while the next row opens, that much time goes by
     */
    double opened = input->changes & WL_TIMING_COALESCED ? 0 : traffic->dram_openings;
    double moved = fmax(read, opened * input->gpu->dram_opening_bytes);
    model->dram_bytes_per_missed = device_sectors > 0 ? moved / device_sectors : 32;
    model->dram_bytes_per_written =
        traffic->l2_write_sectors > 0
            ? (traffic->dram_write_bytes + filled) / traffic->l2_write_sectors
            : 0;
}

static void set_latencies(const struct wl_timing_input *input, struct timing_model *model)
{
    const struct wl_gpu *gpu = input->gpu;
    uint32_t l1 = gpu->l1_latency;
    model->l2_latency = gpu->l2_latency;
    model->dram_latency = gpu->dram_latency;
    model->dram_least_latency = gpu->dram_least_latency;
    if (input->changes & WL_TIMING_NO_MEMORY_LATENCY)
        model->dram_latency = model->dram_least_latency = model->l2_latency;
    model->l2_latency = model->l2_latency > l1 ? model->l2_latency : l1;
}

/* Of L1, for other things than lines to come: bench/gpu/model pages, walk.unroll_1.warps_4 to 16 of
 * shared_100, where lines come at 2 cycles each while L1 has 28 KiB. */
#define L1_KEPT_BYTES 4096
#define L1_LINE_BYTES 128

static void set_memory(const struct wl_timing_input *input, struct timing_model *model)
{
    const struct wl_gpu *gpu = input->gpu;
    double sms = input->block_count < gpu->sm_count ? (double)input->block_count : gpu->sm_count;
    set_rates(input, sms, model);
    set_misses(input, model);
    set_latencies(input, model);
    model->has_texture_pipe = gpu->readonly_bytes && gpu->texture_units;
    model->loads_in_flight = gpu->loads_in_flight;
    /* before Volta a load need not go through L1 at all */
    uint32_t l1_bytes = gpu->capability_major >= 7 ? input->occupancy.l1_data_bytes : 0;
    model->l1_lines =
        l1_bytes > L1_KEPT_BYTES ? (l1_bytes - L1_KEPT_BYTES) / L1_LINE_BYTES : UINT32_MAX;
    model->store_line_cycles = 2;
    model->atomic_cycles = 1.25;
    if (atomic_sectors(input) > 0)
        model->atomic_sector_cycles = sms * timing_atomic_cycles(input) / atomic_sectors(input);
    model->constant_address_cycles = gpu->constant_address_cycles;
}

uint32_t timing_resident_blocks(const struct wl_timing_input *input)
{
    const struct wl_occupancy *occupancy = &input->occupancy;
    const struct {
        uint32_t limit, change;
    } limits[] = {
        {occupancy->limit_registers, WL_TIMING_ANY_REGISTERS},
        {occupancy->limit_shared, WL_TIMING_ANY_SHARED},
        {occupancy->limit_blocks, WL_TIMING_ANY_BLOCKS},
        {occupancy->limit_barriers, WL_TIMING_ANY_BLOCKS},
    };
    uint32_t blocks = occupancy->limit_warps;
    for (size_t i = 0; i < WL_COUNT(limits); i++) {
        uint32_t limit = limits[i].limit;
        /* what each block has of shared memory besides its own, larger ones have once, too */
        if (limits[i].change == WL_TIMING_ANY_SHARED && input->changes & WL_TIMING_ANY_BLOCKS &&
            limit >= occupancy->limit_blocks)
            limit *= LARGER_BLOCKS;
        if (!(input->changes & limits[i].change) && limit && limit < blocks)
            blocks = limit;
    }
    return blocks;
}

static void set_fetching(const struct wl_gpu *gpu, double sms, uint32_t warps,
                         struct timing_fetching *fetching)
{
    double readers = sms * fmin(warps, gpu->schedulers_per_sm);
    *fetching = (struct timing_fetching){
        .code_lines = gpu->instruction_cache_bytes / TIMING_CODE_LINE_BYTES,
        .near_lines = gpu->instruction_near_bytes / TIMING_CODE_LINE_BYTES,
        .line_cycles = gpu->instruction_line_cycles,
        .jump_cycles = gpu->instruction_jump_cycles,
        .far_line_cycles = gpu->instruction_far_line_cycles,
        .far_jump_cycles = gpu->instruction_far_jump_cycles,
        .parameter_cycles =
            (uint32_t)(gpu->parameter_line_cycles + readers * gpu->parameter_crowding_cycles + 0.5),
        .constant_cycles = gpu->constant_line_cycles,
        .first_constant_cycles = gpu->constant_first_cycles,
    };
}

void timing_model_make(const struct wl_timing_input *input, struct timing_model *model)
{
    struct wl_gpu assumed;
    struct wl_timing_input whole = *input;
    const struct wl_gpu *gpu = whole.gpu = &assumed;
    wl_gpu_assume(input->gpu, &assumed);
    input = &whole;
    *model = (struct timing_model){.schedulers = gpu->schedulers_per_sm};
    set_kinds(input, model);
    set_memory(input, model);
    model->queue_room[WL_TIMING_QUEUE_MIO] = gpu->mio_queue;
    model->queue_room[WL_TIMING_QUEUE_LG] = gpu->lg_queue;
    model->looked_up_room = gpu->l1_queue;
    model->look_up_cycles = 0.5; /* bench/gpu/model stalls, burst.16.hit.32_lines of 4 warps */
    model->queue_room[WL_TIMING_QUEUE_TEXTURE] = 8;
    /* bench/gpu/model scheduling, queue.*.8_warps; textures as loads */
    model->port_cycles[WL_TIMING_QUEUE_MIO] = 2;
    model->port_cycles[WL_TIMING_QUEUE_LG] = 4;
    model->port_cycles[WL_TIMING_QUEUE_TEXTURE] = 4;
    model->memory_interval = 4; /* bench/gpu/model scheduling, queue.*.1_warps */
    model->read_cycles = 1 / gpu->register_reads_per_cycle;
    model->fill_cycles = 1 / gpu->l1_fill_sectors_per_cycle;
    uint32_t predicate = gpu->predicate_latency, alu = gpu->alu_latency;
    model->guard_latency = predicate > alu ? predicate - alu : 0;
    if (input->changes & WL_TIMING_NO_LATENCY)
        model->guard_latency = 0;
    model->branch_latency = gpu->branch_latency;
    model->meeting_latency = gpu->meeting_latency;
    model->parting_latency = gpu->parting_latency;
    model->barrier_latency = gpu->barrier_latency;
    model->barrier_interval = 2;
    double sms = input->block_count < gpu->sm_count ? (double)input->block_count : gpu->sm_count;
    set_fetching(gpu, sms, input->warps_per_block, &model->fetching);
    model->block_interval = gpu->block_interval_cycles * sms;
    /* bench/gpu/model scheduling, blocks.*.first_gap of 1 to 32 warps */
    double by_warps = 4.0 * input->warps_per_block, by_blocks = 21.0 + input->warps_per_block;
    model->first_block_interval = fmin(fmax(by_warps, by_blocks), model->block_interval);
    if (input->changes & WL_TIMING_ANY_BLOCKS) {
        model->block_interval /= LARGER_BLOCKS;
        model->first_block_interval /= LARGER_BLOCKS;
    }
    model->block_latency = gpu->block_latency;
    model->start_cycles = gpu->start_cycles;
    model->launch_cycles = gpu->launch_overhead_ns * gpu->sm_clock_hz / 1e9;
}
