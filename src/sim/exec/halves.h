/* Matrix products of 16-bit floating-point factors, 16 rows at a time in vectors: the sums of
 * matrix.c, to the bit. Only where the processor has AVX-512. */
#ifndef WL_SIM_EXEC_HALVES_H
#define WL_SIM_EXEC_HALVES_H

#ifdef __AVX512F__
#include <immintrin.h>

#include "sim/exec/lanes.h"
#include "warp/op.h"

#define HALVES_ROWS 16
#define HALVES_COLUMNS 8 /* done at once */
#define HALVES_COLUMNS_MAX 16
#define HALVES_K_MAX 16
#define HALVES_FRACTION_BITS 25 /* that addends keep below the greatest exponent */
/* Exponents are bytes; those of bf16 go farther, but rarely. */
#define HALVES_EXPONENT_MAX 30
#define HALVES_ZERO (-128)     /* the exponent of 0: below all sums of two others */
#define HALVES_SUM_LEAST (-60) /* of two exponents */

#define HALVES_INLINE \
    static inline __attribute__((always_inline)) /* shapes are constants in them */

/* A multiplication of HALVES_ROWS rows. Registers in the order of matrix.c's lists. */
struct halves {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    u32 n;
    bool c_is_half, d_is_half;
    u32 far; /* not 0: something is infinite, NaN or too far from 1 and goes the long way */
    float a_value[HALVES_K_MAX][HALVES_ROWS] __attribute__((aligned(64)));
    int8_t a_exponent[HALVES_K_MAX][HALVES_ROWS] __attribute__((aligned(64)));
    /* of 8 columns: [k / 8][column][k % 8] */
    float b_value[HALVES_K_MAX / 8][HALVES_COLUMNS][8] __attribute__((aligned(64)));
    int8_t b_exponent[HALVES_K_MAX / 8][HALVES_COLUMNS * 8] __attribute__((aligned(64)));
    int8_t highest[HALVES_COLUMNS][HALVES_ROWS] __attribute__((aligned(64)));
    __m512i sum[HALVES_COLUMNS_MAX]; /* results by column: single precision, or halves */
};

/* The registers of rows 0 to 7 and 8 to 15, where lane 4 * row + q has column q: by columns. */
HALVES_INLINE void halves_by_columns(const u32 *upper, const u32 *lower, __m512i column[4])
{
    const __m512i first =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    const __m512i u0 = _mm512_load_si512(upper), u1 = _mm512_load_si512(upper + 16);
    const __m512i l0 = _mm512_load_si512(lower), l1 = _mm512_load_si512(lower + 16);
    const __m512i u01 = _mm512_permutex2var_epi32(u0, first, u1);
    const __m512i u23 = _mm512_permutex2var_epi32(u0, second, u1);
    const __m512i l01 = _mm512_permutex2var_epi32(l0, first, l1);
    const __m512i l23 = _mm512_permutex2var_epi32(l0, second, l1);
    column[0] = _mm512_shuffle_i64x2(u01, l01, 0x44);
    column[1] = _mm512_shuffle_i64x2(u01, l01, 0xee);
    column[2] = _mm512_shuffle_i64x2(u23, l23, 0x44);
    column[3] = _mm512_shuffle_i64x2(u23, l23, 0xee);
}

/* The other way. */
HALVES_INLINE void halves_to_lanes(const __m512i column[4], u32 *upper, u32 *lower)
{
    const __m512i first =
        _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
    const __m512i u01 = _mm512_shuffle_i64x2(column[0], column[1], 0x44);
    const __m512i l01 = _mm512_shuffle_i64x2(column[0], column[1], 0xee);
    const __m512i u23 = _mm512_shuffle_i64x2(column[2], column[3], 0x44);
    const __m512i l23 = _mm512_shuffle_i64x2(column[2], column[3], 0xee);
    _mm512_store_si512(upper, _mm512_permutex2var_epi32(u01, first, u23));
    _mm512_store_si512(upper + 16, _mm512_permutex2var_epi32(u01, second, u23));
    _mm512_store_si512(lower, _mm512_permutex2var_epi32(l01, first, l23));
    _mm512_store_si512(lower + 16, _mm512_permutex2var_epi32(l01, second, l23));
}

