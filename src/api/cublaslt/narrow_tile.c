/* Lines are turned into panels of floats, so many lines side by side as a step multiplies, of a
 * part of the depth at a time: both factors' panels then lie in the host's caches. */
#include "api/cublaslt/narrow_tile.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

enum {
    DEPTH = WL_LT_PIECE_DEPTH, /* a left panel lies in the first-level cache */
    WIDTH = 6, /* columns of a step, whose sums are in registers: twelve with the two of rows */
    ROWS_256 = 2 * 8,
    ROWS_512 = 2 * 16
};

/* sums += panels' product: a step of two vectors of rows. */
#define STEP(name, features, rows, vector, load, store, all, fuse)                            \
    __attribute__((target(features))) static void name(const float *left, const float *right, \
                                                       int depth, float *sums)                \
    {                                                                                         \
        vector low[WIDTH], high[WIDTH];                                                       \
        for (int i = 0; i < WIDTH; i++) {                                                     \
            low[i] = load(sums + i * WL_LT_PIECE_ROWS);                                       \
            high[i] = load(sums + i * WL_LT_PIECE_ROWS + (rows) / 2);                         \
        }                                                                                     \
        for (int k = 0; k < depth; k++, left += (rows), right += WIDTH) {                     \
            const vector first = load(left), second = load(left + (rows) / 2);                \
            for (int i = 0; i < WIDTH; i++) {                                                 \
                const vector factor = all(right[i]);                                          \
                low[i] = fuse(first, factor, low[i]);                                         \
                high[i] = fuse(second, factor, high[i]);                                      \
            }                                                                                 \
        }                                                                                     \
        for (int i = 0; i < WIDTH; i++) {                                                     \
            store(sums + i * WL_LT_PIECE_ROWS, low[i]);                                       \
            store(sums + i * WL_LT_PIECE_ROWS + (rows) / 2, high[i]);                         \
        }                                                                                     \
    }

STEP(step_256, "avx2,fma", ROWS_256, __m256, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps,
     _mm256_fmadd_ps)
STEP(step_512, "avx512f", ROWS_512, __m512, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps,
     _mm512_fmadd_ps)

bool wl_lt_tile_is_there(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
}

__attribute__((target("f16c"))) float wl_lt_float_of_half(uint16_t bits)
{
    return _cvtsh_ss(bits);
}

__attribute__((target("f16c"))) uint16_t wl_lt_half_of_float(float value)
{
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}

/* Panels of so many lines: of each depth one after the other. Lines that are not there are 0. */
static void pack(const struct wl_lt_lines *lines, long long from, int depth, int height,
                 float *panels)
{
    const int whole = (lines->count + height - 1) / height * height;
    for (int line = 0; line < whole; line++) {
        float *to = panels + (long long)(line / height) * height * DEPTH + line % height;
        const uint8_t *codes = lines->from + line * lines->leading + from;
        for (int k = 0; k < depth; k++)
            to[k * height] = line < lines->count ? lines->value_of[codes[k]] : 0;
    }
}

void wl_lt_tile_multiply(struct wl_lt_tile *tile, const struct wl_lt_lines *left,
                         const struct wl_lt_lines *right, long long depth)
{
    const bool is_512 = __builtin_cpu_supports("avx512f");
    const int rows = is_512 ? ROWS_512 : ROWS_256;
    for (long long from = 0; from < depth; from += DEPTH) {
        const int count = depth - from < DEPTH ? (int)(depth - from) : DEPTH;
        pack(left, from, count, rows, tile->left);
        pack(right, from, count, WIDTH, tile->right);
        for (int row = 0; row < left->count; row += rows)
            for (int column = 0; column < right->count; column += WIDTH)
                (is_512 ? step_512 : step_256)(tile->left + row * DEPTH,
                                               tile->right + column * DEPTH, count,
                                               &tile->sums[column][row]);
    }
}
#else
bool wl_lt_tile_is_there(void)
{
    return false;
}

float wl_lt_float_of_half(uint16_t bits)
{
    (void)bits;
    return 0;
}

uint16_t wl_lt_half_of_float(float value)
{
    (void)value;
    return 0;
}

void wl_lt_tile_multiply(struct wl_lt_tile *tile, const struct wl_lt_lines *left,
                         const struct wl_lt_lines *right, long long depth)
{
    (void)tile, (void)left, (void)right, (void)depth;
}
#endif
