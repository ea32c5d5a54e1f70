/* Sectors of L1 that loads share: whichever comes first fetches, the others wait for what is on its
 * way. The trace says which access missed when it was recorded; in the replay, where instructions
 * of a warp stand in another order and warps run at other times, another may come first, and then
 * it is the one that pays. Internal to timing/. */
#ifndef WL_TIMING_SECTORS_H
#define WL_TIMING_SECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "warp/trace.h"

struct sector {
    uint64_t there; /* when the last fetch of it comes */
    uint16_t paid;  /* fetches that another access was recorded to miss, which is still to come */
    bool is_known;  /* was fetched, or written */
};

/* Of one SM, by the trace's number of a sector. Zero-initialise; free with sectors_free. */
struct sectors {
    struct sector *items;
    double due; /* stores, in part, whose lines L2 is to take one by one */
};
void sectors_free(struct sectors *sectors);

/* What a load does to its sector. */
struct sector_visit {
    struct sector *sector;
    bool pays;
};

/* A load that issues now: word is the trace's second word for it. Returns that word as it is in the
 * replay. */
uint32_t sectors_load(struct sectors *sectors, uint32_t number, uint32_t word,
                      struct sector_visit *visit);
/* When its data are there, for which the path said `there`. */
uint64_t sectors_finish(const struct sector_visit *visit, uint64_t there);
/* Of stores that write a line in part while device memory is read, how many L2 takes line by line:
 * where the line itself was read, and elsewhere. */
struct sector_shares {
    double in_place, elsewhere;
};
/* A store that leaves its sector in L1: word is the trace's second word for it. Returns that word
 * as it is in the replay: lines that L2 takes one by one, which is_one_by_one says then, count as
 * those of which a sector is written in part. */
uint32_t sectors_store(struct sectors *sectors, uint32_t number, uint32_t word,
                       const struct sector_shares *shares, uint64_t now, bool *is_one_by_one);

/* Adds to an access, whose words those are, another of the same instruction, whose words stand at
 * `at`: a fragment of a matrix is loaded piece by piece. What is told of L2 is that of the piece
 * which lacked most. */
static inline void sectors_join(uint32_t *number, uint32_t *word, const uint32_t *at)
{
    struct wl_trace_access all = wl_trace_unpack(*word), one = wl_trace_unpack(at[1]);
    if (one.missed > all.missed) {
        all.note = one.note;
        *number = wl_trace_sector(at[0]);
    }
    all.wavefronts += one.wavefronts;
    all.wavefronts_ideal += one.wavefronts_ideal;
    all.lines += one.lines;
    all.sectors += one.sectors;
    all.missed += one.missed;
    all.sectors_ideal += one.sectors_ideal;
    *word = wl_trace_pack(all);
}

/* How lucky an access is with device memory, from 0 to 1: all that lies in one piece of 512 bytes
 * is answered together (bench/gpu/model contention, atomics 128 bytes to 4 KiB apart;
 * flights1.*.lines_1, four lines of a piece at once). *last: of the last access to several pieces.
 */
static inline double sectors_chance(double *last, uint32_t sector, uint32_t word)
{
    struct wl_trace_access access = wl_trace_unpack(word);
    if (wl_trace_places(&access, access.sectors) > 1) {
        /* numbers that follow each other by the golden ratio are spread evenly, even a few */
        *last += 0.6180339887498949;
        *last -= *last >= 1;
        return *last;
    }
    uint32_t number = (sector >> WL_TRACE_PIECE_BITS) * 0x85ebca6bu;
    number = (number ^ number >> 15) * 0xc2b2ae35u;
    return (number ^ number >> 16) / 4294967296.0;
}

#endif
