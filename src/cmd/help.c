#include "cmd/help.h"

#include <stdio.h>
#include <string.h>

#include "warplens/version.h"

void wl_help_verb(const struct wl_verb *verb, const struct wl_option_table *tables)
{
    struct wl_text text = {0};
    printf("usage: warplens %s\n  %s\n", verb->usage, verb->summary);
    wl_options_describe(tables, &text);
    fputs(text.data ? text.data : "", stdout);
    wl_text_free(&text);
}

void wl_help_version(void)
{
    printf("warplens %s\n", WL_VERSION_STRING);
}

static void print_overview(void)
{
    printf("Warplens %s profiles CUDA programs, without a GPU too.\n\n", WL_VERSION_STRING);
    for (const struct wl_verb *const *verb = wl_verbs; *verb; verb++)
        printf("  warplens %-38s %s\n", (*verb)->usage, (*verb)->summary);
    puts("\n`warplens help VERB` lists its options. Exit statuses: docs/exit-codes.md.");
}

static int help(size_t word_count, char **words)
{
    static char help_option[] = "--help";
    char *help_words[] = {help_option, NULL};
    bool is_of_verb = word_count && words[0][0] != '-';
    const struct wl_verb *verb = is_of_verb ? wl_verb_find(words[0]) : NULL;
    if (verb && verb->run != help)
        return wl_verb_run(verb, 1, help_words);
    print_overview();
    return !is_of_verb || verb ? WL_OK : WL_ERR_USAGE;
}

static int version(size_t word_count, char **words)
{
    (void)word_count, (void)words;
    wl_help_version();
    return WL_OK;
}

const struct wl_verb wl_verb_help = {
    .name = "help",
    .usage = "help [VERB]",
    .summary = "say how to use a verb",
    .run = help,
};

const struct wl_verb wl_verb_version = {
    .name = "version",
    .usage = "version",
    .summary = "print the version",
    .run = version,
};
