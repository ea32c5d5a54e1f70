#include "sim/exec/tile.h"

#include "base/memory.h"
#include "sim/exec/lanes.h"

#ifdef __AVX2__
/* Of 8 rows by 8 columns the sums are formed at once, or, where vectors are short, those of the
 * even columns and then those of the odd ones. */
#define TILE_AT_ONCE 4 /* vectors */
#define TILE_GROUPS (2 * TILE_VECTORS / TILE_AT_ONCE)
/* Vector i: in a register; its columns' parity, beyond the group's first; in vectors of bytes. */
#define TILE_PLACE(i) ((i) % TILE_VECTORS)
#define TILE_PARITY(i) ((i) % TILE_AT_ONCE / TILE_VECTORS)
#define TILE_PART(i) (TILE_PLACE(i) * (2 / TILE_GROUPS) + TILE_PARITY(i))

/* Blocks of rows whose sums are formed at once, of the same columns: there are registers of the
 * host for two of them. */
#define TILE_BLOCKS (TILE_LANES == 16 ? 2 : 1)
#define TILE_SUMS (TILE_BLOCKS * TILE_AT_ONCE)

/* What the sums of a block of 8 columns, or of half of them, are formed from: the places in k of
 * the first block of rows. */
struct panel {
    const struct factor_a_four *a;
    const struct factor_b_four *b;
    u32 next_block; /* fours of A from one block of rows to the next */
    u32 group;      /* 1: of the odd columns */
    u32 element;    /* of the sums: the first of two */
};

static struct panel panel_of(const struct tile *self, const struct factor_a *a,
                             const struct factor_b *b, u32 row_block, u32 column_block, u32 group)
{
    const u32 fours = self->k / 4;
    return (struct panel){.a = a->four + row_block * fours,
                          .b = b->four + column_block * fours,
                          .next_block = fours,
                          .group = group,
                          .element = 2 * (column_block * self->row_blocks + row_block) + group};
}

/* What tells whether sums must be formed the long way. An addend that is infinite or NaN becomes
 * the least integer, to which next to nothing is added. */
struct limits {
    tile_floats sum; /* the greatest of a step: from TILE_SUM_SURE on it may have wrapped */
    tile_words last; /* the greatest exponent of what is added last */
};

/* The element of the sums that is in vector i of a panel. */
TILE_INLINE u32 element_of(const struct panel *panel, u32 i)
{
    return panel->element + i / TILE_AT_ONCE * 2 + TILE_PARITY(i);
}

/* The addends, as single precision. */
TILE_INLINE void tile_load_addends(const struct tile *self, const struct panel *panel, u32 blocks,
                                   bool is_half, tile_floats *value)
{
    TILE_UNROLLED
    for (u32 i = 0; i < blocks * TILE_AT_ONCE; i++) {
        const u32 e = element_of(panel, i), place = TILE_PLACE(i);
        const tile_words *lanes = lane_register(self->warp, self->c[is_half ? e / 2 : e]);
        value[i] = is_half ? tile_of_halves(lanes[place] >> (s32)(16 * (e & 1)))
                           : (tile_floats)lanes[place];
    }
}

/* The greatest exponent of the products of each sum, as bytes biased like those of single
 * precision; TILE_SUM_NONE if all are 0. Whether some are. */
TILE_INLINE bool tile_find_highest(const struct tile *self, const struct panel *panel, u32 k,
                                   u32 count, u32 blocks, tile_words *highest)
{
    const struct factor_a_four *a = panel->a + k / 4;
    const struct factor_b_four *b = panel->b + k / 4;
    tile_words all = tile_all(-1);
    for (u32 block = 0; block < blocks; block++)
        highest[block] = tile_all(0);
    TILE_ROLLED
    for (u32 four = 0; four < count / 4; four++, a++, b++) {
        TILE_UNROLLED
        for (u32 q = 0; q < 4; q++) {
            const tile_bytes columns =
                (tile_bytes)tile_repeat_bytes(b->exponent[q] + (size_t)4 * panel->group);
            for (u32 block = 0; block < blocks; block++)
                highest[block] = tile_max_bytes(
                    highest[block],
                    (tile_words)((tile_bytes)a[block * panel->next_block].exponent[q] + columns));
        }
    }
    for (u32 block = 0; block < blocks; block++)
        all &= highest[block];
    const bool lacks = !tile_has_all_signs(all);
    for (u32 block = 0; block < blocks; block++) {
        const tile_bytes sum = (tile_bytes)highest[block];
        const tile_bytes field = sum + (uint8_t)(self->base + TILE_BIAS - 2 * FACTOR_TOP);
        highest[block] = (tile_words)field;
        if (lacks)
            highest[block] = tile_select((tile_words)(sum >> 7 == 0),
                                         tile_all(TILE_SUM_NONE * 0x01010101), (tile_words)field);
    }
    return lacks;
}

