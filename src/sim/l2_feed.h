/* Serves requests that have been located, or puts them off, and asks the host for what those need
 * that follow. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_FEED_H
#define WL_SIM_L2_FEED_H

#include <string.h>

#include "sim/l2_run.h"
#include "sim/l2_serve.h"

enum {
    L2_FEED_AHEAD = 16 /* requests behind one, whose open lines are asked for with it */
};

/* What a shard does with an epoch. */
struct l2_feed {
    const struct l2_epoch *epoch;
    const struct l2_origin *origins; /* the epoch's */
    const struct l2_rows *before;    /* the part of the time of which the requests are */
    struct wl_l2_counts counts;      /* but for what `reads` tells */
    struct l2_reads reads;
    uint64_t writes, written_sectors; /* that have been put off */
};

/* Of functions that do little else: gcc takes them for ones that do nothing where it calls them. */
#define L2_PREFETCHES static inline __attribute__((always_inline))

/* Where what is known of the request's set is. */
static inline uint8_t *l2_used_by(const struct wl_l2 *l2, const struct l2_place *place)
{
    return __builtin_expect(l2->epoch.has_answers, 0) ? l2_used_of(&l2->opens, place->set)
                                                      : &l2->opens.used[place->at];
}

static inline const struct l2_origin *l2_origin_of(const struct l2_feed *feed,
                                                   const struct l2_place *place)
{
    return &feed->origins[place->origin & L2_PLACE_TRACE];
}

/* Where a read may find a neighbour's fetch of its line. */
L2_INLINE struct l2_pending *l2_pending_of(const struct l2_feed *feed, const struct l2_place *place)
{
    return l2_origin_of(feed, place)->pending + (place->origin >> L2_PLACE_FETCH_SHIFT);
}

/* Empties the sets of that number, which are used for the first time since the caches were emptied.
 */
static inline void l2_begin_sets(struct wl_l2 *l2, uint32_t set)
{
    for (uint32_t i = 0; i < l2->partitions; i++)
        l2_set_begin(l2_set_of(l2, i, set), l2->ways);
}

/* Before anything but a write to its open line is done with the sets of that number. */
L2_APART void l2_make_ready(struct wl_l2 *l2, uint32_t set)
{
    if (*l2_used_of(&l2->opens, set) & L2_SET_OPEN) {
        l2_close_line(l2, set);
        return;
    }
    l2_used_add(&l2->opens, set, L2_SET_USED);
    l2_begin_sets(l2, set);
}

/* Asks for what the request may need: to tell reads from others would take longer than to ask for
 * all that they do. */
L2_PREFETCHES void l2_prefetch(struct wl_l2 *l2, const struct l2_feed *feed,
                               const struct wl_l2_request *request, const struct l2_place *place)
{
    const size_t at = l2_place_of(0, place->set);
    for (uint32_t i = 0; i < L2_MAX_PARTITIONS; i++)
        __builtin_prefetch(&l2->sets[at + i], 1);
    if (!(place->mark & L2_OPEN_NEVER))
        return;
    for (uint32_t i = 0; i < L2_MAX_PARTITIONS; i++) {
        __builtin_prefetch(&l2->sets[at + i].halves[1], 1);
        __builtin_prefetch(&l2->fetched[at + i], 1);
    }
    if (l2->has_coalescers)
        __builtin_prefetch(l2_pending_of(feed, place), 1);
    if (request->words + 1 > 1) /* a write of a part */
        for (uint32_t i = 0; i < L2_MAX_PARTITIONS; i++)
            __builtin_prefetch(&l2->written[at + i], 1);
}

/* Whether the request is a write that can be put off. open: the set's open line. */
static inline bool l2_is_put_off(const struct wl_l2_request *request, const struct l2_place *place,
                                 const struct l2_open *open)
{
    return open->low == request->line && open->mark == place->mark;
}

