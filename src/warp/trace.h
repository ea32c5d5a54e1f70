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
 * touched last, mixed so that two sectors rarely have the same; 0: none. Sectors of one piece of
 * 512 bytes have numbers that differ in the lowest bits alone. Sites beyond the bits are not
 * recorded. */
enum { WL_TRACE_SITE_BITS = 14, WL_TRACE_SECTOR_BITS = 17, WL_TRACE_PIECE_BITS = 4 };
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
    uint64_t mixed = (sector >> WL_TRACE_PIECE_BITS) * 0x9E3779B97F4A7C15u;
    uint32_t piece = (uint32_t)(mixed >> (64 - WL_TRACE_SECTOR_BITS + WL_TRACE_PIECE_BITS));
    /* sectors at one place of their pieces do not all have one of sixteen numbers */
    uint32_t place = (uint32_t)(sector ^ mixed >> 32) & ((1u << WL_TRACE_PIECE_BITS) - 1);
    uint32_t number = piece << WL_TRACE_PIECE_BITS | place;
    return site | (number ? number : 1) << WL_TRACE_SITE_BITS;
}

/* Second word of an access. Shared memory: wavefronts and ideal wavefronts. Else lines and sectors
 * that L1 looked up, sectors that it had not, sectors that would do, and a note. Of stores that is
 * for how many pieces of so many lines theirs are, and `missed` are the lines with a sector of
 * which they write a part; of loads what follows. Of atomics `sectors` has one for every lane that
 * shares a word, `missed` each sector once. */
enum { WL_TRACE_PIECE_LINES = 4, WL_TRACE_NOTE_MOST = 127 };
struct wl_trace_access {
    uint32_t wavefronts, wavefronts_ideal, rounds; /* rounds: of a sum of floats, 0 or 1 to 32 */
    uint32_t lines, sectors, missed, sectors_ideal, note;
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
               wl_trace_least(a.wavefronts_ideal, 255) << 8 | wl_trace_least(a.rounds, 63) << 16;
    return wl_trace_least(a.lines, 63) | wl_trace_least(a.sectors, 63) << 6 |
           wl_trace_least(a.missed, 63) << 12 | wl_trace_least(a.sectors_ideal, 63) << 18 |
           wl_trace_least(a.note, WL_TRACE_NOTE_MOST) << 24;
}
static inline struct wl_trace_access wl_trace_unpack(uint32_t word)
{
    if (word >> 31)
        return (struct wl_trace_access){.is_shared = true,
                                        .wavefronts = word & 255,
                                        .wavefronts_ideal = word >> 8 & 255,
                                        .rounds = word >> 16 & 63};
    return (struct wl_trace_access){.lines = word & 63,
                                    .sectors = word >> 6 & 63,
                                    .missed = word >> 12 & 63,
                                    .sectors_ideal = word >> 18 & 63,
                                    .note = word >> 24 & WL_TRACE_NOTE_MOST};
}

/* Second word of a copy in bulk: the sectors that it moves, the lanes that ask for it (1 to 32),
 * and which way. First word of what is done to a barrier object: the number is the object's, for
 * which sector 0 is none. */
#define WL_TRACE_BULK_STORE (1u << 30)
enum { WL_TRACE_BULK_SECTOR_BITS = 25 };
static inline uint32_t wl_trace_pack_bulk(uint64_t bytes, uint32_t lanes, bool is_store)
{
    const uint64_t sectors = (bytes + 31) / 32;
    const uint32_t most = (1u << WL_TRACE_BULK_SECTOR_BITS) - 1;
    return (sectors < most ? (uint32_t)sectors : most) | (lanes - 1) << WL_TRACE_BULK_SECTOR_BITS |
           (is_store ? WL_TRACE_BULK_STORE : 0);
}
static inline uint32_t wl_trace_bulk_sectors(uint32_t word)
{
    return word & ((1u << WL_TRACE_BULK_SECTOR_BITS) - 1);
}
static inline uint32_t wl_trace_bulk_lanes(uint32_t word)
{
    return (word >> WL_TRACE_BULK_SECTOR_BITS & 31) + 1;
}
static inline bool wl_trace_bulk_is_store(uint32_t word)
{
    return word & WL_TRACE_BULK_STORE;
}
static inline uint32_t wl_trace_object_word(uint32_t site, uint32_t offset)
{
    const uint32_t number = offset / 8 % ((1u << WL_TRACE_SECTOR_BITS) - 1) + 1;
    return site | number << WL_TRACE_SITE_BITS;
}

struct wl_trace_warp {
    WL_VECTOR_FIELDS(uint32_t);
};

/* The note of a load: how close together its sectors lie, and where it missed L1 what L2 answered:
 * which share of what it lacked device memory sent, and whether the far half of L2 had some. */
enum {
    WL_TRACE_DEVICE_MASK = 15, /* 0: not known, 1: none, 15: all */
    WL_TRACE_FAR = 16,
    WL_TRACE_SPREAD_SHIFT = 5, /* 1, 2, 4 or 16 sectors of a piece */
};
static inline uint32_t wl_trace_spread(uint32_t sectors, uint32_t pieces)
{
    uint32_t step = sectors >= 8 * pieces   ? 3
                    : sectors >= 3 * pieces ? 2
                                            : 2 * sectors >= 3 * pieces;
    return step << WL_TRACE_SPREAD_SHIFT;
}
/* Pieces that hold so many of the load's sectors; 1 at least. */
static inline double wl_trace_places(const struct wl_trace_access *access, uint32_t sectors)
{
    static const double of_a_piece[] = {1, 2, 4, 16};
    double places = sectors / of_a_piece[access->note >> WL_TRACE_SPREAD_SHIFT];
    return places > 1 ? places : 1;
}
/* The share that device memory sent; negative: not known. */
static inline double wl_trace_device(const struct wl_trace_access *access)
{
    return ((int)(access->note & WL_TRACE_DEVICE_MASK) - 1) / (WL_TRACE_DEVICE_MASK - 1.0);
}
/* Notes in the second word of a load that missed what L2 answered: the sectors of device memory and
 * of the far half. */
void wl_trace_answer(uint32_t *word, uint32_t device, uint32_t far);
/* Puts another `missed` into the second word of an access of global or local memory. */
void wl_trace_set_missed(uint32_t *word, uint32_t missed);

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
    /* sectors of loads that L1 missed and whose answer from L2 is known, and those of them that
     * device memory sent */
    uint64_t answered, answered_by_device;
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
