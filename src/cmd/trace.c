/* `warplens trace PROGRAM`: events of a program on a timeline. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/acc_time.h"
#include "cmd/console.h"
#include "cmd/outcome.h"
#include "cmd/pages.h"
#include "cmd/trace_forms.h"
#include "cmd/tracing.h"
#include "cmd/verbs.h"
#include "record/traced.h"
#include "report/report.h"
#include "report/tables.h"
#include "run/launch.h"
#include "run/program.h"
#include "run/recording_cost.h"
#include "show/page/acc_notify.h"
#include "show/page/timeline_tables.h"
#include "timeline/record.h"
#include "timeline/timeline.h"

#define TRACE(field, ...) WL_ROW(struct wl_tracing_options, field, __VA_ARGS__)

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("TRACE"),
    TRACE(report.path, TEXT, "output", 'o', "FILE", WL_REPORT_PATH_HELP),
    WL_OVERWRITE_ROW(struct wl_tracing_options, report.overwrite, "overwrite an existing report"),
    TRACE(wants_stats, SWITCH, "stats", 0, "true|false",
          "print the summary tables when the program has ended"),
    TRACE(tables, COMMAS, "report", 'r', "NAMES",
          "print these tables, ',' between: cuda_api_sum, cuda_gpu_trace, …"),
    TRACE(forms, COMMAS, "export", 0, "sqlite|chrome|perfetto|speedscope|folded|pprof|none",
          "write the trace beside the report too, ',' between; sqlite: the main tables of "
          "`nsys export --type sqlite`"),
    TRACE(wants_acc_time, FLAG, "acc-time", 0, NULL,
          "print the times of OpenACC regions by line; also with WARPLENS_ACC_TIME=1 in the "
          "environment"),
    TRACE(pages.csv, FLAG, "csv", 0, NULL, "tables as CSV"),
    TRACE(pages.json, FLAG, "json", 0, NULL, "tables as JSON"),
    WL_ROWS_END,
};

static const struct wl_option program_rows[] = {
    WL_ROWS_HEADING("PROGRAM"),
    TRACE(shows_output, SWITCH, "show-output", 'w', "true|false",
          "false: what the program prints to stdout is discarded"),
    TRACE(inherits_environment, SWITCH, "inherit-environment", 'n', "true|false",
          "false: the program's environment is PATH and what --env-var sets"),
    TRACE(variables, COMMAS, "env-var", 'e', "A=B,C=D", "set these in the program's environment"),
    WL_ROWS_END,
};

static const struct wl_option sampling_rows[] = {
    WL_ROWS_HEADING("PROCESSOR"),
    TRACE(
        sample, CHOICE, "sample", 's', WL_SAMPLED_WORDS,
        "sample what the program's threads execute on the processors (perf_event_open), by function and "
        "line: tables cpu_sample_sum and cpu_sample_line_sum, folded stacks and pprof"),
    TRACE(cpu_switches, CHOICE, "cpuctxsw", 0, WL_SAMPLED_WORDS,
          "count context switches of each thread: table cpu_ctxsw_sum"),
    TRACE(sampling_frequency_hz, NUMBER32, "sampling-frequency", 0, "HZ",
          "samples of --sample per second and thread, 100 to 8000; default: 1000"),
    TRACE(backtrace, CHOICE, "backtrace", 'b', "none|auto|fp|lbr|dwarf",
          "call stacks of samples: none, or by frame pointers (-fno-omit-frame-pointer), whichever "
          "else is named"),
    WL_ROWS_END,
};

static const struct wl_option openacc_rows[] = {
    WL_ROWS_HEADING("OPENACC"),
    WL_COMPILER_LOG_ROW(struct wl_tracing_options, compiler_log),
    WL_ROWS_END,
};

const struct wl_option_table wl_tracing_tables[] = {
    {rows, 0, 0},
    WL_SETTINGS_TABLE(struct wl_tracing_options, WL_SETTINGS_TRACE),
    {program_rows, 0, 0},
    {sampling_rows, 0, 0},
    {openacc_rows, 0, 0},
    WL_SETTINGS_TABLE(struct wl_tracing_options, WL_SETTINGS_GPU),
    WL_TABLE(struct wl_tracing_options, general, wl_general_rows),
    {wl_nsys_rows, 0, 0},
    WL_TABLES_END,
};

void wl_tracing_init(void *options)
{
    struct wl_tracing_options *trace = options;
    trace->report.import_source = true;
    trace->backtrace = 1;
    trace->sampling_frequency_hz = 1000;
    trace->shows_output = trace->inherits_environment = true;
    wl_settings_init_unchosen(&trace->settings);
    wl_page_options_init(&trace->pages);
}

void wl_tracing_release(void *options)
{
    struct wl_tracing_options *trace = options;
    wl_settings_free(&trace->settings);
}

static enum wl_code check_range(const struct wl_settings *settings, struct wl_error *error)
{
    bool is_nvtx = settings->trace_range == WL_CAPTURE_NVTX;
    if (is_nvtx && !settings->trace_range_name[0]) {
        wl_error_set(error, WL_ERR_USAGE, "--capture-range nvtx needs the range");
        return wl_error_set_hint(error, "--nvtx-capture RANGE, or RANGE@DOMAIN");
    }
    if (!is_nvtx && settings->trace_range_name[0])
        return wl_error_set(error, WL_ERR_USAGE, "--nvtx-capture needs --capture-range nvtx");
    return WL_OK;
}

/* Names of other tools do not end a run that has something to record. */
static void warn_unknown(const struct wl_launch_run *run)
{
    struct wl_text unknown = {0}, known = {0};
    wl_traced_list_unknown(run->settings.trace, &unknown);
    wl_traced_list_known(&known);
    char *hint = wl_string_format("what can be: %s", known.data);
    if (unknown.length)
        wl_messages_warn(&run->messages, hint, "not recorded: %s", unknown.data);
    free(hint);
    wl_text_free(&unknown);
    wl_text_free(&known);
}

