#include "sim/l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/l2_batch.h"
#include "sim/l2_merge.h"
#include "sim/l2_open.h"
#include "sim/l2_rows.h"
#include "sim/l2_set.h"
#include "sim/l2_updates.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    MAX_PARTITIONS = 2,
    SLICES = WL_L2_MAX_SHARDS, /* every table is split by slice, and shards take whole slices */
    FOLLOWING = 4,             /* requests in a cache line of the host */
    AHEAD = 16,                /* of which the rest is asked for once the first bytes are there */
    PENDING_PER_SLICE = 32,    /* lines that a coalescer remembers in a slice */
    /* Measured on H200, docs/evidence/h200-microbenchmarks.md: */
    MERGED_REQUESTS = 4, /* reads that a coalescer lets one fetch answer */
    /* How long a fetch stays open for others. On hardware about 64 cycles where L2 has the line,
     * 300 to 600 where device memory must bring it, and SMs that share data fall into step because
     * those behind find it nearer. Logical time has no such pull, hence more. */
    PENDING_TIME = 1000,
    DEVICE_TIME = 300,    /* half the way from device memory: who asks later does not wait */
    DIRTY_SIXTEENTHS = 7, /* share of a set's ways that may be dirty */
};

/* The latest fetch of a line for the SMs of one group. */
struct pending {
    uint64_t line;
    uint32_t start, sectors;
    uint16_t requests;
    bool is_device, is_far; /* whence it comes */
};

struct wl_l2 {
    const struct wl_gpu *gpu;
    uint32_t partitions, ways, set_count, set_reciprocal; /* sets of a partition */
    uint32_t dirty_limit;                                 /* ways of a set */
    struct l2_set *sets[MAX_PARTITIONS];
    struct l2_written *written[MAX_PARTITIONS];
    size_t set_bytes, written_bytes, fetched_bytes; /* of a partition */
    struct l2_opens opens;
    uint32_t *fetched[MAX_PARTITIONS]; /* when device memory was asked last, way by way */
    uint32_t launch;                   /* told from others in those times */
    uint32_t group_sms, groups;        /* a GPC's SMs are neighbours */
    uint8_t *partition_of;             /* each group's */
    bool has_coalescers;
    struct pending *pending; /* groups x SLICES x PENDING_PER_SLICE */
    uint32_t gpu_slices;
    struct l2_updates *updates; /* SLICES x gpu_slices */
    struct l2_rows *rows;       /* a shard's: each sees all requests */
    struct wl_l2_counts counts[SLICES];
};

struct located {
    uint64_t line;
    uint32_t set, words, time;
    uint32_t open_mark; /* of a write that may leave its line open; 0: it does not */
    uint16_t group;
    uint8_t sectors, kind, home;
    bool is_float, is_alone;
    bool is_beside;        /* of the same row as one of the last ones */
    uint8_t *answer;       /* NULL: nobody asks */
    struct pending *fetch; /* that others may join; NULL: none */
};

/* All words of the sectors. */
static uint32_t words_of(uint32_t sectors)
{
    return (sectors * 0x00204081u & 0x01010101u) * 0xffu;
}

static uint32_t slice_of(uint32_t set)
{
    return set % SLICES;
}

static uint32_t partition_of(const struct wl_l2 *l2, uint32_t group)
{
    return l2->partition_of[group];
}

static void allocate_sets(struct wl_l2 *l2)
{
    l2->set_bytes = l2->set_count * sizeof(struct l2_set);
    l2->written_bytes = l2->set_count * sizeof **l2->written;
    l2->fetched_bytes = (size_t)l2->set_count * L2_WAYS * sizeof **l2->fetched;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        l2->sets[i] = wl_pages_alloc(l2->set_bytes);
        l2->written[i] = wl_pages_alloc(l2->written_bytes);
        l2->fetched[i] = wl_pages_alloc(l2->fetched_bytes);
    }
    l2_opens_create(&l2->opens, l2->set_count);
}

static struct l2_open *open_of(const struct wl_l2 *l2, uint32_t set)
{
    return &l2->opens.lines[l2_open_place(l2->opens.slice_sets, set)];
}

/* Empties the sets of that number, which are used for the first time since the caches were emptied.
 */
