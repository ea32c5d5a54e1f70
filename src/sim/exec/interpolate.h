/* wl_interpolate of all lanes. */
#ifndef WL_SIM_EXEC_INTERPOLATE_H
#define WL_SIM_EXEC_INTERPOLATE_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/lanes.h"
#include "warp/interpolation.h"

struct lane_words {
    u32 of[WL_LANES] __attribute__((aligned(64)));
};

#ifdef __AVX2__
static inline __m256i load_words(const u32 *words)
{
    return _mm256_load_si256((const __m256i *)(const void *)words);
}

static inline void store_words(u32 *words, __m256i values)
{
    _mm256_store_si256((__m256i *)(void *)words, values);
}

/* Bytes of words that are no more than 255. */
static inline __m256i bytes_of(const __m256i words[4])
{
    const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(words[0], words[1]),
                                               _mm256_packus_epi32(words[2], words[3]));
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* What the bits 2 to 8 of each place add to its square: at most 247. */
static inline __m256i low_squares(const struct lane_words *places)
{
    __m256i lows[4], highs[4];
    for (int i = 0; i < 4; i++) {
        const __m256i place = load_words(places->of + 8 * i);
        lows[i] = _mm256_and_si256(_mm256_srli_epi32(place, 2), _mm256_set1_epi32(0x7f));
        highs[i] = _mm256_and_si256(_mm256_srli_epi32(place, 10), _mm256_set1_epi32(0x7f));
    }
    const __m256i low = bytes_of(lows), high = bytes_of(highs);
    __m256i sum = _mm256_setzero_si256();
    for (int bit = 0; bit < 7; bit++) {
        const __m256i wanted = _mm256_set1_epi8((char)(1 << bit));
        const __m256i shifted = _mm256_and_si256(_mm256_srli_epi16(high, 6 - bit),
                                                 _mm256_set1_epi8((char)(0x7f >> (6 - bit))));
        const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(low, wanted), wanted);
        sum = _mm256_add_epi8(sum, _mm256_and_si256(is_set, shifted));
    }
    return sum;
}

/* The segments of eight places: their low words, and their high ones. */
static inline void load_segments(const u64 *segments, __m256i places, __m256i *starts,
                                 __m256i *rests)
{
    const __m256i numbers =
        _mm256_permute4x64_epi64(_mm256_srli_epi32(places, WL_PLACE_BITS), 0xd8);
    const long long *from = (const long long *)(const void *)segments;
    const __m256i first = _mm256_i32gather_epi64(from, _mm256_castsi256_si128(numbers), 8);
    const __m256i second = _mm256_i32gather_epi64(from, _mm256_extracti128_si256(numbers, 1), 8);
    const __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
    *starts = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    *rests = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
}

/* Of eight lanes. The product of slope and place has 35 bits and is made of two. */
static inline __attribute__((always_inline)) void
interpolate_eight(const struct wl_interpolation by, __m256i places, __m256i low_square,
                  __m256i *whole, __m256i *behind)
{
    const __m256i x = _mm256_and_si256(places, _mm256_set1_epi32(WL_PLACE_MASK));
    const __m256i high = _mm256_srli_epi32(x, 9);
    __m256i starts, rests;
    load_segments(by.segments, places, &starts, &rests);
    const __m256i even = _mm256_sub_epi32(_mm256_mullo_epi16(high, high),
                                          _mm256_and_si256(high, _mm256_set1_epi32(1)));
    const __m256i square = _mm256_add_epi32(_mm256_srli_epi32(even, 1), low_square);
    const __m256i curve = _mm256_and_si256(rests, _mm256_set1_epi32(0xfff));
    const __m256i bent = _mm256_slli_epi32(_mm256_madd_epi16(curve, square), (int)by.curve_shift);
    const __m256i slope = _mm256_srai_epi32(rests, 12);
    const __m256i upper = _mm256_mullo_epi32(slope, _mm256_srli_epi32(x, 8));
    const __m256i lower = _mm256_mullo_epi32(slope, _mm256_and_si256(x, _mm256_set1_epi32(0xff)));
    const __m256i carried = _mm256_slli_epi32(_mm256_and_si256(upper, _mm256_set1_epi32(0x1ff)), 8);
    const __m256i part = _mm256_and_si256(starts, _mm256_set1_epi32((1 << by.start_bits) - 1));
    const __m256i fraction = _mm256_add_epi32(
        _mm256_slli_epi32(part, (int)(WL_PLACE_BITS - by.start_bits)), _mm256_set1_epi32(by.bias));
    const __m256i straight = _mm256_add_epi32(_mm256_add_epi32(fraction, carried), lower);
    const __m256i sum =
        by.bends_down ? _mm256_sub_epi32(straight, bent) : _mm256_add_epi32(straight, bent);
    *whole = _mm256_add_epi32(_mm256_add_epi32(_mm256_srli_epi32(starts, (int)by.start_bits),
                                               _mm256_srai_epi32(upper, 9)),
                              _mm256_srai_epi32(sum, WL_PLACE_BITS));
    *behind = _mm256_and_si256(sum, _mm256_set1_epi32(WL_PLACE_MASK));
}
#endif

/* whole: in the last place; behind: the 17 bits behind it. */
static inline __attribute__((always_inline)) void interpolate(const struct wl_interpolation by,
                                                              const struct lane_words *places,
                                                              struct lane_words *whole,
                                                              struct lane_words *behind)
{
#ifdef __AVX2__
    uint8_t squares[WL_LANES] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i *)(void *)squares, low_squares(places));
    for (int i = 0; i < WL_LANES; i += 8) {
        const __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(squares + i));
        __m256i wholes, behinds;
        interpolate_eight(by, load_words(places->of + i), _mm256_cvtepu8_epi32(eight), &wholes,
                          &behinds);
        store_words(whole->of + i, wholes);
        store_words(behind->of + i, behinds);
    }
#else
    for (int i = 0; i < WL_LANES; i++) {
        const s64 value = wl_interpolate(&by, places->of[i]);
        whole->of[i] = (u32)(value >> WL_PLACE_BITS);
        behind->of[i] = (u32)value & WL_PLACE_MASK;
    }
#endif
}

#endif
