/* What the checks ask of all lanes at once. */
#include "sim/exec/lanes.h"

u32 WL_EXEC(find_loud)(const u32 offset[WL_LANES], const u32 *quiet, u32 words, u32 warp_bit);
u32 WL_EXEC(find_repeats)(const u32 value[WL_LANES]);
u32 WL_EXEC(find_beyond)(const u32 offset[WL_LANES], u32 start, u32 room);
u32 WL_EXEC(find_offsets)(const void *base, bool is_wide, u32 add, u32 start, u32 room,
                          u32 offset[WL_LANES]);

/* The lanes whose words do not have the bit; all, if any lane is not at one of the words. */
u32 WL_EXEC(find_loud)(const u32 offset[WL_LANES], const u32 *quiet, u32 words, u32 warp_bit)
{
    u32 outside = 0, loud = 0, all = warp_bit;
    WL_FOR_LANES (i)
        outside |= (u32)(offset[i] / 4 >= words) | offset[i] % 4;
    if (outside)
        return WL_FULL_MASK;
    WL_FOR_LANES (i)
        all &= quiet[offset[i] / 4];
    if (all)
        return 0;
    WL_FOR_LANES (i)
        loud |= (u32) !(quiet[offset[i] / 4] & warp_bit) << i;
    return loud;
}

/* The lanes whose value the lane before has, or the one 16 before. */
u32 WL_EXEC(find_repeats)(const u32 value[WL_LANES])
{
    u32 repeats = 0;
    for (int i = 1; i < WL_LANES; i++)
        repeats |= (u32)(value[i] == value[i - 1]) << i;
    for (int i = WL_LANES / 2; i < WL_LANES; i++)
        repeats |= (u32)(value[i] == value[i - WL_LANES / 2]) << i;
    return repeats;
}

/* The lanes that are not within so much from start on. */
u32 WL_EXEC(find_beyond)(const u32 offset[WL_LANES], u32 start, u32 room)
{
    u32 any = 0, beyond = 0;
    WL_FOR_LANES (i)
        any |= (u32)(offset[i] - start > room);
    if (!any)
        return 0;
    WL_FOR_LANES (i)
        beyond |= (u32)(offset[i] - start > room) << i;
    return beyond;
}

/* The low words of addresses of 8 bytes (4), and so much: 1 if they are not all the same, 2 if not
 * all are within so much from start on. */
u32 WL_EXEC(find_offsets)(const void *base, bool is_wide, u32 add, u32 start, u32 room,
                          u32 offset[WL_LANES])
{
    const u32 *narrow = base;
    const u64 *wide = base;
    u32 differs = 0, beyond = 0;
    if (is_wide)
        WL_FOR_LANES (i)
            offset[i] = (u32)wide[i] + add;
    else
        WL_FOR_LANES (i)
            offset[i] = narrow[i] + add;
    const u32 first = offset[0];
    WL_FOR_LANES (i) {
        differs |= offset[i] ^ first;
        beyond |= (u32)(offset[i] - start > room);
    }
    return (differs != 0) | beyond << 1;
}
