#include "timing/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "timing/course.h"
#include "timing/engine_state.h"
#include "timing/laps.h"

/* What the warp did from where it was accounted for until then, at op. */
static inline void account_at(struct engine *engine, struct warp *warp, const struct timing_op *op,
                              uint64_t until, uint8_t state)
{
    uint64_t end = until > warp->accounted ? until : warp->accounted;
    engine->instruction_states[op->instruction * WL_TIMING_STATE_COUNT + state] +=
        end - warp->accounted;
    warp->accounted = end;
}

static inline void account(struct engine *engine, struct warp *warp, uint64_t until, uint8_t state)
{
    account_at(engine, warp, warp->op, until, state);
}

/* ---- following the trace ---- */

static bool is_left_out(struct engine *engine, struct warp *warp, uint32_t lanes)
{
    if (!(engine->input->changes & WL_TIMING_NO_DIVERGENCE)) {
        engine->path.met |= lanes < 32 ? WL_TIMING_NO_DIVERGENCE : 0;
        return false;
    }
    warp->lanes += lanes;
    if (warp->lanes < 32)
        return true;
    warp->lanes -= 32;
    return false;
}

/* Reads the trace up to the next group of blocks and the accesses in it; false at its end. */
static bool enter_group(struct engine *engine, struct warp *warp)
{
    const struct timing_code *code = engine->code;
    while (warp->at < warp->end) {
        uint32_t lanes = wl_trace_lanes(*warp->at);
        uint32_t head = code->blocks[wl_trace_block(*warp->at)].head;
        bool is_loop = code->blocks[head].unrolled != WL_MACHINE_NONE;
        if (is_loop && warp->loop != head && !is_left_out(engine, warp, lanes)) {
            warp->loop = head;
            warp->op = code->ops + code->groups[code->blocks[head].entry].first;
            warp->op_end = warp->op + code->groups[code->blocks[head].entry].count;
            return true;
        }
        warp->loop = is_loop ? head : WL_MACHINE_NONE;
        uint32_t chosen = course_choose_turns(code, warp, head);
        uint32_t slots = code->blocks[chosen].turns * code->groups[head].slots;
        memset(warp->slots, 0, slots * sizeof *warp->slots);
        for (uint32_t turn = 0; turn < code->blocks[chosen].turns; turn++) {
            parting_enter(&warp->parting, head, wl_trace_lanes(*warp->at));
            warp->at =
                course_pass(code, warp->at, warp->end, warp, turn * code->groups[head].slots);
        }
        const struct timing_group *group = &code->groups[chosen];
        bool is_last = warp->at >= warp->end; /* a warp at least ends */
        if (group->count == 0 || (!is_last && is_left_out(engine, warp, lanes)))
            continue;
        warp->op = code->ops + group->first;
        warp->op_end = warp->op + group->count;
        return true;
    }
    return false;
}

/* Cycle at which the operands of op are there; *state: what the warp waits for until then. */
static uint64_t operands_ready(const struct engine *engine, const struct warp *warp,
                               const struct timing_op *op, uint8_t *state)
{
    const uint32_t *operands = engine->code->operands + op->operands;
    uint64_t latest = 0;
    for (uint32_t k = 0; k < (uint32_t)op->def_count + op->use_count; k++) {
        uint64_t at = warp->ready_at[operands[k]];
        const struct timing_held *held = &warp->held[operands[k]];
        uint64_t counted = warp->scoreboard_at[held->scoreboard];
        if (held->waits == warp->waits[held->scoreboard])
            at = counted > at ? counted : at;
        if (k == op->guard && at)
            at += (uint64_t)engine->model->guard_latency << STATE_BITS;
        latest = at > latest ? at : latest;
    }
    *state = (uint8_t)(latest & ((1u << STATE_BITS) - 1));
    return latest >> STATE_BITS;
}

static void set_ready(const struct engine *engine, struct warp *warp, const struct timing_op *op,
                      uint64_t at, uint8_t state)
{
    const uint32_t *operands = engine->code->operands + op->operands;
    uint64_t entry = at << STATE_BITS | state;
    for (uint32_t k = 0; k < (uint32_t)op->def_count + op->use_count; k++) {
        const struct timing_held *held = &warp->held[operands[k]];
        warp->waits[held->scoreboard] += held->waits == warp->waits[held->scoreboard];
    }
    for (uint32_t k = 0; k < op->def_count; k++) {
        warp->ready_at[operands[k]] = entry;
        warp->held[operands[k]] = (struct timing_held){op->scoreboard, warp->waits[op->scoreboard]};
    }
    if (op->scoreboard < TIMING_SCOREBOARDS && entry > warp->scoreboard_at[op->scoreboard])
        warp->scoreboard_at[op->scoreboard] = entry;
}

