#include "sim/l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    MAX_WAYS = 16,
    MAX_PARTITIONS = 2,
    SLICES = WL_L2_MAX_SHARDS, /* every table is split by slice, and shards take whole slices */
    STEP = 16,                 /* logical time within which SMs are taken in their order */
    BATCH = 512,               /* requests looked up together, so that prefetching has time */
    PENDING_PER_SLICE = 32,    /* lines that a coalescer remembers in a slice */
};

struct l2_set {
    uint32_t tags[MAX_WAYS];
    uint8_t valid[MAX_WAYS]; /* low nibble: sectors whose data are complete */
    uint8_t dirty[MAX_WAYS]; /* low nibble: sectors written since the fetch */
    uint64_t order;          /* way numbers, a nibble each, most recently used lowest */
    uint16_t present;
};

/* The latest read of a line that SMs of one group share. */
struct pending {
    uint64_t line;
    uint32_t time;
    uint32_t sectors;
};

struct wl_l2 {
    const struct wl_gpu *gpu;
    uint32_t partitions, ways, set_count, set_reciprocal; /* sets of a partition */
    struct l2_set *sets[MAX_PARTITIONS];
    uint32_t *written[MAX_PARTITIONS]; /* by set and way: words written into incomplete sectors */
    uint32_t group_sms, groups;
    uint32_t *partition_of_sm;
    struct pending *pending; /* groups x SLICES x PENDING_PER_SLICE */
    struct wl_l2_counts counts[SLICES];
};

struct located {
    uint64_t line;
    uint32_t set, words, time;
    uint8_t sectors, kind;
    uint16_t sm;
};

static uint32_t mix(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x85ebca6bu;
    value ^= value >> 13;
    value *= 0xc2b2ae35u;
    return value ^ value >> 16;
}

static uint32_t scale(uint32_t hash, uint32_t count)
{
    return (uint32_t)(((uint64_t)hash * count) >> 32);
}

/* Runs of set_count lines fill the sets evenly, each run rotated by a hash of its number. */
static uint32_t find_set(const struct wl_l2 *l2, uint64_t line)
{
    uint32_t low = (uint32_t)line;
    uint32_t run = (uint32_t)(((uint64_t)l2->set_reciprocal * low) >> 32);
    uint32_t offset = low - run * l2->set_count;
    if (offset >= l2->set_count) {
        offset -= l2->set_count;
        run++;
    }
    uint32_t set = offset + scale(mix(run + (uint32_t)(line >> 32)), l2->set_count);
    return set >= l2->set_count ? set - l2->set_count : set;
}

static uint32_t slice_of(uint32_t set)
{
    return set % SLICES;
}

/* The partition whose memory controllers own the line. */
static uint32_t home_of(const struct wl_l2 *l2, uint64_t line)
{
    return l2->partitions > 1 ? mix((uint32_t)(line ^ line >> 32) * 0x9e3779b1u) & 1 : 0;
}

static void place_sms(struct wl_l2 *l2)
{
    const struct wl_gpu *gpu = l2->gpu;
    uint32_t per_tpc = gpu->sms_per_tpc ? gpu->sms_per_tpc : 1;
    uint32_t per_gpc = per_tpc * (gpu->tpcs_per_gpc ? gpu->tpcs_per_gpc : 1);
    uint32_t gpcs = (gpu->sm_count + per_gpc - 1) / per_gpc;
    l2->partition_of_sm = wl_alloc_zero(gpu->sm_count, sizeof *l2->partition_of_sm);
    for (uint32_t sm = 0; sm < gpu->sm_count; sm++)
        l2->partition_of_sm[sm] = sm / per_tpc % gpcs * l2->partitions / gpcs;
}

