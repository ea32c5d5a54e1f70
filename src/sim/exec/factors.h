/* Factors of matrix products as vectors: the values of each place in k, those of A spread over the
 * lanes whose sums take them, and their exponents. A kernel multiplies the same fragment of A by
 * several of B and the other way round: what was spread is kept beside the registers it was made
 * from, and serves again where they are still the same. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_FACTORS_H
#define WL_SIM_EXEC_FACTORS_H

#ifdef __AVX2__
#include "sim/exec/tile_vector.h"
#include "warp/op.h"

#define FACTOR_VALUES 128      /* blocks of 8 rows times k, at most */
#define FACTOR_WORDS 64        /* the same in words of exponents, of floating-point factors */
#define FACTOR_REGISTERS 8     /* that these are in */
#define FACTOR_EXPONENT_MAX 50 /* of a factor: with others products leave single precision */
#define FACTOR_ZERO (-1000)    /* the exponent of 0: below all sums of two others */
#define FACTOR_BIAS 127        /* that exponents of B have, and so have their sums with A's */

/* A fragment in registers of a warp, in the order of matrix.c's lists; blocks are of 8 rows. Of a
 * sparse one half the elements are there, and the last register has metadata. */
struct fragment {
    const struct wl_warp *warp;
    const u32 *registers;
    u32 blocks, k;
    enum wl_matrix_format format;
    bool is_sparse;
    bool is_by_chunks; /* B of 8-bit floating-point factors beside a sparse A */
    u32 selector;
};

/* By block * k + place in k; exponents by words of k, two values' in one where they have 16 bits or
 * fewer. Of 8-bit floating-point factors places are in the order in which their products are added:
 * first the lower half of each word, then the upper one; of sparse ones, and B beside them,
 * every other chunk. */
struct factor_a {
    bool is_far; /* something is infinite, NaN, too far from 1, or at one place with another */
    tile_floats value[FACTOR_VALUES][TILE_VECTORS];
    tile_words exponent[FACTOR_WORDS][TILE_VECTORS];
    tile_words made_from[FACTOR_REGISTERS][TILE_VECTORS];
};

/* The same of even and of odd columns; exponents have FACTOR_BIAS. */
struct factor_b {
    bool is_far;
    tile_quad value[FACTOR_VALUES][2];
    tile_word_quad exponent[FACTOR_WORDS][2];
    tile_words made_from[FACTOR_REGISTERS][TILE_VECTORS];
};

static inline bool factor_is_narrow_float(enum wl_matrix_format format)
{
    return format == WL_FORMAT_E4M3 || format == WL_FORMAT_E5M2;
}

static inline bool factor_is_float(enum wl_matrix_format format)
{
    return format == WL_FORMAT_F16 || format == WL_FORMAT_BF16 || format == WL_FORMAT_TF32 ||
           factor_is_narrow_float(format);
}

/* The half in the low bits of each word, in single precision: its exponent is biased by 112 less,
 * and a subnormal one becomes a normal number from which that of its hidden bit is taken. */
TILE_INLINE tile_floats factor_half(tile_words words)
{
    const tile_words is_subnormal = (words & 0x7c00) == 0;
    const tile_words moved =
        ((words & 0x7fff) << 13) + 0x38000000 + (is_subnormal & tile_all(0x00800000));
    const tile_words hidden = is_subnormal & tile_all(0x38800000);
    const tile_words magnitude = (tile_words)((tile_floats)moved - (tile_floats)hidden);
    return (tile_floats)(magnitude | ((words & 0x8000) << 16));
}

/* The fragment's values. They are the worker's, and stay until another fragment takes their place:
 * at the earliest at the next call of the same function. */
const struct factor_a *WL_EXEC(factor_of_a)(const struct fragment *fragment);
const struct factor_b *WL_EXEC(factor_of_b)(const struct fragment *fragment);

#endif
#endif
