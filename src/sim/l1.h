/* The sectored first-level cache of one SM, as far as hit and miss counts need it: tags only.
 * A load that finds its sector pending counts as a hit, as hardware's tag stage does. What stores
 * and atomics do is measured: docs/evidence/h200-microbenchmarks.md. Not thread-safe: one per
 * simulated SM.
 */
#ifndef WL_SIM_L1_H
#define WL_SIM_L1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "gpu/gpu.h"

#define WL_L1_MAX_WAYS 16

struct wl_l1_set {
    uint32_t
        tags[WL_L1_MAX_WAYS]; /* low 32 bits of the line: a false match needs 512 GiB distance */
    uint64_t order;           /* way numbers, a nibble each, most recently used lowest */
    uint16_t present;         /* ways that hold a tag */
    uint8_t sectors[WL_L1_MAX_WAYS];   /* valid sectors by way */
    uint16_t arrivals[WL_L1_MAX_WAYS]; /* when the last fetch comes, in units of 32 cycles */
} __attribute__((aligned(64)));

#define WL_L1_STORE_BUFFER 16 /* lines whose latest store may still take another one along */
#define WL_L1_STORE_LINES 4   /* lines of an instruction up to which that works */
#define WL_L1_NEW_REQUEST UINT32_MAX

struct wl_l1_recent_store {
    uint32_t request, followers;
};

/* missed: sectors for the miss counter, the others hit. joins: index of the request that takes the
 * store along, or WL_L1_NEW_REQUEST. */
struct wl_l1_stored {
    uint32_t missed, joins;
};

struct wl_l1_again;

struct wl_l1 {
    struct wl_l1_set *sets;
    uint64_t last_line;         /* the line looked up last: it is the most recent one of its set */
    struct wl_l1_set *last_set; /* NULL: no such line */
    uint32_t last_way;
    uint32_t set_count, ways;
    uint32_t set_reciprocal; /* (2^32 - 1) / set_count */
    uint32_t fetch_all;      /* sectors a miss of a cached load fetches besides its own: 15 or 0 */
    bool caches_loads;
    uint32_t next_store;
    uint64_t store_lines[WL_L1_STORE_BUFFER];
    uint32_t store_places[WL_L1_STORE_BUFFER];
    struct wl_l1_recent_store stores[WL_L1_STORE_BUFFER];
    struct wl_l1_again *again; /* see l1_again.h; NULL while nothing is remembered */
};

/* data_bytes is what the shared-memory carve-out leaves (wl_occupancy.l1_data_bytes). Never fails;
 * free with wl_l1_free. */
struct wl_l1 *wl_l1_create(const struct wl_gpu *gpu, uint32_t data_bytes, bool l1_global_loads);
/* The separate read-only cache of GPUs that have one, gpu->readonly_bytes large; it fetches
 * sectors. */
struct wl_l1 *wl_l1_create_readonly(const struct wl_gpu *gpu);
void wl_l1_reset(struct wl_l1 *l1); /* forgets all lines */
void wl_l1_free(struct wl_l1 *l1);

/* Runs of set_count consecutive lines fill the sets evenly; each run is turned by the golden ratio
 * against the one before, so that lines at any stride spread nearly evenly too. */
static inline uint32_t wl_l1_find_set_number(const struct wl_l1 *l1, uint64_t line)
{
    uint32_t low = (uint32_t)line;
    uint32_t run = (uint32_t)(((uint64_t)l1->set_reciprocal * low) >> 32); /* or one less */
    uint32_t offset = low - run * l1->set_count;
    if (offset >= l1->set_count) {
        offset -= l1->set_count;
        run++;
    }
    uint32_t turn = (run + (uint32_t)(line >> 32)) * 0x9e3779b1u; /* of 2^32, by the golden ratio */
    uint32_t set = offset + (uint32_t)(((uint64_t)turn * l1->set_count) >> 32);
    return set >= l1->set_count ? set - l1->set_count : set;
}

