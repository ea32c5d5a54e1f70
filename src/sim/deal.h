/* Which SM gets which block: hardware hands the next block to the SM that has room first. Here
 * blocks are dealt before each epoch, to each SM as many as it is about to end, in rounds over the
 * SMs, so that the outcome does not depend on the threads that run the SMs. */
#ifndef WL_SIM_DEAL_H
#define WL_SIM_DEAL_H

#include <stdbool.h>
#include <stdint.h>

/* An SM's blocks to come, in order. */
struct wl_hand {
    uint64_t *blocks;
    uint32_t first, count, capacity; /* blocks[first .. first + count) */
    uint32_t taken;                  /* since the last deal */
};

struct wl_deal {
    uint64_t next, total; /* blocks */
    struct wl_hand *hands;
    uint32_t hand_count, resident; /* SMs; blocks of one at a time */
    bool is_started;
};

/* For blocks 0 .. total - 1 on hand_count SMs. */
void wl_deal_begin(struct wl_deal *deal, uint64_t total, uint32_t hand_count, uint32_t resident);
void wl_deal_end(struct wl_deal *deal);

/* Before an epoch; false if there is nothing left to deal. */
bool wl_deal_round(struct wl_deal *deal);

/* The SM's next block; false if its hand is empty. */
static inline bool wl_hand_take(struct wl_hand *hand, uint64_t *block)
{
    if (!hand->count)
        return false;
    *block = hand->blocks[hand->first++];
    hand->count--;
    hand->taken++;
    return true;
}

#endif
