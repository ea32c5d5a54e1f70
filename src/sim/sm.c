/* One simulated SM: keeps its blocks resident, gives each warp its turn, holds barriers. A warp
 * runs until it needs a value that is on its way from memory, waits at a barrier, ends, or has run
 * long enough. Its time is about cycles, good enough for the order in which warps reach memory. */
#include "sim/sm.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/check.h"
#include "sim/cluster.h"
#include "sim/l1.h"
#include "sim/owed.h"
#include "sim/seats.h"
#include "sim/shadow.h"

#define TRACE_LIMIT 32768   /* requests after which an SM interrupts its epoch */
#define KEPT_OF_EPOCH 65536 /* sums that an SM keeps in an epoch of a launch that nobody counts */

void wl_sm_grow_trace(struct wl_sm *sm)
{
    wl_vector_grow((void **)&sm->requests, sm->request_capacity, &sm->request_capacity,
                   sizeof *sm->requests);
}

static void free_requests(struct wl_sm *sm)
{
    free(sm->requests);
    free(sm->kept.items);
    free(sm->asked.items);
    free(sm->stored.items);
    free(sm->answers);
    free(sm->repeats.lines.items);
    free(sm->repeats.runs.items);
    sm->repeats = (struct wl_l2_repeats){0};
    sm->requests = NULL;
    sm->kept.items = NULL;
    sm->asked.items = sm->stored.items = NULL;
    sm->answers = NULL;
    sm->request_capacity = sm->answer_capacity = 0;
    sm->kept.capacity = sm->asked.capacity = sm->stored.capacity = 0;
}

void wl_sm_begin_requests(struct wl_sm *sm)
{
    sm->request_count = 0;
    sm->repeats.lines.count = sm->repeats.runs.count = 0;
    sm->epoch_number++;
    if (sm->l1)
        wl_l1_forget_stores(sm->l1);
}

uint8_t *wl_sm_begin_answers(struct wl_sm *sm)
{
    if (!sm->asked.count)
        return NULL;
    if (sm->answer_capacity < sm->request_count) {
        sm->answer_capacity = sm->request_capacity;
        sm->answers = wl_resize(sm->answers, sm->answer_capacity, sizeof *sm->answers);
    }
    memset(sm->answers, 0, sm->request_count);
    return sm->answers;
}

/* Stores that joined may have written what the recorded one left. */
static void take_stored(struct wl_sm *sm)
{
    for (size_t i = 0; i < sm->stored.count; i++) {
        const struct wl_asked *stored = &sm->stored.items[i];
        uint32_t partial_lines = 0;
        for (uint32_t k = stored->first; k < stored->first + stored->count; k++) {
            const struct wl_l2_request *request = &sm->requests[k];
            const uint32_t full = wl_l2_whole_sectors(request->words);
            partial_lines += (wl_l2_request_sectors(request) & ~full) != 0;
        }
        wl_trace_set_missed(&stored->warp->items[stored->word], partial_lines);
    }
    sm->stored.count = 0;
}

void wl_sm_take_answers(struct wl_sm *sm)
{
    take_stored(sm);
    for (size_t i = 0; i < sm->asked.count; i++) {
        const struct wl_asked *asked = &sm->asked.items[i];
        uint32_t device = 0, far = 0, *word = &asked->warp->items[asked->word];
        for (uint32_t k = asked->first; k < asked->first + asked->count; k++) {
            device += sm->answers[k] & WL_L2_ANSWER_MASK;
            far += sm->answers[k] >> WL_L2_FAR_SHIFT;
        }
        uint32_t missed = wl_trace_unpack(*word).missed;
        device = device < missed ? device : missed;
        wl_trace_answer(word, device, far);
        if (sm->trace) {
            sm->trace->answered += missed;
            sm->trace->answered_by_device += device;
        }
    }
    sm->asked.count = 0;
}

/* A register's value in all lanes. */
static void fill_register(uint8_t *lanes, const void *value, uint8_t width_bytes)
{
    uint64_t wide = 0;
    memcpy(&wide, value, width_bytes);
    if (width_bytes == 8)
        for (int lane = 0; lane < WL_LANES; lane++)
            ((uint64_t *)(void *)lanes)[lane] = wide;
    else
        for (int lane = 0; lane < WL_LANES; lane++)
            ((uint32_t *)(void *)lanes)[lane] = (uint32_t)wide;
}

