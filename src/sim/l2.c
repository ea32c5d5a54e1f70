#include "sim/l2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory.h"
#include "sim/l2_merge.h"
#include "sim/l2_rows.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    MAX_WAYS = 16,
    MAX_PARTITIONS = 2,
    UPDATED = 16,              /* sectors of a slice whose updates are counted separately */
    SLICES = WL_L2_MAX_SHARDS, /* every table is split by slice, and shards take whole slices */
    BATCH = 128,               /* requests looked up together, so that prefetching has time */
    FOLLOWING = 4,          /* of a trace that are asked for when those of a step have been taken */
    AHEAD = 16,             /* of which the rest is asked for once the first bytes are there */
    PENDING_PER_SLICE = 32, /* lines that a coalescer remembers in a slice */
    /* Measured on H200, docs/evidence/h200-microbenchmarks.md: */
    MERGED_REQUESTS = 4, /* reads that a coalescer lets one fetch answer */
    /* How long a fetch stays open for others. On hardware about 64 cycles where L2 has the line,
     * 300 to 600 where device memory must bring it, and SMs that share data fall into step because
     * those behind find it nearer. Logical time has no such pull, hence more. */
    PENDING_TIME = 1000,
    DEVICE_TIME = 300,    /* half the way from device memory: who asks later does not wait */
    DIRTY_SIXTEENTHS = 7, /* share of a set's ways that may be dirty */
};

/* What most requests need lies in the first 64 bytes. All zero: nothing has used it since the
 * caches were emptied. */
struct l2_set {
    uint64_t order; /* way numbers, a nibble each, most recently used lowest */
    uint16_t present, dirty_ways;
    uint32_t latest;         /* tag of the most recently used way; valid where that is present */
    uint8_t valid[MAX_WAYS]; /* low nibble: complete sectors; high: those with some words written */
    uint8_t dirty[MAX_WAYS]; /* low nibble: sectors written since the fetch */
    uint8_t marks[MAX_WAYS]; /* a byte of each tag's hash: most lines that are absent show here */
    uint32_t tags[MAX_WAYS] __attribute__((aligned(64)));
    uint32_t written[MAX_WAYS]; /* words written into incomplete sectors */
} __attribute__((aligned(64)));

/* The latest fetch of a line for the SMs of one group. */
struct pending {
    uint64_t line;
    uint32_t start, sectors;
    uint16_t requests;
    bool is_device, is_far; /* whence it comes */
};

/* Atomics and reductions that a slice of the GPU's L2 performs, one sector after another. */
struct updates {
    uint64_t count;           /* sectors */
    uint64_t floats[UPDATED]; /* of floating-point numbers, by the low bits of the sector */
};

/* The sets of a slice that are in use, whose emptying is all that a cold start costs. */
struct used {
    uint32_t *sets; /* the second partition's come after the first's */
    uint32_t count;
};

struct wl_l2 {
    const struct wl_gpu *gpu;
    uint32_t partitions, ways, set_count, set_reciprocal; /* sets of a partition */
    uint32_t dirty_limit;                                 /* ways of a set */
    struct l2_set *sets[MAX_PARTITIONS];
    size_t set_bytes, fetched_bytes; /* of a partition */
    struct used used[SLICES];
    uint32_t *fetched[MAX_PARTITIONS]; /* when device memory was asked last, way by way */
    uint32_t launch;                   /* told from others in those times */
    uint32_t group_sms, groups;        /* a GPC's SMs are neighbours */
    uint8_t *partition_of;             /* each group's */
    bool has_coalescers;
    struct pending *pending; /* groups x SLICES x PENDING_PER_SLICE */
    uint32_t gpu_slices;
    struct updates *updates; /* SLICES x gpu_slices */
    struct l2_rows *rows;    /* a shard's: each sees all requests */
    struct wl_l2_counts counts[SLICES];
};

struct located {
    uint64_t line;
    uint32_t set, words, time;
    uint16_t group;
    uint8_t sectors, kind, home;
    bool is_float, is_alone;
    bool is_beside;        /* of the same row as one of the last ones */
    uint8_t *answer;       /* NULL: nobody asks */
    struct pending *fetch; /* that others may join; NULL: none */
};

