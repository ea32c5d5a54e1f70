/* Where the values of a segment are while its code is written: vector registers, memory, literals.
 * Internal to sim/native. */
#ifndef WL_SIM_NATIVE_EMITTER_H
#define WL_SIM_NATIVE_EMITTER_H

#include "sim/native/native.h"

#define NATIVE_VECTORS_MOST 29 /* that hold values */
/* Of 16 registers the last three: those numbers, less 16. C: no operation has it while it takes,
 * fetches or defines. */
enum { NATIVE_TEMPORARY_A = 29, NATIVE_TEMPORARY_B = 30, NATIVE_TEMPORARY_C = 31 };
#define NATIVE_PIECE_LANES_MOST 16
#define NATIVE_NEVER UINT32_MAX

/* Memory that is read through a general register of its own. */
enum native_base {
    NATIVE_BASE_SLOT,
    NATIVE_BASE_THREADS = WL_NATIVE_SLOTS,
    NATIVE_BASE_BLOCK,
    NATIVE_BASE_LAUNCH,
    NATIVE_BASE_PARAMETERS,
    NATIVE_BASE_SHARED,
    NATIVE_BASE_COUNT
};
#define NATIVE_NO_KEY UINT64_MAX

struct native_held {
    uint64_t key;
    uint32_t next; /* operation that reads it next, or NATIVE_NEVER */
    bool is_raw;   /* a NaN in it may be another than the canonical one */
    bool is_dirty; /* the warp's registers do not have it, and it will be read */
    bool is_wide;
    bool is_pinned; /* by the operation at hand */
};

/* A value that need not be in a register: it is somewhere in memory, or a literal. */
struct native_elsewhere {
    uint64_t key;
    struct wl_operand_place place;
    bool is_raw;
};

/* A predicate of a piece, in one of the mask registers that are free for that. */
struct native_mask {
    uint64_t key; /* as of a value; NATIVE_NO_KEY: it holds none */
    uint32_t offset, piece;
    uint32_t next;
    bool is_dirty;
    bool is_awaited; /* it is written with that of the other piece, which is not there yet */
    bool is_pinned;
};
enum { NATIVE_MASKS = 4 };

/* Where a free segment is left before its operation `at` is done. */
struct native_exit {
    uint32_t at, label;
};

/* Where a segment goes that does not fit; late: when registers are saved. */
enum { NATIVE_LABEL_MISS, NATIVE_LABEL_MISS_LATE, NATIVE_LABEL_COUNTED, NATIVE_LABELS };

struct native_emitter;
typedef void (*native_form)(struct native_emitter *e);

/* What depends on the vectors of the host. A piece is the lanes of a vector of 32-bit values. */
struct native_host {
    bool is_256;
    uint32_t vector_bytes, pieces, piece_lanes;
    /* that hold values: all, where lanes may be off, while addresses are checked */
    uint32_t vectors, vectors_masked, vectors_checked, vectors_checked_masked;
    native_form forms[WL_NATIVE_FORMS]; /* each writes the operation at hand */
    /* of a piece: which lanes are on; of 64 bits, too, if e->is_wide_masked */
    void (*begin_masked)(struct native_emitter *e);
    /* the vector to its place in the warp's registers, where lanes may be off those that are on */
    void (*store_active)(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                         bool is_wide, uint32_t half);
    /* vector = memory, of the lanes that are on, else 0; memory = vector, of those alone */
    void (*load_active)(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                        bool is_wide, uint32_t half);
    void (*write_active)(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                         bool is_wide, uint32_t half);
    /* elements of half `half` of the piece whose lanes are off become 0 */
    void (*keep_active)(struct native_emitter *e, uint32_t number, bool is_wide, uint32_t half);
    /* jumps to the label if any bit of the vector is set */
    void (*jump_if_any)(struct native_emitter *e, uint32_t number, uint32_t label);
    /* NaNs become the canonical one; subnormal elements become zero of the same sign */
    void (*make_canonical)(struct native_emitter *e, uint32_t number);
    void (*flush)(struct native_emitter *e, uint32_t number);
    /* d = a * b + d, rounded to odd, of halves in single precision; AVX-512: of any floats. a, b
     * and NATIVE_TEMPORARY_C change */
    void (*fuse_halves)(struct native_emitter *e, uint32_t d, uint32_t a, uint32_t b);
    /* d = the lesser or greater; of a NaN and a number the number. NATIVE_TEMPORARY_A, which may
     * be a, and C change; d: neither of the others */
    void (*order_floats)(struct native_emitter *e, bool is_least, uint32_t d, uint32_t a,
                         uint32_t b);
    /* d = the low 16 bits of each lane, in its first half */
    void (*shorten)(struct native_emitter *e, uint32_t d, uint32_t a);
    /* d = a as an integer, or the nearest there is, NaN 0; a, d: not C, B nor each other */
    void (*truncate)(struct native_emitter *e, bool is_signed, uint32_t d, uint32_t a);
    /* jumps away, there or where checks end, unless the vectors (one or two) of addresses, less
     * NATIVE_TEMPORARY_A, are as expected: a vector's bytes each. begin, end: may be NULL */
    void (*begin_checks)(struct native_emitter *e);
    void (*end_checks)(struct native_emitter *e, uint32_t label);
    void (*check)(struct native_emitter *e, bool is_wide, const struct wl_operand_place *vectors,
                  const void *const *expected, uint32_t count, uint32_t label);
    /* d = the 32-bit words of the two vectors that start at word `first`, every other one */
    void (*every_other)(struct native_emitter *e, uint32_t first, uint32_t low, uint32_t high,
                        uint32_t d);
    /* d = words of memory from the place on, lane by lane; span_bytes: how far they reach, four
     * vectors at most. d: not NATIVE_TEMPORARY_A or B */
    void (*permute)(struct native_emitter *e, uint32_t d, const uint32_t *words,
                    struct wl_operand_place from, uint32_t span_bytes);
};
extern const struct native_host native_host_512, native_host_256;