struct wl_l2 *wl_l2_create(const struct wl_gpu *gpu)
{
    struct wl_l2 *l2 = wl_alloc_zero(1, sizeof *l2);
    l2->gpu = gpu;
    l2->partitions = gpu->l2_partitions > 1 ? MAX_PARTITIONS : 1;
    l2->ways = gpu->l2_ways && gpu->l2_ways < MAX_WAYS ? gpu->l2_ways : MAX_WAYS;
    uint64_t sets = gpu->l2_bytes / l2->partitions / LINE_BYTES / l2->ways;
    l2->set_count = sets ? (uint32_t)sets : 1;
    l2->set_reciprocal = UINT32_MAX / l2->set_count;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        l2->sets[i] = wl_alloc_zero(l2->set_count, sizeof *l2->sets[i]);
        l2->written[i] = wl_alloc_zero((size_t)l2->set_count * MAX_WAYS, sizeof *l2->written[i]);
    }
    l2->group_sms = gpu->l2_coalescer_sms > 1 ? gpu->l2_coalescer_sms : 0;
    if (l2->group_sms) {
        l2->groups = (gpu->sm_count + l2->group_sms - 1) / l2->group_sms;
        l2->pending =
            wl_alloc_zero((size_t)l2->groups * SLICES * PENDING_PER_SLICE, sizeof *l2->pending);
    }
    place_sms(l2);
    wl_l2_begin(l2, false);
    return l2;
}

void wl_l2_free(struct wl_l2 *l2)
{
    if (!l2)
        return;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        free(l2->sets[i]);
        free(l2->written[i]);
    }
    free(l2->partition_of_sm);
    free(l2->pending);
    free(l2);
}

void wl_l2_begin(struct wl_l2 *l2, bool keep_caches)
{
    memset(l2->counts, 0, sizeof l2->counts);
    size_t pending_count = (size_t)l2->groups * SLICES * PENDING_PER_SLICE;
    for (size_t i = 0; i < pending_count; i++)
        l2->pending[i] = (struct pending){UINT64_MAX, 0, 0};
    if (keep_caches)
        return;
    for (uint32_t i = 0; i < l2->partitions; i++)
        for (uint32_t set = 0; set < l2->set_count; set++) {
            memset(&l2->sets[i][set], 0, sizeof l2->sets[i][set]);
            l2->sets[i][set].order = 0xfedcba9876543210u;
        }
}

static void touch(struct l2_set *set, uint32_t way)
{
    uint64_t order = set->order;
    if ((order & 15) == way)
        return;
    const uint64_t ones = 0x1111111111111111u;
    uint64_t differs = order ^ (ones * way);
    uint64_t equal = (differs - ones) & ~differs & (ones << 3);
    uint32_t shift = (uint32_t)__builtin_ctzll(equal) - 3;
    uint64_t above = shift == 60 ? 0 : order >> (shift + 4) << (shift + 4);
    set->order = above | (order & ((1ull << shift) - 1)) << 4 | way;
}

static int find_way(const struct l2_set *set, uint32_t tag)
{
    uint32_t match = 0;
    for (uint32_t way = 0; way < MAX_WAYS; way++)
        match |= (uint32_t)(set->tags[way] == tag) << way;
    match &= set->present;
    return match ? __builtin_ctz(match) : -1;
}

/* A line of a partition's cache: where its state is kept. */
struct entry {
    uint8_t *valid, *dirty;
    uint32_t *written;
};

static struct entry entry_of(struct wl_l2 *l2, uint32_t partition, uint32_t set, uint32_t way)
{
    struct l2_set *lines = &l2->sets[partition][set];
    return (struct entry){&lines->valid[way], &lines->dirty[way],
                          &l2->written[partition][(size_t)set * MAX_WAYS + way]};
}

static void evict(struct entry entry, struct wl_l2_counts *counts)
{
    counts->dram_write_bytes += (uint64_t)__builtin_popcount(*entry.dirty) * SECTOR_BYTES;
    *entry.valid = 0;
    *entry.dirty = 0;
    *entry.written = 0;
}

/* Finds the line in the partition, in place of the least recently used one where it was absent. */
static struct entry look_up(struct wl_l2 *l2, uint32_t partition, const struct located *request,
                            struct wl_l2_counts *counts)
{
    struct l2_set *set = &l2->sets[partition][request->set];
    int found = find_way(set, (uint32_t)request->line);
    uint32_t way =
        found >= 0 ? (uint32_t)found : (uint32_t)(set->order >> (4 * (l2->ways - 1))) & 15;
    touch(set, way);
    struct entry entry = entry_of(l2, partition, request->set, way);
    if (found < 0) {
        evict(entry, counts);
        set->tags[way] = (uint32_t)request->line;
        set->present = (uint16_t)(set->present | 1u << way);
    }
    return entry;
}

/* Sectors fetched when these miss: device memory answers in pairs of sectors. */
static uint32_t fetch_pairs(uint32_t missed)
{
    return ((missed & 3) ? 3u : 0) | ((missed & 12) ? 12u : 0);
}

