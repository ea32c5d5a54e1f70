#include "sim/l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/l2_feed.h"
#include "sim/l2_merge.h"

enum {
    /* Of an epoch that are in order at a time, about: few enough for the host's caches. */
    ROUND_REQUESTS = 1 << 17,
    ROUND_SHARD_REQUESTS = 1 << 14, /* at least for each shard, so that threads wait little */
    ALONE_REQUESTS = 1 << 11        /* so few are not worth waking other threads */
};

static void allocate_sets(struct wl_l2 *l2)
{
    const size_t count = (size_t)l2->set_count * L2_MAX_PARTITIONS;
    l2->set_bytes = count * sizeof *l2->sets;
    l2->written_bytes = count * sizeof *l2->written;
    l2->fetched_bytes = count * sizeof *l2->fetched;
    l2->sets = wl_pages_alloc(l2->set_bytes);
    l2->written = wl_pages_alloc(l2->written_bytes);
    l2->fetched = wl_pages_alloc(l2->fetched_bytes);
    l2_opens_create(&l2->opens, l2->set_count);
}

struct wl_l2 *wl_l2_create(const struct wl_gpu *gpu)
{
    struct wl_l2 *l2 = wl_alloc_zero(1, sizeof *l2);
    l2->gpu = gpu;
    l2->partitions = gpu->l2_partitions > 1 ? L2_MAX_PARTITIONS : 1;
    l2->ways = gpu->l2_ways && gpu->l2_ways < L2_WAYS ? gpu->l2_ways : L2_WAYS;
    l2->dirty_limit = (l2->ways * L2_DIRTY_SIXTEENTHS + 15) / 16;
    uint64_t sets = gpu->l2_bytes / l2->partitions / L2_LINE_BYTES / l2->ways;
    l2->set_count = sets ? (uint32_t)sets : 1;
    l2->set_reciprocal = UINT32_MAX / l2->set_count;
    allocate_sets(l2);
    l2->has_coalescers = gpu->l2_coalescer_sms > 1;
    l2->group_sms =
        l2->has_coalescers ? gpu->l2_coalescer_sms : gpu->sms_per_tpc * gpu->tpcs_per_gpc;
    if (!l2->group_sms)
        l2->group_sms = 1;
    l2->groups = (gpu->sm_count + l2->group_sms - 1) / l2->group_sms;
    l2->partition_of = wl_alloc_zero(l2->groups, sizeof *l2->partition_of);
    for (uint32_t group = 0; group < l2->groups; group++)
        l2->partition_of[group] = (uint8_t)(group * l2->partitions / l2->groups);
    if (l2->has_coalescers)
        l2->pending = wl_alloc_zero((size_t)l2->groups * L2_SLICES * L2_PENDING_PER_SLICE,
                                    sizeof *l2->pending);
    l2->gpu_slices = gpu->l2_slices ? gpu->l2_slices : 1;
    l2->updates = wl_alloc_zero((size_t)L2_SLICES * l2->gpu_slices, sizeof *l2->updates);
    wl_l2_begin(l2, false);
    return l2;
}

void wl_l2_free(struct wl_l2 *l2)
{
    if (!l2)
        return;
    wl_pages_free(l2->sets, l2->set_bytes);
    wl_pages_free(l2->written, l2->written_bytes);
    wl_pages_free(l2->fetched, l2->fetched_bytes);
    l2_opens_free(&l2->opens);
    free(l2->partition_of);
    free(l2->pending);
    free(l2->updates);
    free(l2->known);
    for (uint32_t i = 0; i < l2->part_capacity; i++)
        for (uint32_t shard = 0; shard < WL_L2_MAX_SHARDS; shard++)
            l2_list_free(&l2->parts[i].lists[shard]);
    free(l2->parts);
    free(l2);
}

void wl_l2_begin(struct wl_l2 *l2, bool keep_caches)
{
    memset(l2->counts, 0, sizeof l2->counts);
    l2->launch = l2->launch % 255 + 1;
    for (size_t i = 0; i < (size_t)L2_SLICES * l2->gpu_slices; i++)
        if (l2->updates[i].count)
            l2->updates[i] = (struct l2_updates){0};
    size_t pending_count = (size_t)l2->groups * L2_SLICES * L2_PENDING_PER_SLICE;
    for (size_t i = 0; l2->has_coalescers && i < pending_count; i++)
        l2->pending[i] = (struct l2_pending){.low = UINT32_MAX, .high = UINT16_MAX};
    if (!keep_caches)
        l2_opens_forget(&l2->opens);
}