/* The instruction at the head of a warp, which was asked for when the one before had issued, and
 * what constants it reads, where the warp does not come from the same lines. */
static void wait_for_fetches(struct engine *engine, struct warp *warp, uint64_t *ready)
{
    const struct timing_op *op = warp->op;
    if (op->is_at_line) {
        uint64_t there = fetch_code(&engine->fetch, op->line, warp->earliest);
        if (there > *ready) {
            *ready = there;
            warp->state = WL_TIMING_NO_INSTRUCTION;
        }
    }
    if (op->constants != WL_MACHINE_NONE) {
        uint64_t there = fetch_constant(&engine->fetch, op->constants, *ready);
        if (there > *ready) {
            *ready = there;
            warp->state = WL_TIMING_IMC_MISS;
        }
    }
}

/* Moves on to the next instruction that takes an issue slot and says when it may issue; false: the
 * warp's trace has ended. */
static bool find_next(struct engine *engine, struct warp *warp, uint64_t *ready)
{
    for (;;) {
        if (warp->op == warp->op_end && !enter_group(engine, warp))
            return false;
        uint8_t state;
        uint64_t at = operands_ready(engine, warp, warp->op, &state);
        if (warp->op->is_free) {
            set_ready(engine, warp, warp->op, at, state);
            warp->op++;
            continue;
        }
        uint64_t earliest = warp->earliest;
        uint8_t earliest_state = warp->earliest_state;
        uint64_t spaced = warp->spaced_at[engine->model->kinds[warp->op->kind].spacing];
        if (spaced > earliest) {
            earliest = spaced;
            earliest_state = WL_TIMING_WAIT;
        }
        bool is_operand = at > earliest;
        *ready = is_operand ? at : earliest;
        warp->state = is_operand ? state : earliest_state;
        if (warp->op->is_at_line || warp->op->constants != WL_MACHINE_NONE)
            wait_for_fetches(engine, warp, ready);
        return true;
    }
}

/* ---- blocks and warps ---- */

static void set_warp(const struct engine *engine, struct warp *warp, uint64_t ready)
{
    struct scheduler *scheduler = warp->scheduler;
    scheduler->waits[warp->slot] = (struct wait){.kind = &engine->model->kinds[warp->op->kind],
                                                 .ready = ready,
                                                 .tried = ready,
                                                 .held_by = HELD_BY_NOTHING};
    wake_set(&scheduler->wake, warp->slot, ready);
    scheduler->next = ready < scheduler->next ? ready : scheduler->next;
}

static void retire(struct engine *engine, struct warp *warp, uint64_t now);

/* Bits below a place. */
static uint64_t below(uint32_t place)
{
    return place < WAKE_SLOTS ? (UINT64_C(1) << place) - 1 : UINT64_MAX;
}

static void append(struct warp *warp)
{
    struct scheduler *scheduler = warp->scheduler;
    scheduler->place[warp->slot] = (uint8_t)scheduler->count;
    scheduler->order[scheduler->count++] = (uint8_t)warp->slot;
}

/* Takes the warp, which does not sleep, out of its place; those behind it up to `end` move up. */
static void close_gap(struct scheduler *scheduler, uint32_t place, uint32_t end)
{
    uint64_t awake = scheduler->awake, moved = below(end - 1) & ~below(place);
    scheduler->awake = (awake & below(place)) | (awake >> 1 & moved) | (awake & ~below(end));
    for (; place + 1 < end; place++) {
        uint8_t slot = scheduler->order[place + 1];
        scheduler->order[place] = slot;
        scheduler->place[slot] = (uint8_t)place;
    }
}

/* For which a block's warps are there before their first instruction: bench/gpu/model
 * contention, live_only of 2000 cycles, whose warps are active for 2200; on an SM that had none,
 * from when it was given them. */
#define BEGIN_CYCLES 100

