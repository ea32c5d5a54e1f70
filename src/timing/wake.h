/* When the warps of a scheduler may issue next: a wheel of the cycles to come, a bit a warp.
 * Internal to timing/. */
#ifndef WL_TIMING_WAKE_H
#define WL_TIMING_WAKE_H

#include <stdint.h>

#define WAKE_NEVER UINT64_MAX

enum { WAKE_SLOTS = 64, WAKE_CYCLES = 64 };

/* A warp has a slot. Zero-initialise, then wake_init. */
struct wake {
    uint64_t now;
    uint64_t later[WAKE_CYCLES]; /* slots whose cycle comes in that many, modulo their number */
    uint64_t later_used;         /* cycles of these that have any */
    uint64_t far;                /* slots whose cycle is further away */
    uint64_t far_first;          /* no cycle of those is before this one */
    uint64_t at[WAKE_SLOTS];     /* cycle from which on each may issue; WAKE_NEVER: open */
};

static inline void wake_init(struct wake *wake)
{
    wake->far_first = WAKE_NEVER;
    for (uint32_t slot = 0; slot < WAKE_SLOTS; slot++)
        wake->at[slot] = WAKE_NEVER;
}

/* For a slot that does not sleep. A cycle that is not to come counts as the next one. */
static inline void wake_set(struct wake *wake, uint32_t slot, uint64_t at)
{
    uint64_t bit = UINT64_C(1) << slot;
    wake->at[slot] = at;
    uint64_t comes = at > wake->now ? at : wake->now + 1;
    if (comes - wake->now < WAKE_CYCLES) {
        wake->later[comes % WAKE_CYCLES] |= bit;
        wake->later_used |= UINT64_C(1) << comes % WAKE_CYCLES;
    } else if (at != WAKE_NEVER) {
        wake->far |= bit;
        wake->far_first = at < wake->far_first ? at : wake->far_first;
    }
}

/* First cycle to come in which a slot wakes. */
static inline uint64_t wake_next(const struct wake *wake)
{
    if (!wake->later_used)
        return wake->far_first;
    uint32_t turn = (wake->now + 1) % WAKE_CYCLES;
    uint64_t ahead = wake->later_used >> turn | wake->later_used << (-turn % WAKE_CYCLES);
    return wake->now + 1 + (uint32_t)__builtin_ctzll(ahead);
}

/* The far slots, once it is time to look at them. */
void wake_look_far(struct wake *wake);

/* The time has come to now, which is not behind wake_next; returns the slots that wake. */
static inline uint64_t wake_advance(struct wake *wake, uint64_t now)
{
    wake->now = now;
    if (wake->far_first - now < WAKE_CYCLES)
        wake_look_far(wake);
    uint32_t place = now % WAKE_CYCLES;
    uint64_t slots = wake->later[place];
    wake->later[place] = 0;
    wake->later_used &= ~(UINT64_C(1) << place);
    return slots;
}

#endif
