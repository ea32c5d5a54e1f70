/* Machine code laid out for the engine: groups of blocks that execute as one. Internal to timing/.
 */
#ifndef WL_TIMING_CODE_H
#define WL_TIMING_CODE_H

#include "timing/timing.h"

/* A warp has so many counters of results on their way: reading one of them waits for all that were
 * issued under its counter. */
enum { TIMING_SCOREBOARDS = 6, TIMING_NO_SCOREBOARD = TIMING_SCOREBOARDS };

/* Under which counter a register's value comes, and how often that had been waited for when the
 * value was asked for: after one wait, all that came under it before is there. */
struct timing_held {
    uint32_t scoreboard, waits;
};

enum {
    TIMING_CODE_LINE_BYTES = 128,
    TIMING_CONSTANT_LINE_BYTES = 64,
    /* lines of parameters, from the one on where they begin, then those of other constants */
    TIMING_FIRST_PARAMETERS = 0,
    TIMING_PARAMETER_LINES = 512,
    TIMING_CONSTANT_LINES = TIMING_PARAMETER_LINES + 1024
};

struct timing_op {
    uint8_t kind;
    uint8_t def_count, use_count;
    uint8_t weight;       /* times its pipe's interval */
    uint8_t read_count;   /* registers that it fetches */
    bool is_free;         /* costs no issue slot */
    bool is_at_line;      /* the first of its group in its line */
    bool is_meeting;      /* where lanes meet that parted */
    bool is_wide;         /* a load of 16 bytes a lane from shared memory */
    uint8_t lane_count;   /* instructions of the loop that does it for each lane; 0: none does */
    uint8_t adu_cycles;   /* of the SM's unit for addresses of constants, barriers, block numbers */
    int8_t groups_left;   /* of copies that an AWAIT leaves on their way; -1: it waits for all */
    uint8_t scoreboard;   /* that its result is waited for by, TIMING_NO_SCOREBOARD for none */
    uint8_t guard;        /* of its operands: the predicate that guards it, UINT8_MAX for none */
    uint32_t operands;    /* defs, then uses */
    uint32_t slot;        /* of its memory access in the group, WL_MACHINE_NONE */
    uint32_t instruction; /* of the program */
    uint32_t line;        /* of the code that it stands in */
    uint32_t constants;   /* line of constants that it reads, WL_MACHINE_NONE for none and for
                           * the one that was last read in its group */
};

struct timing_group {
    uint32_t first, count; /* ops */
    uint32_t slots;        /* accesses of a turn */
};

struct timing_code {
    struct timing_op *ops;
    uint32_t *operands;
    struct timing_group *groups; /* by the number of their first block; unrolled ones behind */
    const struct wl_machine_block *blocks;
    uint32_t block_count;
    uint32_t *site_slot; /* slot of each access site within its group */
    uint32_t slot_most, register_count, op_count, site_count;
    uint32_t line_count; /* of the whole code */
};

void timing_code_make(const struct wl_timing_input *input, struct timing_code *code);
void timing_code_free(struct timing_code *code);

#endif
