/* What L2 consists of. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_STATE_H
#define WL_SIM_L2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "sim/l2.h"
#include "sim/l2_batch.h"
#include "sim/l2_bits.h"
#include "sim/l2_open.h"
#include "sim/l2_rows.h"
#include "sim/l2_run.h"
#include "sim/l2_set.h"

enum {
    L2_LINE_BYTES = 128,
    L2_SECTOR_BYTES = 32,
    L2_MAX_PARTITIONS = 2,
    L2_SLICES = WL_L2_MAX_SHARDS, /* every table is split by slice, and shards take whole slices */
    L2_PENDING_BITS = 5,
    L2_PENDING_PER_SLICE = 1 << L2_PENDING_BITS, /* lines that a coalescer remembers in a slice */
    /* Measured on H200, docs/evidence/h200-microbenchmarks.md: */
    L2_MERGED_REQUESTS = 4, /* reads that a coalescer lets one fetch answer */
    /* How long a fetch stays open for others. On hardware about 64 cycles where L2 has the line,
     * 300 to 600 where device memory must bring it, and SMs that share data fall into step because
     * those behind find it nearer. Logical time has no such pull, hence more. */
    L2_PENDING_TIME = 1000,
    L2_DEVICE_TIME = 300,    /* half the way from device memory: who asks later does not wait */
    L2_DIRTY_SIXTEENTHS = 7, /* share of a set's ways that may be dirty */
};

/* The latest fetch of a line for the SMs of one group. */
struct l2_pending {
    uint32_t low, start; /* low: of the line its low bits */
    uint16_t high;       /* and the 16 above */
    uint8_t sectors, requests;
    bool is_device, is_far; /* whence it comes */
};

/* Whose requests a trace holds. */
struct l2_origin {
    uint8_t *answers;
    struct l2_pending *pending; /* its group's, by slice; NULL: there are no coalescers */
    uint8_t partition;          /* of its SMs */
} __attribute__((aligned(32)));

/* What is fed. */
struct l2_epoch {
    const struct wl_l2_trace *traces;
    struct l2_origin *origins; /* each trace's */
    uint32_t *marks;           /* each trace's, as in l2_batch */
    struct l2_known **known;   /* each trace's, of its lines that are known */
    size_t trace_count;
    uint32_t shards;
    bool has_answers; /* somebody asks for those to some of the traces */
};

/* Requests of a part of the epoch's time, in their order. */
struct l2_part {
    uint64_t start, end;
    struct l2_rows before, rows;            /* rows: that were asked for in this part alone */
    struct l2_list lists[WL_L2_MAX_SHARDS]; /* by shard */
};

struct wl_l2 {
    const struct wl_gpu *gpu;
    uint32_t partitions, ways, set_count, set_reciprocal; /* sets of a partition */
    uint32_t dirty_limit;                                 /* ways of a set */
    /* of each number L2_MAX_PARTITIONS, whether there are as many or not */
    struct l2_set *sets;
    struct l2_written *written;
    struct l2_fetched *fetched;
    size_t set_bytes, written_bytes, fetched_bytes;
    struct l2_opens opens;
    uint32_t launch;            /* told from others in those times */
    uint32_t group_sms, groups; /* a GPC's SMs are neighbours */
    uint8_t *partition_of;      /* each group's */
    bool has_coalescers;
    struct l2_pending *pending; /* groups x L2_SLICES x L2_PENDING_PER_SLICE */
    uint32_t gpu_slices;
    struct l2_updates *updates; /* L2_SLICES x gpu_slices */
    struct l2_rows rows;
    struct wl_l2_counts counts[WL_L2_MAX_SHARDS]; /* by shard */
    struct l2_epoch epoch;
    struct l2_known *known; /* of all traces of an epoch */
    size_t known_count, known_capacity;
    struct l2_part *parts; /* of an epoch's time that is shared among shards */
    uint32_t part_capacity;
};

struct l2_located {
    uint64_t line;
    uint32_t set, words, time;
    uint32_t open_mark; /* of a write that may leave its line open; 0: it does not */
    uint8_t near;       /* the partition of the SM */
    uint8_t sectors, kind, home;
    bool is_float, is_alone;
    const struct l2_place *place;
    const struct l2_rows *before; /* as l2_is_beside has them */
    uint8_t *answer;              /* NULL: nobody asks */
    struct l2_pending *fetch;     /* that others may join; NULL: none */
};

/* Where a set of a partition is among them. */
static inline size_t l2_place_of(uint32_t partition, uint32_t set)
{
    return (size_t)set * L2_MAX_PARTITIONS + partition;
}

static inline struct l2_set *l2_set_of(const struct wl_l2 *l2, uint32_t partition, uint32_t set)
{
    return &l2->sets[l2_place_of(partition, set)];
}

static inline uint32_t l2_slice_of(uint32_t set)
{
    return set % L2_SLICES;
}

#endif
