#include "sim/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/apart.h"
#include "sim/deal.h"
#include "sim/executor.h"

bool wl_sums_are_ordered(const struct wl_run *run)
{
    return run->program->sums_come_once && wl_blocks_are_apart(run);
}

/* Moves the SM's sums of blocks below `end` to the others; the rest stays, in its order. */
static size_t take(struct wl_sm *sm, uint64_t end, struct wl_kept *taken)
{
    size_t left = 0, moved = 0;
    for (size_t i = 0; i < sm->kept.count; i++)
        if (sm->kept.items[i].block < end)
            taken[moved++] = sm->kept.items[i];
        else
            sm->kept.items[left++] = sm->kept.items[i];
    sm->kept.count = left;
    return moved;
}

/* By block, those of one block in the order in which they are: by digits, the lowest first. Returns
 * the sorted ones, which are in either. */
static struct wl_kept *sort(struct wl_kept *from, struct wl_kept *to, size_t count)
{
    enum { DIGIT_BITS = 11, VALUES = 1 << DIGIT_BITS };
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = from[i].block < least ? from[i].block : least;
        most = from[i].block > most ? from[i].block : most;
    }
    for (uint32_t shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
        size_t places[VALUES + 1] = {0};
        for (size_t i = 0; i < count; i++)
            places[((from[i].block - least) >> shift) % VALUES + 1]++;
        for (uint32_t i = 0; i < VALUES; i++)
            places[i + 1] += places[i];
        for (size_t i = 0; i < count; i++)
            to[places[((from[i].block - least) >> shift) % VALUES]++] = from[i];
        struct wl_kept *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

static size_t count_kept(const struct wl_sm *sms, uint32_t count)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        kept += sms[i].kept.count;
    return kept;
}

void wl_sums_add(struct wl_sums *self, struct wl_sm *sms, uint32_t count, uint64_t end)
{
    const size_t wanted = count_kept(sms, count);
    size_t moved = 0;
    if (wanted > self->room) {
        wl_sums_end(self);
        self->room = wanted + wanted / 2;
        self->taken = wl_alloc(self->room * sizeof *self->taken);
        self->other = wl_alloc(self->room * sizeof *self->other);
    }
    for (uint32_t i = 0; i < count; i++)
        moved += take(&sms[i], end, self->taken + moved);
    if (moved)
        wl_executor_add()(sort(self->taken, self->other, moved), moved);
}

void wl_sums_end(struct wl_sums *self)
{
    free(self->taken);
    free(self->other);
    self->taken = self->other = NULL;
    self->room = 0;
}

static uint64_t first_unfinished(const struct wl_sm *sms, uint32_t count, uint64_t next)
{
    uint64_t first = next;
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_sm *sm = &sms[i];
        for (uint32_t k = 0; k < sm->cta_count; k++)
            if (sm->ctas[k].is_live && sm->ctas[k].linear < first)
                first = sm->ctas[k].linear;
        if (sm->hand->count && sm->hand->blocks[sm->hand->first] < first)
            first = sm->hand->blocks[sm->hand->first];
    }
    return first;
}

void wl_sums_relieve(struct wl_sums *self, struct wl_sm *sms, uint32_t count, uint64_t next)
{
    enum { KEPT_MANY = 1 << 18 };
    if (count_kept(sms, count) < (self->most ? self->most : KEPT_MANY))
        return;
    wl_sums_add(self, sms, count, first_unfinished(sms, count, next));
    const size_t left = count_kept(sms, count);
    self->most = left > KEPT_MANY / 2 ? 2 * left : KEPT_MANY;
}