static void set_constants(const struct wl_program *program, uint8_t *registers)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        const struct wl_constant *constant = &program->constants[i];
        fill_register(registers + constant->offset, &constant->bits, constant->width_bytes);
    }
}

static void set_parameters(const struct wl_run *run, uint8_t *registers)
{
    for (uint32_t i = 0; i < run->program->parameter_register_count; i++) {
        const struct wl_parameter_register *reg = &run->program->parameter_registers[i];
        fill_register(registers + reg->offset, run->launch->parameters + reg->parameter,
                      reg->width_bytes);
    }
}

static size_t round_up(size_t value)
{
    return (value + 63) / 64 * 64;
}

/* Of one warp: the kernel's own and those of the functions it calls. */
static size_t register_bytes(const struct wl_program *program)
{
    return round_up((size_t)program->register_file_bytes + program->call_stack_bytes);
}

size_t wl_sm_seat_bytes(const struct wl_run *run)
{
    return run->warps_per_block * register_bytes(run->program) +
           round_up(run->shared_bytes + WL_SHARED_SLACK_BYTES);
}

size_t wl_sm_cta_bytes(const struct wl_run *run)
{
    return wl_sm_seat_bytes(run) +
           round_up((size_t)run->warps_per_block * run->program->local_bytes * WL_LANES) +
           round_up(wl_shadow_bytes(run)) + round_up(wl_owed_bytes(run));
}

/* Where a block's parts lie in the memory of its place; its warps are made when it is first used,
 * and registers and shared memory are those of its seat. */
static void cta_create(struct wl_cta *cta, struct wl_warp *warps, const struct wl_run *run,
                       uint8_t *memory)
{
    cta->warp_count = run->warps_per_block;
    cta->warps = warps;
    cta->seat = WL_SEATS_NONE;
    cta->local = memory + wl_sm_seat_bytes(run);
    uint8_t *shadow =
        cta->local + round_up((size_t)cta->warp_count * run->program->local_bytes * WL_LANES);
    uint8_t *owed = shadow + round_up(wl_shadow_bytes(run));
    cta->shadow = wl_shadow_bytes(run) ? (struct wl_shadow *)(void *)shadow : NULL;
    cta->owed = wl_owed_bytes(run) ? (struct wl_owed *)(void *)owed : NULL;
}

/* The workers do this, each for its SMs, when a block comes to the place for the first time in a
 * launch. */
static void create_warps(struct wl_cta *cta, const struct wl_run *run)
{
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct wl_warp *warp = &cta->warps[i];
        *warp = (struct wl_warp){.stack = warp->stack, .stack_capacity = warp->stack_capacity};
        warp->index = i;
        warp->cta = cta;
        warp->local = cta->local + (size_t)i * run->program->local_bytes * WL_LANES;
    }
    cta->has_warps = true;
}

/* The seat's parts become those of the block's warps: registers of one warp after the other, then
 * shared memory. */
static void sit_down(struct wl_cta *cta, const struct wl_worker *worker)
{
    const struct wl_run *run = worker->run;
    const struct wl_program *program = run->program;
    const size_t file_bytes = register_bytes(program);
    const uint32_t number = wl_seats_take(run->seats, worker->number);
    __atomic_store_n(&cta->seat, number, __ATOMIC_RELAXED); /* wl_ahead_ask may read it */
    struct wl_seat *seat = wl_seats_at(run->seats, number);
    uint8_t *registers = run->memory + number * run->place_bytes;
    cta->shared = registers + cta->warp_count * file_bytes;
    for (uint32_t i = 0; i < cta->warp_count; i++, registers += file_bytes) {
        struct wl_warp *warp = &cta->warps[i];
        warp->registers = warp->registers_base = registers;
        warp->registers_end = registers + file_bytes;
        warp->shared = cta->shared;
        if (seat->constants_of != run->constants_number)
            set_constants(program, registers);
        if (seat->parameters_of != run->parameters_number)
            set_parameters(run, registers);
        memset(registers + program->kept_offset, 0, program->kept_bytes);
    }
    seat->constants_of = run->constants_number;
    seat->parameters_of = run->parameters_number;
    if (run->shared_bytes)
        memset(cta->shared, 0, run->shared_bytes);
}

