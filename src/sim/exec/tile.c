#include "sim/exec/tile.h"

#include "sim/exec/lanes.h"
#include "sim/exec/turn.h"

#ifdef __AVX2__
#define TILE_INLINE                                                               \
    static inline __attribute__((always_inline)) /* formats are constants in them \
                                                  */

/* Value i of each word, in single precision. */
TILE_INLINE __m256 tile_value(__m256i words, u32 i, enum wl_matrix_format format)
{
    __m256i bits = words;
    switch (format) {
    case WL_FORMAT_F16: /* its exponent is biased by 112 less */
        bits = i ? bits : _mm256_slli_epi32(bits, 16);
        bits = _mm256_and_si256(_mm256_srai_epi32(bits, 3), _mm256_set1_epi32((s32)0x8fffe000));
        return _mm256_mul_ps(_mm256_castsi256_ps(bits), _mm256_set1_ps(0x1p112f));
    case WL_FORMAT_BF16:
        bits = i ? _mm256_and_si256(bits, _mm256_set1_epi32((s32)0xffff0000))
                 : _mm256_slli_epi32(bits, 16);
        return _mm256_castsi256_ps(bits);
    case WL_FORMAT_TF32:
        return _mm256_castsi256_ps(_mm256_and_si256(bits, _mm256_set1_epi32((s32)0xffffe000)));
    case WL_FORMAT_S8:
        bits = _mm256_slli_epi32(bits, (s32)(24 - 8 * i));
        return _mm256_cvtepi32_ps(_mm256_srai_epi32(bits, 24));
    default:
        bits = _mm256_srli_epi32(bits, (s32)(8 * i));
        return _mm256_cvtepi32_ps(_mm256_and_si256(bits, _mm256_set1_epi32(255)));
    }
}

/* The exponents of the values of each word; notes those that cannot be done here. */
TILE_INLINE __m256i tile_exponents(struct tile *self, __m256i words, enum wl_matrix_format format)
{
    const bool is_half = format == WL_FORMAT_F16, is_word = format == WL_FORMAT_TF32;
    if (is_word) /* as bf16 in the lower half, which keeps 0 apart; the upper one has none */
        words = _mm256_or_si256(
            _mm256_srli_epi32(words, 16),
            _mm256_srli_epi32(_mm256_and_si256(words, _mm256_set1_epi32(0xe000)), 13));
    const __m256i magnitude =
        _mm256_and_si256(words, is_word ? _mm256_set1_epi32(0x7fff) : _mm256_set1_epi16(0x7fff));
    const __m256i is_zero = _mm256_cmpeq_epi16(magnitude, _mm256_setzero_si256());
    const __m256i biased =
        is_half ? _mm256_max_epi16(_mm256_srli_epi16(magnitude, 10), _mm256_set1_epi16(1))
                : _mm256_srli_epi16(magnitude, 7);
    const __m256i exponent = _mm256_sub_epi16(biased, _mm256_set1_epi16(is_half ? 15 : 127));
    const __m256i is_far = _mm256_cmpgt_epi16(_mm256_abs_epi16(exponent),
                                              _mm256_set1_epi16(is_half ? 15 : TILE_EXPONENT_MAX));
    self->far = _mm256_or_si256(self->far, _mm256_andnot_si256(is_zero, is_far));
    return _mm256_blendv_epi8(exponent, _mm256_set1_epi16(TILE_ZERO), is_zero);
}

/* Word q of each row in all lanes of the row. */
#define TILE_SPREAD(to, from, q)   \
    (to)[q] = _mm256_castsi256_ps( \
        _mm256_shuffle_epi32(_mm256_castps_si256(from), (q) | (q) << 2 | (q) << 4 | (q) << 6))
#define TILE_SPREAD_ALL(to, from) \
    TILE_SPREAD(to, from, 0);     \
    TILE_SPREAD(to, from, 1);     \
    TILE_SPREAD(to, from, 2);     \
    TILE_SPREAD(to, from, 3)

