#include "api/cublas/panel.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTORS __attribute__((target("avx2,fma,f16c")))
#define INLINED static inline __attribute__((always_inline, target("avx2,fma,f16c")))

enum {
    WORDS = WL_TILE_DEPTH_BYTES / 4, /* of a line in its panel */
    LONGS = WL_TILE_DEPTH_BYTES / 8,
    BLOCK = 8 /* lines and numbers that change places at once */
};

/* ---- what is multiplied ---- */

/* From a line and a number of its panel on, so many neighbours in memory: where they are, or in
 * run. */
typedef const void *reader(const struct wl_panel_part *part, int line, int k, int count, void *run);

INLINED const void *place(const struct wl_tile_lines *lines, long long line, long long k)
{
    return (const uint8_t *)lines->from + (line * lines->line_step + k * lines->depth_step) *
                                              (long long)wl_number_bytes(lines->type);
}

INLINED const void *read_f32(const struct wl_panel_part *part, int line, int k, int count,
                             void *run)
{
    const void *from = place(part->lines, line, part->from + k);
    if (part->lines->type == WL_NUMBER_F32)
        return from;
    wl_number_read(part->lines->type, from, count, run);
    return run;
}

INLINED const void *read_f64(const struct wl_panel_part *part, int line, int k, int count,
                             void *run)
{
    (void)count, (void)run;
    return place(part->lines, line, part->from + k);
}

/* Pairs of a line; the last may lack its second. */
INLINED const void *read_s32(const struct wl_panel_part *part, int line, int k, int count,
                             void *run)
{
    const long long from = part->from + 2ll * k, rest = part->end - from;
    const int8_t *first = place(part->lines, line, from);
    int16_t *to = run;
    if (part->lines->line_step == 1) {
        const int8_t *second = rest > 1 ? place(part->lines, line, from + 1) : first;
        const int16_t all = rest > 1 ? -1 : 0;
        for (int i = 0; i < count; i++) {
            to[2 * i] = first[i];
            to[2 * i + 1] = second[i] & all;
        }
        return run;
    }
    const int numbers = rest < 2 * count ? (int)rest : 2 * count;
    for (int i = 0; i < numbers; i++)
        to[i] = first[i];
    if (numbers % 2)
        to[numbers] = 0;
    return run;
}

/* ---- panels ---- */

/* Where lines are neighbours. */
INLINED void copy(const struct wl_panel_part *part, const int height, const int bytes,
                  reader *const read, uint8_t *panels)
{
    const int count = part->lines->count, whole = count / height * height;
    _Alignas(32) uint8_t run[WL_TILE_ROWS * sizeof(double)], last[128] = {0};
    for (int k = 0; k < part->depth; k++) {
        const uint8_t *from = read(part, 0, k, count, run);
        uint8_t *to = panels + k * height * bytes;
        for (int line = 0; line < whole; line += height, to += height * WL_TILE_DEPTH_BYTES)
            memcpy(to, from + line * bytes, (size_t)(height * bytes));
        if (whole == count)
            continue;
        memcpy(last, from + whole * bytes, (size_t)((count - whole) * bytes));
        memcpy(to, last, (size_t)(height * bytes));
    }
}

/* Eight numbers of each of eight lines. */
INLINED void turn_words(const float *const from[BLOCK], int k, float *to, const int height)
{
    __m256 a[BLOCK], b[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        a[i] = _mm256_loadu_ps(from[i] + k);
    for (int i = 0; i < BLOCK; i += 2) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < BLOCK; i += 4)
        for (int j = 0; j < 2; j++) {
            a[i + 2 * j] = _mm256_shuffle_ps(b[i + j], b[i + j + 2], 0x44);
            a[i + 2 * j + 1] = _mm256_shuffle_ps(b[i + j], b[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + i * height, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        b[i] = _mm256_permute2f128_ps(a[i], a[i + 4], 0x31);
    }
    for (int i = 0; i < 4; i++)
        _mm256_storeu_ps(to + (i + 4) * height, b[i]);
}

/* Where a line's numbers are neighbours. Of panels of six lines two more are written, before those
 * that belong there. */
INLINED void turn_4(const struct wl_panel_part *part, const int height, reader *const read,
                    float *panels)
{
    static const float zeros[WORDS];
    const int group = height == WL_PANEL_WIDTH ? WL_PANEL_WIDTH : BLOCK,
              whole = (part->lines->count + height - 1) / height * height;
    float runs[BLOCK][WORDS];
    for (int line = 0; line < whole; line += group) {
        float *to = panels + line / height * height * WORDS + line % height;
        const float *from[BLOCK];
        int k = 0;
        for (int i = 0; i < BLOCK; i++)
            from[i] = i < group && line + i < part->lines->count
                          ? read(part, line + i, 0, part->depth, runs[i])
                          : zeros;
        for (; k + BLOCK <= part->depth; k += BLOCK)
            turn_words(from, k, to + k * height, height);
        for (; k < part->depth; k++)
            for (int i = 0; i < group; i++)
                memcpy(to + k * height + i, from[i] + k, sizeof *to);
    }
}

INLINED void turn_8(const struct wl_panel_part *part, const int height, reader *const read,
                    double *panels)
{
    static const double zeros[LONGS];
    const int count = part->lines->count, whole = (count + height - 1) / height * height;
    for (int line = 0; line < whole; line += 2) {
        double *to = panels + line / height * height * LONGS + line % height;
        const double *first = line < count ? read(part, line, 0, part->depth, NULL) : zeros,
                     *second =
                         line + 1 < count ? read(part, line + 1, 0, part->depth, NULL) : zeros;
        for (int k = 0; k < part->depth; k++)
            _mm_storeu_pd(to + k * height, _mm_loadh_pd(_mm_load_sd(first + k), second + k));
    }
}

INLINED void pack_4(const struct wl_panel_part *part, const int height, reader *const read,
                    void *to)
{
    if (part->lines->line_step == 1)
        copy(part, height, sizeof(float), read, to);
    else
        turn_4(part, height, read, to);
}

INLINED void pack_8(const struct wl_panel_part *part, const int height, void *to)
{
    if (part->lines->line_step == 1)
        copy(part, height, sizeof(double), read_f64, to);
    else
        turn_8(part, height, read_f64, to);
}

VECTORS void wl_panel_pack_f32(const struct wl_panel_part *part, int height, void *to)
{
    if (height == WL_PANEL_WIDTH)
        pack_4(part, WL_PANEL_WIDTH, read_f32, to);
    else if (height == 16)
        pack_4(part, 16, read_f32, to);
    else
        pack_4(part, 32, read_f32, to);
}

VECTORS void wl_panel_pack_f64(const struct wl_panel_part *part, int height, void *to)
{
    if (height == WL_PANEL_WIDTH)
        pack_8(part, WL_PANEL_WIDTH, to);
    else if (height == 8)
        pack_8(part, 8, to);
    else
        pack_8(part, 16, to);
}

VECTORS void wl_panel_pack_s32(const struct wl_panel_part *part, int height, void *to)
{
    if (height == WL_PANEL_WIDTH)
        pack_4(part, WL_PANEL_WIDTH, read_s32, to);
    else
        pack_4(part, 16, read_s32, to);
}
#endif
