/* `warplens stats REPORT`: tables of a trace, in the forms and by the options of `nsys stats`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "cmd/nsys.h"
#include "cmd/verbs.h"
#include "report/tables.h"
#include "show/page/table_forms.h"

struct options {
    struct wl_general_options general;
    struct wl_text tables, forms; /* ',' between */
    struct wl_text outputs;
    bool overwrite, lists_tables, lists_forms;
    int time_unit;
};

#define STATS(field, ...) WL_ROW(struct options, field, __VA_ARGS__)
#define TOOL "nsys"
#define REFUSED(spelled, why)                                                     \
    {                                                                             \
        .name = (spelled), .kind = WL_OPTION_REFUSED, .help = (why), .tool = TOOL \
    }
#define ACCEPTED(spelled, values, why)                                                      \
    {                                                                                       \
        .name = (spelled), .kind = WL_OPTION_ACCEPTED, .argument = (values), .help = (why), \
        .tool = TOOL                                                                        \
    }
#define PARTS "a whole trace is shown; record a part of it: --delay, --duration, --capture-range"

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("STATS"),
    STATS(tables, COMMAS, "report", 'r', "NAMES",
          "these tables, ',' between; NAME:base: kernels without types; default: summaries that "
          "have rows"),
    STATS(forms, COMMAS, "format", 'f', WL_TABLE_FORM_WORDS,
          "format of each table, ',' between; the last is that of all that follow; default: "
          "column, and csv for a file"),
    STATS(outputs, COMMAS, "output", 'o', "BASE",
          "write files BASE_TABLE.csv; '-' (default): to stdout; '.': beside the report"),
    STATS(time_unit, CHOICE, "timeunit", 0,
          WL_TABLE_TIME_WORDS "|nanoseconds|microseconds|"
                              "milliseconds|seconds",
          "unit of times; default: nsec"),
    /* -f is the format */
    STATS(overwrite, CONFIRM, "force-overwrite", 0, "true|false", "replace existing files"),
    STATS(lists_tables, FLAG, "help-reports", 0, NULL, "list the tables and exit"),
    STATS(lists_forms, FLAG, "help-formats", 0, NULL, "list the formats and exit"),
    STATS(overwrite, CONFIRM, "force-overwrite-output", 0, "true|false", NULL),
    WL_ROWS_END,
};

static const struct wl_option nsys_rows[] = {
    ACCEPTED("force-export", "true|false", "tables are read from the report itself"),
    ACCEPTED("sqlite", "FILE", "tables are read from the report itself"),
    ACCEPTED("report-dir", "FOLDER", "the tables are part of warplens"),
    ACCEPTED("hints", "true|false", "a table without rows says so"),
    REFUSED("filter-time", PARTS),
    REFUSED("filter-nvtx", PARTS),
    REFUSED("timeunits", "its name is --timeunit"),
    WL_ROWS_END,
};

const struct wl_option_table wl_stats_tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    {nsys_rows, 0, 0},
    WL_TABLES_END,
};

/* The words of lists with ',' between; the last one goes on. */
static char *word_of(const struct wl_text *list, size_t index)
{
    const char *at = list->data, *last = at;
    for (; at && *at; index--) {
        last = at;
        if (!index)
            break;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return last ? wl_string_copy_length(last, strcspn(last, ",")) : NULL;
}

static enum wl_code find_form(const struct options *options, size_t index, bool is_file,
                              enum wl_table_form *form, struct wl_error *error)
{
    char *word = word_of(&options->forms, index);
    size_t length = word ? strcspn(word, ":") : 0; /* arguments of forms follow */
    enum wl_code code = WL_OK;
    int found = is_file ? WL_TABLE_FORM_CSV : WL_TABLE_FORM_COLUMN;
    if (word) {
        word[length] = '\0';
        found = wl_option_find_word(WL_TABLE_FORM_WORDS, word);
    }
    if (found < 0) {
        code = wl_error_set(error, WL_ERR_USAGE, "there is no format %s", word);
        wl_error_set_hint(error, "there are " WL_TABLE_FORM_WORDS);
    }
    *form = found < 0 ? WL_TABLE_FORM_COLUMN : (enum wl_table_form)found;
    free(word);
    return code;
}

/* NAME, NAME:base */
static enum wl_code find_table(const char *word, struct wl_table_request *request,
                               struct wl_error *error)
{
    size_t length = strcspn(word, ":");
    char *name = wl_string_copy_length(word, length);
    const char *rest = word[length] ? word + length + 1 : "";
    enum wl_code code = wl_timeline_table_find(name, &request->table, error);
    request->has_bases = strcmp(rest, "base") == 0;
    if (!code && *rest && !request->has_bases) {
        code = wl_error_set(error, WL_ERR_USAGE, "table %s has no argument '%s'", name, rest);
        wl_error_set_hint(error, "there is %s:base", name);
    }
    free(name);
    return code;
}

static enum wl_code write_file(const char *path, bool overwrite, const struct wl_text *text,
                               struct wl_error *error)
{
    if (!overwrite && access(path, F_OK) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "the file exists already (%s)", path);
        return wl_error_set_hint(error, "--force-overwrite true replaces it");
    }
    FILE *file = fopen(path, "w");
    bool is_bad =
        !file || fwrite(text->data ? text->data : "", 1, text->length, file) != text->length;
    if (file)
        is_bad |= fclose(file) != 0;
    return is_bad ? wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", path, strerror(errno))
                  : WL_OK;
}

