/* `warplens nsys COMMAND`: the commands of nsys, each by the verb that does it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"
#include "cmd/console.h"
#include "cmd/help.h"
#include "cmd/nsys.h"
#include "cmd/nvprof.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "show/export/timeline.h"

/* ---- nsys export ---- */

struct export_options {
    struct wl_general_options general;
    const char *output;
    bool overwrite;
};

#define TOOL "nsys"
#define ACCEPTED(spelled, short, values, why)                                                   \
    {                                                                                           \
        .name = (spelled), .letter = (short), .kind = WL_OPTION_ACCEPTED, .argument = (values), \
        .help = (why), .tool = TOOL                                                             \
    }
#define REFUSED(spelled, why)                                                     \
    {                                                                             \
        .name = (spelled), .kind = WL_OPTION_REFUSED, .help = (why), .tool = TOOL \
    }
#define WHOLE "all tables are written, with the events as they were recorded"

static const struct wl_option export_rows[] = {
    WL_ROWS_HEADING("EXPORT"),
    WL_ROW(struct export_options, output, TEXT, "output", 'o', "FILE",
           "write this file; default: the report's name with .sqlite"),
    WL_OVERWRITE_ROW(struct export_options, overwrite, "replace an existing file"),
    {.name = "type",
     .letter = 't',
     .kind = WL_OPTION_ONLY,
     .argument = "sqlite",
     .help = "--type sqlite has the same tables; `warplens export` writes other forms",
     .tool = TOOL},
    ACCEPTED("lazy", 'l', "true|false", "tables without events are written empty"),
    ACCEPTED("include-blobs", 0, "true|false", "the events have no blobs"),
    ACCEPTED("include-json", 0, "true|false", "the events have no JSON"),
    ACCEPTED("separate-strings", 0, "true|false", "names stand in a table of their own"),
    ACCEPTED("ts-normalize", 0, "true|false", "times are nanoseconds since the first event"),
    REFUSED("append", WHOLE),
    REFUSED("tables", WHOLE),
    REFUSED("times", WHOLE),
    REFUSED("ts-shift", WHOLE),
    WL_ROWS_END,
};

const struct wl_option_table wl_nsys_export_tables[] = {
    {export_rows, 0, 0},
    WL_TABLE(struct export_options, general, wl_general_rows),
    WL_TABLES_END,
};

static enum wl_code export_sqlite(void *given, const struct wl_arguments *arguments,
                                  const struct wl_console *console, struct wl_error *error)
{
    const struct export_options *options = given;
    struct wl_report *report = NULL;
    if (arguments->count != 1) {
        wl_error_set(error, WL_ERR_USAGE, "export takes one report, not %zu", arguments->count);
        return wl_error_set_hint(error, "--type FORM chooses the form, -f replaces a file");
    }
    const char *dot = strrchr(arguments->items[0], '.');
    size_t stem = dot && !strchr(dot, '/') ? (size_t)(dot - arguments->items[0])
                                           : strlen(arguments->items[0]);
    char *path = options->output ? wl_string_copy(options->output)
                                 : wl_string_format("%.*s.sqlite", (int)stem, arguments->items[0]);
    enum wl_code code = wl_report_open(arguments->items[0], &report, error);
    if (!code && !options->overwrite && access(path, F_OK) == 0) {
        code = wl_error_set(error, WL_ERR_OUTPUT, "the file exists already (%s)", path);
        wl_error_set_hint(error, "--force-overwrite true replaces it");
    }
    if (!code)
        code = wl_export_trace(report, WL_TIMELINE_FORM_NSYS, path, error);
    if (!code)
        wl_console_say(console, "trace: %s", path);
    wl_report_close(report);
    free(path);
    return code;
}

static const struct wl_verb nsys_export = {
    .name = "nsys export",
    .usage = "nsys export [options] REPORT",
    .summary = "write a trace as the main tables of nsys's SQLite",
    .options_bytes = sizeof(struct export_options),
    .tables = wl_nsys_export_tables,
    .work = export_sqlite,
};

