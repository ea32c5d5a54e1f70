/* Words of vectors of AVX2, by the lanes' numbers. */
#ifndef WL_SIM_EXEC_PICK_H
#define WL_SIM_EXEC_PICK_H

#ifdef __AVX2__
#include <immintrin.h>

/* By the sign of each lane. */
static inline __m256i choose_lanes(__m256i if_clear, __m256i if_set, __m256i signs)
{
    return _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(if_clear), _mm256_castsi256_ps(if_set), _mm256_castsi256_ps(signs)));
}

/* Eight words of 16, by the low four bits of their numbers. */
static inline __m256i pick_of_16(const __m256i from[2], __m256i number)
{
#ifdef __AVX512VL__
    return _mm256_permutex2var_epi32(from[0], number, from[1]);
#else
    return choose_lanes(_mm256_permutevar8x32_epi32(from[0], number),
                        _mm256_permutevar8x32_epi32(from[1], number),
                        _mm256_slli_epi32(number, 28));
#endif
}

/* Eight words of 32, by the low five bits of their numbers. */
static inline __m256i pick_of_32(const __m256i from[4], __m256i number)
{
    return choose_lanes(pick_of_16(from, number), pick_of_16(from + 2, number),
                        _mm256_slli_epi32(number, 27));
}
#endif

#endif