TILE_INLINE void tile_read_a(struct tile *self, enum wl_matrix_format format)
{
    const u32 per = 32 / wl_matrix_format_bits(format), words = self->k / per;
    __m256 spread[4];
    for (u32 r = 0; r < self->row_blocks * (words / 4); r++) {
        const __m256i *lanes = lane_register(self->warp, self->a[r]);
        const u32 block = r % self->row_blocks, word = r / self->row_blocks * 4;
        for (u32 v = 0; v < TILE_VECTORS; v++) {
            for (u32 i = 0; i < per; i++) {
                TILE_SPREAD_ALL(spread, tile_value(lanes[v], i, format));
                for (u32 q = 0; q < 4; q++)
                    self->a_value[block * self->k + (word + q) * per + i][v] = spread[q];
            }
            if (!tile_is_float(format))
                continue;
            TILE_SPREAD_ALL(spread, _mm256_castsi256_ps(tile_exponents(self, lanes[v], format)));
            for (u32 q = 0; q < 4; q++)
                self->a_exponent[block * words + word + q][v] = _mm256_castps_si256(spread[q]);
        }
    }
}

TILE_INLINE void tile_spread_columns(__m256i to[2], __m256i columns)
{
    to[0] = _mm256_permute2x128_si256(columns, columns, 0x00);
    to[1] = _mm256_permute2x128_si256(columns, columns, 0x11);
}

TILE_INLINE void tile_read_b(struct tile *self, enum wl_matrix_format format)
{
    const u32 per = 32 / wl_matrix_format_bits(format), words = self->k / per;
    for (u32 r = 0; r < self->column_blocks * (words / 4); r++) {
        __m256i word[4], spread[2]; /* word q of columns 0, 2, 4, 6 and 1, 3, 5, 7 */
        turn_quads(lane_register(self->warp, self->b[r]), word);
        for (u32 q = 0; q < 4; q++) {
            for (u32 i = 0; i < per; i++) {
                tile_spread_columns(spread, _mm256_castps_si256(tile_value(word[q], i, format)));
                for (u32 parity = 0; parity < 2; parity++)
                    self->b_value[(4 * r + q) * per + i][parity] =
                        _mm256_castsi256_ps(spread[parity]);
            }
            if (tile_is_float(format))
                tile_spread_columns(self->b_exponent[4 * r + q],
                                    tile_exponents(self, word[q], format));
        }
    }
}

/* The greatest sum of two factors' exponents of the words' products. */
TILE_INLINE void tile_find_highest(__m256i (*a)[TILE_VECTORS], __m256i (*b)[2], u32 words,
                                   u32 parity, __m256i *highest)
{
    __m256i most[TILE_VECTORS];
    for (u32 v = 0; v < TILE_VECTORS; v++)
        most[v] = _mm256_set1_epi16(2 * TILE_ZERO);
    for (u32 w = 0; w < words; w++)
        for (u32 v = 0; v < TILE_VECTORS; v++)
            most[v] = _mm256_max_epi16(most[v], _mm256_add_epi16(a[w][v], b[w][parity]));
    for (u32 v = 0; v < TILE_VECTORS; v++)
        highest[v] = _mm256_max_epi32(_mm256_srai_epi32(most[v], 16),
                                      _mm256_srai_epi32(_mm256_slli_epi32(most[v], 16), 16));
}

/* 2 to the power of each lane, which lies well within single precision. */
TILE_INLINE __m256 tile_power(__m256i exponent)
{
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
}

/* Adds products of single precision times scale, each cut off. */
TILE_INLINE void tile_add_products(__m256 (*a)[TILE_VECTORS], __m256 (*b)[2], u32 count, u32 parity,
                                   const __m256 *scale, __m256i *sum)
{
    for (u32 k = 0; k < count; k++)
        for (u32 v = 0; v < TILE_VECTORS; v++) {
            const __m256 product = _mm256_mul_ps(a[k][v], b[k][parity]);
            sum[v] =
                _mm256_add_epi32(sum[v], _mm256_cvttps_epi32(_mm256_mul_ps(product, scale[v])));
        }
}

