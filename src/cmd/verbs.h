/* The verbs: one file each, which says only what is its own; wl_verb_run does what all do. */
#ifndef WL_CMD_VERBS_H
#define WL_CMD_VERBS_H

#include <stddef.h>

#include "cmd/command.h"
#include "cmd/console.h"

enum wl_verb_words {
    WL_WORDS_MIXED,   /* words and options in any order */
    WL_WORDS_PROGRAM, /* the first word ends the options: a program, and its own arguments */
    WL_WORDS_NONE,    /* options only */
};

struct wl_verb {
    const char *name;
    const char *usage;   /* "profile [options] PROGRAM [ARGUMENTS]" */
    const char *summary; /* one line */
    const struct wl_option *const *tables;
    enum wl_verb_words words;
    /* Before the options are read: what the verb has as default. NULL: nothing. */
    void (*prepare)(struct wl_command *command);
    enum wl_code (*work)(struct wl_command *command, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error);
    /* Of a verb whose words decide what it is: tables, words, prepare and work of what it gives. */
    const struct wl_verb *(*choose)(size_t word_count, char **words);
    /* Of a verb with options of another kind: all of it. Gives the exit status. */
    int (*run)(size_t word_count, char **words);
};
extern const struct wl_verb *const wl_verbs[]; /* NULL-ended */

/* Gets the words behind the verb: reads options, prints help, version or what is wrong, works.
 * Returns the exit status (docs/using/exit-codes.md). */
int wl_verb_run(const struct wl_verb *verb, size_t word_count, char **words);
/* NULL: there is none of this name. */
const struct wl_verb *wl_verb_find(const char *name);

/* Errors: WL_ERR_USAGE where no program is named; example goes into the hint. */
enum wl_code wl_verb_need_program(const struct wl_arguments *program, const char *example,
                                  struct wl_error *error);
/* Whether the last word is named as a report is. */
bool wl_verb_is_of_report(size_t word_count, char **words);

extern const struct wl_verb wl_verb_profile, wl_verb_check_memory, wl_verb_whatif, wl_verb_predict,
    wl_verb_optimize, wl_verb_trace, wl_verb_show, wl_verb_cc, wl_verb_gpus, wl_verb_ceilings,
    wl_verb_check, wl_verb_acc_time, wl_verb_merge, wl_verb_diff, wl_verb_export, wl_verb_explain,
    wl_verb_guide, wl_verb_metrics, wl_verb_doctor, wl_verb_help, wl_verb_version;

#endif
