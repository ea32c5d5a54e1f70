/* One launch from beginning to end: SMs in parallel, epoch after epoch, with L2 fed between them.
 */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "sim/alike.h"
#include "sim/apart.h"
#include "sim/arena.h"
#include "sim/check.h"
#include "sim/children.h"
#include "sim/cluster.h"
#include "sim/compiled.h"
#include "sim/executor.h"
#include "sim/group.h"
#include "sim/l1.h"
#include "sim/leaks.h"
#include "sim/place.h"
#include "sim/pool.h"
#include "sim/race_global.h"
#include "sim/seats.h"
#include "sim/sm.h"
#include "sim/sums.h"
#include "sim/tables.h"
#include "sim/turns.h"

#define EPOCH_LENGTH 16384 /* about cycles of an SM between two meetings */
/* where blocks communicate: an SM then leaves no epoch early, and has room for what it asks of L2
 */
#define EPOCH_LENGTH_ORDERED 4096
#define EPOCH_LENGTH_FEW 131072 /* where few SMs run blocks that nobody counts (count_sms) */
#define MISS_LATENCY 500        /* cycles, where the model GPU's is not known */
#define PEER_LATENCY 190        /* cycles between two SMs of a cluster: bench/gpu/model modern */
#define L2_BYTES_PER_CYCLE 32   /* that L2 serves to an SM while all ask */

enum wl_code wl_sim_create(const struct wl_gpu *gpu, struct wl_sim **sim, struct wl_error *error)
{
    (void)error;
    struct wl_sim *created = wl_alloc_zero(1, sizeof *created);
    created->gpu = gpu;
    created->sms = wl_alloc_aligned(_Alignof(struct wl_sm), gpu->sm_count * sizeof *created->sms);
    created->seats = wl_seats_create();
    *sim = created;
    return WL_OK;
}

static void free_caches(struct wl_sim *sim)
{
    for (uint32_t i = 0; i < sim->gpu->sm_count; i++) {
        wl_l1_free(sim->sms[i].l1);
        wl_l1_free(sim->sms[i].readonly);
        sim->sms[i].l1 = sim->sms[i].readonly = NULL;
    }
}

void wl_sim_free(struct wl_sim *sim)
{
    if (!sim)
        return;
    free_caches(sim);
    wl_l2_free(sim->l2);
    wl_pool_free(sim->pool);
    wl_heap_free(sim->heap);
    if (sim->workspace)
        munmap(sim->workspace, WL_WORKSPACE_BYTES);
    if (sim->arena)
        munmap(sim->arena, sim->arena_bytes);
    free(sim->arena_parameters);
    free(sim->tables);
    wl_seats_free(sim->seats);
    for (uint32_t i = 0; i < sim->gpu->sm_count; i++)
        wl_sm_free(&sim->sms[i]);
    free(sim->sms);
    free(sim);
}

bool wl_sim_leak(const struct wl_sim *sim, uint32_t *number, struct wl_sim_leak *leak)
{
    struct wl_heap_left left = {0};
    while (sim->heap && wl_heap_left_at(sim->heap, *number, &left)) {
        *leak = (struct wl_sim_leak){left.place, left.blocks, left.bytes};
        ++*number;
        if (left.blocks)
            return true;
    }
    return false;
}

const struct wl_op *wl_warp_fault(struct wl_warp *warp, const struct wl_op *op,
                                  enum wl_sim_fault kind, const char *what, const char *format, ...)
{
    struct wl_fault *fault = &warp->worker->fault;
    warp->status = WL_WARP_FAULT;
    warp->sm->has_faulted = true;
    warp->pc = op;
    if (fault->what && fault->order <= warp->sm->index)
        return NULL;
    free(fault->asserted);
    fault->asserted = NULL;
    fault->kind = kind;
    fault->what = what;
    fault->order = warp->sm->index;
    fault->instruction = op->instruction;
    memcpy(fault->block, warp->cta->id, sizeof fault->block);
    int lane = __builtin_ctz(warp->active ? warp->active : 1);
    for (int axis = 0; axis < 3; axis++)
        fault->thread[axis] = warp->worker->run->thread_index[warp->index][axis][lane];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
    va_end(arguments);
    __atomic_store_n(&warp->worker->run->fault_found, 1, __ATOMIC_RELAXED);
    return NULL;
}

