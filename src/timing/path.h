/* The way of a memory access: the queue of its scheduler, L1's pipe, L2, device memory. Each serves
 * in order, so that the time of an access is known when it is issued. Internal to timing/. */
#ifndef WL_TIMING_PATH_H
#define WL_TIMING_PATH_H

#include "timing/model.h"
#include "warp/trace.h"

enum { PATH_QUEUE_MOST = 64, PATH_FLIGHTS = 1024 };

/* Accesses that wait for L1's pipe. One leaves when it is served and all before it have left. */
struct path_queue {
    uint32_t room;        /* accesses that may wait; 0 or more than PATH_QUEUE_MOST: any number */
    uint32_t port_cycles; /* for which each keeps its scheduler's port */
    uint64_t room_at;     /* cycle at which one more may come */
    uint64_t count, last; /* that have come; when the last of them leaves */
    uint64_t leaves[PATH_QUEUE_MOST];
};

/* What a scheduler sends to L1: its queues, one for each kind of access, one without a limit for
 * what waits in none, and its port. */
struct path_port {
    struct path_queue queues[WL_TIMING_QUEUES + 1];
    uint64_t free;         /* when it can send the next pass */
    uint64_t texture_free; /* the same to texture units which are none of L1's */
};

/* A load that waits for lines to come. */
struct path_flight {
    uint64_t comes;
    double weight;  /* 1 for a line, more for several */
    uint32_t lines; /* that L1 keeps for it */
};

/* L1's, or that of texture units which are none of L1's. */
struct path_pipe {
    double free;              /* when it takes the next pass */
    double tags_free;         /* when its cache looks up the next access */
    struct path_queue looked; /* accesses that were, and wait for the pipe */
    double busy;              /* cycles */
};

struct path {
    struct path_pipe l1, texture;
    double l2_free, l2_write_free, device_free;
    double l2_fill_free;   /* when L2 takes the next sector, from SMs or from device memory */
    double chance;         /* from 0 to 1: of the next load that device memory must answer */
    double atomic_free;    /* when L2 takes the next sector of an atomic */
    double constant_free;  /* when the next address of constants is read */
    double constant_busy;  /* cycles that this takes */
    double device_load;    /* share of the recent past in which device memory was busy */
    double device_writing; /* the same of writing alone */
    double device_seen;    /* cycle for which that holds */
    double missed_debt;    /* sectors, in part, that are due to miss L2 */
    double device_share;   /* of the sectors of the last load whose answer from L2 is known */
    struct path_flight flights[PATH_FLIGHTS]; /* a heap: the first comes first */
    uint32_t flight_count;
    double flight_weight; /* of all of them */
    uint32_t flight_lines;
    uint32_t met;       /* changes that would have made an access another one */
    bool is_one_by_one; /* the next store's lines, which are written in part while device memory is
                           read */
};

/* An access that issues now, through the port's queue of that number: word is the trace's second
 * word; 0: no lane takes part, or it moves data between lanes, and takes a pass all the same.
 * comes: when lines come that another load of this SM asked for. Returns the cycle at which its
 * result is there. */
uint64_t path_access(struct path *path, const struct timing_model *model, uint32_t changes,
                     uint8_t kind, struct path_port *port, uint64_t comes, uint32_t word,
                     uint64_t now);

/* Half a warp has 16 bytes a lane at a time, though all lanes read the same. Loads that a compiler
 * made one of were recorded as the first of them. */
static inline uint32_t path_with_two_passes(uint32_t word)
{
    struct wl_trace_access access = wl_trace_unpack(word);
    if (!access.is_shared || access.wavefronts >= 2)
        return word;
    access.wavefronts = access.wavefronts_ideal = 2;
    return wl_trace_pack(access);
}

#endif
