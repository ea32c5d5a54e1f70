/* Accesses of global memory by some lanes, each of whose elements lies behind that of the lane
 * before it, on or not. */
#ifndef WL_SIM_EXEC_PART_H
#define WL_SIM_EXEC_PART_H

#include "sim/exec/touch.h"

enum { PART_LINES = 3 }; /* that 32 elements of 8 bytes touch at most */

/* Whether the operation moves one full-size element a lane, by addresses of 64 bits. */
static inline bool has_parts(const struct wl_op *op)
{
    return op->count == 1 && op->width_bytes == (op->flags & WL_OPF_DST64 ? 8 : 4) &&
           !(op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS));
}

/* Each of the low 16 bits twice. */
static inline u32 double_bits(u32 bits)
{
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    bits = (bits | bits << 1) & 0x55555555u;
    return bits | bits << 1;
}

/* The words that the active lanes touch in the line of lane 0's element, and in those behind it.
 * start: where that is, or would be. */
static inline void find_part_words(u32 active, u32 bytes, u64 start, u32 words[PART_LINES])
{
    const u64 low = bytes == 8 ? double_bits(active & 0xffff) : active;
    const u64 high = bytes == 8 ? double_bits(active >> 16) : 0;
    const u32 shift = start >> 2 & 31;
    words[0] = (u32)(low << shift);
    words[1] = (u32)(low << shift >> 32) | (u32)(high << shift);
    words[2] = (u32)(high << shift >> 32);
}

/* What the access does, relative to the line of `start`, as if a pattern of all lanes did. */
static inline void fill_part_set(const struct access *access, u64 start, struct wl_line_set *set)
{
    const u32 active = access->warp->active;
    u32 words[PART_LINES];
    find_part_words(active, access->bytes, start, words);
    set->count = set->sectors_total = 0;
    for (u32 i = 0; i < PART_LINES; i++) {
        if (!words[i])
            continue;
        u32 sectors = 0;
        for (u32 sector = 0; sector < 4; sector++)
            sectors |= (u32)((words[i] >> 8 * sector & 0xff) != 0) << sector;
        set->line[set->count] = i;
        set->sectors[set->count] = sectors;
        set->words[set->count++] = words[i];
        set->sectors_total += counted_sectors(access, sectors);
    }
    set->sectors_ideal = ideal_sectors(access, set->sectors_total);
    set->bytes = (u32)__builtin_popcount(active) * access->bytes;
}

#endif