static enum wl_code choose(struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_settings *settings = &run->settings;
    uint64_t categories = 0;
    enum wl_code code = wl_launch_choose(run, error);
    if (!code && !settings->trace[0])
        wl_settings_set_text(&settings->trace, WL_TRACED_DEFAULT);
    if (!code)
        code = wl_traced_parse(settings->trace, &categories, error);
    if (!code)
        warn_unknown(run);
    if (!code)
        code = check_range(settings, error);
    if (code)
        return code;
    bool has_records =
        settings->collector == WL_COLLECTOR_HW && categories & UINT64_C(1) << WL_TIMELINE_KERNEL;
    if (has_records)
        settings->trace_launch_ns = wl_recording_cost_ns(&run->machine, settings->cupti_library);
    return WL_OK;
}

/* Mistakes in names of tables are found before a long run. */
static enum wl_code check_tables(const struct wl_text *tables, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (const char *name = tables->data; name && *name && !code;) {
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
    return wl_error_set_hint(error, "the program made no calls of the requested kinds while it was "
                                    "recorded");
}

/* Not of each of many ranks: what holds the program back is seen in all of them together. */
static enum wl_code print_findings(const struct wl_launch_run *run, struct wl_report *report,
                                   const struct wl_page_options *options,
                                   const struct wl_console *console, struct wl_error *error)
{
    struct wl_page_options pages = *options; /* borrows its texts */
    if (console->is_quiet || wl_rank_is_of_many(&run->rank))
        return WL_OK;
    pages.page = WL_PAGE_ADVICE;
    return wl_pages_print(report, run->report_path, &pages, NULL, console, error);
}

static enum wl_code print_acc_time(struct wl_report *report,
                                   const struct wl_tracing_options *options,
                                   const struct wl_console *console, struct wl_error *error)
{
    const struct wl_acc_time_options asked = {
        .compiler_log = options->compiler_log,
        .ranks = options->settings.ranks,
        .format = wl_page_options_format(&options->pages),
    };
    return wl_acc_time_print(report, &asked, console, error);
}

static enum wl_code print_tables(const struct wl_launch_run *run,
                                 const struct wl_tracing_options *options,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(run->report_path, &report, error);
    if (code)
        return code;
    uint64_t events = wl_report_event_count(report);
    tell_notes(report, console);
    unsigned notified = 0;
    if (events && wl_acc_notify_read(NULL, &notified) && notified)
        wl_view_acc_notify(report, notified, options->settings.ranks, console->pages, NULL);
    bool wants_acc_time = wl_acc_time_is_wanted(options->wants_acc_time);
    const char *tables = options->tables.length ? options->tables.data : NULL;
    if (!events) {
        code = fail_empty(error);
    } else if (wants_acc_time && !tables && !options->wants_stats) {
        code = print_acc_time(report, options, console, error);
    } else if (tables || options->wants_stats) {
        code = wl_view_trace_tables(report, tables, wl_page_options_format(&options->pages),
                                    console->pages, error);
        if (!code && wants_acc_time)
            code = print_acc_time(report, options, console, error);
    } else {
        code = print_findings(run, report, &options->pages, console, error);
        wl_console_say(console, "%llu events; tables of them: warplens show %s --report all",
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
    wl_outcome_print_ending(run);
    bool is_recorded = wl_launch_is_recorded(run);
    code = is_recorded ? wl_launch_record(run, error) : wl_folder_remove(run->stream_folder, error);
    *has_report = is_recorded && code == WL_OK;
    return code == WL_ERR_NOTHING ? fail_empty(error) : code;
}

static enum wl_code check_sampling(const struct wl_tracing_options *options,
                                   const struct wl_console *console, struct wl_error *error)
{
    enum { LEAST_HZ = 100, MOST_HZ = 8000 };
    uint32_t frequency = options->sampling_frequency_hz;
    if (frequency < LEAST_HZ || frequency > MOST_HZ)
        return wl_error_set(error, WL_ERR_USAGE, "--sampling-frequency is %d to %d, not %u",
                            LEAST_HZ, MOST_HZ, frequency);
    if (options->sample == WL_SAMPLED_SYSTEM || options->cpu_switches == WL_SAMPLED_SYSTEM)
        wl_console_warn(console, NULL,
                        "the program and what it starts are sampled, not the whole system");
    return WL_OK;
}

static enum wl_code check_variables(const char *variables, struct wl_error *error)
{
    for (const char *at = variables ? variables : ""; *at;) {
        size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        if (length && (name == 0 || name == length)) {
            wl_error_set(error, WL_ERR_USAGE, "--env-var takes NAME=VALUE, not '%.*s'", (int)length,
                         at);
            return wl_error_set_hint(error, "a value that has a comma is set before warplens: "
                                            "NAME=0,1 warplens trace ./app");
        }
        at += length + (at[length] == ',');
    }
    return WL_OK;
}

static enum wl_code trace(const struct wl_tracing_options *options,
                          const struct wl_arguments *program, const struct wl_console *console,
                          struct wl_error *error)
{
    static const struct wl_measure_options measure = {0};
    const struct wl_start_options start = {
        .hides_output = !options->shows_output,
        .is_alone = !options->inherits_environment,
        .variables = options->variables.data,
    };
    const struct wl_sampling_options sampling = {
        .samples = options->sample != WL_SAMPLED_NONE,
        .stacks = options->backtrace != 0,
        .switches = options->cpu_switches != WL_SAMPLED_NONE,
        .frequency_hz = options->sampling_frequency_hz,
    };
    const struct wl_run_request request = {
        .settings = &options->settings,
        .report = &options->report,
        .metrics = &options->pages.metrics,
        .measure = &measure,
        .start = &start,
        .sampling = &sampling,
    };
    struct wl_launch_run run = {
        .request = &request, .messages = wl_console_messages(console), .program = program};
    bool has_report = false;
    enum wl_code code = check_tables(&options->tables, error);
    if (!code)
        code = check_variables(options->variables.data, error);
    if (!code)
        code = check_sampling(options, console, error);
    if (!code)
        code = wl_tracing_forms_check(options->forms.data, error);
    if (!code)
        code = wl_timeline_record(&run, &has_report, error);
    if (has_report)
        code = print_tables(&run, options, console, error);
    if (has_report && !code)
        code = wl_tracing_forms_write(options->forms.data, run.report_path,
                                      options->report.overwrite, console, error);
    if (has_report)
        wl_outcome_print_report(&run);
    bool is_failed = run.ending.exit_code != 0;
    if (is_failed && code == WL_ERR_NOTHING) {
        code = wl_error_set(error, WL_ERR_PROGRAM,
                            "the program failed; nothing had been recorded up to there");
        wl_error_set_where(error, "%s", program->items[0]);
        if (run.ending.signal)
            wl_error_set_hint(error,
                              "events are written every %d ms: a signal takes the last along",
                              WL_TIMELINE_PERIOD_MS);
    } else if (is_failed && code == WL_OK) {
        code = wl_error_set(error, WL_ERR_PROGRAM,
                            "the program failed; the report holds what was recorded until then");
        wl_error_set_where(error, "%s", program->items[0]);
    }
    wl_launch_free(&run);
    return code;
}

enum wl_code wl_tracing_run(const struct wl_tracing_options *options,
                            const struct wl_arguments *program, const struct wl_console *console,
                            struct wl_error *error)
{
    if (wl_page_options_check(&options->pages, error) ||
        wl_verb_need_program(program, "warplens trace [options] ./app arguments", error))
        return WL_ERR_USAGE;
    return trace(options, program, console, error);
}

static enum wl_code run(void *options, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    return wl_tracing_run(options, program, console, error);
}

const struct wl_verb wl_verb_trace = {
    .name = "trace",
    .usage = "trace [options] PROGRAM [ARGUMENTS]",
    .summary = "run a program and record calls, kernels, copies and ranges on a timeline",
    .options_bytes = sizeof(struct wl_tracing_options),
    .tables = wl_tracing_tables,
    .words = WL_WORDS_PROGRAM,
    .init = wl_tracing_init,
    .release = wl_tracing_release,
    .work = run,
};
