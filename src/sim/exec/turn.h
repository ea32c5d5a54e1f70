/* Four rows of four words in columns, by vectors of AVX2. */
#ifndef WL_SIM_EXEC_TURN_H
#define WL_SIM_EXEC_TURN_H

#ifdef __AVX2__
#include <immintrin.h>

/* Of each half of the vectors: to[i] = word i of all four. The same turns them back. */
static inline void turn_quads(const __m256i from[4], __m256i to[4])
{
    const __m256i low01 = _mm256_unpacklo_epi32(from[0], from[1]);
    const __m256i low23 = _mm256_unpacklo_epi32(from[2], from[3]);
    const __m256i high01 = _mm256_unpackhi_epi32(from[0], from[1]);
    const __m256i high23 = _mm256_unpackhi_epi32(from[2], from[3]);
    to[0] = _mm256_unpacklo_epi64(low01, low23);
    to[1] = _mm256_unpackhi_epi64(low01, low23);
    to[2] = _mm256_unpacklo_epi64(high01, high23);
    to[3] = _mm256_unpackhi_epi64(high01, high23);
}
#endif

#endif
