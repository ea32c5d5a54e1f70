/* Accesses of words of shared memory that lie side by side. */
#include "sim/shadow_rows.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/executor.h"
#include "sim/shadow_state.h"

/* ---- writes ---- */

static bool is_row(const uint32_t *offset)
{
    uint32_t differs = offset[0] % 4;
    for (uint32_t i = 0; i < WL_SHADOW_RUN; i++)
        differs |= offset[i] ^ (offset[0] + 4 * i);
    return !differs;
}

/* False: it is left to wl_shadow_access. */
static bool write_lane(struct wl_shadow *shadow, uint32_t warp, uint32_t index,
                       const struct mark *mine)
{
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index),
                      reader = mark_at(shadow, WL_SHADOW_READER, index),
                      second = mark_at(shadow, WL_SHADOW_SECOND, index);
    const uint32_t *seen = shadow->seen[warp].stretch;
    if (*word_field(shadow, WL_SHADOW_SERIAL, index) == shadow->serial ||
        writer.stretch > seen[warp_of(&writer)] || reader.stretch > seen[warp_of(&reader)] ||
        second.stretch > seen[warp_of(&second)] ||
        *word_field(shadow, WL_SHADOW_GROUP, index) > shadow->awaited[warp_of(&writer)])
        return false;
    set_mark(shadow, WL_SHADOW_WRITER, index, mine);
    *word_field(shadow, WL_SHADOW_WRITTEN, index) = 0xf;
    *word_field(shadow, WL_SHADOW_SERIAL, index) = shadow->serial;
    *word_field(shadow, WL_SHADOW_GROUP, index) = 0;
    *word_field(shadow, WL_SHADOW_QUIET, index) = 0;
    return true;
}

uint32_t wl_shadow_write(struct wl_warp *warp, const struct wl_op *op,
                         const uint32_t offset[WL_LANES])
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct mark first = mark_of(warp, op);
    struct mark mine = first;
    uint32_t left = warp->active, others = 0;
    uint32_t instruction[WL_SHADOW_RUN], lanes[WL_SHADOW_RUN];
    for (uint32_t i = 0; i < WL_SHADOW_RUN; i++) {
        instruction[i] = op->instruction;
        lanes[i] = i;
    }
    for (uint32_t lane = 0; lane < WL_LANES; lane += WL_SHADOW_RUN) {
        const uint32_t run = ((1u << WL_SHADOW_RUN) - 1) << lane;
        if ((left & run) != run || !is_row(offset + lane) ||
            (uint64_t)offset[lane] / 4 + WL_SHADOW_RUN > shadow->word_count)
            continue;
        const struct wl_shadow_view view = view_of(warp);
        const struct wl_shadow_row row = {
            .index = offset[lane] / 4,
            .count = WL_SHADOW_RUN,
            .instruction = instruction,
            .lanes = lanes,
            .who = first.who + who_is(lane, 0xf, 0),
        };
        left &= ~run;
        others |= wl_executor_watch()->mark_writes(&view, &row) << lane;
    }
    for (; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), index = offset[lane] / 4;
        mine.who = first.who + who_is(lane, 0xf, 0);
        if (offset[lane] % 4 || index >= shadow->word_count ||
            !write_lane(shadow, warp->index, index, &mine))
            others |= 1u << lane;
    }
    return others;
}

/* ---- reads of several instructions ---- */

/* A word that a lane reads. */
struct read {
    uint32_t base, round; /* how many reads of the word are before it */
    int64_t offset;
    uint32_t instruction, lane;
};

struct batch {
    uint32_t base, count;
    int64_t offset;
    uint32_t instruction[WL_SHADOW_RUN], lanes[WL_SHADOW_RUN];
};

enum { BATCHES_MOST = 128, READS_MOST = BATCHES_MOST * WL_SHADOW_RUN };

struct wl_shadow_reads {
    bool is_too_much;
    uint32_t base_count;
    struct extent {
        int64_t start, end; /* from the base on; end <= start: none is read */
    } extents[WL_SHADOW_BASES];
    WL_VECTOR(struct read) reads; /* until they are in batches */
    WL_VECTOR(struct batch) batches;
};

struct wl_shadow_reads *wl_shadow_reads_create(void)
{
    return wl_alloc_zero(1, sizeof(struct wl_shadow_reads));
}

void wl_shadow_reads_free(struct wl_shadow_reads *self)
{
    if (!self)
        return;
    free(self->reads.items);
    free(self->batches.items);
    free(self);
}

