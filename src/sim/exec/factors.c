#include "sim/exec/factors.h"

#include "base/memory.h"
#include "sim/exec/sparse.h"

#ifdef __AVX2__
enum { KEPT_A = 4, KEPT_B = 8 };

/* What a place of the store holds: a first register and a shape. */
struct key {
    u32 first, shape;
};

/* A worker's; shape 0: the place is free. */
struct store {
    struct key a_key[KEPT_A], b_key[KEPT_B];
    u32 next_a, next_b; /* to be given away */
    struct factor_a a[KEPT_A];
    struct factor_b b[KEPT_B];
};

static struct store *store_of(struct wl_worker *worker)
{
    if (!worker->factors)
        worker->factors = wl_alloc_aligned(64, sizeof(struct store));
    return worker->factors;
}

static struct key key_of(const struct fragment *fragment)
{
    return (struct key){fragment->registers[0],
                        fragment->blocks | fragment->k << 8 | (u32)fragment->format << 16 |
                            fragment->selector << 24 | (u32)fragment->is_by_chunks << 29 |
                            (u32)fragment->is_sparse << 30 | 1u << 31};
}

/* The place that has the key, or one that is free for it from now on. */
static u32 place_of(struct key key, struct key *keys, u32 count, u32 *next, bool *is_known)
{
    for (u32 i = 0; i < count; i++)
        if (keys[i].first == key.first && keys[i].shape == key.shape) {
            *is_known = true;
            return i;
        }
    const u32 place = (*next)++ % count;
    keys[place] = key;
    *is_known = false;
    return place;
}

static u32 register_count(const struct fragment *fragment)
{
    const u32 all = fragment->blocks * fragment->k * wl_matrix_format_bits(fragment->format) / 128;
    return fragment->is_sparse ? all / 2 + 1 : all;
}

static bool is_same(const struct fragment *fragment, tile_words (*made_from)[TILE_VECTORS])
{
    const u32 count = register_count(fragment);
    tile_words difference = tile_all(0);
    for (u32 r = 0; r < count; r++) {
        const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
        for (u32 v = 0; v < TILE_VECTORS; v++)
            difference |= lanes[v] ^ made_from[r][v];
    }
    return !tile_has_any(difference);
}

static void keep(const struct fragment *fragment, tile_words (*made_from)[TILE_VECTORS])
{
    const u32 count = register_count(fragment);
    for (u32 r = 0; r < count; r++)
        memcpy(made_from[r], lane_register(fragment->warp, fragment->registers[r]),
               sizeof made_from[r]);
}

enum { E4M3_SCALE_EXPONENT = 8 }; /* what its bits are less as a half's */

/* Half p of each word as two halves of the same value, e4m3 of its 2^-E4M3_SCALE_EXPONENT, if they
 * are 8-bit floating-point numbers; else the words. NaN of e4m3 is noted. */
TILE_INLINE tile_words widen(tile_words words, u32 p, enum wl_matrix_format format, tile_words *far)
{
    if (!factor_is_narrow_float(format))
        return words;
    const tile_words moved = words >> (s32)(16 * p);
    const tile_words bytes = (moved & 0xff) | ((moved & 0xff00) << 8);
    if (format == WL_FORMAT_E5M2)
        return bytes << 8;
    const tile_words magnitude = bytes & 0x007f007f;
    *far |= (tile_words)((tile_pairs)magnitude == 0x7f);
    return ((bytes & 0x00800080) << 8) | magnitude << 7;
}

/* Value i of each word, in single precision. */
TILE_INLINE tile_words value_of(tile_words words, u32 i, enum wl_matrix_format format)
{
    switch (format) {
    case WL_FORMAT_F16:
    case WL_FORMAT_E5M2:
        return (tile_words)factor_half(words >> (s32)(16 * i));
    case WL_FORMAT_E4M3:
        return (tile_words)(factor_half(words >> (s32)(16 * i)) *
                            (float)(1 << E4M3_SCALE_EXPONENT));
    case WL_FORMAT_BF16:
        return (i ? words : words << 16) & (s32)0xffff0000;
    case WL_FORMAT_TF32:
        return words & (s32)0xffffe000;
    case WL_FORMAT_S8:
        return (tile_words) __builtin_convertvector((words << (s32)(24 - 8 * i)) >> 24,
                                                    tile_floats);
    default:
        return (tile_words) __builtin_convertvector((words >> (s32)(8 * i)) & 255, tile_floats);
    }
}

