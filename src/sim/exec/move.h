/* The move between memory and registers, once an access is checked: what loads and stores share. */
#ifndef WL_SIM_EXEC_MOVE_H
#define WL_SIM_EXEC_MOVE_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/access.h"
#include "sim/exec/quads.h"

#define POINTER(type, address) ((type *)(uintptr_t)(address))

/* value lanes of element k, as value_type, into the register at offset. */
#define LOAD_LANES_AS(source_type, value_type, register_type)                      \
    do {                                                                           \
        register_type *d = lane_register(warp, offset);                            \
        if (active == WL_FULL_MASK) {                                              \
            for (int i = 0; i < WL_LANES; i++)                                     \
                d[i] = (value_type)*POINTER(const source_type, address[i] + skip); \
        } else {                                                                   \
            for (u32 left = active; left; left &= left - 1) {                      \
                int i = __builtin_ctz(left);                                       \
                d[i] = (value_type)*POINTER(const source_type, address[i] + skip); \
            }                                                                      \
        }                                                                          \
    } while (0)
#define LOAD_LANES(source_type, register_type) \
    LOAD_LANES_AS(source_type, register_type, register_type)

static inline void load_element(struct wl_warp *warp, const struct wl_op *op, const u64 *address,
                                u32 offset, u64 skip)
{
    const u32 active = warp->active;
    const bool is_signed = op->flags & WL_OPF_SIGNED, is_wide = op->flags & WL_OPF_DST64;
    switch (op->width_bytes << 2 | is_wide << 1 | is_signed) {
    case 4 << 2 | 0:
    case 4 << 2 | 1:
        LOAD_LANES(u32, u32);
        break;
    case 8 << 2 | 2:
    case 8 << 2 | 3:
        LOAD_LANES(u64, u64);
        break;
    case 4 << 2 | 2:
        LOAD_LANES(u32, u64);
        break;
    case 4 << 2 | 3:
        LOAD_LANES(s32, u64);
        break;
    case 2 << 2 | 0:
        LOAD_LANES(uint16_t, u32);
        break;
    case 2 << 2 | 1:
        if (op->kind & WL_LOAD_SHORT)
            LOAD_LANES(uint16_t, u32);
        else
            LOAD_LANES(int16_t, u32);
        break;
    case 2 << 2 | 2:
        LOAD_LANES(uint16_t, u64);
        break;
    case 2 << 2 | 3:
        LOAD_LANES(int16_t, u64);
        break;
    case 1 << 2 | 0:
        LOAD_LANES(uint8_t, u32);
        break;
    case 1 << 2 | 1:
        if (op->kind & WL_LOAD_SHORT)
            LOAD_LANES_AS(int8_t, uint16_t, u32);
        else
            LOAD_LANES(int8_t, u32);
        break;
    case 1 << 2 | 2:
        LOAD_LANES(uint8_t, u64);
        break;
    default:
        LOAD_LANES(int8_t, u64);
        break;
    }
}

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
                         (u64)(u32)k * op->width_bytes);
}

#define STORE_LANES(memory_type, register_type)                           \
    do {                                                                  \
        const register_type *s = lane_register(warp, offset);             \
        for (u32 left = active; left; left &= left - 1) {                 \
            int i = __builtin_ctz(left);                                  \
            *POINTER(memory_type, address[i] + skip) = (memory_type)s[i]; \
        }                                                                 \
    } while (0)

static inline void store_element(struct wl_warp *warp, const struct wl_op *op, const u64 *address,
                                 u32 offset, u64 skip)
{
    const u32 active = warp->active;
    const bool is_wide = op->flags & WL_OPF_DST64;
    switch (op->width_bytes) {
    case 8:
        STORE_LANES(u64, u64);
        break;
    case 4:
        if (is_wide)
            STORE_LANES(u32, u64);
        else
            STORE_LANES(u32, u32);
        break;
    case 2:
        if (is_wide)
            STORE_LANES(uint16_t, u64);
        else
            STORE_LANES(uint16_t, u32);
        break;
    default:
        if (is_wide)
            STORE_LANES(uint8_t, u64);
        else
            STORE_LANES(uint8_t, u32);
        break;
    }
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
                      (u64)(u32)k * op->width_bytes);
}

#endif