static void begin_sets(struct wl_l2 *l2, uint32_t set)
{
    for (uint32_t i = 0; i < l2->partitions; i++) {
        struct l2_set *begun = &l2->sets[i][set];
        begun->order = 0xfedcba9876543210u;
        begun->present = begun->dirty_ways = 0;
        memset(begun->valid, 0, sizeof begun->valid);
        memset(begun->dirty, 0, sizeof begun->dirty);
    }
}

struct wl_l2 *wl_l2_create(const struct wl_gpu *gpu)
{
    struct wl_l2 *l2 = wl_alloc_zero(1, sizeof *l2);
    l2->gpu = gpu;
    l2->partitions = gpu->l2_partitions > 1 ? MAX_PARTITIONS : 1;
    l2->ways = gpu->l2_ways && gpu->l2_ways < L2_WAYS ? gpu->l2_ways : L2_WAYS;
    l2->dirty_limit = (l2->ways * DIRTY_SIXTEENTHS + 15) / 16;
    uint64_t sets = gpu->l2_bytes / l2->partitions / LINE_BYTES / l2->ways;
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
        l2->pending =
            wl_alloc_zero((size_t)l2->groups * SLICES * PENDING_PER_SLICE, sizeof *l2->pending);
    l2->gpu_slices = gpu->l2_slices ? gpu->l2_slices : 1;
    l2->rows = wl_alloc_zero(WL_L2_MAX_SHARDS, sizeof *l2->rows);
    l2->updates = wl_alloc_zero((size_t)SLICES * l2->gpu_slices, sizeof *l2->updates);
    wl_l2_begin(l2, false);
    return l2;
}

void wl_l2_free(struct wl_l2 *l2)
{
    if (!l2)
        return;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        wl_pages_free(l2->sets[i], l2->set_bytes);
        wl_pages_free(l2->written[i], l2->written_bytes);
        wl_pages_free(l2->fetched[i], l2->fetched_bytes);
    }
    l2_opens_free(&l2->opens);
    free(l2->partition_of);
    free(l2->pending);
    free(l2->updates);
    free(l2->rows);
    free(l2);
}

void wl_l2_begin(struct wl_l2 *l2, bool keep_caches)
{
    memset(l2->counts, 0, sizeof l2->counts);
    l2->launch = l2->launch % 255 + 1;
    for (size_t i = 0; i < (size_t)SLICES * l2->gpu_slices; i++)
        if (l2->updates[i].count)
            l2->updates[i] = (struct l2_updates){0};
    size_t pending_count = (size_t)l2->groups * SLICES * PENDING_PER_SLICE;
    for (size_t i = 0; l2->has_coalescers && i < pending_count; i++)
        l2->pending[i] = (struct pending){.line = UINT64_MAX};
    if (!keep_caches)
        l2_opens_forget(&l2->opens);
}

/* A line of a partition's cache: where its state is kept. */
struct entry {
    struct l2_set *set;
    uint8_t *valid, *dirty;
    uint32_t *written;
    uint32_t way;
};

static struct entry entry_of(struct wl_l2 *l2, uint32_t partition, uint32_t set, uint32_t way)
{
    struct l2_set *lines = &l2->sets[partition][set];
    return (struct entry){lines, &lines->valid[way], &lines->dirty[way],
                          &l2->written[partition][set].words[way], way};
}

/* Writes dirty sectors back; incomplete ones are completed from device memory before. */
static void clean(struct entry entry, struct wl_l2_counts *counts)
{
    uint32_t incomplete = *entry.dirty & ~(uint32_t)*entry.valid;
    counts->dram_read_bytes += (uint64_t)l2_count_sectors(incomplete) * SECTOR_BYTES;
    counts->dram_filled_bytes += (uint64_t)l2_count_sectors(incomplete) * SECTOR_BYTES;
    counts->dram_write_bytes += (uint64_t)l2_count_sectors(*entry.dirty) * SECTOR_BYTES;
    if (*entry.valid >> 4)
        *entry.written = 0;
    *entry.valid = (uint8_t)((*entry.valid | incomplete) & 15);
    *entry.dirty = 0;
    entry.set->dirty_ways = (uint16_t)(entry.set->dirty_ways & ~(1u << entry.way));
}

