/* The verbs: one file each, which says only what is its own; wl_verb_run does what all do. */
#ifndef WL_CMD_VERBS_H
#define WL_CMD_VERBS_H

#include <stddef.h>

#include "cmd/console.h"
#include "cmd/groups.h"

enum wl_verb_words {
    WL_WORDS_MIXED,   /* words and options in any order */
    WL_WORDS_PROGRAM, /* the first word ends the options: a program, and its own arguments */
    WL_WORDS_NONE,    /* options only */
};

/* The options of a verb are a struct of its own, which begins with struct wl_general_options. */
struct wl_verb {
    const char *name;
    const char *usage;   /* "profile [options] PROGRAM [ARGUMENTS]" */
    const char *summary; /* one line */
    const char *more;    /* behind the options in help and man; NULL: nothing */
    size_t options_bytes;
    const struct wl_option_table *tables;
    enum wl_verb_words words;
    /* Before options, all zero, are read: what the verb has as default. NULL: nothing. */
    void (*init)(void *options);
    /* Frees what init made; texts of rows are freed by the caller. NULL: nothing. */
    void (*release)(void *options);
    enum wl_code (*work)(void *options, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error);
    /* Of a verb that is one of two, by what its words are: the one of a report. The other is meant
     * where the last word does not name a report. */
    const struct wl_verb *of_report;
    /* Of a verb that reads its words itself: all of it. Gives the exit status. */
    int (*run)(size_t word_count, char **words);
};

/* wl_verb_NAME of each row of verbs.def. */
#define WL_VERB(verb) extern const struct wl_verb wl_verb_##verb;
#include "cmd/verbs.def"
extern const struct wl_verb *const wl_verbs[]; /* NULL-ended */

/* Gets the words behind the verb: reads options, prints help, version or what is wrong, works.
 * Returns the exit status (docs/using/exit-codes.md). */
int wl_verb_run(const struct wl_verb *verb, size_t word_count, char **words);
/* NULL: there is none of this name. */
const struct wl_verb *wl_verb_find(const char *name);

/* Errors: WL_ERR_USAGE where no program is named; example goes into the hint. */
enum wl_code wl_verb_need_program(const struct wl_arguments *program, const char *example,
                                  struct wl_error *error);

#endif
