/* Brings the requests of an epoch into one order: by time, and within a step of it by SM. Internal
 * to sim/l2.c, whose loop this is a step of. */
#ifndef WL_SIM_L2_MERGE_H
#define WL_SIM_L2_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/l2.h"

enum { L2_MERGE_STEP = 16 }; /* logical time within which SMs are taken in their order */

/* Requests of an epoch on their way into one order. */
struct l2_merge {
    const struct wl_l2_trace *traces;
    size_t trace_count, *next; /* of each trace, that is not taken yet */
    uint32_t *when;            /* its time; UINT32_MAX behind the last */
};

static inline void l2_merge_note(struct l2_merge *merge, size_t i)
{
    const struct wl_l2_trace *trace = &merge->traces[i];
    const bool is_over = merge->next[i] == trace->count;
    merge->when[i] = is_over ? UINT32_MAX : trace->requests[merge->next[i]].time;
}

/* The start of the step in which the earliest request not yet taken falls; false: none is left. */
static inline bool l2_merge_find_step(const struct l2_merge *merge, uint32_t *start)
{
    bool any = false;
    uint32_t earliest = UINT32_MAX;
    for (size_t i = 0; i < merge->trace_count; i++)
        earliest = merge->when[i] < earliest ? merge->when[i] : earliest;
    for (size_t i = 0; earliest == UINT32_MAX && i < merge->trace_count; i++)
        any |= merge->next[i] < merge->traces[i].count;
    *start = earliest - earliest % L2_MERGE_STEP;
    return any || earliest != UINT32_MAX;
}

#endif