struct native_emitter {
    const struct native_host *host;
    struct wl_assembly *code;
    const struct wl_program *program;
    const struct wl_native_segment *segment;
    uint32_t piece, at; /* at: operation, counted from the segment's first */
    uint32_t together;  /* pieces that each operation is done for before the next one is */
    /* the operations from which and up to which a piece is done after the other; what is read
     * behind them is in the warp's registers then */
    uint32_t phase, phase_end;
    const struct wl_op *op;
    const struct wl_native_row *row;
    struct wl_native_operands operands;
    uint32_t (*next_of_reads)[WL_NATIVE_READS];
    uint32_t (*next_of_writes)[WL_NATIVE_WRITES];
    bool *is_needed; /* by operation: others do nothing that anybody sees */
    struct native_held held[NATIVE_VECTORS_MOST];
    uint32_t vectors;   /* of them, that there are */
    uint32_t most_held; /* that held values at once, after an operation */
    WL_VECTOR(struct native_elsewhere) elsewhere;
    struct native_mask masks[NATIVE_MASKS];
    bool keeps_masks;                 /* predicates are in them while they are read */
    uint8_t bases[NATIVE_BASE_COUNT]; /* WL_NO_GPR: not needed */
    uint8_t bases_used;
    bool is_masked;      /* lanes may be off: they keep what they have */
    bool is_wide_masked; /* and values of 64 bits are among them, until the phase ends */
    WL_VECTOR(struct native_exit) exits;
    bool stores_at_once;
    bool is_ahead; /* of the segment's course: nothing is written to the warp's registers */
    bool has_failed;
};

extern const struct wl_encoding native_move_load, native_move_store, native_add_32, native_add_64,
    native_subtract_32, native_subtract_64, native_xor_32, native_and_32, native_and_64,
    native_or_64, native_shift_left_64, native_extend_zeros, native_permute_32;

/* What a value is found by: half of a 64-bit register of the piece at hand, or a 32-bit one. */
uint64_t native_key(const struct native_emitter *e, uint32_t offset, uint32_t half);
/* A vector register, memory at a general register, literals. */
struct wl_operand_place native_vector(uint32_t number);
struct wl_operand_place native_memory(uint8_t base, int32_t offset);
struct wl_operand_place native_literal(struct native_emitter *e, const void *bytes,
                                       uint32_t size_bytes); /* 4 or 8: for all elements */
struct wl_operand_place native_literal_32(struct native_emitter *e, uint32_t value);
struct wl_operand_place native_literal_64(struct native_emitter *e, uint64_t value);
/* A vector's bytes, each element the same. */
struct wl_operand_place native_literal_vector(struct native_emitter *e, const void *bytes);
/* dst = source1 op source2; immediate: -1 none. Where the host has no broadcasts they go through
 * NATIVE_TEMPORARY_C. */
void native_emit(struct native_emitter *e, struct wl_encoding encoding, uint32_t dst,
                 uint32_t source1, struct wl_operand_place source2, int immediate);
void native_store(struct native_emitter *e, struct wl_operand_place dst, uint32_t source);
/* dst = the place, element by element. */
void native_fetch(struct native_emitter *e, uint32_t dst, struct wl_operand_place place,
                  bool is_wide);
/* dst = the place's first element, everywhere. */
void native_broadcast(struct native_emitter *e, uint32_t dst, struct wl_operand_place place,
                      bool is_wide);
/* The vector holds no value any more. */
void native_release(struct native_emitter *e, uint32_t number);
/* Makes every NaN the canonical one (PTX ISA, 9.7.3), if others may be there. */
void native_make_canonical(struct native_emitter *e, uint32_t number);
/* Where half `half` of a register is that was written: a vector, or elsewhere. */
struct wl_operand_place native_find_written(const struct native_emitter *e, uint32_t offset,
                                            uint32_t half);
