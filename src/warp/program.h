/* A kernel as the executor sees it: dense warp operations, and a table of the instructions they
 * came from. Front ends (ptx/) build it, sim/ runs it. */
#ifndef WL_WARP_PROGRAM_H
#define WL_WARP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_pipe {
    WL_PIPE_ALU,
    WL_PIPE_FMA,
    WL_PIPE_FP16,
    WL_PIPE_FP64,
    WL_PIPE_XU,
    WL_PIPE_TENSOR,
    WL_PIPE_LSU,
    WL_PIPE_TEX,
    WL_PIPE_CBU,
    WL_PIPE_CONST,
    WL_PIPE_COUNT
};
/* "alu", "fma", ... */
const char *wl_pipe_name(enum wl_pipe pipe);

/* What an instruction does, for the counters of arithmetic. */
enum wl_class {
    WL_CLASS_OTHER,
    WL_CLASS_FADD,
    WL_CLASS_FMUL,
    WL_CLASS_FFMA,
    WL_CLASS_DADD,
    WL_CLASS_DMUL,
    WL_CLASS_DFMA,
    WL_CLASS_HADD,
    WL_CLASS_HMUL,
    WL_CLASS_HFMA,
    WL_CLASS_INTEGER,
    WL_CLASS_CONVERSION,
    WL_CLASS_CONTROL,
    WL_CLASS_MEMORY,
};

/* One instruction of the source program, for tables and messages. */
struct wl_program_instruction {
    char *text;   /* "ld.global.f32 %f1, [%rd4]" with its guard */
    char *opcode; /* "ld.global.f32" */
    enum wl_pipe pipe;
    uint32_t text_line;    /* in the module's text */
    char *file;            /* source file, or NULL */
    uint32_t line, column; /* 0: unknown */
    char *function;        /* inlined function (mangled), or NULL */
    char *inlined_at; /* "file:line:column" of the callers, innermost first, '\n' between; NULL */
    uint32_t block;   /* basic block that holds it, UINT32_MAX if unreachable */
    uint32_t guard;   /* its guard counter, UINT32_MAX if it has no guard */
    uint8_t instruction_class; /* enum wl_class */
    uint8_t class_weight;      /* operations per thread of that class: 2 for packed halves */
    uint8_t exchanges; /* wavefronts of a warp in shared memory's pipe that access nothing there */
    bool is_branch;
    bool is_absorbed; /* a product that is formed within the additions that use it, not here */
};

struct wl_program_parameter {
    uint32_t offset, size_bytes, alignment;
};

/* A register that holds a kernel parameter from the launch's beginning to its end. */
struct wl_parameter_register {
    uint32_t offset;    /* in the register file */
    uint32_t parameter; /* in the parameter block */
    uint8_t width_bytes;
};

/* A function that is called, not inlined: its registers and local variables lie in frames of its
 * own. */
struct wl_function {
    uint64_t address;                     /* what a pointer to it holds */
    uint32_t op;                          /* its first operation */
    uint32_t register_bytes, local_bytes; /* of a frame */
};

/* A shared array of the kernel, or of a function it calls. Where programs are checked there are
 * gaps between them. */
struct wl_shared_array {
    char *name; /* mangled; NULL: the array that the launch gives its size (extern) */
    uint32_t start, size_bytes;
    uint32_t plain_start; /* where it would be without gaps */
};

/* What an address may be made of: a kernel parameter, or where that is UINT32_MAX a variable. */
struct wl_origin {
    uint64_t address;
    uint32_t parameter; /* in the parameter block */
};

/* How global memory is accessed. */
enum wl_reach_kind {
    WL_REACH_LOAD,
    WL_REACH_STORE,
    WL_REACH_COUNT,  /* an update whose order does not matter, of integers */
    WL_REACH_SUM,    /* one whose order does, but nothing is given back: of floats */
    WL_REACH_ATOMIC, /* one that gives something back, or is a swap */
};

/* Where accesses of global memory may lead. */
struct wl_reach {
    uint64_t origins; /* a bit for each of the program's */
    enum wl_reach_kind kind;
};

/* Whether the order matters in which blocks access one word so. Stores of several blocks have none,
 * and where blocks tell each other nothing (is_strict: they may) loads and stores have none. */
static inline bool wl_reaches_need_order(enum wl_reach_kind a, enum wl_reach_kind b, bool is_strict)
{
    const bool is_sum = a == WL_REACH_SUM || b == WL_REACH_SUM;
    return a == b ? a == WL_REACH_ATOMIC : is_strict || is_sum;
}

