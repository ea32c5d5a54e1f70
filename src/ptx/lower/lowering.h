/* Working state of the lowering. Internal to ptx/. Registers are virtual until lower_registers.c
 * places them; jump targets are labels until lower.c writes the program. */
#ifndef WL_PTX_LOWER_LOWERING_H
#define WL_PTX_LOWER_LOWERING_H

#include "base/memory.h"
#include "ptx/lower/lower.h"
#include "warp/op.h"

#define NO_REGISTER UINT32_MAX

/* Fields of an operation that are registers. */
enum { FIELD_DST = 1, FIELD_A = 2, FIELD_B = 4, FIELD_C = 8, FIELD_D = 16 };

/* An operation with what it reads and writes. */
struct lowered {
    struct wl_op op;
    uint8_t defs, uses;
    bool needs_yield; /* a pending load's value is used here for the first time */
    bool is_rolled;   /* its loop is not to be unrolled */
    bool is_guarded;  /* inside GUARD ... UNGUARD: writes are partial */
    uint32_t list;    /* more registers, in lowering->lists: written ones first, then read ones */
    uint8_t list_defs, list_uses;
    uint32_t last_read[4]; /* last use of the values in dst, b, c, d: an operation; 0: unknown */
};

/* Where a register that allocation does not place lies: what a call passes has a fixed place after
 * the caller's registers, where the callee's begin. */
enum fixed_place { PLACE_FREE, PLACE_INCOMING, PLACE_OUTGOING };

struct virtual_register {
    uint8_t operand_class; /* enum wl_operand_class */
    bool is_short;         /* of 16 bits or less: kept zero-extended in 32 */
    uint8_t fixed;         /* enum fixed_place; then offset counts from there */
    bool is_constant;
    bool is_parameter; /* a kernel parameter and nothing else, the same in all lanes */
    bool is_kept;      /* other lanes may read its old value: its place is not shared */
    uint64_t bits;     /* constants */
    uint32_t offset;   /* in the register file, once placed */
    uint32_t upper;    /* register of the upper half of 128 bits; 0: narrower */
};

/* A .param variable that holds a call's argument or result: its parts are registers. */
struct parameter_cell {
    uint32_t variable;
    int64_t offset;
    uint32_t reg;
};

struct parameter_name {
    const char *name;
    uint32_t variable;
    uint8_t fixed; /* enum fixed_place: the variable belongs to a call that is not inlined */
    uint32_t passed_at,
        passed_bytes; /* its place among what that call passes, and the room there */
    bool is_block;    /* an array of bytes, accessed in any size */
};

/* A function reachable from the kernel. */
struct lower_callee {
    const struct wl_ptx_function *function;
    const struct wl_ptx_module *module;
    bool is_called;  /* not inlined */
    bool is_open;    /* while the search is inside it */
    uint32_t number; /* in program->functions, if called */
};

struct lower_calls {
    const struct wl_ptx_lower_input *input;
    WL_VECTOR_FIELDS(struct lower_callee);            /* the kernel first */
    WL_VECTOR(const struct wl_ptx_variable *) shared; /* module-scope shared variables in use */
    bool has_indirect;
    uint32_t function_count; /* called ones and the kernel */
    enum wl_code code;
    struct wl_error *error;
};

/* Reads the bodies of what the kernel reaches; WL_ERR_CORRUPT: one cannot be read. */
enum wl_code lower_calls_find(struct lower_calls *calls);
void lower_calls_free(struct lower_calls *calls);
struct lower_callee *lower_find_callee(const struct lower_calls *calls,
                                       const struct wl_ptx_function *function);
/* By name in module, or in the modules linked with it; *found is the one. NULL if unknown. */
const struct wl_ptx_function *lower_find_function(const struct lower_calls *calls,
                                                  const struct wl_ptx_module *module,
                                                  const char *name,
                                                  const struct wl_ptx_module **found);
/* The value of a pointer to the function. */
uint64_t lower_function_address(const struct wl_ptx_lower_input *input,
                                const struct wl_ptx_function *function);
/* Appends a called function's tables to the kernel's; callee is left empty. */
void lower_join_programs(struct wl_program *program, struct wl_program *callee);

/* One inlined copy of a function (or the entry itself). */
struct instance {
    const struct wl_ptx_function *function;
    const struct wl_ptx_module *module;
    const struct instance *caller;
    uint32_t register_base;
    uint32_t *labels; /* label of each instruction, NO_LABEL if nothing jumps there */
    uint32_t end_label;
    bool *named;    /* lower_unread.c: registers; NULL before that is asked */
    uint8_t *known; /* lower_space.c: what each register points into; NULL before that is asked */
    struct lower_contraction *contractions;  /* of instructions; NULL: there are none */
    WL_VECTOR_FIELDS(struct parameter_name); /* .param names visible here */
};

#define NO_LABEL UINT32_MAX