/* ---- the commands ---- */

#define SESSIONS                                                                              \
    "there are no sessions: `warplens trace PROGRAM` runs it and makes the report; --delay, " \
    "--duration, --capture-range and cudaProfilerStart choose the part that is recorded"

static int profile(size_t count, char **words);
static int analyze(size_t count, char **words);
static int tell_status(size_t count, char **words);

static const struct command {
    const char *word;
    const struct wl_verb *verb; /* NULL: refused */
    const char *text;           /* what is done, or why not */
    int (*run)(size_t count,
               char **words); /* what the verb has to be told besides; NULL: nothing */
} commands[] = {
    {"profile", &wl_verb_trace, "warplens trace", profile},
    {"stats", &wl_verb_stats, "warplens stats", NULL},
    {"export", &nsys_export, "warplens export --nsys-sqlite", NULL},
    {"analyze", &wl_verb_stats, "warplens stats with nsys's rules; --page advice has ours",
     analyze},
    {"nvprof", &wl_verb_nvprof, "warplens nvprof: nvprof's options and tables", NULL},
    {"status", &wl_verb_doctor, "warplens doctor", tell_status},
    {"launch", NULL, SESSIONS, NULL},
    {"start", NULL, SESSIONS, NULL},
    {"stop", NULL, SESSIONS, NULL},
    {"cancel", NULL, SESSIONS, NULL},
    {"shutdown", NULL, SESSIONS, NULL},
    {"sessions", NULL, SESSIONS, NULL},
    {"service", NULL, SESSIONS, NULL},
    {"recipe", NULL, "`warplens stats`, `warplens diff` and `warplens merge` do what recipes do",
     NULL},
    {"plugins", NULL, "there are no plug-ins", NULL},
};

const char *wl_nsys_command(const char *word, bool *is_done)
{
    for (size_t i = 0; i < WL_COUNT(commands); i++)
        if (strcmp(commands[i].word, word) == 0) {
            *is_done = commands[i].verb != NULL;
            return commands[i].text;
        }
    return NULL;
}

void wl_nsys_offer(struct wl_near *near)
{
    for (size_t i = 0; i < WL_COUNT(commands); i++)
        wl_near_offer(near, commands[i].word);
}

static const char rules[] = "--report=cuda_memcpy_async,cuda_memcpy_sync,cuda_memset_sync,"
                            "cuda_api_sync,gpu_gaps,gpu_time_util";

static void print_commands(void)
{
    puts("usage: warplens nsys COMMAND [options] ...\n  the commands of nsys\n");
    for (size_t i = 0; i < WL_COUNT(commands); i++)
        printf("  %-10s %s%s\n", commands[i].word,
               commands[i].verb ? "" : "not here: ", commands[i].text);
    puts("\n`warplens nsys COMMAND --help` lists its options.");
}

static int fail_unknown(const char *word)
{
    struct wl_console console;
    struct wl_error error = {0};
    struct wl_near near = {.word = word};
    struct wl_text names = {0};
    wl_console_init(&console);
    wl_nsys_offer(&near);
    wl_near_print(&near, "nsys ", &names);
    wl_error_set(&error, WL_ERR_USAGE, "nsys has no command %s", word);
    if (names.length)
        wl_error_set_hint(&error, "did you mean %s?", names.data);
    else
        wl_error_set_hint(&error, "to record a program: warplens nsys profile %s", word);
    wl_text_free(&names);
    return wl_console_fail(&console, &error);
}

static int refuse(const struct command *command)
{
    struct wl_console console;
    struct wl_error error = {0};
    wl_console_init(&console);
    wl_error_set(&error, WL_ERR_USAGE, "command %s of nsys is not supported", command->word);
    wl_error_set_hint(&error, "%s", command->text);
    return wl_console_fail(&console, &error);
}

/* "kernel:1000,sync" of --cudabacktrace, whose thresholds are none here: one word is that word,
 * several are all. */