/* The same of so many lines; sets has room for a multiple of 8, line is read as far. */
static inline void wl_l1_find_set_numbers(const struct wl_l1 *l1, const uint64_t *line,
                                          uint32_t count, uint32_t *sets)
{
#if defined(__AVX512F__)
    const __m512i low = _mm512_set1_epi64(UINT32_MAX), one = _mm512_set1_epi64(1);
    const __m512i set_count = _mm512_set1_epi64(l1->set_count);
    const __m512i reciprocal = _mm512_set1_epi64(l1->set_reciprocal);
    for (uint32_t i = 0; i < count; i += 8) {
        const __m512i at = _mm512_loadu_si512(line + i);
        __m512i run = _mm512_srli_epi64(_mm512_mul_epu32(at, reciprocal), 32);
        __m512i offset =
            _mm512_sub_epi64(_mm512_and_si512(at, low), _mm512_mul_epu32(run, set_count));
        const __mmask8 is_less = _mm512_cmpge_epu64_mask(offset, set_count);
        offset = _mm512_mask_sub_epi64(offset, is_less, offset, set_count);
        run = _mm512_mask_add_epi64(run, is_less, run, one);
        const __m512i turn = _mm512_mul_epu32(_mm512_add_epi64(run, _mm512_srli_epi64(at, 32)),
                                              _mm512_set1_epi64(0x9e3779b1));
        const __m512i turned = _mm512_srli_epi64(_mm512_mul_epu32(turn, set_count), 32);
        __m512i set = _mm512_add_epi64(offset, turned);
        set = _mm512_mask_sub_epi64(set, _mm512_cmpge_epu64_mask(set, set_count), set, set_count);
        _mm256_storeu_si256((__m256i *)(void *)(sets + i), _mm512_cvtepi64_epi32(set));
    }
#else
    for (uint32_t i = 0; i < count; i++)
        sets[i] = wl_l1_find_set_number(l1, line[i]);
#endif
}

static inline struct wl_l1_set *wl_l1_find_set(const struct wl_l1 *l1, uint64_t line)
{
    return &l1->sets[wl_l1_find_set_number(l1, line)];
}

/* The ways whose tag is tag, as a bit mask; at most one of those present. */
static inline uint32_t wl_l1_match(const struct wl_l1_set *set, uint32_t tag)
{
#if defined(__AVX512F__)
    __m512i tags = _mm512_load_si512(set->tags);
    return _mm512_cmpeq_epi32_mask(tags, _mm512_set1_epi32((int)tag)) & set->present;
#elif defined(__SSE2__)
    const __m128i *tags = (const __m128i *)set->tags;
    __m128i key = _mm_set1_epi32((int)tag);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(tags[0], key), _mm_cmpeq_epi32(tags[1], key));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(tags[2], key), _mm_cmpeq_epi32(tags[3], key));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) & set->present;
#else
    uint32_t match = 0;
    for (uint32_t way = 0; way < WL_L1_MAX_WAYS; way++)
        match |= (uint32_t)(set->tags[way] == tag) << way;
    return match & set->present;
#endif
}

/* The order with way at its front. */
static inline uint64_t wl_l1_reorder(uint64_t order, uint32_t way)
{
    const uint64_t ones = 0x1111111111111111u;
    uint64_t differs = order ^ (ones * way);
    uint64_t equal = (differs - ones) & ~differs & (ones << 3);
    uint32_t shift =
        (uint32_t)__builtin_ctzll(equal) - 3; /* of way's nibble; lowest match is exact */
    uint64_t above = order & (~(uint64_t)15 << shift);
    uint64_t below = order & ((1ull << shift) - 1);
    return above | below << 4 | way;
}

static inline void wl_l1_touch(struct wl_l1_set *set, uint32_t way)
{
    if ((set->order & 15) != way)
        set->order = wl_l1_reorder(set->order, way);
}

/* Puts line in place of the least recently used one of its set, with no sector valid. Returns its
 * way, which is to be touched. */
static inline uint32_t wl_l1_replace(const struct wl_l1 *l1, struct wl_l1_set *set, uint64_t line)
{
    uint32_t absent = ~(uint32_t)set->present & ((1u << l1->ways) - 1);
    uint32_t way = absent ? (uint32_t)__builtin_ctz(absent)
                          : (uint32_t)(set->order >> (4 * (l1->ways - 1))) & 15;
    set->tags[way] = (uint32_t)line;
    set->present = (uint16_t)(set->present | 1u << way);
    set->sectors[way] = 0;
    return way;
}

