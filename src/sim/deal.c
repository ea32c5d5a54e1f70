#include "sim/deal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_ROUNDS = 2 }; /* times the resident blocks, before any SM's pace is known */

void wl_deal_begin(struct wl_deal *deal, uint64_t total, uint32_t hand_count, uint32_t resident)
{
    deal->next = 0;
    deal->total = total;
    deal->hands = wl_alloc_zero(hand_count, sizeof *deal->hands);
    deal->hand_count = hand_count;
    deal->resident = resident;
    deal->is_started = false;
}

void wl_deal_end(struct wl_deal *deal)
{
    for (uint32_t i = 0; i < deal->hand_count; i++)
        free(deal->hands[i].blocks);
    free(deal->hands);
    deal->hands = NULL;
    deal->hand_count = 0;
}

/* Room for `wanted` blocks in all, those left first. */
static void make_room(struct wl_hand *hand, uint32_t wanted)
{
    if (hand->count)
        memmove(hand->blocks, hand->blocks + hand->first, hand->count * sizeof *hand->blocks);
    hand->first = 0;
    if (wanted <= hand->capacity)
        return;
    hand->blocks = wl_resize(hand->blocks, wanted, sizeof *hand->blocks);
    hand->capacity = wanted;
}

bool wl_deal_round(struct wl_deal *deal)
{
    if (deal->next == deal->total)
        return false;
    for (uint32_t i = 0; i < deal->hand_count; i++) {
        struct wl_hand *hand = &deal->hands[i];
        uint32_t wanted =
            deal->is_started ? 2 * hand->taken + deal->resident : FIRST_ROUNDS * deal->resident;
        hand->taken = wanted; /* from here to the end of the loops below: what it shall have */
        if (wanted > hand->count)
            make_room(hand, wanted);
    }
    for (bool is_dealt = true; is_dealt && deal->next < deal->total;) {
        is_dealt = false;
        for (uint32_t i = 0; i < deal->hand_count && deal->next < deal->total; i++) {
            struct wl_hand *hand = &deal->hands[i];
            if (hand->count >= hand->taken)
                continue;
            hand->blocks[hand->first + hand->count++] = deal->next++;
            is_dealt = true;
        }
    }
    for (uint32_t i = 0; i < deal->hand_count; i++)
        deal->hands[i].taken = 0;
    deal->is_started = true;
    return true;
}
