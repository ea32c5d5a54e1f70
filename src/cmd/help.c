#include "cmd/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/folder.h"
#include "cmd/completions.h"
#include "cmd/foreign.h"
#include "cmd/manual.h"
#include "show/format/format.h"
#include "warplens/version.h"

struct options {
    struct wl_general_options general;
    int shell; /* enum wl_shell; -1: none */
    bool man, environment, commands;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("HELP"),
    WL_ROW(struct options, shell, CHOICE, "completions", 0, WL_SHELL_WORDS,
           "print the completions of this shell"),
    WL_ROW(struct options, man, FLAG, "man", 0, NULL,
           "print the man page of the verb, or of warplens, as man reads it"),
    WL_ROW(struct options, environment, FLAG, "environment", 0, NULL,
           "list the environment variables that warplens reads"),
    WL_ROW(struct options, commands, FLAG, "commands", 0, NULL,
           "list how every option of ncu, nsys and nvprof is treated, as Markdown"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

void wl_help_verb(const struct wl_verb *verb, const struct wl_option_table *verb_tables)
{
    struct wl_text text = {0};
    printf("usage: warplens %s\n  %s\n", verb->usage, verb->summary);
    wl_options_describe(verb_tables, wl_console_width(stdout), &text);
    if (verb->more)
        wl_text_addf(&text, "\n%s\n", verb->more);
    fputs(text.data ? text.data : "", stdout);
    wl_text_free(&text);
}

void wl_help_version(void)
{
    printf("warplens %s\n", WL_VERSION_STRING);
}

/* Where the pages of docs/ are, beside an installed program or one in its build folder, which
 * stands in the checkout or in a folder of the checkout. */
static void print_exit_codes_page(FILE *out)
{
    static const char *const folders[] = {"share/doc/warplens/docs", "docs", "../docs"};
    char *own_folder = wl_path_own_folder();
    char *above = own_folder ? wl_path_folder(own_folder) : NULL;
    for (size_t i = 0; above && i < WL_COUNT(folders); i++) {
        struct wl_text path = {0};
        wl_text_addf(&path, "%s/%s/using/exit-codes.md", above, folders[i]);
        bool is_there = access(path.data, R_OK) == 0;
        if (is_there)
            fprintf(out, " Exit statuses: %s", path.data);
        wl_text_free(&path);
        if (is_there)
            break;
    }
    free(above);
    free(own_folder);
}

void wl_help_overview(FILE *out)
{
    fprintf(out, "Warplens %s profiles CUDA programs, with or without a GPU.\n\n",
            WL_VERSION_STRING);
    size_t width = wl_console_width(out);
    for (const struct wl_verb *const *verb = wl_verbs; *verb; verb++) {
        struct wl_text summary = {0};
        wl_format_wrap("      ", (*verb)->summary, width, &summary);
        if (width)
            fprintf(out, "  warplens %s\n%s", (*verb)->usage, summary.data);
        else
            fprintf(out, "  warplens %-38s %s\n", (*verb)->usage, (*verb)->summary);
        wl_text_free(&summary);
    }
    fputs("\n`warplens help VERB` lists its options.", out);
    print_exit_codes_page(out);
    fputc('\n', out);
}

static void print_commands(struct wl_text *out)
{
    for (const struct wl_foreign_command *command = wl_foreign_commands; command->tool; command++) {
        wl_text_addf(out, "## `%s%s%s`\n\n", command->tool, *command->words ? " " : "",
                     command->words);
        wl_foreign_print(command, out);
        wl_text_add(out, command[1].tool ? "\n" : "");
    }
}

static void init(void *given)
{
    struct options *options = given;
    options->shell = -1;
}

static enum wl_code help(void *given, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error)
{
    static char help_option[] = "--help";
    char *help_words[] = {help_option, NULL};
    struct options *options = given;
    struct wl_text text = {0};
    const char *name = arguments->count ? arguments->items[0] : NULL;
    const struct wl_verb *verb = name ? wl_verb_find(name) : NULL;
    if (options->man && name && !verb)
        return wl_error_set(error, WL_ERR_USAGE, "there is no verb %s", name);
    if (options->shell >= 0)
        wl_completions_print((enum wl_shell)options->shell, &text);
    else if (options->man)
        wl_manual_print(verb, &text);
    else if (options->environment)
        wl_manual_print_environment(&text);
    else if (options->commands)
        print_commands(&text);
    else if (verb)
        options->general.found_status = wl_verb_run(verb, 1, help_words);
    else
        wl_help_overview(console->pages);
    fputs(text.data ? text.data : "", console->pages);
    wl_text_free(&text);
    if (name && !verb)
        options->general.found_status = WL_ERR_USAGE;
    return WL_OK;
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
    .summary = "print how a verb is used",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .init = init,
    .work = help,
};

const struct wl_verb wl_verb_version = {
    .name = "version",
    .usage = "version",
    .summary = "print the version",
    .run = version,
};