/* What warps wait for before their first instruction, in %: on an SM that had none as straight.64
 * and parameters of one line do (bench/gpu/model fetch, by all SMs, less what their code costs);
 * later code and constants are there, and first values of constants and special registers are not.
 */
static const struct {
    uint8_t state, first_pct, later_pct;
} begin_states[] = {
    {WL_TIMING_NO_INSTRUCTION, 50, 5},
    {WL_TIMING_IMC_MISS, 20, 0},
    {WL_TIMING_SHORT_SCOREBOARD, 30, 55},
    {WL_TIMING_WAIT, 0, 40},
};

static void account_begin(struct engine *engine, struct warp *warp)
{
    const struct block *block = warp->block;
    uint64_t cycles = block->start - block->given, pct = 0;
    for (size_t i = 0; i < WL_COUNT(begin_states); i++) {
        pct += block->is_first ? begin_states[i].first_pct : begin_states[i].later_pct;
        account(engine, warp, block->given + cycles * pct / 100, begin_states[i].state);
    }
}

static void start_block(struct engine *engine, uint32_t place, uint64_t now)
{
    const struct wl_trace *trace = engine->input->trace;
    struct block *block = &engine->blocks[place];
    if (engine->next_block >= trace->block_count)
        return;
    const struct wl_trace_block_record *record = trace->blocks[engine->next_block++];
    double ready = (double)now + engine->model->block_latency;
    double start = engine->next_start > ready ? engine->next_start : ready;
    engine->next_start =
        start + (engine->next_block < engine->resident ? engine->model->first_block_interval
                                                       : engine->model->block_interval);
    block->start = (uint64_t)start;
    block->is_first = now == 0;
    /* what the first block has fetched is there for the next ones */
    double first = fmax(2 * engine->model->start_cycles - start, BEGIN_CYCLES);
    block->given = block->start - (uint64_t)fmin(block->is_first ? first : BEGIN_CYCLES, start);
    block->number = (uint32_t)record->number;
    block->live = record->warp_count;
    engine->adu_cycles += 2 * record->warp_count; /* the stack pointer */
    block->ended = block->arrived = 0;
    block->is_live = true;
    block->bulk = (struct bulk_times){0};
    for (uint32_t i = 0; i < record->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        warp->copies = (struct copies){0};
        warp->at = record->warps[i].items;
        warp->end = warp->at + record->warps[i].count;
        warp->op = warp->op_end = NULL;
        warp->accounted = block->given;
        warp->earliest = block->start;
        memset(warp->spaced_at, 0, sizeof warp->spaced_at);
        warp->stored = 0;
        warp->earliest_state = WL_TIMING_NO_INSTRUCTION;
        warp->lanes = 0;
        warp->loop = WL_MACHINE_NONE;
        warp->block = block;
        memset(warp->ready_at, 0, engine->code->register_count * sizeof *warp->ready_at);
        for (uint32_t k = 0; k < engine->code->register_count; k++)
            warp->held[k] = (struct timing_held){TIMING_NO_SCOREBOARD, 0};
        memset(warp->waits, 0, sizeof warp->waits);
        memset(warp->scoreboard_at, 0, sizeof warp->scoreboard_at);
        append(warp);
    }
    for (uint32_t i = 0; i < record->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        uint64_t ready;
        if (!find_next(engine, warp, &ready)) {
            retire(engine, warp, block->start);
            continue;
        }
        account_begin(engine, warp);
        set_warp(engine, warp, ready);
    }
}

static void release_barrier(struct engine *engine, struct block *block, uint64_t now)
{
    uint64_t release = now + engine->model->barrier_latency;
    block->arrived = 0;
    for (uint32_t i = 0; i < engine->input->warps_per_block; i++) {
        struct warp *warp = &block->warps[i];
        if (!warp->is_waiting)
            continue;
        warp->is_waiting = false;
        account_at(engine, warp, warp->op - 1, release, WL_TIMING_BARRIER);
        warp->earliest = release;
        warp->earliest_state = WL_TIMING_WAIT;
        uint64_t ready;
        if (find_next(engine, warp, &ready))
            set_warp(engine, warp, ready);
        else
            retire(engine, warp, release);
    }
}