/* How many of four sectors; the program is built for processors without an instruction for it. */
static uint32_t count_sectors(uint32_t sectors)
{
    return (uint32_t)(0x4332322132212110u >> (4 * (sectors & 15))) & 15;
}

/* Sectors of whose words some are in the mask. */
static uint32_t begun_sectors(uint32_t words)
{
    const uint32_t highest = ((words & 0x7f7f7f7fu) + 0x7f7f7f7fu) | words;
    return ((highest >> 7 & 0x01010101u) * 0x01020408u) >> 24 & 15;
}

/* All words of the sectors. */
static uint32_t words_of(uint32_t sectors)
{
    return (sectors * 0x00204081u & 0x01010101u) * 0xffu;
}

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

/* Runs of set_count lines fill the sets evenly. Each two runs are turned by the golden ratio
 * against the two before, so that lines at any stride spread nearly evenly too, and have opposite
 * homes in each set, so that both partitions fill evenly. */
static void locate(const struct wl_l2 *l2, struct located *request)
{
    uint32_t low = (uint32_t)request->line;
    uint32_t run = (uint32_t)(((uint64_t)l2->set_reciprocal * low) >> 32);
    uint32_t offset = low - run * l2->set_count;
    if (offset >= l2->set_count) {
        offset -= l2->set_count;
        run++;
    }
    uint32_t turn = ((run >> 1) + (uint32_t)(request->line >> 32)) * 0x9e3779b1u;
    uint32_t set = offset + scale(turn, l2->set_count);
    request->set = set >= l2->set_count ? set - l2->set_count : set;
    request->home = l2->partitions > 1 ? (run ^ mix(turn + offset)) & 1 : 0;
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
    l2->fetched_bytes = (size_t)l2->set_count * MAX_WAYS * sizeof **l2->fetched;
    for (uint32_t i = 0; i < l2->partitions; i++) {
        l2->sets[i] = wl_pages_alloc(l2->set_bytes);
        l2->fetched[i] = wl_pages_alloc(l2->fetched_bytes);
    }
    const size_t most = (size_t)l2->partitions * (l2->set_count / SLICES + 1);
    for (uint32_t slice = 0; slice < SLICES; slice++)
        l2->used[slice].sets = wl_alloc_zero(most, sizeof *l2->used[slice].sets);
}

static void empty_sets(struct wl_l2 *l2)
{
    for (uint32_t slice = 0; slice < SLICES; slice++) {
        struct used *used = &l2->used[slice];
        for (uint32_t i = 0; i < used->count; i++) {
            uint32_t set = used->sets[i], partition = set / l2->set_count;
            l2->sets[partition][set % l2->set_count] = (struct l2_set){0};
        }
        used->count = 0;
    }
}

static void begin_set(struct wl_l2 *l2, uint32_t partition, uint32_t set)
{
    struct used *used = &l2->used[slice_of(set)];
    used->sets[used->count++] = partition * l2->set_count + set;
    l2->sets[partition][set].order = 0xfedcba9876543210u;
}

struct wl_l2 *wl_l2_create(const struct wl_gpu *gpu)
{
    struct wl_l2 *l2 = wl_alloc_zero(1, sizeof *l2);
    l2->gpu = gpu;
    l2->partitions = gpu->l2_partitions > 1 ? MAX_PARTITIONS : 1;
    l2->ways = gpu->l2_ways && gpu->l2_ways < MAX_WAYS ? gpu->l2_ways : MAX_WAYS;
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
        wl_pages_free(l2->fetched[i], l2->fetched_bytes);
    }
    for (uint32_t slice = 0; slice < SLICES; slice++)
        free(l2->used[slice].sets);
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
            l2->updates[i] = (struct updates){0};
    size_t pending_count = (size_t)l2->groups * SLICES * PENDING_PER_SLICE;
    for (size_t i = 0; l2->has_coalescers && i < pending_count; i++)
        l2->pending[i] = (struct pending){.line = UINT64_MAX};
    if (!keep_caches)
        empty_sets(l2);
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

static uint8_t mark_of(uint32_t tag)
{
    return (uint8_t)((tag * 0x9e3779b1u) >> 24);
}