/* A factor of vector i of a panel at place q of four. */
TILE_INLINE tile_floats factor_at(const struct factor_a_four *a, u32 next_block, u32 i, u32 q)
{
    return (tile_floats)tile_spread(
        (tile_words)a[i / TILE_AT_ONCE * next_block].value[TILE_PLACE(i)], q);
}

/* The other one. */
TILE_INLINE tile_floats other_factor_at(const struct factor_b_four *b, u32 group, u32 i, u32 q)
{
    return tile_repeat(b->value[q][TILE_PARITY(i) + group]);
}

/* One step: `count` products of each sum from place k on are added to the values. If it is plain,
 * each sum has a product that is not 0, and its bits are kept, in single precision. */
TILE_INLINE void tile_add_step(const struct tile *self, const struct panel *panel, u32 k, u32 count,
                               u32 blocks, bool is_plain, const tile_words *highest,
                               tile_floats *value, struct limits *limits)
{
    const u32 vectors = blocks * TILE_AT_ONCE;
    /* scale: 2 to the power of fraction_bits - the greatest exponent; the addend in its units */
    const tile_words top = tile_all((s32)((2 * TILE_BIAS + self->fraction_bits) << 23));
    tile_words sum[TILE_SUMS];
    tile_floats scale[TILE_SUMS];
    TILE_UNROLLED
    for (u32 i = 0; i < vectors; i++) {
        const tile_words exponent = (tile_words)value[i] & 0x7f800000;
        scale[i] = (tile_floats)tile_subtract(
            top, tile_max(exponent, tile_exponent_of(highest[i / TILE_AT_ONCE], TILE_PART(i))));
        sum[i] = tile_truncate(value[i] * scale[i]);
    }
    const struct factor_a_four *a = panel->a + k / 4;
    const struct factor_b_four *b = panel->b + k / 4;
    const u32 next = panel->next_block, group = panel->group;
    TILE_ROLLED
    for (u32 four = 0; four < count / 4; four++, a++, b++) {
        TILE_UNROLLED
        for (u32 q = 0; q < 4; q++) {
            TILE_UNROLLED
            for (u32 i = 0; i < vectors; i++) {
                const tile_floats product =
                    factor_at(a, next, i, q) * other_factor_at(b, group, i, q) * scale[i];
                sum[i] = tile_add(sum[i], tile_truncate(product)); /* which may leave 32 bits */
                tile_settle(&sum[i]);
            }
        }
    }
    TILE_UNROLLED
    for (u32 i = 0; i < vectors; i++) {
        const tile_words unit = tile_subtract(tile_all(2 * TILE_BIAS << 23), (tile_words)scale[i]);
        const tile_floats cut = tile_cut(sum[i], !is_plain && self->d_is_half),
                          total = cut * (tile_floats)unit;
        limits->sum = tile_max_magnitude(limits->sum, cut);
        if (is_plain) {
            value[i] = total;
            continue;
        }
        const tile_words is_none =
            tile_exponent_of(highest[i / TILE_AT_ONCE], TILE_PART(i)) == TILE_SUM_NONE << 23;
        /* what becomes 0 is positive */
        value[i] = (tile_floats)(tile_all(self->kept_mask) &
                                 tile_select(is_none, (tile_words)value[i], (tile_words)total)) +
                   0.0f;
    }
}

