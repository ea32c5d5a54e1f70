/* The executor's working state: launch, worker, SM, block and warp. Internal to sim/. */
#ifndef WL_SIM_STATE_H
#define WL_SIM_STATE_H

#include "base/count.h"
#include "sim/ahead.h"
#include "sim/deal.h"
#include "sim/heap.h"
#include "sim/l2.h"
#include "sim/schedule.h"
#include "sim/sim.h"
#include "sim/site_state.h"
#include "warp/op.h"
#include "warp/trace.h"

#define WL_WORKSPACE_BYTES 64
#define WL_NATIVE_STORES 4 /* of a compiled segment, at most */
#define WL_FUEL 8192       /* instructions a warp may run before others get their turn */

enum wl_warp_status {
    WL_WARP_READY,
    WL_WARP_AT_BARRIER,
    WL_WARP_AT_CLUSTER, /* the barrier of the cluster */
    WL_WARP_DONE,
    WL_WARP_FAULT
};

/* What went wrong first; instruction and place for the message. */
struct wl_fault {
    enum wl_sim_fault kind;
    const char *what; /* static text; NULL: no fault */
    char detail[256];
    char *asserted; /* as struct wl_sim_counts has it; owned */
    uint32_t instruction;
    uint32_t block[3], thread[3];
    uint64_t order; /* SM number: the lowest wins, whatever thread found it */
};

enum { WL_SINK_WORDS = 4 }; /* of 64 bits: what a lane accesses at once */

/* Counters of one worker thread; added up at the end, so their order never matters. */
struct wl_worker {
    struct wl_run *run;
    struct wl_ahead ahead;
    uint32_t number;                       /* among the launch's workers */
    uint64_t *block_warps, *block_threads; /* per basic block */
    uint64_t *guard_threads;               /* per guard */
    uint64_t *divergent;                   /* per instruction */
    struct wl_site_state *sites;
    struct wl_shared_pattern *patterns; /* WL_SHARED_PATTERNS */
    uint32_t pattern_count;
    struct wl_native_plan *plans; /* of the program's compiled segments that load; NULL: none */
    void *factors;                /* of matrices, as the executor keeps them; NULL: none yet */
    uint64_t learnt;              /* changes whenever a site's memo does; never 0 */
    uint64_t blocks_done, warps_done, barriers;
    struct wl_fault fault;
    uint64_t sink[WL_LANES * WL_SINK_WORDS]; /* in place of memory that is in no allocation */
    uint64_t stored[WL_NATIVE_STORES][2 * WL_LANES]; /* by a compiled segment that has not ended */
} __attribute__((aligned(WL_APART)));

struct wl_stack_entry {
    const struct wl_op *pc, *join;
    uint8_t *registers; /* the frame the path runs in */
    uint32_t mask;
    uint32_t local_frame, frame_base;
};

#define WL_GROUPS_KEPT 8 /* groups of products that a warp can wait for one by one */

/* What every turn needs lies in the first two of the host's cache lines. */
struct wl_warp {
    uint8_t *registers; /* NULL while the block has no seat */
    const struct wl_op *pc;
    struct wl_worker *worker;
    struct wl_sm *sm;
    struct wl_cta *cta;
    struct wl_trace_warp *trace; /* NULL: what it does is not recorded */
    uint64_t issued;             /* instructions, up to this turn */
    uint32_t active;             /* lanes of the current operation: mask and guard */
    uint32_t is_masked;          /* active != all 32: index into op->run */

    int32_t fuel;
    enum wl_warp_status status;
    uint32_t mask;          /* lanes on this path */
    uint32_t index;         /* warp of the block */
    uint8_t *shared;        /* the block's shared memory */
    uint8_t *local;         /* the local memory of the warp (sim/local.h) */
    uint32_t counted_ahead; /* loads to come that a load before has counted */
    uint32_t path_age;      /* instructions since the warp took up this path */
    uint32_t vain_tests;    /* of barrier objects, since it did anything else with one */
    bool is_watched;        /* each of its operations returns before the next begins */
    bool is_idle;           /* its last turn was nothing but such tests, after many */
    bool is_counted;        /* at the cluster's barrier, and so have all: the cluster knows */
    const struct wl_op *barrier_op;
    uint32_t barrier;       /* named barrier it waits at */
    uint32_t barrier_value; /* contribution of a reducing barrier */

    const struct wl_op *join; /* where the current lanes meet the others again; NULL: at exit */
    struct wl_stack_entry *stack;
    uint32_t stack_depth, stack_capacity;
    uint32_t frame_base;  /* depth of the stack where the present function was called */
    uint32_t local_frame; /* its frame in local memory */
    uint8_t *registers_base, *registers_end; /* the memory for frames */
    uint64_t executed;                       /* instructions, where there is a budget */
    uint64_t clock;                          /* what it read last */

