/* The verbs: one file each. They get the words behind the verb and return the exit status
 * (docs/exit-codes.md). */
#ifndef WL_CMD_VERBS_H
#define WL_CMD_VERBS_H

#include <stddef.h>

struct wl_verb {
    const char *name;
    int (*run)(size_t word_count, char **words);
    const char *usage;   /* "profile [options] PROGRAM [ARGUMENTS]" */
    const char *summary; /* one line */
};
extern const struct wl_verb wl_verbs[]; /* ended by a NULL name */

int wl_verb_profile(size_t word_count, char **words);
int wl_verb_check_memory(size_t word_count, char **words);
int wl_verb_whatif(size_t word_count, char **words);
int wl_verb_predict(size_t word_count, char **words);
int wl_verb_optimize(size_t word_count, char **words);
int wl_verb_trace(size_t word_count, char **words);
int wl_verb_show(size_t word_count, char **words);
int wl_verb_cc(size_t word_count, char **words);
int wl_verb_gpus(size_t word_count, char **words);
int wl_verb_ceilings(size_t word_count, char **words);
int wl_verb_check(size_t word_count, char **words);
int wl_verb_acc_time(size_t word_count, char **words);
int wl_verb_merge(size_t word_count, char **words);
int wl_verb_diff(size_t word_count, char **words);
int wl_verb_export(size_t word_count, char **words);
int wl_verb_explain(size_t word_count, char **words);
int wl_verb_guide(size_t word_count, char **words);
int wl_verb_metrics(size_t word_count, char **words);
int wl_verb_doctor(size_t word_count, char **words);
int wl_verb_help(size_t word_count, char **words);
int wl_verb_version(size_t word_count, char **words);

#endif
