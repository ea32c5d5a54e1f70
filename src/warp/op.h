/* Warp operations: what the executor runs. An operation acts on whole registers of a warp: a 32-bit
 * register is 32 lanes of 4 bytes (128 bytes), a 64-bit one 32 lanes of 8 bytes, a predicate one
 * 32-bit lane mask. Narrower values live zero-extended in 32-bit registers. Operands are byte
 * offsets into the warp's register file; front ends decode once, nothing is looked up while
 * running. */
#ifndef WL_WARP_OP_H
#define WL_WARP_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "warp/kinds.h"
#include "warp/program.h"

#define WL_LANES 32
#define WL_FULL_MASK 0xffffffffu
#define WL_REGISTER32_BYTES 128
#define WL_REGISTER64_BYTES 256

/* Generic addresses of shared and local memory: far outside what a host process can map. */
#define WL_SHARED_WINDOW 0x0100000000000000ull
#define WL_LOCAL_WINDOW 0x0200000000000000ull
#define WL_WINDOW_MASK 0xff00000000000000ull
/* Shared memory of another block of the cluster: its rank plus one stands above the offset; 0 is
 * the block's own. */
enum { WL_PEER_SHIFT = 24, WL_PEER_MOST = 127 };
#define WL_PEER_OFFSET_MASK 0x00ffffffu
#define WL_CLUSTER_BLOCKS_MOST 16

enum wl_opcode {
#define B(id, dst, a, b, expression) WL_OP_##id, WL_OP_##id##_I,
#define U(id, dst, a, expression) WL_OP_##id,
#define T(id, dst, a, b, c, expression) WL_OP_##id,
#define P(id, a, b, expression) WL_OP_##id, WL_OP_##id##_I,
#define S(id, text) WL_OP_##id,
#define A(id, dst, a) WL_OP_##id,
#define D(id, dst, a, b) WL_OP_##id, WL_OP_##id##_I,
#define F(id, dst, a, b, c) WL_OP_##id,
#include "warp/ops.def"
#undef B
#undef U
#undef T
#undef P
#undef S
#undef A
#undef D
#undef F
    WL_OP_COUNT
};

/* Storage class of an operand. */
enum wl_operand_class { WL_CLASS_NONE, WL_CLASS_32, WL_CLASS_64, WL_CLASS_PREDICATE };

/* Shape of an operation: how a front end binds its operands. */
enum wl_op_form {
    WL_FORM_BINARY,
    WL_FORM_BINARY_IMMEDIATE,
    WL_FORM_UNARY,
    WL_FORM_TERNARY,
    WL_FORM_COMPARE,
    WL_FORM_COMPARE_IMMEDIATE,
    WL_FORM_SPECIAL
};

struct wl_op_row {
    const char *name;
    enum wl_op_form form;
    uint8_t dst, a, b, c; /* enum wl_operand_class */
};
extern const struct wl_op_row wl_op_rows[WL_OP_COUNT];

struct wl_warp;
typedef const struct wl_op *(*wl_op_run)(struct wl_warp *warp, const struct wl_op *op);

/* Flags of memory operations. */
enum {
    WL_OPF_SIGNED = 1,       /* narrow loads are sign-extended */
    WL_OPF_DST64 = 2,        /* destinations (or stored values) are 64-bit registers */
    WL_OPF_ADDRESS32 = 4,    /* the address register is 32-bit */
    WL_OPF_NO_ADDRESS = 8,   /* the address is imm alone */
    WL_OPF_NEGATED = 16,     /* the predicate operand is negated */
    WL_OPF_RESULT = 32,      /* an atomic whose result is used */
    WL_OPF_NONCOHERENT = 64, /* ld.global.nc: the read-only path */
    WL_OPF_BYPASS_L1 = 128,  /* volatile, .cg, .cv, relaxed and stronger; of a BARRIER_OBJECT: a
                                bulk copy tells it, no access of the warp */
};

/* Bits of the kind of a BRANCH_IF. */
enum {
    WL_BRANCH_SKIPS = 1,  /* leads the lanes without a guard around what it guards: no branch of the
                             source program */
    WL_BRANCH_LEAVES = 2, /* one way leads out of the loop of which b is the first operation, c the
                             last, and within which lanes meet */
};

/* Bits of the kind of a load. */
enum {
    WL_LOAD_SHORT = 1, /* signed values go to 16-bit registers, which are kept zero-extended */
    WL_LOAD_KEPT = 2, /* volatile, relaxed and stronger: done as written, even if nobody reads it */
};

/* How an access is ordered with others, by the PTX memory model: spare of loads, stores and
 * atomics. Two strong accesses do not race. */
