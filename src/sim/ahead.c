#include "sim/ahead.h"

#include <stdbool.h>

#include "sim/l1.h"
#include "sim/seats.h"
#include "sim/sm.h"

enum {
    HOST_LINE_BYTES = 64,
    LINES_A_TURN = 8,
    SECOND_LEVEL = 2,         /* the host's cache, as __builtin_prefetch names it */
    BLOCKS_BYTES = 512 * 1024 /* of an SM's blocks, at most: more than this finds no room there */
};

/* What an SM has besides its blocks. */
enum piece { CLOCK, BLOCKS, WAITS, FLIGHTS, WARPS, TAGS, FIRST_SEAT };

static bool fits(const struct wl_sm *sm, const struct wl_run *run)
{
    return sm->cta_count * wl_sm_seat_bytes(run) <= BLOCKS_BYTES;
}

/* Another thread may run the SM meanwhile: of what that changes, only what is read at once here. */
static uint32_t seat_of(const struct wl_sm *sm, uint32_t block)
{
    return __atomic_load_n(&sm->ctas[block].seat, __ATOMIC_RELAXED);
}

static void set_piece(struct wl_ahead *ahead, const void *at, size_t bytes)
{
    ahead->at = at;
    ahead->left = bytes;
}

/* The SM's next piece, which may be empty. False: it has no more. */
static bool begin_piece(struct wl_ahead *ahead, const struct wl_run *run)
{
    const struct wl_sm *sm = ahead->sm;
    const uint32_t piece = ahead->piece++;
    uint32_t seat;
    switch (piece) {
    case CLOCK:
        set_piece(ahead, sm, offsetof(struct wl_sm, flights));
        return true;
    case BLOCKS:
        set_piece(ahead, sm->ctas, sm->cta_count * sizeof *sm->ctas);
        return true;
    case WAITS:
        set_piece(ahead, sm->schedule.queues[0].waits,
                  (sm->schedule.queue_mask + 1) * sizeof *sm->schedule.queues[0].waits);
        return true;
    case FLIGHTS:
        set_piece(ahead, &sm->flights, sizeof sm->flights);
        return true;
    case WARPS:
        set_piece(ahead, sm->warps, sm->cta_count * run->warps_per_block * sizeof *sm->warps);
        return true;
    case TAGS:
        if (sm->l1 && run->count)
            set_piece(ahead, sm->l1->sets, sm->l1->set_count * sizeof *sm->l1->sets);
        return true;
    default:
        if (piece - FIRST_SEAT >= sm->cta_count || !fits(sm, run))
            return false;
        seat = seat_of(sm, piece - FIRST_SEAT);
        if (seat != WL_SEATS_NONE)
            set_piece(ahead, run->memory + seat * run->place_bytes, wl_sm_seat_bytes(run));
        return true;
    }
}

void wl_ahead_begin(struct wl_ahead *ahead, const struct wl_sm *sm)
{
    *ahead = (struct wl_ahead){.sm = sm};
}

void wl_ahead_ask(struct wl_ahead *ahead, const struct wl_run *run)
{
    while (!ahead->left)
        if (!begin_piece(ahead, run)) {
            ahead->sm = NULL;
            return;
        }
    for (size_t i = 0; i < LINES_A_TURN; i++)
        __builtin_prefetch(ahead->at + i * HOST_LINE_BYTES, 0, SECOND_LEVEL);
    const size_t asked = LINES_A_TURN * HOST_LINE_BYTES;
    ahead->at += asked;
    ahead->left -= ahead->left < asked ? ahead->left : asked;
}
