/* Requests in their order, each with where its line lies, which vectors of the host compute.
 * Internal to sim/l2.c. */
#ifndef WL_SIM_L2_BATCH_H
#define WL_SIM_L2_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/l2.h"
#include "sim/l2_bits.h"
#include "sim/l2_open.h"
#include "sim/l2_rows.h"

enum {
    L2_BATCH = 64,      /* requests that are located together, and asked for ahead of their use */
    L2_BATCH_STEP = 16, /* of which these in one go */
    L2_BATCH_COPY = 4, /* requests of a trace, a cache line of the host, that are taken in one go */
    L2_BATCH_ROOM = L2_BATCH + L2_BATCH_STEP
};

/* What is known of a request besides itself: a quarter of a cache line of the host. */
struct l2_place {
    uint32_t set, mark; /* mark: l2_open_mark */
    uint32_t origin;    /* the trace's number, and what follows */
    uint32_t at; /* the open line of its set; of reads where any are answered, and of a run's: the
                    place in the trace */
};

#define L2_PLACE_TRACE 0xffffu
#define L2_PLACE_HOME_SHIFT 16
#define L2_PLACE_BESIDE (1u << 17) /* of the same row as one of the last ones */
#define L2_PLACE_UNTOLD \
    (1u << 18)                    /* that is for those to tell that were before this part of time */
#define L2_PLACE_ASKED (1u << 19) /* all that it is likely to need has been asked for */
#define L2_PLACE_FETCH_SHIFT 20   /* the coalescer's place for the line, of all slices' */

/* Requests in their order. */
struct l2_span {
    const struct wl_l2_request *requests;
    struct l2_place *places;
    size_t count;
};

/* In a request: it stands for some of a run, as many as its low bits say. line: the run's number;
 * words, time: the first one's. */
#define L2_RUN (1u << 24)
#define L2_RUN_COUNT_MASK 0xffu

/* Those that are located together, in vectors of the host. */
struct l2_batch {
    size_t count;
    bool has_runs;
    struct wl_l2_request requests[L2_BATCH_ROOM];
    struct l2_place places[L2_BATCH_ROOM];
    uint32_t marks[L2_BATCH_ROOM]; /* l2_open_mark but for the line, and the trace's number */
    uint32_t at[L2_BATCH_ROOM];
    /* Of the requests, all in a row before any is used in vectors: a load that spans words just
     * stored waits for the host's stores. */
    uint32_t low[L2_BATCH_ROOM], high[L2_BATCH_ROOM], words[L2_BATCH_ROOM];
    uint32_t set[L2_BATCH_ROOM], mark[L2_BATCH_ROOM], origin[L2_BATCH_ROOM];
    uint32_t row[L2_BATCH_ROOM], row_place[L2_BATCH_ROOM];
};

/* A part of an epoch's requests. */
enum { L2_LIST_AHEAD = 16 }; /* entries of a list, which another thread has read */
struct l2_list {
    struct wl_l2_request *requests;
    struct l2_place *places;
    size_t count, capacity;
};

/* Where lines are. */
struct l2_places {
    uint32_t set_count, reciprocal; /* of a partition: (2^32 - 1) / set_count */
    uint32_t home_mask;             /* 1: there are two partitions */
    uint32_t fetch_mask;            /* of places of a coalescer in a slice */
    uint32_t fetch_bits;            /* of that mask */
    uint32_t slice_sets;            /* of open lines */
    bool has_answers;               /* of reads the place in the trace is asked */
};

static inline uint64_t l2_request_line(const struct wl_l2_request *request)
{
    return request->line | (uint64_t)(request->high & 0xffff) << 32;
}

static inline uint32_t l2_request_kind(const struct wl_l2_request *request)
{
    return request->high >> WL_L2_KIND_SHIFT & 3;
}

/* Finds the set and the home partition of lines. Runs of set_count lines fill the sets evenly.
 * Each two runs are turned by the golden ratio against the two before, so that lines at any stride
 * spread nearly evenly too, and have opposite homes in each set, so that both partitions fill
 * evenly. */
L2_INLINE void l2_locate(const struct l2_places places, const uint32_t *restrict low,
                         const uint32_t *restrict high, uint32_t *restrict set,
                         uint32_t *restrict origin)
{
    for (size_t i = 0; i < L2_BATCH_STEP; i++) {
        uint32_t run = l2_scale(low[i], places.reciprocal); /* or one less */
        uint32_t offset = low[i] - run * places.set_count;
        const uint32_t is_less = offset >= places.set_count;
        offset -= is_less * places.set_count;
        run += is_less;
        const uint32_t turn = ((run >> 1) + (high[i] & 0xffff)) * 0x9e3779b1u;
        uint32_t place = offset + l2_scale(turn, places.set_count);
        place -= (place >= places.set_count) * places.set_count;
        set[i] = place;
        const uint32_t home = (run ^ l2_mix(turn + offset)) & places.home_mask;
        const uint32_t fetch = (l2_mix(low[i]) & places.fetch_mask) | place % WL_L2_MAX_SHARDS
                                                                          << places.fetch_bits;
        origin[i] = home << L2_PLACE_HOME_SHIFT | fetch << L2_PLACE_FETCH_SHIFT;
    }
}

