/* A tile of a product of matrices, in vectors of the host. */
#ifndef WL_API_CUBLAS_TILE_H
#define WL_API_CUBLAS_TILE_H

#include "api/cublas/number.h"

enum {
    WL_TILE_ROWS = 256,
    WL_TILE_COLUMNS = 240,
    WL_TILE_DEPTH_BYTES = 768 /* of a line that are multiplied at a time */
};

/* Those of doubles are double, those of bytes whole numbers that wrap, others single. */
struct wl_tile {
    union {
        float f32[WL_TILE_COLUMNS][WL_TILE_ROWS];
        double f64[WL_TILE_COLUMNS][WL_TILE_ROWS];
        int32_t s32[WL_TILE_COLUMNS][WL_TILE_ROWS];
    } sums;
    /* the tile's own: lines as they are multiplied */
    _Alignas(64) uint8_t left[WL_TILE_ROWS * WL_TILE_DEPTH_BYTES];
    _Alignas(64) uint8_t right[WL_TILE_COLUMNS * WL_TILE_DEPTH_BYTES + 8];
};

/* So many lines of a factor, each as long as the depth: a matrix by its elements' places. One of
 * the steps is 1. */
struct wl_tile_lines {
    const void *from;
    enum wl_number type;
    long long line_step, depth_step;
    int count; /* not more than the tile's rows, or columns */
};

/* The sums of the left lines' number of rows and the right lines' of columns: from 0 on, products
 * are added in the order of depth, each with one rounding. A NaN may be any. Only where
 * wl_number_is_there(). */
void wl_tile_multiply(struct wl_tile *tile, const struct wl_tile_lines *left,
                      const struct wl_tile_lines *right, long long depth);

#endif
