/* Matrix products of narrow factors, a whole warp's in vectors: the sums of matrix.c, to the bit.
 * Lane 4 * row + q holds word q of a row of A, and columns 2 * q and 2 * q + 1 of a row of the
 * sums: a word of A is spread over the lanes of its row, words of B over all rows, and neither C
 * nor D is moved. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_TILE_H
#define WL_SIM_EXEC_TILE_H

#ifdef __AVX2__
#include "sim/exec/factors.h"

#define TILE_ELEMENTS 8 /* of a lane's part of the sums */
#define TILE_BIAS 127   /* of exponents in single precision */
/* The greatest exponent where all products are 0: below those of all others, biased like them. */
#define TILE_SUM_NONE (TILE_BIAS - 2 * FACTOR_EXPONENT_MAX - 1)

/* A step's sum is below 2^31 + 2^26 in the units it is formed in: 16 products below 2^27 and an
 * addend below 2^26. One whose magnitude is below TILE_SUM_SURE did not wrap. */
#define TILE_SUM_SURE (0x1p31f - 0x1p26f)

/* Registers in the order of matrix.c's lists. */
struct tile {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    enum wl_matrix_format a_format, b_format;
    u32 row_blocks, column_blocks, k; /* blocks of 8 */
    u32 step;                         /* products added in one */
    u32 fraction_bits;                /* that addends keep below the greatest exponent */
    s32 kept_mask;                    /* of a sum after each step */
    u32 selector;                     /* of a sparse A's metadata */
    s32 base;                         /* of the exponents of A and B, together */
    bool is_sparse;                   /* A: of k, and of a step, half the products are 0 */
    bool adds_last;                   /* C is added to the sum of the products, not to the first */
    bool c_is_half, d_is_half, saturates;
    bool is_plain; /* one step, of which all is in single precision and kept */
};

/* D = A B + C of a whole warp; everything is set but base and what is read from registers. False:
 * nothing was written, and it must be done the long way. The operation is NULL where the lists are
 * not its own. */
bool WL_EXEC(tile_multiply)(struct tile *self, const struct wl_op *op);
/* The same of an operation that was done before, if its factors are kept. */
bool WL_EXEC(tile_multiply_again)(const struct wl_warp *warp, const struct wl_op *op);
/* The same of double precision: one fused multiply-add after another, in the order of k. */
void WL_EXEC(tile_multiply_doubles)(const struct tile *self);

#endif
#endif
