/* Operations in a row compiled to machine code for all lanes, where the host has AVX-512 or AVX2;
 * and again for lanes of which some are off. The executor's functions remain the reference; whoever
 * enters such a segment in its middle, or one that accesses memory while accesses of its warp are
 * recorded, runs those.
 * An address is known when the segment begins, or computed ahead of the rest; nothing is written
 * before all have been found as expected. Checks, where there are any, look at all loads of a
 * segment before the first is done. Free segments, of lanes that are off in launches that nobody
 * counts, check the addresses of each access before it instead, and are left there if need be.
 * Internal to sim/native. */
#ifndef WL_SIM_NATIVE_NATIVE_H
#define WL_SIM_NATIVE_NATIVE_H

#include <pthread.h>

#include "sim/compiled.h"
#include "sim/native/encode.h"

/* How an operation is compiled. */
enum wl_native_form {
    WL_NATIVE_NONE,
    WL_NATIVE_BINARY,
    WL_NATIVE_SHIFT_WIDE,    /* 64 bits by a 32-bit register */
    WL_NATIVE_MULTIPLY_ADD,  /* a product and a sum of integers */
    WL_NATIVE_MULTIPLY_WIDE, /* 64 bits of the product of 32 */
    WL_NATIVE_NEGATE,
    WL_NATIVE_UNARY,
    WL_NATIVE_WITH_LITERAL,
    WL_NATIVE_THREE_LOGIC,
    WL_NATIVE_MOVE,
    WL_NATIVE_IMMEDIATE,
    WL_NATIVE_WIDEN,  /* 64 bits of 32, half a vector after the other */
    WL_NATIVE_NARROW, /* the low 32 bits of 64 */
    WL_NATIVE_PACK,
    WL_NATIVE_UNPACK,
    WL_NATIVE_FUSED,
    WL_NATIVE_COMPARE,
    WL_NATIVE_SELECT,
    WL_NATIVE_PREDICATE_LOGIC,
    WL_NATIVE_PREDICATE_CONSTANT,
    WL_NATIVE_FROM_PREDICATE,
    WL_NATIVE_SPECIAL,
    WL_NATIVE_PARAMETER,
    WL_NATIVE_SHARED,
    WL_NATIVE_GLOBAL,
    WL_NATIVE_STORE,
    WL_NATIVE_MULTIPLY_HIGH, /* the high 32 bits of a product */
    WL_NATIVE_FUNNEL,        /* 32 of 64 bits, shifted by up to 31 */
    WL_NATIVE_RECIPROCAL,
    WL_NATIVE_ORDER_FLOAT, /* the lesser or greater; of a NaN and a number the number */
    WL_NATIVE_TRUNCATE,    /* to an integer, or as near as there is one */
    WL_NATIVE_INTEGRAL,    /* rounded to an integer that stays a float, or clamped to [0, 1] */
    WL_NATIVE_NARROW_FLOAT,
    WL_NATIVE_FLOAT_OF_SHORT,
    /* of 64 bits, as AVX-512 alone has them; and of integers without sign */
    WL_NATIVE_MULTIPLY_64,
    WL_NATIVE_MULTIPLY_ADD_64,
    WL_NATIVE_ORDER_64, /* the lesser or greater */
    WL_NATIVE_ABSOLUTE_64,
    WL_NATIVE_SHIFT_SIGNED_64,
    WL_NATIVE_FLOAT_OF_UNSIGNED,
    WL_NATIVE_DOUBLE_OF_UNSIGNED,
    /* of less than 32 bits */
    WL_NATIVE_EXTEND,
    WL_NATIVE_BINARY_SHORT,
    WL_NATIVE_MULTIPLY_SHORT,
    WL_NATIVE_PACK_SHORT,
    WL_NATIVE_UNPACK_SHORT,
    /* binary16, in pairs or one; in single precision */
    WL_NATIVE_HALVES,
    WL_NATIVE_FLOAT_OF_HALF,
    WL_NATIVE_HALF_OF_FLOAT,
    WL_NATIVE_PAIR_OF_FLOATS, /* or one of them, bfloat16 too */
    WL_NATIVE_MULTIPLY_HIGH_64,
    WL_NATIVE_SHUFFLE, /* whose lanes the program tells */
    WL_NATIVE_FORMS
};

