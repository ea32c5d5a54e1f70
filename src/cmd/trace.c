/* `warplens trace PROGRAM`: events of a program on a timeline. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/acc_time.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/launch.h"
#include "cmd/pages.h"
#include "cmd/program.h"
#include "cmd/recording_cost.h"
#include "cmd/tell.h"
#include "cmd/trace.h"
#include "cmd/verbs.h"
#include "record/traced.h"
#include "report/report.h"
#include "report/tables.h"
#include "show/page/timeline_tables.h"
#include "timeline/record.h"

/* Seconds with decimals, as milliseconds; of no text 0. */
static enum wl_code read_seconds(const char *option, const char *text, uint64_t *ms,
                                 struct wl_error *error)
{
    char *end = NULL;
    *ms = 0;
    if (!text)
        return WL_OK;
    double seconds = strtod(text, &end);
    if (*text < '0' || *text > '9' || *end || seconds > 1e9)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s takes seconds, not '%s'", option,
                            text);
    *ms = (uint64_t)(seconds * 1000 + 0.5);
    return WL_OK;
}

static void replace(char **field, const char *text)
{
    free(*field);
    *field = wl_string_copy(text);
}

static enum wl_code choose_range(const struct wl_command *command, struct wl_settings *settings,
                                 struct wl_error *error)
{
    settings->trace_range = (enum wl_capture_range)command->capture_range;
    bool is_nvtx = settings->trace_range == WL_CAPTURE_NVTX;
    if (is_nvtx && !command->nvtx_capture) {
        wl_error_set(error, WL_ERR_USAGE, "--capture-range nvtx needs the range");
        return wl_error_set_hint(error, "--nvtx-capture RANGE, or RANGE@DOMAIN");
    }
    if (!is_nvtx && command->nvtx_capture)
        return wl_error_set(error, WL_ERR_USAGE, "--nvtx-capture needs --capture-range nvtx");
    if (is_nvtx)
        replace(&settings->trace_range_name, command->nvtx_capture);
    return WL_OK;
}

static enum wl_code choose(struct wl_launch_run *run, struct wl_error *error)
{
    const struct wl_command *command = run->command;
    const char *traced = command->traced.length ? command->traced.data : WL_TRACED_DEFAULT;
    struct wl_settings *settings = &run->settings;
    uint64_t categories = 0;
    enum wl_code code = wl_launch_choose(run, error);
    if (!code)
        code = wl_traced_parse(traced, &categories, error);
    if (!code)
        code = read_seconds("delay", command->trace_delay, &settings->trace_delay_ms, error);
    if (!code)
        code =
            read_seconds("duration", command->trace_duration, &settings->trace_duration_ms, error);
    if (!code)
        code = choose_range(command, settings, error);
    settings->trace_kernels = command->kernel_count;
    settings->trace_stacks = (enum wl_stacks)command->trace_stacks;
    if (code)
        return code;
    replace(&settings->trace, traced);
    bool has_records =
        settings->collector == WL_SOURCE_HARDWARE && categories & UINT64_C(1) << WL_TIMELINE_KERNEL;
    if (has_records)
        settings->trace_launch_ns = wl_recording_cost_ns(&run->machine, settings->cupti_library);
    return WL_OK;
}

/* Mistakes in names of tables are found before a long run. */
static enum wl_code check_tables(const struct wl_command *command, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (const char *name = command->tables.data; name && *name && !code;) {
        const struct wl_timeline_table *table;
        size_t length = strcspn(name, ",");
        char *word = wl_string_copy_length(name, length);
        code = wl_timeline_table_find(word, &table, error);
        free(word);
        name += length + (name[length] == ',');
    }
    return code;
}

static void tell_notes(struct wl_report *report, const struct wl_console *console)
{
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    for (size_t i = 0; i < count; i++)
        if (notes[i].record.severity != WL_NOTE_INFO)
            wl_console_warn(console, notes[i].record.hint[0] ? notes[i].record.hint : NULL, "%s",
                            notes[i].record.text);
}

