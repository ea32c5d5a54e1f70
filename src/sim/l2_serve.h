/* What requests do to L2, and what is counted of them. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_SERVE_H
#define WL_SIM_L2_SERVE_H

#include "sim/l2_entry.h"
#include "sim/l2_updates.h"

/* Sectors fetched when these miss: device memory answers in pairs of sectors. */
static inline uint32_t l2_fetch_pairs(uint32_t missed)
{
    return ((missed & 3) ? 3u : 0) | ((missed & 12) ? 12u : 0);
}

/* Notes whence sectors of a read come. */
static inline void l2_note_answer(const struct l2_located *request, uint32_t device, uint32_t far)
{
    if (request->fetch) {
        request->fetch->is_device = device > 0;
        request->fetch->is_far = far > 0;
    }
    if (request->answer)
        *request->answer = (uint8_t)(*request->answer + device + (far << WL_L2_FAR_SHIFT));
}

/* Reads by their sectors: a sum for each kind of them would take longer at each read. */
struct l2_reads {
    uint64_t all[L2_SECTOR_MASKS];
    uint64_t missed[L2_SECTOR_MASKS], fetched[L2_SECTOR_MASKS]; /* of those that missed any */
};

/* A read goes to the partition of its SM; what that lacks comes from the line's home and stays in
 * both. */
L2_INLINE void l2_read_sectors(struct wl_l2 *l2, const struct l2_located *request,
                               struct l2_reads *reads, struct wl_l2_counts *counts)
{
    const uint32_t now = l2->launch << 24 | (request->time & 0xffffff);
    uint32_t near = request->near;
    struct l2_entry local = l2_look_up(l2, near, request, counts);
    uint32_t wanted = request->sectors, missed = wanted & ~(uint32_t)*l2_valid(local);
    reads->all[wanted]++;
    if (request->is_alone)
        counts->alone_reads += l2_count_sectors(wanted);
    if (request->answer && missed != wanted && l2_is_under_way(l2, local, now))
        l2_note_answer(request, l2_count_sectors(wanted & ~missed), 0);
    if (!missed)
        return;
    uint32_t wide = l2_fetch_pairs(missed) & ~(uint32_t)*l2_valid(local);
    reads->missed[missed]++;
    reads->fetched[wide]++;
    if (near == request->home) {
        l2_note_answer(request, l2_count_sectors(missed), 0);
        *l2_fetched_at(l2, local) = now;
        counts->alone_misses += request->is_alone ? l2_count_sectors(wide) : 0;
        l2_fetch(l2, local, wide, request, counts);
        return;
    }
    struct l2_entry home = l2_look_up(l2, request->home, request, counts);
    uint32_t absent = wide & ~(uint32_t)*l2_valid(home), waits = absent;
    if (absent)
        *l2_fetched_at(l2, home) = now;
    else if (l2_is_under_way(l2, home, now))
        waits = wide;
    l2_note_answer(request, l2_count_sectors(missed & waits), l2_count_sectors(missed & ~waits));
    *l2_fetched_at(l2, local) = *l2_fetched_at(l2, home);
    counts->alone_misses += request->is_alone ? l2_count_sectors(absent) : 0;
    counts->alone_far += request->is_alone ? l2_count_sectors(wide & ~absent) : 0;
    l2_fetch(l2, home, wide, request, counts);
    *l2_valid(local) = (uint8_t)(*l2_valid(local) | wide);
}

/* Drops written sectors from the partitions that are neither home nor the writer's. */
static inline void l2_invalidate_copies(struct wl_l2 *l2, const struct l2_located *request,
                                        uint32_t writer)
{
    for (uint32_t partition = 0; partition < l2->partitions; partition++) {
        if (partition == request->home || partition == writer)
            continue;
        struct l2_set *set = l2_set_of(l2, partition, request->set);
        const int way = l2_set_find_way(set, (uint32_t)request->line);
        if (way < 0)
            continue;
        uint8_t *valid = l2_valid((struct l2_entry){set, (uint32_t)way});
        *valid = (uint8_t)(*valid & ~(request->sectors * 0x11));
    }
}

/* Does what writes of the open line of a set have put off; none is open then. */
static inline void l2_close_line(struct wl_l2 *l2, uint32_t set)
{
    struct l2_open *open = l2_opens_line(&l2->opens, set);
    l2_open_settle(l2->known, open);
    const struct l2_located request = {.line = l2_open_line(open),
                                       .set = set,
                                       .words = open->words,
                                       .sectors = (uint8_t)l2_begun_sectors(open->words),
                                       .home = (uint8_t)open->home};
    const uint32_t writer = open->mark >> L2_OPEN_WRITER_SHIFT & 1;
    open->mark = 0;
    *l2_used_of(&l2->opens, set) &= (uint8_t)~L2_SET_OPEN;
    if (!request.sectors)
        return;
    l2_invalidate_copies(l2, &request, writer);
    l2_write_latest(l2, &request, writer);
}

/* Leaves the line the latest of its sets and dirty, and open for the words. */
static inline void l2_leave_open(struct wl_l2 *l2, const struct l2_located *request, uint32_t near,
                                 struct wl_l2_counts *counts)
{
    if (!l2_is_written_latest(l2, request, near)) {
        l2_make_dirty(l2, request, l2_look_up(l2, request->home, request, counts), counts);
        if (near != request->home)
            l2_look_up(l2, near, request, counts);
    }
    *l2_opens_line(&l2->opens, request->set) = (struct l2_open){.low = (uint32_t)request->line,
                                                                .mark = request->open_mark,
                                                                .words = request->words,
                                                                .home = request->home & 1};
    l2_used_add(&l2->opens, request->set, L2_SET_OPEN);
    bool *has_any = &l2->opens.has_any[l2_slice_of(request->set)];
    if (!*has_any) /* other shards' lie beside it */
        *has_any = true;
}

