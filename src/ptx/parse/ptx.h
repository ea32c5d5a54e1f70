/* The PTX of one module as text understands it: files, globals, functions, instructions with their
 * operands. No meaning is attached here: which instructions exist is the lowering's business, so an
 * unknown opcode parses. PTX ISA 9.0, chapters 4-6 (syntax, state spaces, operands).
 *
 * Ownership: a module owns everything reachable from it and frees it with wl_ptx_module_free.
 * Strings live in the module's arena and are NUL-terminated; equal names are the same pointer
 * within one module (interned). */
#ifndef WL_PTX_PARSE_PTX_H
#define WL_PTX_PARSE_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum wl_ptx_space {
    WL_PTX_SPACE_NONE, /* generic, or not said */
    WL_PTX_SPACE_REG,
    WL_PTX_SPACE_PARAM,
    WL_PTX_SPACE_GLOBAL,
    WL_PTX_SPACE_CONST,
    WL_PTX_SPACE_SHARED,
    WL_PTX_SPACE_LOCAL,
    WL_PTX_SPACE_TEX,
};

enum wl_ptx_type {
    WL_PTX_TYPE_NONE,
    WL_PTX_B8,
    WL_PTX_B16,
    WL_PTX_B32,
    WL_PTX_B64,
    WL_PTX_B128,
    WL_PTX_U8,
    WL_PTX_U16,
    WL_PTX_U32,
    WL_PTX_U64,
    WL_PTX_S8,
    WL_PTX_S16,
    WL_PTX_S32,
    WL_PTX_S64,
    WL_PTX_F16,
    WL_PTX_F16X2,
    WL_PTX_BF16,
    WL_PTX_BF16X2,
    WL_PTX_TF32,
    WL_PTX_F32,
    WL_PTX_F64,
    WL_PTX_PRED,
    WL_PTX_TEXREF,
    WL_PTX_SAMPLERREF,
    WL_PTX_SURFREF,
};

/* Size in bytes of one element (PRED counts 1, opaque references 8). */
size_t wl_ptx_type_bytes(enum wl_ptx_type type);
/* "u32" and so on. Never NULL. */
const char *wl_ptx_type_name(enum wl_ptx_type type);

/* Where an instruction comes from. file is an index into module->files (the `.file` number), 0 if
 * there is no line information. For inlined code: function is the inlined function's name and
 * inlined_at the place of the call, an index into module->locations, else -1. */
struct wl_ptx_location {
    uint32_t file;
    uint32_t line;
    uint32_t column;
    const char *function; /* mangled name of the inlined function, or NULL */
    int32_t inlined_at;   /* index of the caller's location in module->locations, or -1 */
};

struct wl_ptx_file {
    uint32_t number; /* as in `.file N "name"` */
    const char *name;
};

enum wl_ptx_operand_kind {
    WL_PTX_OPERAND_REGISTER, /* register: index into function->registers */
    WL_PTX_OPERAND_SPECIAL,  /* name: "%tid.x", "%laneid", "%clock64", ... */
    WL_PTX_OPERAND_INTEGER,  /* integer (also 0x..., octal, binary, negative, U suffix; constant
                                expressions are folded) */
    WL_PTX_OPERAND_FLOAT,    /* bits: the IEEE double of 0d..., or 0f... (then is_single), or a
                                decimal literal */
    WL_PTX_OPERAND_SYMBOL,   /* name (variable, parameter, function) + offset, as a value */
    WL_PTX_OPERAND_ADDRESS,  /* [register + offset], [name + offset] or [integer] */
    WL_PTX_OPERAND_VECTOR,   /* {items}: also the argument lists of call in parentheses, and a
                                vector register as its parts */
    WL_PTX_OPERAND_LABEL,    /* name of a label of this function; target: instruction index */
    WL_PTX_OPERAND_SINK,     /* _ */
};