static enum wl_code fail_empty(struct wl_error *error)
{
    wl_error_set(error, WL_ERR_NOTHING, "nothing was recorded");
    error->where[0] = '\0';
    return wl_error_set_hint(error,
                             "the program called nothing of what was asked for, or not while "
                             "it was recorded");
}

/* Not of each of many ranks: what holds the program back is seen in all of them together. */
static enum wl_code print_findings(const struct wl_launch_run *run, struct wl_report *report,
                                   struct wl_error *error)
{
    struct wl_command command = *run->command; /* borrows its texts */
    if (run->console->is_quiet || wl_rank_is_of_many(&run->rank))
        return WL_OK;
    command.page = WL_PAGE_ADVICE;
    return wl_pages_print(report, run->report_path, &command, run->console, error);
}

static enum wl_code print_tables(const struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_report *report = NULL;
    const struct wl_command *command = run->command;
    enum wl_view_format format = command->csv    ? WL_FORMAT_CSV
                                 : command->json ? WL_FORMAT_JSON
                                                 : WL_FORMAT_TEXT;
    enum wl_code code = wl_report_open(run->report_path, &report, error);
    if (code)
        return code;
    uint64_t events = wl_report_event_count(report);
    tell_notes(report, run->console);
    bool wants_acc_time = wl_acc_time_is_wanted(command);
    if (!events) {
        code = fail_empty(error);
    } else if (wants_acc_time && !command->tables.length && !command->wants_stats) {
        code = wl_acc_time_print(report, command, run->console, error);
    } else if (command->tables.length || command->wants_stats) {
        code = wl_view_trace_tables(report, command->tables.length ? command->tables.data : NULL,
                                    format, run->console->pages, error);
        if (!code && wants_acc_time)
            code = wl_acc_time_print(report, command, run->console, error);
    } else {
        code = print_findings(run, report, error);
        wl_console_say(run->console, "%llu events; tables of them: warplens show %s --report all",
                       (unsigned long long)events, run->report_path);
    }
    wl_report_close(report);
    return code;
}

enum wl_code wl_timeline_record(struct wl_launch_run *run, bool *has_report, struct wl_error *error)
{
    *has_report = false;
    enum wl_code code = choose(run, error);
    if (!code)
        code = wl_launch_prepare(run, error);
    if (!code)
        code = wl_launch_execute(run, error);
    if (code)
        return code;
    wl_tell_ending(run);
    bool is_recorded = wl_launch_is_recorded(run);
    code = is_recorded ? wl_launch_record(run, error) : wl_folder_remove(run->stream_folder, error);
    *has_report = is_recorded && code == WL_OK;
    return code == WL_ERR_NOTHING ? fail_empty(error) : code;
}

static enum wl_code trace(const struct wl_command *command, const struct wl_arguments *program,
                          const struct wl_console *console, struct wl_error *error)
{
    struct wl_launch_run run = {.command = command, .console = console, .program = program};
    bool has_report = false;
    enum wl_code code = check_tables(command, error);
    if (!code)
        code = wl_timeline_record(&run, &has_report, error);
    if (has_report)
        code = print_tables(&run, error);
    if (has_report)
        wl_tell_report(&run);
    if (run.ending.exit_code && code == WL_OK) {
        code = wl_error_set(error, WL_ERR_PROGRAM,
                            "the program failed; the report holds what it did up to there");
        wl_error_set_where(error, "%s", program->items[0]);
    }
    wl_launch_free(&run);
    return code;
}

static enum wl_code run(struct wl_command *command, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    if (wl_verb_need_program(program, "warplens trace [options] ./app arguments", error))
        return WL_ERR_USAGE;
    return trace(command, program, console, error);
}

const struct wl_verb wl_verb_trace = {
    .name = "trace",
    .usage = "trace [options] PROGRAM [ARGUMENTS]",
    .summary = "run a program and record calls, kernels, copies and ranges on a timeline",
    .tables = wl_timeline_options,
    .words = WL_WORDS_PROGRAM,
    .work = run,
};