struct variable_place {
    const char *name;
    const struct wl_ptx_function *function; /* NULL: module scope */
    enum wl_ptx_space space;
    uint64_t offset;
};

/* Layout of the shared arrays of the kernel and its callees. */
struct shared_layout {
    uint64_t end, plain_end;    /* bytes laid out so far, with and without gaps */
    uint64_t last_end;          /* of the last array */
    uint64_t dynamic_alignment; /* that extern arrays ask for */
    WL_VECTOR(struct wl_shared_array) arrays;
};

static inline uint64_t lower_dynamic_alignment(const struct shared_layout *layout)
{
    return layout->dynamic_alignment > 16 ? layout->dynamic_alignment : 16;
}

struct lowering {
    const struct wl_ptx_lower_input *input;
    const struct lower_calls *calls;
    bool is_called;          /* lowering a called function, not the kernel */
    uint32_t incoming_bytes; /* what its callers pass */
    uint32_t outgoing_bytes; /* the most that it passes to a call, behind its own registers */
    struct wl_program *program;
    uint8_t *in_turn; /* see lower_find_turns */
    struct wl_error *error;
    enum wl_code code; /* first failure; lowering goes on until the instruction ends */
    WL_VECTOR(struct lowered) ops;
    WL_VECTOR(struct virtual_register) registers;
    WL_VECTOR(uint32_t) labels; /* index of the operation a label stands before */
    WL_VECTOR(struct wl_program_instruction) instructions;
    WL_VECTOR(struct wl_block) blocks;
    WL_VECTOR(struct wl_site) sites;
    WL_VECTOR(uint32_t) branch_targets; /* labels */
    WL_VECTOR(uint32_t) lists;          /* registers of operations that have more than five */
    WL_VECTOR(struct parameter_cell) cells;
    WL_VECTOR(struct variable_place) places;
    uint32_t parameter_variables;
    struct shared_layout *shared; /* the kernel's */
    uint64_t local_end;           /* bytes laid out so far */
    uint32_t carry_register;      /* the condition-code register, NO_REGISTER until used */
    uint32_t depth;               /* nesting of inlined calls */
    /* of the current instruction: */
    struct instance *instance;
    const struct wl_ptx_instruction *instruction;
    uint32_t instruction_index; /* row in instructions */
    bool in_guard;
    bool new_block; /* the next instruction begins a basic block */
};

/* A row of instructions.def. */
typedef void (*lower_function)(struct lowering *lowering,
                               const struct wl_ptx_instruction *instruction);

