/* What warps of a few blocks did, for the timing model: the basic blocks they entered and how their
 * memory accesses fell into cache lines and banks. sim/ writes it, timing/ replays it. */
#ifndef WL_WARP_TRACE_H
#define WL_WARP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* A word with the highest bit is a basic block that was entered: its number, and how many lanes.
 * Other words come in pairs: the access site, then what it took. */
#define WL_TRACE_BLOCK 0x80000000u
#define WL_TRACE_BLOCK_BITS 24
static inline uint32_t wl_trace_block(uint32_t word)
{
    return word & ((1u << WL_TRACE_BLOCK_BITS) - 1);
}
static inline uint32_t wl_trace_lanes(uint32_t word)
{
    return (word >> WL_TRACE_BLOCK_BITS & 31) + 1;
}

/* First word of an access: its site, and of global and local memory a number of the sector that it
 * touched last, mixed so that two sectors rarely have the same; 0: none. Sites beyond the bits are
 * not recorded. */
enum { WL_TRACE_SITE_BITS = 14, WL_TRACE_SECTOR_BITS = 17 };
static inline uint32_t wl_trace_site(uint32_t word)
{
    return word & ((1u << WL_TRACE_SITE_BITS) - 1);
}
static inline uint32_t wl_trace_sector(uint32_t word)
{
    return word >> WL_TRACE_SITE_BITS;
}
static inline uint32_t wl_trace_access_word(uint32_t site, uint64_t sector)
{
    uint32_t mixed = (uint32_t)(sector * 0x9E3779B97F4A7C15u >> (64 - WL_TRACE_SECTOR_BITS));
    return site | (mixed ? mixed : 1) << WL_TRACE_SITE_BITS;
}

/* Second word of an access. Shared memory: wavefronts and ideal wavefronts. Else lines and sectors
 * that L1 looked up, sectors that it had not, sectors that would do, and for how long what it had
 * was still on its way. */
enum { WL_TRACE_PENDING_UNIT = 16 }; /* cycles */
/* Stores wait for nothing: `pending` is for how many pieces of so many lines theirs are, times the
 * unit; `missed` for the lines with a sector of which they write a part. Of atomics `sectors` has
 * one for every lane that shares a word, `missed` each sector once. */
enum { WL_TRACE_PIECE_LINES = 4 };
struct wl_trace_access {
    uint32_t wavefronts, wavefronts_ideal;
    uint32_t lines, sectors, missed, sectors_ideal, pending;
    bool is_shared;
};
static inline uint32_t wl_trace_least(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}
static inline uint32_t wl_trace_pack(struct wl_trace_access a)
{
    if (a.is_shared)
        return 1u << 31 | wl_trace_least(a.wavefronts, 255) |
               wl_trace_least(a.wavefronts_ideal, 255) << 8;
    return wl_trace_least(a.lines, 63) | wl_trace_least(a.sectors, 63) << 6 |
           wl_trace_least(a.missed, 63) << 12 | wl_trace_least(a.sectors_ideal, 63) << 18 |
           wl_trace_least(a.pending / WL_TRACE_PENDING_UNIT, 127) << 24;
}
static inline struct wl_trace_access wl_trace_unpack(uint32_t word)
{
    if (word >> 31)
        return (struct wl_trace_access){
            .is_shared = true, .wavefronts = word & 255, .wavefronts_ideal = word >> 8 & 255};
    return (struct wl_trace_access){.lines = word & 63,
                                    .sectors = word >> 6 & 63,
                                    .missed = word >> 12 & 63,
                                    .sectors_ideal = word >> 18 & 63,
                                    .pending = (word >> 24 & 127) * WL_TRACE_PENDING_UNIT};
}

struct wl_trace_warp {
    WL_VECTOR_FIELDS(uint32_t);
};

struct wl_trace_block_record {
    uint64_t number; /* of the grid's blocks */
    struct wl_trace_warp *warps;
    uint32_t warp_count;
};

/* One SM's. Zero-initialise with its limits; free with wl_trace_free. */
struct wl_trace {
    uint32_t sm;        /* whose blocks */
    size_t words_begin; /* no block begins to be traced after so many words */
    size_t words_most;  /* that all its resident warps together may have; each an equal part */
    size_t words;
    struct wl_trace_block_record **blocks; /* in the order in which they started */
    size_t block_count, block_capacity;
    uint64_t blocks_run; /* of that SM, traced or not */
    /* its warp instructions, traced or not, and those of its longest warp */
    uint64_t issued, issued_longest;
    bool is_cut; /* words_most was reached: warps end before their time */
};

/* A warp that is so much longer than any other of its SM goes on alone at its end. */
#define WL_TRACE_LONGER_WARP 1.1

void wl_trace_free(struct wl_trace *trace);
/* A record for a block that starts, NULL if it is not to be traced. The trace owns it. */
struct wl_trace_block_record *wl_trace_begin(struct wl_trace *trace, uint64_t number,
                                             uint32_t warp_count);
/* Takes from's records, which had none of the beginning of their warps: accesses before the first
 * block that was entered go. What to had is freed. */
void wl_trace_move(struct wl_trace *to, struct wl_trace *from);
void wl_trace_grow(struct wl_trace_warp *warp);

static inline void wl_trace_push(struct wl_trace_warp *warp, uint32_t word)
{
    if (warp->count == warp->capacity)
        wl_trace_grow(warp);
    warp->items[warp->count++] = word;
}

#endif
