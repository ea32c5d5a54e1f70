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
    uint32_t words;
    uint32_t home : 1;
    uint32_t owner : 31; /* the number, plus 1, among known lines: words that it lacks are noted
                            there; 0: it lacks none */
};

/* What is known of a set. */
enum {
    L2_SET_USED = 1, /* since the caches were emptied */
    L2_SET_OPEN = 2, /* it has an open line */
};

/* What belongs to sets of a slice lies together, so that shards share no cache line of the host. */
struct l2_opens {
    uint32_t slice_sets;
    size_t bytes, used_bytes;
    struct l2_open *lines;
    uint8_t *used;                  /* L2_SET_... of each set, where its line is */
    bool has_any[WL_L2_MAX_SHARDS]; /* of each slice: since the caches were emptied */
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
    const uint32_t lines = set_count / WL_L2_MAX_SHARDS / 4 + 1;
    opens->slice_sets = (lines | 1) * 4; /* an odd number of cache lines of the host */
    opens->bytes = (size_t)WL_L2_MAX_SHARDS * opens->slice_sets * sizeof *opens->lines;
    opens->lines = wl_pages_alloc(opens->bytes);
    opens->used_bytes = (size_t)WL_L2_MAX_SHARDS * opens->slice_sets;
    opens->used = wl_pages_alloc(opens->used_bytes);
}

static inline void l2_opens_free(struct l2_opens *opens)
{
    wl_pages_free(opens->lines, opens->bytes);
    wl_pages_free(opens->used, opens->used_bytes);
}

/* No line is open, and no set is used. */
static inline void l2_opens_forget(struct l2_opens *opens)
{
    bool has_any = false;
    for (uint32_t slice = 0; slice < WL_L2_MAX_SHARDS; slice++)
        has_any |= opens->has_any[slice];
    if (has_any)
        memset(opens->lines, 0, opens->bytes);
    memset(opens->has_any, 0, sizeof opens->has_any);
    memset(opens->used, 0, opens->used_bytes);
}

/* The set's open line, in lines. */
static inline uint32_t l2_open_place(uint32_t slice_sets, uint32_t set)
{
    return set % WL_L2_MAX_SHARDS * slice_sets + set / WL_L2_MAX_SHARDS;
}

/* Where what is known of the set is. */
static inline uint8_t *l2_used_of(const struct l2_opens *opens, uint32_t set)
{
    return &opens->used[l2_open_place(opens->slice_sets, set)];
}

static inline void l2_used_add(const struct l2_opens *opens, uint32_t set, uint32_t bits)
{
    uint8_t *used = l2_used_of(opens, set);
    *used = (uint8_t)(*used | bits);
}

/* The set of the open line at that place. */
static inline uint32_t l2_open_set(const struct l2_opens *opens, uint32_t place)
{
    return place % opens->slice_sets * WL_L2_MAX_SHARDS + place / opens->slice_sets;
}

static inline struct l2_open *l2_opens_line(const struct l2_opens *opens, uint32_t set)
{
    return &opens->lines[l2_open_place(opens->slice_sets, set)];
}

#endif