/* The sum as single precision toward zero, or so that it can be rounded once more; times unit. */
TILE_INLINE __m256 tile_round(__m256i sum, __m256 unit, bool to_odd)
{
    const __m256i magnitude = _mm256_abs_epi32(sum);
    const __m256 nearest = _mm256_cvtepi32_ps(magnitude);
    const __m256i excess = _mm256_sub_epi32(magnitude, _mm256_cvttps_epi32(nearest));
    __m256i bits =
        _mm256_add_epi32(_mm256_castps_si256(nearest), _mm256_srai_epi32(excess, 31)); /* cut */
    if (to_odd) {
        const __m256i is_exact = _mm256_cmpeq_epi32(excess, _mm256_setzero_si256());
        bits = _mm256_or_si256(bits, _mm256_andnot_si256(is_exact, _mm256_set1_epi32(1)));
    }
    const __m256i sign = _mm256_and_si256(sum, _mm256_set1_epi32(INT32_MIN));
    return _mm256_mul_ps(_mm256_castsi256_ps(_mm256_or_si256(bits, sign)), unit);
}

/* Element e of the addends, as single precision. */
TILE_INLINE __m256 tile_addend(const struct tile *self, u32 e, u32 vector)
{
    if (self->c_is_half) {
        const __m256i *lanes = lane_register(self->warp, self->c[e / 2]);
        return tile_value(lanes[vector], e & 1, WL_FORMAT_F16);
    }
    const float *lanes = lane_register(self->warp, self->c[e]);
    return _mm256_load_ps(lanes + 8 * vector);
}

/* One step of an element of the sums. */
TILE_INLINE void tile_add_step(struct tile *self, __m256 (*a)[TILE_VECTORS], __m256 (*b)[2],
                               u32 parity, u32 count, const __m256i *highest, __m256 *value)
{
    const __m256i fraction_bits = _mm256_set1_epi32(TILE_FRACTION_BITS);
    const __m256i least = _mm256_set1_epi32(TILE_SUM_LEAST);
    const __m256i top = _mm256_set1_epi32(self->c_is_half ? 0x47800000 : 0x7f800000);
    __m256i near[TILE_VECTORS], rest[TILE_VECTORS];
    __m256 scale[TILE_VECTORS];
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        const __m256i magnitude =
            _mm256_and_si256(_mm256_castps_si256(value[v]), _mm256_set1_epi32(INT32_MAX));
        self->far = _mm256_or_si256(
            self->far, _mm256_cmpgt_epi32(magnitude, _mm256_sub_epi32(top, _mm256_set1_epi32(1))));
        const __m256i biased = _mm256_srli_epi32(magnitude, 23);
        __m256i exponent = _mm256_sub_epi32(biased, _mm256_set1_epi32(127));
        exponent = _mm256_max_epi32(_mm256_max_epi32(exponent, highest[v]), least);
        scale[v] = tile_power(_mm256_sub_epi32(fraction_bits, exponent));
        near[v] = _mm256_cvttps_epi32(_mm256_mul_ps(value[v], scale[v]));
        rest[v] = _mm256_setzero_si256();
    }
    for (u32 k = 0; k < TILE_SAFE && k < count; k += 4)
        tile_add_products(a + k, b + k, 4, parity, scale, near);
    for (u32 k = TILE_SAFE; k < count; k += 4)
        tile_add_products(a + k, b + k, 4, parity, scale, rest);
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        const __m256i total = _mm256_add_epi32(near[v], rest[v]);
        const __m256i wraps =
            _mm256_and_si256(_mm256_xor_si256(near[v], total), _mm256_xor_si256(rest[v], total));
        self->far = _mm256_or_si256(self->far, _mm256_srai_epi32(wraps, 31));
        const __m256 unit = _mm256_castsi256_ps(
            _mm256_sub_epi32(_mm256_set1_epi32(254 << 23), _mm256_castps_si256(scale[v])));
        const __m256 is_addend = _mm256_castsi256_ps(_mm256_cmpgt_epi32(least, highest[v]));
        value[v] = _mm256_blendv_ps(tile_round(total, unit, self->d_is_half),
                                    _mm256_add_ps(value[v], _mm256_setzero_ps()), is_addend);
    }
}

/* An element of the sums of 8 rows. */
TILE_INLINE void tile_add_floats(struct tile *self, u32 row_block, u32 column_block, u32 parity,
                                 u32 per)
{
    const u32 e = 2 * (column_block * self->row_blocks + row_block) + parity;
    const u32 words = self->step / per;
    __m256 value[TILE_VECTORS];
    __m256i highest[TILE_VECTORS];
    for (u32 v = 0; v < TILE_VECTORS; v++)
        value[v] = tile_addend(self, e, v);
    for (u32 k = 0; k < self->k; k += self->step) {
        const u32 a = row_block * self->k + k, b = column_block * self->k + k;
        tile_find_highest(self->a_exponent + a / per, self->b_exponent + b / per, words, parity,
                          highest);
        tile_add_step(self, self->a_value + a, self->b_value + b, parity, self->step, highest,
                      value);
    }
    for (u32 v = 0; v < TILE_VECTORS; v++)
        self->sum[e][v] =
            self->d_is_half
                ? _mm256_cvtepu16_epi32(_mm256_cvtps_ph(value[v], _MM_FROUND_TO_NEAREST_INT))
                : _mm256_castps_si256(value[v]);
}