static void add_read(struct wl_shadow_reads *self, const struct read *given)
{
    struct read read = *given;
    for (size_t i = 0; i < self->reads.count; i++)
        read.round +=
            self->reads.items[i].base == read.base && self->reads.items[i].offset == read.offset;
    WL_PUSH(&self->reads, read);
    struct extent *extent = &self->extents[read.base];
    const bool is_first = extent->end <= extent->start;
    if (is_first || read.offset < extent->start)
        extent->start = read.offset;
    if (is_first || read.offset + 4 > extent->end)
        extent->end = read.offset + 4;
    if (read.base >= self->base_count)
        self->base_count = read.base + 1;
}

void wl_shadow_reads_add(struct wl_shadow_reads *self, uint32_t base, const struct wl_op *op,
                         int32_t offset, const uint32_t near[WL_LANES])
{
    const uint32_t repeats = wl_executor_watch()->find_repeats(near);
    for (uint32_t left = ~repeats; left && !self->is_too_much; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct read read = {.base = base,
                                  .offset = (int64_t)(int32_t)near[lane] + offset,
                                  .instruction = op->instruction,
                                  .lane = lane};
        self->is_too_much |= self->reads.count == READS_MOST || near[lane] % 4;
        if (!self->is_too_much)
            add_read(self, &read);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct read *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

bool wl_shadow_reads_finish(struct wl_shadow_reads *self)
{
    const struct read *before = NULL;
    if (self->reads.count)
        qsort(self->reads.items, self->reads.count, sizeof *self->reads.items, by_place);
    for (size_t i = 0; i < self->reads.count; i++) {
        const struct read *read = &self->reads.items[i];
        struct batch *batch = before ? &self->batches.items[self->batches.count - 1] : NULL;
        if (!before || before->round != read->round || before->base != read->base ||
            before->offset + 4 != read->offset || batch->count == WL_SHADOW_RUN) {
            const struct batch next = {.base = read->base, .offset = read->offset};
            WL_PUSH(&self->batches, next);
            batch = &self->batches.items[self->batches.count - 1];
        }
        batch->instruction[batch->count] = read->instruction;
        batch->lanes[batch->count++] = read->lane;
        before = read;
    }
    free(self->reads.items);
    self->reads.items = NULL;
    self->reads.count = 0;
    return !self->is_too_much && self->batches.count <= BATCHES_MOST;
}

bool wl_shadow_reads_extent(const struct wl_shadow_reads *self, uint32_t base, uint32_t offset,
                            int64_t *start, int64_t *end)
{
    const struct extent *extent = &self->extents[base];
    *start = extent->start + offset;
    *end = extent->end + offset;
    return extent->end > extent->start;
}

/* Whether all that is read is there, in whole words, and from no two bases the same. */
static bool are_apart(const struct wl_shadow *shadow, const struct wl_shadow_reads *reads,
                      const uint32_t *base)
{
    int64_t start[WL_SHADOW_BASES], end[WL_SHADOW_BASES];
    for (uint32_t i = 0; i < reads->base_count; i++) {
        if (!wl_shadow_reads_extent(reads, i, base[i], &start[i], &end[i])) {
            end[i] = start[i] = -1;
            continue;
        }
        if (start[i] < 0 || start[i] % 4 || end[i] > (int64_t)shadow->word_count * 4)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (start[i] < end[k] && start[k] < end[i])
                return false;
    }
    return true;
}

bool wl_shadow_read_all(struct wl_warp *warp, const struct wl_shadow_reads *reads,
                        const uint32_t *base)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct wl_executor_watch *watch = wl_executor_watch();
    const struct wl_shadow_view view = view_of(warp);
    const uint32_t who = who_is(warp->index * WL_LANES, 0xf, WL_SHADOW_PLAIN);
    uint32_t loud[BATCHES_MOST], any = 0;
    if (!are_apart(shadow, reads, base))
        return false;
    for (size_t i = 0; i < reads->batches.count; i++) {
        const struct batch *batch = &reads->batches.items[i];
        const uint32_t index = (uint32_t)(base[batch->base] + batch->offset) / 4;
        if (watch->find_told(&view, index, batch->count, &loud[i]))
            return false;
        any |= loud[i];
    }
    for (size_t i = 0; any && i < reads->batches.count; i++) {
        const struct batch *batch = &reads->batches.items[i];
        if (!loud[i])
            continue;
        const struct wl_shadow_row row = {
            .index = (uint32_t)(base[batch->base] + batch->offset) / 4,
            .count = batch->count,
            .instruction = batch->instruction,
            .lanes = batch->lanes,
            .who = who,
        };
        for (uint32_t quiet = watch->mark_reads(&view, &row, loud[i]); quiet; quiet &= quiet - 1)
            wl_shadow_set_quiet(shadow, row.index + (uint32_t)__builtin_ctz(quiet),
                                warp->cta->warp_count);
    }
    return true;
}