/* Brings sectors into the home partition's entry; only absent ones are fetched. */
static uint32_t fetch(struct entry home, uint32_t missed, struct wl_l2_counts *counts)
{
    uint32_t fetched = fetch_pairs(missed) & ~(uint32_t)*home.valid;
    counts->dram_read_bytes += (uint64_t)__builtin_popcount(fetched) * SECTOR_BYTES;
    *home.valid = (uint8_t)(*home.valid | fetched);
    for (uint32_t sector = 0; sector < 4; sector++)
        if (fetched >> sector & 1)
            *home.written &= ~(0xffu << (8 * sector));
    return fetched;
}

static void read_sectors(struct wl_l2 *l2, const struct located *request,
                         struct wl_l2_counts *counts)
{
    uint32_t near = l2->partition_of_sm[request->sm], home = home_of(l2, request->line);
    struct entry local = look_up(l2, near, request, counts);
    uint32_t wanted = request->sectors, missed = wanted & ~(uint32_t)*local.valid;
    counts->reads += (uint32_t)__builtin_popcount(wanted);
    counts->read_hits += (uint32_t)__builtin_popcount(wanted & ~missed);
    if (!missed)
        return;
    uint32_t wide = fetch_pairs(missed) & ~(uint32_t)*local.valid;
    counts->read_misses += (uint32_t)__builtin_popcount(wide);
    if (near == home) {
        fetch(local, missed, counts);
        return;
    }
    struct entry owner = look_up(l2, home, request, counts);
    uint32_t absent = wide & ~(uint32_t)*owner.valid;
    if (absent)
        fetch(owner, absent, counts);
    *local.valid = (uint8_t)(*local.valid | wide);
}

/* Notes written words in an entry of the home partition. */
static void write_words(struct entry home, uint32_t sectors, uint32_t words)
{
    uint32_t written = *home.written | words;
    for (uint32_t sector = 0; sector < 4; sector++) {
        uint32_t bits = 0xffu << (8 * sector);
        if ((written & bits) == bits || *home.valid >> sector & 1) {
            if (sectors >> sector & 1)
                *home.valid = (uint8_t)(*home.valid | 1u << sector);
            written &= ~bits;
        }
    }
    *home.written = written;
    *home.dirty = (uint8_t)(*home.dirty | sectors);
}

/* The far partition's copy of a written line is no longer current. */
static void invalidate_copy(struct wl_l2 *l2, const struct located *request, uint32_t home)
{
    for (uint32_t partition = 0; partition < l2->partitions; partition++) {
        if (partition == home)
            continue;
        struct l2_set *set = &l2->sets[partition][request->set];
        int way = find_way(set, (uint32_t)request->line);
        if (way >= 0)
            set->valid[way] = (uint8_t)(set->valid[way] & ~request->sectors);
    }
}

static void write_sectors(struct wl_l2 *l2, const struct located *request,
                          struct wl_l2_counts *counts)
{
    uint32_t home = home_of(l2, request->line);
    uint32_t count = (uint32_t)__builtin_popcount(request->sectors);
    counts->writes += count;
    counts->write_hits += count;
    invalidate_copy(l2, request, home);
    write_words(look_up(l2, home, request, counts), request->sectors, request->words);
}

static void update_sectors(struct wl_l2 *l2, const struct located *request,
                           struct wl_l2_counts *counts)
{
    uint32_t home = home_of(l2, request->line);
    uint32_t count = (uint32_t)__builtin_popcount(request->sectors);
    *(request->kind == WL_L2_ATOMIC ? &counts->atomics : &counts->reductions) += count;
    invalidate_copy(l2, request, home);
    struct entry owner = look_up(l2, home, request, counts);
    uint32_t missed = request->sectors & ~(uint32_t)*owner.valid;
    if (missed)
        fetch(owner, missed, counts);
    *owner.dirty = (uint8_t)(*owner.dirty | request->sectors);
}