struct wl_l2_request wl_l2_run_request(const struct wl_l2_repeats *repeats,
                                       const struct wl_l2_run *run, uint32_t i)
{
    return wl_l2_request_make(repeats->lines.items[run->lines].line[i],
                              l2_begun_sectors(run->words), WL_L2_WRITE, run->words, run->time + i);
}

uint32_t wl_l2_trace_time(const struct wl_l2_trace *trace, size_t number)
{
    size_t begin = 0, end = trace->repeats ? trace->repeats->runs.count : 0;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        const struct wl_l2_run *run = &trace->repeats->runs.items[middle];
        if (number < run->first)
            end = middle;
        else if (number - run->first >= run->count)
            begin = middle + 1;
        else
            return run->time + (uint32_t)(number - run->first);
    }
    return trace->requests[number].time;
}

static inline struct l2_places places_of(const struct wl_l2 *l2)
{
    return (struct l2_places){.set_count = l2->set_count,
                              .reciprocal = l2->set_reciprocal,
                              .home_mask = l2->partitions > 1,
                              .fetch_mask = L2_PENDING_PER_SLICE - 1,
                              .fetch_bits = L2_PENDING_BITS,
                              .slice_sets = l2->opens.slice_sets,
                              .has_answers = l2->epoch.has_answers};
}

/* Notes the rows of requests, and of runs. */
L2_APART void note_rows(const struct wl_l2 *l2, struct l2_rows *rows, struct l2_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct wl_l2_request *request = &batch->requests[i];
        if (!(request->high & L2_RUN)) {
            l2_batch_note(batch, rows, i);
            continue;
        }
        const struct l2_some some =
            l2_some_of(l2->epoch.traces, l2->epoch.known, request, batch->marks[i], batch->at[i]);
        if (l2->epoch.shards > 1)
            l2_some_note(rows, &some);
        else
            l2_some_note_alone(rows, &some);
    }
}

/* Locates requests, which are in their order, and notes their rows. */
L2_INLINE struct l2_span locate(const struct wl_l2 *l2, struct l2_rows *rows,
                                struct l2_batch *batch)
{
    const struct l2_places places = places_of(l2);
    l2_batch_compute(batch, &places, l2->launch);
    if (batch->has_runs)
        note_rows(l2, rows, batch);
    else
        l2_batch_note_all(batch, rows);
    l2_batch_place(batch);
    return (struct l2_span){batch->requests, batch->places, batch->count};
}

L2_INLINE void begin_merge(const struct wl_l2 *l2, struct l2_merge *merge, uint64_t start,
                           uint64_t end)
{
    l2_merge_begin(merge, l2->epoch.traces, l2->epoch.marks, l2->epoch.trace_count, start, end);
}

/* Feeds the whole epoch, in one thread. */
L2_INLINE void feed_alone(struct wl_l2 *l2)
{
    static const struct l2_rows none;
    struct l2_merge merge;
    struct l2_feed feed = {.epoch = &l2->epoch, .origins = l2->epoch.origins, .before = &none};
    struct l2_batch *batches = wl_alloc_zero(2, sizeof *batches);
    struct l2_span asked = {0};
    begin_merge(l2, &merge, 0, L2_MERGE_END);
    for (uint32_t i = 0; i == 0 || asked.count; i ^= 1) {
        l2_merge_fill(&merge, &batches[i]);
        const struct l2_span next = locate(l2, &l2->rows, &batches[i]);
        l2_serve_and_ask(l2, &feed, asked, next);
        asked = next;
    }
    for (size_t i = 0; i < l2->known_count; i++)
        l2_known_disown(&l2->opens, &l2->known[i]);
    l2_feed_end(&feed, &l2->counts[0]);
    l2_merge_end(&merge);
    free(batches);
}

/* Locates lines that are known, before anything else is done with the epoch. */
L2_INLINE void locate_known(struct wl_l2 *l2)
{
    const struct l2_places places = places_of(l2);
    for (size_t i = 0; i < l2->epoch.trace_count; i++) {
        const struct wl_l2_repeats *repeats = l2->epoch.traces[i].repeats;
        for (size_t k = 0; repeats && k < repeats->lines.count; k++)
            l2_known_fill(&l2->epoch.known[i][k], &repeats->lines.items[k], &places, l2->launch);
    }
}

/* Adds some of a run to the lists, by slice. */
L2_APART void list_run(const struct wl_l2 *l2, struct l2_list *const *list_of,
                       const struct wl_l2_request *request, const struct l2_place *place)
{
    const struct l2_some some = l2_some_at(&l2->epoch, request, place);
    for (uint32_t i = 0; i < some.count; i++) {
        const struct wl_l2_request write = l2_some_request(&some, i);
        const struct l2_place at = l2_some_place(&l2->opens, &some, i);
        l2_list_add(list_of[l2_slice_of(at.set)], &write, &at);
    }
}