struct wl_ptx_operand {
    enum wl_ptx_operand_kind kind;
    bool negated;       /* !%p (predicates), or -%r where PTX allows it */
    bool is_single;     /* FLOAT written as 0f */
    uint8_t component;  /* .b0 to .b3 are 5..8, .h0 .h1 are 9, 10 (video instructions), else 0 */
    int32_t reg;        /* REGISTER; ADDRESS with a register base; else -1 */
    int32_t second_reg; /* the q of a p|q destination (or register part of shfl d|p), else -1 */
    const char *name;   /* SPECIAL, SYMBOL, LABEL, ADDRESS with a symbol base; else NULL.
                           A variable of a body by its unique name. */
    int64_t integer;    /* INTEGER value; byte offset of SYMBOL and ADDRESS */
    uint64_t bits;      /* FLOAT: for is_single the 32-bit pattern, else the 64-bit pattern */
    int32_t target;     /* LABEL: index of the instruction it stands before (the instruction
                           count at the end of a body); -1 for a target table, by its name */
    struct wl_ptx_operand *items; /* VECTOR; `[a, {b, c}]` is a VECTOR of ADDRESS a and the rest */
    uint32_t item_count;
};

#define WL_PTX_MODIFIERS_MAX 16
#define WL_PTX_OPERANDS_MAX 10

struct wl_ptx_instruction {
    const char *opcode; /* first word, interned: "ld", "mad", "setp", "bra" */
    const char *modifiers[WL_PTX_MODIFIERS_MAX]; /* interned, without dots, in order: "global",
                                 "nc", "v4", "f32", also types; "shared::cta" stays one word */
    uint8_t modifier_count;
    uint8_t operand_count;
    bool guard_negated;
    bool is_rolled;                    /* behind .pragma "nounroll", which speaks of its loop */
    int32_t guard;                     /* register of @p, or -1 */
    struct wl_ptx_operand *operands;   /* destination first, as written. `call (r), f, (a,b);` is
                                   VECTOR r, SYMBOL f, VECTOR a,b (empty VECTORs where absent);
                                   a fourth operand is the prototype or target list name */
    int32_t location;                  /* index into module->locations, or -1 */
    uint32_t text_line;                /* line in the PTX text, 1-based */
    uint32_t text_offset, text_length; /* the instruction's text incl. guard, without `;` */
};

struct wl_ptx_register {
    const char *name; /* "%r12" */
    enum wl_ptx_type type;
    uint8_t vector_width; /* 1; of a vector register, which is that many registers that follow each
                             other, 2 or 4 for the first and 0 for the rest */
};

/* A variable: module scope, function scope (.local, .shared, .param inside bodies) or a parameter.
 */
struct wl_ptx_variable {
    const char *name;
    enum wl_ptx_space space;
    enum wl_ptx_type type;
    uint32_t alignment;  /* bytes; the type's size where not said */
    uint64_t size_bytes; /* whole array; 0 for `.extern ... x[]` */
    bool is_extern;
    bool is_visible; /* .visible, .weak or .common */
    bool is_managed; /* .attribute(.managed) */
    /* Initial bytes (size_bytes long) or NULL for zero. Addresses inside are listed below. */
    uint8_t *initial;
    struct wl_ptx_relocation {
        uint64_t offset;     /* where in initial */
        uint8_t width_bytes; /* 4 or 8; 1 to 7 where only a part of the address is stored */
        uint8_t first_byte;  /* the part's first byte, little end first: 1 for 0xff00(symbol) */
        bool is_generic;     /* written generic(symbol) */
        const char *symbol;
        int64_t addend;
    } * relocations;
    uint32_t relocation_count;
};