static uint32_t match_marks(const struct l2_set *set, uint32_t tag)
{
#if defined(__SSE2__)
    const __m128i marks = _mm_loadu_si128((const __m128i *)(const void *)set->marks);
    const __m128i equal = _mm_cmpeq_epi8(marks, _mm_set1_epi8((char)mark_of(tag)));
    return (uint32_t)_mm_movemask_epi8(equal) & set->present;
#else
    uint32_t match = 0;
    for (uint32_t way = 0; way < MAX_WAYS; way++)
        match |= (uint32_t)(set->marks[way] == mark_of(tag)) << way;
    return match & set->present;
#endif
}

static int find_way(const struct l2_set *set, uint32_t tag)
{
    for (uint32_t match = match_marks(set, tag); match; match &= match - 1) {
        const int way = __builtin_ctz(match);
        if (set->tags[way] == tag)
            return way;
    }
    return -1;
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
    return (struct entry){lines, &lines->valid[way], &lines->dirty[way], &lines->written[way], way};
}

/* Writes dirty sectors back; incomplete ones are completed from device memory before. */
static void clean(struct entry entry, struct wl_l2_counts *counts)
{
    uint32_t incomplete = *entry.dirty & ~(uint32_t)*entry.valid;
    counts->dram_read_bytes += (uint64_t)count_sectors(incomplete) * SECTOR_BYTES;
    counts->dram_filled_bytes += (uint64_t)count_sectors(incomplete) * SECTOR_BYTES;
    counts->dram_write_bytes += (uint64_t)count_sectors(*entry.dirty) * SECTOR_BYTES;
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
    int found = find_way(set, (uint32_t)request->line);
    if (!set->order)
        begin_set(l2, partition, request->set);
    uint32_t way =
        found >= 0 ? (uint32_t)found : (uint32_t)(set->order >> (4 * (l2->ways - 1))) & 15;
    touch(set, way);
    set->latest = (uint32_t)request->line;
    struct entry entry = entry_of(l2, partition, request->set, way);
    if (found < 0) {
        clean(entry, counts);
        *entry.valid = 0;
        set->tags[way] = (uint32_t)request->line;
        set->marks[way] = mark_of((uint32_t)request->line);
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
    uint32_t partial = begun_sectors(written);
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
    counts->dram_read_bytes += (uint64_t)count_sectors(fetched) * SECTOR_BYTES;
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
    return l2->fetched[partition] + (entry.set - l2->sets[partition]) * MAX_WAYS + entry.way;
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
    counts->reads += count_sectors(wanted);
    counts->read_halves += ((wanted & 3) != 0) + ((wanted & 12) != 0);
    counts->read_hits += count_sectors(wanted & ~missed);
    counts->alone_reads += request->is_alone ? count_sectors(wanted) : 0;
    if (request->answer && missed != wanted && is_under_way(l2, near, local, now))
        note_answer(request, count_sectors(wanted & ~missed), 0);
    if (!missed)
        return;
    uint32_t wide = fetch_pairs(missed) & ~(uint32_t)*local.valid;
    counts->read_misses += count_sectors(wide);
    counts->read_lines_missed++;
    if (near == request->home) {
        note_answer(request, count_sectors(missed), 0);
        *fetched_at(l2, near, local) = now;
        counts->alone_misses += request->is_alone ? count_sectors(wide) : 0;
        fetch(local, wide, request, counts);
        return;
    }
    struct entry home = look_up(l2, request->home, request, counts);
    uint32_t absent = wide & ~(uint32_t)*home.valid, waits = absent;
    if (absent)
        *fetched_at(l2, request->home, home) = now;
    else if (is_under_way(l2, request->home, home, now))
        waits = wide;
    note_answer(request, count_sectors(missed & waits), count_sectors(missed & ~waits));
    *fetched_at(l2, near, local) = *fetched_at(l2, request->home, home);
    counts->alone_misses += request->is_alone ? count_sectors(absent) : 0;
    counts->alone_far += request->is_alone ? count_sectors(wide & ~absent) : 0;
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
        int way = find_way(set, (uint32_t)request->line);
        if (way >= 0)
            set->valid[way] = (uint8_t)(set->valid[way] & ~(request->sectors * 0x11));
    }
}