/* Asks for what a request needs that is not likely to be put off. */
L2_PREFETCHES void l2_ask_all(struct wl_l2 *l2, const struct l2_feed *feed,
                              const struct wl_l2_request *request, const struct l2_place *place)
{
    if (*l2_used_by(l2, place) & L2_SET_OPEN) {
        __builtin_prefetch(l2_opens_line(&l2->opens, place->set), 1);
        for (uint32_t k = 0; k < l2->partitions; k++)
            __builtin_prefetch(&l2->written[l2_place_of(k, place->set)], 1);
    }
    l2_prefetch(l2, feed, request, place);
}

static inline struct l2_some l2_some_at(const struct l2_epoch *epoch,
                                        const struct wl_l2_request *request,
                                        const struct l2_place *place)
{
    const uint32_t mark = place->mark & l2_open_mark(0, 1);
    return l2_some_of(epoch->traces, epoch->known, request, mark | (place->origin & L2_PLACE_TRACE),
                      place->at);
}

/* The same for some of a run: those that were not put off the last time. */
L2_APART void l2_ask_run(struct wl_l2 *l2, const struct l2_feed *feed,
                         const struct wl_l2_request *request, const struct l2_place *place)
{
    const struct l2_some some = l2_some_at(feed->epoch, request, place);
    for (uint32_t left = some.known->closed >> some.first; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (i >= some.count)
            break;
        const struct wl_l2_request write = l2_some_request(&some, i);
        const struct l2_place at = l2_some_place(&l2->opens, &some, i);
        l2_ask_all(l2, feed, &write, &at);
    }
}

/* Asks for what a request needs, if it is not likely to be put off. */
L2_PREFETCHES void l2_ask(struct wl_l2 *l2, const struct l2_feed *feed, struct l2_span span,
                          size_t i)
{
    const struct wl_l2_request *request = &span.requests[i];
    const struct l2_place *place = &span.places[i];
    if (i + L2_FEED_AHEAD < span.count && !(place[L2_FEED_AHEAD].mark & L2_OPEN_NEVER))
        __builtin_prefetch(&l2->opens.lines[place[L2_FEED_AHEAD].at], 1);
    const bool may_open = !(place->mark & L2_OPEN_NEVER);
    if (may_open && l2_is_put_off(request, place, &l2->opens.lines[place->at]))
        return;
    if (__builtin_expect(request->high & L2_RUN, 0))
        l2_ask_run(l2, feed, request, place);
    else
        l2_ask_all(l2, feed, request, place);
}

/* What is done with a request before it is served. */
L2_INLINE void l2_begin_serve(struct wl_l2 *l2, const struct l2_feed *feed,
                              const struct wl_l2_request *request, const struct l2_place *place,
                              struct l2_located *located)
{
    if ((*l2_used_by(l2, place) & (L2_SET_USED | L2_SET_OPEN)) != L2_SET_USED)
        l2_make_ready(l2, place->set);
    located->line = l2_request_line(request);
    located->set = place->set;
    located->time = request->time;
    located->near = l2_origin_of(feed, place)->partition;
    located->home = place->origin >> L2_PLACE_HOME_SHIFT & 1;
    located->sectors = (uint8_t)wl_l2_request_sectors(request);
    located->is_alone = request->high >> WL_L2_KIND_SHIFT & WL_L2_ALONE;
    located->place = place;
    located->before = feed->before;
}

L2_INLINE void l2_serve_located(struct wl_l2 *l2, struct l2_feed *feed,
                                const struct wl_l2_request *request, const struct l2_place *place)
{
    struct l2_located located;
    l2_begin_serve(l2, feed, request, place, &located);
    located.words = request->words;
    located.open_mark = place->mark & L2_OPEN_NEVER ? 0 : place->mark;
    located.kind = (uint8_t)l2_request_kind(request);
    located.is_float = request->high >> WL_L2_KIND_SHIFT & WL_L2_FLOAT;
    l2_serve_other(l2, &located, &feed->counts);
}

