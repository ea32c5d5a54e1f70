/* `warplens check-memory`: runs the program with all checks on and prints what they found, in the
 * form that compute-sanitizer made known. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/near.h"
#include "cmd/outcome.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "run/hardware.h"
#include "run/launch.h"
#include "sim/finding.h"

static const char bar[] = "=========";

struct options {
    struct wl_general_options general;
    struct wl_report_options report;
    struct wl_settings settings;
    struct wl_text tools;
    uint64_t error_exitcode, print_limit;
    bool is_kept; /* --save was given */
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("CHECKS"),
    WL_ROW(struct options, tools, COMMAS, "tool", 0, "NAMES",
           "memcheck, racecheck, initcheck, synccheck, ',' between; default: all of them"),
    WL_ROW(struct options, error_exitcode, NUMBER, "error-exitcode", 0, "N",
           "exit status if errors were found; default: 1"),
    WL_ROW(struct options, print_limit, NUMBER, "print-limit", 0, "N",
           "print no more than N errors, 0: all; default: 100"),
    WL_ROW(struct options, report.path, TEXT, "save", 0, "FILE",
           "keep the report of the run (.wlr is added)"),
    WL_OVERWRITE_ROW(struct options, report.overwrite, "replace an existing report"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_SETTINGS_TABLE(struct options, WL_SETTINGS_CHECKS),
    WL_SETTINGS_TABLE(struct options, WL_SETTINGS_GPU),
    WL_SETTINGS_TABLE(struct options, WL_SETTINGS_LAUNCHES | WL_SETTINGS_FILTERS),
    {wl_always_rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* ---- the tools ---- */

enum { MEMCHECK = 1, RACECHECK = 2, INITCHECK = 4, SYNCCHECK = 8, ALL_TOOLS = 15 };

static const struct tool {
    const char *name;
    unsigned bit;
} tools[] = {
    {"memcheck", MEMCHECK},   {"racecheck", RACECHECK}, {"initcheck", INITCHECK},
    {"synccheck", SYNCCHECK}, {"all", ALL_TOOLS},
};
enum { TOOL_COUNT = WL_COUNT(tools) };

static unsigned tool_of_name(const char *name)
{
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tools[i].name, name) == 0)
            return tools[i].bit;
    return 0;
}

/* Notes that begin with a number of errors which have none of their own. */
static bool stands_for_many(const char *code)
{
    return strcmp(code, "leaks-left-out") == 0 || strcmp(code, "api-errors-left-out") == 0;
}

/* The tool that makes notes with this code; 0: none. */
static unsigned tool_of_code(const char *code)
{
    for (int i = 0; i < WL_FINDING_KIND_COUNT; i++)
        if (strcmp(wl_finding_rows[i].code, code) == 0)
            return tool_of_name(wl_finding_rows[i].tool);
    if (strcmp(code, "uninitialised-copy") == 0)
        return INITCHECK;
    if (strcmp(code, "findings-left-out") == 0)
        return ALL_TOOLS;
    return strcmp(code, "leak") == 0 || strcmp(code, "api-error") == 0 || stands_for_many(code)
               ? MEMCHECK
               : 0;
}

static enum wl_code choose_tools(const struct options *options, unsigned *chosen,
                                 struct wl_error *error)
{
    char *names = wl_string_copy(options->tools.data ? options->tools.data : "all"), *rest = names;
    enum wl_code code = WL_OK;
    *chosen = 0;
    for (char *name; !code && (name = strsep(&rest, ","));) {
        unsigned tool = tool_of_name(name);
        *chosen |= tool;
        if (tool)
            continue;
        struct wl_near near = {.word = name};
        struct wl_text nearest = {0};
        for (size_t i = 0; i < TOOL_COUNT; i++)
            wl_near_offer(&near, tools[i].name);
        wl_near_print(&near, "", &nearest);
        code = wl_error_set(error, WL_ERR_USAGE, "there is no tool %s", name);
        wl_error_set_hint(error, nearest.length ? "did you mean %s?" : "%s",
                          nearest.length ? nearest.data
                                         : "memcheck, racecheck, initcheck, synccheck or all");
        wl_text_free(&nearest);
    }
    free(names);
    return code;
}

/* ---- printing ---- */

struct result {
    const struct options *options;
    const struct wl_console *console;
    unsigned tools;
    char *ending; /* "Program was ended by signal 11 ...", or NULL */
    uint64_t errors, warnings, printed;
};

static bool may_print(struct result *result)
{
    return !result->options->print_limit || result->printed++ < result->options->print_limit;
}