    uint32_t arrived_lanes;             /* at the cluster's barrier, in this phase */
    uint32_t products, commits;         /* of its warpgroup, that it came to */
    uint32_t committed[WL_GROUPS_KEPT]; /* products at the last commits; commit n at n % size */
} __attribute__((aligned(64)));

#define WL_BARRIERS 16
/* Shared accesses that fit such a window are moved by permuting it. It may reach behind a block's
 * shared memory, which has slack for that. */
#define WL_SHARED_WINDOW_BYTES 256
#define WL_SHARED_SLACK_BYTES (WL_SHARED_WINDOW_BYTES + 16)

/* A resident block. */
struct wl_cta {
    bool is_live;
    bool has_warps; /* of this launch */
    uint32_t id[3];
    uint64_t linear;
    uint32_t warp_count, warps_live;
    struct wl_warp *warps;
    struct wl_trace *trace; /* where its warps are recorded, if they are */
    size_t trace_limit;     /* words that each of them may have there */
    uint32_t seat;          /* WL_SEATS_NONE before its first turn */
    uint8_t *shared;
    uint8_t *local;           /* of its warps, one after another */
    struct wl_shadow *shadow; /* NULL: races and unwritten memory are not looked for */
    struct wl_owed *owed;     /* NULL: collectives of lanes are not looked at */
    struct {
        uint32_t expected; /* warps, 0: all live ones */
        uint32_t arrived;
        uint32_t population, all, any; /* reductions */
    } barriers[WL_BARRIERS];
    uint32_t begun;           /* barriers, a bit each, that some have arrived at; others are zero */
    struct wl_lonely *lonely; /* WL_BARRIERS; NULL while none arrived without waiting */
    uint32_t rank;            /* in its cluster */
    struct {
        uint32_t blocks_live, warps_live;
        uint32_t arrived; /* warps, at its barrier */
        uint64_t issued;  /* instructions of its blocks that have ended */
    } cluster;            /* of the block of rank 0 */
};

/* A recorded access of which more is known once the epoch is over: its requests to L2, and where it
 * is noted. */
struct wl_asked {
    struct wl_trace_warp *warp;
    size_t word;
    uint32_t first, count; /* of the SM's requests */
};

/* A sum that is kept: see sim/turns.h and sim/sums.h. */
struct wl_kept {
    uint64_t place;   /* address, plus 1 where it is of double precision */
    uint64_t operand; /* bits */
    uint64_t block;   /* its number in the grid */
};

/* Sums while they are added, see sim/sums.h: all 0 at the beginning. */
struct wl_sums {
    size_t most, room; /* kept ones that are still few; of each array */
    struct wl_kept *taken, *other;
};

struct wl_sm {
    uint32_t index;
    uint32_t place;  /* its number, or its cluster's, among those that begin a part of an epoch */
    uint64_t time;   /* about cycles so far in this launch, up to the turn of the warp that runs */
    uint64_t issued; /* instructions, up to the turn of the warp that runs */
    uint64_t issued_longest; /* of the warp that ended after the most */
    uint64_t epoch_start, epoch_end;
    uint64_t queue_end;  /* 1/256 cycles: when L1 and what lies behind will have served all lines */
    uint32_t turn_loads; /* loads of the turn so far */
    bool has_faulted;
    bool is_stalled;     /* its warps wait for another SM of their cluster */
    bool is_interrupted; /* its epoch is to go on once L2 has what was asked of it */
    struct wl_findings findings;
    struct wl_flights flights;
    struct wl_schedule schedule; /* of all warps of all resident blocks */
    struct wl_hand *hand;        /* its blocks to come */
    struct wl_trace *trace;      /* NULL: its warps are not recorded */
    uint32_t cta_count, ctas_live;
    struct wl_cta *ctas;
    struct wl_warp *warps; /* of all its blocks, one block after the other */
    uint32_t warp_capacity;
    struct wl_l1 *l1;               /* NULL: not counted */
    struct wl_l1 *readonly;         /* for read-only loads; NULL where L1 takes them */
    struct wl_l2_request *requests; /* what L1 sent on in this epoch */
    size_t request_count, request_capacity;
    uint64_t epoch_number;        /* of all launches; from 1 on */
    struct wl_l2_repeats repeats; /* among the requests of this epoch */
    uint32_t request_mark;        /* WL_L2_ALONE once a block goes on alone, which alone records */
    struct wl_trace alone;
    WL_VECTOR(struct wl_asked) asked;  /* loads of this epoch that missed L1 */
    WL_VECTOR(struct wl_asked) stored; /* stores of it that wrote a part of some sector */
    WL_VECTOR(struct wl_kept) kept;    /* sums, in the order of its warps' turns */
    uint8_t *answers;                  /* to the requests of this epoch, where some are recorded */
    size_t answer_capacity;
} __attribute__((aligned(WL_APART)));