/* All blocks of a cluster have seats when one of them has its first turn, and until the last one
 * ends: they access each other's shared memory. */
static void seat_cluster(const struct wl_cta *cta, const struct wl_worker *worker)
{
    for (uint32_t rank = 0; rank < worker->run->cluster_size; rank++)
        sit_down(wl_cluster_block(cta, rank), worker);
}

static void unseat_cluster(const struct wl_cta *cta, const struct wl_worker *worker)
{
    for (uint32_t rank = 0; rank < worker->run->cluster_size; rank++) {
        struct wl_cta *block = wl_cluster_block(cta, rank);
        wl_seats_give_back(worker->run->seats, worker->number, block->seat);
        __atomic_store_n(&block->seat, WL_SEATS_NONE, __ATOMIC_RELAXED);
    }
}

/* At least so many warps, whose stacks stay from launch to launch. */
static void reserve_warps(struct wl_sm *sm, uint32_t count)
{
    if (count <= sm->warp_capacity)
        return;
    struct wl_warp *warps = wl_alloc_aligned(WL_APART, count * sizeof *warps);
    if (sm->warp_capacity)
        memcpy(warps, sm->warps, sm->warp_capacity * sizeof *warps);
    free(sm->warps);
    sm->warps = warps;
    sm->warp_capacity = count;
}

/* Number of the block among the SM's. */
static uint32_t number_of(const struct wl_cta *cta)
{
    return (uint32_t)(cta - cta->warps->sm->ctas);
}

static void wait_until(const struct wl_warp *warp, uint64_t time)
{
    wl_schedule_wait(&warp->sm->schedule, number_of(warp->cta) * WL_SCHEDULE_WARPS + warp->index,
                     time);
}

void wl_sm_wake(struct wl_warp *warp, uint64_t time)
{
    warp->status = WL_WARP_READY;
    warp->sm->is_stalled = false;
    wait_until(warp, time);
}

/* Puts the block of that number in its cluster into cta. */
static void cta_start(struct wl_sm *sm, struct wl_cta *cta, const struct wl_run *run,
                      uint64_t cluster, uint32_t rank, uint64_t time)
{
    if (!cta->has_warps)
        create_warps(cta, run);
    wl_cluster_number(run, cluster, rank, cta);
    cta->is_live = true;
    sm->ctas_live++;
    cta->warps_live = cta->warp_count;
    if (cta->begun)
        memset(cta->barriers, 0, sizeof cta->barriers);
    cta->begun = 0;
    if (cta->lonely)
        memset(cta->lonely, 0, WL_BARRIERS * sizeof *cta->lonely);
    if (cta->shadow)
        wl_shadow_begin(cta->shadow, run);
    if (cta->owed)
        wl_owed_begin(cta->owed, cta->warp_count);
    struct wl_trace_block_record *record =
        sm->trace ? wl_trace_begin(sm->trace, cta->linear, cta->warp_count) : NULL;
    cta->trace = sm->trace;
    cta->trace_limit =
        sm->trace ? sm->trace->words_most / (sm->cta_count * (size_t)cta->warp_count) : 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct wl_warp *warp = &cta->warps[i];
        warp->trace = record ? &record->warps[i] : NULL;
        uint32_t threads = run->threads_per_block - i * WL_LANES;
        warp->mask = threads >= WL_LANES ? WL_FULL_MASK : (1u << threads) - 1;
        warp->active = warp->mask;
        warp->is_masked = warp->mask != WL_FULL_MASK;
        warp->pc = run->program->ops;
        warp->join = NULL;
        warp->stack_depth = warp->frame_base = warp->local_frame = 0;
        warp->registers = NULL;
        warp->status = WL_WARP_READY;
        warp->vain_tests = 0;
        warp->products = warp->commits = 0;
        warp->arrived_lanes = 0;
        warp->is_counted = false;
        warp->executed = warp->issued = warp->clock = 0;
        warp->sm = sm;
    }
    sm->is_stalled = false;
    wl_schedule_renew(&sm->schedule, (uint32_t)(cta - sm->ctas), sm->time > time ? sm->time : time);
}

