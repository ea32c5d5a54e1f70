/* Which SM gets which block: hardware hands the next block to the SM that has room first. So do
 * these while blocks differ: an SM that has room stops, and the SMs get blocks in the order in
 * which they had room. Where blocks that have ended took about as many instructions, but for very
 * few shorter ones, SMs are dealt as many as they are about to end, in rounds over the SMs, and
 * need not stop: that comes to nearly the same. The outcome does not depend on the threads that run
 * the SMs. */
#ifndef WL_SIM_DEAL_H
#define WL_SIM_DEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/count.h"

/* An SM's blocks to come, in order. */
struct wl_hand {
    uint64_t *blocks;
    uint32_t first, count, capacity; /* blocks[first .. first + count) */
    uint32_t taken;                  /* since the last deal */
    uint32_t wanted;                 /* blocks[] that it shall have */
    uint32_t running, resident;      /* blocks that it runs; and may */
    bool has_more;                   /* blocks are left to deal */
    uint64_t room_at;                /* the SM's time when a block ended last */
    uint64_t issued;                 /* instructions of the SM, when it stopped last */
    uint64_t ended;                  /* those of blocks that have ended */
    uint64_t ended_count;            /* of these blocks */
    uint64_t least, most;            /* instructions of one of them */
} __attribute__((aligned(WL_APART)));

struct wl_deal {
    uint64_t next, total; /* blocks */
    struct wl_hand *hands, **order;
    uint32_t hand_count, resident; /* SMs; blocks of one at a time */
    bool is_ahead; /* SMs are dealt ahead whatever the blocks are; false at the beginning */
};

/* For blocks 0 .. total - 1 on hand_count SMs. */
void wl_deal_begin(struct wl_deal *deal, uint64_t total, uint32_t hand_count, uint32_t resident);
void wl_deal_end(struct wl_deal *deal);

/* Before an epoch, and while an SM waits for a block; false if there is nothing left to deal. */
bool wl_deal_round(struct wl_deal *deal);

/* Whether an SM waits for a block. */
bool wl_deal_is_requested(const struct wl_deal *deal);

/* The SM's next block; false if its hand is empty. */
static inline bool wl_hand_take(struct wl_hand *hand, uint64_t *block)
{
    if (!hand->count)
        return false;
    *block = hand->blocks[hand->first++];
    hand->count--;
    hand->taken++;
    hand->running++;
    return true;
}

/* A block of the SM has ended, at the SM's time, after so many instructions. */
static inline void wl_hand_end(struct wl_hand *hand, uint64_t instructions, uint64_t time)
{
    hand->running--;
    hand->room_at = time;
    hand->ended += instructions;
    if (!hand->ended_count || instructions < hand->least)
        hand->least = instructions;
    if (instructions > hand->most)
        hand->most = instructions;
    hand->ended_count++;
}

/* The SM has room for a block and none at hand, though some are left. */
static inline bool wl_hand_is_wanting(const struct wl_hand *hand)
{
    return hand->has_more && !hand->count && hand->running < hand->resident;
}

#endif
