/* Lines that the warps of a block read together: whichever warp comes first fetches them, the
 * others wait for what is on its way. The trace says which warps came first when it was recorded;
 * in the replay others may, and then they are the ones that pay. Internal to timing/. */
#ifndef WL_TIMING_LEAD_H
#define WL_TIMING_LEAD_H

#include "timing/code.h"

/* The accesses of all warps of a block that are the n-th of each at a site. */
struct lead_turn {
    uint64_t there;        /* when what the last that paid missed comes */
    uint8_t count, payers; /* warps that were there, those that missed all of their sectors */
    uint8_t sectors;       /* that each looked up */
    uint8_t arrived;       /* in the replay, until now */
    bool is_uneven;        /* sectors differ, or some warp missed a part of them */
};

struct lead {
    uint32_t *first; /* of the turns of each site */
    struct lead_turn *turns;
};

void lead_make(struct lead *lead, const struct timing_code *code,
               const struct wl_trace_block_record *record);
void lead_free(struct lead *lead);

/* Whether it matters who comes first: some missed all of their sectors, others none. */
static inline bool lead_is_shared(const struct lead_turn *turn)
{
    return turn->payers && turn->payers < turn->count && !turn->is_uneven;
}

/* An access that issues now, in a turn that is shared. Those that pay are as many as in the trace,
 * evenly among all. Returns the trace's second word for it; *pays: it misses. */
uint32_t lead_arrive(struct lead_turn *turn, uint32_t word, bool *pays);

/* When its data are there, for which the path said `there`. */
uint64_t lead_finish(struct lead_turn *turn, bool pays, uint64_t there);

#endif