struct wl_op;      /* warp/op.h */
struct wl_machine; /* timing/machine/machine.h, which this room does not know */
struct wl_native;  /* sim/native, the same */

struct wl_program {
    char *name; /* mangled */
    struct wl_program_instruction *instructions;
    uint32_t instruction_count;
    struct wl_program_parameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    uint32_t shared_static_bytes, local_bytes; /* without gaps */
    bool has_local_rows;                       /* how its local memory lies: sim/local.h */
    struct wl_shared_array *shared_arrays;     /* by start, the extern one last */
    uint32_t shared_array_count;
    uint32_t shared_end, shared_dynamic_start; /* with gaps: of the static arrays, of the extern */
    uint32_t register_estimate;                /* by liveness, as ptxas might need; predicted */
    uint32_t barrier_count;                    /* named barriers used */
    uint32_t max_threads_per_block;            /* .maxntid / .reqntid product, 0: none */
    uint32_t min_blocks_per_sm, max_registers; /* .minnctapersm, .maxnreg, 0: none */
    bool needs_clusters;                       /* it is to be launched in clusters, */
    uint32_t cluster[3];                       /* of so many blocks; 0: the launch says */
    bool blocks_are_clusters;                  /* its launch counts clusters, not blocks */
    bool uses_grid_sync, uses_printf, uses_unmodelled_math;
    bool may_read_unset;     /* a register may be read that nothing was written to */
    bool uses_heap;          /* calls malloc or free */
    bool lanes_may_wait;     /* a lane may spin on what another lane of its warp will write */
    bool blocks_communicate; /* results depend on the order of blocks: run in one fixed order */
    bool has_loop;           /* a branch leads back */
    /* Where that order shows it is kept by what is made in turn (WL_ORDER_TURN) and by sums that
     * wait, as long as different origins are in different allocations; other accesses may run. */
    bool takes_turns;
    bool sums_come_once; /* it does, blocks tell each other nothing else, and no sum is in a loop */
    bool is_strict;      /* see wl_reaches_need_order */
    struct wl_origin *origins;
    struct wl_reach *reaches;
    uint32_t origin_count, reach_count;
    /* for the executor: */
    struct wl_op *ops;
    uint32_t op_count;
    struct wl_block *blocks; /* basic blocks */
    uint32_t block_count;
    uint32_t register_file_bytes;     /* per warp */
    uint32_t kept_offset, kept_bytes; /* registers in it that begin as zeros: those that lanes read
                                         of others */
    struct wl_constant *constants;    /* broadcast into every warp's register file once */
    uint32_t constant_count;
    struct wl_parameter_register *parameter_registers; /* filled when a launch begins */
    uint32_t parameter_register_count;
    struct wl_site *sites; /* memory access sites, counted separately */
    uint32_t site_count;
    uint32_t *branch_targets; /* tables of BRANCH_INDEX: op indices */
    uint32_t branch_target_count;
    struct wl_function *functions; /* the kernel itself first */
    uint32_t function_count;
    uint32_t call_stack_bytes;      /* registers of called frames, per warp; 0: nothing is called */
    uint32_t *operands;             /* registers of operations that have more than five */
    uint32_t guard_count;           /* guarded instructions, counted separately */
    uint64_t serial;                /* unique in the process, given when linked */
    bool is_linked;                 /* ops hold the executor's functions */
    bool is_opaque;                 /* it writes memory in ways that the checks do not know */
    bool reaches_peers;             /* it has addresses of other blocks' shared memory */
    bool tells_sm;                  /* it reads which SM a block is on, or a clock */
    bool blocks_may_wait;           /* a loop may wait for what another block writes */
    bool has_joined_loads;          /* a site's counts are those of a load that joins others */
    uint32_t linked_mode;           /* checks that the functions make */
    const char *numbering_obstacle; /* why blocks of another size would do something else, for the
                                       sweep of block sizes; NULL: they would not. Lives on */
    struct wl_machine *machine;     /* the same for the timing model; NULL: not to be timed */
    void (*free_machine)(struct wl_machine *machine); /* set with it */
    struct wl_native *native;                         /* what is compiled of it; NULL: nothing */
    void (*free_native)(struct wl_native *native);    /* set with it */
};

void wl_program_free(struct wl_program *program);
/* What a block needs for arrays that the launch gives so many bytes to, with gaps. */
uint32_t wl_program_shared_bytes(const struct wl_program *program, uint32_t dynamic_bytes);
/* An offset in shared memory as it would be without gaps. */
uint64_t wl_program_plain_offset(const struct wl_program *program, uint64_t offset);

#endif