/* Parts with "; " between, a line each, the first as a headline. */
static void print_parts(const struct result *result, const char *headline, const char *text)
{
    wl_console_print(result->console, "%s %s", bar, headline);
    for (const char *part = text; *part;) {
        const char *end = strstr(part, "; ");
        size_t length = end ? (size_t)(end - part) : strlen(part);
        if (part != text)
            wl_console_print(result->console, "%s     ", bar);
        wl_console_print(result->console, "%.*s\n", (int)length, part);
        part += length + (end ? strlen("; ") : 0);
    }
}

static void print_note(struct result *result, const struct wl_record_note *note)
{
    bool is_error = note->severity == WL_NOTE_ERROR;
    if (!(tool_of_code(note->code) & result->tools))
        return;
    result->errors += stands_for_many(note->code) ? strtoull(note->text, NULL, 10) : is_error;
    result->warnings += !is_error;
    if (!may_print(result) && strcmp(note->code, "findings-left-out") != 0)
        return;
    print_parts(result, is_error ? "" : "Warning: ", note->text);
    if (*note->hint)
        wl_console_print(result->console, "%s     (%s)\n", bar, note->hint);
    wl_console_print(result->console, "%s\n", bar);
}

static bool is_stop(const struct wl_record_launch *launch)
{
    static const char beginning[] = "stopped at the first error";
    return strncmp(launch->message, beginning, strlen(beginning)) == 0;
}

static void print_failure(struct result *result, const struct wl_report_launch *launch)
{
    if (launch->record.status != WL_LAUNCH_FAILED || is_stop(&launch->record))
        return;
    result->errors++;
    if (!may_print(result))
        return;
    char *headline = wl_string_format(
        "Launch of %s failed, ", launch->kernel ? launch->kernel->record.demangled : "a kernel");
    print_parts(result, headline, launch->record.message);
    wl_console_print(result->console, "%s\n", bar);
    free(headline);
}

static void print_notes_of(struct result *result, struct wl_report *report, int64_t launch_key)
{
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    for (size_t i = 0; i < count; i++)
        if (notes[i].launch_key == launch_key)
            print_note(result, &notes[i].record);
}

static void print_number(const struct result *result, uint64_t number, const char *unit)
{
    wl_console_print(result->console, "%llu %s%s", (unsigned long long)number, unit,
                     number == 1 ? "" : "s");
}

static void print_summary(const struct result *result)
{
    wl_console_print(result->console, "%s ERROR SUMMARY: ", bar);
    print_number(result, result->errors, "error");
    if (result->warnings) {
        fputs(", ", result->console->pages);
        print_number(result, result->warnings, "warning");
    }
    if (result->options->print_limit && result->printed > result->options->print_limit)
        wl_console_print(result->console, " (%llu shown: --print-limit)",
                         (unsigned long long)result->options->print_limit);
    fputc('\n', result->console->pages);
}

static void print_ending(struct result *result)
{
    if (!result->ending)
        return;
    result->errors++;
    if (!may_print(result))
        return;
    print_parts(result, "", result->ending);
    wl_console_print(result->console, "%s\n", bar);
}

/* Whether launches may have been left out. */
static bool chooses_launches(const struct wl_settings *settings)
{
    return *settings->kernel_name || *settings->kernel_id || settings->launch_skip ||
           settings->launch_count || settings->launch_skip_before_match ||
           !settings->profile_from_start || *settings->nvtx_include || *settings->nvtx_exclude ||
           *settings->ranks;
}

static enum wl_code print_report(struct result *result, const char *path, struct wl_error *error)
{
    struct wl_report *report = NULL;
    size_t count = 0;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    wl_console_print(result->console, "%s WARPLENS CHECK-MEMORY\n", bar);
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count; i++) {
        print_notes_of(result, report, launches[i].key);
        print_failure(result, &launches[i]);
    }
    print_notes_of(result, report, -1);
    print_ending(result);
    print_summary(result);
    wl_report_close(report);
    if (count || result->errors || !chooses_launches(&result->options->settings))
        return WL_OK;
    return wl_error_set(error, WL_ERR_NOTHING,
                        "no kernel launch was selected, so nothing was checked");
}

/* ---- the run ---- */

/* A signal is an error, whatever else there is to print. */
static void describe_ending(const struct wl_launch_run *run, struct result *result)
{
    if (!run->ending.signal)
        return;
    char *place = wl_outcome_running(run);
    result->ending = wl_string_format("Program was ended by signal %d (%s)%s", run->ending.signal,
                                      strsignal(run->ending.signal), place);
    free(place);
}

/* Where the program could not write what it did, there may be more errors than were found. */
static enum wl_code tell_trouble(const struct wl_launch_run *run, const struct result *result,
                                 enum wl_code code, struct wl_error *error)
{
    static const char text[] =
        "not all that the program did is recorded, so errors may be missing: %s";
    const char *trouble = run->running.trouble;
    if (!trouble || !*trouble)
        return code;
    if (!result->errors)
        return wl_error_set(error, WL_ERR_OUTPUT, text, trouble);
    wl_messages_warn(&run->messages, NULL, text, trouble);
    return code;
}