HALVES_INLINE __m512 halves_widen(__m256i bits, bool is_bfloat)
{
    return is_bfloat ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))
                     : _mm512_cvtph_ps(bits);
}

/* The exponents of 16 factors; notes those that cannot be done here. */
HALVES_INLINE __m128i halves_exponents(struct halves *self, __m256i bits, bool is_bfloat)
{
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi16(0x7fff));
    const __m256i biased =
        is_bfloat ? _mm256_srli_epi16(magnitude, 7) : _mm256_srli_epi16(magnitude, 10);
    const __mmask16 is_zero = _mm256_testn_epi16_mask(magnitude, magnitude);
    const s32 bias = is_bfloat ? 127 : 15;
    __m256i exponent = _mm256_sub_epi16(_mm256_max_epi16(biased, _mm256_set1_epi16(1)),
                                        _mm256_set1_epi16((short)bias));
    const __mmask16 is_far = is_bfloat
                                 ? _mm256_cmpgt_epi16_mask(_mm256_abs_epi16(exponent),
                                                           _mm256_set1_epi16(HALVES_EXPONENT_MAX))
                                 : _mm256_cmpeq_epi16_mask(biased, _mm256_set1_epi16(31));
    self->far |= (u32)(is_far & ~is_zero);
    exponent = _mm256_mask_mov_epi16(exponent, is_zero, _mm256_set1_epi16(HALVES_ZERO));
    return _mm256_cvtepi16_epi8(exponent);
}

HALVES_INLINE void halves_read_a(struct halves *self, u32 depth, bool is_bfloat)
{
    for (u32 block = 0; block < depth / 8; block++) {
        __m512i pair[4];
        halves_by_columns(lane_register(self->warp, self->a[2 * block]),
                          lane_register(self->warp, self->a[2 * block + 1]), pair);
        for (u32 i = 0; i < 8; i++) {
            const __m512i moved = i & 1 ? _mm512_srli_epi32(pair[i / 2], 16) : pair[i / 2];
            const __m256i bits = _mm512_cvtepi32_epi16(moved);
            const u32 k = 8 * block + i;
            _mm512_store_ps(self->a_value[k], halves_widen(bits, is_bfloat));
            _mm_store_si128((__m128i *)self->a_exponent[k],
                            halves_exponents(self, bits, is_bfloat));
        }
    }
}

/* Columns [8 * block, 8 * block + 8): a register has them one after the other, by k. */
HALVES_INLINE void halves_read_b(struct halves *self, u32 block, u32 depth, bool is_bfloat)
{
    for (u32 k = 0; k < depth / 8; k++) {
        const u32 *lanes = lane_register(self->warp, self->b[block * (depth / 8) + k]);
        float *value = self->b_value[k][0];
        for (u32 i = 0; i < 4; i++) {
            const __m256i bits = _mm256_load_si256((const __m256i *)(const void *)(lanes + 8 * i));
            _mm512_store_ps(value + 16 * i, halves_widen(bits, is_bfloat));
            _mm_store_si128((__m128i *)(void *)(self->b_exponent[k] + 16 * i),
                            halves_exponents(self, bits, is_bfloat));
        }
    }
}

