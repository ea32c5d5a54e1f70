/* Four words a lane, of lanes that follow each other in memory, to and from four registers. */
#ifndef WL_SIM_EXEC_QUADS_H
#define WL_SIM_EXEC_QUADS_H

#include "sim/exec/access.h"
#include "sim/exec/turn.h"

/* Whether the access is one of four words a lane, whose addresses form runs. */
static inline bool has_quads(const struct access *access)
{
#ifdef __AVX2__
    const struct wl_op *op = access->op;
    return op->count == 4 && op->width_bytes == 4 && access->shape >= WL_SHAPE_CONTIGUOUS &&
           access->shape <= WL_SHAPE_QUARTERS && !(op->flags & WL_OPF_DST64);
#else
    (void)access;
    return false;
#endif
}

static inline void load_quads(const struct access *access)
{
#ifdef __AVX2__
    const u32 offsets[4] = {access->op->dst, access->op->b, access->op->c, access->op->d};
    for (u32 lane = 0; lane < WL_LANES; lane += 8) {
        const __m256i *memory = (const __m256i *)(uintptr_t)access->address[lane];
        __m256i row[4], word[4];
        for (u32 i = 0; i < 2; i++) {
            const __m256i near = _mm256_loadu_si256(memory + i);
            const __m256i far = _mm256_loadu_si256(memory + i + 2);
            row[2 * i] = _mm256_permute2x128_si256(near, far, 0x20);
            row[2 * i + 1] = _mm256_permute2x128_si256(near, far, 0x31);
        }
        turn_quads(row, word);
        for (u32 k = 0; k < 4; k++) {
            u32 *d = lane_register(access->warp, offsets[k]);
            if (offsets[k] != UINT32_MAX)
                _mm256_store_si256((__m256i *)(void *)(d + lane), word[k]);
        }
    }
#else
    (void)access;
#endif
}

static inline void store_quads(const struct access *access)
{
#ifdef __AVX2__
    const u32 offsets[4] = {access->op->dst, access->op->b, access->op->c, access->op->d};
    for (u32 lane = 0; lane < WL_LANES; lane += 8) {
        __m256i *memory = (__m256i *)(uintptr_t)access->address[lane];
        __m256i row[4], word[4];
        for (u32 k = 0; k < 4; k++) {
            const u32 *s = lane_register(access->warp, offsets[k]);
            word[k] = _mm256_load_si256((const __m256i *)(const void *)(s + lane));
        }
        turn_quads(word, row);
        for (u32 i = 0; i < 2; i++) {
            const __m256i even = row[2 * i], odd = row[2 * i + 1];
            _mm256_storeu_si256(memory + i, _mm256_permute2x128_si256(even, odd, 0x20));
            _mm256_storeu_si256(memory + i + 2, _mm256_permute2x128_si256(even, odd, 0x31));
        }
    }
#else
    (void)access;
#endif
}

#endif