/* Takes out the sectors of a read that a neighbour's pending read will bring. */
static uint32_t coalesce(struct wl_l2 *l2, const struct located *request)
{
    uint32_t slice = slice_of(request->set), group = request->sm / l2->group_sms;
    uint32_t place = mix((uint32_t)request->line) % PENDING_PER_SLICE;
    struct pending *pending =
        &l2->pending[((size_t)group * SLICES + slice) * PENDING_PER_SLICE + place];
    bool is_recent = pending->line == request->line && request->time - pending->time <= STEP;
    uint32_t answered = is_recent ? pending->sectors & request->sectors : 0;
    if (!is_recent)
        *pending = (struct pending){request->line, request->time, request->sectors};
    else
        pending->sectors |= request->sectors;
    return answered;
}

static void serve(struct wl_l2 *l2, struct located *request)
{
    struct wl_l2_counts *counts = &l2->counts[slice_of(request->set)];
    if (request->kind == WL_L2_READ && l2->group_sms) {
        uint32_t answered = coalesce(l2, request);
        counts->coalesced += (uint32_t)__builtin_popcount(answered);
        request->sectors = (uint8_t)(request->sectors & ~answered);
        if (!request->sectors)
            return;
    }
    counts->requests++;
    if (request->kind == WL_L2_READ)
        read_sectors(l2, request, counts);
    else if (request->kind == WL_L2_WRITE)
        write_sectors(l2, request, counts);
    else
        update_sectors(l2, request, counts);
}

struct batch {
    struct located requests[BATCH];
    size_t count;
};

static void flush(struct wl_l2 *l2, struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        serve(l2, &batch->requests[i]);
    batch->count = 0;
}

static void gather(struct wl_l2 *l2, struct batch *batch, const struct wl_l2_request *request,
                   uint32_t sm, unsigned shard, unsigned shards)
{
    uint64_t line = request->key & 0xffffffffffffu;
    uint32_t set = find_set(l2, line);
    if (slice_of(set) % shards != shard)
        return;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        __builtin_prefetch(&l2->sets[i][set].tags, 1);
        __builtin_prefetch(&l2->sets[i][set].valid, 1);
    }
    batch->requests[batch->count++] = (struct located){line,
                                                       set,
                                                       request->words,
                                                       request->time,
                                                       (uint8_t)(request->key >> 48 & 15),
                                                       (uint8_t)(request->key >> 52 & 3),
                                                       (uint16_t)sm};
    if (batch->count == BATCH)
        flush(l2, batch);
}

/* The start of the step in which the earliest request not yet taken falls; false: none is left. */
static bool find_step(const struct wl_l2_trace *traces, const size_t *next, size_t trace_count,
                      uint32_t *start)
{
    bool any = false;
    uint32_t earliest = UINT32_MAX;
    for (size_t i = 0; i < trace_count; i++)
        if (next[i] < traces[i].count) {
            any = true;
            uint32_t time = traces[i].requests[next[i]].time;
            earliest = time < earliest ? time : earliest;
        }
    *start = earliest - earliest % STEP;
    return any;
}

void wl_l2_feed(struct wl_l2 *l2, unsigned shard, unsigned shards, const struct wl_l2_trace *traces,
                size_t trace_count)
{
    size_t *next = wl_alloc_zero(trace_count, sizeof *next);
    struct batch *batch = wl_alloc(sizeof *batch);
    batch->count = 0;
    for (uint32_t start; find_step(traces, next, trace_count, &start);)
        for (size_t i = 0; i < trace_count; i++) {
            const struct wl_l2_trace *trace = &traces[i];
            for (; next[i] < trace->count && trace->requests[next[i]].time - start < STEP;
                 next[i]++)
                gather(l2, batch, &trace->requests[next[i]], trace->sm, shard, shards);
        }
    flush(l2, batch);
    free(batch);
    free(next);
}

void wl_l2_count(const struct wl_l2 *l2, struct wl_l2_counts *counts)
{
    *counts = (struct wl_l2_counts){0};
    for (uint32_t i = 0; i < SLICES; i++) {
        const struct wl_l2_counts *slice = &l2->counts[i];
        counts->requests += slice->requests;
        counts->reads += slice->reads;
        counts->read_hits += slice->read_hits;
        counts->read_misses += slice->read_misses;
        counts->writes += slice->writes;
        counts->write_hits += slice->write_hits;
        counts->write_misses += slice->write_misses;
        counts->atomics += slice->atomics;
        counts->reductions += slice->reductions;
        counts->coalesced += slice->coalesced;
        counts->dram_read_bytes += slice->dram_read_bytes;
        counts->dram_write_bytes += slice->dram_write_bytes;
    }
}
