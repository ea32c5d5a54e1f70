/* Vectors of the matrix products in tile.c, as wide as the processor has them; what its C cannot
 * say is said by intrinsics. Only where the processor has AVX2. */
#ifndef WL_SIM_EXEC_TILE_VECTOR_H
#define WL_SIM_EXEC_TILE_VECTOR_H

#ifdef __AVX2__
#include <immintrin.h>

#include "sim/exec/lanes.h"

#ifdef __AVX512BW__
#define TILE_LANES 16
#else
#include "sim/exec/turn.h"
#define TILE_LANES 8
#endif
#define TILE_VECTORS (WL_LANES / TILE_LANES) /* of a register */

#define TILE_VECTOR __attribute__((vector_size(4 * TILE_LANES), may_alias))
typedef float tile_floats TILE_VECTOR;
typedef s32 tile_words TILE_VECTOR;
typedef int16_t tile_pairs TILE_VECTOR; /* two in a word */
typedef u32 tile_unsigned TILE_VECTOR;  /* for sums that may wrap */
/* What all rows have alike: it is kept once. */
typedef float tile_quad __attribute__((vector_size(16), may_alias));
typedef s32 tile_word_quad __attribute__((vector_size(16), may_alias));

#define TILE_INLINE                                                               \
    static inline __attribute__((always_inline)) /* formats are constants in them \
                                                  */

#if TILE_LANES == 16
#define TILE_WITH(name, ...) (_mm512_##name(__VA_ARGS__))
#define TILE_INTEGER(words) ((__m512i)(words))
#define TILE_FLOAT(floats) ((__m512)(floats))
#else
#define TILE_WITH(name, ...) (_mm256_##name(__VA_ARGS__))
#define TILE_INTEGER(words) ((__m256i)(words))
#define TILE_FLOAT(floats) ((__m256)(floats))
#endif

TILE_INLINE tile_words tile_max(tile_words a, tile_words b)
{
    return (tile_words)TILE_WITH(max_epi32, TILE_INTEGER(a), TILE_INTEGER(b));
}

TILE_INLINE tile_words tile_max_pairs(tile_words a, tile_words b)
{
    return (tile_words)TILE_WITH(max_epi16, TILE_INTEGER(a), TILE_INTEGER(b));
}

/* a * b + c, rounded once. */
TILE_INLINE tile_floats tile_fuse(tile_floats a, tile_floats b, tile_floats c)
{
    return (tile_floats)TILE_WITH(fmadd_ps, TILE_FLOAT(a), TILE_FLOAT(b), TILE_FLOAT(c));
}

TILE_INLINE tile_words tile_select(tile_words mask, tile_words yes, tile_words no)
{
    return (mask & yes) | (~mask & no);
}

TILE_INLINE tile_words tile_all(s32 value)
{
    return (tile_words)TILE_WITH(set1_epi32, value);
}

TILE_INLINE tile_words tile_add(tile_words a, tile_words b)
{
    return (tile_words)((tile_unsigned)a + (tile_unsigned)b);
}

TILE_INLINE tile_words tile_subtract(tile_words a, tile_words b)
{
    return (tile_words)((tile_unsigned)a - (tile_unsigned)b);
}

TILE_INLINE tile_words tile_truncate(tile_floats values)
{
    return __builtin_convertvector(values, tile_words);
}

TILE_INLINE bool tile_has_any(tile_words words)
{
#if TILE_LANES == 16
    return _mm512_test_epi32_mask(TILE_INTEGER(words), TILE_INTEGER(words)) != 0;
#else
    return !_mm256_testz_si256(TILE_INTEGER(words), TILE_INTEGER(words));
#endif
}

/* Word q of each four, in all four. */
#define TILE_SPREAD(words, q)                                  \
    ((tile_words)TILE_WITH(shuffle_epi32, TILE_INTEGER(words), \
                           (q) | (q) << 2 | (q) << 4 | (q) << 6))

TILE_INLINE tile_floats tile_repeat(tile_quad quad)
{
#if TILE_LANES == 16
    return (tile_floats)_mm512_broadcast_f32x4((__m128)quad);
#else
    return (tile_floats)_mm256_set_m128((__m128)quad, (__m128)quad);
#endif
}

TILE_INLINE tile_words tile_repeat_words(tile_word_quad quad)
{
    return (tile_words)tile_repeat((tile_quad)quad);
}

/* The vectors of a register of B, whose lane 4 * column + q has word q of a column: to[q][parity]
 * has word q of columns parity, 2 + parity, 4 + parity and 6 + parity. */
TILE_INLINE void tile_take_columns(const tile_words *from, tile_word_quad to[4][2])
{
#if TILE_LANES == 16
    const __m512i places = /* of q 0 and 1: columns 0, 2, 4, 6, then 1, 3, 5, 7 */
        _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
    const __m512i low = TILE_INTEGER(from[0]), high = TILE_INTEGER(from[1]);
    _mm512_storeu_si512(to[0], _mm512_permutex2var_epi32(low, places, high));
    _mm512_storeu_si512(to[2], _mm512_permutex2var_epi32(
                                   low, _mm512_add_epi32(places, _mm512_set1_epi32(2)), high));
#else
    __m256i rows[4], words[4];
    for (u32 v = 0; v < TILE_VECTORS; v++)
        rows[v] = TILE_INTEGER(from[v]);
    turn_quads(rows, words);
    for (u32 q = 0; q < 4; q++)
        _mm256_storeu_si256((__m256i *)to[q], words[q]);
#endif
}

/* In single precision toward zero; or to odd, so that it can be rounded once more. */
TILE_INLINE tile_floats tile_cut(tile_words sum, bool to_odd)
{
#if TILE_LANES == 16
    const tile_words cut = (tile_words)_mm512_cvt_roundepi32_ps(
        TILE_INTEGER(sum), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const tile_words excess = tile_subtract(sum, tile_truncate((tile_floats)cut));
#else
    const tile_floats nearest = __builtin_convertvector(sum, tile_floats);
    const tile_words excess = tile_subtract(sum, tile_truncate(nearest));
    const tile_words is_beyond = /* where it is away from zero */
        (tile_words)_mm256_sign_epi32(TILE_INTEGER(excess), TILE_INTEGER(sum)) >> 31;
    const tile_words cut = (tile_words)nearest + is_beyond;
#endif
    return to_odd ? (tile_floats)(cut | ((tile_words)(excess != 0) & 1)) : (tile_floats)cut;
}

/* To halves, each in a word; what becomes 0 is positive. */
TILE_INLINE tile_words tile_to_halves(tile_floats values)
{
    const tile_words halves = (tile_words)TILE_WITH(
        cvtepu16_epi32,
        TILE_WITH(cvtps_ph, TILE_FLOAT(values), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    return halves & ~((halves == 0x8000) & 0x8000);
}

#endif
#endif