/* Brings requests of a part of the epoch's time into their order, for each shard those that are
 * its. */
L2_INLINE void sort_part(struct wl_l2 *l2, struct l2_part *part)
{
    struct l2_merge merge;
    struct l2_batch *batch = wl_alloc_zero(1, sizeof *batch);
    struct l2_list *list_of[L2_SLICES];
    for (uint32_t slice = 0; slice < L2_SLICES; slice++)
        list_of[slice] = &part->lists[slice % l2->epoch.shards];
    for (uint32_t shard = 0; shard < l2->epoch.shards; shard++)
        part->lists[shard].count = 0;
    memset(&part->rows, 0, sizeof part->rows);
    begin_merge(l2, &merge, part->start, part->end);
    for (l2_merge_fill(&merge, batch); batch->count; l2_merge_fill(&merge, batch)) {
        const struct l2_span span = locate(l2, &part->rows, batch);
        for (size_t i = 0; i < span.count; i++) {
            if (span.requests[i].high & L2_RUN)
                list_run(l2, list_of, &span.requests[i], &span.places[i]);
            else
                l2_list_add(list_of[l2_slice_of(span.places[i].set)], &span.requests[i],
                            &span.places[i]);
        }
    }
    l2_merge_end(&merge);
    free(batch);
}

/* Feeds a shard what is in order. */
L2_INLINE void feed_shard(struct wl_l2 *l2, uint32_t shard)
{
    struct l2_feed feed = {.epoch = &l2->epoch, .origins = l2->epoch.origins};
    for (uint32_t i = 0; i < l2->epoch.shards; i++) {
        const struct l2_list *list = &l2->parts[i].lists[shard];
        struct l2_span asked = {0};
        feed.before = &l2->parts[i].before;
        for (size_t at = 0; at < list->count || asked.count; at += asked.count) {
            const size_t left = list->count - at;
            const struct l2_span next = {&list->requests[at], &list->places[at],
                                         left < L2_BATCH ? left : L2_BATCH};
            l2_serve_and_ask(l2, &feed, asked, next);
            asked = next;
        }
    }
    l2_feed_end(&feed, &l2->counts[shard]);
}

enum work { LOCATE_KNOWN, FEED_ALONE, SORT_PART, FEED_SHARD };

L2_INLINE void do_work(struct wl_l2 *l2, enum work work, uint32_t index)
{
    if (work == LOCATE_KNOWN)
        locate_known(l2);
    else if (work == FEED_ALONE)
        feed_alone(l2);
    else if (work == SORT_PART)
        sort_part(l2, &l2->parts[index]);
    else
        feed_shard(l2, index);
}

#if defined(__x86_64__)
/* The same for processors with wider vectors; all that it calls is compiled into it. */
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt,lzcnt"),
               flatten)) static void
do_work_v4(struct wl_l2 *l2, enum work work, uint32_t index)
{
    do_work(l2, work, index);
}

__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"), flatten)) static void
do_work_v3(struct wl_l2 *l2, enum work work, uint32_t index)
{
    do_work(l2, work, index);
}
#endif

static void do_work_here(struct wl_l2 *l2, enum work work, uint32_t index)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")) {
        do_work_v4(l2, work, index);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        do_work_v3(l2, work, index);
        return;
    }
#endif
    do_work(l2, work, index);
}

static void sort_part_here(void *self, uint32_t index, uint32_t worker)
{
    (void)worker;
    do_work_here(self, SORT_PART, index);
}

static void feed_shard_here(void *self, uint32_t index, uint32_t worker)
{
    (void)worker;
    do_work_here(self, FEED_SHARD, index);
}

/* Makes room for where known lines are, and locates them. */
static void begin_known(struct wl_l2 *l2)
{
    struct l2_epoch *epoch = &l2->epoch;
    size_t count = 0;
    for (size_t i = 0; i < epoch->trace_count; i++)
        count += epoch->traces[i].repeats ? epoch->traces[i].repeats->lines.count : 0;
    l2->known_count = count;
    if (!count)
        return;
    if (count > l2->known_capacity) {
        free(l2->known);
        l2->known = wl_alloc(count * sizeof *l2->known);
        l2->known_capacity = count;
    }
    epoch->known = wl_alloc(epoch->trace_count * sizeof(struct l2_known *));
    count = 0;
    for (size_t i = 0; i < epoch->trace_count; i++) {
        epoch->known[i] = &l2->known[count];
        count += epoch->traces[i].repeats ? epoch->traces[i].repeats->lines.count : 0;
    }
    do_work_here(l2, LOCATE_KNOWN, 0);
}

