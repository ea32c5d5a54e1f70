#include "analyse/advise/trace_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

enum { STEPS_LEAST = 4, KERNELS_LEAST = 4, PERIODS_MAX = 16 };

/* Of 100 kernels, so many are those of the step before. */
static const size_t alike_pct = 95;

struct kernel_at {
    uint32_t name;
    uint64_t start_ns;
};
struct kernels {
    WL_VECTOR_FIELDS(struct kernel_at);
};

/* ---- the stream with most kernels ---- */

struct stream {
    struct {
        uint64_t where;
        uint32_t process, unused;
    } key;
    size_t count;
    UT_hash_handle hh;
};

static struct stream find_stream(const struct wl_report_span *spans, size_t count)
{
    struct stream *streams = NULL, *stream, *next, most = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (spans[i].category != WL_TIMELINE_KERNEL)
            continue;
        struct stream key = {.key = {spans[i].where, spans[i].process, 0}};
        HASH_FIND(hh, streams, &key.key, sizeof key.key, stream);
        if (!stream) {
            stream = wl_alloc_zero(1, sizeof *stream);
            stream->key = key.key;
            HASH_ADD(hh, streams, key, sizeof stream->key, stream);
        }
        stream->count++;
    }
    HASH_ITER(hh, streams, stream, next)
    {
        if (stream->count > most.count)
            most = *stream;
        HASH_DEL(streams, stream);
        free(stream);
    }
    return most;
}

static void gather(const struct wl_report_span *spans, size_t count, const struct stream *stream,
                   struct kernels *kernels)
{
    for (size_t i = 0; i < count; i++) {
        struct kernel_at kernel = {spans[i].name, spans[i].start_ns};
        if (spans[i].category == WL_TIMELINE_KERNEL && spans[i].where == stream->key.where &&
            spans[i].process == stream->key.process)
            WL_PUSH(kernels, kernel);
    }
}

/* ---- periods ---- */

static bool is_as_before(const struct kernels *kernels, size_t at, size_t period)
{
    return kernels->items[at].name == kernels->items[at - period].name;
}

/* Whether what runs is what ran a period before, in the middle half. */
static bool is_period(const struct kernels *kernels, size_t period)
{
    size_t first = kernels->count / 4, last = kernels->count - kernels->count / 4, alike = 0;
    first = first > period ? first : period;
    if (first + period > last)
        return false;
    for (size_t i = first; i < last; i++)
        alike += is_as_before(kernels, i, period);
    return alike * 100 >= (last - first) * alike_pct;
}

/* The least period among the distances from the kernel in the middle to those of its name behind
 * it; 0: there is none. */
static size_t find_period(const struct kernels *kernels)
{
    size_t middle = kernels->count / 2;
    for (size_t few = 1; few < KERNELS_LEAST; few++) /* so few are no step */
        if (is_period(kernels, few))
            return 0;
    uint32_t last_name = kernels->items[middle].name;
    for (size_t from = middle; from < middle + PERIODS_MAX && from < kernels->count; from++) {
        /* a kernel that a step has once tells the period at once */
        uint32_t name = kernels->items[from].name;
        if (from > middle && name == last_name)
            continue;
        for (size_t i = from + 1, tries = 0; i < kernels->count && tries < 512; i++) {
            if (kernels->items[i].name != name)
                continue;
            tries++;
            if (i - from >= KERNELS_LEAST && is_period(kernels, i - from))
                return i - from;
        }
        last_name = name;
    }
    return 0;
}

/* ---- steps ---- */

/* From the middle outwards, as long as a whole step is as the one before it, but for a few. */
static bool is_step(const struct kernels *kernels, size_t begin, size_t period)
{
    size_t alike = 0;
    for (size_t i = begin; i < begin + period; i++)
        alike += is_as_before(kernels, i, period);
    return alike * 100 >= period * alike_pct;
}

/* Steps begin behind the longest wait for a kernel that the middle one has. */
static size_t find_begin(const struct kernels *kernels, size_t period)
{
    size_t middle = kernels->count / 2, begin = middle;
    uint64_t longest_ns = 0;
    for (size_t i = middle; i < middle + period && i < kernels->count; i++) {
        uint64_t wait_ns = kernels->items[i].start_ns - kernels->items[i - 1].start_ns;
        if (wait_ns <= longest_ns)
            continue;
        longest_ns = wait_ns;
        begin = i;
    }
    return begin;
}

static void find_steps(const struct kernels *kernels, size_t period,
                       struct wl_timeline_steps *steps)
{
    size_t begin = find_begin(kernels, period), end;
    while (begin >= period && is_step(kernels, begin, period))
        begin -= period;
    end = begin + period;
    while (end + period < kernels->count && is_step(kernels, end, period))
        end += period;
    size_t count = (end - begin) / period;
    if (end >= kernels->count || count < STEPS_LEAST || 2 * (end - begin) < kernels->count)
        return;
    steps->start_ns = kernels->items[begin].start_ns;
    steps->end_ns = kernels->items[end].start_ns;
    steps->count = count;
    steps->kernels = period;
}

struct wl_timeline_steps wl_timeline_steps_find(const struct wl_report_span *spans, size_t count)
{
    struct wl_timeline_steps steps = {0};
    struct kernels kernels = {0};
    struct stream stream = find_stream(spans, count);
    steps.process = stream.key.process;
    if (stream.count < STEPS_LEAST * KERNELS_LEAST)
        return steps;
    gather(spans, count, &stream, &kernels);
    size_t period = find_period(&kernels);
    if (period)
        find_steps(&kernels, period, &steps);
    free(kernels.items);
    return steps;
}