/* The sums of a panel of one block. */
TILE_INLINE void tile_add_floats(const struct tile *self, const struct panel *panel,
                                 tile_floats *value, struct limits *limits)
{
    tile_floats addend[TILE_AT_ONCE];
    if (self->c_is_half)
        tile_load_addends(self, panel, 1, true, addend);
    else
        tile_load_addends(self, panel, 1, false, addend);
    TILE_UNROLLED
    for (u32 i = 0; i < TILE_AT_ONCE; i++)
        value[i] = self->adds_last ? (tile_floats)tile_all(0) : addend[i];
    for (u32 k = 0; k < self->k; k += self->step) {
        tile_words highest[TILE_BLOCKS];
        if (tile_find_highest(self, panel, k, self->step, 1, highest) || self->kept_mask != -1 ||
            self->d_is_half)
            tile_add_step(self, panel, k, self->step, 1, false, highest, value, limits);
        else
            tile_add_step(self, panel, k, self->step, 1, true, highest, value, limits);
    }
    if (!self->adds_last)
        return;
    TILE_UNROLLED
    for (u32 i = 0; i < TILE_AT_ONCE; i++) {
        limits->last = tile_max(limits->last, (tile_words)addend[i] & 0x7f800000);
        value[i] += addend[i];
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
TILE_INLINE void tile_add_integers(const struct tile *self, const struct panel *panel,
                                   tile_floats *value)
{
    const u32 vectors = TILE_AT_ONCE;
    const struct factor_a_four *a = panel->a;
    const struct factor_b_four *b = panel->b;
    tile_floats sum[TILE_SUMS];
    TILE_UNROLLED
    for (u32 i = 0; i < vectors; i++)
        sum[i] = (tile_floats)tile_all(0);
    TILE_ROLLED
    for (u32 k = 0; k < self->k; k += 4, a++, b++) {
        TILE_UNROLLED
        for (u32 q = 0; q < 4; q++) {
            TILE_UNROLLED
            for (u32 i = 0; i < vectors; i++)
                sum[i] = tile_fuse(factor_at(a, 0, i, q), other_factor_at(b, panel->group, i, q),
                                   sum[i]);
        }
    }
    TILE_UNROLLED
    for (u32 i = 0; i < vectors; i++) {
        const tile_words *c = lane_register(self->warp, self->c[element_of(panel, i)]);
        value[i] = (tile_floats)tile_add_integer(self, c[TILE_PLACE(i)], tile_truncate(sum[i]));
    }
}

/* Sums until they are written, once all are known. */
struct sums {
    tile_words of[TILE_ELEMENTS][TILE_VECTORS];
};

TILE_INLINE void tile_keep(const struct panel *panel, u32 blocks, bool is_half,
                           const tile_floats *value, struct sums *sums)
{
    TILE_UNROLLED
    for (u32 i = 0; i < blocks * TILE_AT_ONCE; i++)
        sums->of[element_of(panel, i)][TILE_PLACE(i)] =
            is_half ? tile_to_halves(value[i]) : (tile_words)value[i];
}

TILE_INLINE void tile_write(const struct tile *self, const struct sums *sums)
{
    const u32 elements = 2 * self->row_blocks * self->column_blocks;
    for (u32 e = 0; e < elements; e += 1 + self->d_is_half) {
        tile_words *d = lane_register(self->warp, self->d[e / (1 + self->d_is_half)]);
        for (u32 v = 0; v < TILE_VECTORS; v++) {
            d[v] = sums->of[e][v];
            if (self->d_is_half)
                d[v] |= sums->of[e + 1][v] << 16;
        }
    }
}

/* Whether a sum must be formed the long way. */
TILE_INLINE bool tile_is_beyond(const struct limits *limits)
{
    const tile_words infinite = tile_all(0x7f800000);
    return tile_has_any((tile_words)(limits->sum >= TILE_SUM_SURE) |
                        (tile_words)(limits->last == infinite));
}

/* False: nothing was written. */
TILE_INLINE bool tile_multiply_blocks(const struct tile *self, bool is_float,
                                      const struct factor_a *a, const struct factor_b *b)
{
    tile_floats value[TILE_SUMS];
    struct sums sums; /* written as far as they are needed */
    struct limits limits = {{0}, {0}};
    for (u32 column = 0; column < self->column_blocks; column++)
        for (u32 row = 0; row < self->row_blocks; row++)
            for (u32 group = 0; group < TILE_GROUPS; group++) {
                const struct panel panel = panel_of(self, a, b, row, column, group);
                if (is_float)
                    tile_add_floats(self, &panel, value, &limits);
                else
                    tile_add_integers(self, &panel, value);
                tile_keep(&panel, 1, self->d_is_half, value, &sums);
            }
    if (tile_is_beyond(&limits))
        return false;
    tile_write(self, &sums);
    return true;
}

static __attribute__((noinline)) bool
tile_multiply_integers(const struct tile *self, const struct factor_a *a, const struct factor_b *b)
{
    return tile_multiply_blocks(self, false, a, b);
}

static __attribute__((noinline)) bool
tile_multiply_floats(const struct tile *self, const struct factor_a *a, const struct factor_b *b)
{
    return tile_multiply_blocks(self, true, a, b);
}

/* The sums of a panel of TILE_BLOCKS, if the product is plain. False: not all have a product that
 * is not 0. */
TILE_INLINE bool tile_add_plain(const struct tile *self, const struct panel *panel,
                                tile_floats *value, struct limits *limits)
{
    tile_words highest[TILE_BLOCKS];
    if (tile_find_highest(self, panel, 0, self->k, TILE_BLOCKS, highest))
        return false;
    tile_load_addends(self, panel, TILE_BLOCKS, false, value);
    tile_add_step(self, panel, 0, self->k, TILE_BLOCKS, true, highest, value, limits);
    return true;
}

/* The same if the product is plain: what sums are formed from stays in registers of the host. */
static __attribute__((noinline)) bool
tile_multiply_panels(const struct tile *self, const struct factor_a *a, const struct factor_b *b)
{
    struct sums sums;
    struct limits limits = {{0}, {0}};
    tile_floats value[TILE_SUMS];
    for (u32 column = 0; column < self->column_blocks; column++)
        for (u32 row = 0; row < self->row_blocks; row += TILE_BLOCKS)
            for (u32 group = 0; group < TILE_GROUPS; group++) {
                const struct panel panel = panel_of(self, a, b, row, column, group);
                if (!tile_add_plain(self, &panel, value, &limits))
                    return false;
                tile_keep(&panel, TILE_BLOCKS, false, value, &sums);
            }
    if (tile_is_beyond(&limits))
        return false;
    tile_write(self, &sums);
    return true;
}

/* The same of one panel, whose sums stay there, too. */
static __attribute__((noinline)) bool
tile_multiply_panel(const struct tile *self, const struct factor_a *a, const struct factor_b *b)
{
    const struct panel panel = panel_of(self, a, b, 0, 0, 0);
    struct limits limits = {{0}, {0}};
    tile_floats value[TILE_SUMS];
    if (!tile_add_plain(self, &panel, value, &limits) || tile_is_beyond(&limits))
        return false;
    TILE_UNROLLED
    for (u32 i = 0; i < TILE_SUMS; i++) {
        tile_floats *d = lane_register(self->warp, self->d[element_of(&panel, i)]);
        d[TILE_PLACE(i)] = value[i];
    }
    return true;
}

/* False: a sum must be formed the long way, and nothing was written. */
static inline bool tile_form_sums(const struct tile *self, const struct factor_a *a,
                                  const struct factor_b *b)
{
    if (!factor_is_float(self->a_format))
        return tile_multiply_integers(self, a, b);
    const bool is_one =
        TILE_GROUPS == 1 && self->row_blocks == TILE_BLOCKS && self->column_blocks == 1;
    if (self->is_plain && self->row_blocks % TILE_BLOCKS == 0 &&
        (is_one ? tile_multiply_panel : tile_multiply_panels)(self, a, b))
        return true;
    return tile_multiply_floats(self, a, b);
}

#define PRODUCTS 64 /* operations that are known */

/* An operation that was done, and the factors that it had. */
struct product {
    const struct wl_op *op;
    s64 imm; /* and what else it says */
    u64 formats;
    u32 list;
    struct tile tile;
    u64 a_key, b_key;
    uint8_t a, b, a_registers, b_registers;
};

/* A worker's, in place of its factors. */
struct store {
    struct factor_store factors;
    struct product products[PRODUCTS];
};

static struct product *product_of(struct store *store, const struct wl_op *op)
{
    return &store->products[(uintptr_t)op / sizeof *op % PRODUCTS];
}

static u64 formats_of(const struct wl_op *op)
{
    return (u64)op->kind | (u64)op->width_bytes << 8 | (u64)op->count << 16 | (u64)op->spare << 32;
}

static struct fragment rows_of(const struct tile *self)
{
    return (struct fragment){.warp = self->warp,
                             .registers = self->a,
                             .blocks = self->row_blocks,
                             .k = self->k,
                             .format = self->a_format,
                             .is_sparse = self->is_sparse,
                             .selector = self->selector};
}

static struct fragment columns_of(const struct tile *self)
{
    return (struct fragment){.warp = self->warp,
                             .registers = self->b,
                             .blocks = self->column_blocks,
                             .k = self->k,
                             .format = self->b_format,
                             .is_by_chunks = self->is_sparse};
}

/* False: nothing was written. */
TILE_INLINE bool tile_multiply_factors(struct tile *self, const struct factor_a *a,
                                       const struct factor_b *b)
{
    self->base = a->base + b->base;
    return !a->is_far && !b->is_far && tile_form_sums(self, a, b);
}

bool WL_EXEC(tile_multiply)(struct tile *self, const struct wl_op *op)
{
    struct wl_worker *worker = self->warp->worker;
    const struct fragment rows = rows_of(self), columns = columns_of(self);
    if (!worker->factors)
        worker->factors = wl_alloc_aligned(64, sizeof(struct store));
    struct store *store = worker->factors;
    struct factor_store *factors = &store->factors;
    const u32 a = WL_EXEC(factor_of_a)(factors, &rows), b = WL_EXEC(factor_of_b)(factors, &columns);
    if (op)
        *product_of(store, op) =
            (struct product){.op = op,
                             .imm = op->imm,
                             .list = op->dst,
                             .formats = formats_of(op),
                             .a = (uint8_t)a,
                             .b = (uint8_t)b,
                             .a_registers = (uint8_t)factor_registers(&rows),
                             .b_registers = (uint8_t)factor_registers(&columns),
                             .a_key = factors->a_key[a],
                             .b_key = factors->b_key[b],
                             .tile = *self};
    return tile_multiply_factors(self, &factors->a[a], &factors->b[b]);
}

bool WL_EXEC(tile_multiply_again)(const struct wl_warp *warp, const struct wl_op *op)
{
    struct store *store = warp->worker->factors;
    if (!store)
        return false;
    struct product *self = product_of(store, op);
    struct factor_a *a = &store->factors.a[self->a];
    struct factor_b *b = &store->factors.b[self->b];
    if (self->op != op || self->imm != op->imm || self->list != op->dst ||
        self->formats != formats_of(op) || store->factors.a_key[self->a] != self->a_key ||
        store->factors.b_key[self->b] != self->b_key)
        return false;
    self->tile.warp = warp;
    if (!factor_is_of(warp, self->tile.a, self->a_registers, a->made_from[0])) {
        const struct fragment rows = rows_of(&self->tile);
        WL_EXEC(factor_make_a)(a, &rows);
    }
    if (!factor_is_of(warp, self->tile.b, self->b_registers, b->made_from[0])) {
        const struct fragment columns = columns_of(&self->tile);
        WL_EXEC(factor_make_b)(b, &columns);
    }
    return tile_multiply_factors(&self->tile, a, b);
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

void WL_EXEC(tile_multiply_doubles)(const struct tile *self)
{
    double all[TILE_ELEMENTS][WL_LANES] __attribute__((aligned(64)));
    const u32 words = self->k / 4, elements = 2 * self->row_blocks * self->column_blocks;
    __m256d b[4][2];
    for (u32 e = 0; e < elements; e++)
        tile_copy_doubles(all[e], lane_register(self->warp, self->c[e]));
    for (u32 r = 0; r < self->column_blocks * words; r++) {
        const u32 column = r / words, word = r % words;
        tile_read_doubles(lane_register(self->warp, self->b[r]), b);
        for (u32 row = 0; row < self->row_blocks; row++) {
            const double *a = lane_register(self->warp, self->a[word * self->row_blocks + row]);
            double(*sum)[WL_LANES] = all + 2 * (column * self->row_blocks + row);
            for (u32 lane = 0; lane < WL_LANES; lane += 4 * TILE_ROWS)
                tile_add_doubles(a + lane, b, sum[0] + lane, sum[1] + lane);
        }
    }
    for (u32 e = 0; e < elements; e++)
        tile_copy_doubles(lane_register(self->warp, self->d[e]), all[e]);
}

#endif