/* A warp's trace has ended. */
static void retire(struct engine *engine, struct warp *warp, uint64_t now)
{
    struct scheduler *scheduler = warp->scheduler;
    struct block *block = warp->block;
    if (warp->stored > now) /* it waits for its stores to leave */
        now = warp->stored;
    block->ended = now > block->ended ? now : block->ended;
    if (now + 1 > warp->accounted) {
        engine->result->states[WL_TIMING_DRAIN] += (double)(now + 1 - warp->accounted);
        warp->accounted = now + 1;
    }
    engine->result->warp_cycles += (double)(warp->accounted - block->given);
    close_gap(scheduler, scheduler->place[warp->slot], scheduler->count);
    scheduler->count--;
    block->live--;
    if (block->live && block->arrived >= block->live)
        release_barrier(engine, block, now);
    if (block->live || !block->is_live)
        return;
    block->is_live = false;
    now = block->ended;
    struct timing_result *result = engine->result;
    result->block_ends[result->block_end_count++] = (double)now;
    double taken = (double)(now - block->start);
    if (result->block_end_count == 1 || taken < result->least_block)
        result->least_block = taken;
    result->end = (double)now > result->end ? (double)now : result->end;
    if (engine->input->trace->is_cut) { /* from here on the SM would be emptier than it was */
        engine->has_ended = true;
        return;
    }
    start_block(engine, (uint32_t)(block - engine->blocks), now + 1);
}

/* ---- issue ---- */

/* The pipe that takes the instruction: of two that may the one that is free first. */
static uint32_t choose_pipe(const struct scheduler *scheduler, const struct timing_kind *kind)
{
    return scheduler->pipe_free[kind->pipe] <= scheduler->pipe_free[kind->other_pipe]
               ? kind->pipe
               : kind->other_pipe;
}

/* Cycle at which pipe and queue have room. */
static uint64_t room_at(const struct scheduler *scheduler, const struct timing_kind *kind)
{
    int64_t free_at = (int64_t)scheduler->pipe_free[choose_pipe(scheduler, kind)] - kind->ahead;
    int64_t queue_at = (int64_t)scheduler->port.queues[kind->queue].room_at;
    return (uint64_t)(queue_at > free_at ? queue_at : free_at);
}

/* Cycle at which the operand port, which works a cycle ahead, takes the next instruction. */
static uint64_t operands_at(const struct scheduler *scheduler, uint64_t now)
{
    return scheduler->operands_free > (double)now + 1 ? (uint64_t)scheduler->operands_free : now;
}

static void fetch_operands(struct scheduler *scheduler, const struct timing_model *model,
                           const struct timing_op *op, uint64_t now)
{
    double begin = scheduler->operands_free > (double)now ? scheduler->operands_free : (double)now;
    scheduler->operands_free =
        begin + (op->read_count + model->kinds[op->kind].fetches) * model->read_cycles;
}

static void arrive_at_barrier(struct engine *engine, struct warp *warp, uint64_t now)
{
    struct block *block = warp->block;
    uint64_t served = now > engine->barrier_free ? now : engine->barrier_free;
    engine->barrier_free = served + engine->model->barrier_interval;
    warp->is_waiting = true;
    if (++block->arrived >= block->live)
        release_barrier(engine, block, served);
}

/* The warp's wait for its operands, and for how long it was held back. */
static void account_held(struct engine *engine, struct warp *warp, const struct wait *wait)
{
    account(engine, warp, wait->ready, warp->state);
    account(engine, warp, warp->accounted + wait->held[HELD_BY_ROOM], wait->kind->throttle);
    account(engine, warp, warp->accounted + wait->held[HELD_BY_PORT], WL_TIMING_DISPATCH_STALL);
}

/* All of the warp's wait until now, when its instruction issues. */
static void account_wait(struct engine *engine, struct warp *warp, uint64_t now)
{
    struct wait *wait = &warp->scheduler->waits[warp->slot];
    wait->held[wait->held_by] += warp->scheduler->wake.at[warp->slot] - wait->tried;
    account_held(engine, warp, wait);
    account(engine, warp, now, WL_TIMING_NOT_SELECTED);
}