enum wl_order {
    WL_ORDER_STRONG = 1,  /* volatile, relaxed and stronger; every atomic */
    WL_ORDER_ACQUIRE = 2, /* what was released at its address happened before what follows */
    WL_ORDER_RELEASE = 4, /* what came before it happened before who acquires there */
    WL_ORDER_VOLATILE = 8,
    WL_ORDER_TURN = 16, /* after all that blocks of earlier SMs do: sim/turns.h */
};

/* kind of a WARP_SYNC. */
enum wl_warp_sync {
    WL_WARP_SYNC_NONE,   /* an instruction that is counted and does nothing here */
    WL_WARP_SYNC_LANES,  /* of the lanes in imm; 0: not known which */
    WL_WARP_SYNC_MASK,   /* of the lanes in a; of the shuffle that follows, if one does */
    WL_WARP_SYNC_COMMIT, /* the copies so far are a group */
    WL_WARP_SYNC_TELL,   /* a barrier object is notified when the copies so far are done */
};

/* kind of a YIELD that waits for copies. */
enum wl_await {
    WL_AWAIT_NONE,
    WL_AWAIT_GROUPS, /* all but the last imm groups */
    WL_AWAIT_COPIES, /* all */
};

/* kind of a COPY_BULK or COPY_TENSOR. */
enum wl_bulk_direction { WL_BULK_TO_SHARED, WL_BULK_TO_GLOBAL, WL_BULK_TO_PEER };

/* COPY_BULK, COPY_TENSOR: spare, where memory is not written but reduced: the atomic and 1, or of a
 * tensor, whose map has the type, one of these. */
enum wl_bulk_reduction {
    WL_BULK_ADD = 0x100,
    WL_BULK_MIN,
    WL_BULK_MAX,
    WL_BULK_INC,
    WL_BULK_DEC,
    WL_BULK_AND,
    WL_BULK_OR,
    WL_BULK_XOR,
};

struct wl_op {
    wl_op_run run[2]; /* [0] all 32 lanes active, [1] some; filled when linked to an executor */
    uint16_t code;    /* enum wl_opcode */
    uint8_t flags;
    uint8_t width_bytes;      /* memory: bytes of one element */
    uint8_t count;            /* memory: elements per lane (1, 2, 4); else free */
    uint8_t kind;             /* sub-operation: atomic operation, special register, rounding ... */
    uint16_t spare;           /* memory: enum wl_order; else free */
    uint32_t instruction;     /* index into program->instructions */
    uint32_t site;            /* memory: index into program->sites; guards: guard counter */
    uint32_t dst, a, b, c, d; /* register offsets; vectors use dst, b, c, d in turn */
    uint32_t target;          /* control flow: op index */
    uint32_t reconverge;      /* divergent branches: op index of the join, UINT32_MAX for none */
    uint16_t stretch;         /* executor: operations from here on that run in one go */
    uint8_t step, slot;       /* and what this one is in a stretch; slot of a load of global memory:
                                 loads from here on that are counted together, or 0 */
    uint16_t lives[4]; /* after how many operations what it writes to dst, b, c, d is read last; 0:
                          not known */
    uint32_t segment;  /* compiled segments: which begins here, of those that load */
    int64_t imm;
};

/* A basic block: instructions [first, first + count) of the source, executed together. Guarded
 * instructions are counted by their own guard as well. */
struct wl_block {
    uint32_t first_instruction, instruction_count;
    uint32_t issue_count; /* instructions that occupy an issue slot */
};

struct wl_constant {
    uint32_t offset;     /* in the register file */
    uint8_t width_bytes; /* 4 or 8 */
    uint64_t bits;
};

enum wl_site_space {
    WL_SITE_GLOBAL,
    WL_SITE_SHARED,
    WL_SITE_LOCAL,
    WL_SITE_GENERIC,
    WL_SITE_TEXTURE,
    WL_SITE_SURFACE
};
enum wl_site_access {
    WL_SITE_LOAD,
    WL_SITE_STORE,
    WL_SITE_ATOMIC,
    WL_SITE_REDUCTION,
    WL_SITE_COPY
};

struct wl_site {
    uint32_t instruction;
    uint8_t space, access;
    bool is_in_local;     /* a load or store of local memory, also through a generic address */
    bool is_joined;       /* a load that a compiler makes part of another's: it is counted there */
    bool is_object;       /* acts on a barrier object: an H200 counts no access to shared memory */
    bool is_gathered;     /* a reduction that one lane does for all that have its address */
    uint8_t joined_bytes; /* that a lane loads here once others are part of it; 0: none is */
};

#endif