/* Written data are dirty in the home partition; the writer's keeps a copy. */
static inline void l2_write_sectors(struct wl_l2 *l2, const struct l2_located *request,
                                    struct wl_l2_counts *counts)
{
    uint32_t near = request->near;
    uint32_t count = l2_count_sectors(request->sectors);
    counts->writes += count;
    counts->write_hits += count;
    if (request->open_mark) {
        l2_leave_open(l2, request, near, counts);
        return;
    }
    l2_invalidate_copies(l2, request, near);
    if (l2_write_latest(l2, request, near))
        return;
    struct l2_entry home = l2_look_up(l2, request->home, request, counts);
    l2_write_words(l2, home, request->sectors, request->words);
    l2_make_dirty(l2, request, home, counts);
    if (near == request->home)
        return;
    struct l2_entry local = l2_look_up(l2, near, request, counts);
    l2_write_words(l2, local, request->sectors, request->words);
}

/* Requests that the atomics of one line become: one for each lane that shares a word. */
static inline uint32_t l2_count_rounds(const struct l2_located *request)
{
    if (request->kind < WL_L2_ATOMIC)
        return 1;
    uint32_t most = 0;
    for (uint32_t sector = 0; sector < 4; sector++) {
        uint32_t sharers = request->words >> (8 * sector) & 0xff;
        most = sharers > most ? sharers : most;
    }
    return most;
}

static inline void l2_update_sectors(struct wl_l2 *l2, const struct l2_located *request,
                                     struct wl_l2_counts *counts)
{
    uint32_t sharers = request->words, count = 0;
    for (uint32_t sector = 0; sector < 4; sector++)
        count += sharers >> (8 * sector) & 0xff;
    *(request->kind == WL_L2_ATOMIC ? &counts->atomics : &counts->reductions) += count;
    counts->updated_sectors += l2_count_sectors(request->sectors);
    l2_updates_note(&l2->updates[(size_t)l2_slice_of(request->set) * l2->gpu_slices],
                    l2->gpu_slices, request->line, request->words, request->is_float);
    l2_invalidate_copies(l2, request, request->home);
    struct l2_entry owner = l2_look_up(l2, request->home, request, counts);
    l2_fetch(l2, owner, l2_fetch_pairs(request->sectors & ~(uint32_t)*l2_valid(owner)), request,
             counts);
    l2_make_dirty(l2, request, owner, counts);
}

/* Takes out the sectors of a read that a neighbour's open fetch will bring. */
L2_INLINE void l2_coalesce(struct l2_located *request, struct wl_l2_counts *counts)
{
    struct l2_pending *pending = request->fetch;
    uint32_t answered = 0, age = request->time - pending->start;
    const bool is_same =
        pending->low == (uint32_t)request->line && pending->high == (uint16_t)(request->line >> 32);
    if (is_same && pending->requests < L2_MERGED_REQUESTS && age <= L2_PENDING_TIME)
        answered = pending->sectors & request->sectors;
    request->fetch = NULL;
    if (is_same && age > L2_DEVICE_TIME)
        pending->is_device = pending->is_far = false;
    if (answered) {
        pending->requests++;
        pending->sectors = (uint8_t)(pending->sectors | request->sectors);
        l2_note_answer(request, pending->is_device ? l2_count_sectors(answered) : 0,
                       pending->is_far ? l2_count_sectors(answered) : 0);
    } else {
        *pending = (struct l2_pending){.low = (uint32_t)request->line,
                                       .high = (uint16_t)(request->line >> 32),
                                       .start = request->time,
                                       .sectors = request->sectors,
                                       .requests = 1};
    }
    request->fetch = pending;
    counts->coalesced += l2_count_sectors(answered);
    request->sectors = (uint8_t)(request->sectors & ~answered);
}

/* Adds reads to what is counted. */
static inline void l2_count_reads(const struct l2_reads *reads, struct wl_l2_counts *counts)
{
    for (uint32_t sectors = 0; sectors < L2_SECTOR_MASKS; sectors++) {
        const uint64_t all = reads->all[sectors], missed = reads->missed[sectors];
        const uint32_t count = l2_count_sectors(sectors);
        counts->requests += all;
        counts->reads += count * all;
        counts->read_hits += count * (all - missed);
        counts->read_misses += count * reads->fetched[sectors];
        counts->read_lines_missed += missed;
        counts->read_halves += all * (((sectors & 3) != 0) + ((sectors & 12) != 0));
    }
}

L2_INLINE void l2_serve_read(struct wl_l2 *l2, struct l2_located *request, struct l2_reads *reads,
                             struct wl_l2_counts *counts)
{
    if (request->fetch) {
        l2_coalesce(request, counts);
        if (!request->sectors)
            return;
    }
    l2_read_sectors(l2, request, reads, counts);
}

/* One that is no read. */
L2_INLINE void l2_serve_other(struct wl_l2 *l2, struct l2_located *request,
                              struct wl_l2_counts *counts)
{
    counts->requests += l2_count_rounds(request);
    if (request->kind == WL_L2_WRITE)
        l2_write_sectors(l2, request, counts);
    else
        l2_update_sectors(l2, request, counts);
}

#endif