/* Finds the line in the partition, in place of the least recently used one where it was absent. */
static struct entry look_up(struct wl_l2 *l2, uint32_t partition, const struct located *request,
                            struct wl_l2_counts *counts)
{
    struct l2_set *set = &l2->sets[partition][request->set];
    int found = l2_set_find_way(set, (uint32_t)request->line);
    uint32_t way =
        found >= 0 ? (uint32_t)found : (uint32_t)(set->order >> (4 * (l2->ways - 1))) & 15;
    l2_set_touch(set, way);
    set->latest = (uint32_t)request->line;
    struct entry entry = entry_of(l2, partition, request->set, way);
    if (found < 0) {
        clean(entry, counts);
        *entry.valid = 0;
        set->tags[way] = (uint32_t)request->line;
        set->marks[way] = l2_set_mark_of((uint32_t)request->line);
        set->present = (uint16_t)(set->present | 1u << way);
    }
    return entry;
}

/* Marks sectors dirty. Where that makes too many lines of the set dirty, the one longest unused is
 * written back and stays. */
static void make_dirty(struct wl_l2 *l2, const struct located *request, struct entry entry,
                       struct wl_l2_counts *counts)
{
    struct l2_set *set = entry.set;
    *entry.dirty = (uint8_t)(*entry.dirty | request->sectors);
    set->dirty_ways = (uint16_t)(set->dirty_ways | 1u << entry.way);
    if ((uint32_t)__builtin_popcount(set->dirty_ways) <= l2->dirty_limit)
        return;
    uint32_t age = l2->ways - 1;
    while (!(set->dirty_ways >> (set->order >> (4 * age) & 15) & 1))
        age--;
    uint32_t oldest = (uint32_t)(set->order >> (4 * age)) & 15;
    clean(entry_of(l2, request->home, request->set, oldest), counts);
}

/* Sectors fetched when these miss: device memory answers in pairs of sectors. */
static uint32_t fetch_pairs(uint32_t missed)
{
    return ((missed & 3) ? 3u : 0) | ((missed & 12) ? 12u : 0);
}

/* Keeps the words written into incomplete sectors, and in the high nibble which sectors those are.
 */
static void keep_written(struct entry entry, uint32_t written)
{
    uint32_t partial = l2_begun_sectors(written);
    if (partial || *entry.valid >> 4)
        *entry.written = written;
    *entry.valid = (uint8_t)((*entry.valid & 15) | partial << 4);
}

/* Brings the absent ones of sectors into the home partition's entry. */
static void fetch(struct entry home, uint32_t sectors, const struct located *request,
                  struct wl_l2_counts *counts)
{
    uint32_t fetched = sectors & ~(uint32_t)*home.valid;
    counts->dram_openings += fetched && !request->is_beside;
    counts->dram_read_bytes += (uint64_t)l2_count_sectors(fetched) * SECTOR_BYTES;
    *home.valid = (uint8_t)(*home.valid | fetched);
    if (!(*home.valid >> 4))
        return;
    keep_written(home, *home.written & ~words_of(fetched));
}

/* Notes whence sectors of a read come. */
static void note_answer(const struct located *request, uint32_t device, uint32_t far)
{
    if (request->fetch) {
        request->fetch->is_device = device > 0;
        request->fetch->is_far = far > 0;
    }
    if (request->answer)
        *request->answer = (uint8_t)(*request->answer + device + (far << WL_L2_FAR_SHIFT));
}

/* When the line was last asked of device memory, by the launch and its time. */
static uint32_t *fetched_at(const struct wl_l2 *l2, uint32_t partition, struct entry entry)
{
    return l2->fetched[partition] + (entry.set - l2->sets[partition]) * L2_WAYS + entry.way;
}

/* What is there may still be on its way from device memory: who asks then waits for it, too. */
static bool is_under_way(const struct wl_l2 *l2, uint32_t partition, struct entry entry,
                         uint32_t now)
{
    return now - *fetched_at(l2, partition, entry) <= DEVICE_TIME;
}

/* A read goes to the partition of its SM; what that lacks comes from the line's home and stays in
 * both. */
