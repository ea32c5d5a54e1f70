#include "sim/schedule.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"

enum {
    TURNS_BY_AGE = 15,    /* between two picks that go round the blocks */
    LOADS_IN_FLIGHT = 200 /* of an SM; measured on H200, docs/evidence/h200-microbenchmarks.md */
};

void wl_flights_add(struct wl_flights *flights, uint32_t loads, uint64_t arrival)
{
    uint32_t last = (flights->first + flights->count++) % WL_FLIGHTS;
    flights->turns[last].arrival = arrival;
    flights->turns[last].loads = loads;
    flights->loads += loads;
}

uint64_t wl_flights_land(struct wl_flights *flights, uint64_t time)
{
    while (flights->count &&
           (flights->loads >= LOADS_IN_FLIGHT || flights->turns[flights->first].arrival <= time)) {
        uint64_t arrival = flights->turns[flights->first].arrival;
        time = arrival > time ? arrival : time;
        flights->loads -= flights->turns[flights->first].loads;
        flights->first = (flights->first + 1) % WL_FLIGHTS;
        flights->count--;
    }
    return time;
}

static uint32_t rank_words(uint32_t blocks)
{
    return (blocks + 63) / 64;
}

void wl_schedule_begin(struct wl_schedule *schedule, uint32_t blocks, uint32_t warps_per_block)
{
    uint32_t places = 1;
    while (places < blocks * warps_per_block)
        places *= 2;
    *schedule = (struct wl_schedule){
        .block_count = blocks, .warps_per_block = warps_per_block, .queue_mask = places - 1};
    schedule->blocks = wl_alloc_aligned(WL_APART, blocks * sizeof *schedule->blocks);
    schedule->order = wl_alloc_aligned(WL_APART, blocks * sizeof *schedule->order);
    schedule->ready_ranks =
        wl_alloc_aligned(WL_APART, rank_words(blocks) * sizeof *schedule->ready_ranks);
    for (int i = 0; i < 2; i++)
        schedule->queues[i].waits =
            wl_alloc_aligned(WL_APART, places * sizeof *schedule->queues[i].waits);
    for (uint32_t i = 0; i < blocks; i++)
        schedule->order[i] = schedule->blocks[i].rank = i;
}

void wl_schedule_end(struct wl_schedule *schedule)
{
    free(schedule->blocks);
    free(schedule->order);
    free(schedule->ready_ranks);
    for (int i = 0; i < 2; i++)
        free(schedule->queues[i].waits);
    *schedule = (struct wl_schedule){0};
}

static struct wl_schedule_wait *wait_at(const struct wl_schedule *schedule,
                                        const struct wl_schedule_queue *queue, uint32_t place)
{
    return &queue->waits[(queue->first + place) & schedule->queue_mask];
}

static uint64_t first_time(const struct wl_schedule_queue *queue)
{
    return queue->count ? queue->waits[queue->first].time : WL_SCHEDULE_NEVER;
}

/* Whether nobody in the queue waits for longer. */
static bool is_behind_all(const struct wl_schedule *schedule, const struct wl_schedule_queue *queue,
                          uint64_t time)
{
    return !queue->count || wait_at(schedule, queue, queue->count - 1)->time <= time;
}

static void enqueue(struct wl_schedule *schedule, uint32_t warp, uint64_t time)
{
    struct wl_schedule_queue *queue = &schedule->queues[0];
    if (!is_behind_all(schedule, queue, time))
        queue++;
    uint32_t place = queue->count++;
    for (; place && wait_at(schedule, queue, place - 1)->time > time; place--)
        *wait_at(schedule, queue, place) = *wait_at(schedule, queue, place - 1);
    *wait_at(schedule, queue, place) = (struct wl_schedule_wait){time, warp};
}

/* Takes a warp that waits out of its queue before its time. */
static void leave_queue(struct wl_schedule *schedule, uint32_t warp)
{
    for (struct wl_schedule_queue *queue = schedule->queues; queue < schedule->queues + 2;
         queue++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < queue->count; i++)
            if (wait_at(schedule, queue, i)->warp != warp)
                *wait_at(schedule, queue, kept++) = *wait_at(schedule, queue, i);
        queue->count = kept;
    }
}

static void set_ready(struct wl_schedule *schedule, struct wl_schedule_block *block, uint32_t ready)
{
    const uint64_t rank = (uint64_t)1 << block->rank % 64;
    uint64_t *word = &schedule->ready_ranks[block->rank / 64];
    block->ready = ready;
    *word = ready ? *word | rank : *word & ~rank;
}

