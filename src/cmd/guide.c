/* `warplens guide REPORT`: the page guide of a report. */
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/verbs.h"

int wl_verb_guide(size_t word_count, char **words)
{
    static char page[] = "--page=guide";
    char **all = wl_alloc_zero(word_count + 2, sizeof *all);
    all[0] = page;
    for (size_t i = 0; i < word_count; i++)
        all[i + 1] = words[i];
    int status = wl_verb_show(word_count + 1, all);
    free(all);
    return status;
}
