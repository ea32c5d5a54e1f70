/* Values of other lanes of the warp (PTX ISA, shfl.sync). Register b names the lane, c packs the
 * clamp (bits 0-4) and the mask of the segments (bits 8-12). */
#include "sim/exec/lanes.h"
#include "sim/exec/pick.h"

#ifdef __AVX2__
enum { VECTOR_LANES = 8, VECTORS = WL_LANES / VECTOR_LANES };

/* The lane from which each of eight reads; others than those of `inside` ask for one beyond their
 * segment. */
static inline __m256i find_sources(uint8_t kind, __m256i lane, __m256i b, __m256i c,
                                   __m256i *inside)
{
    const __m256i low = _mm256_set1_epi32(31), amount = _mm256_and_si256(b, low);
    const __m256i clamp = _mm256_and_si256(c, low);
    const __m256i segment = _mm256_and_si256(_mm256_srli_epi32(c, 8), low);
    const __m256i bottom = _mm256_and_si256(lane, segment);
    const __m256i top = _mm256_or_si256(bottom, _mm256_andnot_si256(segment, clamp));
    __m256i from;
    if (kind == WL_SHUFFLE_UP) {
        from = _mm256_sub_epi32(lane, amount);
        *inside = _mm256_cmpgt_epi32(top, from);
    } else {
        from = kind == WL_SHUFFLE_DOWN ? _mm256_add_epi32(lane, amount)
               : kind == WL_SHUFFLE_XOR
                   ? _mm256_xor_si256(lane, amount)
                   : _mm256_or_si256(bottom, _mm256_andnot_si256(segment, amount));
        *inside = _mm256_cmpgt_epi32(from, top);
    }
    *inside = _mm256_xor_si256(*inside, _mm256_set1_epi32(-1));
    return from;
}

/* Sets the active lanes of dst; returns those that read from their segment. */
static inline __attribute__((always_inline)) u32 shuffle(struct wl_warp *warp,
                                                         const struct wl_op *op, uint8_t kind)
{
    const __m256i *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const __m256i *c = lane_register(warp, op->c);
    const __m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i all[VECTORS] = {a[0], a[1], a[2], a[3]};
    __m256i result[VECTORS], *d = lane_register(warp, op->dst);
    u32 valid = 0;
    for (int i = 0; i < VECTORS; i++) {
        const __m256i lane = _mm256_add_epi32(first, _mm256_set1_epi32(i * VECTOR_LANES));
        __m256i inside;
        const __m256i from = find_sources(kind, lane, b[i], c[i], &inside);
        result[i] = pick_of_32(all, choose_lanes(lane, from, inside));
        valid |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(inside)) << (i * VECTOR_LANES);
    }
    const __m256i *bits = (const __m256i *)(const void *)lane_bits_4;
    const __m256i active = _mm256_set1_epi32((int)warp->active);
    for (int i = 0; i < VECTORS; i++) {
        const __m256i is_on = _mm256_cmpeq_epi32(_mm256_and_si256(active, bits[i]), bits[i]);
        d[i] = choose_lanes(d[i], result[i], is_on);
    }
    return valid;
}

/* Each kind has code of its own. */
static inline u32 shuffle_kind(struct wl_warp *warp, const struct wl_op *op)
{
    switch (op->kind) {
    case WL_SHUFFLE_UP:
        return shuffle(warp, op, WL_SHUFFLE_UP);
    case WL_SHUFFLE_DOWN:
        return shuffle(warp, op, WL_SHUFFLE_DOWN);
    case WL_SHUFFLE_XOR:
        return shuffle(warp, op, WL_SHUFFLE_XOR);
    default:
        return shuffle(warp, op, WL_SHUFFLE_INDEX);
    }
}
#else
#define SHUFFLE_FROM(from_expression, inside_expression)                       \
    WL_FOR_LANES (i) {                                                         \
        const s32 amount = (s32)(b[i] & 31), clamp = (s32)(c[i] & 31);         \
        const s32 segment = (s32)(c[i] >> 8 & 31), bottom = i & segment;       \
        const s32 top = bottom | (clamp & ~segment), from = (from_expression); \
        (void)amount, (void)bottom;                                            \
        inside[i] = (u32)(inside_expression);                                  \
        source[i] = (u32)((inside_expression) ? from : i) & 31;                \
    }

/* The lane that each reads from, and 1 where that is one of its segment: else it is the lane
 * itself. */
static void find_sources(uint8_t kind, const u32 *b, const u32 *c, u32 *source, u32 *inside)
{
    switch (kind) {
    case WL_SHUFFLE_UP:
        SHUFFLE_FROM(i - amount, from >= top);
        break;
    case WL_SHUFFLE_DOWN:
        SHUFFLE_FROM(i + amount, from <= top);
        break;
    case WL_SHUFFLE_XOR:
        SHUFFLE_FROM(i ^ amount, from <= top);
        break;
    default:
        SHUFFLE_FROM(bottom | (amount & ~segment), from <= top);
        break;
    }
}

static inline u32 shuffle_kind(struct wl_warp *warp, const struct wl_op *op)
{
    const u32 active = warp->active, *a = lane_register(warp, op->a);
    u32 source[WL_LANES] __attribute__((aligned(64))), inside[WL_LANES], valid = 0;
    u32 result[WL_LANES] __attribute__((aligned(64)));
    u32 *d = lane_register(warp, op->dst);
    find_sources(op->kind, lane_register(warp, op->b), lane_register(warp, op->c), source, inside);
    for (int i = 0; i < WL_LANES; i++)
        result[i] = a[source[i]];
    WL_FOR_LANES (i)
        d[i] = active >> i & 1 ? result[i] : d[i];
    if (op->d != UINT32_MAX)
        WL_FOR_LANES (i)
            valid |= inside[i] << i;
    return valid;
}
#endif

const struct wl_op *WL_EXEC(SHUFFLE)(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *WL_EXEC(SHUFFLE)(struct wl_warp *warp, const struct wl_op *op)
{
    const u32 valid = shuffle_kind(warp, op);
    if (op->d != UINT32_MAX)
        set_predicate(warp, op->d, valid);
    return op + 1;
}
