/* Requests that go to lines that others of their trace went to: located once, and put off together
 * as long as their lines stay open. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_RUN_H
#define WL_SIM_L2_RUN_H

#include <stdlib.h>

#include "sim/l2_batch.h"
#include "sim/l2_open.h"

/* Where lines are that runs go to. */
struct l2_known {
    uint64_t line[WL_L2_LINES];
    uint32_t at[WL_L2_LINES];        /* as in l2_place */
    uint32_t row[WL_L2_LINES];       /* marks */
    uint16_t row_place[WL_L2_LINES]; /* where they are noted */
    uint32_t home, closed; /* bits of lines: home partition; not open when served the last time */
    /* Lines that are open and lack words: those of runs that have been served for all, and for
     * those that have been served of the present run, its. */
    uint32_t owned, words, served, served_words;
    uint32_t noted; /* lines whose rows have been noted, and nothing else since */
    uint64_t noted_changes;
};

/* Some of a run's requests. */
struct l2_some {
    struct l2_known *known;
    uint32_t first; /* of those lines */
    uint32_t count, words, sectors, time;
    uint32_t mark; /* of lines that they leave open, but for the line */
    uint32_t trace;
};

/* known: of each trace's lines; mark: as in l2_batch; at: the first one's place in the trace. */
L2_INLINE struct l2_some l2_some_of(const struct wl_l2_trace *traces, struct l2_known *const *known,
                                    const struct wl_l2_request *request, uint32_t mark, uint32_t at)
{
    const uint32_t number = mark & L2_PLACE_TRACE;
    const struct wl_l2_run *run = &traces[number].repeats->runs.items[request->line];
    return (struct l2_some){.known = &known[number][run->lines],
                            .first = at - run->first,
                            .count = request->high & L2_RUN_COUNT_MASK,
                            .words = request->words,
                            .sectors = l2_begun_sectors(request->words),
                            .time = request->time,
                            .mark = mark & ~L2_PLACE_TRACE,
                            .trace = number};
}

static inline struct wl_l2_request l2_some_request(const struct l2_some *some, uint32_t i)
{
    return wl_l2_request_make(some->known->line[some->first + i], some->sectors, WL_L2_WRITE,
                              some->words, some->time + i);
}

static inline struct l2_place l2_some_place(const struct l2_opens *opens,
                                            const struct l2_some *some, uint32_t i)
{
    const uint32_t k = some->first + i, at = some->known->at[k];
    const uint32_t home = some->known->home >> k & 1;
    return (struct l2_place){.set = l2_open_set(opens, at),
                             .mark = some->mark | (uint32_t)(some->known->line[k] >> 32),
                             .origin = some->trace | home << L2_PLACE_HOME_SHIFT,
                             .at = at};
}

/* The lines to which they go, a bit each. */
static inline uint32_t l2_some_mask(const struct l2_some *some)
{
    return (uint32_t)(((uint64_t)1 << some->count) - 1) << some->first;
}

/* Notes the rows of some of a run. */
static inline void l2_some_note(struct l2_rows *rows, const struct l2_some *some)
{
    const struct l2_known *known = some->known;
    for (uint32_t k = some->first; k < some->first + some->count; k++)
        l2_rows_note(rows, known->row_place[k], known->row[k]);
}

/* The same, where no other thread knows the lines. */
static inline void l2_some_note_alone(struct l2_rows *rows, const struct l2_some *some)
{
    struct l2_known *known = some->known;
    const uint32_t mask = l2_some_mask(some);
    const uint64_t before = rows->changes;
    const bool is_same = known->noted_changes == before;
    if (is_same && !(mask & ~known->noted))
        return;
    l2_some_note(rows, some);
    known->noted = (is_same ? known->noted : 0) | mask;
    if (rows->changes != before)
        known->noted = 0; /* one may be in the place of another */
    known->noted_changes = rows->changes;
}

/* Gives owned lines their words. */
static inline void l2_known_settle(const struct l2_opens *opens, struct l2_known *known)
{
    for (uint32_t left = known->owned; left && (known->words | known->served); left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        opens->lines[known->at[k]].words |=
            known->words | (known->served >> k & 1 ? known->served_words : 0);
    }
    known->words = known->served = 0;
}

/* The same, and none is owned then. */
static inline void l2_known_disown(const struct l2_opens *opens, struct l2_known *known)
{
    l2_known_settle(opens, known);
    for (uint32_t left = known->owned; left; left &= left - 1)
        opens->lines[known->at[__builtin_ctz(left)]].owner = 0;
    known->owned = 0;
}

/* Gives an open line its words, if it is owned; it is not then. all: all known lines. */
static inline void l2_open_settle(struct l2_known *all, struct l2_open *open)
{
    if (!open->owner)
        return;
    const uint32_t k = (open->owner - 1) % WL_L2_LINES;
    struct l2_known *known = &all[(open->owner - 1) / WL_L2_LINES];
    open->words |= known->words | (known->served >> k & 1 ? known->served_words : 0);
    open->owner = 0;
    known->owned &= ~(1u << k);
}

/* Owns the open line, the k-th, which has its words, as have all that are owned. */
static inline void l2_known_own(struct l2_known *all, struct l2_known *known, uint32_t k,
                                struct l2_open *open)
{
    if (open->owner)
        return; /* others store to it, too */
    open->owner = (uint32_t)(known - all) * WL_L2_LINES + k + 1;
    known->owned |= 1u << k;
}

/* Whether some of a run are put off at once, as all their lines are owned. */
static inline bool l2_some_put_off(const struct l2_opens *opens, const struct l2_some *some)
{
    struct l2_known *known = some->known;
    const uint32_t mask = l2_some_mask(some);
    const bool is_other = known->served & mask || known->served_words != some->words;
    if (mask & ~known->owned || (known->served && is_other))
        l2_known_settle(opens, known);
    if (mask & ~known->owned)
        return false;
    known->served |= mask;
    known->served_words = some->words;
    if (!(known->owned & ~known->served)) {
        known->words |= some->words;
        known->served = 0;
    }
    return true;
}

/* Locates lines. */
L2_INLINE void l2_known_fill(struct l2_known *known, const struct wl_l2_lines *lines,
                             const struct l2_places *places, uint32_t launch)
{
    uint32_t low[WL_L2_LINES], high[WL_L2_LINES], set[WL_L2_LINES], origin[WL_L2_LINES];
    known->home = known->closed = 0;
    known->owned = known->words = known->served = known->noted = 0;
    for (uint32_t k = 0; k < WL_L2_LINES; k++) {
        known->line[k] = lines->line[k] & (((uint64_t)1 << 48) - 1);
        low[k] = (uint32_t)lines->line[k];
        high[k] = (uint32_t)(lines->line[k] >> 32);
        const uint32_t row = l2_rows_row(low[k], high[k]);
        known->row[k] = l2_rows_mark(row, launch);
        known->row_place[k] = (uint16_t)l2_rows_place(row);
    }
    for (uint32_t k = 0; k < WL_L2_LINES; k += L2_BATCH_STEP)
        l2_locate(*places, &low[k], &high[k], &set[k], &origin[k]);
    for (uint32_t k = 0; k < WL_L2_LINES; k++) {
        known->at[k] = l2_open_place(places->slice_sets, set[k]);
        known->home |= (origin[k] >> L2_PLACE_HOME_SHIFT & 1) << k;
    }
}

#endif