/* The same, which makes it the last line. */
static inline void wl_l1_allocate(struct wl_l1 *l1, struct wl_l1_set *set, uint64_t line)
{
    const uint32_t way = wl_l1_replace(l1, set, line);
    wl_l1_touch(set, way);
    l1->last_line = line;
    l1->last_set = set;
    l1->last_way = way;
}

/* Makes line, whose set that is, the last line; returns whether its tag was present (else it is
 * allocated). */
static inline bool wl_l1_look_up_in(struct wl_l1 *l1, struct wl_l1_set *set, uint64_t line)
{
    if (line == l1->last_line && l1->last_set)
        return true;
    uint32_t match = wl_l1_match(set, (uint32_t)line);
    if (!match) {
        wl_l1_allocate(l1, set, line);
        return false;
    }
    uint32_t way = (uint32_t)__builtin_ctz(match);
    wl_l1_touch(set, way);
    l1->last_line = line;
    l1->last_set = set;
    l1->last_way = way;
    return true;
}

static inline bool wl_l1_look_up(struct wl_l1 *l1, uint64_t line)
{
    return (line == l1->last_line && l1->last_set) ||
           wl_l1_look_up_in(l1, wl_l1_find_set(l1, line), line);
}

/* A load of sectors (mask of 4) of line (address >> 7). Returns the sectors that missed; what goes
 * to L2 is wl_l1_fetched of that. */
static inline uint32_t wl_l1_load(struct wl_l1 *l1, uint64_t line, uint32_t sector_mask)
{
    if (!l1->caches_loads)
        return sector_mask;
    wl_l1_look_up(l1, line);
    uint8_t *valid = &l1->last_set->sectors[l1->last_way];
    uint32_t missed = sector_mask & ~(uint32_t)*valid;
    if (missed)
        *valid = (uint8_t)(*valid | missed | l1->fetch_all);
    return missed;
}

#define WL_L1_ARRIVAL_SHIFT 5
#define WL_L1_LONGEST_FETCH 64 /* units of 32 cycles; what seems to come later came long ago */

/* That cycle as wl_l1_set's arrivals have it. */
static inline uint16_t wl_l1_arrival_unit(uint64_t cycle)
{
    return (uint16_t)((cycle >> WL_L1_ARRIVAL_SHIFT) + 1);
}

/* Notes when the data of the load looked up last will be there. */
static inline void wl_l1_set_arrival(struct wl_l1 *l1, uint64_t cycle)
{
    if (l1->last_set)
        l1->last_set->arrivals[l1->last_way] = wl_l1_arrival_unit(cycle);
}

/* When the data of the line in that way are there: later than now if it is still on its way. */
static inline uint64_t wl_l1_set_arrives(const struct wl_l1_set *set, uint32_t way, uint64_t now)
{
    uint64_t unit = now >> WL_L1_ARRIVAL_SHIFT;
    uint16_t ahead = (uint16_t)(set->arrivals[way] - unit);
    return ahead <= WL_L1_LONGEST_FETCH ? (unit + ahead) << WL_L1_ARRIVAL_SHIFT : now;
}

/* The same of the load looked up last, which hit. */
static inline uint64_t wl_l1_arrival(const struct wl_l1 *l1, uint64_t now)
{
    return l1->last_set ? wl_l1_set_arrives(l1->last_set, l1->last_way, now) : now;
}

/* The sectors that a load asks of L2 when `missed` missed: the whole line on GPUs that fetch lines.
 */
static inline uint32_t wl_l1_fetched(const struct wl_l1 *l1, uint32_t missed)
{
    return missed ? missed | l1->fetch_all : 0;
}

/* Later stores join no request made before: call when the requests have been handed on. */
void wl_l1_forget_stores(struct wl_l1 *l1);

/* An atomic or reduction on line drops it from L1. */
void wl_l1_drop(struct wl_l1 *l1, uint64_t line);

#endif