static void read_sectors(struct wl_l2 *l2, const struct located *request,
                         struct wl_l2_counts *counts)
{
    const uint32_t now = l2->launch << 24 | (request->time & 0xffffff);
    uint32_t near = partition_of(l2, request->group);
    struct entry local = look_up(l2, near, request, counts);
    uint32_t wanted = request->sectors, missed = wanted & ~(uint32_t)*local.valid;
    counts->reads += l2_count_sectors(wanted);
    counts->read_halves += ((wanted & 3) != 0) + ((wanted & 12) != 0);
    counts->read_hits += l2_count_sectors(wanted & ~missed);
    counts->alone_reads += request->is_alone ? l2_count_sectors(wanted) : 0;
    if (request->answer && missed != wanted && is_under_way(l2, near, local, now))
        note_answer(request, l2_count_sectors(wanted & ~missed), 0);
    if (!missed)
        return;
    uint32_t wide = fetch_pairs(missed) & ~(uint32_t)*local.valid;
    counts->read_misses += l2_count_sectors(wide);
    counts->read_lines_missed++;
    if (near == request->home) {
        note_answer(request, l2_count_sectors(missed), 0);
        *fetched_at(l2, near, local) = now;
        counts->alone_misses += request->is_alone ? l2_count_sectors(wide) : 0;
        fetch(local, wide, request, counts);
        return;
    }
    struct entry home = look_up(l2, request->home, request, counts);
    uint32_t absent = wide & ~(uint32_t)*home.valid, waits = absent;
    if (absent)
        *fetched_at(l2, request->home, home) = now;
    else if (is_under_way(l2, request->home, home, now))
        waits = wide;
    note_answer(request, l2_count_sectors(missed & waits), l2_count_sectors(missed & ~waits));
    *fetched_at(l2, near, local) = *fetched_at(l2, request->home, home);
    counts->alone_misses += request->is_alone ? l2_count_sectors(absent) : 0;
    counts->alone_far += request->is_alone ? l2_count_sectors(wide & ~absent) : 0;
    fetch(home, wide, request, counts);
    *local.valid = (uint8_t)(*local.valid | wide);
}

/* Notes written words in an entry. Words of incomplete sectors are kept apart, and rarely needed.
 */
static void write_words(struct entry entry, uint32_t sectors, uint32_t words)
{
    uint32_t partial = *entry.valid >> 4;
    if (words == UINT32_MAX && !partial) {
        *entry.valid = (uint8_t)(*entry.valid | sectors);
        return;
    }
    uint32_t written = partial ? *entry.written | words : words;
    *entry.valid = (uint8_t)(*entry.valid | (sectors & wl_l2_whole_sectors(written)));
    written &= ~words_of(*entry.valid & 15u);
    keep_written(entry, written);
}

/* Drops written sectors from the partitions that are neither home nor the writer's. */
static void invalidate_copies(struct wl_l2 *l2, const struct located *request, uint32_t writer)
{
    for (uint32_t partition = 0; partition < l2->partitions; partition++) {
        if (partition == request->home || partition == writer)
            continue;
        struct l2_set *set = &l2->sets[partition][request->set];
        int way = l2_set_find_way(set, (uint32_t)request->line);
        if (way >= 0)
            set->valid[way] = (uint8_t)(set->valid[way] & ~(request->sectors * 0x11));
    }
}

/* Whether the line is the one that was looked up last in its set of the partition. */
static bool is_latest(const struct wl_l2 *l2, uint32_t partition, const struct located *request)
{
    const struct l2_set *set = &l2->sets[partition][request->set];
    return set->latest == (uint32_t)request->line && set->present >> (set->order & 15) & 1;
}

/* Whether the line is dirty and the latest of its sets, so that nothing moves when it is written.
 */
static bool is_written_latest(const struct wl_l2 *l2, const struct located *request, uint32_t near)
{
    const struct l2_set *set = &l2->sets[request->home][request->set];
    return is_latest(l2, request->home, request) && set->dirty_ways >> (set->order & 15) & 1 &&
           (near == request->home || is_latest(l2, near, request));
}

/* The latest line of a set, which there is. */
static struct entry latest_of(struct wl_l2 *l2, uint32_t partition, uint32_t set)
{
    return entry_of(l2, partition, set, (uint32_t)l2->sets[partition][set].order & 15);
}

/* A write to such a line. False: it is not. */
static bool write_latest(struct wl_l2 *l2, const struct located *request, uint32_t near)
{
    if (!is_written_latest(l2, request, near))
        return false;
    struct entry home = latest_of(l2, request->home, request->set);
    write_words(home, request->sectors, request->words);
    *home.dirty = (uint8_t)(*home.dirty | request->sectors);
    if (near != request->home)
        write_words(latest_of(l2, near, request->set), request->sectors, request->words);
    return true;
}

