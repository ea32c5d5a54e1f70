/* How long a launch takes, and where its warps wait: replays recorded warps (warp/trace.h) as
 * machine code (warp/machine.h) on a model of one SM, cycle by cycle, with its share of L2 and
 * device memory; then extends that to the grid. docs/models/timing-model.md has the model in a
 * page. */
#ifndef WL_TIMING_TIMING_H
#define WL_TIMING_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "timing/machine/machine.h"
#include "warp/program.h"
#include "warp/trace.h"

enum wl_timing_state {
#define T(id, name, text) WL_TIMING_##id,
#include "timing/states.def"
#undef T
    WL_TIMING_STATE_COUNT
};
const char *wl_timing_state_name(enum wl_timing_state state);

/* What a what-if takes away; several may be set. */
enum wl_timing_change {
    WL_TIMING_NO_BANK_CONFLICTS = 1 << 0,
    WL_TIMING_COALESCED = 1 << 1,          /* each access touches as few sectors as it could */
    WL_TIMING_L1_HITS = 1 << 2,            /* what L1 looked up is there */
    WL_TIMING_L2_HITS = 1 << 3,            /* what L2 looked up is there */
    WL_TIMING_NO_MEMORY_LATENCY = 1 << 4,  /* device memory answers as soon as L2 */
    WL_TIMING_NO_BANDWIDTH_LIMIT = 1 << 5, /* of device memory */
    WL_TIMING_NO_BARRIERS = 1 << 6,
    WL_TIMING_NO_DIVERGENCE = 1 << 7, /* lanes that part waste no slots */
    WL_TIMING_ANY_REGISTERS = 1 << 8, /* registers do not limit how many blocks are resident */
    WL_TIMING_NO_TAIL = 1 << 9,       /* the last wave is as full as the others */
    WL_TIMING_NO_LATENCY = 1 << 10,   /* results of fixed latency come in the next cycle */
    WL_TIMING_FAST_SPECIAL = 1 << 11, /* special functions run at the rate of FMA */
    WL_TIMING_FUSED = 1 << 12,        /* a multiplication before an addition costs nothing */
    WL_TIMING_MATH_ONLY = 1 << 13, /* without accesses to global memory, and what only they need */
    WL_TIMING_MEMORY_ONLY = 1 << 14, /* with nothing but them, and what they need */
    WL_TIMING_ANY_SHARED = 1 << 15,  /* nor shared memory */
    WL_TIMING_ANY_BLOCKS = 1 << 16, /* nor block slots; blocks start as fast as larger ones would */
    WL_TIMING_NO_IDLE_WARPS = 1 << 17,   /* blocks are as small as their busy warps */
    WL_TIMING_SPREAD_ATOMICS = 1 << 18,  /* atomics meet nowhere, nor those of a warp */
    WL_TIMING_ONE_CONSTANT = 1 << 19,    /* lanes of a warp read constants at one address */
    WL_TIMING_LOCAL_REGISTERS = 1 << 20, /* what is in local memory is in registers */
};

/* Traffic of the whole launch behind L1, to share L2 and device memory among the SMs. */
struct wl_timing_traffic {
    double l1_missed_sectors; /* that L1s sent on, before requests of SMs were merged */
    double l2_read_sectors, l2_read_missed;
    double l2_read_halves; /* of lines, 64 bytes each; 0: as many as the sectors need at least */
    double l2_read_lines_missed; /* that were not where they were asked for: the near half of L2 */
    double l2_write_sectors;
    double l2_requests; /* lines, reads and writes */
    double dram_read_bytes, dram_write_bytes;
    double dram_filled_bytes; /* of those read, for sectors that were written in part */
    double dram_openings;     /* reads of device memory beside which there was no other */
    double atomic_sectors;  /* of atomics and reductions, once for every lane that shares a word */
    double updated_sectors; /* the same, once for all lanes of a warp */
    double atomic_cycles;   /* for which they keep the slice of L2 busy that has most of them */
};

struct wl_timing_input {
    const struct wl_gpu *gpu;
    const struct wl_program *program;
    const struct wl_trace *trace;
    uint64_t block_count; /* of the grid */
    uint32_t warps_per_block;
    struct wl_occupancy occupancy;
    struct wl_timing_traffic traffic;
    double program_instructions; /* executed by warps of the whole launch, of the source program */
    uint32_t changes;            /* enum wl_timing_change */
    /* work of the busiest SM, and of the SMs on average, in terms of the recorded one's; 0: alike
     */
    double busiest_share, even_share;
    struct wl_timing_kept *kept; /* or NULL */
};

/* The first replay without changes that was given it, for later ones of the same launch that come
 * to nothing else: whose changes take nothing away that was met. Their results are the same with it
 * and without. The trace of that first one is not copied. Free with wl_timing_kept_free. */
struct wl_timing_kept *wl_timing_kept_make(void);
void wl_timing_kept_free(struct wl_timing_kept *kept);

/* Free with wl_timing_free. */
struct wl_timing {
    double duration_ns;
    double cycles;        /* of the SM clock, from the start of the launch to its end */
    double active_cycles; /* of an SM while it has a warp, on average */
    double blocks_of_sm;  /* blocks that the busiest SM is taken to run */
    double launch_cycles; /* of cycles, what a launch costs besides its blocks */
    double start_cycles;  /* of an SM's cycles, those before its first instruction */
    double error_pct;     /* what sampling may have cost; 0: all of an SM's blocks were replayed */
    bool is_sampled;
    /* of the whole launch: */
    double instructions;                     /* machine instructions issued by warps */
    double warp_cycles;                      /* warps resident, summed over active cycles */
    double eligible;                         /* warps that could issue, summed over cycles */
    double issue_cycles;                     /* cycles in which a scheduler issued */
    double states[WL_TIMING_STATE_COUNT];    /* warp cycles; their sum is warp_cycles */
    double pipe_busy[WL_MACHINE_PIPE_COUNT]; /* cycles, summed over schedulers */
    double l1_busy;                          /* cycles of the L1 pipe, summed over SMs */
    double adu_busy; /* of the unit that reads constants by address and has the barriers */
    double *instruction_states;   /* [instruction of the program][state] */
    double *instruction_executed; /* machine instructions that came from each */
    uint32_t instruction_count;
};
void wl_timing_free(struct wl_timing *timing);

/* Makes what is of the whole launch the mean of both, in which the other's counts for share, 0 to
 * 1. Both are of one program. */
void wl_timing_blend(struct wl_timing *timing, const struct wl_timing *other, double share);

/* A cause that a what-if takes away. */
struct wl_timing_cause {
    const char *id, *text;
    uint32_t changes;
};
extern const struct wl_timing_cause wl_timing_causes[]; /* ended by a NULL id */

enum { WL_TIMING_SETS_MOST = 8 }; /* of causes, in one text */
/* A set of causes that are taken away together. */
struct wl_timing_set {
    const char *name; /* "a+b" with what follows it in the text */
    size_t length;    /* of the name */
    uint32_t changes;
};
/* Reads "a+b,c+d+e" into sets. Errors: WL_ERR_USAGE where a cause is not known, is a bound, or sets
 * are more than WL_TIMING_SETS_MOST. */
enum wl_code wl_timing_sets_read(const char *text, struct wl_timing_set *sets, size_t *count,
                                 struct wl_error *error);

/* WL_ERR_UNSUPPORTED: the kernel has something that cannot be timed (error->message says what), or
 * nothing was traced. */
enum wl_code wl_timing_predict(const struct wl_timing_input *input, struct wl_timing *timing,
                               struct wl_error *error);

#endif