/* The exponents of the values of each word, biased by `bias`; notes those that are too far. */
TILE_INLINE tile_words exponents_of(tile_words words, enum wl_matrix_format format, int16_t bias,
                                    tile_words *far)
{
    const bool is_half = format == WL_FORMAT_F16 || factor_is_narrow_float(format);
    const int16_t most = is_half ? 15 : FACTOR_EXPONENT_MAX;
    if (format == WL_FORMAT_TF32) /* as bf16 in the lower half, which keeps 0 apart; the upper one
                                     has none */
        words = ((words >> 16) & 0xffff) | ((words & 0xe000) >> 13);
    if (format == WL_FORMAT_E4M3)
        bias += E4M3_SCALE_EXPONENT;
    const tile_pairs magnitude = (tile_pairs)words & 0x7fff;
    const tile_pairs is_zero = magnitude == 0;
    tile_pairs biased = magnitude >> (is_half ? 10 : 7);
    if (is_half)
        biased -= biased == 0; /* of subnormal ones */
    const tile_pairs exponent = biased - (int16_t)(is_half ? 15 : 127);
    *far |= (tile_words)(~is_zero & ((exponent > most) | (exponent < (int16_t)-most)));
    return tile_select((tile_words)is_zero, (tile_words)((tile_pairs){0} + (int16_t)FACTOR_ZERO),
                       (tile_words)(exponent + bias));
}

/* How values lie in a block: units are halves of words of 8-bit floating-point factors, else words.
 */
struct lay {
    u32 words, units; /* of k; units to a word */
    u32 values;       /* of a unit */
};

TILE_INLINE struct lay lay_of(const struct fragment *fragment, enum wl_matrix_format format)
{
    const u32 per = 32 / wl_matrix_format_bits(format),
              units = factor_is_narrow_float(format) ? 2 : 1;
    return (struct lay){fragment->k / per, units, per / units};
}

/* Words of a register of A to the vectors of four places, `step` from one to the next. */
TILE_INLINE void spread_rows(const tile_words *from, tile_words *to, u32 step)
{
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        to[v] = TILE_SPREAD(from[v], 0);
        to[step * TILE_VECTORS + v] = TILE_SPREAD(from[v], 1);
        to[2 * step * TILE_VECTORS + v] = TILE_SPREAD(from[v], 2);
        to[3 * step * TILE_VECTORS + v] = TILE_SPREAD(from[v], 3);
    }
}

TILE_INLINE void read_a(struct factor_a *self, const struct fragment *fragment,
                        enum wl_matrix_format format)
{
    const struct lay lay = lay_of(fragment, format);
    tile_words far = tile_all(0), unit[TILE_VECTORS], from[TILE_VECTORS];
    for (u32 r = 0; r < fragment->blocks * (lay.words / 4); r++)
        for (u32 p = 0; p < lay.units; p++) {
            const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
            const u32 at =
                (r % fragment->blocks * lay.units + p) * lay.words + r / fragment->blocks * 4;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                unit[v] = widen(lanes[v], p, format, &far);
            for (u32 i = 0; i < lay.values; i++) {
                for (u32 v = 0; v < TILE_VECTORS; v++)
                    from[v] = value_of(unit[v], i, format);
                spread_rows(from, (tile_words *)self->value[at * lay.values + i], lay.values);
            }
            if (!factor_is_float(format))
                continue;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                from[v] = exponents_of(unit[v], format, 0, &far);
            spread_rows(from, self->exponent[at], 1);
        }
    self->is_far = tile_has_any(far);
}

/* Word q of each four, in all four. */
TILE_INLINE tile_words spread(tile_words words, u32 q)
{
    return q == 0   ? TILE_SPREAD(words, 0)
           : q == 1 ? TILE_SPREAD(words, 1)
           : q == 2 ? TILE_SPREAD(words, 2)
                    : TILE_SPREAD(words, 3);
}

/* What stands at a place of the chunks whose nibbles these are: one of two elements, or nothing. */
TILE_INLINE tile_words placed(tile_words nibbles, enum wl_matrix_format format, u32 place,
                              const tile_words *elements, tile_words nothing)
{
    if (format == WL_FORMAT_TF32)
        return tile_select((nibbles >> 1 & 1) == (s32)place, elements[0], nothing);
    return tile_select((nibbles & 3) == (s32)place, elements[0],
                       tile_select((nibbles >> 2 & 3) == (s32)place, elements[1], nothing));
}

