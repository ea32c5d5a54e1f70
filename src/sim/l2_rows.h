/* Whether reads of device memory come close together: its rows are opened for each that does not.
 * Internal to sim/l2.c, whose loop this is a step of. */
#ifndef WL_SIM_L2_ROWS_H
#define WL_SIM_L2_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    L2_ROWS_BITS = 12, /* of how many a table remembers */
    L2_ROW_LINES = 2,  /* opened at once: bench/gpu/model pages, every_128 and every_256 */
    L2_ROWS_LAUNCH_BITS = 8,
    L2_ROWS_NONE = 0 /* no row's mark, as no launch is 0 */
};

/* The rows that L2 was asked for last, each where its number says, with the low bits of its launch.
 */
struct l2_rows {
    uint32_t latest[1 << L2_ROWS_BITS];
    uint64_t changes; /* of what is remembered; not those of l2_rows_add */
};

/* The row of a line, of whose number these are the low bits and, in high, those above. */
static inline uint32_t l2_rows_row(uint32_t low, uint32_t high)
{
    return low / L2_ROW_LINES | high << 31;
}

static inline uint32_t l2_rows_mark(uint32_t row, uint32_t launch)
{
    return row << L2_ROWS_LAUNCH_BITS | (launch & ((1u << L2_ROWS_LAUNCH_BITS) - 1));
}

static inline uint32_t l2_rows_place(uint32_t row)
{
    return (row * 0x9e3779b1u) >> (32 - L2_ROWS_BITS);
}

/* Notes that L2 is asked for the row with the mark. Returns the mark that was in its place. */
static inline uint32_t l2_rows_note(struct l2_rows *rows, uint32_t place, uint32_t mark)
{
    const uint32_t before = rows->latest[place];
    rows->latest[place] = mark;
    rows->changes += before != mark;
    return before;
}

/* Whether L2 was asked for the row lately. */
static inline bool l2_rows_have(const struct l2_rows *rows, uint32_t row, uint32_t launch)
{
    return rows->latest[l2_rows_place(row)] == l2_rows_mark(row, launch);
}

/* What was asked for later comes in place of what was before. */
static inline void l2_rows_add(struct l2_rows *rows, const struct l2_rows *later)
{
    for (size_t i = 0; i < sizeof rows->latest / sizeof *rows->latest; i++)
        rows->latest[i] = later->latest[i] == L2_ROWS_NONE ? rows->latest[i] : later->latest[i];
}

#endif