void wl_worker_forget_ranges(struct wl_worker *worker)
{
    for (uint32_t i = 0; i < worker->run->program->site_count; i++)
        worker->sites[i].range_start = worker->sites[i].range_end = 0;
    for (uint32_t i = 0; i < worker->run->program->site_count; i++)
        if (worker->sites[i].group)
            wl_group_forget(worker->sites[i].group);
    wl_native_settle(worker);
    worker->learnt++;
}

static void set_thread_index(struct wl_run *run)
{
    const uint32_t *block = run->launch->block;
    run->thread_index = wl_alloc_zero(run->warps_per_block, sizeof *run->thread_index);
    for (uint32_t thread = 0; thread < run->warps_per_block * WL_LANES; thread++) {
        uint32_t(*lanes)[WL_LANES] = run->thread_index[thread / WL_LANES];
        lanes[0][thread % WL_LANES] = thread % block[0];
        lanes[1][thread % WL_LANES] = thread / block[0] % block[1];
        lanes[2][thread % WL_LANES] = thread / block[0] / block[1];
    }
}

static void worker_free(struct wl_worker *worker)
{
    wl_groups_end(worker);
    free(worker->factors);
    free(worker->fault.asserted);
    wl_native_end_worker(worker);
}

/* Caches as this launch finds them: cold, unless the caller keeps them. */
static void prepare_caches(struct wl_sim *sim, struct wl_run *run, uint32_t sm_used,
                           uint32_t l1_data_bytes)
{
    if (!run->count)
        return;
    if (!sim->l2)
        sim->l2 = wl_l2_create(sim->gpu);
    wl_l2_begin(sim->l2, run->options->keep_caches);
    if (sim->l1_data_bytes != l1_data_bytes || sim->l1_global_loads != run->l1_global_loads) {
        free_caches(sim);
        sim->l1_data_bytes = l1_data_bytes;
        sim->l1_global_loads = run->l1_global_loads;
    }
    for (uint32_t i = 0; i < sm_used; i++) {
        struct wl_sm *sm = &sim->sms[i];
        if (sm->l1)
            wl_l1_reset(sm->l1);
        else
            sm->l1 = wl_l1_create(sim->gpu, l1_data_bytes, run->l1_global_loads);
        if (sm->readonly)
            wl_l1_reset(sm->readonly);
        else if (sim->gpu->readonly_bytes)
            sm->readonly = wl_l1_create_readonly(sim->gpu);
    }
}

/* Where clusters, or blocks of their own, can be: on `size` SMs from first[i] on. */
struct places {
    uint32_t *first;
    uint32_t count, size;
    uint32_t sm_used; /* the SMs up to the last one that is */
};

static void find_places(const struct wl_run *run, struct places *places)
{
    const uint64_t clusters = run->block_total / run->cluster_size;
    *places = (struct places){.size = run->cluster_size};
    places->first = wl_alloc(run->sm_count * sizeof *places->first);
    if (run->cluster_size > 1)
        places->count = wl_cluster_places(run->gpu, run->cluster_size, places->first);
    else
        for (; places->count < run->sm_count; places->count++)
            places->first[places->count] = places->count;
    if (clusters < places->count)
        places->count = (uint32_t)clusters;
    places->sm_used = places->first[places->count - 1] + places->size;
}

struct epoch {
    struct wl_sim *sim;
    struct wl_worker *workers;
    const struct places *places;
    uint32_t sm_used;
    struct wl_l2_trace *traces;
    uint32_t shards;
    uint32_t parts_alone; /* see run_in_turn */
    uint64_t length;      /* that the epochs of all SMs grow by; 0: they end the one they are in */
};

/* The place that the worker is likely to run next; NULL: none. in_turn: the other workers run those
 * between. */
static const struct wl_sm *place_ahead(const struct epoch *epoch, uint32_t index, bool in_turn)
{
    const uint32_t next = index + (in_turn ? epoch->shards : 1);
    return next < epoch->places->count ? &epoch->sim->sms[epoch->places->first[next]] : NULL;
}