/* The exponents of a chunk: of 16-bit elements two in a word. */
TILE_INLINE void place_exponents(tile_words nibbles, enum wl_matrix_format format, tile_words pairs,
                                 tile_words (*to)[TILE_VECTORS], u32 v)
{
    const tile_words nothing = tile_all(FACTOR_ZERO & 0xffff);
    const tile_words exponents[] = {pairs & 0xffff, pairs >> 16 & 0xffff};
    for (u32 place = 0; place < 2; place++)
        if (format == WL_FORMAT_TF32)
            to[place][v] = placed(nibbles, format, place, exponents, nothing) | nothing << 16;
        else
            to[place][v] = placed(nibbles, format, 2 * place, exponents, nothing) |
                           placed(nibbles, format, 2 * place + 1, exponents, nothing) << 16;
}

/* Where the places of a chunk begin: of 8-bit floating-point factors every other is of step 2. */
TILE_INLINE u32 first_place(enum wl_matrix_format format, u32 k, u32 chunk)
{
    if (!factor_is_narrow_float(format))
        return chunk * sparse_chunk(format);
    return chunk % 2 * (k / 2) + chunk / 2 * sparse_chunk(format);
}

/* Chunk `part` of those in word q of a register of a sparse A goes to its places. */
TILE_INLINE void read_chunk(struct factor_a *self, const struct fragment *fragment,
                            enum wl_matrix_format format, u32 r, u32 q, u32 part, tile_words *far)
{
    const u32 row_block = r % fragment->blocks, width = sparse_chunk(format),
              parts = wl_matrix_format_bits(format) == 8 ? 2 : 1,
              chunk = (r / fragment->blocks * 4 + q) * parts + part;
    const u32 at = row_block * fragment->k + first_place(format, fragment->k, chunk);
    const struct sparse_place place =
        sparse_nibble(format, fragment->k, fragment->selector, row_block, chunk);
    const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]),
                     *metadata = lane_register(fragment->warp,
                                               fragment->registers[register_count(fragment) - 1]);
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        const tile_words words = widen(spread(lanes[v], q), part, format, far),
                         nibbles = spread(metadata[v], place.lane) >> (s32)place.shift;
        const u32 first = factor_is_narrow_float(format) ? 0 : part * 2;
        const tile_words elements[] = {
            value_of(words, first, format),
            format == WL_FORMAT_TF32 ? tile_all(0) : value_of(words, first + 1, format)};
        for (u32 i = 0; i < width; i++)
            ((tile_words *)self->value[at + i])[v] =
                placed(nibbles, format, i, elements, tile_all(0));
        if (format == WL_FORMAT_TF32) /* halves of two elements are taken for one */
            *far |= ((nibbles & 15) != 4) & ((nibbles & 15) != 14);
        else /* an index twice: both elements count */
            *far |= ((nibbles ^ nibbles >> 2) & 3) == 0;
        if (factor_is_float(format))
            place_exponents(nibbles, format, exponents_of(words, format, 0, far),
                            self->exponent + (format == WL_FORMAT_TF32 ? at : at / 2), v);
    }
}

TILE_INLINE void read_sparse(struct factor_a *self, const struct fragment *fragment,
                             enum wl_matrix_format format)
{
    const u32 parts = wl_matrix_format_bits(format) == 8 ? 2 : 1;
    tile_words far = tile_all(0);
    for (u32 r = 0; r < register_count(fragment) - 1; r++)
        for (u32 q = 0; q < 4; q++)
            for (u32 part = 0; part < parts; part++)
                read_chunk(self, fragment, format, r, q, part, &far);
    self->is_far = tile_has_any(far);
}

TILE_INLINE void read_b(struct factor_b *self, const struct fragment *fragment,
                        enum wl_matrix_format format)
{
    const struct lay lay = lay_of(fragment, format);
    tile_words far = tile_all(0), unit[TILE_VECTORS], from[TILE_VECTORS];
    tile_word_quad taken[4][2];
    for (u32 r = 0; r < fragment->blocks * (lay.words / 4); r++)
        for (u32 p = 0; p < lay.units; p++) {
            const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
            const u32 block = 4 * r / lay.words,
                      at = (block * (lay.units - 1) + p) * lay.words + 4 * r;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                unit[v] = widen(lanes[v], p, format, &far);
            for (u32 i = 0; i < lay.values; i++) {
                for (u32 v = 0; v < TILE_VECTORS; v++)
                    from[v] = value_of(unit[v], i, format);
                tile_take_columns(from, taken);
                for (u32 q = 0; q < 4; q++)
                    memcpy(self->value[(at + q) * lay.values + i], taken[q], sizeof taken[q]);
            }
            if (!factor_is_float(format))
                continue;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                from[v] = exponents_of(unit[v], format, FACTOR_BIAS, &far);
            tile_take_columns(from, &self->exponent[at]);
        }
    self->is_far = tile_has_any(far);
}

