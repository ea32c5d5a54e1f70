/* wl_interpolate of all lanes. */
#ifndef WL_SIM_EXEC_INTERPOLATE_H
#define WL_SIM_EXEC_INTERPOLATE_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/lanes.h"
#include "warp/approximate.h"

struct lane_words {
    u32 of[WL_LANES] __attribute__((aligned(64)));
};

#ifdef __AVX2__
#ifdef __AVX512BW__
#define VECTOR_BYTES 64
#define VECTOR(name) _mm512_##name
typedef __m512i vector;
#else
#define VECTOR_BYTES 32
#define VECTOR(name) _mm256_##name
typedef __m256i vector;
#endif
typedef u32 word_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef s32 signed_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t half_vector __attribute__((vector_size(VECTOR_BYTES)));
enum { VECTOR_LANES = VECTOR_BYTES / 4 };

static inline half_vector high_products(half_vector a, half_vector b)
{
    return (half_vector)VECTOR(mulhi_epu16)((vector)a, (vector)b);
}

/* The bits of one of wl_square_masks. */
static inline half_vector masked(half_vector of, int mask)
{
    return (half_vector)((word_vector)of &
                         (word_vector)VECTOR(set1_epi32)((s32)wl_square_masks[mask]));
}

/* The squares of places whose bits from the second on these are. The upper eight are multiplied by
 * each other, and what is in columns that count of the next seven by the upper seven, two bits at
 * a time. */
static inline half_vector squares_of(half_vector places)
{
    const half_vector high = masked(places, 0), low = places << 2;
    return high_products(high, high + high) + high_products(masked(low, 1), masked(places, 2)) +
           high_products(masked(low, 3), masked(places, 4)) +
           high_products(masked(low, 5), masked(places, 6)) +
           high_products(masked(low, 7), masked(places, 8));
}

struct segments {
    word_vector starts, rests;
};

#ifdef __AVX512BW__
static inline __m512i look_up_64(const u32 *table, __m512i number, __mmask16 is_upper)
{
    const __m512i lower =
        _mm512_permutex2var_epi32(_mm512_load_si512(table), number, _mm512_load_si512(table + 16));
    const __m512i upper = _mm512_permutex2var_epi32(_mm512_load_si512(table + 32), number,
                                                    _mm512_load_si512(table + 48));
    return _mm512_mask_blend_epi32(is_upper, lower, upper);
}

static inline __attribute__((always_inline)) word_vector look_up_words(const u32 *table, u32 count,
                                                                       __m512i number)
{
    const __mmask16 is_upper = _mm512_test_epi32_mask(number, _mm512_set1_epi32(32));
    __m512i found = look_up_64(table, number, is_upper);
    if (count > 64)
        found = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(number, _mm512_set1_epi32(64)),
                                        found, look_up_64(table + 64, number, is_upper));
    return (word_vector)found;
}

static inline __attribute__((always_inline)) struct segments
segments_of(const struct wl_interpolation by, const u32 *places)
{
    const __m512i number = _mm512_srli_epi32(_mm512_load_si512(places), WL_PLACE_BITS);
    return (struct segments){look_up_words(by.starts, by.count, number),
                             look_up_words(by.rests, by.count, number)};
}
#else
/* Of two places: one by one is faster than a gather of the host. */
static inline __m128i two_segments(const u64 *segments, const u32 *places)
{
    u64 both;
    memcpy(&both, places, sizeof both);
    const void *first = segments + ((u32)both >> WL_PLACE_BITS),
               *second = segments + (both >> (32 + WL_PLACE_BITS));
    return (__m128i)_mm_loadh_pi((__m128)_mm_loadl_epi64(first), second);
}

static inline __m256i load_segments(const u64 *segments, const u32 *places)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(two_segments(segments, places)),
                                   two_segments(segments, places + 4), 1);
}

static inline __attribute__((always_inline)) struct segments
segments_of(const struct wl_interpolation by, const u32 *places)
{
    const __m256 first = (__m256)load_segments(by.segments, places),
                 other = (__m256)load_segments(by.segments, places + 2);
    return (struct segments){(word_vector)_mm256_shuffle_ps(first, other, 0x88),
                             (word_vector)_mm256_shuffle_ps(first, other, 0xdd)};
}
#endif