/* The SMs of a cluster take their turns together. */
static void run_place(void *self, uint32_t index, uint32_t worker)
{
    struct epoch *epoch = self;
    const uint32_t count = epoch->places->size;
    struct wl_sm *sms = &epoch->sim->sms[epoch->places->first[index]];
    wl_ahead_begin(&epoch->workers[worker].ahead,
                   place_ahead(epoch, index, epoch->workers[worker].run->turns != NULL));
    wl_sm_run_epoch(sms, count, &epoch->workers[worker], epoch->length);
    sms->hand->issued = 0;
    for (uint32_t i = 0; i < count; i++)
        sms->hand->issued += sms[i].issued;
}

static void feed_l2(struct epoch *epoch, struct wl_pool *pool)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < epoch->sm_used; i++) {
        struct wl_sm *sm = &epoch->sim->sms[i];
        epoch->traces[i] = (struct wl_l2_trace){sm->requests, sm->request_count, i,
                                                wl_sm_begin_answers(sm), &sm->repeats};
        const uint32_t time =
            sm->request_count ? wl_l2_trace_time(&epoch->traces[i], sm->request_count - 1) : 0;
        last = time > last ? time : last;
    }
    wl_l2_feed(epoch->sim->l2, pool, epoch->shards, epoch->traces, epoch->sm_used);
    for (uint32_t i = 0; i < epoch->sm_used; i++) {
        struct wl_sm *sm = &epoch->sim->sms[i];
        wl_sm_take_answers(sm);
        wl_sm_begin_requests(sm);
        sm->epoch_start = last > sm->epoch_start ? last : sm->epoch_start;
    }
}

/* What a sector takes of the SM's share of L2's and device memory's bandwidth, from the traffic so
 * far. */
static uint32_t sector_cost(const struct wl_sim *sim)
{
    const struct wl_gpu *gpu = sim->gpu;
    double share = gpu->memory_bandwidth_bytes_per_s / gpu->sm_clock_hz / gpu->sm_count;
    struct wl_l2_counts counts;
    wl_l2_count(sim->l2, &counts);
    double sectors = (double)(counts.reads + counts.writes + counts.atomics + counts.reductions);
    double device_bytes = (double)(counts.dram_read_bytes + counts.dram_write_bytes);
    double cycles = sectors > 0 && share > 0 ? device_bytes / sectors / share : 0;
    double l2_cycles = 32.0 / L2_BYTES_PER_CYCLE;
    return (uint32_t)(256 * (cycles > l2_cycles ? cycles : l2_cycles));
}

static void run_place_in_turn(void *self, uint32_t index, uint32_t worker)
{
    struct epoch *epoch = self;
    run_place(self, index, worker);
    wl_turns_end(epoch->workers[worker].run->turns, index);
}

/* A part of an epoch. Where most SMs wait for those before them, one thread runs the next ones: it
 * does the same. */
static void run_in_turn(struct epoch *epoch, struct wl_turns *turns, struct wl_pool *pool)
{
    enum { PARTS_ALONE = 32 };
    const uint32_t count = epoch->places->count;
    wl_turns_begin(turns);
    if (epoch->parts_alone) {
        epoch->parts_alone--;
        for (uint32_t i = 0; i < count; i++)
            run_place_in_turn(epoch, i, 0);
    } else {
        wl_pool_run(pool, count, run_place_in_turn, epoch);
        epoch->parts_alone = wl_turns_waited(turns) > count / 4 ? PARTS_ALONE : 0;
    }
    for (uint32_t i = 0; i < epoch->sm_used; i++)
        wl_turns_add_sums(&epoch->sim->sms[i]);
}

/* Where one SM alone has blocks, no other thread need wake. */
static void run_places(struct epoch *epoch, struct wl_pool *pool)
{
    const uint32_t count = epoch->places->count;
    uint32_t busy = 0;
    for (uint32_t i = 0; i < epoch->sm_used && busy < 2; i++)
        busy += epoch->sim->sms[i].ctas_live || epoch->sim->sms[i].hand->count;
    if (busy > 1)
        wl_pool_run_apart(pool, count, run_place, epoch);
    else
        for (uint32_t i = 0; i < count; i++)
            run_place(epoch, i, 0);
}