void wl_schedule_wait(struct wl_schedule *schedule, uint32_t warp, uint64_t ready)
{
    struct wl_schedule_block *block = &schedule->blocks[warp / WL_SCHEDULE_WARPS];
    const uint32_t bit = (uint32_t)1 << warp % WL_SCHEDULE_WARPS;
    if (block->waiting & bit)
        leave_queue(schedule, warp);
    set_ready(schedule, block, block->ready & ~bit);
    block->waiting &= ~bit;
    if (ready == WL_SCHEDULE_NEVER)
        return;
    block->waiting |= bit;
    enqueue(schedule, warp, ready);
}

void wl_schedule_release(struct wl_schedule *schedule, uint32_t block, uint32_t warps)
{
    struct wl_schedule_block *released = &schedule->blocks[block];
    for (uint32_t left = released->waiting & warps; left; left &= left - 1)
        leave_queue(schedule, block * WL_SCHEDULE_WARPS + (uint32_t)__builtin_ctz(left));
    released->waiting &= ~warps;
    set_ready(schedule, released, released->ready | warps);
}

void wl_schedule_renew(struct wl_schedule *schedule, uint32_t block, uint64_t time)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < schedule->block_count; i++)
        if (schedule->order[i] != block)
            schedule->order[kept++] = schedule->order[i];
    schedule->order[kept] = block;
    for (uint32_t i = 0; i < schedule->block_count; i++) {
        struct wl_schedule_block *moved = &schedule->blocks[schedule->order[i]];
        moved->rank = i;
        set_ready(schedule, moved, moved->ready);
    }
    for (uint32_t i = 0; i < schedule->warps_per_block; i++)
        wl_schedule_wait(schedule, block * WL_SCHEDULE_WARPS + i, time);
    schedule->blocks[block].last = schedule->warps_per_block - 1;
}

/* When the first of those that wait may run. */
static uint64_t next_time(const struct wl_schedule *schedule)
{
    const uint64_t first = first_time(&schedule->queues[0]);
    const uint64_t other = first_time(&schedule->queues[1]);
    return first < other ? first : other;
}

/* Makes ready who has waited until now. */
static void land(struct wl_schedule *schedule, uint64_t time)
{
    for (struct wl_schedule_queue *queue = schedule->queues; queue < schedule->queues + 2; queue++)
        while (queue->count && queue->waits[queue->first].time <= time) {
            const uint32_t warp = queue->waits[queue->first].warp;
            struct wl_schedule_block *block = &schedule->blocks[warp / WL_SCHEDULE_WARPS];
            const uint32_t bit = (uint32_t)1 << warp % WL_SCHEDULE_WARPS;
            block->waiting &= ~bit;
            set_ready(schedule, block, block->ready | bit);
            queue->first = (queue->first + 1) & schedule->queue_mask;
            queue->count--;
        }
}

static uint32_t pick_of(struct wl_schedule *schedule, uint32_t number)
{
    struct wl_schedule_block *block = &schedule->blocks[number];
    block->last = wl_schedule_next_of(block);
    return number * WL_SCHEDULE_WARPS + block->last;
}

static uint32_t pick_in_turn(struct wl_schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->block_count; i++) {
        schedule->cursor = schedule->cursor + 1 < schedule->block_count ? schedule->cursor + 1 : 0;
        if (schedule->blocks[schedule->cursor].ready)
            return pick_of(schedule, schedule->cursor);
    }
    return WL_SCHEDULE_NONE;
}

static uint32_t pick_by_age(struct wl_schedule *schedule)
{
    for (uint32_t i = 0; i < rank_words(schedule->block_count); i++)
        if (schedule->ready_ranks[i]) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(schedule->ready_ranks[i]);
            return pick_of(schedule, schedule->order[i * 64 + bit]);
        }
    return WL_SCHEDULE_NONE;
}

uint32_t wl_schedule_pick(struct wl_schedule *schedule, uint64_t *time)
{
    land(schedule, *time);
    const bool goes_round = ++schedule->turn > TURNS_BY_AGE;
    if (goes_round)
        schedule->turn = 0;
    const uint32_t warp = goes_round ? pick_in_turn(schedule) : pick_by_age(schedule);
    if (warp != WL_SCHEDULE_NONE)
        return warp;
    const uint64_t next = next_time(schedule);
    if (next == WL_SCHEDULE_NEVER)
        return WL_SCHEDULE_NONE;
    *time = next;
    land(schedule, next);
    return pick_by_age(schedule);
}