/* The same of integers: sums of products are exact in single precision. */
TILE_INLINE void tile_add_integers(struct tile *self, u32 row_block, u32 column_block, u32 parity)
{
    const u32 e = 2 * (column_block * self->row_blocks + row_block) + parity;
    __m256(*a)[TILE_VECTORS] = self->a_value + row_block * self->k;
    __m256(*b)[2] = self->b_value + column_block * self->k;
    const __m256i *c = lane_register(self->warp, self->c[e]);
    __m256 sum[TILE_VECTORS] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                                _mm256_setzero_ps()};
    for (u32 k = 0; k < self->k; k++)
        for (u32 v = 0; v < TILE_VECTORS; v++)
            sum[v] = _mm256_fmadd_ps(a[k][v], b[k][parity], sum[v]);
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        const __m256i products = _mm256_cvttps_epi32(sum[v]);
        __m256i total = _mm256_add_epi32(c[v], products);
        if (self->saturates) {
            const __m256i wraps = _mm256_andnot_si256(_mm256_xor_si256(c[v], products),
                                                      _mm256_xor_si256(c[v], total));
            const __m256i most =
                _mm256_xor_si256(_mm256_srai_epi32(c[v], 31), _mm256_set1_epi32(INT32_MAX));
            total = _mm256_blendv_epi8(total, most, _mm256_srai_epi32(wraps, 31));
        }
        self->sum[e][v] = total;
    }
}

TILE_INLINE void tile_write(const struct tile *self)
{
    const u32 elements = 2 * self->row_blocks * self->column_blocks;
    for (u32 e = 0; e < elements; e += 1 + self->d_is_half) {
        __m256i *d = lane_register(self->warp, self->d[e / (1 + self->d_is_half)]);
        for (u32 v = 0; v < TILE_VECTORS; v++)
            d[v] = self->d_is_half ? _mm256_or_si256(self->sum[e][v],
                                                     _mm256_slli_epi32(self->sum[e + 1][v], 16))
                                   : self->sum[e][v];
    }
}

TILE_INLINE bool tile_multiply_as(struct tile *self, enum wl_matrix_format a,
                                  enum wl_matrix_format b)
{
    self->far = _mm256_setzero_si256();
    tile_read_a(self, a);
    tile_read_b(self, b);
    for (u32 column = 0; column < self->column_blocks; column++)
        for (u32 row = 0; row < self->row_blocks; row++)
            for (u32 parity = 0; parity < 2; parity++)
                if (tile_is_float(a))
                    tile_add_floats(self, row, column, parity, 32 / wl_matrix_format_bits(a));
                else
                    tile_add_integers(self, row, column, parity);
    if (!_mm256_testz_si256(self->far, self->far))
        return false;
    tile_write(self);
    return true;
}

bool WL_EXEC(tile_multiply)(struct tile *self, enum wl_matrix_format a, enum wl_matrix_format b)
{
    switch (a << 8 | b) {
    case WL_FORMAT_F16 << 8 | WL_FORMAT_F16:
        return tile_multiply_as(self, WL_FORMAT_F16, WL_FORMAT_F16);
    case WL_FORMAT_BF16 << 8 | WL_FORMAT_BF16:
        return tile_multiply_as(self, WL_FORMAT_BF16, WL_FORMAT_BF16);
    case WL_FORMAT_TF32 << 8 | WL_FORMAT_TF32:
        return tile_multiply_as(self, WL_FORMAT_TF32, WL_FORMAT_TF32);
    case WL_FORMAT_S8 << 8 | WL_FORMAT_S8:
        return tile_multiply_as(self, WL_FORMAT_S8, WL_FORMAT_S8);
    case WL_FORMAT_U8 << 8 | WL_FORMAT_U8:
        return tile_multiply_as(self, WL_FORMAT_U8, WL_FORMAT_U8);
    case WL_FORMAT_S8 << 8 | WL_FORMAT_U8:
        return tile_multiply_as(self, WL_FORMAT_S8, WL_FORMAT_U8);
    case WL_FORMAT_U8 << 8 | WL_FORMAT_S8:
        return tile_multiply_as(self, WL_FORMAT_U8, WL_FORMAT_S8);
    default:
        return false;
    }
}

