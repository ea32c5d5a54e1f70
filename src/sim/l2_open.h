/* Writes of one line after another with no other request for its set between them: what they do to
 * the set is put off until somebody asks for the set, and done at once. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_OPEN_H
#define WL_SIM_L2_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "sim/l2.h"

/* The line that is dirty and the latest of its set, and which of its words have been written since.
 * Zero: none. */
struct l2_open {
    uint32_t low, mark; /* of the line its low bits, and l2_open_mark of the others */
    uint32_t words, home;
};

/* One for each set, and which sets are used. A slice's lie together, so that shards share no cache
 * line of the host. */
struct l2_opens {
    uint32_t slice_sets, slice_words;
    size_t bytes, word_bytes;
    struct l2_open *lines;
    uint64_t *is_used;              /* a bit for each set: since the caches were emptied */
    bool has_any[WL_L2_MAX_SHARDS]; /* of each slice; false: none is open */
};

#define L2_OPEN_WRITER_SHIFT 16
#define L2_OPEN_NEVER (1u << 31) /* in the mark of a request that cannot be put off */

/* Tells, with the low bits of a line, writes that can be put off from others. high: the high bits
 * of the line; writer: the partition of the SMs that write. */
static inline uint32_t l2_open_mark(uint32_t high, uint32_t writer)
{
    return (high & 0xffff) | writer << L2_OPEN_WRITER_SHIFT | 1u << 30;
}

static inline uint64_t l2_open_line(const struct l2_open *open)
{
    return open->low | (uint64_t)(open->mark & 0xffff) << 32;
}

static inline void l2_opens_create(struct l2_opens *opens, uint32_t set_count)
{
    const uint32_t sets = set_count / WL_L2_MAX_SHARDS + 1;
    opens->slice_sets = (sets + 3) / 4 * 4; /* whole cache lines of the host */
    opens->bytes = (size_t)WL_L2_MAX_SHARDS * opens->slice_sets * sizeof *opens->lines;
    opens->lines = wl_pages_alloc(opens->bytes);
    opens->slice_words = (opens->slice_sets + 511) / 512 * 8;
    opens->word_bytes = (size_t)WL_L2_MAX_SHARDS * opens->slice_words * sizeof *opens->is_used;
    opens->is_used = wl_pages_alloc(opens->word_bytes);
}

static inline void l2_opens_free(struct l2_opens *opens)
{
    wl_pages_free(opens->lines, opens->bytes);
    wl_pages_free(opens->is_used, opens->word_bytes);
}

/* No line is open, and no set is used. */
static inline void l2_opens_forget(struct l2_opens *opens)
{
    memset(opens->is_used, 0, opens->word_bytes);
    for (uint32_t slice = 0; slice < WL_L2_MAX_SHARDS; slice++) {
        if (opens->has_any[slice])
            memset(&opens->lines[slice * opens->slice_sets], 0,
                   opens->slice_sets * sizeof *opens->lines);
        opens->has_any[slice] = false;
    }
}

/* Notes that the set is used; true: for the first time. */
static inline bool l2_opens_use(struct l2_opens *opens, uint32_t set)
{
    const uint32_t at = set / WL_L2_MAX_SHARDS;
    uint64_t *word = &opens->is_used[set % WL_L2_MAX_SHARDS * opens->slice_words + at / 64];
    const uint64_t bit = (uint64_t)1 << (at % 64);
    const bool is_first = !(*word & bit);
    *word |= bit;
    return is_first;
}

/* Of the set, in lines. */
static inline uint32_t l2_open_place(uint32_t slice_sets, uint32_t set)
{
    return set % WL_L2_MAX_SHARDS * slice_sets + set / WL_L2_MAX_SHARDS;
}

#endif