/* The report's name without what says its format. */
static size_t stem_length(const char *path)
{
    static const char *const suffixes[] = {".wlr", ".nsys-rep", ".qdrep", ".sqlite"};
    size_t length = strlen(path);
    for (size_t i = 0; i < WL_COUNT(suffixes); i++) {
        size_t suffix = strlen(suffixes[i]);
        if (length > suffix && strcmp(path + length - suffix, suffixes[i]) == 0)
            return length - suffix;
    }
    return length;
}

/* BASE of "BASE_TABLE.csv": as given, or the report's. */
static char *make_path(const char *output, const char *report_path,
                       const struct wl_table_request *request)
{
    bool is_beside = strcmp(output, ".") == 0;
    const char *base = is_beside ? report_path : output;
    size_t length = is_beside ? stem_length(base) : strlen(base);
    return wl_string_format("%.*s_%s.%s", (int)length, base, request->table->name,
                            wl_table_form_suffix(request->form));
}

static enum wl_code put_table(const struct options *options, struct wl_report *report,
                              const char *report_path, const char *word, size_t index,
                              bool skips_empty, const struct wl_console *console,
                              struct wl_error *error)
{
    char *output = word_of(&options->outputs, index);
    bool is_file = output && strcmp(output, "-") != 0;
    struct wl_table_request request = {.time_unit = options->time_unit % 4,
                                       .has_title = !is_file,
                                       .width = is_file ? 0 : wl_console_width(console->pages)};
    struct wl_text text = {0};
    size_t row_count = 0;
    enum wl_code code = find_table(word, &request, error);
    if (!code)
        code = find_form(options, index, is_file, &request.form, error);
    if (!code && output && *output == '@') {
        code = wl_error_set(error, WL_ERR_USAGE, "no program is started for a table");
        wl_error_set_hint(error, "warplens stats ... | %s", output + 1);
    }
    if (!code)
        code = wl_table_form_print(report, &request, &row_count, &text, error);
    if (code || (skips_empty && !row_count))
        goto out;
    if (is_file) {
        char *path = make_path(output, report_path, &request);
        code = write_file(path, options->overwrite, &text, error);
        if (!code)
            wl_console_say(console, "%s: %s", request.table->name, path);
        free(path);
    } else {
        bool is_text = request.form == WL_TABLE_FORM_COLUMN || request.form == WL_TABLE_FORM_TABLE;
        fprintf(console->pages, "%s\n", text.data ? text.data : "");
        if (is_text && !row_count)
            fprintf(console->pages, " no rows: the trace has no such events\n\n");
        else if (is_text && request.table->is_of_device && wl_report_is_simulated(report))
            fprintf(console->pages, " Times of the GPU are predicted: those of the simulated "
                                    "clock.\n\n");
    }
out:
    free(output);
    wl_text_free(&text);
    return code;
}

static enum wl_code put_tables(const struct options *options, struct wl_report *report,
                               const char *path, const struct wl_console *console,
                               struct wl_error *error)
{
    enum wl_code code = WL_OK;
    size_t index = 0;
    const char *at = options->tables.length ? options->tables.data : NULL;
    if (!at) {
        const struct wl_timeline_table *table = NULL;
        while (!code && (table = wl_timeline_table_next(table)))
            if (table->is_summary)
                code = put_table(options, report, path, table->name, 0, true, console, error);
    }
    for (; at && *at && !code; index++) {
        char *word = wl_string_copy_length(at, strcspn(at, ","));
        code = put_table(options, report, path, word, index, false, console, error);
        at += strlen(word);
        at += *at == ',';
        free(word);
    }
    return code;
}

static void list_tables(const struct wl_console *console)
{
    const struct wl_timeline_table *table = NULL;
    while ((table = wl_timeline_table_next(table)))
        fprintf(console->pages, "  %-24s %s\n", table->name, table->help);
    for (const struct wl_table_refusal *row = wl_table_refusals; row->name; row++)
        fprintf(console->pages, "  %-24s not here: %s\n", row->name, row->why);
}

static enum wl_code stats(void *given, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct wl_report *report = NULL;
    if (options->lists_tables)
        list_tables(console);
    if (options->lists_forms)
        fprintf(console->pages, "%s\n", WL_TABLE_FORM_WORDS);
    if (options->lists_tables || options->lists_forms)
        return WL_OK;
    if (arguments->count != 1) {
        wl_error_set(error, WL_ERR_USAGE, "stats takes one report, not %zu", arguments->count);
        return wl_error_set_hint(error, "warplens stats -r cuda_gpu_kern_sum REPORT.wlr");
    }
    enum wl_code code = wl_report_open(arguments->items[0], &report, error);
    if (code)
        return code;
    if (!wl_report_event_count(report)) {
        code = wl_error_set(error, WL_ERR_NOTHING, "the report holds no trace (%s)",
                            arguments->items[0]);
        wl_error_set_hint(error, "`warplens trace PROGRAM` makes one");
    } else {
        code = put_tables(options, report, arguments->items[0], console, error);
    }
    wl_report_close(report);
    return code;
}

const struct wl_verb wl_verb_stats = {
    .name = "stats",
    .usage = "stats [options] REPORT",
    .summary = "print tables of a trace, as `nsys stats` does",
    .options_bytes = sizeof(struct options),
    .tables = wl_stats_tables,
    .work = stats,
};
