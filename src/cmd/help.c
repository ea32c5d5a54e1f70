#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/help.h"
#include "cmd/verbs.h"
#include "warplens/version.h"

int wl_help_verb(const char *name, const struct wl_option *const *tables)
{
    struct wl_text text = {0};
    for (const struct wl_verb *verb = wl_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            printf("usage: warplens %s\n  %s\n", verb->usage, verb->summary);
    wl_options_describe(tables, &text);
    fputs(text.data ? text.data : "", stdout);
    wl_text_free(&text);
    return WL_OK;
}

static void print_overview(void)
{
    printf("Warplens %s profiles CUDA programs, without a GPU too.\n\n", WL_VERSION_STRING);
    for (const struct wl_verb *verb = wl_verbs; verb->name; verb++)
        printf("  warplens %-38s %s\n", verb->usage, verb->summary);
    puts("\n`warplens help VERB` lists its options. Exit statuses: docs/exit-codes.md.");
}

int wl_verb_help(size_t word_count, char **words)
{
    static char help_option[] = "--help";
    char *help_words[] = {help_option, NULL};
    if (word_count == 0 || words[0][0] == '-') {
        print_overview();
        return WL_OK;
    }
    for (const struct wl_verb *verb = wl_verbs; verb->name; verb++)
        if (strcmp(verb->name, words[0]) == 0 && verb->run != wl_verb_help)
            return verb->run(1, help_words);
    print_overview();
    return strcmp(words[0], "help") == 0 ? WL_OK : WL_ERR_USAGE;
}

int wl_verb_version(size_t word_count, char **words)
{
    (void)word_count, (void)words;
    printf("warplens %s\n", WL_VERSION_STRING);
    return WL_OK;
}
