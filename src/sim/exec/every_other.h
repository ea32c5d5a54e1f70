/* Loads of one word a lane, of which each lies two words behind that of the lane before. */
#ifndef WL_SIM_EXEC_EVERY_OTHER_H
#define WL_SIM_EXEC_EVERY_OTHER_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/access.h"

static inline bool has_every_other(const struct access *access)
{
#ifdef __AVX2__
    const struct wl_op *op = access->op;
    return access->shape == WL_SHAPE_EVERY_OTHER && op->count == 1 && op->width_bytes == 4 &&
           !(op->flags & WL_OPF_DST64) && op->dst != UINT32_MAX;
#else
    (void)access;
    return false;
#endif
}

/* Needs address[] at every eighth lane only; reads nothing behind the last word. What follows is
 * asked for ahead: the next warp wants it as a rule. */
static inline void load_every_other(const struct access *access)
{
#ifdef __AVX2__
    float *d = lane_register(access->warp, access->op->dst);
    for (u32 lane = 0; lane < WL_LANES; lane += 8) {
        const float *words = (const float *)(uintptr_t)access->address[lane];
        __builtin_prefetch(words + 2 * WL_LANES);
        const __m256 low = _mm256_loadu_ps(words), high = _mm256_loadu_ps(words + 7);
        const __m256 halves = _mm256_shuffle_ps(low, high, 0xd8); /* 0 2 8 10, 4 6 12 14 */
        _mm256_store_ps(d + lane,
                        _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(halves), 0xd8)));
    }
#else
    (void)access;
#endif
}

#endif