/* One epoch of all SMs, in parts: SMs stop for blocks, and where there is no more room for what
 * they ask of L2. */
static void run_epoch(struct epoch *epoch, struct wl_run *run, struct wl_deal *deal,
                      struct wl_pool *pool)
{
    bool is_over = false;
    while (!is_over && !run->fault_found) {
        if (run->turns)
            run_in_turn(epoch, run->turns, pool);
        else
            run_places(epoch, pool);
        epoch->length = 0;
        bool is_full = false;
        for (uint32_t i = 0; i < epoch->sm_used && run->count; i++)
            is_full |= epoch->sim->sms[i].is_interrupted;
        bool is_dealt = wl_deal_is_requested(deal) && wl_deal_round(deal);
        if (run->count && (is_full || !is_dealt)) {
            feed_l2(epoch, pool);
            run->sector_cost = sector_cost(epoch->sim);
        }
        is_over = !is_full && !is_dealt;
    }
}

static uint64_t blocks_done(const struct wl_worker *workers, uint32_t count)
{
    uint64_t done = 0;
    for (uint32_t i = 0; i < count; i++)
        done += workers[i].blocks_done;
    return done;
}

/* sm_used: the other SMs hold what an earlier launch left. */
static bool tell_progress(const struct wl_sim *sim, uint32_t sm_used, const struct wl_run *run,
                          const struct wl_worker *workers, uint32_t worker_count)
{
    struct wl_sim_progress progress = {.blocks_done = blocks_done(workers, worker_count),
                                       .blocks_total = run->block_total,
                                       .run = run,
                                       .sms = sim->sms};
    for (uint32_t i = 0; i < sm_used; i++)
        progress.instructions += sim->sms[i].issued;
    return run->options->progress && run->options->progress(run->options->progress_self, &progress);
}

static enum wl_code report_fault(const struct wl_run *run, struct wl_worker *workers,
                                 uint32_t worker_count, struct wl_sim_counts *counts,
                                 struct wl_error *error)
{
    struct wl_fault *first = NULL;
    for (uint32_t i = 0; i < worker_count; i++)
        if (workers[i].fault.what && (!first || workers[i].fault.order < first->order))
            first = &workers[i].fault;
    if (!first)
        return WL_OK;
    const struct wl_program_instruction *instruction =
        &run->program->instructions[first->instruction];
    counts->fault = first->kind;
    counts->asserted = first->asserted;
    first->asserted = NULL;
    enum wl_code code = wl_error_set(
        error, first->kind == WL_SIM_FAULT_UNSUPPORTED ? WL_ERR_UNSUPPORTED : WL_ERR_PROGRAM,
        "%s: %s; block (%u,%u,%u), thread (%u,%u,%u), %s", first->what, first->detail,
        first->block[0], first->block[1], first->block[2], first->thread[0], first->thread[1],
        first->thread[2], instruction->text);
    if (instruction->file) {
        struct wl_text place = {0};
        wl_finding_print_source(instruction, &place);
        wl_error_set_where(error, "%s, %s", run->program->name, place.data);
        wl_text_free(&place);
    } else {
        wl_error_set_where(error, "%s, PTX line %u", run->program->name, instruction->text_line);
    }
    return code;
}