/* The access at the head of a warp; returns when its data are there. */
static uint64_t access_memory(struct engine *engine, struct path_port *port,
                              const struct warp *warp, uint64_t now)
{
    const struct timing_op *op = warp->op;
    uint32_t word = op->slot != WL_MACHINE_NONE ? warp->slots[op->slot] : 0;
    uint32_t sector = word ? warp->sectors[op->slot] : 0;
    if (word && op->is_wide)
        word = path_with_two_passes(word);
    struct sector_visit visit;
    engine->path.is_one_by_one = false;
    bool is_load = (op->kind == WL_MACHINE_LOAD || op->kind == WL_MACHINE_COPY) && sector;
    if (is_load)
        word = sectors_load(&engine->sectors, sector, word, &visit);
    else if (op->kind == WL_MACHINE_STORE && sector)
        word = sectors_store(&engine->sectors, sector, word, &engine->model->one_by_one, now,
                             &engine->path.is_one_by_one);
    if (word && is_load)
        engine->path.chance = sectors_chance(&engine->chance, sector, word);
    uint64_t comes = is_load && !visit.pays ? visit.sector->there : 0;
    uint64_t there = path_access(&engine->path, engine->model, engine->input->changes, op->kind,
                                 port, comes, word, now);
    return is_load ? sectors_finish(&visit, there)
                   : bulk_pass(&warp->block->bulk, op->kind, sector, there);
}

/* Issues an instruction of the loop over a warp's lanes that its head is. False: it is the last
 * lane's copy itself, or no such loop. */
static bool issue_lap(struct engine *engine, struct warp *warp, uint64_t now)
{
    const struct timing_op *op = warp->op;
    if (!op->lane_count || op->slot == WL_MACHINE_NONE || !warp->slots[op->slot])
        return false;
    if (warp->laps == 0)
        laps_begin(warp, op, now);
    if (--warp->laps == 0)
        return false;
    account_wait(engine, warp, now);
    account(engine, warp, now + 1, WL_TIMING_SELECTED);
    engine->instruction_executed[op->instruction]++;
    warp->earliest = now + warp->lap_cycles;
    warp->earliest_state =
        op->kind == WL_MACHINE_BULK ? WL_TIMING_WAIT : WL_TIMING_SHORT_SCOREBOARD;
    uint64_t ready;
    if (find_next(engine, warp, &ready))
        set_warp(engine, warp, ready);
    return true;
}

/* When the warp goes on behind a branch or a meeting at its head, and why not before. Returns when
 * the first reason ends. */
static uint64_t hold_branch(struct engine *engine, struct warp *warp, const struct timing_op *op,
                            uint64_t now)
{
    if (op->is_meeting) {
        const bool costs = !(engine->input->changes & WL_TIMING_NO_DIVERGENCE);
        const uint32_t parts = costs ? parting_meet(&warp->parting) : 0;
        warp->earliest =
            now + engine->model->meeting_latency + parts * engine->model->parting_latency;
        warp->earliest_state = WL_TIMING_BRANCH_RESOLVING;
        return now + (1 + parts) * PARTING_FALLS;
    }
    const bool goes_on = warp->op < warp->op_end || enter_group(engine, warp);
    const bool falls = goes_on && parting_falls_through(op, warp->op);
    warp->earliest = now + (falls ? PARTING_FALLS : engine->model->branch_latency);
    warp->earliest_state = falls ? WL_TIMING_WAIT : WL_TIMING_NO_INSTRUCTION;
    return now + (falls ? 1 : PARTING_RESOLVES);
}

