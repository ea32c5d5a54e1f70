/* `warplens whatif`: what launches would take without each of their causes of delay. Of a program,
 * which is run on the simulated GPU, or of a report of such a run. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/verbs.h"

/* A report is the only word that is no option, and is named so. */
static bool is_report(size_t word_count, char **words)
{
    const char *last = word_count ? words[word_count - 1] : "";
    size_t length = strlen(last);
    return length > 4 && strcmp(last + length - 4, ".wlr") == 0;
}

int wl_verb_whatif(size_t word_count, char **words)
{
    bool shows = is_report(word_count, words);
    static char page[] = "--page=whatif", again[] = "--whatif";
    char **all = wl_alloc_zero(word_count + 2, sizeof *all);
    size_t count = 0;
    all[count++] = page;
    if (!shows)
        all[count++] = again;
    for (size_t i = 0; i < word_count; i++)
        all[count++] = words[i];
    int status = shows ? wl_verb_show(count, all) : wl_verb_profile(count, all);
    free(all);
    return status;
}
