/* Matrix products of narrow factors, a whole warp's in vectors of 8 lanes: the sums of matrix.c, to
 * the bit. Lane 4 * row + q holds word q of a row of A, and columns 2 * q and 2 * q + 1 of a row of
 * the sums: a word of A is spread over the lanes of its row, words of B over all rows, and neither
 * C nor D is moved. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_TILE_H
#define WL_SIM_EXEC_TILE_H

#ifdef __AVX2__
#include <immintrin.h>

#include "sim/exec/lanes.h"
#include "warp/op.h"

#define TILE_VECTORS 4        /* of 8 lanes */
#define TILE_VALUES 64        /* blocks of 8 rows times k, at most */
#define TILE_WORDS 32         /* the same in words, of floating-point factors */
#define TILE_ELEMENTS 8       /* of a lane's part of the sums */
#define TILE_SAFE 8           /* products whose sum fits in 32 bits, with an addend */
#define TILE_FRACTION_BITS 25 /* that addends keep below the greatest exponent */
#define TILE_EXPONENT_MAX 50  /* of a factor: with others products leave single precision */
#define TILE_SUM_LEAST (-2 * TILE_EXPONENT_MAX)
#define TILE_ZERO (-1000) /* the exponent of 0: below all sums of two others */

/* Registers in the order of matrix.c's lists. */
struct tile {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    u32 row_blocks, column_blocks, k; /* blocks of 8 */
    u32 step;                         /* products added in one */
    bool c_is_half, d_is_half, saturates;
    __m256i far; /* not 0: something is infinite, NaN or too far from 1 and goes the long way */
    __m256 a_value[TILE_VALUES][TILE_VECTORS]; /* [row block * k + place in k] */
    __m256 b_value[TILE_VALUES][2];            /* [column block * k + place in k][column & 1] */
    /* the same by words, of whose values they are the halves */
    __m256i a_exponent[TILE_WORDS][TILE_VECTORS], b_exponent[TILE_WORDS][2];
    __m256i sum[TILE_ELEMENTS][TILE_VECTORS];
    double double_sum[TILE_ELEMENTS][WL_LANES] __attribute__((aligned(64)));
};

static inline bool tile_is_float(enum wl_matrix_format format)
{
    return format == WL_FORMAT_F16 || format == WL_FORMAT_BF16 || format == WL_FORMAT_TF32;
}

/* D = A B + C of a whole warp; everything is set but what is read from registers. False: nothing
 * was written, and it must be done the long way. */
bool WL_EXEC(tile_multiply)(struct tile *self, enum wl_matrix_format a, enum wl_matrix_format b);
/* The same of double precision: one fused multiply-add after another, in the order of k. */
void WL_EXEC(tile_multiply_doubles)(struct tile *self);

#endif
#endif