/* Of all products of an element, the greatest sum of the factors' exponents. */
HALVES_INLINE void halves_find_highest(struct halves *self, u32 depth)
{
    const __m512i odd_lanes = _mm512_set_epi64(0x0808080808080808, 0x0808080808080808, 0, 0,
                                               0x0808080808080808, 0x0808080808080808, 0, 0);
    __m512i most[2] = {_mm512_set1_epi8(HALVES_ZERO), _mm512_set1_epi8(HALVES_ZERO)};
    for (u32 block = 0; block < depth / 8; block++) {
        const __m512i all = _mm512_load_si512(self->b_exponent[block]);
        const __m512i columns[2] = {_mm512_shuffle_i64x2(all, all, 0x50),
                                    _mm512_shuffle_i64x2(all, all, 0xfa)};
        for (u32 i = 0; i < 8; i++) {
            const __m512i from = _mm512_add_epi8(odd_lanes, _mm512_set1_epi8((char)i));
            const __m512i a = _mm512_broadcast_i32x4(
                _mm_load_si128((const __m128i *)self->a_exponent[8 * block + i]));
            for (u32 half = 0; half < 2; half++)
                most[half] = _mm512_max_epi8(
                    most[half], _mm512_adds_epi8(a, _mm512_shuffle_epi8(columns[half], from)));
        }
    }
    _mm512_store_si512(self->highest[0], most[0]);
    _mm512_store_si512(self->highest[4], most[1]);
}

/* The addends C of 8 columns, as single precision. */
HALVES_INLINE void halves_read_c(struct halves *self, u32 block, __m512 addend[HALVES_COLUMNS])
{
    const struct wl_warp *warp = self->warp;
    __m512i column[4];
    for (u32 parity = 0; parity < 2; parity++) {
        if (self->c_is_half)
            halves_by_columns(lane_register(warp, self->c[2 * block]),
                              lane_register(warp, self->c[2 * block + 1]), column);
        else
            halves_by_columns(lane_register(warp, self->c[4 * block + parity]),
                              lane_register(warp, self->c[4 * block + 2 + parity]), column);
        for (u32 q = 0; q < 4; q++) {
            const __m512i moved = parity ? _mm512_srli_epi32(column[q], 16) : column[q];
            addend[2 * q + parity] = self->c_is_half ? _mm512_cvtph_ps(_mm512_cvtepi32_epi16(moved))
                                                     : _mm512_castsi512_ps(column[q]);
        }
    }
    const __m512i top = _mm512_set1_epi32(0x7f800000);
    for (u32 i = 0; i < HALVES_COLUMNS; i++)
        self->far |= _mm512_cmpeq_epi32_mask(_mm512_and_si512(_mm512_castps_si512(addend[i]), top),
                                             top) != 0;
}

/* 2 to the power of each lane, which lies well within single precision. */
HALVES_INLINE __m512 halves_power(__m512i exponent)
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_add_epi32(exponent, _mm512_set1_epi32(127)), 23));
}