/* There are no requests of the epoch yet, and stores join none. */
void wl_sm_begin_requests(struct wl_sm *sm);
/* Before L2 has its requests: where it puts the answers; NULL where none is recorded. After: notes
 * them in the warps' traces, and what stores left in part, with those that joined them. */
uint8_t *wl_sm_begin_answers(struct wl_sm *sm);
void wl_sm_take_answers(struct wl_sm *sm);

/* Instructions an SM issues in a cycle when its warps keep it busy. */
#define WL_ISSUE_PER_CYCLE 2

/* The SM's time within the warp's turn. */
static inline uint64_t wl_warp_time(const struct wl_warp *warp)
{
    return warp->sm->time + (uint64_t)(WL_FUEL - warp->fuel) / WL_ISSUE_PER_CYCLE;
}

/* One launch while it runs. */
struct wl_run {
    const struct wl_gpu *gpu;
    const struct wl_program *program;
    const struct wl_sim_launch *launch;
    const struct wl_sim_options *options;
    uint32_t threads_per_block, warps_per_block;
    uint32_t shared_bytes;
    uint32_t cluster[3], cluster_size; /* blocks; 1 where the launch has no clusters */
    uint32_t peer_latency;             /* cycles to another SM of the cluster */
    uint32_t sm_count;
    uint64_t block_total;
    /* of what the registers of warps hold all the time: other numbers, other contents */
    uint64_t constants_number, parameters_number;
    uint8_t *memory;    /* place_bytes for each block that may be resident: a seat, and behind it
                           what the block of that place has besides */
    size_t place_bytes; /* wl_sm_cta_bytes */
    struct wl_seats *seats; /* as many as there are places */
    bool count, l1_global_loads;
    bool is_opaque;         /* see wl_check_is_opaque */
    bool reaches_peers;     /* blocks may access each other's shared memory */
    uint32_t miss_latency;  /* cycles of a load that misses L1 */
    uint32_t load_latency;  /* cycles after which a warp goes on that waits for loads */
    double issue_lag;       /* cycles that an instruction takes beyond 1 / WL_ISSUE_PER_CYCLE */
    double issue_interval;  /* between two of a warp */
    uint32_t sector_cost;   /* 1/256 cycles that memory takes for a sector, as in the last epoch */
    uint64_t *workspace;    /* where the blocks of a cooperative grid meet; else NULL */
    struct wl_turns *turns; /* NULL: one thread runs all SMs, or their order does not matter */
    bool orders_sums;       /* see wl_sums_are_ordered */
    struct wl_sums sums;
    struct wl_race_global *races;          /* NULL: races on global memory are not looked for */
    struct wl_heap *heap;                  /* NULL while no kernel has used it */
    struct wl_children *children;          /* NULL where the kernel launches none */
    uint32_t (*thread_index)[3][WL_LANES]; /* of each warp of a block: tid.x, .y, .z by lane */
    int fault_found;                       /* atomic: stop early */
};

/* Sets issue_lag and issue_interval for SMs that have so many blocks at once. */
void wl_run_set_pace(struct wl_run *run, uint32_t resident);
/* About the cycles since the launch began, and the time; they never go back in a warp. */
uint64_t wl_warp_clock(struct wl_warp *warp, const struct wl_op *op);
uint64_t wl_warp_globaltimer(struct wl_warp *warp, const struct wl_op *op);

/* Records a fault (the worker keeps the first), marks the warp, returns NULL to leave the loop. */
const struct wl_op *wl_warp_fault(struct wl_warp *warp, const struct wl_op *op,
                                  enum wl_sim_fault kind, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* True if `bytes` at the address lie in one range; remembers it in the site. */
bool wl_run_find_range(const struct wl_run *run, struct wl_site_state *site, uint64_t address,
                       uint64_t bytes);

/* Gives the program's operations their functions, for checks of that mode (wl_check_mode); does
 * nothing where they have them. Not while a launch of it runs. */
void wl_run_link(struct wl_program *program, uint32_t mode, enum wl_sim_engine engine);

/* The sites look up again what memory they are in: some was freed. */
void wl_worker_forget_ranges(struct wl_worker *worker);

/* Makes room for more requests; memory is bounded since an SM leaves its epoch when it has many. */
void wl_sm_grow_trace(struct wl_sm *sm);

/* Adds up the workers' counters. */
void wl_counts_gather(const struct wl_run *run, struct wl_worker *workers, uint32_t worker_count,
                      struct wl_sim_counts *counts);

/* Adds the SM's findings to those of SMs before it. */
void wl_counts_gather_findings(const struct wl_sm *sm, struct wl_sim_counts *counts);

#endif
