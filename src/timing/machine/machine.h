/* A kernel as the machine runs it, for the timing model: what is left of the warp operations once
 * parameters, addresses and copies are folded, short branches are predicated and loads moved up.
 * Front ends fill it, timing/machine/ improves it, timing/ runs it. It has no meaning for results.
 */
#ifndef WL_TIMING_MACHINE_MACHINE_H
#define WL_TIMING_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum wl_machine_kind {
#define K(id, pipe, latency, queue, scoreboard, ahead, access, order, text) WL_MACHINE_##id,
#include "timing/machine/machine.def"
#undef K
    WL_MACHINE_KIND_COUNT
};

enum wl_machine_pipe {
    WL_MACHINE_PIPE_ALU,
    WL_MACHINE_PIPE_FMA,
    WL_MACHINE_PIPE_IMAD,      /* FMA, at the rate of integer multiplications */
    WL_MACHINE_PIPE_IMAD_WIDE, /* the same at half of it */
    WL_MACHINE_PIPE_EITHER,    /* ALU or FMA, whichever is free */
    WL_MACHINE_PIPE_FP64,
    WL_MACHINE_PIPE_XU,
    WL_MACHINE_PIPE_CONVERT, /* XU, at the rate of narrow conversions */
    WL_MACHINE_PIPE_TENSOR,
    WL_MACHINE_PIPE_WARPGROUP, /* TENSOR, at the rate of products of warpgroups */
    WL_MACHINE_PIPE_LSU,
    WL_MACHINE_PIPE_TEXTURE,
    WL_MACHINE_PIPE_SPECIAL,
    WL_MACHINE_PIPE_UNIFORM,
    WL_MACHINE_PIPE_BRANCH,
    WL_MACHINE_PIPE_NONE,
    WL_MACHINE_PIPE_COUNT
};

#define WL_MACHINE_NONE UINT32_MAX

/* Registers are numbers of 32 or 64 bits each, virtual until wl_machine_place; predicates count as
 * registers. */
struct wl_machine_op {
    uint16_t code;   /* enum wl_opcode it came from */
    uint8_t kind;    /* enum wl_machine_kind */
    bool is_guarded; /* writes only part of its lanes: what the register held stays needed */
    uint8_t count;   /* machine instructions of that kind that it takes, until expanded */
    uint8_t second_kind, second_count; /* and of another kind */
    uint8_t weight;                    /* TENSOR, WARPGROUP: in units of the pipe's rate; else 1 */
    uint8_t def_count;                 /* the first operands */
    uint8_t use_count;                 /* those behind */
    uint8_t read_count;   /* 32-bit registers it fetches, less those the operation before fetched;
                             once placed */
    uint32_t address;     /* register that holds the address it accesses, or WL_MACHINE_NONE */
    uint32_t operands;    /* index in the machine's operands */
    uint32_t instruction; /* of the source program */
    uint32_t site;        /* memory access, or WL_MACHINE_NONE */
    int64_t imm;          /* an immediate operand or offset */
    bool has_imm;
    bool is_readonly;    /* a load of what no thread writes: the texture path, where there is one */
    bool is_kept;        /* a load or store of shared memory that is done as written */
    bool is_varying;     /* lanes may get different results for the same operands */
    bool is_meeting;     /* SYNC: where lanes meet, not where they will part */
    bool may_gather;     /* a reduction that REDUX makes one lane's where all have one address */
    bool has_slow_path;  /* branches to a subroutine for rare operands */
    uint8_t width_bytes; /* of a memory access, a lane */
    uint8_t turn;        /* of the unrolled loop that it belongs to */
    uint8_t lane_count; /* machine instructions of the loop that does it lane by lane; 0: none does.
                           Of a sum of floats in shared memory, of the lanes at one address */
};

enum { WL_MACHINE_SUCCESSORS = 2 };

/* Operations of the source program, as a compiler counts them before it chooses machine
 * instructions. */
struct wl_machine_source {
    uint32_t count;
    uint32_t global_loads, shared_loads;
};

struct wl_machine_block {
    WL_VECTOR(uint32_t) code;        /* indices in ops, in order */
    struct wl_machine_source source; /* what it was made of, with blocks that were merged into it */
    uint32_t successors[WL_MACHINE_SUCCESSORS];
    uint32_t head; /* block it was merged into; itself if it stands alone */
    uint32_t join; /* block where lanes that part at its end meet, WL_MACHINE_NONE: nowhere */
    uint32_t successor_total; /* more than WL_MACHINE_SUCCESSORS: jumps by a table or a pointer */
    bool is_rolled;           /* the program says that this loop is not to be unrolled */
    uint32_t unrolled; /* block that stands for several turns of this loop, or of the one that this
                          stands for, but fewer; WL_MACHINE_NONE: none does */
    uint32_t entry;    /* block that runs before such a loop; if unrolled */
    uint32_t base,
        turns; /* of a block that stands for turns of another: that one; else itself, 1 */
};

struct wl_machine_value {
    uint64_t constant; /* of WL_MACHINE_KNOWN; of WL_MACHINE_COMMON: 0, or 1 more than what it
                          points to among the parameters */
    uint8_t kind;      /* enum wl_machine_register */
};

enum wl_machine_register {
    WL_MACHINE_VALUE,
    WL_MACHINE_WIDE,      /* 64 bits */
    WL_MACHINE_PREDICATE, /* not counted as a register */
    WL_MACHINE_KNOWN,     /* value known when lowering */
    WL_MACHINE_COMMON,    /* the same for the whole launch: an operand from constant memory */
};

/* A load that became one with others: the bytes that a lane loads there, or 0 where another one
 * loads its word. */
struct wl_machine_joined {
    uint32_t site;
    uint8_t width_bytes;
};

struct wl_machine {
    WL_VECTOR(struct wl_machine_op) ops;
    struct wl_machine_block *blocks; /* the program's, then unrolled ones */
    uint32_t block_count;
    WL_VECTOR(uint32_t) operands;                 /* registers */
    WL_VECTOR(struct wl_machine_value) registers; /* one for each register */
    WL_VECTOR(struct wl_machine_joined) joined;   /* of shared memory */
    WL_VECTOR(uint32_t) gathered; /* sites of reductions that one lane does for all */
};

void wl_machine_free(struct wl_machine *machine);

#endif
