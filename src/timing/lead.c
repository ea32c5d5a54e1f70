#include "timing/lead.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Calls visit for each access of a warp, with its number among those at its site. */
static void visit_accesses(struct lead *lead, const struct timing_code *code,
                           const struct wl_trace_warp *warp, uint32_t *turns,
                           void (*visit)(struct lead *, uint32_t site, uint32_t turn,
                                         uint32_t word))
{
    memset(turns, 0, code->site_count * sizeof *turns);
    for (size_t i = 0; i < warp->count;) {
        uint32_t site = warp->items[i];
        bool is_block = site & WL_TRACE_BLOCK;
        if (!is_block && site < code->site_count)
            visit(lead, site, turns[site]++, warp->items[i + 1]);
        i += is_block ? 1 : 2;
    }
}

static void count_turn(struct lead *lead, uint32_t site, uint32_t turn, uint32_t word)
{
    (void)word;
    if (turn >= lead->first[site + 1])
        lead->first[site + 1] = turn + 1;
}

static void add_access(struct lead *lead, uint32_t site, uint32_t turn, uint32_t word)
{
    struct lead_turn *to = &lead->turns[lead->first[site] + turn];
    struct wl_trace_access access = wl_trace_unpack(word);
    if (to->count == 0)
        to->sectors = (uint8_t)access.sectors;
    to->count++;
    to->payers += access.missed > 0;
    to->is_uneven |= access.is_shared || access.sectors != to->sectors ||
                     (access.missed && access.missed != access.sectors);
}

void lead_make(struct lead *lead, const struct timing_code *code,
               const struct wl_trace_block_record *record)
{
    uint32_t *turns = wl_alloc((code->site_count + 1u) * sizeof *turns);
    lead->first = wl_alloc_zero(code->site_count + 2u, sizeof *lead->first);
    for (uint32_t w = 0; w < record->warp_count; w++)
        visit_accesses(lead, code, &record->warps[w], turns, count_turn);
    for (uint32_t s = 0; s < code->site_count; s++)
        lead->first[s + 1] += lead->first[s];
    lead->turns = wl_alloc_zero(lead->first[code->site_count] + 1u, sizeof *lead->turns);
    for (uint32_t w = 0; w < record->warp_count; w++)
        visit_accesses(lead, code, &record->warps[w], turns, add_access);
    free(turns);
}

void lead_free(struct lead *lead)
{
    free(lead->first);
    free(lead->turns);
    *lead = (struct lead){0};
}

uint32_t lead_arrive(struct lead_turn *turn, uint32_t word, bool *pays)
{
    struct wl_trace_access access = wl_trace_unpack(word);
    *pays = (uint32_t)turn->arrived * turn->payers % turn->count < turn->payers;
    turn->arrived++;
    access.missed = *pays ? access.sectors : 0;
    access.pending = 0;
    return wl_trace_pack(access);
}

uint64_t lead_finish(struct lead_turn *turn, bool pays, uint64_t there)
{
    if (pays)
        turn->there = there;
    return there > turn->there ? there : turn->there;
}
