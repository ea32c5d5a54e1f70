/* Factors of matrix products as vectors: the values of each place in k, those of A spread over the
 * lanes whose sums take them, and their exponents. A kernel multiplies the same fragment of A by
 * several of B and the other way round: what was spread is kept beside the registers it was made
 * from, and serves again where they are still the same. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_FACTORS_H
#define WL_SIM_EXEC_FACTORS_H

#ifdef __AVX2__
#include "sim/exec/tile_bytes.h"
#include "warp/op.h"

#define FACTOR_VALUES 128      /* blocks of 8 rows times k, at most */
#define FACTOR_REGISTERS 8     /* that these are in */
#define FACTOR_EXPONENT_MAX 50 /* of a factor: with others products leave single precision */
/* A byte that says an exponent: FACTOR_TOP that of the base, and 0 that the value is 0. All others
 * have at least FACTOR_LEAST: sums of two exponents have the highest bit, those with a 0 have not.
 */
#define FACTOR_TOP 127
#define FACTOR_LEAST 64

/* A fragment in registers of a warp, in the order of matrix.c's lists; blocks are of 8 rows. Of a
 * sparse one half the elements are there, and the last register has metadata. */
struct fragment {
    const struct wl_warp *warp;
    const u32 *registers;
    u32 blocks, k;
    enum wl_matrix_format format;
    bool is_sparse;
    bool is_by_chunks; /* B beside a sparse A */
    u32 selector;
};

/* Places are those of k, in the order in which products are added: four of them are at one place of
 * the four words of a row in a register. Of 8-bit floating-point factors the lower halves of all
 * words come first. Of a sparse A, and B beside it, four chunks stand for four words, and of two
 * that lie in a word the lower ones come first. */
struct factor_a_four {
    tile_floats value[TILE_VECTORS];
    tile_words exponent[4]; /* bytes of the sums of 8 rows */
};

/* Of even and of odd columns. */
struct factor_b_four {
    tile_quad value[4][2];
    uint8_t exponent[4][8];
};

/* Fours are by (block * k + place) / 4. */
struct factor_a {
    bool is_far; /* something is infinite, NaN, too far from 1 or the base, or at one place with
                    another */
    s32 base;
    tile_words made_from[FACTOR_REGISTERS][TILE_VECTORS];
    struct factor_a_four four[FACTOR_VALUES / 4];
};

struct factor_b {
    bool is_far;
    s32 base;
    tile_words made_from[FACTOR_REGISTERS][TILE_VECTORS];
    struct factor_b_four four[FACTOR_VALUES / 4];
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

#define FACTORS_OF_A 4 /* that are kept */
#define FACTORS_OF_B 8

/* A worker's. A key says what a place holds: a first register and a shape; 0: the place is free. */
struct factor_store {
    u64 a_key[FACTORS_OF_A], b_key[FACTORS_OF_B];
    u32 next_a, next_b; /* to be given away */
    struct factor_a a[FACTORS_OF_A];
    struct factor_b b[FACTORS_OF_B];
};

static inline u32 factor_registers(const struct fragment *fragment)
{
    const u32 all = fragment->blocks * fragment->k * wl_matrix_format_bits(fragment->format) / 128;
    return fragment->is_sparse ? all / 2 + 1 : all;
}

/* Whether the registers have what a factor was made from. */
TILE_INLINE bool factor_is_of(const struct wl_warp *warp, const u32 *registers, u32 count,
                              const tile_words *made_from)
{
    tile_words difference = tile_all(0);
    for (u32 r = 0; r < count; r++) {
        const tile_words *lanes = lane_register(warp, registers[r]);
        for (u32 v = 0; v < TILE_VECTORS; v++)
            difference = tile_differ(difference, lanes[v], made_from[r * TILE_VECTORS + v]);
    }
    return !tile_has_any(difference);
}

/* The place of the fragment's values. They stay until another fragment takes it: at the earliest at
 * the next call of the same function. */
u32 WL_EXEC(factor_of_a)(struct factor_store *store, const struct fragment *fragment);
u32 WL_EXEC(factor_of_b)(struct factor_store *store, const struct fragment *fragment);
/* Of a fragment whose values are not those that its place was made from. */
void WL_EXEC(factor_make_a)(struct factor_a *self, const struct fragment *fragment);
void WL_EXEC(factor_make_b)(struct factor_b *self, const struct fragment *fragment);

#endif
#endif