/* Puts the next cluster at hand into the place of that number on each of its SMs, if there is one.
 */
static void cluster_start(struct wl_sm *sms, uint32_t place, const struct wl_run *run,
                          uint64_t time)
{
    uint64_t cluster;
    if (!wl_hand_take(sms->hand, &cluster))
        return;
    struct wl_cta *first = &sms->ctas[place];
    first->cluster.blocks_live = run->cluster_size;
    first->cluster.warps_live = run->cluster_size * run->warps_per_block;
    first->cluster.arrived = 0;
    first->cluster.issued = 0;
    for (uint32_t rank = 0; rank < run->cluster_size; rank++)
        cta_start(&sms[rank], &sms[rank].ctas[place], run, cluster, rank, time);
}

void wl_sm_begin(struct wl_sm *sm, const struct wl_run *run, uint32_t index, uint32_t resident,
                 uint8_t *memory, struct wl_hand *hand)
{
    sm->index = index;
    sm->time = sm->epoch_start = sm->epoch_end = 0;
    sm->issued = sm->issued_longest = 0;
    sm->queue_end = 0;
    sm->turn_loads = 0;
    sm->has_faulted = sm->is_stalled = false;
    memset(&sm->flights, 0, sizeof sm->flights);
    sm->hand = hand;
    sm->trace = NULL;
    for (uint32_t i = 0; i < run->options->trace_count; i++)
        if (run->options->traces[i].sm == index)
            sm->trace = &run->options->traces[i];
    sm->request_mark = 0;
    wl_sm_begin_requests(sm);
    sm->asked.count = 0;
    sm->alone = (struct wl_trace){.sm = index};
    sm->cta_count = resident;
    sm->ctas = wl_alloc_aligned(WL_APART, sm->cta_count * sizeof *sm->ctas);
    sm->ctas_live = 0;
    wl_schedule_begin(&sm->schedule, sm->cta_count, run->warps_per_block);
    reserve_warps(sm, sm->cta_count * run->warps_per_block);
    for (uint32_t i = 0; i < sm->cta_count; i++)
        cta_create(&sm->ctas[i], &sm->warps[i * run->warps_per_block], run,
                   memory + i * run->place_bytes);
}

void wl_sm_end(struct wl_sm *sm)
{
    for (uint32_t i = 0; i < sm->cta_count; i++)
        free(sm->ctas[i].lonely);
    free(sm->ctas);
    wl_trace_free(&sm->alone);
    wl_findings_free(&sm->findings);
    wl_schedule_end(&sm->schedule);
    if (sm->request_capacity > 2 * TRACE_LIMIT || sm->kept.capacity > 2 * TRACE_LIMIT)
        free_requests(sm);
    sm->ctas = NULL;
    sm->cta_count = 0;
    sm->request_count = sm->asked.count = sm->stored.count = sm->kept.count = 0;
}

void wl_sm_free(struct wl_sm *sm)
{
    for (uint32_t i = 0; i < sm->warp_capacity; i++)
        free(sm->warps[i].stack);
    free(sm->warps);
    sm->warps = NULL;
    sm->warp_capacity = 0;
    free_requests(sm);
}

