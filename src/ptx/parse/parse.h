/* The parser's state and the functions its files share. Functions that return bool return false
 * after reporting an error through wl_ptx_fail; the first error ends the parse. Internal to ptx/.
 */
#ifndef WL_PTX_PARSE_PARSE_H
#define WL_PTX_PARSE_PARSE_H

#include "base/memory.h"
#include "ptx/parse/lex.h"
#include "ptx/parse/ptx.h"

/* Bounds that keep hostile text from exhausting stack and memory. */
#define WL_PTX_SCOPES_MAX 64    /* nested { } in a body, with module and function scope */
#define WL_PTX_NESTING_MAX 48   /* of constants, initialisers and vectors */
#define WL_PTX_DIMENSIONS_MAX 8 /* of one array */
#define WL_PTX_VARIABLE_BYTES_MAX ((uint64_t)1 << 40)
#define WL_PTX_INITIAL_BYTES_MAX ((uint64_t)256 << 20) /* initialised arrays of one module */

/* A use of a name that is not bound yet: it may become a label. */
struct wl_ptx_pending {
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    bool is_branch;                 /* can only be a label */
    struct wl_ptx_operand *operand; /* to fill in, or NULL and: */
    int32_t *target;                /* a label in a target table */
};

struct wl_ptx_scope {
    struct wl_ptx_binding *bindings;
    struct wl_ptx_range *ranges;
    size_t first_pending;
};

struct wl_ptx_inlined {
    int32_t location;
    const struct wl_ptx_symbol *label;
    uint64_t addend;
};

struct wl_ptx_alias {
    struct wl_ptx_symbol *name, *target;
    uint32_t name_offset, target_offset;
};

struct wl_ptx_parser {
    struct wl_ptx_module *module;
    struct wl_ptx_arena *arena;
    const char *name; /* of the text, for messages */
    struct wl_error *error;
    enum wl_code code;
    struct wl_ptx_lexer lexer;
    struct wl_ptx_token token;
    uint32_t previous_end; /* offset behind the token before */
    uint32_t nesting;
    uint32_t counted_offset, counted_line; /* see wl_ptx_line_at */

    struct wl_ptx_scope scopes[WL_PTX_SCOPES_MAX];
    unsigned depth;           /* of the innermost scope */
    unsigned nested_ranges;   /* live register ranges of nested scopes */
    uint32_t function_serial; /* of the function being parsed */
    struct wl_ptx_binding *free_bindings;

    struct wl_ptx_names keys; /* of locations */
    int32_t location;         /* of the next instruction */
    bool is_rolled;           /* the same */
    bool skips_bodies;        /* wl_ptx_module_open */
    uint64_t initial_bytes;   /* in all initialised variables so far */

    WL_VECTOR(struct wl_ptx_file) files;
    WL_VECTOR(struct wl_ptx_location) locations;
    /* which function name in .debug_str belongs to locations[i] */
    WL_VECTOR(struct wl_ptx_inlined) inlined;
    WL_VECTOR(char) debug_text;
    WL_VECTOR(struct wl_ptx_variable) variables;
    WL_VECTOR(struct wl_ptx_function) functions;
    WL_VECTOR(struct wl_ptx_alias) aliases;

    /* Of the function being parsed */
    WL_VECTOR(struct wl_ptx_variable) parameters, results, locals;
    WL_VECTOR(struct wl_ptx_register) registers;
    WL_VECTOR(struct wl_ptx_instruction) instructions;
    WL_VECTOR(struct wl_ptx_target_table) tables;
    WL_VECTOR(struct wl_ptx_pending) pending;

    /* A stack of operands whose list is not complete */
    WL_VECTOR(struct wl_ptx_operand) operands;
    /* Bytes and relocations of the initialiser being parsed */
    WL_VECTOR(uint8_t) bytes;
    WL_VECTOR(struct wl_ptx_relocation) relocations;
};

/* parse.c: errors and tokens */