/* Whether the line is the one that was looked up last in its set of the partition. */
static bool is_latest(struct wl_l2 *l2, uint32_t partition, const struct located *request,
                      struct entry *entry)
{
    struct l2_set *set = &l2->sets[partition][request->set];
    const uint32_t way = (uint32_t)set->order & 15;
    if (set->latest != (uint32_t)request->line || !(set->present >> way & 1))
        return false;
    *entry = entry_of(l2, partition, request->set, way);
    return true;
}

/* A write to a line that is dirty and the latest of its set: nothing moves. False: not so. */
static bool write_latest(struct wl_l2 *l2, const struct located *request, uint32_t near)
{
    struct entry home, local;
    if (!is_latest(l2, request->home, request, &home) || !(home.set->dirty_ways >> home.way & 1))
        return false;
    if (near != request->home) {
        if (!is_latest(l2, near, request, &local))
            return false;
        write_words(local, request->sectors, request->words);
    }
    write_words(home, request->sectors, request->words);
    *home.dirty = (uint8_t)(*home.dirty | request->sectors);
    return true;
}

/* Written data are dirty in the home partition; the writer's keeps a copy. */
static void write_sectors(struct wl_l2 *l2, const struct located *request,
                          struct wl_l2_counts *counts)
{
    uint32_t near = partition_of(l2, request->group);
    uint32_t count = count_sectors(request->sectors);
    counts->writes += count;
    counts->write_hits += count;
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

/* Lines of a slice of the GPU's L2 that are neighbours (bench/gpu/model contention: atomics 128
 * bytes to 4 KiB apart). */
#define NEIGHBOUR_LINES 4

static void note_updates(struct wl_l2 *l2, const struct located *request)
{
    uint32_t slice = scale(mix((uint32_t)(request->line / NEIGHBOUR_LINES)), l2->gpu_slices);
    struct updates *updates = &l2->updates[(size_t)slice_of(request->set) * l2->gpu_slices + slice];
    for (uint32_t sector = 0; sector < 4; sector++) {
        uint32_t count = request->words >> (8 * sector) & 0xff;
        updates->count += count;
        if (request->is_float)
            updates->floats[(request->line * 4 + sector) % UPDATED] += count;
    }
}

/* What the busiest slice takes for its atomics: for all of them, or for the floating-point numbers
 * of a sector, each of which waits for the one before. */
static double atomic_cycles(const struct wl_l2 *l2)
{
    struct wl_gpu gpu;
    wl_gpu_assume(l2->gpu, &gpu);
    double most = 0;
    for (uint32_t slice = 0; slice < l2->gpu_slices; slice++) {
        uint64_t count = 0, repeats = 0;
        for (uint32_t i = 0; i < SLICES; i++) {
            const struct updates *updates = &l2->updates[(size_t)i * l2->gpu_slices + slice];
            count += updates->count;
            for (uint32_t k = 0; k < UPDATED; k++)
                repeats = updates->floats[k] > repeats ? updates->floats[k] : repeats;
        }
        most = fmax(most, fmax((double)count * gpu.l2_atomic_cycles,
                               (double)repeats * gpu.l2_float_atomic_cycles));
    }
    return most;
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
    counts->updated_sectors += count_sectors(request->sectors);
    note_updates(l2, request);
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
        note_answer(request, pending->is_device ? count_sectors(answered) : 0,
                    pending->is_far ? count_sectors(answered) : 0);
    } else {
        *pending = (struct pending){.line = request->line,
                                    .start = request->time,
                                    .sectors = request->sectors,
                                    .requests = 1};
    }
    request->fetch = pending;
    counts->coalesced += count_sectors(answered);
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

struct batch {
    struct located requests[BATCH];
    size_t count;
    bool takes[SLICES]; /* the shard's slices */
    struct l2_rows *rows;
};

/* Where a read may find a neighbour's fetch of its line. */
static struct pending *pending_of(const struct wl_l2 *l2, const struct located *request)
{
    size_t slice = (size_t)request->group * SLICES + slice_of(request->set);
    return &l2->pending[slice * PENDING_PER_SLICE +
                        mix((uint32_t)request->line) % PENDING_PER_SLICE];
}

/* Asks for what the request needs of its sets besides their first bytes. */
static void prefetch_rest(struct wl_l2 *l2, const struct located *request)
{
    for (uint32_t i = 0; i < l2->partitions; i++) {
        const struct l2_set *set = &l2->sets[i][request->set];
        const uint32_t match = match_marks(set, (uint32_t)request->line);
        if (match)
            __builtin_prefetch(set->tags, 1);
        if (match && request->kind == WL_L2_WRITE && request->words != UINT32_MAX)
            __builtin_prefetch(set->written, 1);
    }
}

static void flush(struct wl_l2 *l2, struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (i + AHEAD < batch->count)
            prefetch_rest(l2, &batch->requests[i + AHEAD]);
        serve(l2, &batch->requests[i]);
    }
    batch->count = 0;
}