/* Writes a reducing barrier's result to the warps that waited, and lets them go on. */
static void release_barrier(struct wl_cta *cta, uint32_t number)
{
    uint32_t population = cta->barriers[number].population;
    bool all = cta->barriers[number].all == 0, any = cta->barriers[number].any != 0;
    if (cta->shadow)
        wl_shadow_release(cta, number);
    uint32_t released = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct wl_warp *warp = &cta->warps[i];
        if (warp->status != WL_WARP_AT_BARRIER || warp->barrier != number)
            continue;
        if (cta->lonely)
            cta->lonely[number].warp = NULL;
        const struct wl_op *op = warp->barrier_op;
        if (op->kind == 2) {
            uint32_t *lanes = (uint32_t *)(void *)(warp->registers + op->dst);
            for (int lane = 0; lane < WL_LANES; lane++)
                if (warp->active >> lane & 1)
                    lanes[lane] = population;
        } else if (op->kind > 2) {
            uint32_t *cell = (uint32_t *)(void *)(warp->registers + op->dst);
            bool result = op->kind == 3 ? all : any;
            *cell = (*cell & ~warp->active) | (result ? warp->active : 0);
        }
        warp->status = WL_WARP_READY;
        released |= (uint32_t)1 << i;
    }
    wl_schedule_release(&cta->warps->sm->schedule, number_of(cta), released);
    memset(&cta->barriers[number], 0, sizeof cta->barriers[number]);
    cta->begun &= ~(1u << number);
}

static bool is_complete(const struct wl_cta *cta, uint32_t number)
{
    uint32_t expected = cta->barriers[number].expected;
    if (expected == 0 || expected > cta->warps_live)
        expected = cta->warps_live;
    return cta->barriers[number].arrived && cta->barriers[number].arrived >= expected;
}

static void complete_barrier(struct wl_cta *cta, uint32_t number)
{
    if (!is_complete(cta, number))
        return;
    wl_check_short_barrier(cta, number);
    release_barrier(cta, number);
}

static void note_lonely(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_cta *cta = warp->cta;
    if (!cta->lonely)
        cta->lonely = wl_alloc_zero(WL_BARRIERS, sizeof *cta->lonely);
    cta->lonely[warp->barrier] =
        (struct wl_lonely){warp, op, (uint32_t)__builtin_ctz(warp->active)};
}

static void arrive(struct wl_warp *warp)
{
    struct wl_cta *cta = warp->cta;
    uint32_t number = warp->barrier;
    const struct wl_op *op = warp->barrier_op;
    uint32_t threads = op->b == UINT32_MAX ? 0 : (uint32_t)op->b;
    if (op->flags & WL_OPF_DST64) /* thread count in a register */
        threads = ((const uint32_t *)(const void *)(warp->registers +
                                                    op->b))[__builtin_ctz(warp->active)];
    cta->barriers[number].expected = (threads + WL_LANES - 1) / WL_LANES;
    cta->begun |= 1u << number;
    cta->barriers[number].arrived++;
    cta->barriers[number].population +=
        (uint32_t)__builtin_popcount(warp->barrier_value & warp->active);
    cta->barriers[number].all |= ~warp->barrier_value & warp->active;
    cta->barriers[number].any |= warp->barrier_value & warp->active;
    if (cta->lonely)
        cta->lonely[number].warp = NULL;
    if (op->kind == 1) {
        note_lonely(warp, op);
        warp->status = WL_WARP_READY;
        wait_until(warp, 0);
    }
    complete_barrier(cta, number);
}

static uint64_t count_issued(const struct wl_cta *cta)
{
    uint64_t issued = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        issued += cta->warps[i].issued;
    return issued;
}

/* The place of a cluster is free for another when all its blocks have ended. */
static void cta_done(struct wl_cta *cta, struct wl_worker *worker)
{
    struct wl_sm *sm = cta->warps->sm;
    struct wl_cta *first = wl_cluster_block(cta, 0);
    worker->blocks_done++;
    wl_check_lonely_arrivals(cta);
    cta->is_live = false;
    sm->ctas_live--;
    first->cluster.issued += count_issued(cta);
    if (--first->cluster.blocks_live)
        return;
    unseat_cluster(cta, worker);
    wl_hand_end(sm->hand, first->cluster.issued, sm->time);
    cluster_start(sm - cta->rank, (uint32_t)(cta - sm->ctas), worker->run, sm->time);
}

static void warp_done(struct wl_warp *warp, struct wl_worker *worker)
{
    struct wl_cta *cta = warp->cta;
    worker->warps_done++;
    if (warp->trace)
        cta->trace->words += warp->trace->count;
    wl_cluster_leave(warp);
    if (--cta->warps_live == 0) {
        cta_done(cta, worker);
        return;
    }
    for (uint32_t left = cta->begun; left; left &= left - 1)
        complete_barrier(cta, (uint32_t)__builtin_ctz(left));
}