/* Does what writes of the open line of a set have put off; none is open then. */
static void close_line(struct wl_l2 *l2, uint32_t set, struct l2_open *open)
{
    const struct located request = {.line = l2_open_line(open),
                                    .set = set,
                                    .words = open->words,
                                    .sectors = (uint8_t)l2_begun_sectors(open->words),
                                    .home = (uint8_t)open->home};
    const uint32_t writer = open->mark >> L2_OPEN_WRITER_SHIFT & 1;
    open->mark = 0;
    if (!request.sectors)
        return;
    invalidate_copies(l2, &request, writer);
    write_latest(l2, &request, writer);
}

/* Leaves the line the latest of its sets and dirty, and open for the words. */
static void open_line(struct wl_l2 *l2, const struct located *request, uint32_t near,
                      struct wl_l2_counts *counts)
{
    if (!is_written_latest(l2, request, near)) {
        make_dirty(l2, request, look_up(l2, request->home, request, counts), counts);
        if (near != request->home)
            look_up(l2, near, request, counts);
    }
    *open_of(l2, request->set) = (struct l2_open){(uint32_t)request->line, request->open_mark,
                                                  request->words, request->home};
    l2->opens.has_any[slice_of(request->set)] = true;
}

/* Written data are dirty in the home partition; the writer's keeps a copy. */
static void write_sectors(struct wl_l2 *l2, const struct located *request,
                          struct wl_l2_counts *counts)
{
    uint32_t near = partition_of(l2, request->group);
    uint32_t count = l2_count_sectors(request->sectors);
    counts->writes += count;
    counts->write_hits += count;
    if (request->open_mark) {
        open_line(l2, request, near, counts);
        return;
    }
    invalidate_copies(l2, request, near);
    if (write_latest(l2, request, near))
        return;
    struct entry home = look_up(l2, request->home, request, counts);
    write_words(home, request->sectors, request->words);
    make_dirty(l2, request, home, counts);
    if (near == request->home)
        return;
    struct entry local = look_up(l2, near, request, counts);
    write_words(local, request->sectors, request->words);
}

/* Requests that the atomics of one line become: one for each lane that shares a word. */
static uint32_t count_rounds(const struct located *request)
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

static void update_sectors(struct wl_l2 *l2, const struct located *request,
                           struct wl_l2_counts *counts)
{
    uint32_t sharers = request->words, count = 0;
    for (uint32_t sector = 0; sector < 4; sector++)
        count += sharers >> (8 * sector) & 0xff;
    *(request->kind == WL_L2_ATOMIC ? &counts->atomics : &counts->reductions) += count;
    counts->updated_sectors += l2_count_sectors(request->sectors);
    l2_updates_note(&l2->updates[(size_t)slice_of(request->set) * l2->gpu_slices], l2->gpu_slices,
                    request->line, request->words, request->is_float);
    invalidate_copies(l2, request, request->home);
    struct entry owner = look_up(l2, request->home, request, counts);
    fetch(owner, fetch_pairs(request->sectors & ~(uint32_t)*owner.valid), request, counts);
    make_dirty(l2, request, owner, counts);
}

/* Takes out the sectors of a read that a neighbour's open fetch will bring. */
static void coalesce(struct located *request, struct wl_l2_counts *counts)
{
    struct pending *pending = request->fetch;
    uint32_t answered = 0, age = request->time - pending->start;
    const bool is_same = pending->line == request->line;
    if (is_same && pending->requests < MERGED_REQUESTS && age <= PENDING_TIME)
        answered = pending->sectors & request->sectors;
    request->fetch = NULL;
    if (is_same && age > DEVICE_TIME)
        pending->is_device = pending->is_far = false;
    if (answered) {
        pending->requests++;
        pending->sectors |= request->sectors;
        note_answer(request, pending->is_device ? l2_count_sectors(answered) : 0,
                    pending->is_far ? l2_count_sectors(answered) : 0);
    } else {
        *pending = (struct pending){.line = request->line,
                                    .start = request->time,
                                    .sectors = request->sectors,
                                    .requests = 1};
    }
    request->fetch = pending;
    counts->coalesced += l2_count_sectors(answered);
    request->sectors = (uint8_t)(request->sectors & ~answered);
}

