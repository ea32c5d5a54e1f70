/* The GPU's description in the units the engine needs: cycles of the SM clock, one SM's share.
 * Internal to timing/. */
#ifndef WL_TIMING_MODEL_H
#define WL_TIMING_MODEL_H

#include "timing/sectors.h"
#include "timing/timing.h"

enum { WL_TIMING_QUEUE_MIO, WL_TIMING_QUEUE_LG, WL_TIMING_QUEUE_TEXTURE, WL_TIMING_QUEUES };

/* What keeps a warp's instructions of a kind apart. */
enum {
    TIMING_SPACED_BY_NOTHING,
    TIMING_SPACED_BY_MEMORY, /* its accesses */
    TIMING_SPACED_BY_PIPE,   /* those that may issue ahead of their pipe */
    TIMING_SPACINGS
};

struct timing_kind {
    uint8_t pipe, other_pipe; /* either of the two takes it */
    uint8_t queue;            /* WL_TIMING_QUEUES for none */
    uint8_t state;            /* of a warp that waits for the result */
    uint8_t spacing;
    uint8_t throttle;  /* of a warp that waits for the pipe or queue */
    uint16_t interval; /* cycles that an instruction keeps its scheduler's pipe busy */
    uint16_t ahead;    /* and it may issue so many before that pipe is free */
    uint16_t latency;  /* cycles to the result; memory adds its own */
    uint16_t fetches;  /* registers' worth that it takes of the operand port, besides its own */
};

/* What fetching instructions and constants costs, in cycles; lines as in code.h. */
struct timing_fetching {
    uint32_t code_lines;  /* that an SM holds */
    uint32_t near_lines;  /* of a kernel's code that a launch brings near the SMs beforehand */
    uint32_t line_cycles; /* from one line to the next behind it */
    uint32_t jump_cycles; /* to any other */
    uint32_t far_line_cycles, far_jump_cycles; /* of what a launch did not bring near, once */
    uint32_t parameter_cycles;                 /* a line of parameters */
    uint32_t constant_cycles;                  /* a line of other constants */
    uint32_t first_constant_cycles;            /* and more for the first of these */
};

struct timing_model {
    uint32_t schedulers;
    struct timing_kind kinds[WL_MACHINE_KIND_COUNT];
    uint32_t queue_room[WL_TIMING_QUEUES]; /* L1 passes that wait, of one scheduler */
    bool has_texture_pipe;                 /* besides L1's */
    uint32_t loads_in_flight;              /* loads of an SM that may wait for lines to come */
    uint32_t l1_lines;                     /* that these may wait for */
    uint32_t
        looked_up_room;    /* accesses of an SM that L1 has looked up and that wait for its pipe */
    double look_up_cycles; /* for each line */
    uint32_t dram_least_latency;       /* the shortest */
    uint32_t l2_latency, dram_latency; /* from L1's look-up to the data */
    double read_cycles;                /* that a register takes of a scheduler's operand port */
    double fill_cycles;                /* that a sector from L2 takes of L1's pipe */
    uint32_t port_cycles[WL_TIMING_QUEUES]; /* that an access takes of its scheduler's port */
    double
        first_block_interval; /* cycles between two blocks that fill an SM when a launch begins */
    uint32_t memory_interval; /* cycles between two memory accesses of a warp */
    uint32_t guard_latency;   /* cycles by which a predicate is there later for what it guards */
    uint32_t branch_latency, meeting_latency, parting_latency, barrier_latency, barrier_interval;
    double l2_sector_cycles;        /* that a sector takes of the SM's share of reading from L2 */
    double l2_write_cycles;         /* of writing, a sector */
    double l2_fill_cycles;          /* and of what L2 takes from SMs and device memory */
    double l2_write_crowded_cycles; /* and more where four lines meet in a slice */
    double l2_write_line_cycles;    /* and a line, at least */
    double l2_write_part_cycles;    /* a sector of which a part is written */
    double store_line_cycles;       /* that L1 takes for each line of a store */
    double atomic_cycles;           /* for each sector of an atomic */
    double atomic_sector_cycles;    /* that it takes of the SM's share of L2's atomics */
    double constant_address_cycles; /* that each address of a load of constants takes of the SM */
    double far_cycles;              /* by which the far half of L2 answers later */
    double dram_crowding;    /* what a request waits for others when device memory is half busy */
    double dram_byte_cycles; /* that a byte takes of the SM's share of device memory */
    double dram_turning;     /* share of time more where as much is read as is written */
    double block_interval;   /* cycles between two blocks that an SM is given */
    double block_latency;    /* from the end of a block to the first instruction of the next */
    double start_cycles;     /* until the first instruction of a launch issues */
    double launch_cycles;    /* of the launch itself, around what the SMs do */
    double l2_merged;        /* sectors that L2 serves for each one that L1 missed */
    double l2_miss_ratio;    /* of those, how many go to device memory */
    double device_scale;     /* so many sectors come from device memory for each one that the trace
                                says so of; 0: it says nothing */
    bool is_whole_trace; /* of its SM: what each load waits for is as recorded, not only in all */
    double dram_bytes_per_missed, dram_bytes_per_written;
    double filled_share; /* of the sectors that are written: lack something, which is read */
    struct timing_fetching fetching;
    struct sector_shares one_by_one; /* of stores that write lines in part */
};

/* Blocks that an SM holds at once, less the limits that a what-if takes away. */
uint32_t timing_resident_blocks(const struct wl_timing_input *input);
/* Cycles for which atomics keep L2 busy: those of its busiest slice, or of all alike where a
 * what-if spreads them. */
double timing_atomic_cycles(const struct wl_timing_input *input);
/* Of L2, for reads of what was not there, besides one for each request. */
double timing_look_ups_of_misses(const struct wl_timing_traffic *traffic);
void timing_model_make(const struct wl_timing_input *input, struct timing_model *model);

#endif
