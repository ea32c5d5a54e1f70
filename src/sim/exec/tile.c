#include "sim/exec/tile.h"

#include "sim/exec/lanes.h"

#ifdef __AVX2__
/* Four vectors of sums are formed at once: of 8 rows all of one parity, or both parities. */
#define TILE_AT_ONCE (4 / TILE_VECTORS)
#define TILE_GROUPS (2 / TILE_AT_ONCE)
#define TILE_EACH(DO) DO(0) DO(1) DO(2) DO(3)
#define TILE_PLACE(i) ((i) % TILE_VECTORS)  /* of vector i in a register */
#define TILE_PARITY(i) ((i) / TILE_VECTORS) /* of its columns, beyond the group's first */

/* What the sums of 8 rows by 8 columns are formed from: values and exponents of their places in k.
 */
struct block {
    const tile_floats *a; /* TILE_VECTORS of each place */
    const tile_quad *b;   /* two */
    const tile_words *a_exponent;
    const tile_word_quad *b_exponent;
    u32 element; /* of the sums: the first of two */
};

static struct block block_of(const struct tile *self, const struct factor_a *a,
                             const struct factor_b *b, u32 row_block, u32 column_block, u32 per)
{
    const u32 row = row_block * self->k, column = column_block * self->k;
    return (struct block){.a = a->value[row],
                          .b = b->value[column],
                          .a_exponent = a->exponent[row / per],
                          .b_exponent = b->exponent[column / per],
                          .element = 2 * (column_block * self->row_blocks + row_block)};
}

/* Element e of the addends, as single precision. */
TILE_INLINE tile_floats tile_addend(const struct tile *self, u32 e, u32 place)
{
    if (!self->c_is_half)
        return ((const tile_floats *)lane_register(self->warp, self->c[e]))[place];
    const tile_words *lanes = lane_register(self->warp, self->c[e / 2]);
    return factor_half(lanes[place] >> (s32)(16 * (e & 1)));
}

/* The products of a step that are summed first; of a long one half are 0, as A is sparse. */
TILE_INLINE u32 safe_of(u32 count)
{
    const u32 safe = count > 2 * TILE_SAFE ? 2 * TILE_SAFE : TILE_SAFE;
    return count < safe ? count : safe;
}

/* One step of a group: `count` products of each element are added to the values. */
TILE_INLINE void tile_add_step(struct tile *self, const struct block *block, u32 count, u32 per,
                               tile_floats value[4])
{
    const tile_floats *a = block->a;
    const tile_quad *b = block->b;
    const tile_words *a_exponent = block->a_exponent;
    const tile_word_quad *b_exponent = block->b_exponent;
    const tile_words none = tile_all(TILE_SUM_NONE), both = tile_all(TILE_SUM_NONE * 0x10001);
#define BEGIN(i) tile_words highest##i = both;
    TILE_EACH(BEGIN)
    for (u32 w = 0; w < count / per; w++, a_exponent += TILE_VECTORS, b_exponent += 2) {
#define RAISE(i)                                                         \
    highest##i = tile_max_pairs(                                         \
        highest##i, (tile_words)((tile_pairs)a_exponent[TILE_PLACE(i)] + \
                                 (tile_pairs)tile_repeat_words(b_exponent[TILE_PARITY(i)])));
        TILE_EACH(RAISE)
    }
    tile_words most = tile_all(0);
    /* scale: 2 to the power of FRACTION_BITS - the greatest exponent; the addend in its units */