static void serve(struct wl_l2 *l2, struct located *request)
{
    struct wl_l2_counts *counts = &l2->counts[slice_of(request->set)];
    if (request->kind == WL_L2_READ && l2->has_coalescers) {
        coalesce(request, counts);
        if (!request->sectors)
            return;
    }
    counts->requests += count_rounds(request);
    if (request->kind == WL_L2_READ) {
        read_sectors(l2, request, counts);
    } else if (request->kind == WL_L2_WRITE) {
        write_sectors(l2, request, counts);
    } else {
        update_sectors(l2, request, counts);
    }
}

/* Where a read may find a neighbour's fetch of its line. */
static struct pending *pending_of(const struct wl_l2 *l2, const struct l2_batch *batch, size_t at)
{
    size_t slice = (size_t)batch->group[at] * SLICES + slice_of(batch->set[at]);
    return &l2->pending[slice * PENDING_PER_SLICE + l2_mix(batch->low[at]) % PENDING_PER_SLICE];
}

/* Of functions that do little else: gcc takes them for ones that do nothing where it calls them. */
#define PREFETCHES static inline __attribute__((always_inline))

/* Lines that are written as a whole are rarely written again. */
static uint32_t open_mark_of(const struct l2_batch *batch, size_t at)
{
    const bool is_open = !(batch->mark[at] & L2_OPEN_NEVER) && batch->words[at] != UINT32_MAX;
    return is_open ? batch->mark[at] : 0;
}

/* Asks for the first bytes of what the request needs. */
PREFETCHES void prefetch(struct wl_l2 *l2, const struct l2_batch *batch, size_t at)
{
    const uint32_t set = batch->set[at];
    for (uint32_t i = 0; i < l2->partitions; i++)
        __builtin_prefetch(&l2->sets[i][set], 1);
    if (l2_batch_kind(batch, at) != WL_L2_READ)
        return;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        __builtin_prefetch(l2->sets[i][set].tags, 1);
        __builtin_prefetch(l2->fetched[i] + (size_t)set * L2_WAYS, 1);
    }
    if (l2->has_coalescers)
        __builtin_prefetch(pending_of(l2, batch, at), 1);
}

/* Asks for what the request needs of its sets besides their first bytes. */
PREFETCHES void prefetch_rest(struct wl_l2 *l2, const struct l2_batch *batch, size_t at)
{
    for (uint32_t i = 0; i < l2->partitions; i++) {
        const struct l2_set *set = &l2->sets[i][batch->set[at]];
        const uint32_t match = l2_set_match_marks(set, batch->low[at]);
        if (match)
            __builtin_prefetch(set->tags, 1);
        if (match && l2_batch_kind(batch, at) == WL_L2_WRITE && batch->words[at] != UINT32_MAX)
            __builtin_prefetch(&l2->written[i][batch->set[at]], 1);
    }
}

/* Asks for what a write needs that may leave its line open. */
PREFETCHES void prefetch_written(struct wl_l2 *l2, const struct l2_batch *batch, size_t at)
{
    const uint32_t set = batch->set[at], writer = batch->mark[at] >> L2_OPEN_WRITER_SHIFT & 1;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        __builtin_prefetch(&l2->sets[i][set], 1);
        if (i == batch->home[at] || i == writer)
            __builtin_prefetch(l2->sets[i][set].tags, 1);
    }
}

/* Whether the request is a write that can be put off. */
static bool is_open(const struct l2_feed *feed, const struct l2_batch *batch, size_t at,
                    const struct l2_open *open)
{
    return feed->has_open && open->low == batch->low[at] && open->mark == batch->mark[at];
}