/* Reports at an offset of the text; always returns false. */
bool wl_ptx_fail(struct wl_ptx_parser *parser, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found TOKEN" at the current token. */
bool wl_ptx_fail_expected(struct wl_ptx_parser *parser, const char *what);
/* The same for what should end or continue what went before: points behind that if the current
 * token is on another line. */
bool wl_ptx_fail_expected_after(struct wl_ptx_parser *parser, const char *what);
bool wl_ptx_next(struct wl_ptx_parser *parser);
/* The character behind the current token and blanks, '\0' at the end. */
char wl_ptx_peek(struct wl_ptx_parser *parser);
/* From an opening bracket past the one that closes it. */
bool wl_ptx_skip_brackets(struct wl_ptx_parser *parser);
/* The token must be this mark; goes past it. */
bool wl_ptx_expect(struct wl_ptx_parser *parser, char mark);
/* True if the token is this mark. */
static inline bool wl_ptx_at(const struct wl_ptx_parser *parser, char mark)
{
    return parser->token.mark == mark;
}
/* The keyword that the current token is, or WL_PTX_KEY_NONE. */
static inline enum wl_ptx_keyword wl_ptx_keyword_at(const struct wl_ptx_parser *parser)
{
    return parser->token.kind == WL_PTX_TOKEN_WORD
               ? (enum wl_ptx_keyword)parser->token.symbol->keyword
               : WL_PTX_KEY_NONE;
}
/* The token must be a name; goes past it and gives its symbol and offset. */
bool wl_ptx_expect_name(struct wl_ptx_parser *parser, const char *what,
                        struct wl_ptx_symbol **symbol, uint32_t *offset);
/* An integer literal of at most maximum. */
bool wl_ptx_expect_count(struct wl_ptx_parser *parser, const char *what, uint64_t maximum,
                         uint32_t *value);
/* 1-based line of an offset, which must not lie before that of the last call. */
uint32_t wl_ptx_line_at(struct wl_ptx_parser *parser, uint32_t offset);
bool wl_ptx_parse_pragma(struct wl_ptx_parser *parser);
struct wl_ptx_linkage {
    bool is_visible, is_extern, is_weak;
};
/* Any of .visible .extern .weak .common */
bool wl_ptx_parse_linkage(struct wl_ptx_parser *parser, struct wl_ptx_linkage *linkage);
/* One level deeper in a recursion; leave with parser->nesting--. */
bool wl_ptx_enter_nesting(struct wl_ptx_parser *parser);

/* parse_scope.c: what names mean */

bool wl_ptx_scope_open(struct wl_ptx_parser *parser);
/* Resolves the pending names that were bound in this scope, then forgets its bindings. */
bool wl_ptx_scope_close(struct wl_ptx_parser *parser);
/* Forgets the bindings of all scopes but the module's, after an error. */
void wl_ptx_scope_leave_all(struct wl_ptx_parser *parser);
/* Binds a name in the innermost scope, or at module scope; error if it is bound there already.
 * NULL after an error. A variable or table gets a name that is unique in its function. */
struct wl_ptx_binding *wl_ptx_bind(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol,
                                   uint32_t offset, enum wl_ptx_binding_kind kind, int32_t index);
struct wl_ptx_binding *wl_ptx_bind_module(struct wl_ptx_parser *parser,
                                          struct wl_ptx_symbol *symbol, uint32_t offset,
                                          enum wl_ptx_binding_kind kind, int32_t index);
bool wl_ptx_bind_range(struct wl_ptx_parser *parser, struct wl_ptx_symbol *prefix, uint32_t offset,
                       uint32_t count, enum wl_ptx_type type, uint8_t vector_width);
/* The index of a new register, the first of vector_width. */
int32_t wl_ptx_add_register(struct wl_ptx_parser *parser, const char *name, enum wl_ptx_type type,
                            uint8_t vector_width);
/* "x is already declared in line N" */
bool wl_ptx_fail_redeclared(struct wl_ptx_parser *parser, const struct wl_ptx_symbol *symbol,
                            uint32_t offset, uint32_t earlier_offset);
/* Whether there is such a binding and its name was declared before the current token: of bodies
 * that are read later the module knows all names. */
static inline bool wl_ptx_is_declared(const struct wl_ptx_parser *parser,
                                      const struct wl_ptx_binding *binding)
{
    return binding && (binding->depth > 0 || binding->first_offset <= parser->token.offset);
}
/* What a name means here, or NULL. Makes registers of ranges. */
struct wl_ptx_binding *wl_ptx_lookup(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol);
/* Fills operand as what binding says. */
void wl_ptx_operand_bind(struct wl_ptx_operand *operand, const struct wl_ptx_binding *binding);

/* parse_constant.c: constant expressions */

enum wl_ptx_value_kind {
    WL_PTX_VALUE_SIGNED,
    WL_PTX_VALUE_UNSIGNED,
    WL_PTX_VALUE_SINGLE, /* only as a literal alone; becomes DOUBLE in arithmetic */
    WL_PTX_VALUE_DOUBLE,
    WL_PTX_VALUE_ADDRESS, /* symbol + bits, only where allowed */
};
struct wl_ptx_value {
    enum wl_ptx_value_kind kind;
    bool is_generic;     /* ADDRESS: generic(symbol) */
    uint8_t first_byte;  /* ADDRESS under a mask such as 0xff00(symbol) */
    uint8_t width_bytes; /* the same; 0 without a mask */
    uint64_t bits;
    const char *name; /* ADDRESS: of the variable or function */
    uint32_t offset;  /* in the text */
};
/* allow_address: names of variables and functions, generic(), masks (in initialisers). */
bool wl_ptx_parse_constant(struct wl_ptx_parser *parser, bool allow_address,
                           struct wl_ptx_value *value);
/* An integer constant expression. */
bool wl_ptx_parse_integer(struct wl_ptx_parser *parser, int64_t *value);
double wl_ptx_value_double(const struct wl_ptx_value *value);

/* parse_variable.c: declarations */

/* From the state space word to the semicolon, in the innermost scope. */
bool wl_ptx_parse_variables(struct wl_ptx_parser *parser, const struct wl_ptx_linkage *linkage);
/* `.reg ...;` in a body. */
bool wl_ptx_parse_registers(struct wl_ptx_parser *parser);
/* `(.param ..., ...)` into parser->parameters or ->results; the token is the parenthesis. */
bool wl_ptx_parse_parameters(struct wl_ptx_parser *parser, bool is_result);

/* parse_initial.c: what follows `=`. dimensions[0] is 0 for `x[]`, whose size is set here. */
bool wl_ptx_parse_initial(struct wl_ptx_parser *parser, struct wl_ptx_variable *variable,
                          const uint64_t *dimensions, unsigned dimension_count);

/* parse_function.c */
bool wl_ptx_parse_function(struct wl_ptx_parser *parser, const struct wl_ptx_linkage *linkage);
/* An unread function with its body, from the word .entry or .func, which is the token. */
bool wl_ptx_parse_unread(struct wl_ptx_parser *parser, struct wl_ptx_function *function);

/* parse_later.c: bodies that are skipped and read later. From a body's opening brace to its closing
 * one; false, with nothing changed, if the body has to be read at once: it declares what belongs to
 * the module, or has no end. */
bool wl_ptx_skip_body(struct wl_ptx_parser *parser);

/* parse.c: frees what the parser gathered, and the parser. */
void wl_ptx_parser_free(struct wl_ptx_parser *parser);

/* parse_instruction.c: one instruction with its guard and semicolon */
bool wl_ptx_parse_instruction(struct wl_ptx_parser *parser);

/* parse_lines.c: .file .loc .section */
bool wl_ptx_parse_file(struct wl_ptx_parser *parser);
bool wl_ptx_parse_loc(struct wl_ptx_parser *parser);
bool wl_ptx_parse_section(struct wl_ptx_parser *parser);
/* Gives inlined locations of which that is not done yet their function names. */
void wl_ptx_finish_lines(struct wl_ptx_parser *parser);

#endif
