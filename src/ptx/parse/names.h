/* The names of one module, each kept once (interned), with its current meaning: the
 * bindings of the open scopes, innermost first. Internal to ptx/. */
#ifndef WL_PTX_PARSE_NAMES_H
#define WL_PTX_PARSE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum wl_ptx_binding_kind {
    WL_PTX_BOUND_REGISTER, /* index into the function's registers */
    WL_PTX_BOUND_VARIABLE, /* index unused: name says all */
    WL_PTX_BOUND_FUNCTION, /* index into the module's functions */
    WL_PTX_BOUND_LABEL,    /* index of the instruction it stands before */
    WL_PTX_BOUND_TABLE,    /* .branchtargets, .calltargets, .callprototype */
};

struct wl_ptx_binding {
    enum wl_ptx_binding_kind kind;
    uint8_t depth;     /* 0: module, 1: function, more: nested scopes */
    uint8_t is_extern; /* VARIABLE at depth 0: a definition may follow */
    int32_t index;
    uint32_t offset;        /* where in the text it was declared */
    uint32_t first_offset;  /* the first time */
    uint32_t element_bytes; /* VARIABLE: for name[index] */
    const char *name; /* unique name in the function; differs from the symbol's if shadowing */
    struct wl_ptx_symbol *symbol;
    struct wl_ptx_binding *shadowed;      /* of the same symbol, further out */
    struct wl_ptx_binding *next_in_scope; /* of the same scope */
};

/* `.reg .b32 %r<16>` declares %r0 to %r15; a register is created at its first use. */
struct wl_ptx_range {
    uint8_t depth;
    uint8_t type;
    uint8_t vector_width;
    uint32_t count;
    uint32_t offset;
    struct wl_ptx_symbol *symbol;
    struct wl_ptx_range *shadowed;
    struct wl_ptx_range *next_in_scope;
};

struct wl_ptx_symbol {
    struct wl_ptx_symbol *next_in_bucket;
    struct wl_ptx_binding *binding; /* innermost, or NULL */
    struct wl_ptx_range *range;     /* innermost, or NULL */
    uint32_t hash;
    uint32_t length;
    uint32_t debug_offset; /* 1 + its offset in .debug_str, or 0 */
    int32_t location;      /* 1 + index of a location, for location keys, or 0 */
    uint32_t unique_owner; /* serial of the function that unique_count belongs to */
    uint32_t unique_count;
    uint8_t keyword;    /* enum wl_ptx_keyword */
    uint8_t type;       /* enum wl_ptx_type that the word names, or 0 */
    uint8_t is_special; /* a special register, with % */
    char text[];
};

struct wl_ptx_names {
    struct wl_arena *arena;
    struct wl_ptx_symbol **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
};

/* arena must outlive names. */
void wl_ptx_names_init(struct wl_ptx_names *names, struct wl_arena *arena);
void wl_ptx_names_free(struct wl_ptx_names *names);
/* The symbol of this text (any bytes), made if it is new. */
struct wl_ptx_symbol *wl_ptx_names_intern(struct wl_ptx_names *names, const char *text,
                                          size_t length);
/* NULL if there is none. */
struct wl_ptx_symbol *wl_ptx_names_find(const struct wl_ptx_names *names, const char *text,
                                        size_t length);

/* What a module owns beside its text: see struct wl_ptx_module. */
struct wl_ptx_arena {
    struct wl_arena blocks;
    struct wl_ptx_names names;
    struct wl_ptx_parser *parser; /* of a module with unread bodies, else NULL */
};

#endif