/* When the warp whose turn just ended goes on: behind its loads. They take as long whether caches
 * are modelled or not, so that the order of warps, on which results of races hang, does not. */
static uint64_t arrival_of_loads(struct wl_sm *sm, const struct wl_run *run)
{
    const uint64_t arrival =
        sm->time + (sm->turn_loads ? run->load_latency : run->gpu->alu_latency);
    if (sm->turn_loads)
        wl_flights_add(&sm->flights, sm->turn_loads, arrival);
    sm->turn_loads = 0;
    return arrival;
}

/* Words of a block that goes on alone. */
enum { ALONE_WORDS = 1 << 18 };

/* Whether the SM has nothing else to do, though the warp is longer than any that ended there. */
static bool goes_on_alone(const struct wl_warp *warp, const struct wl_run *run)
{
    const struct wl_sm *sm = warp->sm;
    return sm->ctas_live == 1 && !warp->trace && run->options->alone && !sm->alone.block_count &&
           run->cluster_size == 1 && sm->issued_longest && !sm->hand->count &&
           !sm->hand->has_more &&
           (double)warp->issued > WL_TRACE_LONGER_WARP * (double)sm->issued_longest;
}

static void record_alone(struct wl_cta *cta)
{
    struct wl_sm *sm = cta->warps->sm;
    sm->alone.words_begin = sm->alone.words_most = ALONE_WORDS;
    struct wl_trace_block_record *record = wl_trace_begin(&sm->alone, cta->linear, cta->warp_count);
    cta->trace = &sm->alone;
    cta->trace_limit = ALONE_WORDS / cta->warp_count;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].trace = &record->warps[i];
    sm->request_mark = WL_L2_ALONE;
}

/* Tests of barrier objects without success after which a warp may be waiting for ever. */
enum { VAIN_TESTS = 1 << 17 };

/* What makes a loop around a test more than waiting: it may learn something, or do something. */
static bool is_idle_op(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_BARRIER_OBJECT:
        return op->kind >= WL_BARRIER_TEST;
    case WL_OP_WARPGROUP_MULTIPLY:
    case WL_OP_LOAD_GLOBAL:
    case WL_OP_LOAD_SHARED:
    case WL_OP_LOAD_GENERIC:
    case WL_OP_STORE_GLOBAL:
    case WL_OP_STORE_SHARED:
    case WL_OP_STORE_GENERIC:
    case WL_OP_ATOMIC_GLOBAL:
    case WL_OP_ATOMIC_SHARED:
    case WL_OP_ATOMIC_GENERIC:
    case WL_OP_ATOMIC_LIST:
    case WL_OP_TEXTURE_FETCH:
    case WL_OP_SURFACE_LOAD:
    case WL_OP_SURFACE_STORE:
    case WL_OP_SURFACE_REDUCE:
    case WL_OP_COPY_ASYNC:
    case WL_OP_COPY_BULK:
    case WL_OP_COPY_TENSOR:
    case WL_OP_BARRIER:
    case WL_OP_EXIT:
    case WL_OP_CALL_PRINT:
        return false;
    default:
        return true;
    }
}

static bool is_jump(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_BLOCK:
    case WL_OP_JOIN:
    case WL_OP_GUARD:
    case WL_OP_BRANCH:
    case WL_OP_BRANCH_IF:
    case WL_OP_BRANCH_INDEX:
    case WL_OP_CALL:
    case WL_OP_CALL_INDIRECT:
    case WL_OP_RETURN:
        return true;
    default:
        return false;
    }
}

/* A turn of a warp that has spun on one test for long: whether it did nothing but test. What is
 * done in one go, a stretch or a compiled segment, lies between the operation and the next. */
static bool run_watched(struct wl_warp *warp)
{
    bool is_idle = true;
    warp->is_watched = true;
    for (const struct wl_op *op = warp->pc, *next; op; op = next) {
        next = op->run[warp->is_masked](warp, op);
        const struct wl_op *end = is_jump(op) || !next || next <= op ? op + 1 : next;
        for (const struct wl_op *done = op; done < end; done++)
            is_idle &= is_idle_op(done);
    }
    warp->is_watched = false;
    return is_idle;
}