/* Performs the instruction at the head of a warp. */
static void issue(struct engine *engine, struct scheduler *scheduler, struct warp *warp,
                  uint64_t now)
{
    const struct timing_op *op = warp->op;
    const struct timing_kind *kind = &engine->model->kinds[op->kind];
    struct timing_result *result = engine->result;
    if (issue_lap(engine, warp, now))
        return;
    account_wait(engine, warp, now);
    account(engine, warp, now + 1, WL_TIMING_SELECTED);
    engine->instruction_executed[op->instruction]++;
    engine->adu_cycles += op->adu_cycles;
    if (op->kind == WL_MACHINE_UNKNOWN)
        result->unknown = op->instruction;
    uint32_t pipe = choose_pipe(scheduler, kind);
    uint32_t interval = (uint32_t)kind->interval * op->weight;
    uint64_t begin = scheduler->pipe_free[pipe] > now ? scheduler->pipe_free[pipe] : now;
    scheduler->pipe_free[pipe] = begin + interval;
    fetch_operands(scheduler, engine->model, op, now);
    result->pipe_busy[pipe] += interval;
    warp->earliest = now + 1;
    warp->earliest_state = WL_TIMING_WAIT;
    uint64_t done = begin + kind->latency;
    if (kind->spacing == TIMING_SPACED_BY_PIPE) {
        warp->spaced_at[TIMING_SPACED_BY_PIPE] = now + interval;
    } else if (kind->spacing == TIMING_SPACED_BY_MEMORY) {
        warp->spaced_at[TIMING_SPACED_BY_MEMORY] = now + engine->model->memory_interval;
        engine->served = (uint32_t)(scheduler - engine->schedulers);
    }
    if (kind->pipe == WL_MACHINE_PIPE_LSU || kind->pipe == WL_MACHINE_PIPE_TEXTURE)
        done = access_memory(engine, &scheduler->port, warp, now);
    if (op->kind == WL_MACHINE_STORE || op->kind == WL_MACHINE_BULK)
        warp->stored = done > warp->stored ? done : warp->stored;
    set_ready(engine, warp, op, done, kind->state);
    const uint64_t copied = copies_pass(&warp->copies, op->kind, op->groups_left, done);
    warp->op++;
    uint64_t resolved = now + 1;
    if (op->kind == WL_MACHINE_BRANCH || op->is_meeting) {
        resolved = hold_branch(engine, warp, op, now);
    } else if (op->kind == WL_MACHINE_FENCE) {
        warp->earliest = now + kind->latency;
        warp->earliest_state = WL_TIMING_MEMBAR;
    } else if (copied > warp->earliest) {
        warp->earliest = copied;
        warp->earliest_state = WL_TIMING_LONG_SCOREBOARD;
    } else if (op->kind == WL_MACHINE_BARRIER &&
               !(engine->input->changes & WL_TIMING_NO_BARRIERS)) {
        engine->path.met |= WL_TIMING_NO_BARRIERS;
        arrive_at_barrier(engine, warp, now);
        return;
    }
    uint64_t ready;
    if (!find_next(engine, warp, &ready)) {
        retire(engine, warp, now);
        return;
    }
    account(engine, warp, resolved, op->is_meeting ? WL_TIMING_WAIT : WL_TIMING_BRANCH_RESOLVING);
    set_warp(engine, warp, ready);
}

/* Puts a warp, which sleeps from now on, behind the others of its block. */
static void put_behind(struct scheduler *scheduler, uint32_t place)
{
    uint8_t slot = scheduler->order[place];
    const struct block *block = scheduler->warps[slot]->block;
    uint32_t end = place + 1;
    while (end < scheduler->count && scheduler->warps[scheduler->order[end]]->block == block)
        end++;
    close_gap(scheduler, place, end);
    scheduler->order[end - 1] = slot;
    scheduler->place[slot] = (uint8_t)(end - 1);
}

/* Of the warps that may issue now, the place of the one that issued last or else of the first that
 * pipe, queue and operand port take; those before it get the time to try again. The number of
 * warps if there is none. */
static uint32_t choose_warp(struct scheduler *scheduler, uint64_t now)
{
    struct wake *wake = &scheduler->wake;
    uint64_t fetched = operands_at(scheduler, now);
    uint32_t again = scheduler->place[scheduler->last];
    if (scheduler->awake >> again & 1 && fetched <= now &&
        scheduler->order[again] == scheduler->last &&
        room_at(scheduler, scheduler->waits[scheduler->last].kind) <= now)
        return again;
    for (; scheduler->awake; scheduler->awake &= scheduler->awake - 1, scheduler->awake_count--) {
        uint32_t place = (uint32_t)__builtin_ctzll(scheduler->awake);
        uint32_t slot = scheduler->order[place];
        struct wait *wait = &scheduler->waits[slot];
        uint64_t at = room_at(scheduler, wait->kind);
        if (at <= now && fetched <= now)
            return place;
        wait->held[wait->held_by] += wake->at[slot] - wait->tried;
        wait->tried = now;
        wait->held_by = at > now ? HELD_BY_ROOM : HELD_BY_PORT;
        wake_set(wake, slot, at > fetched ? at : fetched);
    }
    return scheduler->count;
}

/* One cycle of a scheduler: the warp that issued last goes on as long as it can
 * (bench/gpu/model turns, *.end), then one of the oldest block that has one ready, each of its
 * warps in turn. */
