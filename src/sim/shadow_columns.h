/* What is kept of each word of shared memory while it is checked: a column for each thing, as words
 * that lie side by side are looked at together. Internal to sim/. */
#ifndef WL_SIM_SHADOW_COLUMNS_H
#define WL_SIM_SHADOW_COLUMNS_H

#include <stdint.h>

/* Marks have three columns: stretch of its warp (0: none), instruction, who. */
enum wl_shadow_column {
    WL_SHADOW_WRITER,
    WL_SHADOW_READER = WL_SHADOW_WRITER + 3,
    WL_SHADOW_SECOND = WL_SHADOW_READER + 3, /* another reader, of another warp than the first */
    WL_SHADOW_SERIAL = WL_SHADOW_SECOND + 3, /* instruction execution of the writer */
    WL_SHADOW_GROUP,   /* of copies of the writer's warp that wrote it; 0: none did */
    WL_SHADOW_WRITTEN, /* bytes, ever, a bit each */
    WL_SHADOW_QUIET,   /* by bit: warps whose reads tell nothing new, until any warp has seen more;
                          cleared by whatever is written */
    WL_SHADOW_COLUMNS
};

/* Who: the thread of the block, from here on the bytes of the word, a bit each, and from there the
 * strength. */
enum { WL_SHADOW_BYTES_SHIFT = 16, WL_SHADOW_STRENGTH_SHIFT = 24 };
#define WL_SHADOW_WHOLE (0xfu << WL_SHADOW_BYTES_SHIFT)

enum { WL_SHADOW_RUN = 16 }; /* words that are looked at together, at most */

/* So many words may be read behind the last of a column. */
struct wl_shadow_columns {
    uint32_t *column[WL_SHADOW_COLUMNS];
};

/* A warp that looks at words, and what it knows: of each warp the last stretch that lies behind it,
 * that lies behind any warp, and the last group of copies that was awaited. */
struct wl_shadow_view {
    const struct wl_shadow_columns *words;
    const uint32_t *seen, *known, *awaited;
    uint32_t warp, own, serial;
};

/* Words in a row that a warp reads or writes whole. */
struct wl_shadow_row {
    uint32_t index, count;
    uint32_t who;                        /* does it, as lane 0 */
    const uint32_t *instruction, *lanes; /* of each; WL_SHADOW_RUN may be read */
};

#endif