static bool is_block_stuck(const struct wl_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count && cta->is_live; i++) {
        const struct wl_warp *warp = &cta->warps[i];
        bool waits = warp->status == WL_WARP_AT_BARRIER || warp->status == WL_WARP_AT_CLUSTER;
        if (warp->status != WL_WARP_DONE && !waits && !warp->is_idle)
            return false;
    }
    return true;
}

/* No warp of the block's cluster does anything but wait. */
static bool is_stuck(const struct wl_cta *cta, const struct wl_run *run)
{
    for (uint32_t rank = 0; rank < run->cluster_size; rank++)
        if (!is_block_stuck(wl_cluster_block(cta, rank)))
            return false;
    return true;
}

/* The test that the warp is at: it ended its turn there, or is on its way around the loop. */
static const struct wl_op *find_test(const struct wl_warp *warp)
{
    const struct wl_program *program = warp->worker->run->program;
    const struct wl_op *op = warp->pc;
    while (op > program->ops && op->code != WL_OP_BARRIER_OBJECT &&
           op->code != WL_OP_WARPGROUP_WAIT)
        op--;
    return op;
}

/* Only threads of its cluster complete a barrier object, and all of them wait. */
static void fault_vain_tests(struct wl_warp *warp)
{
    const struct wl_op *test = find_test(warp);
    wl_warp_fault(warp, test, WL_SIM_FAULT_TRAP, "barrier deadlock",
                  "%s: all warps of the block that have not ended (%u) wait for this one or at "
                  "other barriers",
                  test->code == WL_OP_WARPGROUP_WAIT
                      ? "the other warps of the warpgroup never come to the products waited for"
                      : "a barrier object's phase never ends",
                  warp->cta->warps_live);
}

static void run_warp(struct wl_warp *warp, struct wl_worker *worker)
{
    struct wl_sm *sm = warp->sm;
    warp->worker = worker;
    warp->fuel = WL_FUEL;
    if (!warp->registers)
        seat_cluster(warp->cta, worker);
    if (goes_on_alone(warp, worker->run))
        record_alone(warp->cta);
    if (warp->trace && warp->trace->count > warp->cta->trace_limit) {
        warp->trace = NULL;
        warp->cta->trace->is_cut = true;
    }
    if (warp->vain_tests < VAIN_TESTS) {
        const struct wl_op *op = warp->pc;
        warp->is_idle = false;
        do
            op = op->run[warp->is_masked](warp, op);
        while (op);
    } else {
        warp->is_idle = run_watched(warp);
    }
    sm->time = wl_warp_time(warp);
    sm->issued += (uint64_t)(WL_FUEL - warp->fuel);
    warp->issued += (uint64_t)(WL_FUEL - warp->fuel);
    uint64_t arrival = arrival_of_loads(sm, worker->run);
    switch (warp->status) {
    case WL_WARP_AT_BARRIER:
        wait_until(warp, WL_SCHEDULE_NEVER);
        arrive(warp);
        break;
    case WL_WARP_AT_CLUSTER:
        wait_until(warp, WL_SCHEDULE_NEVER);
        break;
    case WL_WARP_DONE:
        wait_until(warp, WL_SCHEDULE_NEVER);
        if (warp->issued > sm->issued_longest)
            sm->issued_longest = warp->issued;
        warp_done(warp, worker);
        break;
    case WL_WARP_READY:
        wait_until(warp, arrival);
        if (warp->is_idle && is_stuck(warp->cta, worker->run))
            fault_vain_tests(warp);
        break;
    case WL_WARP_FAULT:
        wait_until(warp, WL_SCHEDULE_NEVER);
        break;
    }
}

