/* Whether reads of device memory come close together: its rows are opened for each that does not.
 * Internal to sim/l2.c, whose loop this is a step of. */
#ifndef WL_SIM_L2_ROWS_H
#define WL_SIM_L2_ROWS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    L2_ROWS_BITS = 12, /* of how many a table remembers */
    L2_ROW_LINES = 2,  /* opened at once: bench/gpu/model pages, every_128 and every_256 */
    L2_ROWS_LAUNCH_BITS = 8
};

/* The rows that L2 was asked for last, each where its number says, with the low bits of its launch.
 */
struct l2_rows {
    uint32_t latest[1 << L2_ROWS_BITS];
};

/* Notes that L2 is asked for the line; false: for its row it was not lately. */
static inline bool l2_rows_note(struct l2_rows *rows, uint64_t line, uint32_t launch)
{
    uint32_t row = (uint32_t)(line / L2_ROW_LINES);
    uint32_t mark = row << L2_ROWS_LAUNCH_BITS | (launch & ((1u << L2_ROWS_LAUNCH_BITS) - 1));
    uint32_t *latest = &rows->latest[(row * 0x9e3779b1u) >> (32 - L2_ROWS_BITS)];
    bool is_near = *latest == mark;
    *latest = mark;
    return is_near;
}

#endif
