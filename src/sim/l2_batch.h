/* Requests that are located together, which vectors of the host do, and what they need asked for
 * before it is used. Internal to sim/l2.c, whose loop this is a step of. */
#ifndef WL_SIM_L2_BATCH_H
#define WL_SIM_L2_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/l2.h"
#include "sim/l2_open.h"
#include "sim/l2_rows.h"

enum { L2_BATCH = 128, L2_BATCH_STEP = 16, L2_BATCH_COPY = 8 };

struct l2_batch {
    size_t count, taken_count;
    /* Of each request: what it says of its line, and l2_open_mark. */
    uint32_t low[L2_BATCH], high[L2_BATCH], mark[L2_BATCH], words[L2_BATCH], time[L2_BATCH];
    uint32_t group[L2_BATCH];  /* of SMs */
    uint8_t *answer[L2_BATCH]; /* where to say whence it comes, or NULL */
    uint32_t set[L2_BATCH], home[L2_BATCH], open_place[L2_BATCH];
    bool is_beside[L2_BATCH]; /* of the same row as one of the last ones */
    uint8_t taken[L2_BATCH];  /* the requests that are the shard's */
    bool is_asked[L2_BATCH];  /* of those: all that it is likely to need has been asked for */
};

/* What a shard does with an epoch: what a batch needs is asked for while the one before is served.
 */
struct l2_feed {
    bool takes[WL_L2_MAX_SHARDS]; /* the shard's slices */
    bool has_open;                /* some lines of its sets may be open */
    bool has_answers;             /* false: nobody asks, of all requests */
    struct l2_rows *rows;
    uint64_t writes, written_sectors; /* that have been put off */
    struct l2_batch batches[2], *filled, *asked;
};

/* Where lines are. */
struct l2_places {
    uint32_t set_count, reciprocal; /* of a partition: (2^32 - 1) / set_count */
    uint32_t home_mask;             /* 1: there are two partitions */
    uint32_t slice_sets;
};

static inline uint32_t l2_mix(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x85ebca6bu;
    value ^= value >> 13;
    value *= 0xc2b2ae35u;
    return value ^ value >> 16;
}

static inline uint32_t l2_scale(uint32_t hash, uint32_t count)
{
    return (uint32_t)(((uint64_t)hash * count) >> 32);
}

/* How many of four sectors; the program is built for processors without an instruction for it. */
static inline uint32_t l2_count_sectors(uint32_t sectors)
{
    return (uint32_t)(0x4332322132212110u >> (4 * (sectors & 15))) & 15;
}

/* Sectors of whose words some are in the mask. */
static inline uint32_t l2_begun_sectors(uint32_t words)
{
    const uint32_t highest = ((words & 0x7f7f7f7fu) + 0x7f7f7f7fu) | words;
    return ((highest >> 7 & 0x01010101u) * 0x01020408u) >> 24 & 15;
}

/* Finds the set and the home partition of lines. Runs of set_count lines fill the sets evenly.
 * Each two runs are turned by the golden ratio against the two before, so that lines at any stride
 * spread nearly evenly too, and have opposite homes in each set, so that both partitions fill
 * evenly. */
static inline void l2_locate(const struct l2_places *known, const uint32_t *restrict low,
                             const uint32_t *restrict high, uint32_t *restrict set,
                             uint32_t *restrict home, uint32_t *restrict open_place)
{
    const struct l2_places places = *known;
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
        open_place[i] = l2_open_place(places.slice_sets, place);
        home[i] = (run ^ l2_mix(turn + offset)) & places.home_mask;
    }
}

/* Tells the writes that can be put off: in each sector there is a word of theirs. */
static inline void l2_tell_writes(const uint32_t *restrict high, const uint32_t *restrict words,
                                  uint32_t *restrict mark)
{
    for (size_t i = 0; i < L2_BATCH_STEP; i++) {
        const uint32_t sectors = l2_begun_sectors(words[i]);
        const uint32_t differs =
            (high[i] >> WL_L2_SECTORS_SHIFT ^ (sectors | (uint32_t)WL_L2_WRITE << 4)) & 0x3f;
        mark[i] |= differs ? L2_OPEN_NEVER : 0;
    }
}

static inline void l2_batch_locate(struct l2_batch *batch, const struct l2_places *places)
{
    for (size_t i = 0; i < batch->count; i += L2_BATCH_STEP) {
        l2_locate(places, &batch->low[i], &batch->high[i], &batch->set[i], &batch->home[i],
                  &batch->open_place[i]);
        l2_tell_writes(&batch->high[i], &batch->words[i], &batch->mark[i]);
    }
}

static inline uint64_t l2_batch_line(const struct l2_batch *batch, size_t i)
{
    return batch->low[i] | (uint64_t)(batch->high[i] & 0xffff) << 32;
}

static inline uint32_t l2_batch_sectors(const struct l2_batch *batch, size_t i)
{
    return batch->high[i] >> WL_L2_SECTORS_SHIFT & 15;
}

static inline uint32_t l2_batch_kind(const struct l2_batch *batch, size_t i)
{
    return batch->high[i] >> WL_L2_KIND_SHIFT & 3;
}

/* Adds requests, all of one trace; there is room. mark: l2_open_mark but for the line. */
static inline void l2_batch_add(struct l2_batch *batch,
                                const struct wl_l2_request *restrict request, size_t count,
                                uint32_t mark, uint32_t group)
{
    uint32_t *restrict low = &batch->low[batch->count], *restrict high = &batch->high[batch->count],
                       *restrict words = &batch->words[batch->count],
                       *restrict time = &batch->time[batch->count],
                       *restrict marks = &batch->mark[batch->count],
                       *restrict groups = &batch->group[batch->count];
    size_t done = 0;
    for (; done + L2_BATCH_COPY <= count; done += L2_BATCH_COPY)
        for (size_t i = done; i < done + L2_BATCH_COPY; i++) {
            low[i] = request[i].line;
            high[i] = request[i].high;
            words[i] = request[i].words;
            time[i] = request[i].time;
            marks[i] = (request[i].high & 0xffff) | mark;
            groups[i] = group;
        }
    for (; done < count; done++) {
        low[done] = request[done].line;
        high[done] = request[done].high;
        words[done] = request[done].words;
        time[done] = request[done].time;
        marks[done] = (request[done].high & 0xffff) | mark;
        groups[done] = group;
    }
    batch->count += count;
}

/* Says where the answers go to the requests added last. answers: NULL: nobody asks. */
static inline void l2_batch_answer(struct l2_batch *batch, uint8_t *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        batch->answer[batch->count - count + i] = answers ? &answers[i] : NULL;
}

/* Notes the rows of all requests, and takes those that are the shard's. */
static inline void l2_feed_take(struct l2_feed *feed, uint32_t launch)
{
    struct l2_batch *batch = feed->filled;
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->is_beside[i] = l2_rows_note(feed->rows, l2_batch_line(batch, i), launch);
        batch->taken[count] = (uint8_t)i;
        count += feed->takes[batch->set[i] % WL_L2_MAX_SHARDS];
    }
    batch->taken_count = count;
}

#endif