/* answer: where to say whence it comes, or NULL */
static void gather(struct wl_l2 *l2, struct batch *batch, const struct wl_l2_request *request,
                   uint32_t group, uint8_t *answer)
{
    struct located *located = &batch->requests[batch->count];
    located->line = request->key & 0xffffffffffffu;
    locate(l2, located);
    located->is_beside = l2_rows_note(batch->rows, located->line, l2->launch);
    if (!batch->takes[slice_of(located->set)])
        return;
    for (uint32_t i = 0; i < l2->partitions; i++)
        __builtin_prefetch(&l2->sets[i][located->set], 1);
    located->words = request->words;
    located->time = request->time;
    located->group = (uint16_t)group;
    located->sectors = (uint8_t)(request->key >> 48 & 15);
    located->kind = (uint8_t)(request->key >> 52 & 3);
    located->is_float = request->key >> 52 & WL_L2_FLOAT;
    located->is_alone = request->key >> 52 & WL_L2_ALONE;
    located->answer = answer;
    located->fetch = NULL;
    for (uint32_t i = 0; i < l2->partitions && located->kind == WL_L2_READ; i++)
        __builtin_prefetch(l2->fetched[i] + (size_t)located->set * MAX_WAYS, 1);
    if (located->kind == WL_L2_READ && l2->has_coalescers) {
        located->fetch = pending_of(l2, located);
        __builtin_prefetch(located->fetch, 1);
    }
    if (++batch->count == BATCH)
        flush(l2, batch);
}

static inline __attribute__((always_inline)) void feed(struct wl_l2 *l2, unsigned shard,
                                                       unsigned shards,
                                                       const struct wl_l2_trace *traces,
                                                       size_t trace_count)
{
    struct l2_merge merge = {.traces = traces, .trace_count = trace_count};
    merge.next = wl_alloc_zero(trace_count, sizeof *merge.next);
    merge.when = wl_alloc(trace_count * sizeof *merge.when);
    for (size_t i = 0; i < trace_count; i++)
        l2_merge_note(&merge, i);
    struct batch *batch = wl_alloc(sizeof *batch);
    batch->count = 0;
    batch->rows = &l2->rows[shard];
    for (uint32_t slice = 0; slice < SLICES; slice++)
        batch->takes[slice] = slice % shards == shard;
    for (uint32_t start; l2_merge_find_step(&merge, &start);)
        for (size_t i = 0; i < trace_count; i++) {
            if (merge.when[i] - start >= L2_MERGE_STEP)
                continue;
            const struct wl_l2_trace *trace = &traces[i];
            const uint32_t group = trace->sm / l2->group_sms;
            size_t next = merge.next[i];
            for (; next < trace->count && trace->requests[next].time - start < L2_MERGE_STEP;
                 next++)
                gather(l2, batch, &trace->requests[next], group,
                       trace->answers ? &trace->answers[next] : NULL);
            merge.next[i] = next;
            l2_merge_note(&merge, i);
            __builtin_prefetch(&trace->requests[next] + FOLLOWING);
        }
    flush(l2, batch);
    free(batch);
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
    feed(l2, shard, shards, traces, trace_count);
}

__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"), flatten)) static void
feed_v3(struct wl_l2 *l2, unsigned shard, unsigned shards, const struct wl_l2_trace *traces,
        size_t trace_count)
{
    feed(l2, shard, shards, traces, trace_count);
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
    feed(l2, shard, shards, traces, trace_count);
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
    counts->atomic_cycles = counts->atomics + counts->reductions ? atomic_cycles(l2) : 0;
}
