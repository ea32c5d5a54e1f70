/* What the lines that an access touches cost, and what its addresses look like. */
#ifndef WL_SIM_EXEC_LINES_H
#define WL_SIM_EXEC_LINES_H

#include "sim/exec/lanes.h"
#include "sim/state.h"

/* The most words that lie in one of L1's 32 banks. */
static inline u32 count_bank(const u32 *words, u32 line_count)
{
    u32 planes[6] = {0}; /* of a count for each bank, lowest bit first */
    for (u32 i = 0; i < line_count; i++) {
        u32 carry = words[i];
        for (u32 p = 0; p < 6; p++) {
            u32 both = planes[p] & carry;
            planes[p] ^= carry;
            carry = both;
        }
    }
    u32 candidates = 0xffffffffu, most = 0;
    for (u32 p = 6; p-- > 0;) {
        if (!(planes[p] & candidates))
            continue;
        candidates &= planes[p];
        most |= 1u << p;
    }
    return most;
}

/* Of how many pieces of device memory (WL_TRACE_PIECE_LINES) the lines are, which are relative to
 * the first one. */
static inline u32 count_pieces(u64 first, const s64 *line, u32 count)
{
    u32 pieces = 0;
    for (u32 i = 0; i < count; i++)
        pieces += i == 0 || (first + (u64)line[i]) / WL_TRACE_PIECE_LINES !=
                                (first + (u64)line[i - 1]) / WL_TRACE_PIECE_LINES;
    return pieces;
}

/* Whether each lane of some follows the one before it by so many bytes. */
static inline bool is_run(const u64 *delta, int first, int count, u64 bytes)
{
    u64 differs = 0;
    for (int i = 1; i < count; i++)
        differs |= (delta[first + i] - delta[first]) ^ ((u64)(u32)i * bytes);
    return differs == 0;
}

/* Of a pattern of all lanes, each so many bytes wide. */
static inline enum wl_shape find_shape(const u64 *delta, u64 bytes)
{
    if (is_run(delta, 0, 8, bytes) && is_run(delta, 8, 8, bytes) && is_run(delta, 16, 8, bytes) &&
        is_run(delta, 24, 8, bytes)) {
        bool low_half = delta[8] == 8 * bytes, high_half = delta[24] - delta[16] == 8 * bytes;
        if (!low_half || !high_half)
            return WL_SHAPE_QUARTERS;
        return delta[16] == 16 * bytes ? WL_SHAPE_CONTIGUOUS : WL_SHAPE_HALVES;
    }
    if (is_run(delta, 0, WL_LANES, 0))
        return WL_SHAPE_UNIFORM;
    return is_run(delta, 0, WL_LANES, 2 * bytes) ? WL_SHAPE_EVERY_OTHER : WL_SHAPE_SCATTERED;
}

#endif
