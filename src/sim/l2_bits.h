/* Small sums over the words and sectors of a line, and hashes of lines. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_BITS_H
#define WL_SIM_L2_BITS_H

#include <stdint.h>

/* Of functions that gcc does not compile into their callers by itself: these are compiled for
 * processors that differ. */
#define L2_INLINE static inline __attribute__((always_inline))
/* Of functions that are not to become part of the loop over requests, which has few enough of the
 * host's registers as it is. */
#define L2_APART static __attribute__((noinline))

static inline uint32_t l2_mix(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x85ebca6bu;
    value ^= value >> 13;
    value *= 0xc2b2ae35u;
    return value ^ value >> 16;
}

static inline uint32_t l2_scale(uint32_t hash, uint32_t count)
{
    return (uint32_t)(((uint64_t)hash * count) >> 32);
}

enum { L2_SECTOR_MASKS = 16 }; /* of the four of a line */

/* How many of four sectors; the program is built for processors without an instruction for it. */
static inline uint32_t l2_count_sectors(uint32_t sectors)
{
    static const uint8_t counts[L2_SECTOR_MASKS] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return counts[sectors % L2_SECTOR_MASKS];
}

/* Sectors of whose words some are in the mask. */
static inline uint32_t l2_begun_sectors(uint32_t words)
{
    const uint32_t highest = ((words & 0x7f7f7f7fu) + 0x7f7f7f7fu) | words;
    return ((highest >> 7 & 0x01010101u) * 0x01020408u) >> 24 & 15;
}

/* All words of the sectors. */
static inline uint32_t l2_words_of(uint32_t sectors)
{
    return (sectors * 0x00204081u & 0x01010101u) * 0xffu;
}

#endif