static void gather_l2(struct wl_sim *sim, struct wl_sim_counts *counts)
{
    struct wl_l2_counts l2;
    wl_l2_count(sim->l2, &l2);
    const struct {
        enum wl_counter counter;
        uint64_t value;
    } rows[] = {
        {WL_COUNTER_L2_REQUESTS, l2.requests},
        {WL_COUNTER_L2_READ, l2.reads},
        {WL_COUNTER_L2_READ_HIT, l2.read_hits},
        {WL_COUNTER_L2_READ_MISS, l2.read_misses},
        {WL_COUNTER_L2_WRITE, l2.writes},
        {WL_COUNTER_L2_WRITE_HIT, l2.write_hits},
        {WL_COUNTER_L2_WRITE_MISS, l2.write_misses},
        {WL_COUNTER_L2_ATOM, l2.atomics},
        {WL_COUNTER_L2_RED, l2.reductions},
        {WL_COUNTER_DRAM_READ, l2.dram_read_bytes},
        {WL_COUNTER_DRAM_WRITE, l2.dram_write_bytes},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        counts->totals[rows[i].counter] = rows[i].value;
    counts->atomic_cycles = l2.atomic_cycles;
    counts->updated_sectors = (double)l2.updated_sectors;
    counts->dram_filled_bytes = (double)l2.dram_filled_bytes;
    counts->dram_openings = (double)l2.dram_openings;
    counts->l2_read_halves = (double)l2.read_halves;
    counts->l2_read_lines_missed = (double)l2.read_lines_missed;
    counts->alone_reads = l2.alone_reads;
    counts->alone_misses = l2.alone_misses;
    counts->alone_far = l2.alone_far;
}

/* Processors that the process may run on, which taskset, containers and launchers of ranks make
 * fewer than there are. */
static uint32_t usable_processors(void)
{
    cpu_set_t usable;
    if (sched_getaffinity(getpid(), sizeof usable, &usable) == 0)
        return (uint32_t)CPU_COUNT(&usable);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

/* asked: 0: one for each processor. */
static uint32_t usual_workers(uint32_t asked)
{
    uint32_t workers = asked ? asked : usable_processors();
    return workers > WL_L2_MAX_SHARDS ? WL_L2_MAX_SHARDS : workers;
}

static uint32_t choose_workers(const struct wl_run *run, uint32_t asked)
{
    const uint32_t workers = run->block_total == 1 || run->races ? 1 : usual_workers(asked);
    const bool is_free = !run->program->blocks_communicate || wl_blocks_may_run_at_once(run);
    return is_free ? workers : 1;
}

/* False: the grid does not consist of such clusters, or the GPU has no room for one. */
static bool set_clusters(struct wl_run *run)
{
    bool fits = true;
    run->cluster_size = 1;
    for (int i = 0; i < 3; i++) {
        run->cluster[i] = run->launch->cluster[i] ? run->launch->cluster[i] : 1;
        fits &= run->cluster[i] <= WL_CLUSTER_BLOCKS_MOST &&
                run->launch->grid[i] % run->cluster[i] == 0;
        run->cluster_size *= run->cluster[i];
    }
    return fits && run->cluster_size <= WL_CLUSTER_BLOCKS_MOST &&
           (run->cluster_size == 1 || wl_cluster_places(run->gpu, run->cluster_size, NULL));
}

/* SMs that blocks are run on. Where only what they leave in memory is wanted, and they tell each
 * other nothing, few do: their registers and shared memory stay in the host's caches. Blocks of
 * which each SM gets one at most keep their SMs, and with one thread their order; those that may
 * wait for one another are there together if the GPU has room for all. */
static uint32_t count_sms(const struct wl_run *run, uint32_t blocks_per_sm)
{
    enum { SMS_LEAST = 8, SMS_OF_WORKER = 4 };
    const struct wl_program *program = run->program;
    const struct wl_sim_options *options = run->options;
    const uint32_t workers = choose_workers(run, options->threads);
    const uint32_t few = SMS_OF_WORKER * workers > SMS_LEAST ? SMS_OF_WORKER * workers : SMS_LEAST;
    const bool is_asked = options->count || options->trace_count || options->alone ||
                          wl_check_mode(options) || options->stop_at_finding;
    const uint64_t room = (uint64_t)run->gpu->sm_count * blocks_per_sm;
    const bool is_waited = program->blocks_may_wait && run->block_total <= room;
    const bool is_told = is_waited || (program->blocks_communicate && !run->orders_sums) ||
                         program->uses_printf || program->tells_sm || run->launch->is_cooperative;
    if (is_asked || is_told || run->cluster_size > 1 || few > run->gpu->sm_count ||
        run->block_total <= run->gpu->sm_count)
        return run->gpu->sm_count;
    return few;
}

/* The launch's shape, its occupancy, and what it needs besides registers and shared memory. */
static enum wl_code begin_run(struct wl_sim *sim, const struct wl_sim_launch *launch,
                              const struct wl_sim_options *options, struct wl_run *run,
                              struct wl_occupancy *occupancy, struct wl_error *error)
{
    *run = (struct wl_run){.gpu = sim->gpu,
                           .program = launch->program,
                           .launch = launch,
                           .options = options,
                           .sm_count = sim->gpu->sm_count,
                           .count = options->count,
                           .l1_global_loads = options->l1_global_loads,
                           .miss_latency =
                               sim->gpu->dram_latency ? sim->gpu->dram_latency : MISS_LATENCY,
                           .peer_latency = PEER_LATENCY};
    run->load_latency = run->miss_latency;
    run->threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    run->warps_per_block = (run->threads_per_block + WL_LANES - 1) / WL_LANES;
    run->shared_bytes = wl_program_shared_bytes(launch->program, launch->shared_dynamic_bytes);
    run->block_total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (!set_clusters(run))
        return wl_error_set(error, WL_ERR_PROGRAM,
                            "clusters of %u x %u x %u blocks fit neither the grid nor the GPU",
                            launch->cluster[0], launch->cluster[1], launch->cluster[2]);
    struct wl_occupancy_input input = {.registers_per_thread = launch->registers_per_thread,
                                       .threads_per_block = run->threads_per_block,
                                       .shared_static_bytes = launch->program->shared_static_bytes,
                                       .shared_dynamic_bytes = launch->shared_dynamic_bytes,
                                       .barriers = launch->program->barrier_count,
                                       .carveout_pct = launch->carveout_pct};
    wl_occupancy_compute(sim->gpu, &input, occupancy);
    if (occupancy->blocks_per_sm == 0)
        return wl_error_set(error, WL_ERR_PROGRAM, "too many resources requested for launch: %s",
                            occupancy->limiter);
    if (launch->program->uses_heap && !sim->heap)
        sim->heap = wl_heap_create();
    run->heap = sim->heap;
    /* checks stop in the middle of what would be one segment */
    wl_run_link((struct wl_program *)(uintptr_t)launch->program, wl_check_mode(options),
                options->checks && options->stop_at_finding ? WL_ENGINE_INTERPRET
                                                            : options->engine);
    run->orders_sums = wl_sums_are_ordered(run);
    run->sm_count = count_sms(run, occupancy->blocks_per_sm);
    run->is_opaque = launch->program->is_opaque;
    run->reaches_peers = launch->program->reaches_peers;
    enum wl_code code = wl_workspace_prepare(sim, launch->is_cooperative, error);
    run->workspace = launch->is_cooperative ? sim->workspace : NULL;
    return code;
}

static void prepare_pool(struct wl_sim *sim, uint32_t count)
{
    if (!sim->pool || wl_pool_size(sim->pool) < count) {
        wl_pool_free(sim->pool);
        sim->pool = wl_pool_create(count);
    }
    wl_pool_limit(sim->pool, count);
}

void wl_sim_share(struct wl_sim *sim, uint32_t threads, uint32_t count,
                  void (*work)(void *self, uint32_t index, uint32_t worker), void *self)
{
    prepare_pool(sim, usual_workers(threads));
    wl_pool_run(sim->pool, count, work, self);
}

static struct wl_worker *prepare_workers(struct wl_sim *sim, struct wl_run *run, uint32_t count)
{
    prepare_pool(sim, count);
    struct wl_worker *workers =
        wl_alloc_aligned(_Alignof(struct wl_worker), count * sizeof *workers);
    wl_tables_give(sim, run->program, workers, count);
    for (uint32_t i = 0; i < count; i++) {
        workers[i].run = run;
        workers[i].number = i;
        wl_native_begin_worker(&workers[i]);
    }
    return workers;
}

/* SMs between those of clusters get no blocks. */
static void begin_sms(struct wl_sim *sim, const struct wl_run *run, const struct places *places,
                      struct wl_deal *deal, uint32_t resident)
{
    const size_t sm_bytes = resident * run->place_bytes;
    uint32_t place = 0;
    for (uint32_t i = 0; i < places->sm_used; i++) {
        place += i >= places->first[place] + places->size;
        sim->sms[i].place = place;
        wl_sm_begin(&sim->sms[i], run, i, resident, run->memory + i * sm_bytes,
                    &deal->hands[place]);
    }
}

/* A launch between its begin and its end. */
struct wl_sim_work {
    struct wl_sim *sim;
    struct wl_run run;
    struct wl_sim_counts *counts;
    struct places places;
    struct wl_deal deal;
    struct wl_worker *workers;
    uint32_t worker_count;
    struct epoch epoch;
    uint64_t block_count; /* of which run has some, where all are alike */
    uint64_t start_ns;
    bool is_alike;
};

/* Makes what the blocks run on. */
static enum wl_code begin_blocks(struct wl_sim_work *work, struct wl_error *error)
{
    struct wl_sim *sim = work->sim;
    struct wl_run *run = &work->run;
    struct places *places = &work->places;
    find_places(run, places);
    const uint32_t sm_used = places->sm_used;
    const uint64_t clusters = run->block_total / run->cluster_size;
    uint32_t resident = work->counts->occupancy.blocks_per_sm;
    const bool is_few = run->sm_count < run->gpu->sm_count;
    const uint64_t sms = is_few ? run->gpu->sm_count : places->count;
    uint64_t each = (clusters + sms - 1) / sms;
    resident = each < resident ? (uint32_t)each : resident;
    wl_run_set_pace(run, resident);
    enum wl_code code = wl_arena_prepare(sim, run, sm_used, resident, error);
    if (code) {
        free(places->first);
        return code;
    }
    set_thread_index(run);
    if (run->options->checks & WL_CHECK_RACE_GLOBAL)
        run->races = wl_race_global_begin(run->block_total);
    prepare_caches(sim, run, sm_used, work->counts->occupancy.l1_data_bytes);
    work->worker_count = choose_workers(run, run->options->threads);
    if (work->worker_count > 1 && run->program->blocks_communicate && !run->orders_sums)
        run->turns = wl_turns_create(places->count);
    work->workers = prepare_workers(sim, run, work->worker_count);
    wl_seats_begin(run->seats, sm_used * resident, work->worker_count);
    wl_deal_begin(&work->deal, clusters, places->count, resident);
    work->deal.is_ahead = is_few;
    begin_sms(sim, run, places, &work->deal, resident);
    work->epoch = (struct epoch){
        .sim = sim,
        .workers = work->workers,
        .places = places,
        .sm_used = sm_used,
        .traces = wl_alloc_zero(sm_used, sizeof *work->epoch.traces),
        .shards = work->worker_count,
    };
    run->sector_cost = 256;
    return WL_OK;
}

static enum wl_code begin_launch(struct wl_sim_work *work, const struct wl_sim_launch *launch,
                                 const struct wl_sim_options *options, struct wl_error *error)
{
    struct wl_run *run = &work->run;
    struct wl_occupancy *occupancy = &work->counts->occupancy;
    enum wl_code code = begin_run(work->sim, launch, options, run, occupancy, error);
    if (code)
        return code;
    if (launch->program->uses_heap && run->heap)
        run->children = wl_children_create(run->heap);
    work->block_count = run->block_total;
    work->is_alike =
        run->cluster_size == 1 && wl_blocks_are_alike(launch->program, options->checks);
    if (work->is_alike)
        run->block_total =
            wl_alike_wanted(work->block_count, occupancy->blocks_per_sm * work->sim->gpu->sm_count,
                            options->trace_count > 0);
    code = begin_blocks(work, error);
    if (code)
        wl_children_free(run->children);
    return code;
}

/* Gathers what was counted. */
static enum wl_code end_blocks(struct wl_sim_work *work, struct wl_error *error)
{
    struct wl_sim *sim = work->sim;
    struct wl_run *run = &work->run;
    struct wl_sim_counts *counts = work->counts;
    enum wl_code code = report_fault(run, work->workers, work->worker_count, counts, error);
    wl_counts_gather(run, work->workers, work->worker_count, counts);
    if (run->count)
        gather_l2(sim, counts);
    if (run->orders_sums && code == WL_OK)
        wl_sums_add(&run->sums, sim->sms, work->places.sm_used, UINT64_MAX);
    wl_sums_end(&run->sums);
    for (uint32_t i = 0; i < work->places.sm_used; i++) {
        struct wl_sm *sm = &sim->sms[i];
        counts->issued += sm->issued;
        counts->issued_most = sm->issued > counts->issued_most ? sm->issued : counts->issued_most;
        if (sm->issued_longest > counts->issued_longest) {
            counts->issued_longest = sm->issued_longest;
            if (run->options->alone)
                wl_trace_move(run->options->alone, &sm->alone);
        }
        if (sm->trace)
            sm->trace->issued = sm->issued;
        if (sm->trace)
            sm->trace->issued_longest = sm->issued_longest;
        wl_counts_gather_findings(&sim->sms[i], counts);
        wl_sm_end(&sim->sms[i]);
    }
    wl_deal_end(&work->deal);
    free(work->epoch.traces);
    free(work->places.first);
    for (uint32_t i = 0; i < work->worker_count; i++)
        worker_free(&work->workers[i]);
    wl_tables_take(sim, work->workers);
    free(work->workers);
    wl_race_global_free(run->races);
    wl_turns_free(run->turns);
    free(run->thread_index);
    return code;
}

/* The program may round otherwise, flush denormals (-ffast-math) or trap on a division by zero: its
 * kernels do not. */
static void enter_environment(fenv_t *of_program)
{
    fegetenv(of_program);
    fesetenv(FE_DFL_ENV);
}

enum wl_code wl_sim_begin(struct wl_sim *sim, const struct wl_sim_launch *launch,
                          const struct wl_sim_options *options, struct wl_sim_counts *counts,
                          struct wl_sim_work **made, struct wl_error *error)
{
    fenv_t of_program;
    struct wl_sim_work *work = wl_alloc_zero(1, sizeof *work);
    enter_environment(&of_program);
    work->sim = sim;
    work->counts = counts;
    work->start_ns = wl_clock_monotonic_ns();
    enum wl_code code = begin_launch(work, launch, options, error);
    fesetenv(&of_program);
    if (code)
        free(work);
    else
        *made = work;
    return code;
}

static uint64_t epoch_length(const struct wl_run *run)
{
    if (run->sm_count < run->gpu->sm_count)
        return EPOCH_LENGTH_FEW;
    return run->program->blocks_communicate ? EPOCH_LENGTH_ORDERED : EPOCH_LENGTH;
}

bool wl_sim_advance(struct wl_sim_work *work)
{
    fenv_t of_program;
    struct wl_run *run = &work->run;
    bool is_live = true, is_paused = false;
    enter_environment(&of_program);
    while (is_live && !is_paused && !run->fault_found) {
        wl_deal_round(&work->deal);
        work->epoch.length = epoch_length(run);
        run_epoch(&work->epoch, run, &work->deal, work->sim->pool);
        if (run->orders_sums)
            wl_sums_relieve(&run->sums, work->sim->sms, work->places.sm_used, work->deal.next);
        is_live = work->deal.next < work->deal.total;
        for (uint32_t i = 0; i < work->places.sm_used; i++)
            is_live |= work->sim->sms[i].ctas_live > 0;
        is_paused =
            tell_progress(work->sim, work->places.sm_used, run, work->workers, work->worker_count);
    }
    fesetenv(&of_program);
    return !is_live || run->fault_found;
}

enum wl_code wl_sim_end(struct wl_sim_work *work, struct wl_error *error)
{
    fenv_t of_program;
    struct wl_run *run = &work->run;
    struct wl_sim_counts *counts = work->counts;
    enter_environment(&of_program);
    enum wl_code code = end_blocks(work, error);
    if (run->children && code == WL_OK)
        wl_children_hand_out(run->children, counts);
    wl_children_free(run->children);
    if (work->is_alike && run->block_total < work->block_count)
        counts->issued = counts->issued_most = counts->issued_longest = 0;
    if (work->is_alike && code == WL_OK)
        wl_counts_extend(counts, run->block_total, work->block_count);
    counts->wall_ns = wl_clock_monotonic_ns() - work->start_ns;
    fesetenv(&of_program);
    free(work);
    return code;
}

enum wl_code wl_sim_run(struct wl_sim *sim, const struct wl_sim_launch *launch,
                        const struct wl_sim_options *options, struct wl_sim_counts *counts,
                        struct wl_error *error)
{
    struct wl_sim_work *work;
    enum wl_code code = wl_sim_begin(sim, launch, options, counts, &work, error);
    if (code)
        return code;
    while (!wl_sim_advance(work))
        ;
    return wl_sim_end(work, error);
}