/* A place is made of seven bits and ten, so that no product has more than 32. */
static inline __attribute__((always_inline)) void
interpolate_vector(const struct wl_interpolation by, const u32 *places, vector square, u32 *whole,
                   u32 *behind)
{
    const word_vector place = *(const word_vector *)(const void *)places;
    const struct segments of = segments_of(by, places);
    const vector curve = (vector)(of.rests & ((1u << by.curve_bits) - 1));
    const word_vector bent = (word_vector)VECTOR(madd_epi16)(curve, square);
    const word_vector slope = (word_vector)((signed_vector)of.rests >> (int)by.curve_bits);
    const word_vector upper = of.starts + slope * (place >> 10 & 0x7f);
    const word_vector straight = slope * (place & 0x3ff) + (u32)by.bias;
    const word_vector lower = by.bends_down ? straight - bent : straight + bent;
    *(word_vector *)(void *)whole =
        (upper + (word_vector)((signed_vector)lower >> 10)) >> (by.point - 10);
    *(word_vector *)(void *)behind = ((upper << 10) + lower) & ((1u << by.point) - 1);
}

/* Of the lanes of two vectors. */
static inline __attribute__((always_inline)) void
interpolate_two(const struct wl_interpolation by, const u32 *places, u32 *whole, u32 *behind)
{
    const word_vector *of = (const word_vector *)(const void *)places;
    const half_vector square = squares_of((half_vector)VECTOR(packus_epi32)(
        (vector)(of[0] >> 2 & 0x7fff), (vector)(of[1] >> 2 & 0x7fff)));
    const vector low = VECTOR(unpacklo_epi16)((vector)square, (vector)square);
    const vector high = VECTOR(unpackhi_epi16)((vector)square, (vector)square);
    interpolate_vector(by, places, low, whole, behind);
    interpolate_vector(by, places + VECTOR_LANES, high, whole + VECTOR_LANES,
                       behind + VECTOR_LANES);
}
#endif

/* Whether _usual alone gives the results of all lanes. */
static inline bool are_usual(const struct wl_usual usual, const f32 *of)
{
#ifdef __AVX2__
    vector worst = (vector)(word_vector){0};
    for (int i = 0; i < WL_LANES; i += VECTOR_LANES) {
        const word_vector bits = *(const word_vector *)(const void *)(of + i);
        worst = VECTOR(max_epu32)(worst, (vector)((bits & usual.mask) - usual.first));
    }
    const vector most = VECTOR(set1_epi32)((s32)(usual.count - 1));
#ifdef __AVX512BW__
    return !_mm512_cmpgt_epu32_mask(worst, most);
#else
    const __m256i is_within = _mm256_cmpeq_epi32(_mm256_max_epu32(worst, most), most);
    return _mm256_movemask_epi8(is_within) == -1;
#endif
#else
    u32 is_other = 0;
    for (int i = 0; i < WL_LANES; i++)
        is_other |= (wl_bits_of_f32(of[i]) & usual.mask) - usual.first >= usual.count;
    return !is_other;
#endif
}

/* whole: in the last place; behind: the bits behind it. */
static inline __attribute__((always_inline)) void interpolate(const struct wl_interpolation by,
                                                              const struct lane_words *places,
                                                              struct lane_words *whole,
                                                              struct lane_words *behind)
{
#ifdef __AVX2__
    for (int i = 0; i < WL_LANES; i += 2 * VECTOR_LANES)
        interpolate_two(by, places->of + i, whole->of + i, behind->of + i);
#else
    for (int i = 0; i < WL_LANES; i++) {
        const s64 value = wl_interpolate(&by, places->of[i]);
        whole->of[i] = (u32)(value >> by.point);
        behind->of[i] = (u32)value & ((1u << by.point) - 1);
    }
#endif
}

/* Words of a table of 16. */
static inline void look_up(const u32 table[16], const struct lane_words *numbers,
                           struct lane_words *words)
{
#ifdef __AVX512BW__
    const __m512i all = _mm512_load_si512(table);
    for (int i = 0; i < WL_LANES; i += VECTOR_LANES)
        _mm512_store_si512(words->of + i,
                           _mm512_permutexvar_epi32(_mm512_load_si512(numbers->of + i), all));
#elif defined(__AVX2__)
    const __m256i *eights = (const __m256i *)(const void *)table;
    const __m256i low = _mm256_load_si256(eights), high = _mm256_load_si256(eights + 1);
    for (int i = 0; i < WL_LANES; i += VECTOR_LANES) {
        const __m256i number = *(const __m256i *)(const void *)(numbers->of + i);
        const __m256 from_low = (__m256)_mm256_permutevar8x32_epi32(low, number),
                     from_high = (__m256)_mm256_permutevar8x32_epi32(high, number);
        *(__m256 *)(void *)(words->of + i) =
            _mm256_blendv_ps(from_low, from_high, (__m256)_mm256_slli_epi32(number, 28));
    }
#else
    for (int i = 0; i < WL_LANES; i++)
        words->of[i] = table[numbers->of[i]];
#endif
}

#endif
