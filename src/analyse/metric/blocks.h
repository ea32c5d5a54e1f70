/* Blocks of memory for one sandbox, cut from large pieces: a page that is first touched costs more
 * than all that Lua does on it, and a piece asked for as a whole is there at once. */
#ifndef WL_ANALYSE_METRIC_BLOCKS_H
#define WL_ANALYSE_METRIC_BLOCKS_H

#include <stddef.h>

enum { WL_BLOCK_CLASSES = 57 };

struct wl_blocks {
    void *given_back[WL_BLOCK_CLASSES]; /* by size; each begins with the next */
    char *next;                         /* of the piece that is being cut */
    size_t left_bytes;
    struct wl_block_piece *pieces;
    struct wl_block_large *large;
};

/* realloc for a caller that knows how large its block is: block may be NULL (old_bytes is 0 then),
 * new_bytes 0 gives it back. NULL where there is no memory; the block is as before then. */
void *wl_blocks_resize(struct wl_blocks *blocks, void *block, size_t old_bytes, size_t new_bytes);

/* Frees all blocks. */
void wl_blocks_free(struct wl_blocks *blocks);

#endif
