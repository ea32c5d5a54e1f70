/* `warplens ncu ...`, and what has no verb: ncu's only command is `profile`. */
#include "cmd/verbs.h"

static int ncu(size_t word_count, char **words)
{
    return wl_verb_run(&wl_verb_profile, word_count, words);
}

const struct wl_verb wl_verb_ncu = {
    .name = "ncu",
    .usage = "ncu [options] PROGRAM [ARGUMENTS]",
    .summary = "the command line of ncu: `warplens profile`; the word ncu may be left out",
    .run = ncu,
};
