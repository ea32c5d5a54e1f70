/* A tile of a product of 8-bit numbers, in vectors of the host. */
#ifndef WL_API_CUBLASLT_NARROW_TILE_H
#define WL_API_CUBLASLT_NARROW_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WL_LT_PIECE_ROWS = 256,
    WL_LT_PIECE_COLUMNS = 240,
    WL_LT_PIECE_DEPTH = 192 /* that is multiplied at a time */
};

struct wl_lt_tile {
    float sums[WL_LT_PIECE_COLUMNS][WL_LT_PIECE_ROWS];
    /* the tile's own: lines as they are multiplied */
    float left[WL_LT_PIECE_ROWS * WL_LT_PIECE_DEPTH];
    float right[WL_LT_PIECE_COLUMNS * WL_LT_PIECE_DEPTH];
};

/* So many lines of a factor, each of which lies along the depth. */
struct wl_lt_lines {
    const uint8_t *from;
    long long leading;
    int count;
    const float *value_of; /* each of the 256 codes */
};

/* Whether the host has the instructions. */
bool wl_lt_tile_is_there(void);
/* The sums, which are 0 before, of the left lines' number of rows and the right lines' of columns:
 * products are added in the order of depth, each with one rounding. A NaN may be any. */
void wl_lt_tile_multiply(struct wl_lt_tile *tile, const struct wl_lt_lines *left,
                         const struct wl_lt_lines *right, long long depth);
/* float of a half-precision number, and to the nearest. Only where wl_lt_tile_is_there(). */
float wl_lt_float_of_half(uint16_t bits);
uint16_t wl_lt_half_of_float(float value);

#endif