struct wl_ptx_function {
    const char *name;
    bool is_entry;
    bool is_extern; /* declaration without a body */
    bool is_visible;
    bool is_weak;
    bool has_body;
    bool is_unread; /* the body is skipped so far: wl_ptx_function_read fills in what is in it */
    struct wl_ptx_variable *parameters; /* inputs, in order */
    uint32_t parameter_count;
    struct wl_ptx_variable *results; /* .func return values */
    uint32_t result_count;
    struct wl_ptx_variable *variables; /* .local .shared .param declared inside the body, any
                                          nesting depth; names that occur in several scopes are
                                          made unique: "param0", "param0#2". A .global or .const
                                          of a body is among the module's variables instead. */
    uint32_t variable_count;
    struct wl_ptx_register *registers; /* those of a range such as %r<16> only if used */
    uint32_t register_count;
    struct wl_ptx_instruction *instructions;
    uint32_t instruction_count;
    /* brx.idx target tables: `L: .branchtargets A, B;`, call targets (functions: targets are -1)
     * and prototypes (no labels) by their unique names */
    struct wl_ptx_target_table {
        const char *name;
        const char **labels;
        int32_t *targets; /* instruction indices */
        uint32_t count;
    } * target_tables;
    uint32_t target_table_count;
    uint32_t max_threads[3];         /* .maxntid, 0 where not said */
    uint32_t required_threads[3];    /* .reqntid */
    uint32_t min_blocks;             /* .minnctapersm */
    uint32_t max_registers;          /* .maxnreg */
    bool needs_clusters;             /* .explicitcluster or .reqnctapercluster */
    uint32_t cluster[3];             /* .reqnctapercluster, 0 where not said */
    bool blocks_are_clusters;        /* .blocksareclusters */
    uint32_t text_line, text_offset; /* of .entry or .func */
};

struct wl_ptx_module {
    uint32_t version_major, version_minor; /* .version 9.0 */
    uint32_t target_sm;                    /* 90 */
    bool target_specific;                  /* sm_90a, or family-specific "f" */
    bool is_debug;                         /* `.target sm_90, debug`: nvcc -G */
    uint32_t address_bits;                 /* 64 */
    struct wl_ptx_file *files;
    uint32_t file_count;
    struct wl_ptx_location *locations; /* moves when a body is read */
    uint32_t location_count;
    struct wl_ptx_variable *variables;
    uint32_t variable_count;
    struct wl_ptx_function *functions; /* .entry and .func; a definition replaces its declaration */
    uint32_t function_count;
    const char *text; /* NUL-terminated */
    size_t text_length;
    struct wl_ptx_arena *arena;
};

/* Parses PTX text (need not be NUL-terminated). name is used in messages ("app.ptx").
 * On a syntax error returns WL_ERR_INPUT; error->where is "name:line:column" and the message ends
 * with the offending source line and a caret below it, each on a line of its own.
 * Never crashes on hostile text; nesting and sizes are bounded. *module is NULL on error. */
enum wl_code wl_ptx_module_parse(const char *text, size_t length, const char *name,
                                 struct wl_ptx_module **module, struct wl_error *error);
void wl_ptx_module_free(struct wl_ptx_module *module);

/* The same without the bodies of functions, for text that a compiler has written: a program's
 * libraries define thousands of kernels of which few are launched. An error in a body shows only
 * when the body is read. text must end with a NUL at length or before, and stays the caller's, who
 * keeps it until the module is freed. */
enum wl_code wl_ptx_module_open(const char *text, size_t length, const char *name,
                                struct wl_ptx_module **module, struct wl_error *error);
/* Reads the body of a function of this module if it is unread. Errors as wl_ptx_module_parse's;
 * the function stays unread then. Not for two threads at once on one module. */
enum wl_code wl_ptx_function_read(const struct wl_ptx_module *module,
                                  const struct wl_ptx_function *function, struct wl_error *error);

/* NULL if there is none of that name. */
struct wl_ptx_function *wl_ptx_module_find_function(const struct wl_ptx_module *module,
                                                    const char *name);
const struct wl_ptx_variable *wl_ptx_module_find_variable(const struct wl_ptx_module *module,
                                                          const char *name);
/* File name of `.file number`, or NULL. */
const char *wl_ptx_module_file_name(const struct wl_ptx_module *module, uint32_t number);
/* True if the instruction has this modifier word. */
bool wl_ptx_instruction_has(const struct wl_ptx_instruction *instruction, const char *modifier);
/* The type a modifier word names ("u32"), or WL_PTX_TYPE_NONE. */
enum wl_ptx_type wl_ptx_type_from_name(const char *word);

#endif
