/* Brings the requests of an epoch, or of a part of its time, into one order: by time, and within a
 * step of it by SM. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_MERGE_H
#define WL_SIM_L2_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory.h"
#include "sim/l2.h"
#include "sim/l2_batch.h"

enum {
    L2_MERGE_STEP = 16, /* logical time within which SMs are taken in their order; a power of two */
    L2_MERGE_AHEAD = 12 /* requests of a trace; those for the next steps are asked for */
};

#define L2_MERGE_END ((uint64_t)1 << 32) /* behind all times */

/* Requests on their way into one order. */
struct l2_merge {
    const struct wl_l2_trace *traces;
    const uint32_t *marks; /* of each trace, as in l2_batch */
    size_t trace_count;
    size_t *next, *end; /* of each trace: that is not taken yet, and behind the last */
    size_t *stop;       /* where the next run begins, or behind the last request */
    uint32_t *run;      /* of each trace: the next one */
    bool has_runs;
    uint32_t *when;   /* the time of the next one; UINT32_MAX behind the last */
    uint32_t *active; /* traces that have requests in the present step, in their order */
    size_t active_count, active_next;
    uint32_t start; /* of the step */
};

/* The first request of the trace that is not before the time. */
static inline size_t l2_trace_find(const struct wl_l2_trace *trace, uint64_t time)
{
    size_t first = 0, end = trace->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (wl_l2_trace_time(trace, middle) < time)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* When about part/parts of the requests have been: the start of a step. */
static inline uint64_t l2_merge_part_start(const struct wl_l2_trace *traces, size_t trace_count,
                                           uint32_t part, uint32_t parts)
{
    uint64_t count = 0;
    double times = 0;
    for (size_t i = 0; i < trace_count; i++) {
        count += traces[i].count;
        if (traces[i].count)
            times += (double)traces[i].count *
                     wl_l2_trace_time(&traces[i], traces[i].count * part / parts);
    }
    const uint64_t mean = count ? (uint64_t)(times / (double)count) : 0;
    return mean - mean % L2_MERGE_STEP;
}

/* Whether the next request of the trace is of a run. */
static inline bool l2_merge_is_at_run(const struct l2_merge *merge, size_t i)
{
    return __builtin_expect(merge->has_runs, 0) && merge->next[i] == merge->stop[i] &&
           merge->next[i] < merge->traces[i].count;
}

/* The time of the next request of the trace, which is of a run. */
static inline uint32_t l2_merge_run_time(const struct l2_merge *merge, size_t i)
{
    const struct wl_l2_run *run = &merge->traces[i].repeats->runs.items[merge->run[i]];
    return run->time + (uint32_t)(merge->next[i] - run->first);
}

static inline void l2_merge_note(struct l2_merge *merge, size_t i)
{
    if (merge->next[i] == merge->end[i])
        merge->when[i] = UINT32_MAX;
    else if (l2_merge_is_at_run(merge, i))
        merge->when[i] = l2_merge_run_time(merge, i);
    else
        merge->when[i] = merge->traces[i].requests[merge->next[i]].time;
}

/* Finds the run in which the next request of the trace is, or the first one behind it. */
static inline void l2_merge_find_run(struct l2_merge *merge, size_t i)
{
    const struct wl_l2_repeats *repeats = merge->traces[i].repeats;
    const size_t next = merge->next[i];
    merge->stop[i] = merge->traces[i].count;
    for (; repeats && merge->run[i] < repeats->runs.count; merge->run[i]++) {
        const struct wl_l2_run *run = &repeats->runs.items[merge->run[i]];
        if (!run->count || (size_t)run->first + run->count <= next)
            continue;
        merge->stop[i] = run->first > next ? run->first : next;
        break;
    }
}

/* The requests from a time on, and before another. */
static inline void l2_merge_begin(struct l2_merge *merge, const struct wl_l2_trace *traces,
                                  const uint32_t *marks, size_t trace_count, uint64_t start,
                                  uint64_t end)
{
    *merge = (struct l2_merge){.traces = traces, .marks = marks, .trace_count = trace_count};
    merge->next = wl_alloc(trace_count * sizeof *merge->next);
    merge->end = wl_alloc(trace_count * sizeof *merge->end);
    merge->when = wl_alloc(trace_count * sizeof *merge->when);
    merge->active = wl_alloc(trace_count * sizeof *merge->active);
    merge->stop = wl_alloc(trace_count * sizeof *merge->stop);
    merge->run = wl_alloc_zero(trace_count, sizeof *merge->run);
    for (size_t i = 0; i < trace_count; i++) {
        merge->next[i] = start ? l2_trace_find(&traces[i], start) : 0;
        merge->end[i] = end == L2_MERGE_END ? traces[i].count : l2_trace_find(&traces[i], end);
        merge->has_runs |= traces[i].repeats && traces[i].repeats->runs.count;
        l2_merge_find_run(merge, i);
        l2_merge_note(merge, i);
    }
}

static inline void l2_merge_end(struct l2_merge *merge)
{
    free(merge->next);
    free(merge->end);
    free(merge->when);
    free(merge->active);
    free(merge->stop);
    free(merge->run);
}

/* Goes on to the step in which the earliest request not yet taken falls; false: none is left. */
static inline bool l2_merge_find_step(struct l2_merge *merge)
{
    bool any = false;
    uint32_t earliest = UINT32_MAX;
    for (size_t i = 0; i < merge->trace_count; i++)
        earliest = merge->when[i] < earliest ? merge->when[i] : earliest;
    for (size_t i = 0; earliest == UINT32_MAX && i < merge->trace_count; i++)
        any |= merge->next[i] < merge->end[i];
    merge->start = earliest - earliest % L2_MERGE_STEP;
    merge->active_count = merge->active_next = 0;
    for (size_t i = 0; i < merge->trace_count; i++) {
        merge->active[merge->active_count] = (uint32_t)i;
        merge->active_count += merge->when[i] - merge->start < L2_MERGE_STEP;
    }
    return any || earliest != UINT32_MAX;
}

/* Copies L2_BATCH_COPY requests, whose times do not decrease; returns how many fall into the step.
 */
L2_INLINE size_t l2_merge_copy(struct wl_l2_request *restrict taken,
                               const struct wl_l2_request *restrict requests, uint32_t start)
{
#if defined(__SSE2__)
    const __m128i *from = (const __m128i *)(const void *)requests;
    __m128i *to = (__m128i *)(void *)taken;
    const __m128i first = _mm_loadu_si128(from), second = _mm_loadu_si128(from + 1),
                  third = _mm_loadu_si128(from + 2), fourth = _mm_loadu_si128(from + 3);
    _mm_storeu_si128(to, first);
    _mm_storeu_si128(to + 1, second);
    _mm_storeu_si128(to + 2, third);
    _mm_storeu_si128(to + 3, fourth);
    const __m128i times =
        _mm_unpackhi_epi64(_mm_unpackhi_epi32(first, second), _mm_unpackhi_epi32(third, fourth));
    const __m128i passed = _mm_sub_epi32(times, _mm_set1_epi32((int)start));
    const __m128i in_step =
        _mm_cmpeq_epi32(_mm_and_si128(passed, _mm_set1_epi32(-L2_MERGE_STEP)), _mm_setzero_si128());
    return (size_t)__builtin_ctz(~(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(in_step)));
#else
    size_t count = 0;
    for (size_t i = 0; i < L2_BATCH_COPY; i++) {
        taken[i] = requests[i];
        count += requests[i].time - start < L2_MERGE_STEP;
    }
    return count;
#endif
}

/* Adds requests of a trace that fall into the step, to L2_BATCH in all or a few more. False: there
 * may be others. */
L2_INLINE bool l2_merge_take(struct l2_merge *merge, uint32_t trace, struct l2_batch *batch)
{
    const struct wl_l2_trace *of = &merge->traces[trace];
    const uint32_t mark = merge->marks[trace], start = merge->start;
    const size_t stop = merge->stop[trace];
    size_t next = merge->next[trace], filled = batch->count, count;
    do {
        const struct wl_l2_request *restrict requests = &of->requests[next];
        struct wl_l2_request *restrict taken = &batch->requests[filled];
        for (uint32_t i = 0; i < L2_BATCH_COPY; i++) {
            batch->marks[filled + i] = mark;
            batch->at[filled + i] = (uint32_t)next + i;
        }
        count = 0;
        if (stop - next >= L2_BATCH_COPY) {
            count = l2_merge_copy(taken, requests, start);
        } else {
            for (; next + count < stop && requests[count].time - start < L2_MERGE_STEP; count++)
                taken[count] = requests[count];
        }
        next += count;
        filled += count;
        __builtin_prefetch(&of->requests[next + L2_MERGE_AHEAD]);
    } while (count == L2_BATCH_COPY && filled < L2_BATCH);
    merge->next[trace] = next;
    batch->count = filled;
    return count < L2_BATCH_COPY && !l2_merge_is_at_run(merge, trace);
}

/* Adds those of the run at hand that fall into the step, as one. False: there may be others. */
L2_APART bool l2_merge_take_run(struct l2_merge *merge, uint32_t trace, struct l2_batch *batch)
{
    const struct wl_l2_trace *of = &merge->traces[trace];
    const struct wl_l2_run *run = &of->repeats->runs.items[merge->run[trace]];
    const size_t next = merge->next[trace], left = run->first + run->count - next;
    const uint32_t time = l2_merge_run_time(merge, trace), passed = time - merge->start;
    if (passed >= L2_MERGE_STEP)
        return true;
    const size_t count = left < L2_MERGE_STEP - passed ? left : L2_MERGE_STEP - passed;
    batch->requests[batch->count] =
        (struct wl_l2_request){merge->run[trace], L2_RUN | (uint32_t)count, run->words, time};
    batch->marks[batch->count] = merge->marks[trace];
    batch->at[batch->count++] = (uint32_t)next;
    batch->has_runs = true;
    merge->next[trace] = next + count;
    if (count < left)
        merge->stop[trace] = next + count;
    else
        l2_merge_find_run(merge, trace);
    return count < left;
}

/* The next L2_BATCH requests or a few more, if there are as many. */
L2_INLINE void l2_merge_fill(struct l2_merge *merge, struct l2_batch *batch)
{
    batch->count = 0;
    batch->has_runs = false;
    do {
        while (merge->active_next < merge->active_count) {
            const uint32_t trace = merge->active[merge->active_next];
            if (l2_merge_is_at_run(merge, trace) ? l2_merge_take_run(merge, trace, batch)
                                                 : l2_merge_take(merge, trace, batch)) {
                l2_merge_note(merge, trace);
                merge->active_next++;
            }
            if (batch->count >= L2_BATCH)
                return;
        }
    } while (l2_merge_find_step(merge));
}

#endif