static char *translate_stacks(const char *value)
{
    static const char *const pairs[][2] = {{"true", "all"}, {"false", "none"}};
    size_t length = strcspn(value, ":,");
    if (strchr(value, ','))
        return wl_string_copy("all");
    for (size_t i = 0; i < WL_COUNT(pairs); i++)
        if (strcmp(value, pairs[i][0]) == 0)
            return wl_string_copy(pairs[i][1]);
    return wl_string_copy_length(value, length);
}

static int profile(size_t count, char **words)
{
    static const char option[] = "--cudabacktrace";
    size_t length = sizeof option - 1, own = SIZE_MAX;
    char **all = wl_alloc_zero(count + 1, sizeof *all), *replaced = NULL; /* words change place */
    memcpy(all, words, count * sizeof *all);
    bool may_be_value = false; /* a word without dashes that is none is the program */
    for (size_t i = 0; i < count && own == SIZE_MAX; i++) {
        bool is_option = words[i][0] == '-' && strcmp(words[i], "--") != 0;
        if (!is_option && !may_be_value)
            break;
        bool has_value = is_option && strchr(words[i], '=');
        may_be_value = is_option && !has_value;
        if (!wl_text_starts(words[i], option) || words[i][length] != (has_value ? '=' : '\0'))
            continue;
        own = has_value ? i : i + 1;
        if (own < count) {
            char *value = translate_stacks(has_value ? words[i] + length + 1 : words[own]);
            replaced = has_value ? wl_string_format("%s=%s", option, value) : wl_string_copy(value);
            all[own] = replaced;
            free(value);
        }
    }
    int status = wl_verb_run(&wl_verb_trace, count, all);
    free(replaced);
    free(all);
    return status;
}

/* nsys status: what it is asked for (-e, -n, --all) is always told. */
static int tell_status(size_t count, char **words)
{
    static const char *const asked[] = {"-e", "-n", "-a", "--environment", "--network", "--all"};
    char **all = wl_alloc_zero(count + 1, sizeof *all);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_asked = false;
        for (size_t j = 0; j < WL_COUNT(asked); j++)
            is_asked |= strcmp(words[i], asked[j]) == 0;
        if (!is_asked)
            all[used++] = words[i];
    }
    int status = wl_verb_run(&wl_verb_doctor, used, all);
    free(all);
    return status;
}

/* nsys analyze without -r: all its rules. */
static int analyze(size_t count, char **words)
{
    bool has_rules = false;
    for (size_t i = 0; i < count; i++)
        has_rules |= wl_text_starts(words[i], "-r") || wl_text_starts(words[i], "--r") ||
                     wl_text_starts(words[i], "--help");
    char **all = wl_alloc_zero(count + 2, sizeof *all), *chosen = wl_string_copy(rules);
    size_t used = 0;
    if (!has_rules)
        all[used++] = chosen;
    for (size_t i = 0; i < count; i++)
        all[used++] = words[i];
    int status = wl_verb_run(&wl_verb_stats, used, all);
    free(chosen);
    free(all);
    return status;
}

static int nsys(size_t word_count, char **words)
{
    const char *word = word_count ? words[0] : "--help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_commands();
        return word_count ? WL_OK : WL_ERR_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0) {
        wl_help_version();
        return WL_OK;
    }
    for (size_t i = 0; i < WL_COUNT(commands); i++) {
        if (strcmp(commands[i].word, word) != 0)
            continue;
        if (!commands[i].verb)
            return refuse(&commands[i]);
        if (commands[i].run)
            return commands[i].run(word_count - 1, words + 1);
        return wl_verb_run(commands[i].verb, word_count - 1, words + 1);
    }
    return fail_unknown(word);
}

const struct wl_verb wl_verb_nsys = {
    .name = "nsys",
    .usage = "nsys COMMAND [options] ...",
    .summary = "the commands of nsys: profile, stats, export, analyze",
    .run = nsys,
};