enum {
    WL_NATIVE_COMMUTES = 1,
    WL_NATIVE_FLOAT = 2,   /* takes any NaN for the canonical one, and may give another */
    WL_NATIVE_FLUSHES = 4, /* subnormal operands and results become zero */
    WL_NATIVE_ADDS = 8,
    WL_NATIVE_HAS_IMMEDIATE = 16, /* in place of b */
    WL_NATIVE_SHORT = 32,         /* of 16 bits */
    WL_NATIVE_ZEROS = 64,         /* what extends a value; else its sign */
    WL_NATIVE_SATURATES = 128,    /* results are clamped to [0, 1], NaN to 0 */
    WL_NATIVE_SIGNED = 1,         /* of products of 64 bits */
};

enum wl_native_literal {
    WL_NATIVE_ALL_BITS,
    WL_NATIVE_LOW_8,
    WL_NATIVE_LOW_16,
    WL_NATIVE_SIGN_32,
    WL_NATIVE_BUT_SIGN_32,
    WL_NATIVE_SIGN_64,
    WL_NATIVE_BUT_SIGN_64,
};

struct wl_native_row {
    uint8_t form; /* enum wl_native_form */
    uint8_t bits; /* of an element of dst */
    struct wl_encoding encoding;
    uint8_t flags, number;
};
extern const struct wl_native_row wl_native_rows[WL_OP_COUNT];

/* A register that an operation reads or writes: its offset and class (enum wl_operand_class). */
struct wl_native_operand {
    uint32_t offset;
    uint8_t operand_class;
    uint8_t field; /* of a written one: which of op->lives */
};
enum { WL_NATIVE_READS = 4, WL_NATIVE_WRITES = 4 };
struct wl_native_operands {
    struct wl_native_operand reads[WL_NATIVE_READS], writes[WL_NATIVE_WRITES];
    uint32_t read_count, write_count;
};
/* The registers of an operation that has a row; of a load or store, not the address. */
struct wl_native_operands wl_native_operands(const struct wl_op *op);

enum { WL_NATIVE_SLOTS = 6 }; /* addresses of a segment */
#define WL_NATIVE_UNWRITTEN UINT32_MAX
#define WL_NATIVE_OPERATIONS 512 /* of a segment, at most */

/* Which operations a segment may have. CHECKED: loads from addresses that it computes, too; ALL:
 * and stores. FREE: any loads and stores of lanes anywhere, of launches that nobody counts. */
enum wl_native_takes {
    WL_NATIVE_NO_LOADS,
    WL_NATIVE_LOADS,
    WL_NATIVE_CHECKED,
    WL_NATIVE_ALL,
    WL_NATIVE_FREE
};

/* A run of operations that are compiled together. One that loads is compiled once its loads have
 * shown how the lanes' addresses lie to each other. */
struct wl_native_segment {
    uint32_t first, count; /* operations */
    uint32_t number;       /* in native->segments, and segment of its first operation */
    uint32_t index;        /* in worker->plans; UINT32_MAX: it loads nothing */
    uint32_t slot_count;
    bool is_free;      /* its accesses, one at least, are done in their order */
    bool is_derived;   /* some of its addresses are written in it */
    uint8_t *slot_of;  /* by operation: of a load or store, which of the slots */
    uint16_t *globals; /* operations that load or store global memory, in their order */
    uint32_t global_count;
    /* done last, in their order, when all its loads have been done */
    uint32_t stores[WL_NATIVE_STORES], store_count;
    bool stores_shared, stores_global;
    struct wl_native_address {
        uint32_t offset;     /* of the register that holds it */
        uint32_t written_at; /* operation that writes it before the loads; WL_NATIVE_UNWRITTEN: it
                                is what it was when the segment began */
        bool is_global;      /* else an offset in shared memory, of 32 bits */
        bool is_wide;        /* the register has 64 bits: of an offset the low half counts */
        /* what it was compiled for: the lanes' distances to the first lane's */
        uint32_t near[WL_LANES]; /* shared */
        uint64_t far[WL_LANES];  /* global */
    } slots[WL_NATIVE_SLOTS];
    uint32_t global_loads;
    struct wl_shadow_reads *reads; /* of shared memory, for checks; NULL: they look at one by one */
    /* for when its loads fit no more: segments [parts, parts + part_count), which load from fewer
     * addresses, or not at all */
    uint32_t parts, part_count;
    wl_op_run code;      /* NULL: not compiled */
    bool is_given_up;    /* under the lock */
    wl_op_run otherwise; /* the executor's function for the first operation */
    void *memory;
    size_t memory_bytes;
    struct wl_native_masked { /* the same for when lanes are off; of one that loads, since lanes
                                 were on, for AVX-512 */
        wl_op_run code, otherwise;
        void *memory;
        size_t memory_bytes;
        bool is_given_up;    /* of one that loads; under the lock */
        uint32_t seen, hits; /* atomic; hits: of one that loads, by workers that have ended */
    } masked;
    /* atomic: executions before it was compiled; since then, those that fit and those that did not
     */
    uint32_t seen, hits, misses;
};