/* Runs the program and prints what was found. Errors: those of wl_launch_*, WL_ERR_PROGRAM. */
static enum wl_code run_program(struct wl_launch_run *run, struct result *result,
                                struct wl_error *error)
{
    enum wl_code code = wl_launch_choose(run, error);
    if (!code)
        code = wl_launch_prepare(run, error);
    if (!code)
        code = wl_launch_execute(run, error);
    if (code)
        return code;
    describe_ending(run, result);
    bool is_recorded = wl_launch_is_recorded(run);
    code = is_recorded ? wl_launch_record(run, error) : wl_folder_remove(run->stream_folder, error);
    if (code && code != WL_ERR_NOTHING && !result->options->is_kept)
        wl_error_set_hint(error,
                          "make room, or set TMPDIR to a folder that has some: without --save "
                          "nothing of the run is kept");
    if (code == WL_ERR_NOTHING) { /* nor was anything found outside launches */
        wl_console_print(result->console, "%s WARPLENS CHECK-MEMORY\n", bar);
        print_ending(result);
        print_summary(result);
        code = WL_OK;
    } else if (!code && is_recorded)
        code = print_report(result, run->report_path, error);
    if (!code || code == WL_ERR_NOTHING)
        code = tell_trouble(run, result, code, error);
    if ((!code || code == WL_ERR_NOTHING) && run->ending.exit_code && !result->errors)
        code = wl_error_set(error, WL_ERR_PROGRAM, "the program ended with exit code %d",
                            run->ending.exit_code);
    return code;
}

static void choose_checks(struct wl_settings *settings, unsigned tools)
{
    settings->collector = WL_COLLECTOR_SIM; /* only there every access is seen */
    settings->check_memory = tools & MEMCHECK;
    settings->check_race = tools & RACECHECK;
    settings->check_init = tools & INITCHECK;
    settings->check_sync = tools & SYNCCHECK;
    settings->check_leaks = settings->check_leaks && tools & MEMCHECK;
}

/* Without --save the report lives as long as the run. */
static enum wl_code check(struct options *options, const struct wl_arguments *program,
                          const struct wl_console *console, struct wl_error *error)
{
    static const struct wl_metric_options metrics = {0};
    static const struct wl_measure_options measure = {0};
    const struct wl_run_request request = {.settings = &options->settings,
                                           .report = &options->report,
                                           .metrics = &metrics,
                                           .measure = &measure};
    char *folder = NULL, *path = NULL;
    struct wl_launch_run run = {
        .request = &request, .messages = wl_console_messages(console), .program = program};
    struct result result = {.options = options, .console = console};
    enum wl_code code = choose_tools(options, &result.tools, error);
    if (code)
        goto out;
    choose_checks(&options->settings, result.tools);
    options->is_kept = options->report.import_source = options->report.path != NULL;
    if (!options->report.path) {
        code = wl_folder_create_temporary("warplens-check", &folder, error);
        if (code)
            goto out;
        path = wl_string_format("%s/check.wlr", folder);
        options->report.path = path;
        options->settings.predict_time = false; /* nobody reads what a launch takes */
    }
    code = run_program(&run, &result, error);
    if (!code && result.errors)
        options->general.found_status = (int)options->error_exitcode;
    wl_launch_free(&run);
    free(result.ending);
out:
    if (path)
        wl_folder_remove(folder, NULL);
    free(path);
    free(folder);
    return code;
}

static enum wl_code run(void *given, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    struct options *options = given;
    if (wl_verb_need_program(program, "warplens check-memory [options] ./app arguments", error))
        return WL_ERR_USAGE;
    if (options->error_exitcode > 255)
        return wl_error_set(error, WL_ERR_USAGE, "option --error-exitcode takes 0 to 255, not %llu",
                            (unsigned long long)options->error_exitcode);
    return check(options, program, console, error);
}

static void init(void *given)
{
    struct options *options = given;
    options->error_exitcode = 1;
    options->print_limit = 100;
    wl_settings_init_unchosen(&options->settings);
}

static void release(void *given)
{
    struct options *options = given;
    wl_settings_free(&options->settings);
}

const struct wl_verb wl_verb_check_memory = {
    .name = "check-memory",
    .usage = "check-memory [options] PROGRAM [ARGUMENTS]",
    .summary = "run a CUDA program and check it for memory errors, races and misused barriers",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .words = WL_WORDS_PROGRAM,
    .init = init,
    .release = release,
    .work = run,
};
