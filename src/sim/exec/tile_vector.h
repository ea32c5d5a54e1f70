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
typedef uint8_t tile_bytes TILE_VECTOR; /* four */
typedef u32 tile_unsigned TILE_VECTOR;  /* for sums that may wrap */
/* What all rows have alike: it is kept once. */
typedef float tile_quad __attribute__((vector_size(16), may_alias));
typedef s32 tile_word_quad __attribute__((vector_size(16), may_alias));

/* A loop over vectors that stay in registers, and one that stays a loop. */
#ifdef __clang__
#define TILE_UNROLLED _Pragma("clang loop unroll(full)")
#define TILE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define TILE_UNROLLED _Pragma("GCC unroll 32")
#define TILE_ROLLED _Pragma("GCC unroll 1")
#endif

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

/* The greater magnitude. None is a NaN, nor is the sign of the first set. */
TILE_INLINE tile_floats tile_max_magnitude(tile_floats a, tile_floats b)
{
#if TILE_LANES == 16
    return (tile_floats)_mm512_range_ps(TILE_FLOAT(a), TILE_FLOAT(b), 0x0b);
#else
    return (tile_floats)tile_max((tile_words)a, (tile_words)b & INT32_MAX);
#endif
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

/* The sum is formed here: gcc would add up what several rounds of a loop add first, for which there
 * are no registers. */
TILE_INLINE void tile_settle(tile_words *sum)
{
    __asm__("" : "+v"(*sum));
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

/* The bits in which a and b differ, besides those that are given. */
TILE_INLINE tile_words tile_differ(tile_words given, tile_words a, tile_words b)
{
#if TILE_LANES == 16
    return (tile_words)_mm512_ternarylogic_epi32(TILE_INTEGER(given), TILE_INTEGER(a),
                                                 TILE_INTEGER(b), 0xf6);
#else
    return given | (a ^ b);
#endif
}

#define TILE_SPREAD(words, q)                                  \
    ((tile_words)TILE_WITH(shuffle_epi32, TILE_INTEGER(words), \
                           (q) | (q) << 2 | (q) << 4 | (q) << 6))

/* Word q of each four, in all four. */
TILE_INLINE tile_words tile_spread(tile_words words, u32 q)
{
    return q == 0   ? TILE_SPREAD(words, 0)
           : q == 1 ? TILE_SPREAD(words, 1)
           : q == 2 ? TILE_SPREAD(words, 2)
                    : TILE_SPREAD(words, 3);
}

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

/* The greatest of all pairs, none of which is negative. */
TILE_INLINE s32 tile_greatest_pair(tile_words pairs)
{
    int16_t pair[2 * TILE_LANES] __attribute__((aligned(64)));
    s32 greatest = 0;
    memcpy(pair, &pairs, sizeof pair);
    for (u32 i = 0; i < 2 * TILE_LANES; i++)
        greatest = pair[i] > greatest ? pair[i] : greatest;
    return greatest;
}

/* The half in the low bits of each word, in single precision. */
TILE_INLINE tile_floats tile_of_halves(tile_words words)
{
#if TILE_LANES == 16
    return (tile_floats)_mm512_cvtph_ps(_mm512_cvtepi32_epi16(TILE_INTEGER(words)));
#else
    const __m256i low = TILE_INTEGER(words & 0xffff);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return (tile_floats)_mm256_cvtph_ps(_mm256_castsi256_si128(packed));
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
