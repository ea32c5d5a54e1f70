/* What the lines that an access touches cost. */
#ifndef WL_SIM_EXEC_LINES_H
#define WL_SIM_EXEC_LINES_H

#include "sim/exec/lanes.h"

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

/* Of how many pieces of device memory (WL_TRACE_PIECE_LINES) the lines are. */
static inline u32 count_pieces(const u64 *line, u32 count)
{
    u32 pieces = 0;
    for (u32 i = 0; i < count; i++)
        pieces += i == 0 || line[i] / WL_TRACE_PIECE_LINES != line[i - 1] / WL_TRACE_PIECE_LINES;
    return pieces;
}

#endif