/* Asks for what a request needs that is taken, if it is not likely to be put off. */
PREFETCHES void ask(struct wl_l2 *l2, const struct l2_feed *feed, struct l2_batch *batch, size_t i)
{
    const struct l2_open *lines = l2->opens.lines;
    const size_t at = batch->taken[i];
    const struct l2_open *open = &lines[batch->open_place[at]];
    if (feed->has_open && i + AHEAD < batch->taken_count)
        __builtin_prefetch(&lines[batch->open_place[batch->taken[i + AHEAD]]], 1);
    batch->is_asked[i] = is_open(feed, batch, at, open);
    if (batch->is_asked[i])
        return;
    for (uint32_t k = 0; k < l2->partitions; k++)
        if (feed->has_open && open->mark && open->words != UINT32_MAX)
            __builtin_prefetch(&l2->written[k][batch->set[at]], 1);
    batch->is_asked[i] = open_mark_of(batch, at) != 0;
    if (batch->is_asked[i])
        prefetch_written(l2, batch, at);
    else
        prefetch(l2, batch, at);
}

static void serve_at(struct wl_l2 *l2, struct l2_feed *feed, const struct l2_batch *batch,
                     size_t at)
{
    struct located located = {.line = l2_batch_line(batch, at),
                              .set = batch->set[at],
                              .words = batch->words[at],
                              .time = batch->time[at],
                              .open_mark = open_mark_of(batch, at),
                              .group = (uint16_t)batch->group[at],
                              .sectors = (uint8_t)l2_batch_sectors(batch, at),
                              .kind = (uint8_t)l2_batch_kind(batch, at),
                              .home = (uint8_t)batch->home[at],
                              .is_float = batch->high[at] >> WL_L2_KIND_SHIFT & WL_L2_FLOAT,
                              .is_alone = batch->high[at] >> WL_L2_KIND_SHIFT & WL_L2_ALONE,
                              .is_beside = batch->is_beside[at],
                              .answer = batch->answer[at]};
    if (located.kind == WL_L2_READ && l2->has_coalescers)
        located.fetch = pending_of(l2, batch, at);
    if (l2_opens_use(&l2->opens, located.set))
        begin_sets(l2, located.set);
    serve(l2, &located);
    feed->has_open |= l2->opens.has_any[slice_of(located.set)];
}

/* Serves a request that is taken, or puts it off. */
static void serve_taken(struct wl_l2 *l2, struct l2_feed *feed, const struct l2_batch *batch,
                        size_t i)
{
    const size_t at = batch->taken[i];
    struct l2_open *open = &l2->opens.lines[batch->open_place[at]];
    if (i + AHEAD < batch->taken_count && !batch->is_asked[i + AHEAD] &&
        l2_batch_kind(batch, batch->taken[i + AHEAD]) != WL_L2_READ)
        prefetch_rest(l2, batch, batch->taken[i + AHEAD]);
    if (is_open(feed, batch, at, open)) {
        open->words |= batch->words[at];
        feed->writes++;
        feed->written_sectors += l2_count_sectors(l2_batch_sectors(batch, at));
        return;
    }
    if (feed->has_open && open->mark)
        close_line(l2, batch->set[at], open);
    serve_at(l2, feed, batch, at);
}

/* Serves the batch for which all has been asked, and asks for what the one needs that is filled. */
static void flush(struct wl_l2 *l2, struct l2_feed *feed)
{
    const struct l2_places places = {l2->set_count, l2->set_reciprocal, l2->partitions > 1,
                                     l2->opens.slice_sets};
    struct l2_batch *filled = feed->filled, *asked = feed->asked;
    l2_batch_locate(filled, &places);
    l2_feed_take(feed, l2->launch);
    for (size_t i = 0; i < filled->taken_count || i < asked->taken_count; i++) {
        if (i < filled->taken_count)
            ask(l2, feed, filled, i);
        if (i < asked->taken_count)
            serve_taken(l2, feed, asked, i);
    }
    asked->count = asked->taken_count = 0;
    feed->filled = asked;
    feed->asked = filled;
}

/* How many of some requests fall into a step. */
static size_t count_in_step(const struct wl_l2_request *requests, size_t most, uint32_t start)
{
    size_t count = 0;
    while (count + L2_BATCH_COPY <= most &&
           requests[count + L2_BATCH_COPY - 1].time - start < L2_MERGE_STEP)
        count += L2_BATCH_COPY;
    while (count < most && requests[count].time - start < L2_MERGE_STEP)
        count++;
    return count;
}

