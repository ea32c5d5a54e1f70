/* Lines are turned into panels of what is multiplied, so many lines side by side as a step
 * multiplies, of a part of the depth at a time: both factors' panels then lie in the host's caches.
 */
#include "api/cublas/tile.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

enum {
    WIDTH = 6, /* columns of a step, whose sums are in registers: twelve with the two of rows */
    RUN_MOST = WL_TILE_ROWS /* which are more than the columns, and than elements of a panel */
};

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

/* ---- panels ---- */

/* Part of the lines. */
struct part {
    const struct wl_tile_lines *lines;
    long long from, end; /* of the whole depth */
    int depth;           /* elements of the panels */
};

static const void *place(const struct wl_tile_lines *lines, long long line, long long k)
{
    return (const uint8_t *)lines->from + (line * lines->line_step + k * lines->depth_step) *
                                              (long long)wl_number_bytes(lines->type);
}

/* From a line and an element of the panels on, so many neighbours in memory. */
static inline void read_f32(const struct part *part, int line, int k, int count, float *to)
{
    wl_number_read(part->lines->type, place(part->lines, line, part->from + k), count, to);
}

static inline void read_f64(const struct part *part, int line, int k, int count, double *to)
{
    memcpy(to, place(part->lines, line, part->from + k), (size_t)count * sizeof *to);
}

/* Two numbers of a line, the second in the upper half. */
static inline int32_t pair_of(int8_t first, int8_t second)
{
    return (int32_t)((uint16_t)first | (uint32_t)(uint16_t)second << 16);
}

static inline void read_s32(const struct part *part, int line, int k, int count, int32_t *to)
{
    const long long from = part->from + 2ll * k;
    const int8_t *first = place(part->lines, line, from);
    if (part->lines->line_step == 1) {
        const bool is_last = from + 1 == part->end;
        const int8_t *second = is_last ? first : place(part->lines, line, from + 1);
        for (int i = 0; i < count; i++)
            to[i] = pair_of(first[i], is_last ? 0 : second[i]);
        return;
    }
    const int whole = (part->end - from) / 2 < count ? (int)((part->end - from) / 2) : count;
    for (int i = 0; i < whole; i++)
        to[i] = pair_of(first[2 * i], first[2 * i + 1]);
    if (whole < count)
        to[whole] = pair_of(first[2 * whole], 0);
}

/* Panels of so many lines: of each depth one after the other. Lines that are not there are 0. */
#define PACK(type, element)                                                                   \
    static inline __attribute__((always_inline)) void pack_##type(const struct part *part,    \
                                                                  const int height, void *to) \
    {                                                                                         \
        enum { DEPTH = WL_TILE_DEPTH_BYTES / sizeof(element) };                               \
        const struct wl_tile_lines *lines = part->lines;                                      \
        const int whole = (lines->count + height - 1) / height * height;                      \
        element run[RUN_MOST], *panels = to;                                                  \
        if (lines->line_step != 1) {                                                          \
            for (int line = 0; line < whole; line++) {                                        \
                element *panel = panels + line / height * height * DEPTH + line % height;     \
                if (line < lines->count)                                                      \
                    read_##type(part, line, 0, part->depth, run);                             \
                for (int k = 0; k < part->depth; k++)                                         \
                    panel[k * height] = line < lines->count ? run[k] : 0;                     \
            }                                                                                 \
            return;                                                                           \
        }                                                                                     \
        memset(run + lines->count, 0, (size_t)(whole - lines->count) * sizeof *run);          \
        for (int k = 0; k < part->depth; k++) {                                               \
            read_##type(part, 0, k, lines->count, run);                                       \
            for (int line = 0; line < whole; line += height)                                  \
                memcpy(panels + line * DEPTH + k * height, run + line,                        \
                       (size_t)height * sizeof *run);                                         \
        }                                                                                     \
    }                                                                                         \
    static void pack_left_##type(const struct part *part, int rows, void *to)                 \
    {                                                                                         \
        if (rows == 64 / (int)sizeof(element))                                                \
            pack_##type(part, 64 / sizeof(element), to);                                      \
        else                                                                                  \
            pack_##type(part, 128 / sizeof(element), to);                                     \
    }                                                                                         \
    static void pack_right_##type(const struct part *part, void *to)                          \
    {                                                                                         \
        pack_##type(part, WIDTH, to);                                                         \
    }
PACK(f32, float)
PACK(f64, double)
PACK(s32, int32_t)

/* ---- tiles ---- */

struct kind {
    int element_bytes, rows; /* of a step */
    int elements;            /* of the depth in one of a panel */
    void (*step)(const void *left, const void *right, int depth, bool is_first, void *sums);
    void (*pack_left)(const struct part *part, int rows, void *to);
    void (*pack_right)(const struct part *part, void *to);
};

static struct kind kind_of(enum wl_number type)
{
    const bool is_512 = __builtin_cpu_supports("avx512f");
    if (type == WL_NUMBER_S8)
        return (struct kind){4, 16, 2, step_s32_256, pack_left_s32, pack_right_s32};
    if (type == WL_NUMBER_F64)
        return (struct kind){8,
                             is_512 ? 16 : 8,
                             1,
                             is_512 ? step_f64_512 : step_f64_256,
                             pack_left_f64,
                             pack_right_f64};
    return (struct kind){4,
                         is_512 ? 32 : 16,
                         1,
                         is_512 ? step_f32_512 : step_f32_256,
                         pack_left_f32,
                         pack_right_f32};
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
        kind.pack_left(&(struct part){left, from, depth, elements}, kind.rows, tile->left);
        kind.pack_right(&(struct part){right, from, depth, elements}, tile->right);
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
