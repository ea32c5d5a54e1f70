/* Loads and stores of shared memory that fit no window: by some lanes, of elements of other widths,
 * or farther apart. Where nothing is counted they need not be known; else all is as it was the last
 * time, or they go the long way. */
#ifndef WL_SIM_EXEC_SPREAD_H
#define WL_SIM_EXEC_SPREAD_H

#include "sim/exec/active_run.h"

/* Whether accesses of the site are done without learning from them: nobody counts them, and no
 * window helps them. */
static inline bool is_unlearnt(const struct wl_warp *warp, const struct wl_op *op,
                               const struct wl_shared_memo *memo)
{
    return !warp->worker->run->count && !warp->trace &&
           (warp->active != WL_FULL_MASK || memo->surprises >= WL_SHARED_SURPRISES ||
            op->width_bytes != 4 || op->flags & WL_OPF_DST64);
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/* The signs of eight lanes. */
static inline u32 lane_mask(__m256i lanes)
{
    return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}
#endif

/* The active lanes whose offset is not aligned, or lies beyond `most`. */
static inline u32 find_astray(const u32 *offset, u32 active, u32 most, u32 bytes)
{
#ifdef __AVX512F__
    const __m512i low = _mm512_load_si512(offset), high = _mm512_load_si512(offset + 16);
    const __m512i limit = _mm512_set1_epi32((int)most), rest = _mm512_set1_epi32((int)bytes - 1);
    const u32 low_astray = _mm512_cmpgt_epu32_mask(low, limit) | _mm512_test_epi32_mask(low, rest);
    const u32 high_astray =
        _mm512_cmpgt_epu32_mask(high, limit) | _mm512_test_epi32_mask(high, rest);
    return (low_astray | high_astray << 16) & active;
#elif defined(__AVX2__)
    const __m256i limit = _mm256_set1_epi32((int)most), rest = _mm256_set1_epi32((int)bytes - 1);
    u32 fit = 0;
    for (u32 i = 0; i < WL_LANES; i += 8) {
        const __m256i at = _mm256_load_si256((const __m256i *)(const void *)(offset + i));
        const __m256i is_low = _mm256_cmpeq_epi32(_mm256_min_epu32(at, limit), at);
        const __m256i is_even =
            _mm256_cmpeq_epi32(_mm256_and_si256(at, rest), _mm256_setzero_si256());
        fit |= lane_mask(_mm256_and_si256(is_low, is_even)) << i;
    }
    return ~fit & active;
#else
    u32 astray = 0;
    WL_FOR_LANES (i)
        astray |= (u32)((offset[i] > most) | ((offset[i] & (bytes - 1)) != 0)) << i;
    return astray & active;
#endif
}

/* The active lanes for which offset[i] is not first + known[i]. */
static inline u32 find_differing(const u32 *offset, u32 active, u32 first, const u32 *known)
{
#ifdef __AVX512F__
    const __m512i start = _mm512_set1_epi32((int)first);
    const __m512i low = _mm512_sub_epi32(_mm512_load_si512(offset), start);
    const __m512i high = _mm512_sub_epi32(_mm512_load_si512(offset + 16), start);
    return (_mm512_cmpneq_epi32_mask(low, _mm512_load_si512(known)) |
            (u32)_mm512_cmpneq_epi32_mask(high, _mm512_load_si512(known + 16)) << 16) &
           active;
#elif defined(__AVX2__)
    const __m256i start = _mm256_set1_epi32((int)first);
    u32 same = 0;
    for (u32 i = 0; i < WL_LANES; i += 8) {
        const __m256i at = _mm256_load_si256((const __m256i *)(const void *)(offset + i));
        const __m256i expected = _mm256_load_si256((const __m256i *)(const void *)(known + i));
        same |= lane_mask(_mm256_cmpeq_epi32(_mm256_sub_epi32(at, start), expected)) << i;
    }
    return ~same & active;
#else
    u32 differing = 0;
    WL_FOR_LANES (i)
        differing |= (u32)(offset[i] - first != known[i]) << i;
    return differing & active;
#endif
}

static inline void find_offsets(const struct wl_warp *warp, const struct wl_op *op, u32 *offset)
{
    if (op->flags & WL_OPF_NO_ADDRESS) {
        WL_FOR_LANES (i)
            offset[i] = (u32)op->imm;
        return;
    }
    const u32 *base = lane_register(warp, op->a);
    const u64 *wide_base = lane_register(warp, op->a);
    if (op->flags & WL_OPF_ADDRESS32)
        WL_FOR_LANES (i)
            offset[i] = base[i] + (u32)op->imm;
    else
        WL_FOR_LANES (i)
            offset[i] = (u32)wide_base[i] + (u32)op->imm;
}

/* Whether each active lane's element lies behind that of the lane before it, active or not. */
static inline bool forms_run(const struct access *access, const u32 *offset, u32 lane)
{
    static const u32 words[WL_LANES] __attribute__((aligned(64))) = {
        0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
        64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
    static const u32 doubles[WL_LANES] __attribute__((aligned(64))) = {
        0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,  96,  104, 112, 120,
        128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248};
    const struct wl_op *op = access->op;
    const bool is_wide = op->flags & WL_OPF_DST64;
    const u32 last = 31 - (u32)__builtin_clz(access->warp->active);
    return op->count == 1 && op->width_bytes == (is_wide ? 8 : 4) &&
           offset[last] - offset[lane] == (last - lane) * op->width_bytes &&
           !find_differing(offset, access->warp->active, offset[lane] - lane * op->width_bytes,
                           is_wide ? doubles : words);
}

/* Checks and counts such an access; `address` holds pointers afterwards, or `window` where the run
 * begins that lane 0 would begin, with the shape CONTIGUOUS, or the window begins, with WINDOW.
 * False: nothing happened. */
static inline bool reach_spread(struct access *access, struct wl_warp *warp, const struct wl_op *op,
                                enum wl_site_access kind)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const struct wl_run *run = warp->worker->run;
    struct wl_shared_memo *memo = &site->memo;
    const u32 bytes = (u32)op->width_bytes * op->count, lane = (u32)__builtin_ctz(warp->active);
    u32 offset[WL_LANES] __attribute__((aligned(64)));
    u64 start = 0;
    if (run->reaches_peers)
        return false;
    find_offsets(warp, op, offset);
    const bool is_known = !is_unlearnt(warp, op, memo);
    if (!is_known) {
        if (run->shared_bytes < bytes ||
            find_astray(offset, warp->active, run->shared_bytes - bytes, bytes))
            return false;
    } else {
        if (!memo->pattern || memo->mask != warp->active ||
            !memo_holds(memo, offset[lane], &start) ||
            find_differing(offset, warp->active, offset[lane], memo->pattern->offset))
            return false;
        memo->repeats += run->count;
        if (warp->trace)
            trace_shared(warp, op, memo);
    }
    access->warp = warp;
    access->op = op;
    access->site = site;
    access->bytes = bytes;
    access->kind = kind;
    access->is_local = access->has_rows = false;
    if (is_known && memo->window) {
        access->shape = WL_SHAPE_WINDOW;
        access->window = (u64)(uintptr_t)warp->shared + start;
        return true;
    }
    const u64 base = (u64)(uintptr_t)warp->shared;
    if (forms_run(access, offset, lane)) {
        access->shape = WL_SHAPE_CONTIGUOUS;
        access->window = base + offset[lane] - lane * bytes;
        return true;
    }
    access->shape = WL_SHAPE_SCATTERED;
    const u32 first = offset[lane], active = warp->active;
    WL_FOR_LANES (i)
        access->address[i] = base + (active & lane_bits_4[i] ? offset[i] : first);
    return true;
}

static inline void load_spread(struct access *access)
{
    if (access->shape != WL_SHAPE_CONTIGUOUS)
        load(access);
    else if (access->op->dst != UINT32_MAX)
        move_run(access, true);
}

static inline void store_spread(struct access *access)
{
    if (access->shape != WL_SHAPE_CONTIGUOUS)
        store(access);
    else
        move_run(access, false);
}

#endif