/* The requests of a trace from next on that fall into a step; returns the one behind them. */
static inline size_t gather(struct wl_l2 *l2, struct l2_feed *feed, const struct wl_l2_trace *trace,
                            size_t next, uint32_t start)
{
    const uint32_t group = trace->sm / l2->group_sms;
    const uint32_t mark = l2_open_mark(0, partition_of(l2, group));
    for (;;) {
        struct l2_batch *batch = feed->filled;
        const size_t room = L2_BATCH - batch->count, left = trace->count - next;
        const size_t count =
            count_in_step(&trace->requests[next], left < room ? left : room, start);
        for (size_t i = 0; i <= count; i += FOLLOWING) /* count_in_step looks that far ahead */
            __builtin_prefetch(&trace->requests[next + 4 * count + L2_BATCH_COPY + i]);
        l2_batch_add(batch, &trace->requests[next], count, mark, group);
        feed->has_answers |= trace->answers != NULL;
        if (feed->has_answers)
            l2_batch_answer(batch, trace->answers ? &trace->answers[next] : NULL, count);
        next += count;
        if (batch->count < L2_BATCH)
            return next;
        flush(l2, feed);
    }
}

static inline __attribute__((always_inline)) void feed_shard(struct wl_l2 *l2, unsigned shard,
                                                             unsigned shards,
                                                             const struct wl_l2_trace *traces,
                                                             size_t trace_count)
{
    struct l2_merge merge = {.traces = traces, .trace_count = trace_count};
    merge.next = wl_alloc_zero(trace_count, sizeof *merge.next);
    merge.when = wl_alloc(trace_count * sizeof *merge.when);
    for (size_t i = 0; i < trace_count; i++)
        l2_merge_note(&merge, i);
    struct l2_feed *feed = wl_alloc_zero(1, sizeof *feed);
    feed->filled = &feed->batches[0];
    feed->asked = &feed->batches[1];
    feed->rows = &l2->rows[shard];
    for (uint32_t slice = shard; slice < SLICES; slice += shards) {
        feed->takes[slice] = true;
        feed->has_open |= l2->opens.has_any[slice];
    }
    for (uint32_t start; l2_merge_find_step(&merge, &start);)
        for (size_t i = 0; i < trace_count; i++) {
            if (merge.when[i] - start >= L2_MERGE_STEP)
                continue;
            merge.next[i] = gather(l2, feed, &traces[i], merge.next[i], start);
            l2_merge_note(&merge, i);
        }
    for (int i = 0; i < 2; i++)
        flush(l2, feed);
    struct wl_l2_counts *counts = &l2->counts[shard]; /* of a slice that is the shard's */
    counts->requests += feed->writes;
    counts->writes += feed->written_sectors;
    counts->write_hits += feed->written_sectors;
    free(feed);
    free(merge.next);
    free(merge.when);
}

#if defined(__x86_64__)
/* The same for processors with wider vectors; all that it calls is compiled into it. */
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt,lzcnt"),
               flatten)) static void
feed_v4(struct wl_l2 *l2, unsigned shard, unsigned shards, const struct wl_l2_trace *traces,
        size_t trace_count)
{
    feed_shard(l2, shard, shards, traces, trace_count);
}

__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"), flatten)) static void
feed_v3(struct wl_l2 *l2, unsigned shard, unsigned shards, const struct wl_l2_trace *traces,
        size_t trace_count)
{
    feed_shard(l2, shard, shards, traces, trace_count);
}
#endif

void wl_l2_feed(struct wl_l2 *l2, unsigned shard, unsigned shards, const struct wl_l2_trace *traces,
                size_t trace_count)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")) {
        feed_v4(l2, shard, shards, traces, trace_count);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        feed_v3(l2, shard, shards, traces, trace_count);
        return;
    }
#endif
    feed_shard(l2, shard, shards, traces, trace_count);
}

void wl_l2_count(const struct wl_l2 *l2, struct wl_l2_counts *counts)
{
    *counts = (struct wl_l2_counts){0};
    uint64_t *sums = (uint64_t *)counts;
    for (uint32_t i = 0; i < SLICES; i++) {
        const uint64_t *numbers = (const uint64_t *)&l2->counts[i];
        for (size_t k = 0; k < offsetof(struct wl_l2_counts, atomic_cycles) / sizeof *sums; k++)
            sums[k] += numbers[k];
    }
    counts->atomic_cycles = counts->atomics + counts->reductions
                                ? l2_updates_cycles(l2->updates, l2->gpu, l2->gpu_slices)
                                : 0;
}
