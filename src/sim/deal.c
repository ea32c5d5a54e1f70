#include "sim/deal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void wl_deal_begin(struct wl_deal *deal, uint64_t total, uint32_t hand_count, uint32_t resident)
{
    deal->next = 0;
    deal->total = total;
    deal->is_ahead = false;
    deal->hands = wl_alloc_aligned(_Alignof(struct wl_hand), hand_count * sizeof *deal->hands);
    deal->hand_count = hand_count;
    deal->resident = resident;
    deal->order = wl_alloc_zero(hand_count, sizeof *deal->order);
    for (uint32_t i = 0; i < hand_count; i++) {
        deal->hands[i].resident = resident;
        deal->hands[i].has_more = total > 0;
    }
}

void wl_deal_end(struct wl_deal *deal)
{
    for (uint32_t i = 0; i < deal->hand_count; i++)
        free(deal->hands[i].blocks);
    free(deal->hands);
    free(deal->order);
    deal->hands = NULL;
    deal->order = NULL;
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

/* Blocks that have ended took within a tenth the same number of instructions, or lack on average a
 * hundredth of the longest, as where a few at the border end early; and none of those that run has
 * taken more. One that is longer would keep its SM from what others could do meanwhile. */
static bool is_even(const struct wl_deal *deal)
{
    uint64_t least = UINT64_MAX, most = 0, ended = 0, instructions = 0;
    for (uint32_t i = 0; i < deal->hand_count; i++) {
        const struct wl_hand *hand = &deal->hands[i];
        uint64_t running = hand->running ? (hand->issued - hand->ended) / hand->running : 0;
        most = running > most ? running : most;
        if (!hand->ended_count)
            continue;
        least = hand->least < least ? hand->least : least;
        most = hand->most > most ? hand->most : most;
        ended += hand->ended_count;
        instructions += hand->ended;
    }
    return ended && (most - least <= most / 10 || most - instructions / ended <= most / 100);
}

static int compare_room(const void *a, const void *b)
{
    const struct wl_hand *first = *(struct wl_hand *const *)a,
                         *second = *(struct wl_hand *const *)b;
    if (first->room_at != second->room_at)
        return first->room_at < second->room_at ? -1 : 1;
    return (first > second) - (first < second);
}

/* Who is dealt first, and how many blocks each hand shall have. */
static void plan(struct wl_deal *deal)
{
    const bool is_ahead = deal->is_ahead || is_even(deal);
    for (uint32_t i = 0; i < deal->hand_count; i++) {
        struct wl_hand *hand = &deal->hands[i];
        uint32_t room = hand->resident - hand->running;
        hand->wanted = is_ahead ? 2 * hand->taken + deal->resident : room;
        hand->taken = 0;
        if (hand->wanted > hand->count)
            make_room(hand, hand->wanted);
        deal->order[i] = hand;
    }
    if (!is_ahead)
        qsort(deal->order, deal->hand_count, sizeof(struct wl_hand *), compare_room);
}

bool wl_deal_round(struct wl_deal *deal)
{
    if (deal->next == deal->total)
        return false;
    plan(deal);
    for (bool is_dealt = true; is_dealt && deal->next < deal->total;) {
        is_dealt = false;
        for (uint32_t i = 0; i < deal->hand_count && deal->next < deal->total; i++) {
            struct wl_hand *hand = deal->order[i];
            if (hand->count >= hand->wanted)
                continue;
            hand->blocks[hand->first + hand->count++] = deal->next++;
            is_dealt = true;
        }
    }
    for (uint32_t i = 0; i < deal->hand_count; i++)
        deal->hands[i].has_more = deal->next < deal->total;
    return true;
}

bool wl_deal_is_requested(const struct wl_deal *deal)
{
    for (uint32_t i = 0; i < deal->hand_count; i++)
        if (wl_hand_is_wanting(&deal->hands[i]))
            return true;
    return false;
}