/* What a worker knows of a segment that loads: where the first lane of each address register may
 * lie for all its loads to be within bounds and to count as they did before. */
struct wl_native_plan {
    uint64_t learnt;         /* worker->learnt when it was made */
    uint64_t executions;     /* that the sites have not counted yet */
    uint64_t partly, strays; /* of lanes some of which were off: that fitted, that did not */
    bool is_tried;           /* the code runs again, with the plan just made */
    /* by how much the addresses of this warp moved the last time */
    const struct wl_warp *sample;
    struct wl_native_stride {
        uint64_t last, moved;
    } strides[WL_NATIVE_SLOTS];
    struct wl_native_slot {
        uint64_t lanes[8]; /* the address in the first lanes, a vector's bytes */
        uint32_t phase, phase_mask;
        uint64_t least, room;
    } slots[WL_NATIVE_SLOTS];
};

struct wl_native {
    WL_VECTOR(struct wl_native_segment *) segments; /* never grows while a launch runs */
    struct wl_native_segment **loading;             /* those that load, by index */
    uint32_t plan_count;
    /* those that begin there where lanes are off, by operation; free ones before the others */
    struct wl_native_segment **masked, **free;
    struct wl_native_segment **partly; /* those that load, before both */
    size_t first_free;                 /* of the segments: they are the last */
    uint8_t *is_loading_site;          /* by site: a compiled segment may load there */
    bool is_256;                       /* for AVX2 */
    uint32_t checks;      /* the program's, which look at loads (wl_check_mode); 0: none do */
    bool is_eager;        /* what loads is compiled early */
    pthread_mutex_t lock; /* of compiling */
};

/* Adds the segments among the operations [first, end). */
void wl_native_find(const struct wl_program *program, uint32_t first, uint32_t end,
                    enum wl_native_takes takes, struct wl_native *native);
/* Marks the operations that compute what the segment's operation `at` writes, and itself. False:
 * they are no mere arithmetic on integers, or too many. */
bool wl_native_find_slice(const struct wl_program *program, const struct wl_native_segment *segment,
                          uint32_t at, bool in_slice[WL_NATIVE_OPERATIONS]);
/* The operation of the segment before `end` that writes the register last, or WL_NATIVE_UNWRITTEN.
 */
uint32_t wl_native_find_writer(const struct wl_program *program,
                               const struct wl_native_segment *segment, uint32_t offset,
                               uint32_t end);
/* The lane that each reads from in the shuffle, operation `at` of the program, and those that read
 * from one of their segment. */
struct wl_native_shuffle {
    uint8_t source[WL_LANES];
    uint32_t inside;
};
/* False: the lanes are not the same whenever it runs, or it writes what it reads. */
bool wl_native_find_shuffle(const struct wl_program *program, uint32_t at,
                            struct wl_native_shuffle *shuffle);
/* Whether a free segment may have the access, which has a row. */
bool wl_native_is_free_access(const struct wl_program *program, const struct wl_op *op);
/* Whether the operation is the kernel's itself: called functions have other registers. */
bool wl_native_is_of_kernel(const struct wl_program *program, uint32_t at);
/* Whether there are general registers for all memory that the segment reads. */
bool wl_native_has_bases(const struct wl_program *program, const struct wl_native_segment *segment);

/* Writes the segment's code, for AVX2 if code->is_256. is_masked: for lanes that may be off, where
 * it loads nothing or is free. miss: where it goes when it does not fit, with the segment as third
 * argument. count: what it calls, with the segment as second, to count and check its loads. False:
 * it is too much for the registers there are. */
bool wl_native_emit(const struct wl_program *program, const struct wl_native_segment *segment,
                    bool is_masked, uintptr_t miss, uintptr_t count, struct wl_assembly *code);

#endif
