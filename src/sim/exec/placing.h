/* Fragments of matrices: where their elements stand in a warp's registers. */
#ifndef WL_SIM_EXEC_PLACING_H
#define WL_SIM_EXEC_PLACING_H

#include "sim/exec/lanes.h"
#include "warp/op.h"

static inline const u32 *list_of(const struct wl_warp *warp, const struct wl_op *op)
{
    return warp->worker->run->program->operands + op->dst;
}

/* How the registers of a fragment lie over blocks of 8 rows: by rows first for A, by k for B. */
struct placing {
    u32 row_blocks, column_blocks, per_register;
    bool is_by_rows;
};

static inline struct placing place_factor(u32 rows, u32 k, enum wl_matrix_format format,
                                          bool is_by_rows)
{
    u32 bits = wl_matrix_format_bits(format), per_register = bits >= 32 ? 1 : 32 / bits;
    return (struct placing){rows / 8, k / (4 * per_register), per_register, is_by_rows};
}

/* Row and first column of what register r holds for a lane. */
static inline void locate(const struct placing *placing, u32 r, u32 lane, u32 *row, u32 *column)
{
    u32 row_block = placing->is_by_rows ? r % placing->row_blocks : r / placing->column_blocks;
    u32 column_block = placing->is_by_rows ? r / placing->row_blocks : r % placing->column_blocks;
    *row = row_block * 8 + (lane >> 2);
    *column = (column_block * 4 + (lane & 3)) * placing->per_register;
}

/* Row and column of element e of a lane's part of the sum. */
static inline void locate_sum(u32 row_blocks, u32 e, u32 lane, u32 *row, u32 *column)
{
    u32 block = e / 2;
    *row = block % row_blocks * 8 + (lane >> 2);
    *column = block / row_blocks * 8 + (lane & 3) * 2 + (e & 1);
}

#endif
