/* Lines of a factor as a step of a tile multiplies them. */
#ifndef WL_API_CUBLAS_PANEL_H
#define WL_API_CUBLAS_PANEL_H

#include "api/cublas/tile.h"

enum { WL_PANEL_WIDTH = 6 /* lines of the right factor's panels */ };

/* Part of the lines. */
struct wl_panel_part {
    const struct wl_tile_lines *lines;
    long long from, end; /* of the whole depth */
    int depth;           /* numbers of a line in its panel; of bytes, two make one */
};

/* Panels of so many lines, the numbers of each depth one after the other, WL_TILE_DEPTH_BYTES of
 * each line; those of lines that are not there are 0. height: WL_PANEL_WIDTH, or those of 64 or 128
 * bytes. Up to 8 bytes behind the last panel are written. */
void wl_panel_pack_f32(const struct wl_panel_part *part, int height, void *to);
void wl_panel_pack_f64(const struct wl_panel_part *part, int height, void *to);
void wl_panel_pack_s32(const struct wl_panel_part *part, int height, void *to);

#endif
