/* Sparse matrices: of each chunk of a row half the elements are there, and metadata say where they
 * stand in it (PTX ISA, "Sparse matrix storage"). A nibble is a chunk's: two indices, the lower
 * bits those of the first element or pair of 4-bit elements. */
#ifndef WL_SIM_EXEC_SPARSE_H
#define WL_SIM_EXEC_SPARSE_H

#include "sim/exec/lanes.h"
#include "warp/kinds.h"

#define SPARSE_ROWS 16

/* Places of a row that a chunk covers; half as many elements are there. */
static inline u32 sparse_chunk(enum wl_matrix_format format)
{
    const u32 bits = wl_matrix_format_bits(format);
    return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

/* Where the nibble of a chunk of SPARSE_ROWS rows of k places stands. */
struct sparse_place {
    u32 lane; /* of four */
    u32 shift;
};

/* Lanes have rows of eight nibbles where elements are narrow, else both rows' four. */
static inline struct sparse_place sparse_nibble(enum wl_matrix_format format, u32 k, u32 selector,
                                                u32 row_block, u32 chunk)
{
    const u32 chunks = k / sparse_chunk(format);
    if (wl_matrix_format_bits(format) >= 16)
        return (struct sparse_place){.lane = selector * (chunks / 4) + chunk / 4,
                                     .shift = 4 * (chunk % 4 + 4 * row_block)};
    return (struct sparse_place){.lane = 2 * (selector + chunk / 8) + row_block,
                                 .shift = 4 * (chunk % 8)};
}

/* Where an element of a chunk stands in it. Indices of 32-bit elements are of their halves. */
static inline u32 sparse_index(enum wl_matrix_format format, u32 nibble, u32 element)
{
    if (wl_matrix_format_bits(format) == 4)
        return (nibble >> (element / 2 * 2) & 3) * 2 + element % 2;
    return nibble >> (element * 2) & 3;
}

#endif