static void step(struct engine *engine, struct scheduler *scheduler, uint64_t now)
{
    uint64_t slots = wake_advance(&scheduler->wake, now);
    for (; slots; slots &= slots - 1, scheduler->awake_count++)
        scheduler->awake |= UINT64_C(1) << scheduler->place[__builtin_ctzll(slots)];
    uint32_t place = choose_warp(scheduler, now);
    if (place < scheduler->count) {
        struct warp *warp = scheduler->warps[scheduler->order[place]];
        engine->eligible += scheduler->awake_count--;
        engine->issued++;
        scheduler->last = scheduler->order[place];
        put_behind(scheduler, place);
        issue(engine, scheduler, warp, now);
    }
    scheduler->next = scheduler->awake ? now + 1 : wake_next(&scheduler->wake);
}

/* ---- the whole ---- */

/* What a warp does that has not ended when the replay does. */
static void close_account(struct engine *engine, struct warp *warp, uint64_t end)
{
    const struct wait *wait = &warp->scheduler->waits[warp->slot];
    if (warp->is_waiting) {
        account_at(engine, warp, warp->op - 1, end, WL_TIMING_BARRIER);
    } else if (wait->held_by == HELD_BY_NOTHING) {
        account(engine, warp, end, warp->state);
    } else {
        account_held(engine, warp, wait);
        account(engine, warp, wait->tried, WL_TIMING_NOT_SELECTED);
        account(engine, warp, end,
                wait->held_by == HELD_BY_ROOM ? wait->kind->throttle : WL_TIMING_DISPATCH_STALL);
    }
    engine->result->warp_cycles += (double)(warp->accounted - warp->block->given);
}

/* The share of the traces that was replayed, where their warps were cut off; accounts for what is
 * still under way. */
static double close_accounts(struct engine *engine)
{
    double replayed = 0, total = 0;
    uint64_t end = (uint64_t)engine->result->end;
    for (uint32_t b = 0; b < engine->next_block; b++) {
        const struct wl_trace_block_record *record = engine->input->trace->blocks[b];
        for (uint32_t w = 0; w < record->warp_count; w++)
            total += (double)record->warps[w].count;
    }
    replayed = total;
    for (uint32_t s = 0; s < engine->model->schedulers; s++)
        for (uint32_t i = 0; i < engine->schedulers[s].count; i++) {
            struct scheduler *scheduler = &engine->schedulers[s];
            struct warp *warp = scheduler->warps[scheduler->order[i]];
            close_account(engine, warp, end);
            replayed -= (double)(warp->end - warp->at);
        }
    return total > 0 ? replayed / total : 1;
}

static void create(struct engine *engine)
{
    const struct wl_timing_input *input = engine->input;
    uint32_t resident = engine->resident, warps = input->warps_per_block;
    uint32_t instructions = input->program->instruction_count;
    engine->instruction_executed = wl_alloc_zero(instructions, sizeof(uint64_t));
    engine->instruction_states =
        wl_alloc_zero((size_t)instructions * WL_TIMING_STATE_COUNT, sizeof(uint64_t));
    if (input->trace->answered)
        engine->path.device_share =
            (double)input->trace->answered_by_device / (double)input->trace->answered;
    engine->path.l1.looked.room = engine->path.texture.looked.room = engine->model->looked_up_room;
    engine->schedulers = wl_alloc_zero(engine->model->schedulers, sizeof *engine->schedulers);
    for (uint32_t s = 0; s < engine->model->schedulers; s++) {
        wake_init(&engine->schedulers[s].wake);
        for (int q = 0; q < WL_TIMING_QUEUES; q++) {
            struct path_queue *queue = &engine->schedulers[s].port.queues[q];
            queue->room = engine->model->queue_room[q];
            queue->port_cycles = engine->model->port_cycles[q];
        }
        engine->schedulers[s].port.queues[WL_TIMING_QUEUES].port_cycles = 1;
        engine->schedulers[s].next = WAKE_NEVER;
    }
    engine->blocks = wl_alloc_zero(resident, sizeof *engine->blocks);
    for (uint32_t b = 0; b < resident; b++) {
        engine->blocks[b].warps = wl_alloc_zero(warps, sizeof *engine->blocks[b].warps);
        for (uint32_t w = 0; w < warps; w++) {
            struct warp *warp = &engine->blocks[b].warps[w];
            warp->scheduler = &engine->schedulers[(b * warps + w) % engine->model->schedulers];
            warp->slot = (b * warps + w) / engine->model->schedulers;
            warp->scheduler->warps[warp->slot] = warp;
            warp->ready_at = wl_alloc_zero(engine->code->register_count + 1, sizeof(uint64_t));
            warp->held = wl_alloc_zero(engine->code->register_count + 1, sizeof *warp->held);
            warp->slots = wl_alloc_zero(engine->code->slot_most + 1, sizeof(uint32_t));
            warp->sectors = wl_alloc_zero(engine->code->slot_most + 1, sizeof(uint32_t));
        }
    }
}