/* Returns how many requests there are. */
static size_t begin_epoch(struct wl_l2 *l2, const struct wl_l2_trace *traces, size_t trace_count)
{
    struct l2_epoch *epoch = &l2->epoch;
    size_t count = 0;
    *epoch = (struct l2_epoch){.traces = traces, .trace_count = trace_count, .shards = 1};
    epoch->origins =
        wl_alloc_aligned(_Alignof(struct l2_origin), trace_count * sizeof *epoch->origins);
    epoch->marks = wl_alloc(trace_count * sizeof *epoch->marks);
    for (size_t i = 0; i < trace_count; i++) {
        const uint32_t group = traces[i].sm / l2->group_sms;
        struct l2_pending *pending =
            l2->has_coalescers ? &l2->pending[(size_t)group * L2_SLICES * L2_PENDING_PER_SLICE]
                               : NULL;
        epoch->origins[i] = (struct l2_origin){traces[i].answers, pending, l2->partition_of[group]};
        epoch->marks[i] = l2_open_mark(0, l2->partition_of[group]) | (uint32_t)i;
        epoch->has_answers |= traces[i].answers != NULL;
        count += traces[i].count;
    }
    begin_known(l2);
    return count;
}

static void reserve_parts(struct wl_l2 *l2, uint32_t count)
{
    if (count <= l2->part_capacity)
        return;
    l2->parts = wl_resize(l2->parts, count, sizeof *l2->parts);
    memset(&l2->parts[l2->part_capacity], 0, (count - l2->part_capacity) * sizeof *l2->parts);
    l2->part_capacity = count;
}

/* Splits a round's time among the shards. */
static void begin_round(struct wl_l2 *l2, uint32_t round, uint32_t rounds)
{
    const struct l2_epoch *epoch = &l2->epoch;
    const uint32_t all = rounds * epoch->shards;
    for (uint32_t i = 0; i < epoch->shards; i++) {
        const uint32_t part = round * epoch->shards + i;
        l2->parts[i].start =
            part ? l2_merge_part_start(epoch->traces, epoch->trace_count, part, all) : 0;
        l2->parts[i].end =
            part + 1 < all ? l2_merge_part_start(epoch->traces, epoch->trace_count, part + 1, all)
                           : L2_MERGE_END;
    }
}

/* Tells each part which rows those before it left. */
static void join_rows(struct wl_l2 *l2)
{
    for (uint32_t i = 0; i < l2->epoch.shards; i++) {
        l2->parts[i].before = l2->rows;
        l2_rows_add(&l2->rows, &l2->parts[i].rows);
    }
}

void wl_l2_feed(struct wl_l2 *l2, struct wl_pool *pool, uint32_t shards,
                const struct wl_l2_trace *traces, size_t trace_count)
{
    const size_t count = begin_epoch(l2, traces, trace_count);
    if (shards > 1 && count > ALONE_REQUESTS) {
        l2->epoch.shards = shards < WL_L2_MAX_SHARDS ? shards : WL_L2_MAX_SHARDS;
        const size_t least = (size_t)l2->epoch.shards * ROUND_SHARD_REQUESTS;
        const uint32_t rounds =
            (uint32_t)(count / (least > ROUND_REQUESTS ? least : ROUND_REQUESTS)) + 1;
        reserve_parts(l2, l2->epoch.shards);
        for (uint32_t round = 0; round < rounds; round++) {
            begin_round(l2, round, rounds);
            wl_pool_run_apart(pool, l2->epoch.shards, sort_part_here, l2);
            join_rows(l2);
            wl_pool_run_apart(pool, l2->epoch.shards, feed_shard_here, l2);
        }
    } else {
        do_work_here(l2, FEED_ALONE, 0);
    }
    free(l2->epoch.origins);
    free(l2->epoch.marks);
    free(l2->epoch.known);
}

void wl_l2_count(const struct wl_l2 *l2, struct wl_l2_counts *counts)
{
    *counts = (struct wl_l2_counts){0};
    for (uint32_t i = 0; i < WL_L2_MAX_SHARDS; i++)
        l2_counts_add(counts, &l2->counts[i]);
    counts->atomic_cycles = counts->atomics + counts->reductions
                                ? l2_updates_cycles(l2->updates, l2->gpu, l2->gpu_slices)
                                : 0;
}
