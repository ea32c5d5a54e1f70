/* A set of L2: its tags, and how a line is found among them. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_SET_H
#define WL_SIM_L2_SET_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { L2_WAYS = 16, L2_HALF_WAYS = 8 };

/* Of half of a set's ways. */
struct l2_half {
    uint32_t tags[L2_HALF_WAYS];
    uint8_t
        valid[L2_HALF_WAYS]; /* low nibble: complete sectors; high: those with some words written */
    uint8_t dirty[L2_HALF_WAYS]; /* low nibble: sectors written since the fetch */
};

/* Ways are filled in their order: of a set with few lines all that is needed lies in its first 64
 * bytes, the other half of the ways behind them. Holds nothing sensible before it is used for the
 * first time since the caches were emptied. */
struct l2_set {
    uint64_t order; /* way numbers, a nibble each, most recently used lowest */
    uint16_t present, dirty_ways;
    uint32_t latest; /* tag of the most recently used way; valid where that is present */
    struct l2_half halves[2];
} __attribute__((aligned(128)));

/* Of each way the words written into incomplete sectors. */
struct l2_written {
    uint32_t words[L2_WAYS];
};

/* Of each way when device memory was asked last. */
struct l2_fetched {
    uint32_t at[L2_WAYS];
};

static inline void l2_set_touch(struct l2_set *set, uint32_t way)
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

/* Empties the set. */
static inline void l2_set_begin(struct l2_set *set, uint32_t ways)
{
    set->order = 0x0123456789abcdefu >> 4 * (L2_WAYS - ways);
    set->present = set->dirty_ways = 0;
}

/* The ways of a half, a bit each, that have the tag. */
static inline uint32_t l2_half_match(const struct l2_half *half, uint32_t tag)
{
#if defined(__SSE2__)
    const __m128i *tags = (const __m128i *)(const void *)half->tags;
    const __m128i wanted = _mm_set1_epi32((int)tag);
    const __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128(tags), wanted);
    const __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128(tags + 1), wanted);
    const __m128i equal = _mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128());
    return (uint32_t)_mm_movemask_epi8(equal);
#else
    uint32_t match = 0;
    for (uint32_t way = 0; way < L2_HALF_WAYS; way++)
        match |= (uint32_t)(half->tags[way] == tag) << way;
    return match;
#endif
}

static inline int l2_set_find_way(const struct l2_set *set, uint32_t tag)
{
    uint32_t match = l2_half_match(&set->halves[0], tag) & set->present;
    if (!match && set->present >> L2_HALF_WAYS)
        match = l2_half_match(&set->halves[1], tag) << L2_HALF_WAYS & set->present;
    return match ? __builtin_ctz(match) : -1;
}

#endif
