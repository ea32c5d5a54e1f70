#include "sim/exec/factors.h"

#include "sim/exec/sparse.h"

#ifdef __AVX2__
static u64 key_of(const struct fragment *fragment)
{
    const u32 shape = fragment->blocks | fragment->k << 8 | (u32)fragment->format << 16 |
                      fragment->selector << 24 | (u32)fragment->is_by_chunks << 29 |
                      (u32)fragment->is_sparse << 30 | 1u << 31;
    return (u64)shape << 32 | fragment->registers[0];
}

/* The place that has the key, or one that is free for it from now on. */
TILE_INLINE u32 place_of(u64 key, u64 *keys, u32 count, u32 *next, bool *is_known)
{
    u32 found = 0;
    for (u32 i = 0; i < count; i += 4) {
        const __m256i same = _mm256_cmpeq_epi64(_mm256_loadu_si256((const __m256i_u *)(keys + i)),
                                                _mm256_set1_epi64x((s64)key));
        found |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << i;
    }
    *is_known = found != 0;
    if (found)
        return (u32)__builtin_ctz(found);
    const u32 place = (*next)++ % count;
    keys[place] = key;
    return place;
}

static void keep(const struct fragment *fragment, tile_words (*made_from)[TILE_VECTORS])
{
    const u32 count = factor_registers(fragment);
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
        return (tile_words)tile_of_halves(words >> (s32)(16 * i));
    case WL_FORMAT_E4M3:
        return (tile_words)(tile_of_halves(words >> (s32)(16 * i)) *
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

static inline bool is_half_like(enum wl_matrix_format format)
{
    return format == WL_FORMAT_F16 || factor_is_narrow_float(format);
}

/* Words whose pairs begin with the signs and exponents of their values. Of tf32 the lower pair is
 * as of bf16, which keeps 0 apart, and the upper one is 0. */
TILE_INLINE tile_words pairs_of(tile_words words, enum wl_matrix_format format)
{
    if (format == WL_FORMAT_TF32)
        return ((words >> 16) & 0xffff) | ((words & 0xe000) >> 13);
    return words;
}

/* Of halves the greatest exponent that they can have, of others that of the fragment's greatest. */
TILE_INLINE s32 base_of(const struct fragment *fragment, u32 count, enum wl_matrix_format format)
{
    tile_words greatest = tile_all(0);
    if (!factor_is_float(format))
        return 0;
    if (is_half_like(format))
        return format == WL_FORMAT_E4M3 ? 15 + E4M3_SCALE_EXPONENT : 15;
    for (u32 r = 0; r < count; r++) {
        const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
        for (u32 v = 0; v < TILE_VECTORS; v++)
            greatest = tile_max_pairs(greatest, pairs_of(lanes[v], format) & 0x7fff7fff);
    }
    return (tile_greatest_pair(greatest) >> 7) - 127;
}

/* The exponents of the values of each word, as bytes in its pairs; notes those that are too far. */
TILE_INLINE tile_words exponents_of(tile_words words, enum wl_matrix_format format, s32 base,
                                    tile_words *far)
{
    const tile_pairs magnitude = (tile_pairs)pairs_of(words, format) & 0x7fff;
    const tile_pairs is_zero = magnitude == 0;
    tile_pairs byte;
    if (is_half_like(format)) {
        byte = magnitude >> 10;
        byte += (int16_t)(FACTOR_TOP - 30) - (byte == 0); /* subnormal ones have that of 1 */
        *far |= (tile_words)(byte > (int16_t)FACTOR_TOP);
    } else {
        const s32 least = 127 - FACTOR_EXPONENT_MAX - base;
        byte = (magnitude >> 7) - (int16_t)base;
        *far |= (tile_words)(~is_zero &
                             (byte < (int16_t)(least > FACTOR_LEAST ? least : FACTOR_LEAST)));
        *far |= tile_all(base > FACTOR_EXPONENT_MAX ? -1 : 0);
    }
    return (tile_words)(byte & ~is_zero);
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

/* Exponents of a register of A to the places of its values. */
TILE_INLINE void spread_exponents(const tile_words *pairs, struct factor_a_four *to, u32 values)
{
    for (u32 i = 0; i < values; i++)
        for (u32 q = 0; q < 4; q++)
            to[i].exponent[q] = tile_spread_bytes(pairs, 4 * q + 2 * i);
}

TILE_INLINE void read_a(struct factor_a *self, const struct fragment *fragment,
                        enum wl_matrix_format format)
{
    const struct lay lay = lay_of(fragment, format);
    tile_words far = tile_all(0), unit[TILE_VECTORS], from[TILE_VECTORS];
    self->base = base_of(fragment, factor_registers(fragment), format);
    for (u32 r = 0, block = 0, inner = 0; r < fragment->blocks * (lay.words / 4); r++) {
        for (u32 p = 0; p < lay.units; p++) {
            const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
            const u32 four = block * fragment->k / 4 + (p * lay.words / 4 + inner) * lay.values;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                unit[v] = widen(lanes[v], p, format, &far);
            for (u32 i = 0; i < lay.values; i++)
                for (u32 v = 0; v < TILE_VECTORS; v++)
                    self->four[four + i].value[v] = (tile_floats)value_of(unit[v], i, format);
            if (!factor_is_float(format))
                continue;
            for (u32 v = 0; v < TILE_VECTORS; v++)
                from[v] = exponents_of(unit[v], format, self->base, &far);
            spread_exponents(from, self->four + four, lay.values);
        }
        block = block + 1 < fragment->blocks ? block + 1 : 0;
        inner += block == 0;
    }
    self->is_far = tile_has_any(far);
}

/* What stands at a place of the chunks whose nibbles these are: one of two elements, or nothing. */
TILE_INLINE tile_words placed(tile_words nibbles, enum wl_matrix_format format, u32 place,
                              const tile_words *elements)
{
    if (format == WL_FORMAT_TF32)
        return elements[0] & ((nibbles >> 1 & 1) == (s32)place);
    return tile_select((nibbles & 3) == (s32)place, elements[0],
                       elements[1] & ((nibbles >> 2 & 3) == (s32)place));
}

/* Chunks that lie in a word of a sparse A. */
TILE_INLINE u32 parts_of(enum wl_matrix_format format)
{
    return wl_matrix_format_bits(format) == 8 ? 2 : 1;
}

/* Chunk `part` of those in each word of a register of a sparse A goes to its places. */
TILE_INLINE void read_chunks(struct factor_a *self, const struct fragment *fragment,
                             enum wl_matrix_format format, u32 r, u32 part, tile_words *far)
{
    const u32 row_block = r % fragment->blocks, group = r / fragment->blocks,
              width = sparse_chunk(format), parts = parts_of(format),
              groups = fragment->k / (4 * parts * width),
              four = row_block * fragment->k / 4 + (part * groups + group) * width;
    const struct sparse_place place =
        sparse_nibble(format, fragment->k, fragment->selector, row_block, 4 * group * parts + part);
    const s32 next = (s32)(4 * parts), shift = (s32)place.shift; /* from word to word */
    const tile_word_quad shifts = {shift, shift + next, shift + 2 * next, shift + 3 * next};
    const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]),
                     *metadata = lane_register(fragment->warp,
                                               fragment->registers[factor_registers(fragment) - 1]);
    const u32 first = factor_is_narrow_float(format) ? 0 : part * 2;
    tile_words exponent[2][TILE_VECTORS];
    for (u32 v = 0; v < TILE_VECTORS; v++) {
        const tile_words words = widen(lanes[v], part, format, far),
                         nibbles =
                             tile_spread(metadata[v], place.lane) >> tile_repeat_words(shifts);
        const tile_words elements[] = {
            value_of(words, first, format),
            format == WL_FORMAT_TF32 ? tile_all(0) : value_of(words, first + 1, format)};
        for (u32 i = 0; i < width; i++)
            self->four[four + i].value[v] = (tile_floats)placed(nibbles, format, i, elements);
        if (format == WL_FORMAT_TF32) /* halves of two elements are taken for one */
            *far |= ((nibbles & 15) != 4) & ((nibbles & 15) != 14);
        else /* an index twice: both elements count */
            *far |= ((nibbles ^ nibbles >> 2) & 3) == 0;
        if (!factor_is_float(format))
            continue;
        const tile_words pairs = exponents_of(words, format, self->base, far),
                         bytes[] = {pairs & 0xff, pairs >> 16 & 0xff};
        for (u32 i = 0; i < width; i += 2)
            exponent[i / 2][v] =
                placed(nibbles, format, i, bytes) | placed(nibbles, format, i + 1, bytes) << 16;
    }
    for (u32 i = 0; i < width && factor_is_float(format); i += 2)
        spread_exponents(exponent[i / 2], self->four + four + i, 2);
}

TILE_INLINE void read_sparse(struct factor_a *self, const struct fragment *fragment,
                             enum wl_matrix_format format)
{
    tile_words far = tile_all(0);
    self->base = base_of(fragment, factor_registers(fragment) - 1, format);
    for (u32 r = 0; r < factor_registers(fragment) - 1; r++)
        for (u32 part = 0; part < parts_of(format); part++)
            read_chunks(self, fragment, format, r, part, &far);
    self->is_far = tile_has_any(far);
}

/* The place of value i of unit p of word q of a block's register r. */
TILE_INLINE u32 place_in_b(const struct fragment *fragment, enum wl_matrix_format format,
                           bool is_by_chunks, u32 r, u32 p, u32 q, u32 i)
{
    const struct lay lay = lay_of(fragment, format);
    if (!is_by_chunks)
        return 4 * ((p * lay.words / 4 + r) * lay.values + i) + q;
    const u32 k = ((4 * r + q) * lay.units + p) * lay.values + i, width = sparse_chunk(format),
              parts = parts_of(format), chunk = k / width,
              groups = fragment->k / (4 * parts * width);
    const u32 group = chunk % parts * groups + chunk / parts / 4;
    return 4 * (group * width + k % width) + chunk / parts % 4;
}

TILE_INLINE void read_columns(struct factor_b *self, const struct fragment *fragment,
                              enum wl_matrix_format format, bool is_by_chunks)
{
    const struct lay lay = lay_of(fragment, format);
    tile_words far = tile_all(0), unit[TILE_VECTORS], from[TILE_VECTORS];
    tile_word_quad taken[4][2];
    uint8_t exponent[4][2][8];
    self->base = base_of(fragment, factor_registers(fragment), format);
    for (u32 r = 0, first = 0, inner = 0; r < fragment->blocks * (lay.words / 4); r++) {
        for (u32 p = 0; p < lay.units; p++) {
            const tile_words *lanes = lane_register(fragment->warp, fragment->registers[r]);
            for (u32 v = 0; v < TILE_VECTORS; v++) {
                unit[v] = widen(lanes[v], p, format, &far);
                if (factor_is_float(format))
                    from[v] = exponents_of(unit[v], format, self->base, &far);
            }
            if (factor_is_float(format))
                tile_take_bytes(from, exponent);
            for (u32 i = 0; i < lay.values; i++) {
                for (u32 v = 0; v < TILE_VECTORS; v++)
                    from[v] = value_of(unit[v], i, format);
                tile_take_columns(from, taken);
                for (u32 q = 0; q < 4; q++) {
                    const u32 at =
                        first + place_in_b(fragment, format, is_by_chunks, inner, p, q, i);
                    struct factor_b_four *to = &self->four[at / 4];
                    memcpy(to->value[at % 4], taken[q], sizeof taken[q]);
                    if (factor_is_float(format))
                        memcpy(to->exponent[at % 4], exponent[q][i], sizeof exponent[q][i]);
                }
            }
        }
        inner = inner + 1 < lay.words / 4 ? inner + 1 : 0;
        first += inner ? 0 : fragment->k;
    }
    self->is_far = tile_has_any(far);
}

TILE_INLINE void read_b(struct factor_b *self, const struct fragment *fragment,
                        enum wl_matrix_format format)
{
    read_columns(self, fragment, format, false);
}

TILE_INLINE void read_chunked_b(struct factor_b *self, const struct fragment *fragment,
                                enum wl_matrix_format format)
{
    read_columns(self, fragment, format, true);
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

void WL_EXEC(factor_make_a)(struct factor_a *self, const struct fragment *fragment)
{
    keep(fragment, self->made_from);
    if (fragment->is_sparse) {
        FOR_FORMAT(read_sparse, self, fragment)
    } else {
        FOR_FORMAT(read_a, self, fragment)
    }
}

void WL_EXEC(factor_make_b)(struct factor_b *self, const struct fragment *fragment)
{
    keep(fragment, self->made_from);
    if (fragment->is_by_chunks) {
        FOR_FORMAT(read_chunked_b, self, fragment)
    } else {
        FOR_FORMAT(read_b, self, fragment)
    }
}

u32 WL_EXEC(factor_of_a)(struct factor_store *store, const struct fragment *fragment)
{
    bool is_known;
    const u32 place =
        place_of(key_of(fragment), store->a_key, FACTORS_OF_A, &store->next_a, &is_known);
    struct factor_a *self = &store->a[place];
    if (!is_known || !factor_is_of(fragment->warp, fragment->registers, factor_registers(fragment),
                                   self->made_from[0]))
        WL_EXEC(factor_make_a)(self, fragment);
    return place;
}

u32 WL_EXEC(factor_of_b)(struct factor_store *store, const struct fragment *fragment)
{
    bool is_known;
    const u32 place =
        place_of(key_of(fragment), store->b_key, FACTORS_OF_B, &store->next_b, &is_known);
    struct factor_b *self = &store->b[place];
    if (!is_known || !factor_is_of(fragment->warp, fragment->registers, factor_registers(fragment),
                                   self->made_from[0]))
        WL_EXEC(factor_make_b)(self, fragment);
    return place;
}

#endif
