/* The move between memory and registers, once an access is checked: what loads and stores share. */
#ifndef WL_SIM_EXEC_MOVE_H
#define WL_SIM_EXEC_MOVE_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/access.h"
#include "sim/exec/every_other.h"
#include "sim/exec/gather.h"
#include "sim/exec/pick.h"
#include "sim/exec/quads.h"

static inline u32 element_register(const struct wl_op *op, int k)
{
    const u32 offsets[4] = {op->dst, op->b, op->c, op->d};
    return offsets[k];
}

/* d[i] = window[index[i] + element]: words of a window of so many vectors of 64 bytes; 0: index[i]
 * is i. */
static inline void permute_window(u32 *d, const void *window, const u32 *index, u32 element,
                                  u32 vectors)
{
    const char *bytes = (const char *)window + 4 * (size_t)element;
    if (vectors == 0) {
        memcpy(d, bytes, 64);
        memcpy(d + 16, bytes + 64, 64);
        return;
    }
#ifdef __AVX512F__
    const __m512i low_places = _mm512_load_si512(index);
    const __m512i high_places = _mm512_load_si512(index + 16);
    const __m512i w0 = _mm512_loadu_si512(bytes);
    __m512i low, high;
    if (vectors == 1) {
        low = _mm512_permutexvar_epi32(low_places, w0);
        high = _mm512_permutexvar_epi32(high_places, w0);
    } else {
        const __m512i w1 = _mm512_loadu_si512(bytes + 64);
        low = _mm512_permutex2var_epi32(w0, low_places, w1);
        high = _mm512_permutex2var_epi32(w0, high_places, w1);
    }
    if (vectors == 4) {
        const __m512i w2 = _mm512_loadu_si512(bytes + 128), w3 = _mm512_loadu_si512(bytes + 192);
        const __m512i behind = _mm512_set1_epi32(32);
        low = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(low_places, behind), low,
                                      _mm512_permutex2var_epi32(w2, low_places, w3));
        high = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(high_places, behind), high,
                                       _mm512_permutex2var_epi32(w2, high_places, w3));
    }
    _mm512_store_si512(d, low);
    _mm512_store_si512(d + 16, high);
#elif defined(__AVX2__)
    const __m256i *from = (const __m256i *)(const void *)bytes;
    const u32 *words = (const u32 *)(const void *)bytes;
    __m256i parts[4] = {_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)}, result;
    if (vectors > 1) {
        parts[2] = _mm256_loadu_si256(from + 2);
        parts[3] = _mm256_loadu_si256(from + 3);
    }
    for (int i = 0; i < WL_LANES; i += 8) {
        const __m256i places = _mm256_load_si256((const __m256i *)(const void *)(index + i));
#define WORD(k, ...) (s32) words[index[k]]
        result = vectors == 1   ? pick_of_16(parts, places)
                 : vectors == 2 ? pick_of_32(parts, places)
                                : _mm256_setr_epi32(EIGHT_LANES(WORD, i, ));
#undef WORD
        _mm256_store_si256((__m256i *)(void *)(d + i), result);
    }
#else
    const u32 *words = (const u32 *)(const void *)bytes;
    for (int i = 0; i < WL_LANES; i++)
        d[i] = words[index[i]];
#endif
}

/* A load of 4-byte elements all of which lie in one window. */
static inline void load_window(struct wl_warp *warp, const struct wl_op *op, const void *window,
                               const struct wl_shared_memo *memo)
{
    for (int k = 0; k < op->count; k++)
        if (element_register(op, k) != UINT32_MAX)
            permute_window(lane_register(warp, element_register(op, k)), window,
                           memo->pattern->index, (u32)k, memo->window_vectors);
}

static inline void store_window(struct wl_warp *warp, const struct wl_op *op, void *window,
                                const struct wl_shared_memo *memo)
{
    u32 *words = window;
    if (memo->window_vectors == 0 && op->count == 1) {
        const u32 *s = lane_register(warp, op->dst);
        memcpy(words, s, 64);
        memcpy(words + 16, s + 16, 64);
        return;
    }
    for (int k = 0; k < op->count; k++) {
        const u32 *s = lane_register(warp, element_register(op, k));
        for (int i = 0; i < WL_LANES; i++)
            words[memo->pattern->index[i] + (u32)k] = s[i];
    }
}

static inline void move_piece(void *lanes, u64 address, size_t bytes, bool is_load)
{
    is_load ? memcpy(lanes, POINTER(void, address), bytes)
            : memcpy(POINTER(void, address), lanes, bytes);
}

/* Moves a register to or from memory, run by run; needs address[] at every eighth lane only. */
static inline void move_runs(struct access *access, bool is_load)
{
    uint8_t *lanes = lane_register(access->warp, access->op->dst);
    const u64 *address = access->address;
    const u32 runs = 1u << (access->shape - WL_SHAPE_CONTIGUOUS);
    for (u32 piece = 0; piece < WL_LANES / 8; piece++) {
        /* eight lanes at a time: 32 or 64 bytes, of the run that they belong to */
        const u32 run = piece * runs / (WL_LANES / 8);
        const u32 first = run * (WL_LANES / runs);
        const u64 skip = (u64)(piece * 8 - first) * access->op->width_bytes;
        if (access->op->width_bytes == 4)
            move_piece(lanes + 32 * piece, address[first] + skip, 32, is_load);
        else
            move_piece(lanes + 64 * piece, address[first] + skip, 64, is_load);
    }
}

/* Words that all lanes load from one place. */
static inline void load_uniform(struct wl_warp *warp, const struct wl_op *op, const u32 *words)
{
    for (int k = 0; k < op->count; k++) {
        const u32 word = words[k];
        u32 *d = element_register(op, k) != UINT32_MAX
                     ? lane_register(warp, element_register(op, k))
                     : NULL;
        for (int i = 0; i < WL_LANES && d; i++)
            d[i] = word;
    }
}

static inline void load(struct access *access)
{
    struct wl_warp *warp = access->warp;
    const struct wl_op *op = access->op;
    if (access->shape == WL_SHAPE_WINDOW) {
        load_window(warp, op, POINTER(const void, access->window), &access->site->memo);
        return;
    }
    if (has_runs(access)) {
        move_runs(access, true);
        return;
    }
    if (has_every_other(access)) {
        load_every_other(access);
        return;
    }
    if (has_quads(access)) {
        load_quads(access);
        return;
    }
    if (access->shape == WL_SHAPE_UNIFORM && op->width_bytes == 4 && !(op->flags & WL_OPF_DST64)) {
        load_uniform(warp, op, POINTER(const u32, access->address[0]));
        return;
    }
    for (int k = 0; k < op->count; k++)
        if (element_register(op, k) != UINT32_MAX)
            load_element(warp, op, access->address, element_register(op, k),
                         access_element_skip(access, (u32)k));
}

static inline void store(struct access *access)
{
    struct wl_warp *warp = access->warp;
    const struct wl_op *op = access->op;
    if (access->shape == WL_SHAPE_WINDOW) {
        store_window(warp, op, POINTER(void, access->window), &access->site->memo);
        return;
    }
    if (has_runs(access)) {
        move_runs(access, false);
        return;
    }
    if (has_quads(access)) {
        store_quads(access);
        return;
    }
    for (int k = 0; k < op->count; k++)
        store_element(warp, op, access->address, element_register(op, k),
                      access_element_skip(access, (u32)k));
}

#endif
