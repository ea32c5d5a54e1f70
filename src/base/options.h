/* Command-line options as tables: a row gives an option's spelling, its argument and the field it
 * sets. The parser, `help`, the shells' completions and the man pages read the same rows. */
#ifndef WL_BASE_OPTIONS_H
#define WL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum wl_option_kind {
    WL_OPTION_FLAG,    /* bool: set to true */
    WL_OPTION_CLEAR,   /* bool: set to false */
    WL_OPTION_CONFIRM, /* bool: set to true, or to what true|false, yes|no, on|off behind it says */
    WL_OPTION_SWITCH,  /* bool: on|off, yes|no, true|false, 1|0 */
    WL_OPTION_SECOND,  /* bool: whether it is the second of the two words in `argument` */
    WL_OPTION_TEXT,    /* const char *: points into the command line; the last one wins */
    WL_OPTION_COPY,    /* char *: a heap copy behind `prefix`; the last one wins */
    WL_OPTION_COMMAS,  /* struct wl_text: the values of all occurrences with ',' between */
    WL_OPTION_COLONS,  /* struct wl_text: the same with ':' */
    WL_OPTION_LINES,   /* struct wl_text: the same with '\n' */
    WL_OPTION_COPY_COMMAS, /* char *: a heap copy, with ',' between */
    WL_OPTION_COPY_LINES,  /* char *: the same with '\n' */
    WL_OPTION_NUMBER,      /* uint64_t */
    WL_OPTION_NUMBER32,    /* uint32_t */
    WL_OPTION_SECONDS,     /* uint64_t, in milliseconds: seconds with decimals */
    WL_OPTION_CHOICE,   /* an enum or int: index of the value in the list `argument`, "all|none" */
    WL_OPTION_ALWAYS,   /* no field: a flag for what is done anyway */
    WL_OPTION_ONLY,     /* accepted without effect if the value is `argument`, else refused */
    WL_OPTION_ACCEPTED, /* no field: any value is accepted without effect; help says why */
    WL_OPTION_REFUSED,  /* no field: an option of another tool, refused; help says why */
    WL_OPTION_RENAMED,  /* no field: renamed; help gives the new name */
    WL_OPTION_HEADING,  /* no option: name is a heading of the help text */
};

struct wl_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* 0: none */
    enum wl_option_kind kind;
    size_t offset;        /* into the struct of the table, see wl_option_table */
    const char *argument; /* shown in the help: "FILE" */
    const char *help;     /* NULL: an alias, not shown */
    unsigned groups;      /* bits: in which parts of its table it stands */
    const char *prefix; /* of a WL_OPTION_COPY; rows of one field with other prefixes exclude it */
    uint64_t most;      /* of a number; 0: any */
    enum wl_code (*check)(const char *value, struct wl_error *error); /* of a text; or NULL */
    const char *tool;   /* whose option it is where it is not supported; NULL: ncu */
    const char *dashes; /* "-": of a verb that reads its words itself; NULL: "--" */
};

/* A table, or a part of it, for a struct that stands at offset in the one that is parsed into. */
struct wl_option_table {
    const struct wl_option *rows; /* NULL ends a list of tables */
    size_t offset;
    unsigned groups; /* rows that share a bit; 0: all rows */
};

/* Iterates over the rows of a list of tables: for (struct wl_option_cursor at =
 * wl_options_first(tables); at.row; wl_options_next(&at)) */
struct wl_option_cursor {
    const struct wl_option_table *table;
    const struct wl_option *row; /* NULL: behind the last */
};
struct wl_option_cursor wl_options_first(const struct wl_option_table *tables);
void wl_options_next(struct wl_option_cursor *cursor);

/* The positional arguments: what follows the options. */
struct wl_arguments {
    char **items; /* a NULL follows, as in argv */
    size_t count;
};

/* Reads options of all tables into target. With stop_at_argument the first word that is no option
 * ends them (the rest belongs to another program), else words and options may mix. `--` ends them
 * too. A word such as `true` behind a flag, where it would be the program, is refused.
 * arguments->items points into words, which is reordered. Errors: WL_ERR_USAGE. */
enum wl_code wl_options_parse(const struct wl_option_table *tables, void *target, char **words,
                              size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error);
/* Explains an unknown option: adds a hint, or nothing. It is called with the exact name first,
 * then, where the tables have no close name either, with may_guess. Global; NULL by default. */
extern void (*wl_options_explain)(const struct wl_option_table *tables, const char *name,
                                  bool may_guess, struct wl_text *hint);
/* Frees the texts that parsing made, and leaves their fields empty. */
void wl_options_free(const struct wl_option_table *tables, void *target);

/* Whether a value belongs to an option of this kind: FILE, on|off ... */
bool wl_option_takes_value(enum wl_option_kind kind);
/* Whether help and completions list it: not an alias, a refused option or a heading. */
bool wl_option_is_shown(const struct wl_option *option);
/* The dashes before its name. */
const char *wl_option_dashes(const struct wl_option *option);
/* "FILE", "on|off"; of an option that takes a value. */
const char *wl_option_value_name(const struct wl_option *option);
/* Position of word in "a|b|c", or -1. */
int wl_option_find_word(const char *choices, const char *word);

/* Help text: one paragraph per shown row, at most 100 columns wide. */
void wl_options_describe(const struct wl_option_table *tables, size_t width, struct wl_text *out);

#endif