/* To single precision toward zero, or to halves; times 2^unit. */
HALVES_INLINE __m512i halves_round(const struct halves *self, __m512i sum, __m512 unit,
                                   __mmask16 is_addend, __m512 addend)
{
    __m512 cut = _mm512_cvt_roundepi32_ps(sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    if (self->d_is_half) { /* rounded to odd it can be rounded once more */
        const __mmask16 is_cut = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), sum);
        const __m512i bits = _mm512_castps_si512(cut);
        cut = _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, is_cut, bits, _mm512_set1_epi32(1)));
    }
    __m512 value = _mm512_mul_ps(cut, unit);
    value = _mm512_mask_add_ps(value, is_addend, addend, _mm512_setzero_ps());
    return self->d_is_half ? _mm512_cvtepu16_epi32(_mm512_cvtps_ph(
                                 value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
                           : _mm512_castps_si512(value);
}

/* Eight products of each of 16 elements, in units of 1 / scale and cut off there. */
HALVES_INLINE __m512i halves_add_products(const struct halves *self, u32 block, u32 column,
                                          __m512 scale)
{
    __m512i sum = _mm512_setzero_si512();
    for (u32 i = 0; i < 8; i++) {
        const __m512 product = _mm512_mul_ps(_mm512_load_ps(self->a_value[8 * block + i]),
                                             _mm512_set1_ps(self->b_value[block][column][i]));
        sum = _mm512_add_epi32(sum, _mm512_cvttps_epi32(_mm512_mul_ps(product, scale)));
    }
    return sum;
}

/* One column of 16 sums. False: a sum does not fit in 32 bits. */
HALVES_INLINE bool halves_add_column(struct halves *self, u32 depth, u32 column, __m512 addend,
                                     __m512i *result)
{
    const __m512i products =
        _mm512_cvtepi8_epi32(_mm_load_si128((const __m128i *)self->highest[column]));
    const __mmask16 is_addend =
        _mm512_cmplt_epi32_mask(products, _mm512_set1_epi32(HALVES_SUM_LEAST));
    const __m512i bits = _mm512_castps_si512(addend);
    const __m512i biased = _mm512_and_si512(_mm512_srli_epi32(bits, 23), _mm512_set1_epi32(255));
    __m512i exponent = _mm512_sub_epi32(biased, _mm512_set1_epi32(127));
    exponent = _mm512_max_epi32(exponent, products);
    exponent = _mm512_max_epi32(exponent, _mm512_set1_epi32(HALVES_SUM_LEAST));
    const __m512i fraction_bits = _mm512_set1_epi32(HALVES_FRACTION_BITS);
    const __m512 scale = halves_power(_mm512_sub_epi32(fraction_bits, exponent));
    const __m512 unit = halves_power(_mm512_sub_epi32(exponent, fraction_bits));
    const __m512i near = _mm512_add_epi32(_mm512_cvttps_epi32(_mm512_mul_ps(addend, scale)),
                                          halves_add_products(self, 0, column, scale));
    const __m512i rest =
        depth > 8 ? halves_add_products(self, 1, column, scale) : _mm512_setzero_si512();
    const __m512i total = _mm512_add_epi32(near, rest);
    const __m512i wraps =
        _mm512_and_si512(_mm512_xor_si512(near, total), _mm512_xor_si512(rest, total));
    *result = halves_round(self, total, unit, is_addend, addend);
    return _mm512_movepi32_mask(wraps) == 0;
}

HALVES_INLINE void halves_write(const struct halves *self, u32 block)
{
    const __m512i *sum = self->sum + HALVES_COLUMNS * block;
    __m512i column[4];
    if (self->d_is_half) {
        for (u32 q = 0; q < 4; q++)
            column[q] = _mm512_or_si512(sum[2 * q], _mm512_slli_epi32(sum[2 * q + 1], 16));
        halves_to_lanes(column, lane_register(self->warp, self->d[2 * block]),
                        lane_register(self->warp, self->d[2 * block + 1]));
        return;
    }
    for (u32 parity = 0; parity < 2; parity++) {
        for (u32 q = 0; q < 4; q++)
            column[q] = sum[2 * q + parity];
        halves_to_lanes(column, lane_register(self->warp, self->d[4 * block + parity]),
                        lane_register(self->warp, self->d[4 * block + 2 + parity]));
    }
}

HALVES_INLINE bool halves_multiply_as(struct halves *self, u32 depth, bool is_bfloat)
{
    halves_read_a(self, depth, is_bfloat);
    for (u32 block = 0; block < self->n / HALVES_COLUMNS; block++) {
        __m512 addend[HALVES_COLUMNS];
        halves_read_b(self, block, depth, is_bfloat);
        halves_read_c(self, block, addend);
        if (self->far)
            return false;
        halves_find_highest(self, depth);
        bool fits = true;
        for (u32 i = 0; i < HALVES_COLUMNS; i++)
            fits &= halves_add_column(self, depth, i, addend[i],
                                      &self->sum[HALVES_COLUMNS * block + i]);
        if (!fits)
            return false;
    }
    for (u32 block = 0; block < self->n / HALVES_COLUMNS; block++)
        halves_write(self, block);
    return true;
}

/* D = A B + C of a whole warp; 16 rows, n of 8 or 16, k (depth) of 8 or 16. False: nothing was
 * written, and it must be done the long way. */
static inline bool halves_multiply(struct halves *self, u32 depth, bool is_bfloat)
{
    if (is_bfloat)
        return depth == 8 ? halves_multiply_as(self, 8, true) : halves_multiply_as(self, 16, true);
    return depth == 8 ? halves_multiply_as(self, 8, false) : halves_multiply_as(self, 16, false);
}

#endif
#endif
