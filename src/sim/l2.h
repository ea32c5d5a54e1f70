/* The second-level cache and device memory behind the SMs: counts, no data. Every SM leaves a trace
 * of what its L1 sent on, stamped with its logical time (warp instructions it has issued); traces
 * of an epoch are merged by time, SMs in ascending order within a step, so that the counts follow
 * from the traces alone. Work splits into shards by address: shards may run in parallel, and their
 * number does not change the result. */
#ifndef WL_SIM_L2_H
#define WL_SIM_L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "gpu/gpu.h"
#include "sim/pool.h"

enum wl_l2_kind { WL_L2_READ, WL_L2_WRITE, WL_L2_ATOMIC, WL_L2_REDUCTION };
/* Added to the kind of an atomic or reduction that adds floating-point numbers. */
enum { WL_L2_FLOAT = 1 << 2 };
/* Added to the kind of what a block asks for that goes on alone on its SM (warp/trace.h). */
enum { WL_L2_ALONE = 1 << 3 };

#define WL_L2_MAX_SHARDS 64

/* One line's worth of a warp's access: four words, which vectors of the host sort. */
struct wl_l2_request {
    uint32_t line; /* the low bits of it (address >> 7) */
    uint32_t high; /* the 16 above | sectors << 16 | kind << 20, WL_L2_FLOAT and WL_L2_ALONE with it
                    */
    uint32_t
        words;     /* writes: the 4-byte words of the line that are written; atomics and reductions:
                      a byte for each sector, how many lanes at most share one of its words */
    uint32_t time; /* logical time within the launch; must not decrease within a trace */
};

#define WL_L2_SECTORS_SHIFT 16
#define WL_L2_KIND_SHIFT 20

static inline struct wl_l2_request wl_l2_request_make(uint64_t line, uint32_t sectors,
                                                      uint32_t kind, uint32_t words, uint32_t time)
{
    struct wl_l2_request request = {(uint32_t)line,
                                    (uint32_t)(line >> 32 & 0xffff) |
                                        sectors << WL_L2_SECTORS_SHIFT | kind << WL_L2_KIND_SHIFT,
                                    words, time};
    return request;
}

/* Sectors all of whose words are in words. */
static inline uint32_t wl_l2_whole_sectors(uint32_t words)
{
    /* the highest bit of each byte that has all, then these next to each other */
    const uint32_t highest = ((words & 0x7f7f7f7fu) + 0x01010101u) & words & 0x80808080u;
    return ((highest >> 7) * 0x01020408u) >> 24;
}

/* The sectors of the request's line that it asks for. */
static inline uint32_t wl_l2_request_sectors(const struct wl_l2_request *request)
{
    return request->high >> WL_L2_SECTORS_SHIFT & 15;
}

/* A write of the same line goes with the request. Returns how many sectors that adds. */
static inline uint32_t wl_l2_request_join(struct wl_l2_request *request, uint32_t sectors,
                                          uint32_t words)
{
    const uint32_t more = sectors & ~wl_l2_request_sectors(request);
    request->high |= more << WL_L2_SECTORS_SHIFT;
    request->words |= words;
    return (uint32_t)__builtin_popcount(more);
}

/* What a read was answered from: a nibble of sectors that device memory sent, above it one of those
 * that the far partition had. */
enum { WL_L2_FAR_SHIFT = 4, WL_L2_ANSWER_MASK = 15 };

#define WL_L2_LINES 32

/* Lines that stores of a warp go to again and again. */
struct wl_l2_lines {
    uint64_t line[WL_L2_LINES];
};

/* Requests that follow each other, each one later than the one before, and write the same words of
 * lines, not all: the sectors of these words. Among the trace's requests their places are empty. */
struct wl_l2_run {
    uint32_t first, count;
    uint32_t lines;       /* whose number that is; each request its own, in their order */
    uint32_t words, time; /* the first request's */
};

/* Those of a trace's requests that go to lines that others went to. */
struct wl_l2_repeats {
    WL_VECTOR(struct wl_l2_lines) lines;
    WL_VECTOR(struct wl_l2_run) runs; /* in the order of the requests */
};

/* What one SM sent in an epoch. */
struct wl_l2_trace {
    const struct wl_l2_request *requests;
    size_t count;
    uint32_t sm;
    uint8_t *answers; /* to each request, filled for reads by wl_l2_feed; NULL: nobody asks */
    const struct wl_l2_repeats *repeats; /* NULL: none */
};

/* What a run's empty place, the i-th, stands for. */
struct wl_l2_request wl_l2_run_request(const struct wl_l2_repeats *repeats,
                                       const struct wl_l2_run *run, uint32_t i);
/* The time of the request with that number. */
uint32_t wl_l2_trace_time(const struct wl_l2_trace *trace, size_t number);

struct wl_l2_counts {
    uint64_t requests;                      /* lines asked for, after merging by the coalescers */
    uint64_t reads, read_hits, read_misses; /* sectors; a miss counts all sectors it fetches */
    uint64_t read_halves;                   /* of the lines that were read, 64 bytes each */
    uint64_t read_lines_missed;             /* of which the half that was asked lacked some */
    uint64_t writes, write_hits, write_misses;
    uint64_t atomics, reductions; /* sectors, once for every lane that shares a word */
    uint64_t updated_sectors;     /* of both, once for all lanes of a warp */
    /* of the reads, those with WL_L2_ALONE; what device memory sent, and the other partition */
    uint64_t alone_reads, alone_misses, alone_far;
    uint64_t coalesced; /* sectors of reads that a neighbour SM's read answered */
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t dram_filled_bytes; /* of those read, what written sectors lacked when they left */
    uint64_t dram_openings;     /* reads of device memory beside which there was no other */
    double atomic_cycles;       /* for which atomics keep the slice busy that has most of them */
};

struct wl_l2;
/* gpu must outlive it. Memory is a small share of gpu->l2_bytes, and for several shards what some
 * hundred thousand requests take. */
struct wl_l2 *wl_l2_create(const struct wl_gpu *gpu);
void wl_l2_free(struct wl_l2 *l2);

/* Starts a launch: zeroes the counts and logical time, and forgets all lines unless keep_caches. */
void wl_l2_begin(struct wl_l2 *l2, bool keep_caches);

/* Feeds the requests of an epoch, on the threads of the pool: each of `shards` (at most
 * WL_L2_MAX_SHARDS) parts of its time is brought into order, then each shard is served. One shard:
 * needs no pool. traces are in ascending order of sm; times of an epoch are not before those of the
 * last one. */
void wl_l2_feed(struct wl_l2 *l2, struct wl_pool *pool, uint32_t shards,
                const struct wl_l2_trace *traces, size_t trace_count);

/* Totals since wl_l2_begin. Not while a feed runs. */
void wl_l2_count(const struct wl_l2 *l2, struct wl_l2_counts *counts);

#endif