/* Column k of B of doubles: columns 0, 2, 4, 6 and 1, 3, 5, 7. */
TILE_INLINE void tile_read_doubles(const double *lanes, __m256d b[4][2])
{
    for (u32 parity = 0; parity < 2; parity++) {
        const double *from = lanes + 4 * parity;
        const __m256d row0 = _mm256_load_pd(from), row1 = _mm256_load_pd(from + 8);
        const __m256d row2 = _mm256_load_pd(from + 16), row3 = _mm256_load_pd(from + 24);
        const __m256d even01 = _mm256_unpacklo_pd(row0, row1),
                      odd01 = _mm256_unpackhi_pd(row0, row1);
        const __m256d even23 = _mm256_unpacklo_pd(row2, row3),
                      odd23 = _mm256_unpackhi_pd(row2, row3);
        b[0][parity] = _mm256_permute2f128_pd(even01, even23, 0x20);
        b[1][parity] = _mm256_permute2f128_pd(odd01, odd23, 0x20);
        b[2][parity] = _mm256_permute2f128_pd(even01, even23, 0x31);
        b[3][parity] = _mm256_permute2f128_pd(odd01, odd23, 0x31);
    }
}

#define TILE_ROWS 4 /* done at once */

/* Adds the products of four factors a row, in their order. */
TILE_INLINE void tile_add_doubles(const double *a, __m256d b[4][2], double *even, double *odd)
{
    __m256d sum[TILE_ROWS][2];
    for (u32 row = 0; row < TILE_ROWS; row++) {
        sum[row][0] = _mm256_load_pd(even + 4 * row);
        sum[row][1] = _mm256_load_pd(odd + 4 * row);
    }
    for (u32 k = 0; k < 4; k++)
        for (u32 row = 0; row < TILE_ROWS; row++) {
            const __m256d factor = _mm256_broadcast_sd(a + 4 * row + k);
            sum[row][0] = _mm256_fmadd_pd(factor, b[k][0], sum[row][0]);
            sum[row][1] = _mm256_fmadd_pd(factor, b[k][1], sum[row][1]);
        }
    for (u32 row = 0; row < TILE_ROWS; row++) {
        _mm256_store_pd(even + 4 * row, sum[row][0]);
        _mm256_store_pd(odd + 4 * row, sum[row][1]);
    }
}

/* In the vectors that are read next: what is stored in parts the host cannot hand on to a load of
 * the whole. */
TILE_INLINE void tile_copy_doubles(double *to, const double *from)
{
    for (u32 lane = 0; lane < WL_LANES; lane += 4)
        _mm256_store_pd(to + lane, _mm256_load_pd(from + lane));
}

void WL_EXEC(tile_multiply_doubles)(struct tile *self)
{
    const u32 words = self->k / 4, elements = 2 * self->row_blocks * self->column_blocks;
    __m256d b[4][2];
    for (u32 e = 0; e < elements; e++)
        tile_copy_doubles(self->double_sum[e], lane_register(self->warp, self->c[e]));
    for (u32 r = 0; r < self->column_blocks * words; r++) {
        const u32 column = r / words, word = r % words;
        tile_read_doubles(lane_register(self->warp, self->b[r]), b);
        for (u32 row = 0; row < self->row_blocks; row++) {
            const double *a = lane_register(self->warp, self->a[word * self->row_blocks + row]);
            double(*sum)[WL_LANES] = self->double_sum + 2 * (column * self->row_blocks + row);
            for (u32 lane = 0; lane < WL_LANES; lane += 4 * TILE_ROWS)
                tile_add_doubles(a + lane, b, sum[0] + lane, sum[1] + lane);
        }
    }
    for (u32 e = 0; e < elements; e++)
        tile_copy_doubles(lane_register(self->warp, self->d[e]), self->double_sum[e]);
}

#endif
