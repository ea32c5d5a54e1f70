/* PTX tokens (PTX ISA 9.0, section 4.2 to 4.5). Internal to ptx/. */
#ifndef WL_PTX_PARSE_LEX_H
#define WL_PTX_PARSE_LEX_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptx/parse/names.h"

enum wl_ptx_token_kind {
    WL_PTX_TOKEN_END,
    WL_PTX_TOKEN_NAME, /* identifier, %register, _ */
    WL_PTX_TOKEN_WORD, /* .word; its symbol is without the dot, with any ::parts */
    WL_PTX_TOKEN_INTEGER,
    WL_PTX_TOKEN_FLOAT,
    WL_PTX_TOKEN_STRING, /* offset and length include the quotes */
    WL_PTX_TOKEN_MARK,
};

/* Words the parser knows. Types have their own field in struct wl_ptx_symbol. */
enum wl_ptx_keyword {
    WL_PTX_KEY_NONE,
    WL_PTX_KEY_VERSION,
    WL_PTX_KEY_TARGET,
    WL_PTX_KEY_ADDRESS_SIZE,
    WL_PTX_KEY_FILE,
    WL_PTX_KEY_LOC,
    WL_PTX_KEY_SECTION,
    WL_PTX_KEY_PRAGMA,
    WL_PTX_KEY_ALIAS,
    WL_PTX_KEY_VISIBLE,
    WL_PTX_KEY_EXTERN,
    WL_PTX_KEY_WEAK,
    WL_PTX_KEY_COMMON,
    WL_PTX_KEY_ENTRY,
    WL_PTX_KEY_FUNC,
    WL_PTX_KEY_REG,
    WL_PTX_KEY_PARAM,
    WL_PTX_KEY_GLOBAL,
    WL_PTX_KEY_CONST,
    WL_PTX_KEY_SHARED,
    WL_PTX_KEY_LOCAL,
    WL_PTX_KEY_TEX,
    WL_PTX_KEY_ALIGN,
    WL_PTX_KEY_PTR,
    WL_PTX_KEY_ATTRIBUTE,
    WL_PTX_KEY_MANAGED,
    WL_PTX_KEY_V2,
    WL_PTX_KEY_V4,
    WL_PTX_KEY_V8,
    WL_PTX_KEY_MAXNTID,
    WL_PTX_KEY_REQNTID,
    WL_PTX_KEY_MINNCTAPERSM,
    WL_PTX_KEY_MAXNREG,
    WL_PTX_KEY_EXPLICITCLUSTER,
    WL_PTX_KEY_BLOCKSARECLUSTERS,
    WL_PTX_KEY_REQNCTAPERCLUSTER,
    WL_PTX_KEY_IGNORED_NUMBERS, /* function attribute that concerns only the assembler */
    WL_PTX_KEY_BRANCHTARGETS,
    WL_PTX_KEY_CALLTARGETS,
    WL_PTX_KEY_CALLPROTOTYPE,
    WL_PTX_KEY_UNIFIED,
};

struct wl_ptx_token {
    enum wl_ptx_token_kind kind;
    char mark;        /* the character of a MARK, else 0 */
    bool is_single;   /* FLOAT written as 0f */
    bool is_unsigned; /* INTEGER with U, or above the largest signed one */
    uint32_t offset, length;
    struct wl_ptx_symbol *symbol; /* NAME, WORD */
    uint64_t bits;                /* INTEGER, FLOAT */
};

struct wl_ptx_lexer {
    struct wl_ptx_names *names;
    const char *text; /* NUL-terminated */
    const char *cursor;
    const char *end;
    locale_t
        c_locale; /* made when first needed; the program's locale must not affect decimal points */
    const char *problem; /* why the last token could not be read, at problem_offset */
    uint32_t problem_offset;
};

/* Puts keywords, types and special registers into the table of names. */
void wl_ptx_lexer_add_keywords(struct wl_ptx_names *names);
void wl_ptx_lexer_free(struct wl_ptx_lexer *lexer);
/* False: see lexer->problem. */
bool wl_ptx_lexer_next(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token);
/* The next character after blanks and comments, not consumed; '\0' at the end. */
char wl_ptx_lexer_peek(struct wl_ptx_lexer *lexer);
/* Re-reads a word such as `.5` as a number. */
bool wl_ptx_lexer_reread_number(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token);

/* The name of a type as text, and back: one table for the lexer and the public functions. */
struct wl_ptx_type_row {
    const char *name;
    uint8_t bytes;
};
extern const struct wl_ptx_type_row wl_ptx_type_rows[];
extern const int wl_ptx_type_row_count;

#endif
