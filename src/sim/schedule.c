#include "sim/schedule.h"

#include <stdbool.h>
#include <stdlib.h>

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

void wl_schedule_begin(struct wl_schedule *schedule, uint32_t blocks, uint32_t warps_per_block)
{
    schedule->blocks = wl_alloc_zero(blocks, sizeof *schedule->blocks);
    schedule->order = wl_alloc_zero(blocks, sizeof *schedule->order);
    schedule->arrive = wl_alloc_zero((size_t)blocks * WL_SCHEDULE_WARPS, sizeof *schedule->arrive);
    schedule->block_count = blocks;
    schedule->warps_per_block = warps_per_block;
    schedule->next = WL_SCHEDULE_NEVER;
    schedule->turn = schedule->cursor = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        schedule->order[i] = i;
        schedule->blocks[i].next = WL_SCHEDULE_NEVER;
    }
}

void wl_schedule_end(struct wl_schedule *schedule)
{
    free(schedule->blocks);
    free(schedule->order);
    free(schedule->arrive);
    *schedule = (struct wl_schedule){0};
}

/* When the first of the block's warps that wait may run. */
static uint64_t first_arrival(const struct wl_schedule *schedule, uint32_t number)
{
    const uint64_t *arrive = schedule->arrive + (size_t)number * WL_SCHEDULE_WARPS;
    uint64_t first = WL_SCHEDULE_NEVER;
    for (uint32_t left = schedule->blocks[number].waiting; left; left &= left - 1) {
        const uint64_t here = arrive[__builtin_ctz(left)];
        first = here < first ? here : first;
    }
    return first;
}

void wl_schedule_wait(struct wl_schedule *schedule, uint32_t warp, uint64_t ready)
{
    const uint32_t number = warp / WL_SCHEDULE_WARPS;
    struct wl_schedule_block *block = &schedule->blocks[number];
    const uint32_t bit = (uint32_t)1 << warp % WL_SCHEDULE_WARPS;
    const bool was_waiting = block->waiting & bit;
    block->ready &= ~bit;
    block->waiting &= ~bit;
    if (was_waiting)
        block->next = first_arrival(schedule, number);
    if (ready == WL_SCHEDULE_NEVER)
        return;
    block->waiting |= bit;
    schedule->arrive[warp] = ready;
    block->next = ready < block->next ? ready : block->next;
    schedule->next = ready < schedule->next ? ready : schedule->next;
}

void wl_schedule_release(struct wl_schedule *schedule, uint32_t block, uint32_t warps)
{
    struct wl_schedule_block *released = &schedule->blocks[block];
    released->ready |= warps;
    if (!(released->waiting & warps))
        return;
    released->waiting &= ~warps;
    released->next = first_arrival(schedule, block);
    schedule->next = WL_SCHEDULE_NEVER;
    for (uint32_t i = 0; i < schedule->block_count; i++)
        if (schedule->blocks[i].next < schedule->next)
            schedule->next = schedule->blocks[i].next;
}

void wl_schedule_renew(struct wl_schedule *schedule, uint32_t block, uint64_t time)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < schedule->block_count; i++)
        if (schedule->order[i] != block)
            schedule->order[kept++] = schedule->order[i];
    schedule->order[kept] = block;
    for (uint32_t i = 0; i < schedule->warps_per_block; i++)
        wl_schedule_wait(schedule, block * WL_SCHEDULE_WARPS + i, time);
    schedule->blocks[block].last = schedule->warps_per_block - 1;
}

/* Makes ready who of the block has waited until now. */
static void land_block(struct wl_schedule *schedule, uint32_t number, uint64_t time)
{
    struct wl_schedule_block *block = &schedule->blocks[number];
    const uint64_t *arrive = schedule->arrive + (size_t)number * WL_SCHEDULE_WARPS;
    uint64_t next = WL_SCHEDULE_NEVER;
    uint32_t here = 0;
    for (uint32_t left = block->waiting; left; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctz(left);
        const uint64_t arrival = arrive[warp];
        here |= (uint32_t)(arrival <= time) << warp;
        next = arrival > time && arrival < next ? arrival : next;
    }
    block->waiting &= ~here;
    block->ready |= here;
    block->next = next;
}

/* Makes ready who has waited until now; finds who comes next. */
static void land(struct wl_schedule *schedule, uint64_t time)
{
    schedule->next = WL_SCHEDULE_NEVER;
    for (uint32_t i = 0; i < schedule->block_count; i++) {
        if (schedule->blocks[i].next <= time)
            land_block(schedule, i, time);
        if (schedule->blocks[i].next < schedule->next)
            schedule->next = schedule->blocks[i].next;
    }
}

static uint32_t pick_of(struct wl_schedule *schedule, uint32_t number)
{
    struct wl_schedule_block *block = &schedule->blocks[number];
    const uint32_t behind = block->ready & ~(((uint32_t)2 << block->last) - 1);
    block->last = (uint32_t)__builtin_ctz(behind ? behind : block->ready);
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
    for (uint32_t i = 0; i < schedule->block_count; i++)
        if (schedule->blocks[schedule->order[i]].ready)
            return pick_of(schedule, schedule->order[i]);
    return WL_SCHEDULE_NONE;
}

uint32_t wl_schedule_pick(struct wl_schedule *schedule, uint64_t *time)
{
    if (*time >= schedule->next)
        land(schedule, *time);
    const bool goes_round = ++schedule->turn > TURNS_BY_AGE;
    if (goes_round)
        schedule->turn = 0;
    uint32_t warp = goes_round ? pick_in_turn(schedule) : pick_by_age(schedule);
    if (warp != WL_SCHEDULE_NONE || schedule->next == WL_SCHEDULE_NEVER)
        return warp;
    *time = schedule->next;
    land(schedule, *time);
    return pick_by_age(schedule);
}