/* Tells the writes that can be put off: in each sector there is a word of theirs. Lines that are
 * written as a whole are rarely written again. */
L2_INLINE void l2_tell_writes(const uint32_t *restrict high, const uint32_t *restrict words,
                              uint32_t *restrict mark)
{
    for (size_t i = 0; i < L2_BATCH_STEP; i++) {
        const uint32_t sectors = l2_begun_sectors(words[i]);
        const uint32_t differs =
            (high[i] >> WL_L2_SECTORS_SHIFT ^ (sectors | (uint32_t)WL_L2_WRITE << 4)) & 0x3f;
        const uint32_t is_whole = words[i] == UINT32_MAX;
        mark[i] = (high[i] & 0xffff) | (differs | is_whole ? L2_OPEN_NEVER : 0);
    }
}

/* What follows from requests alone. */
L2_INLINE void l2_batch_compute(struct l2_batch *batch, const struct l2_places *places,
                                uint32_t launch)
{
    for (size_t i = 0; i < batch->count; i++) {
        batch->low[i] = batch->requests[i].line;
        batch->high[i] = batch->requests[i].high;
        batch->words[i] = batch->requests[i].words;
    }
    for (size_t first = 0; first < batch->count; first += L2_BATCH_STEP) {
        const uint32_t *restrict low = &batch->low[first], *restrict high = &batch->high[first];
        uint32_t *restrict row = &batch->row[first], *restrict row_place = &batch->row_place[first];
        l2_locate(*places, low, high, &batch->set[first], &batch->origin[first]);
        l2_tell_writes(high, &batch->words[first], &batch->mark[first]);
        for (size_t i = 0; i < L2_BATCH_STEP; i++) {
            row[i] = l2_rows_mark(l2_rows_row(low[i], high[i]), launch);
            row_place[i] = l2_rows_place(l2_rows_row(low[i], high[i]));
            const uint32_t line = l2_open_place(places->slice_sets, batch->set[first + i]);
            const bool is_read = (high[i] >> WL_L2_KIND_SHIFT & 3) == WL_L2_READ;
            const bool is_kept = (high[i] & L2_RUN) | (is_read & places->has_answers);
            batch->at[first + i] = is_kept ? batch->at[first + i] : line;
        }
    }
}

/* What a request's place tells of its row. before: the mark that was in the row's place. */
static inline uint32_t l2_row_told(uint32_t before, uint32_t mark)
{
    return (before == mark ? L2_PLACE_BESIDE : 0) | (before == L2_ROWS_NONE ? L2_PLACE_UNTOLD : 0);
}

/* Notes a request's row. */
static inline void l2_batch_note(struct l2_batch *batch, struct l2_rows *rows, size_t i)
{
    const uint32_t before = l2_rows_note(rows, batch->row_place[i], batch->row[i]);
    batch->origin[i] |= l2_row_told(before, batch->row[i]);
}

/* Notes all requests' rows. */
L2_INLINE void l2_batch_note_all(struct l2_batch *batch, struct l2_rows *rows)
{
    uint32_t changes = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t mark = batch->row[i], at = batch->row_place[i], before = rows->latest[at];
        rows->latest[at] = mark;
        changes += before != mark;
        batch->origin[i] |= l2_row_told(before, mark);
    }
    rows->changes += changes;
}

/* Tells where requests are, whose rows have been noted. */
L2_INLINE void l2_batch_place(struct l2_batch *batch)
{
    for (size_t first = 0; first < batch->count; first += L2_BATCH_STEP)
        for (size_t i = first; i < first + L2_BATCH_STEP; i++) {
            const uint32_t mark = batch->marks[i];
            batch->places[i] =
                (struct l2_place){batch->set[i], batch->mark[i] | (mark & ~L2_PLACE_TRACE),
                                  batch->origin[i] | (mark & L2_PLACE_TRACE), batch->at[i]};
        }
}

/* Whether a request is of the same row as one of the last ones. before: the rows before the part of
 * the time to which it belongs. */
static inline bool l2_is_beside(const struct l2_rows *before, uint64_t line,
                                const struct l2_place *place, uint32_t launch)
{
    if (place->origin & L2_PLACE_UNTOLD)
        return l2_rows_have(before, l2_rows_row((uint32_t)line, (uint32_t)(line >> 32)), launch);
    return place->origin & L2_PLACE_BESIDE;
}

static inline void l2_list_add(struct l2_list *list, const struct wl_l2_request *request,
                               const struct l2_place *place)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : L2_BATCH;
        list->requests = wl_resize(list->requests, list->capacity, sizeof *list->requests);
        list->places = wl_resize(list->places, list->capacity, sizeof *list->places);
    }
    __builtin_prefetch(&list->requests[list->count + L2_LIST_AHEAD], 1);
    __builtin_prefetch(&list->places[list->count + L2_LIST_AHEAD], 1);
    list->requests[list->count] = *request;
    list->places[list->count++] = *place;
}

static inline void l2_list_free(struct l2_list *list)
{
    free(list->requests);
    free(list->places);
}

#endif
