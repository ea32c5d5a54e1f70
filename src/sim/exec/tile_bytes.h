/* Bytes of the sums of 8 rows, as many as a vector holds: each four words of the vector have four
 * vectors' bytes of the sums that lie in those words, one vector's behind the other's. With AVX-512
 * these are the even and the odd columns of rows 0 to 3, then of rows 4 to 7; else rows 0 and 1, 2
 * and 3, 4 and 5, 6 and 7 of either the even or the odd columns. Only where the processor has AVX2.
 */
#ifndef WL_SIM_EXEC_TILE_BYTES_H
#define WL_SIM_EXEC_TILE_BYTES_H

#ifdef __AVX2__
#include "sim/exec/tile_vector.h"

TILE_INLINE tile_words tile_max_bytes(tile_words a, tile_words b)
{
    return (tile_words)TILE_WITH(max_epu8, TILE_INTEGER(a), TILE_INTEGER(b));
}

/* Whether the highest bit of all bytes is set. */
TILE_INLINE bool tile_has_all_signs(tile_words bytes)
{
#if TILE_LANES == 16
    return _mm512_movepi8_mask(TILE_INTEGER(bytes)) == UINT64_MAX;
#else
    return _mm256_movemask_epi8(TILE_INTEGER(bytes)) == -1;
#endif
}

/* The bytes of vector `group`, each in bits 23 to 30 of its word. */
TILE_INLINE tile_words tile_exponent_of(tile_words bytes, u32 group)
{
    const s32 none = (s32)0x80808080; /* gives 0 */
    const s32 first = (s32)(group * 4 << 24) | (none & 0xffffff);
    const tile_word_quad places = {first, first + (1 << 24), first + (2 << 24), first + (3 << 24)};
    const tile_words moved = (tile_words)TILE_WITH(shuffle_epi8, TILE_INTEGER(bytes),
                                                   TILE_INTEGER(tile_repeat_words(places)));
    return (tile_words)((tile_unsigned)moved >> 1);
}

/* What is the same in all rows: four bytes of even and four of odd columns; or four of either. */
TILE_INLINE tile_words tile_repeat_bytes(const uint8_t *columns)
{
#if TILE_LANES == 16
    s64 bytes;
    memcpy(&bytes, columns, sizeof bytes);
    return (tile_words)_mm512_set1_epi64(bytes);
#else
    s32 bytes;
    memcpy(&bytes, columns, sizeof bytes);
    return tile_all(bytes);
#endif
}

/* A register of A, each lane with two bytes in the lower halves of 16 bits: byte `at` of each four
 * lanes, which is an even one, for all sums of its row. */
TILE_INLINE tile_words tile_spread_bytes(const tile_words *pairs, u32 at)
{
    const s32 low = (s32)at * 0x01010101, high = low + 0x01010101;
#if TILE_LANES == 16
    const tile_word_quad places = {low, low, high, high};
    return (tile_words)_mm512_shuffle_epi8(TILE_INTEGER(pairs[0] | pairs[1] << 8),
                                           TILE_INTEGER(tile_repeat_words(places)));
#else
    const s32 none = (s32)0x80808080;
    const tile_word_quad first = {low, high, none, none}, last = {none, none, low, high};
    return (tile_words)_mm256_or_si256(_mm256_shuffle_epi8(TILE_INTEGER(pairs[0] | pairs[1] << 8),
                                                           TILE_INTEGER(tile_repeat_words(first))),
                                       _mm256_shuffle_epi8(TILE_INTEGER(pairs[2] | pairs[3] << 8),
                                                           TILE_INTEGER(tile_repeat_words(last))));
#endif
}

/* The same of B: to[q][i] has byte i of word q of columns 0, 2, 4, 6 and 1, 3, 5, 7. */
TILE_INLINE void tile_take_bytes(const tile_words *pairs, uint8_t to[4][2][8])
{
#if TILE_LANES == 16
    const __m512i columns = _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
        TILE_INTEGER(pairs[0] | pairs[1] << 8));
    const __m128i places = _mm_setr_epi8(0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15);
    _mm512_storeu_si512(to, _mm512_shuffle_epi8(columns, _mm512_broadcast_i32x4(places)));
#else
    const __m256i low = TILE_INTEGER(pairs[0] | pairs[1] << 8),
                  high = TILE_INTEGER(pairs[2] | pairs[3] << 8);
    const __m256i first = _mm256_unpacklo_epi16(low, high), /* even columns', odd columns' */
        last = _mm256_unpackhi_epi16(low, high);
    const __m128i words[] = {_mm256_castsi256_si128(first), _mm256_extracti128_si256(first, 1),
                             _mm256_castsi256_si128(last), _mm256_extracti128_si256(last, 1)};
    for (u32 half = 0; half < 2; half++) {
        const __m128i even = words[2 * half], odd = words[2 * half + 1];
        _mm_storeu_si128((__m128i *)to[2 * half], _mm_unpacklo_epi32(even, odd));
        _mm_storeu_si128((__m128i *)to[2 * half + 1], _mm_unpackhi_epi32(even, odd));
    }
#endif
}

#endif
#endif
