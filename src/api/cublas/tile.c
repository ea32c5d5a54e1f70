/* Lines are turned into panels of what is multiplied, so many lines side by side as a step
 * multiplies, of a part of the depth at a time: both factors' panels then lie in the host's caches.
 */
#include "api/cublas/tile.h"

#include <string.h>

#include "api/cublas/panel.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Columns of a step, whose sums are in registers: twelve with the two of rows. */
enum { WIDTH = WL_PANEL_WIDTH };

/* ---- steps ---- */

/* sums = panels' product, or more by it: of two vectors of rows. */
#define STEP(name, features, element, vector, load, store, all, fuse)                       \
    __attribute__((target(features))) static void name(const void *left, const void *right, \
                                                       int depth, bool is_first, void *of)  \
    {                                                                                       \
        enum { HALF = sizeof(vector) / sizeof(element) };                                   \
        const element *lines = left, *factors = right;                                      \
        element *sums = of;                                                                 \
        vector low[WIDTH], high[WIDTH];                                                     \
        for (int i = 0; i < WIDTH; i++) {                                                   \
            low[i] = is_first ? all(0) : load(sums + i * WL_TILE_ROWS);                     \
            high[i] = is_first ? all(0) : load(sums + i * WL_TILE_ROWS + HALF);             \
        }                                                                                   \
        for (int k = 0; k < depth; k++, lines += 2 * HALF, factors += WIDTH) {              \
            const vector first = load(lines), second = load(lines + HALF);                  \
            for (int i = 0; i < WIDTH; i++) {                                               \
                const vector factor = all(factors[i]);                                      \
                low[i] = fuse(first, factor, low[i]);                                       \
                high[i] = fuse(second, factor, high[i]);                                    \
            }                                                                               \
        }                                                                                   \
        for (int i = 0; i < WIDTH; i++) {                                                   \
            store(sums + i * WL_TILE_ROWS, low[i]);                                         \
            store(sums + i * WL_TILE_ROWS + HALF, high[i]);                                 \
        }                                                                                   \
    }

#define LOAD_S32(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define STORE_S32(to, vector) _mm256_storeu_si256((__m256i *)(void *)(to), vector)
/* A pair of products each. */
#define FUSE_S32(a, b, sum) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))

STEP(step_f32_256, "avx2,fma", float, __m256, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps,
     _mm256_fmadd_ps)
STEP(step_f32_512, "avx512f", float, __m512, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps,
     _mm512_fmadd_ps)
STEP(step_f64_256, "avx2,fma", double, __m256d, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd,
     _mm256_fmadd_pd)
STEP(step_f64_512, "avx512f", double, __m512d, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd,
     _mm512_fmadd_pd)
STEP(step_s32_256, "avx2", int32_t, __m256i, LOAD_S32, STORE_S32, _mm256_set1_epi32, FUSE_S32)

/* ---- tiles ---- */

struct kind {
    int element_bytes, rows; /* of a step */
    int elements;            /* of the depth in one of a panel */
    void (*step)(const void *left, const void *right, int depth, bool is_first, void *sums);
    void (*pack)(const struct wl_panel_part *part, int height, void *to);
};

static struct kind kind_of(enum wl_number type)
{
    const bool is_512 = __builtin_cpu_supports("avx512f");
    if (type == WL_NUMBER_S8)
        return (struct kind){4, 16, 2, step_s32_256, wl_panel_pack_s32};
    if (type == WL_NUMBER_F64)
        return is_512 ? (struct kind){8, 16, 1, step_f64_512, wl_panel_pack_f64}
                      : (struct kind){8, 8, 1, step_f64_256, wl_panel_pack_f64};
    return is_512 ? (struct kind){4, 32, 1, step_f32_512, wl_panel_pack_f32}
                  : (struct kind){4, 16, 1, step_f32_256, wl_panel_pack_f32};
}

void wl_tile_multiply(struct wl_tile *tile, const struct wl_tile_lines *left,
                      const struct wl_tile_lines *right, long long depth)
{
    const struct kind kind = kind_of(left->type);
    const int bytes = kind.element_bytes, at_once = WL_TILE_DEPTH_BYTES / bytes * kind.elements;
    uint8_t *sums = (uint8_t *)&tile->sums;
    if (depth <= 0)
        memset(sums, 0, (size_t)right->count * WL_TILE_ROWS * (size_t)bytes);
    for (long long from = 0; from < depth; from += at_once) {
        const int count = depth - from < at_once ? (int)(depth - from) : at_once,
                  elements = (count + kind.elements - 1) / kind.elements;
        kind.pack(&(struct wl_panel_part){left, from, depth, elements}, kind.rows, tile->left);
        kind.pack(&(struct wl_panel_part){right, from, depth, elements}, WIDTH, tile->right);
        for (int row = 0; row < left->count; row += kind.rows)
            for (int column = 0; column < right->count; column += WIDTH)
                kind.step(tile->left + row * WL_TILE_DEPTH_BYTES,
                          tile->right + column * WL_TILE_DEPTH_BYTES, elements, from == 0,
                          sums + (column * WL_TILE_ROWS + row) * bytes);
    }
}
#else
void wl_tile_multiply(struct wl_tile *tile, const struct wl_tile_lines *left,
                      const struct wl_tile_lines *right, long long depth)
{
    (void)tile, (void)left, (void)right, (void)depth;
}
#endif