#define SCALE(i)                                                                          \
    highest##i = tile_max((highest##i >> 16), highest##i & 0xffff);                       \
    const tile_words magnitude##i = (tile_words)value[i] & INT32_MAX;                     \
    most = tile_max(most, magnitude##i);                                                  \
    const tile_words scale##i = (tile_all((s32)(2 * FACTOR_BIAS + self->fraction_bits)) - \
                                 tile_max(magnitude##i >> 23, highest##i))                \
                                << 23;                                                    \
    tile_words sum##i = tile_truncate(value[i] * (tile_floats)scale##i);
    TILE_EACH(SCALE)
    u32 k = 0;
#define ADD(i) \
    sum##i +=  \
        tile_truncate(a[TILE_PLACE(i)] * tile_repeat(b[TILE_PARITY(i)]) * (tile_floats)scale##i);
    for (; k < safe_of(count); k++, a += TILE_VECTORS, b += 2) {
        TILE_EACH(ADD)
    }
#define SET_ASIDE(i)                   \
    const tile_words near##i = sum##i; \
    sum##i = tile_all(0);
    TILE_EACH(SET_ASIDE)
    for (; k < count; k++, a += TILE_VECTORS, b += 2) {
        TILE_EACH(ADD)
    }
    tile_words wraps = tile_all(0);
    const tile_words kept = tile_all(self->kept_mask);
#define ROUND(i)                                                                                  \
    const tile_words total##i = tile_add(near##i, sum##i);                                        \
    wraps |= (near##i ^ total##i) & (sum##i ^ total##i);                                          \
    const tile_floats unit##i = (tile_floats)(tile_all(254 << 23) - scale##i);                    \
    /* what becomes 0 is positive */                                                              \
    value[i] =                                                                                    \
        (tile_floats)(kept &                                                                      \
                      tile_select(highest##i == none, (tile_words)value[i],                       \
                                  (tile_words)(tile_cut(total##i, self->d_is_half) * unit##i))) + \
        0.0f;
    TILE_EACH(ROUND)
    self->wraps |= wraps;
    self->most = tile_max(self->most, most);
#undef BEGIN
#undef RAISE
#undef SCALE
#undef ADD
#undef SET_ASIDE
#undef ROUND
}

/* The sums of a block. */
TILE_INLINE void tile_add_floats(struct tile *self, const struct block *all, u32 step, u32 per,
                                 bool adds_last)
{
    struct block block = *all;
    for (u32 group = 0; group < TILE_GROUPS; group++) {
        const u32 first = all->element + group * TILE_AT_ONCE;
        tile_floats value[4], addend[4];
#define LOAD(i)                                                           \
    addend[i] = tile_addend(self, first + TILE_PARITY(i), TILE_PLACE(i)); \
    value[i] = adds_last ? (tile_floats)tile_all(0) : addend[i];
        TILE_EACH(LOAD)
        for (u32 k = 0; k < self->k; k += step) {
            block.a = all->a + k * TILE_VECTORS;
            block.b = all->b + 2 * k + group;
            block.a_exponent = all->a_exponent + k / per * TILE_VECTORS;
            block.b_exponent = all->b_exponent + k / per * 2 + group;
            tile_add_step(self, &block, step, per, value);
        }
#define ADD_LAST(i)                                                       \
    self->most = tile_max(self->most, (tile_words)addend[i] & INT32_MAX); \
    value[i] += addend[i];
        if (adds_last) {
            TILE_EACH(ADD_LAST)
        }
#define STORE(i)                                       \
    self->sum[first + TILE_PARITY(i)][TILE_PLACE(i)] = \
        self->d_is_half ? (tile_words)tile_to_halves(value[i]) : (tile_words)value[i];
        TILE_EACH(STORE)
#undef LOAD
#undef ADD_LAST
#undef STORE
    }
}

TILE_INLINE tile_words tile_add_integer(const struct tile *self, tile_words c, tile_words products)
{
    const tile_words total = tile_add(c, products);
    if (!self->saturates)
        return total;
    const tile_words wraps = ~(c ^ products) & (c ^ total);
    return tile_select(wraps >> 31, (c >> 31) ^ INT32_MAX, total);
}

/* The same of integers: sums of products are exact in single precision. */
TILE_INLINE void tile_add_integers(struct tile *self, const struct block *block)
{
    for (u32 group = 0; group < TILE_GROUPS; group++) {
        const tile_floats *a = block->a;
        const tile_quad *b = block->b + group;
        const u32 first = block->element + group * TILE_AT_ONCE;
#define BEGIN(i) tile_floats sum##i = (tile_floats)tile_all(0);
        TILE_EACH(BEGIN)
        for (u32 k = 0; k < self->k; k++, a += TILE_VECTORS, b += 2) {
#define ADD(i) sum##i = tile_fuse(a[TILE_PLACE(i)], tile_repeat(b[TILE_PARITY(i)]), sum##i);
            TILE_EACH(ADD)
        }
#define STORE(i)                                                                           \
    self->sum[first + TILE_PARITY(i)][TILE_PLACE(i)] =                                     \
        tile_add_integer(self,                                                             \
                         ((const tile_words *)lane_register(                               \
                             self->warp, self->c[first + TILE_PARITY(i)]))[TILE_PLACE(i)], \
                         tile_truncate(sum##i));
        TILE_EACH(STORE)
#undef BEGIN
#undef ADD
#undef STORE
    }
}

TILE_INLINE void tile_write(const struct tile *self)
{
    const u32 elements = 2 * self->row_blocks * self->column_blocks;
    for (u32 e = 0; e < elements; e += 1 + self->d_is_half) {
        tile_words *d = lane_register(self->warp, self->d[e / (1 + self->d_is_half)]);
        for (u32 v = 0; v < TILE_VECTORS; v++) {
            d[v] = self->sum[e][v];
            if (self->d_is_half)
                d[v] |= self->sum[e + 1][v] << 16;
        }
    }
}

/* Of floating-point factors, `per` in a word; step is a constant, too. */
TILE_INLINE bool tile_multiply_floats(struct tile *self, const struct factor_a *a,
                                      const struct factor_b *b, u32 step, u32 per, bool adds_last)
{
    self->wraps = self->most = tile_all(0);
    for (u32 column = 0; column < self->column_blocks; column++)
        for (u32 row = 0; row < self->row_blocks; row++) {
            const struct block block = block_of(self, a, b, row, column, per);
            tile_add_floats(self, &block, step, per, adds_last);
        }
    const tile_words top = tile_all(self->c_is_half ? 0x47800000 : 0x7f800000);
    return !tile_has_any((self->wraps >> 31) | (self->most >= top));
}

static void tile_multiply_integers(struct tile *self, const struct factor_a *a,
                                   const struct factor_b *b)
{
    for (u32 column = 0; column < self->column_blocks; column++)
        for (u32 row = 0; row < self->row_blocks; row++) {
            const struct block block = block_of(self, a, b, row, column, 4);
            tile_add_integers(self, &block);
        }
}

/* False: a sum must be formed the long way. */
static bool tile_form_sums(struct tile *self, enum wl_matrix_format format,
                           const struct factor_a *a, const struct factor_b *b)
{
    if (!factor_is_float(format)) {
        tile_multiply_integers(self, a, b);
        return true;
    }
    if (format == WL_FORMAT_TF32)
        return self->step == 16  ? tile_multiply_floats(self, a, b, 16, 1, false)
               : self->step == 8 ? tile_multiply_floats(self, a, b, 8, 1, false)
                                 : tile_multiply_floats(self, a, b, 4, 1, false);
    if (self->step == 64)
        return tile_multiply_floats(self, a, b, 64, 2, false);
    if (self->step == 32)
        return self->adds_last ? tile_multiply_floats(self, a, b, 32, 2, true)
                               : tile_multiply_floats(self, a, b, 32, 2, false);
    if (self->adds_last)
        return tile_multiply_floats(self, a, b, 16, 2, true);
    return self->step == 16 ? tile_multiply_floats(self, a, b, 16, 2, false)
                            : tile_multiply_floats(self, a, b, 8, 2, false);
}

bool WL_EXEC(tile_multiply)(struct tile *self, enum wl_matrix_format a, enum wl_matrix_format b)
{
    const struct fragment rows = {.warp = self->warp,
                                  .registers = self->a,
                                  .blocks = self->row_blocks,
                                  .k = self->k,
                                  .format = a,
                                  .is_sparse = self->is_sparse,
                                  .selector = self->selector};
    const struct fragment columns = {.warp = self->warp,
                                     .registers = self->b,
                                     .blocks = self->column_blocks,
                                     .k = self->k,
                                     .format = b,
                                     .is_by_chunks = self->is_sparse && factor_is_narrow_float(b)};
    const struct factor_a *a_factor = WL_EXEC(factor_of_a)(&rows);
    const struct factor_b *b_factor = WL_EXEC(factor_of_b)(&columns);
    if (a_factor->is_far || b_factor->is_far || !tile_form_sums(self, a, a_factor, b_factor))
        return false;
    tile_write(self);
    return true;
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
