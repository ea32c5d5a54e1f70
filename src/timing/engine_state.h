/* What the replay of an SM knows of its warps, blocks and schedulers. Internal to engine.c. */
#ifndef WL_TIMING_ENGINE_STATE_H
#define WL_TIMING_ENGINE_STATE_H

#include "timing/bulk.h"
#include "timing/copies.h"
#include "timing/engine.h"
#include "timing/fetch.h"
#include "timing/parting.h"
#include "timing/path.h"
#include "timing/sectors.h"
#include "timing/wake.h"

#define STATE_BITS 5 /* of a register's entry: the state of a warp that waits for it */

struct block;

struct warp {
    const uint32_t *at, *end; /* of its trace */
    const struct timing_op *op, *op_end;
    uint64_t accounted; /* cycles up to here belong to a state already */
    uint64_t earliest;  /* of its next instruction, for reasons other than operands */
    uint64_t spaced_at[TIMING_SPACINGS]; /* of the next that is so spaced */
    uint64_t stored;                     /* cycle at which its stores have left the SM */
    uint8_t earliest_state;
    uint8_t state;   /* why it is not ready */
    bool is_waiting; /* at a barrier */
    uint32_t lanes;  /* in 1/32: of blocks left out where divergence costs nothing */
    struct parting parting;
    uint32_t loop;       /* whose entry it has run, WL_MACHINE_NONE outside */
    uint32_t laps;       /* instructions that a loop over its lanes has left */
    uint32_t lap_cycles; /* from one to the next */
    struct block *block;
    struct scheduler *scheduler;
    uint32_t slot;            /* in its scheduler */
    uint64_t *ready_at;       /* of each register: cycle << STATE_BITS | state */
    struct timing_held *held; /* of each register */
    uint64_t scoreboard_at[TIMING_SCOREBOARDS + 1]; /* when all results under it are there */
    uint32_t waits[TIMING_SCOREBOARDS + 1];         /* for it: what came under it before is there */
    struct copies copies;
    uint32_t *slots;   /* of the group's accesses: second word of the trace, 0: did not happen */
    uint32_t *sectors; /* and the number of its sector */
};

struct block {
    struct warp *warps;
    uint32_t live, arrived;
    uint64_t given, start; /* when its place was taken, when its warps could begin */
    uint64_t ended;        /* when the last of its warps that have ended did */
    uint32_t number;       /* its low bits */
    bool is_live;
    bool is_first;   /* in its place: the SM had none there before */
    uint64_t summed; /* when all that its warps add to words that lanes share is added */
    struct bulk_times bulk;
};

/* What held a warp back whose operands were there. */
enum { HELD_BY_ROOM, HELD_BY_PORT, HELD_BY_NOTHING, HELD_COUNT };

/* A warp that waits for its instruction to be issued. */
struct wait {
    const struct timing_kind *kind; /* of the instruction */
    uint64_t ready;                 /* cycle at which its operands are there */
    uint64_t tried;            /* and at which it was held back last, until its cycle to wake */
    uint32_t held_by;          /* from then on */
    uint64_t held[HELD_COUNT]; /* cycles, before that one */
};

/* Warps of a scheduler by slot; their order is that of the oldest block first, of each block the
 * one that issued last at its end. */
struct scheduler {
    struct wake wake;
    struct warp *warps[WAKE_SLOTS];
    struct wait waits[WAKE_SLOTS];
    uint8_t order[WAKE_SLOTS], place[WAKE_SLOTS]; /* slots in that order; where each stands there */
    uint32_t count;
    uint32_t last;  /* slot of the warp that issued last */
    uint64_t awake; /* places in that order: the cycle of the warp has come */
    uint32_t awake_count;
    uint64_t pipe_free[WL_MACHINE_PIPE_COUNT];
    struct path_port port;
    double operands_free; /* when the operand port has fetched all that issued */
    uint64_t next;        /* cycle at which something may happen */
};

struct engine {
    const struct wl_timing_input *input;
    const struct timing_model *model;
    const struct timing_code *code;
    struct timing_result *result;
    uint32_t resident; /* blocks */
    struct scheduler *schedulers;
    struct block *blocks; /* resident places */
    struct path path;
    struct fetch fetch;
    struct sectors sectors;
    uint64_t *instruction_states, *instruction_executed; /* as in result */
    uint32_t next_block;                                 /* of the trace */
    double chance;                                       /* from 0 to 1 */
    uint64_t adu_cycles;
    double next_start; /* cycle at which the next block may start */
    uint64_t barrier_free;
    uint64_t eligible, issued;
    uint32_t served; /* scheduler that last sent an access */
    bool has_ended;  /* before the traces have */
};

#endif
