/* Which warp of an SM runs next: of the oldest block that has a warp ready, the next one in turn
 * behind that which ran last, so that the warps of a block advance in step. Every so often one of
 * the blocks is taken in turn instead, so that none starves behind others that spin. */
#ifndef WL_SIM_SCHEDULE_H
#define WL_SIM_SCHEDULE_H

#include <stdint.h>

#define WL_SCHEDULE_NEVER UINT64_MAX
#define WL_SCHEDULE_NONE UINT32_MAX
#define WL_SCHEDULE_WARPS 32 /* of a block, at most: warps are numbered so many a block */

/* Loads of an SM on their way, oldest turn first. */
#define WL_FLIGHTS 256 /* turns; more than may be on their way */
struct wl_flights {
    struct {
        uint64_t arrival;
        uint32_t loads;
    } turns[WL_FLIGHTS];
    uint32_t first, count, loads;
};

/* Notes `loads` (at least one) that come at arrival. */
void wl_flights_add(struct wl_flights *flights, uint32_t loads, uint64_t arrival);

/* The first time, not before `time`, at which the SM can issue another load. */
uint64_t wl_flights_land(struct wl_flights *flights, uint64_t time);

struct wl_schedule_block {
    uint32_t ready, waiting; /* warps: that may run; that wait for a known time */
    uint32_t last;           /* that ran last */
    uint32_t rank;           /* by age: 0 is the oldest block's */
};

/* Warps that wait for a known time, the first to come first: a ring. */
struct wl_schedule_queue {
    struct wl_schedule_wait {
        uint64_t time;
        uint32_t warp;
    } * waits;
    uint32_t first, count;
};

/* How long a warp waits is one of few spans (of loads, of arithmetic), so that almost all who begin
 * to wait come behind all others of one of two queues. */
struct wl_schedule {
    struct wl_schedule_block *blocks;
    uint32_t *order;       /* blocks by rank */
    uint64_t *ready_ranks; /* a bit for each rank: the block has a warp that is ready */
    struct wl_schedule_queue queues[2];
    uint32_t block_count, warps_per_block;
    uint32_t queue_mask; /* places of a queue less 1: a power of two, room for all warps */
    uint32_t turn, cursor;
};

/* For so many blocks of at most WL_SCHEDULE_WARPS warps. None may run yet. */
void wl_schedule_begin(struct wl_schedule *schedule, uint32_t blocks, uint32_t warps_per_block);
void wl_schedule_end(struct wl_schedule *schedule);

/* The warps of the block start again: it is the youngest, and they are ready at time. */
void wl_schedule_renew(struct wl_schedule *schedule, uint32_t block, uint64_t time);

/* The warp may not run before `ready`; WL_SCHEDULE_NEVER: until told. */
void wl_schedule_wait(struct wl_schedule *schedule, uint32_t warp, uint64_t ready);

/* These warps of the block (bits) may run now. */
void wl_schedule_release(struct wl_schedule *schedule, uint32_t block, uint32_t warps);

/* The warp to run at *time, which moves on if all wait for a later one. WL_SCHEDULE_NONE: all wait
 * until told. */
uint32_t wl_schedule_pick(struct wl_schedule *schedule, uint64_t *time);

/* The first warp of the block that is ready behind the one picked last, or from the beginning: its
 * number in the block. One at least is ready. */
static inline uint32_t wl_schedule_next_of(const struct wl_schedule_block *block)
{
    const uint32_t behind = block->ready & ~(((uint32_t)2 << block->last) - 1);
    return (uint32_t)__builtin_ctz(behind ? behind : block->ready);
}

/* Of the block of the warp that was picked, the one likely to be picked next: that is ready now.
 * Its number in the block; the same one if no other is. */
static inline uint32_t wl_schedule_next(const struct wl_schedule *schedule, uint32_t warp)
{
    const struct wl_schedule_block *block = &schedule->blocks[warp / WL_SCHEDULE_WARPS];
    return block->ready ? wl_schedule_next_of(block) : warp % WL_SCHEDULE_WARPS;
}

#endif
