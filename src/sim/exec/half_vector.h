/* Binary16 in single precision, which has them all, by vectors where the processor converts them.
 * All results are those of values16.h. */
#ifndef WL_SIM_EXEC_HALF_VECTOR_H
#define WL_SIM_EXEC_HALF_VECTOR_H

#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"

#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>

#ifdef __AVX512F__
#define HALF_LANES 16
typedef __m512 half_floats;
typedef __m256i half_words; /* their 16 bits each */

/* x * y + z, rounded to odd: of the numbers on both sides of the exact one that whose last bit is
 * set. They are the same one where it is exact, but a zero, of which `up` has the sign. */
static inline half_floats half_fused(half_floats x, half_floats y, half_floats z)
{
    const half_floats down =
        _mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const half_floats up =
        _mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    const __mmask16 is_odd =
        _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, is_odd, down);
}

static inline half_floats half_canonical(half_floats value)
{
    const half_floats nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
    return _mm512_mask_mov_ps(value, _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q), nan);
}

static inline half_words half_narrow(half_floats value)
{
    return _mm512_cvtps_ph(half_canonical(value), _MM_FROUND_TO_NEAREST_INT);
}

static inline half_floats half_load_pairs(const u32 *words)
{
    return _mm512_cvtph_ps(_mm256_load_si256((const __m256i *)(const void *)words));
}

static inline void half_store_pairs(u32 *words, half_floats value)
{
    _mm256_store_si256((__m256i *)(void *)words, half_narrow(value));
}

static inline half_floats half_load_each(const u32 *words)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_load_si512(words)));
}

static inline void half_store_each(u32 *words, half_floats value)
{
    _mm512_store_si512(words, _mm512_cvtepu16_epi32(half_narrow(value)));
}
#else
#define HALF_LANES 8
typedef __m256 half_floats;
typedef __m128i half_words;

/* The same of halves: single precision has all bits of their product. */
static inline half_floats half_fused(half_floats x, half_floats y, half_floats z)
{
    const half_floats product = x * y, sum = product + z, without = sum - z;
    const half_floats error = (product - without) + (z - (sum - without));
    const __m256i is_inexact =
        _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_NEQ_OQ));
    const __m256i signs = _mm256_castps_si256(_mm256_xor_ps(error, sum));
    const __m256i is_beyond = _mm256_and_si256(_mm256_srai_epi32(signs, 31), is_inexact);
    const __m256i below = _mm256_add_epi32(_mm256_castps_si256(sum), is_beyond);
    return _mm256_castsi256_ps(_mm256_or_si256(below, _mm256_srli_epi32(is_inexact, 31)));
}

static inline half_floats half_canonical(half_floats value)
{
    const half_floats nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    return _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
}

static inline half_words half_narrow(half_floats value)
{
    return _mm256_cvtps_ph(half_canonical(value), _MM_FROUND_TO_NEAREST_INT);
}

static inline half_floats half_load_pairs(const u32 *words)
{
    return _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)words));
}

static inline void half_store_pairs(u32 *words, half_floats value)
{
    _mm_store_si128((__m128i *)(void *)words, half_narrow(value));
}

static inline half_floats half_load_each(const u32 *words)
{
    const __m128i *quads = (const __m128i *)(const void *)words;
    const __m128i low = _mm_set1_epi32(0xffff);
    return _mm256_cvtph_ps(_mm_packus_epi32(_mm_and_si128(_mm_load_si128(quads), low),
                                            _mm_and_si128(_mm_load_si128(quads + 1), low)));
}

static inline void half_store_each(u32 *words, half_floats value)
{
    _mm256_store_si256((__m256i *)(void *)words, _mm256_cvtepu16_epi32(half_narrow(value)));
}
#endif
#endif

/* The low 16 bits as single precision; a NaN may become any. */
static inline void widen_halves(const u32 *half, f32 *d)
{
#ifdef HALF_LANES
    for (u32 at = 0; at < WL_LANES; at += HALF_LANES) {
        const half_floats value = half_load_each(half + at);
        memcpy(d + at, &value, sizeof value);
    }
#else
    WL_FOR_LANES (i)
        d[i] = half_to_float(half[i]);
#endif
}

static inline void narrow_halves(const f32 *value, u32 *d)
{
#ifdef HALF_LANES
    for (u32 at = 0; at < WL_LANES; at += HALF_LANES) {
        half_floats floats;
        memcpy(&floats, value + at, sizeof floats);
        half_store_each(d + at, floats);
    }
#else
    WL_FOR_LANES (i)
        d[i] = float_to_half(value[i]);
#endif
}

#endif
