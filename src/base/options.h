/* Command-line options as a table: one row per option, spelled as ncu spells them. Long names may
 * be cut to any unique beginning; values follow as `--name value` or `--name=value`, `-x value` or
 * `-xvalue`. Rows write into a struct of the caller at an offset, so tables can be constant. */
#ifndef WL_BASE_OPTIONS_H
#define WL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum wl_option_kind {
    WL_OPTION_FLAG,   /* bool: set to true */
    WL_OPTION_SWITCH, /* bool: on|off, yes|no, true|false, 1|0 */
    WL_OPTION_TEXT,   /* const char *: points into the command line; the last one wins */
    WL_OPTION_COMMAS, /* struct wl_text: the values of all occurrences with ',' between */
    WL_OPTION_COLONS, /* struct wl_text: the same with ':' */
    WL_OPTION_LINES,  /* struct wl_text: the same with '\n' */
    WL_OPTION_NUMBER, /* uint64_t */
    WL_OPTION_CHOICE, /* int: index of the value in the list `argument`, "all|none" */
    WL_OPTION_ONLY, /* nothing: the one value in `argument` is how it is anyway, others are refused
                     */
    WL_OPTION_REFUSED, /* nothing: an option of ncu that cannot be given; help says why */
    WL_OPTION_HEADING, /* no option: name is a headline of the help text */
};

struct wl_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* 0: none */
    enum wl_option_kind kind;
    size_t offset;        /* into the struct given to wl_options_parse */
    const char *argument; /* shown in the help: "FILE" */
    const char *help;     /* NULL: an alias, not shown */
};

/* What is left of the command line behind the options. */
struct wl_arguments {
    char **items; /* a NULL follows, as in argv */
    size_t count;
};

/* Reads options of all tables (a NULL-ended list) into target. With stop_at_argument the first word
 * that is no option ends them (the rest belongs to another program), else words and options may
 * mix.
 * `--` ends them too. arguments->items points into words, which is reordered. Errors: WL_ERR_USAGE.
 */
enum wl_code wl_options_parse(const struct wl_option *const *tables, void *target, char **words,
                              size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error);

/* Help text: one paragraph per row, at most 100 columns wide. Refused and alias rows are left out.
 */
void wl_options_describe(const struct wl_option *const *tables, struct wl_text *out);

#endif