static void destroy(struct engine *engine)
{
    free(engine->instruction_executed);
    free(engine->instruction_states);
    sectors_free(&engine->sectors);
    fetch_free(&engine->fetch);
    free(engine->schedulers);
    for (uint32_t b = 0; b < engine->resident; b++) {
        for (uint32_t w = 0; w < engine->input->warps_per_block; w++) {
            free(engine->blocks[b].warps[w].ready_at);
            free(engine->blocks[b].warps[w].slots);
            free(engine->blocks[b].warps[w].sectors);
            free(engine->blocks[b].warps[w].held);
        }
        free(engine->blocks[b].warps);
    }
    free(engine->blocks);
}

/* Counts as numbers of the result. */
static void report_counts(struct engine *engine)
{
    struct timing_result *result = engine->result;
    uint32_t count = engine->input->program->instruction_count;
    result->instructions = result->issue_cycles = (double)engine->issued;
    result->eligible = (double)engine->eligible;
    result->instruction_executed = wl_alloc_zero(count, sizeof(double));
    result->instruction_states =
        wl_alloc_zero((size_t)count * WL_TIMING_STATE_COUNT, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *states = engine->instruction_states + (size_t)i * WL_TIMING_STATE_COUNT;
        result->instruction_executed[i] = (double)engine->instruction_executed[i];
        for (uint32_t s = 0; s < WL_TIMING_STATE_COUNT; s++) {
            result->instruction_states[i * WL_TIMING_STATE_COUNT + s] = (double)states[s];
            result->states[s] += (double)states[s];
        }
    }
}

void timing_engine_run(const struct wl_timing_input *input, const struct timing_model *model,
                       const struct timing_code *code, struct timing_result *result)
{
    struct engine engine = {.input = input, .model = model, .code = code, .result = result};
    engine.resident = timing_resident_blocks(input);
    *result = (struct timing_result){.unknown = WL_MACHINE_NONE};
    result->block_ends = wl_alloc_zero(input->trace->block_count + 1, sizeof(double));
    create(&engine);
    fetch_init(&engine.fetch, &model->fetching, code);
    engine.next_start =
        model->start_cycles > model->block_latency ? model->start_cycles : model->block_latency;
    for (uint32_t b = 0; b < engine.resident; b++)
        start_block(&engine, b, 0);
    for (;;) {
        uint64_t now = WAKE_NEVER;
        for (uint32_t s = 0; s < model->schedulers; s++)
            now = engine.schedulers[s].next < now ? engine.schedulers[s].next : now;
        if (now == WAKE_NEVER || engine.has_ended)
            break;
        /* they take room for accesses in turns */
        uint32_t turn = engine.served;
        for (uint32_t k = 0; k < model->schedulers; k++) {
            turn = turn + 1 < model->schedulers ? turn + 1 : 0;
            struct scheduler *scheduler = &engine.schedulers[turn];
            if (scheduler->next <= now)
                step(&engine, scheduler, now);
        }
    }
    result->met = engine.path.met;
    result->replayed = engine.has_ended ? close_accounts(&engine) : 1;
    result->adu_busy = (double)engine.adu_cycles + engine.path.constant_busy;
    result->l1_busy = fmax(engine.path.l1.busy, engine.path.texture.busy);
    report_counts(&engine);
    /* a launch ends when its stores and atomics have left, for which no warp waits */
    if (!engine.has_ended && engine.path.l2_fill_free > result->end)
        result->end = engine.path.l2_fill_free;
    if (!engine.has_ended && engine.path.l1.free > result->end)
        result->end = engine.path.l1.free;
    destroy(&engine);
}

void timing_result_free(struct timing_result *result)
{
    free(result->block_ends);
    free(result->instruction_states);
    free(result->instruction_executed);
    *result = (struct timing_result){0};
}