/* B of a sparse A of 8-bit floating-point factors, each of whose words is a chunk. */
TILE_INLINE void read_chunks(struct factor_b *self, const struct fragment *fragment,
                             enum wl_matrix_format format)
{
    tile_words far = tile_all(0), unit[TILE_VECTORS], from[TILE_VECTORS];
    tile_word_quad taken[4][2];
    for (u32 r = 0; r < fragment->blocks * fragment->k / 16; r++)
        for (u32 p = 0; p < 2; p++) {
            const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
            const u32 block = 16 * r / fragment->k, chunk = 4 * r % (fragment->k / 4);
            for (u32 v = 0; v < TILE_VECTORS; v++)
                unit[v] = widen(lanes[v], p, format, &far);
            for (u32 i = 0; i < 2; i++) {
                for (u32 v = 0; v < TILE_VECTORS; v++)
                    from[v] = value_of(unit[v], i, format);
                tile_take_columns(from, taken);
                for (u32 q = 0; q < 4; q++)
                    memcpy(self->value[block * fragment->k +
                                       first_place(format, fragment->k, chunk + q) + 2 * p + i],
                           taken[q], sizeof taken[q]);
            }
            for (u32 v = 0; v < TILE_VECTORS; v++)
                from[v] = exponents_of(unit[v], format, FACTOR_BIAS, &far);
            tile_take_columns(from, taken);
            for (u32 q = 0; q < 4; q++)
                memcpy(self->exponent[(block * fragment->k +
                                       first_place(format, fragment->k, chunk + q)) /
                                          2 +
                                      p],
                       taken[q], sizeof taken[q]);
        }
    self->is_far = tile_has_any(far);
}

#define FOR_FORMAT(read, self, fragment)      \
    switch ((fragment)->format) {             \
    case WL_FORMAT_F16:                       \
        read(self, fragment, WL_FORMAT_F16);  \
        break;                                \
    case WL_FORMAT_BF16:                      \
        read(self, fragment, WL_FORMAT_BF16); \
        break;                                \
    case WL_FORMAT_TF32:                      \
        read(self, fragment, WL_FORMAT_TF32); \
        break;                                \
    case WL_FORMAT_E4M3:                      \
        read(self, fragment, WL_FORMAT_E4M3); \
        break;                                \
    case WL_FORMAT_E5M2:                      \
        read(self, fragment, WL_FORMAT_E5M2); \
        break;                                \
    case WL_FORMAT_S8:                        \
        read(self, fragment, WL_FORMAT_S8);   \
        break;                                \
    default:                                  \
        read(self, fragment, WL_FORMAT_U8);   \
        break;                                \
    }

const struct factor_a *WL_EXEC(factor_of_a)(const struct fragment *fragment)
{
    struct store *store = store_of(fragment->warp->worker);
    bool is_known;
    struct factor_a *self =
        &store->a[place_of(key_of(fragment), store->a_key, KEPT_A, &store->next_a, &is_known)];
    if (is_known && is_same(fragment, self->made_from))
        return self;
    keep(fragment, self->made_from);
    if (fragment->is_sparse) {
        FOR_FORMAT(read_sparse, self, fragment)
    } else {
        FOR_FORMAT(read_a, self, fragment)
    }
    return self;
}

const struct factor_b *WL_EXEC(factor_of_b)(const struct fragment *fragment)
{
    struct store *store = store_of(fragment->warp->worker);
    bool is_known;
    struct factor_b *self =
        &store->b[place_of(key_of(fragment), store->b_key, KEPT_B, &store->next_b, &is_known)];
    if (is_known && is_same(fragment, self->made_from))
        return self;
    keep(fragment, self->made_from);
    if (fragment->is_by_chunks && fragment->format == WL_FORMAT_E4M3) {
        read_chunks(self, fragment, WL_FORMAT_E4M3);
    } else if (fragment->is_by_chunks) {
        read_chunks(self, fragment, WL_FORMAT_E5M2);
    } else {
        FOR_FORMAT(read_b, self, fragment)
    }
    return self;
}

#endif