static void fault_at_barrier(struct wl_warp *warp, const struct wl_run *run)
{
    const struct wl_cta *cta = warp->cta, *first = wl_cluster_block(cta, 0);
    if (warp->status == WL_WARP_AT_CLUSTER)
        wl_warp_fault(warp, warp->barrier_op, WL_SIM_FAULT_TRAP, "barrier deadlock",
                      "%u of %u warps have arrived at the barrier of the cluster of %u blocks, the "
                      "others never come",
                      first->cluster.arrived, first->cluster.warps_live, run->cluster_size);
    else
        wl_warp_fault(warp, warp->barrier_op, WL_SIM_FAULT_TRAP, "barrier deadlock",
                      "%u of %u warps wait at barrier %u, the others never come",
                      cta->barriers[warp->barrier].arrived, cta->warps_live, warp->barrier);
}

/* No warp can run: they wait at barriers that nobody will complete. */
static bool fault_deadlock(struct wl_sm *sm, struct wl_worker *worker)
{
    for (uint32_t c = 0; c < sm->cta_count; c++) {
        for (uint32_t w = 0; w < sm->ctas[c].warp_count && sm->ctas[c].is_live; w++) {
            struct wl_warp *warp = &sm->ctas[c].warps[w];
            if (warp->status != WL_WARP_AT_BARRIER && warp->status != WL_WARP_AT_CLUSTER)
                continue;
            warp->worker = worker;
            fault_at_barrier(warp, worker->run);
            return true;
        }
    }
    return false;
}

/* Of the SMs of a cluster, that which is behind the others among those that can go on in this
 * epoch. NULL: none can; *is_dead: since they all wait. */
static struct wl_sm *choose_sm(struct wl_sm *sms, uint32_t count, bool *is_dead)
{
    struct wl_sm *chosen = NULL;
    bool has_live = false, has_going = false;
    for (struct wl_sm *sm = sms; sm < sms + count; sm++) {
        has_live |= sm->ctas_live > 0;
        if (!sm->ctas_live || sm->is_stalled)
            continue;
        has_going = true;
        if (sm->time < sm->epoch_end && (!chosen || sm->time < chosen->time))
            chosen = sm;
    }
    *is_dead = has_live && !has_going;
    return chosen;
}

/* One turn of one warp; false where the epoch is to be left. */
static bool run_turn(struct wl_sm *sm, struct wl_worker *worker)
{
    if (worker->ahead.sm)
        wl_ahead_ask(&worker->ahead, worker->run);
    sm->time = wl_flights_land(&sm->flights, sm->time);
    const uint32_t number = wl_schedule_pick(&sm->schedule, &sm->time);
    if (number == WL_SCHEDULE_NONE) {
        sm->is_stalled = true;
        return true;
    }
    struct wl_warp *warps = sm->ctas[number / WL_SCHEDULE_WARPS].warps;
    const struct wl_warp *next = &warps[wl_schedule_next(&sm->schedule, number)];
    __builtin_prefetch(next);
    __builtin_prefetch((const char *)next + 64);
    run_warp(&warps[number % WL_SCHEDULE_WARPS], worker);
    return !wl_hand_is_wanting(sm->hand) && !sm->has_faulted;
}

void wl_sm_run_epoch(struct wl_sm *sms, uint32_t count, struct wl_worker *worker, uint64_t length)
{
    const struct wl_run *run = worker->run;
    const size_t limit = run->program->blocks_communicate ? SIZE_MAX : TRACE_LIMIT;
    const size_t kept_most =
        run->orders_sums && !run->count ? sms->kept.count + KEPT_OF_EPOCH : SIZE_MAX;
    bool is_dead = false;
    for (uint32_t i = 0; i < count; i++) {
        sms[i].epoch_end += length;
        sms[i].is_interrupted = false;
        if (sms[i].has_faulted)
            return; /* the others end their epoch: which fault is the first depends on no timing */
    }
    for (uint32_t i = 0; i < sms->cta_count; i++)
        if (!sms->ctas[i].cluster.blocks_live)
            cluster_start(sms, i, run, sms->time);
    for (struct wl_sm *sm; (sm = choose_sm(sms, count, &is_dead));) {
        sm->is_interrupted = sm->request_count >= limit;
        if (sm->is_interrupted || sm->kept.count > kept_most || !run_turn(sm, worker))
            return;
    }
    for (uint32_t i = 0; is_dead && i < count; i++)
        is_dead = !fault_deadlock(&sms[i], worker);
}