/* is_answered: what answers it is noted. */
L2_INLINE void l2_serve_located_read(struct wl_l2 *l2, struct l2_feed *feed,
                                     const struct wl_l2_request *request,
                                     const struct l2_place *place, bool is_answered)
{
    const struct l2_origin *origin = l2_origin_of(feed, place);
    struct l2_located located;
    l2_begin_serve(l2, feed, request, place, &located);
    located.answer = is_answered ? &origin->answers[place->at] : NULL;
    located.fetch = origin->pending ? l2_pending_of(feed, place) : NULL;
    l2_serve_read(l2, &located, &feed->reads, &feed->counts);
}

/* Puts some of a run off, or serves them, one after the other. */
L2_APART void l2_serve_run(struct wl_l2 *l2, struct l2_feed *feed,
                           const struct wl_l2_request *request, const struct l2_place *place)
{
    const struct l2_some some = l2_some_at(feed->epoch, request, place);
    struct l2_known *known = some.known;
    uint32_t closed = 0, put_off = some.count;
    const bool is_put_off = l2_some_put_off(&l2->opens, &some);
    for (uint32_t k = some.first; k < some.first + some.count && !is_put_off; k++) {
        const uint64_t line = known->line[k];
        struct l2_open *open = &l2->opens.lines[known->at[k]];
        if (open->low == (uint32_t)line && open->mark == (some.mark | (uint32_t)(line >> 32))) {
            open->words |= some.words;
            l2_known_own(l2->known, known, k, open);
            continue;
        }
        const struct wl_l2_request write = l2_some_request(&some, k - some.first);
        const struct l2_place at = l2_some_place(&l2->opens, &some, k - some.first);
        closed |= 1u << k;
        put_off--;
        l2_serve_located(l2, feed, &write, &at);
    }
    if (!is_put_off)
        known->closed = (known->closed & ~l2_some_mask(&some)) | closed;
    feed->writes += put_off;
    feed->written_sectors += put_off * l2_count_sectors(some.sectors);
}

/* Serves a request, or puts it off. */
L2_INLINE void l2_serve_next(struct wl_l2 *l2, struct l2_feed *feed, struct l2_span span, size_t i)
{
    const struct wl_l2_request *request = &span.requests[i];
    const struct l2_place *place = &span.places[i];
    if (!(place->mark & L2_OPEN_NEVER)) {
        struct l2_open *open = &l2->opens.lines[place->at];
        if (l2_is_put_off(request, place, open)) {
            open->words |= request->words;
            feed->writes++;
            feed->written_sectors += l2_count_sectors(wl_l2_request_sectors(request));
            return;
        }
    }
    if (l2_request_kind(request) != WL_L2_READ)
        l2_serve_located(l2, feed, request, place);
    else if (__builtin_expect(request->high & L2_RUN, 0))
        l2_serve_run(l2, feed, request, place);
    else if (__builtin_expect(l2_origin_of(feed, place)->answers != NULL, 0))
        l2_serve_located_read(l2, feed, request, place, true);
    else
        l2_serve_located_read(l2, feed, request, place, false);
}

/* Serves requests for which all has been asked, and asks for what those need that follow. */
L2_INLINE void l2_serve_and_ask(struct wl_l2 *l2, struct l2_feed *feed, struct l2_span asked,
                                struct l2_span following)
{
    for (size_t i = 0; i < following.count || i < asked.count; i++) {
        if (i < following.count)
            l2_ask(l2, feed, following, i);
        if (i < asked.count)
            l2_serve_next(l2, feed, asked, i);
    }
}

static inline void l2_counts_add(struct wl_l2_counts *counts, const struct wl_l2_counts *added)
{
    uint64_t *sums = (uint64_t *)counts;
    const uint64_t *numbers = (const uint64_t *)added;
    for (size_t i = 0; i < offsetof(struct wl_l2_counts, atomic_cycles) / sizeof *sums; i++)
        sums[i] += numbers[i];
}

/* Adds what was counted. */
static inline void l2_feed_end(const struct l2_feed *feed, struct wl_l2_counts *counts)
{
    l2_counts_add(counts, &feed->counts);
    l2_count_reads(&feed->reads, counts);
    counts->requests += feed->writes;
    counts->writes += feed->written_sectors;
    counts->write_hits += feed->written_sectors;
}

#endif
