/* Matrix products of narrow factors, a whole warp's in vectors: the sums of matrix.c, to the bit.
 * Lane 4 * row + q holds word q of a row of A, and columns 2 * q and 2 * q + 1 of a row of the
 * sums: a word of A is spread over the lanes of its row, words of B over all rows, and neither C
 * nor D is moved. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_TILE_H
#define WL_SIM_EXEC_TILE_H

#ifdef __AVX2__
#include "sim/exec/factors.h"

#define TILE_ELEMENTS 8 /* of a lane's part of the sums */
#define TILE_SAFE 8     /* products whose sum fits in 32 bits, with an addend */
/* The greatest exponent where all products are 0: below those of all others, biased like them. */
#define TILE_SUM_NONE (FACTOR_BIAS - 2 * FACTOR_EXPONENT_MAX - 1)

/* Registers in the order of matrix.c's lists. */
struct tile {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    u32 row_blocks, column_blocks, k; /* blocks of 8 */
    u32 step;                         /* products added in one */
    u32 fraction_bits;                /* that addends keep below the greatest exponent */
    s32 kept_mask;                    /* of a sum after each step */
    bool adds_last;                   /* C is added to the sum of the products, not to the first */
    bool is_sparse;                   /* A: of k, and of a step, half the products are 0 */
    u32 selector;                     /* of its metadata */
    bool c_is_half, d_is_half, saturates;
    tile_words wraps; /* negative: a sum does not fit in 32 bits */
    tile_words most;  /* the greatest addend's bits: infinite or NaN, it goes the long way */
    tile_words sum[TILE_ELEMENTS][TILE_VECTORS];
    double double_sum[TILE_ELEMENTS][WL_LANES] __attribute__((aligned(64)));
};

/* D = A B + C of a whole warp; everything is set but what is read from registers. False: nothing
 * was written, and it must be done the long way. */
bool WL_EXEC(tile_multiply)(struct tile *self, enum wl_matrix_format a, enum wl_matrix_format b);
/* The same of double precision: one fused multiply-add after another, in the order of k. */
void WL_EXEC(tile_multiply_doubles)(struct tile *self);

#endif
#endif