/* Records the first failure. */
void lower_fail(struct lowering *lowering, enum wl_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The instruction (or this form of it) cannot be modelled. */
void lower_unsupported(struct lowering *lowering);

uint32_t lower_new_register(struct lowering *lowering, enum wl_operand_class operand_class);
uint32_t lower_constant(struct lowering *lowering, enum wl_operand_class operand_class,
                        uint64_t bits);
uint32_t lower_new_label(struct lowering *lowering);
void lower_bind_label(struct lowering *lowering, uint32_t label);
uint32_t lower_new_site(struct lowering *lowering, enum wl_site_space space,
                        enum wl_site_access access);

/* Appends an operation; the result may be edited until the next append. */
struct wl_op *lower_emit(struct lowering *lowering, enum wl_opcode code, uint8_t defs,
                         uint8_t uses);
/* Appends an operation with a list of registers: first those it writes, then those it reads. Its
 * dst is the place of the list in program->operands. */
struct wl_op *lower_emit_list(struct lowering *lowering, enum wl_opcode code, uint8_t uses,
                              const uint32_t *registers, uint8_t list_defs, uint8_t list_uses);
/* The k-th register, k below lower_operand_count: of fields, then of the list. NULL: it is none. */
uint32_t *lower_operand(struct lowering *lowering, struct lowered *lowered, uint32_t k,
                        bool *is_def, bool *is_use);
static inline uint32_t lower_operand_count(const struct lowered *lowered)
{
    return 5u + lowered->list_defs + lowered->list_uses;
}
/* Appends an operation of register operands only. */
void lower_emit_plain(struct lowering *lowering, enum wl_opcode code, uint32_t dst, uint32_t a,
                      uint32_t b, uint32_t c);
void lower_begin_block(struct lowering *lowering);

/* The register of a destination operand; fails unless it is one of that class. A sink gives a
 * scratch register. */
uint32_t lower_destination(struct lowering *lowering, const struct wl_ptx_operand *operand,
                           enum wl_operand_class operand_class);
/* A register that holds the operand's value: the register itself, a constant, or a new register
 * filled from a special register or an address. type interprets literals. */
uint32_t lower_source(struct lowering *lowering, const struct wl_ptx_operand *operand,
                      enum wl_operand_class operand_class, enum wl_ptx_type type);
/* A source operand in a register of its type's class; a wider register gives its low part. */
uint32_t lower_low_source(struct lowering *lowering, const struct wl_ptx_operand *operand,
                          enum wl_ptx_type type);
/* A destination register that may be wider than the type. */
uint32_t lower_wide_destination(struct lowering *lowering, const struct wl_ptx_operand *operand,
                                enum wl_ptx_type type);
/* Extends the low bytes of a (4 at most), as the sign of type says, to all of dst. */
void lower_extend(struct lowering *lowering, enum wl_ptx_type type, uint32_t dst, uint32_t a);
/* True, with its bits, if the operand is a literal. */
bool lower_literal(const struct wl_ptx_operand *operand, enum wl_ptx_type type, uint64_t *bits);
uint32_t lower_predicate(struct lowering *lowering, const struct wl_ptx_operand *operand);
enum wl_operand_class lower_register_class(const struct lowering *lowering, uint32_t reg);
/* 16, 32 or 64; the upper half of a 16-bit register is zero. */
uint32_t lower_register_bits(const struct lowering *lowering, uint32_t reg);
/* Fails if the operand is a register that is narrower than the type, or one of the two is a
 * predicate: of ld, st and cvt registers may only be wider (PTX ISA, "Operand Size Exceeding
 * Instruction-Type Size"). */
void lower_check_width(struct lowering *lowering, const struct wl_ptx_operand *operand,
                       enum wl_ptx_type type);
uint32_t lower_register_of(const struct lowering *lowering, int32_t reg);
enum wl_operand_class lower_class_of_type(enum wl_ptx_type type);

/* Fails unless the instruction has that many operands. */
bool lower_expect(struct lowering *lowering, int least);
/* dst = a kind b on predicates; of one source, b counts. negated: of b. */
enum lower_logic {
    LOWER_LOGIC_AND,
    LOWER_LOGIC_OR,
    LOWER_LOGIC_XOR,
    LOWER_LOGIC_MOVE,
    LOWER_LOGIC_NOT
};
void lower_predicate_logic_op(struct lowering *lowering, uint32_t dst, uint32_t a, uint32_t b,
                              enum lower_logic kind, bool negated);

/* The instruction's last type modifier, or the one before it (nth 1). */
enum wl_ptx_type lower_type(const struct wl_ptx_instruction *instruction, int nth);
bool lower_is_signed(enum wl_ptx_type type);
bool lower_is_float(enum wl_ptx_type type);
bool lower_is_half(enum wl_ptx_type type); /* f16, bf16 or a pair of them */
/* rn rz rm rp and their integer forms; nearest if none; *found says whether there was one. */
enum wl_rounding lower_rounding(const struct wl_ptx_instruction *instruction, bool *found);
/* First row whose word is among the modifiers; -1 if none. */
int lower_choose(const struct wl_ptx_instruction *instruction, const char *const *words,
                 size_t count);

/* Where a variable was placed: offset in shared or local memory, or address; false if unknown. */
bool lower_find_variable(struct lowering *lowering, const char *name, enum wl_ptx_space *space,
                         uint64_t *address);
/* An offset into the current function's frame of local memory, as a value. */
uint32_t lower_local_address(struct lowering *lowering, enum wl_operand_class operand_class,
                             int64_t offset);
/* Index of a kernel parameter by name, -1 if it is none. */
int lower_find_parameter(const struct lowering *lowering, const char *name);
/* The call's .param variable that name denotes here; NO_REGISTER if it is none. */
uint32_t lower_find_call_parameter(const struct lowering *lowering, const char *name);
/* Whether the current instruction makes a register that stands for the address of one, used only by
 * ld.param and st.param. */
bool lower_is_parameter_pointer(const struct lowering *lowering);
/* Whether a call's variable is a block of bytes. */
bool lower_parameter_is_block(const struct lowering *lowering, uint32_t variable);
bool lower_variable_is_block(const struct wl_ptx_variable *variable);
/* ld.param or st.param of one element of a call's variable. */
void lower_move_parameter(struct lowering *lowering, const struct wl_ptx_operand *operand,
                          uint32_t variable, int64_t offset, enum wl_ptx_type type, bool is_load);
uint32_t lower_parameter_cell(struct lowering *lowering, uint32_t variable, int64_t offset,
                              enum wl_operand_class operand_class);

/* Lowers the body of a function (entry or inlined callee) in place. */
void lower_body(struct lowering *lowering, struct instance *instance);

/* Assigns fixed places to the .param variables of calls that are not inlined and to a called
 * function's own parameters. */
void lower_fix_passed(struct lowering *lowering, struct instance *instance);

/* Finds reconvergence points (immediate post-dominators) and marks JOIN blocks; finds where warps
 * must wait for loads. */
void lower_flow(struct lowering *lowering);
/* Makes program->machine, not optimized yet. */
void lower_machine(struct lowering *lowering);
/* Places virtual registers into the register file; sets program->register_file_bytes, constants and
 * the register estimate. */
void lower_place_registers(struct lowering *lowering);

#endif
