/* Where the values of a segment are while its code is written: vector registers, memory, literals.
 * Internal to sim/native. */
#ifndef WL_SIM_NATIVE_EMITTER_H
#define WL_SIM_NATIVE_EMITTER_H

#include "sim/native/native.h"

#define NATIVE_VECTORS 29 /* that hold values */
enum { NATIVE_TEMPORARY_A = 29, NATIVE_TEMPORARY_B = 30, NATIVE_TEMPORARY_C = 31 };
enum { NATIVE_MASK_A = 1, NATIVE_MASK_B = 2, NATIVE_MASK_C = 3 };
/* Where some lanes are off: those of the piece that are on, and those of its second half. */
enum { NATIVE_MASK_ACTIVE = 4, NATIVE_MASK_ACTIVE_HIGH = 5 };
#define NATIVE_PIECES 2
#define NATIVE_PIECE_LANES 16
#define NATIVE_NEVER UINT32_MAX

/* Memory that is read through a general register of its own. */
enum native_base {
    NATIVE_BASE_SLOT,
    NATIVE_BASE_THREADS = WL_NATIVE_SLOTS,
    NATIVE_BASE_BLOCK,
    NATIVE_BASE_LAUNCH,
    NATIVE_BASE_PARAMETERS,
    NATIVE_BASE_COUNT
};
/* Half of a 64-bit register of the piece, or a 32-bit one. */
#define NATIVE_KEY(offset, half) ((uint64_t)(offset) << 1 | (half))
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
};

struct native_emitter {
    struct wl_assembly *code;
    const struct wl_program *program;
    const struct wl_native_segment *segment;
    uint32_t piece, at; /* at: operation, counted from the segment's first */
    const struct wl_op *op;
    const struct wl_native_row *row;
    struct wl_native_operands operands;
    uint32_t (*next_of_reads)[WL_NATIVE_READS];
    uint32_t (*next_of_writes)[WL_NATIVE_WRITES];
    struct native_held held[NATIVE_VECTORS];
    WL_VECTOR(struct native_elsewhere) elsewhere;
    uint8_t bases[NATIVE_BASE_COUNT]; /* WL_NO_GPR: not needed */
    uint8_t bases_used;
    bool is_masked; /* lanes may be off: they keep what they have */
    bool is_ahead;  /* of the segment's course: nothing is written to the warp's registers */
    bool has_failed;
};

extern const struct wl_encoding native_move_load, native_move_store, native_broadcast_32,
    native_broadcast_64, native_add_32, native_add_64, native_subtract_32, native_subtract_64,
    native_xor_32, native_and_32, native_or_64, native_shift_left_64, native_compare_floats,
    native_compare_32, native_compare_64, native_test_not_32, native_extract_half,
    native_extend_zeros, native_permute_32, native_permute_two_32;

/* A vector register, memory at a general register, literals. */
struct wl_operand_place native_vector(uint32_t number);
struct wl_operand_place native_memory(uint8_t base, int32_t offset);
struct wl_operand_place native_literal(struct native_emitter *e, const void *bytes,
                                       uint32_t size_bytes);
struct wl_operand_place native_literal_32(struct native_emitter *e, uint32_t value);
struct wl_operand_place native_literal_64(struct native_emitter *e, uint64_t value);
/* dst = source1 op source2; immediate: -1 none; masked: in the elements of the mask. */
void native_emit(struct native_emitter *e, struct wl_encoding encoding, uint32_t dst,
                 uint32_t source1, struct wl_operand_place source2, int immediate);
void native_emit_masked(struct native_emitter *e, struct wl_encoding encoding, uint32_t dst,
                        uint32_t source1, struct wl_operand_place source2, uint8_t mask);
/* dst = the place, element by element. */
void native_fetch(struct native_emitter *e, uint32_t dst, struct wl_operand_place place,
                  bool is_wide);
/* The vector holds no value any more. */
void native_release(struct native_emitter *e, uint32_t number);
/* Makes every NaN the canonical one (PTX ISA, 9.7.3), if others may be there. */
void native_make_canonical(struct native_emitter *e, uint32_t number);
/* Where half `half` of a register is that was written: a vector, or elsewhere. */
struct wl_operand_place native_find_written(const struct native_emitter *e, uint32_t offset,
                                            uint32_t half);
/* A vector register for a new value: a free one, or the one whose value is read last. */
uint32_t native_take_vector(struct native_emitter *e);
/* The parameter that the register holds all the time, or NULL. */
const struct wl_parameter_register *native_find_parameter(const struct native_emitter *e,
                                                          uint32_t offset);
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
/* After an operation: values that nobody reads any more leave their registers. */
void native_end_operation(struct native_emitter *e);
/* The immediate, and the second operand of a row that may have one. */
struct wl_operand_place native_immediate_place(struct native_emitter *e, bool is_wide);
struct wl_operand_place native_second_place(struct native_emitter *e, uint32_t half);

/* Each writes the operation at hand. */
void native_emit_binary(struct native_emitter *e);
void native_emit_shift_wide(struct native_emitter *e);
void native_emit_multiply_add(struct native_emitter *e);
void native_emit_multiply_wide(struct native_emitter *e);
void native_emit_negate(struct native_emitter *e);
void native_emit_unary(struct native_emitter *e);
void native_emit_with_literal(struct native_emitter *e);
void native_emit_three_logic(struct native_emitter *e);
void native_emit_move(struct native_emitter *e);
void native_emit_immediate(struct native_emitter *e);
void native_emit_widen(struct native_emitter *e);
void native_emit_narrow(struct native_emitter *e);
void native_emit_pack(struct native_emitter *e);
void native_emit_unpack(struct native_emitter *e);
void native_emit_fused(struct native_emitter *e);
void native_emit_compare(struct native_emitter *e);
void native_emit_select(struct native_emitter *e);
void native_emit_predicate_logic(struct native_emitter *e);
void native_emit_predicate_constant(struct native_emitter *e);
void native_emit_from_predicate(struct native_emitter *e);
void native_emit_special(struct native_emitter *e);
void native_emit_parameter(struct native_emitter *e);
void native_emit_shared(struct native_emitter *e);
void native_emit_global(struct native_emitter *e);
/* Keeps what is stored, until native_emit_stores writes all of that to memory. r9: where. */
void native_emit_store(struct native_emitter *e);
void native_emit_stores(struct native_emitter *e);

#endif
