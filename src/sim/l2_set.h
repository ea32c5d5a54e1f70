/* A set of L2: its tags, and how a line is found among them. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_SET_H
#define WL_SIM_L2_SET_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { L2_WAYS = 16 };

/* What most requests need lies in the first 64 bytes. Holds nothing sensible before it is used for
 * the first time since the caches were emptied. */
struct l2_set {
    uint64_t order; /* way numbers, a nibble each, most recently used lowest */
    uint16_t present, dirty_ways;
    uint32_t latest;        /* tag of the most recently used way; valid where that is present */
    uint8_t valid[L2_WAYS]; /* low nibble: complete sectors; high: those with some words written */
    uint8_t dirty[L2_WAYS]; /* low nibble: sectors written since the fetch */
    uint8_t marks[L2_WAYS]; /* a byte of each tag's hash: most lines that are absent show here */
    uint32_t tags[L2_WAYS] __attribute__((aligned(64)));
} __attribute__((aligned(128)));

/* Of each way the words written into incomplete sectors. */
struct l2_written {
    uint32_t words[L2_WAYS];
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

static inline uint8_t l2_set_mark_of(uint32_t tag)
{
    return (uint8_t)((tag * 0x9e3779b1u) >> 24);
}

static inline uint32_t l2_set_match_marks(const struct l2_set *set, uint32_t tag)
{
#if defined(__SSE2__)
    const __m128i marks = _mm_loadu_si128((const __m128i *)(const void *)set->marks);
    const __m128i equal = _mm_cmpeq_epi8(marks, _mm_set1_epi8((char)l2_set_mark_of(tag)));
    return (uint32_t)_mm_movemask_epi8(equal) & set->present;
#else
    uint32_t match = 0;
    for (uint32_t way = 0; way < L2_WAYS; way++)
        match |= (uint32_t)(set->marks[way] == l2_set_mark_of(tag)) << way;
    return match & set->present;
#endif
}

static inline int l2_set_find_way(const struct l2_set *set, uint32_t tag)
{
    for (uint32_t match = l2_set_match_marks(set, tag); match; match &= match - 1) {
        const int way = __builtin_ctz(match);
        if (set->tags[way] == tag)
            return way;
    }
    return -1;
}

#endif