/* Whether what the operation writes to its register w is read behind the phase. */
bool native_is_read_later(const struct native_emitter *e, uint32_t w);
/* A vector register for a new value: a free one, or the one whose value is read last. */
uint32_t native_take_vector(struct native_emitter *e);
/* The parameter that the register holds all the time, or NULL. */
const struct wl_parameter_register *native_find_parameter(const struct native_emitter *e,
                                                          uint32_t offset);
/* Whether the register holds a constant or a parameter all the time, the same in all lanes. */
bool native_is_constant_register(const struct native_emitter *e, uint32_t offset);
/* Half `half` of operand k in a vector register. */
uint32_t native_in_vector(struct native_emitter *e, uint32_t k, uint32_t half);
/* The same where it is; in a vector register if it is read again. */
struct wl_operand_place native_find_place(struct native_emitter *e, uint32_t k, uint32_t half);
/* The vector holds what the operation writes to its register w. is_raw: a NaN may be another than
 * the canonical one. */
void native_define(struct native_emitter *e, uint32_t w, uint32_t half, uint32_t number,
                   bool is_raw);
/* The same for a value that is somewhere else. */
void native_define_elsewhere(struct native_emitter *e, uint32_t w, uint32_t half,
                             struct wl_operand_place place);
/* Who reads a register next, by its offset: no register begins within another. only: of these
 * operations; NULL: of all that are needed, which are found. */
void native_find_next_reads(struct native_emitter *e, const bool *only);
/* No value is in any register. */
void native_begin_piece(struct native_emitter *e);
/* Fills in what the emitter has of operation e->at. */
void native_begin_operation(struct native_emitter *e);
/* After an operation: values that nobody reads any more leave their registers. */
void native_end_operation(struct native_emitter *e);
/* The immediate, and the second operand of a row that may have one. */
struct wl_operand_place native_immediate_place(struct native_emitter *e, bool is_wide);
struct wl_operand_place native_second_place(struct native_emitter *e, uint32_t half);

/* Half the lanes of operand k: a vector that widening instructions read the first half of; their
 * values in the low halves of 64 bits. Both may take `temporary`. */
struct wl_operand_place native_half_place(struct native_emitter *e, uint32_t k, uint32_t half,
                                          uint32_t temporary);
/* The low halves of 64 bits in two vectors, in one that holds no value. */
struct wl_operand_place native_low_halves(struct native_emitter *e,
                                          const struct wl_operand_place vectors[2]);
uint32_t native_spread(struct native_emitter *e, uint32_t k, uint32_t half, uint32_t temporary);
/* Bits 0 to piece_lanes of eax become what the operation writes to its predicate w, of the piece;
 * eax, ecx, edx change. */
void native_write_predicate(struct native_emitter *e, uint32_t w);

/* AVX-512: operand k, a predicate, in a mask register: in `temporary` if it is read there alone. */
uint8_t native_mask_in(struct native_emitter *e, uint32_t k, uint8_t temporary);
/* The rest is of emitters that keep masks. One for a new value: a free one, or that which is read
 * last. */
uint8_t native_take_mask(struct native_emitter *e);
/* If nobody reads operand k behind this operation, its register may be taken for the result. */
void native_let_mask_go(struct native_emitter *e, uint32_t k);
/* The mask that was taken holds what the operation writes to its predicate w. */
void native_define_mask(struct native_emitter *e, uint32_t w, uint8_t mask);
void native_end_masks(struct native_emitter *e);
void native_release_masks(struct native_emitter *e);

/* The temporary register, with the place's values of 16 bits in the high halves of 32. */
uint32_t native_short_up(struct native_emitter *e, struct wl_operand_place place,
                         uint32_t temporary);

/* Asks the host for what the segment will access the next time. rdx: the worker's plans; rcx
 * changes. */
void native_emit_ahead(struct native_emitter *e);
/* Asks it for what the segment is about to access, by the addresses in its plan. The same. */
void native_emit_now(struct native_emitter *e);
/* Asks the host for where operation `at`, a store, will write. */
void native_prefetch_store(struct native_emitter *e, uint32_t at);
/* Whether each may be written at once where all pieces are done together: the order is theirs. */
bool native_may_store_at_once(const struct native_emitter *e);
void native_emit_stores(struct native_emitter *e);
/* All pieces of an access of a free segment, of which what it reads is in the warp's registers. */
void native_emit_access(struct native_emitter *e);
/* Begins what only the piece's lanes that are on do; where none is, jumps to the label that it
 * returns. */
uint32_t native_begin_active(struct native_emitter *e);
/* Where the segment is left before the operation at hand is done. */
uint32_t native_exit_label(struct native_emitter *e);

#endif
