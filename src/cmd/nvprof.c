/* `warplens nvprof PROGRAM`: nvprof's options and tables. What it prints of time comes of a trace,
 * metrics and events of a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "cmd/lists.h"
#include "cmd/nvprof.h"
#include "cmd/outcome.h"
#include "cmd/pages.h"
#include "cmd/profile.h"
#include "cmd/tracing.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "run/launch.h"
#include "show/page/nvprof.h"

struct options {
    struct wl_general_options general;
    struct wl_profile_options profile; /* of --metrics: settings and report */
    const char *import_path, *kernels;
    struct wl_text metrics, events, levels;
    struct wl_nvprof_view view;
    bool has_analysis, has_dependencies, has_openacc, has_openmp, starts_on, lists_metrics,
        lists_events;
};

#define NVPROF(field, ...) WL_ROW(struct options, field, __VA_ARGS__)
#define TOOL "nvprof"
#define REFUSED(spelled, short, why)                                                    \
    {                                                                                   \
        .name = (spelled), .letter = (short), .kind = WL_OPTION_REFUSED, .help = (why), \
        .tool = TOOL                                                                    \
    }
#define ONLY(spelled, values, why)                                                      \
    {                                                                                   \
        .name = (spelled), .kind = WL_OPTION_ONLY, .argument = (values), .help = (why), \
        .tool = TOOL                                                                    \
    }
#define ACCEPTED(spelled, values, why)                                                      \
    {                                                                                       \
        .name = (spelled), .kind = WL_OPTION_ACCEPTED, .argument = (values), .help = (why), \
        .tool = TOOL                                                                        \
    }
#define ALWAYS(spelled)                                           \
    {                                                             \
        .name = (spelled), .kind = WL_OPTION_ALWAYS, .tool = TOOL \
    }
#define CPU "`warplens trace --sample process-tree` samples the processor"
#define OFF "off|false|no|0"

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("NVPROF"),
    NVPROF(view.has_summary, FLAG, "print-summary", 's', NULL,
           "times by kernel, copy and call (default)"),
    NVPROF(view.has_gpu_summary, FLAG, "print-gpu-summary", 0, NULL, "the same of the GPU only"),
    NVPROF(view.has_api_summary, FLAG, "print-api-summary", 0, NULL, "the same of calls only"),
    NVPROF(view.has_gpu_trace, FLAG, "print-gpu-trace", 0, NULL, "every kernel and copy"),
    NVPROF(view.has_api_trace, FLAG, "print-api-trace", 0, NULL, "every call of CUDA"),
    NVPROF(metrics, COMMAS, "metrics", 'm', "NAMES",
           "these metrics of each kernel, ',' between, or all: --query-metrics"),
    NVPROF(events, COMMAS, "events", 'e', "NAMES", "these events: --query-events"),
    NVPROF(lists_metrics, FLAG, "query-metrics", 0, NULL, "list the metrics and exit"),
    NVPROF(lists_events, FLAG, "query-events", 0, NULL, "list the events and exit"),
    NVPROF(has_analysis, FLAG, "analysis-metrics", 0, NULL,
           "profile all kernels for `warplens guide` and `show`: with -o"),
    NVPROF(levels, COMMAS, "source-level-analysis", 'a', "NAMES",
           "the source page: counts of every line"),
    NVPROF(has_dependencies, FLAG, "dependency-analysis", 0, NULL,
           "what the program and the GPU wait for"),
    NVPROF(has_openacc, SWITCH, "openacc-profiling", 0, "on|off", "OpenACC regions; default: on"),
    NVPROF(has_openmp, SWITCH, "openmp-profiling", 0, "on|off", "OpenMP regions; default: on"),
    NVPROF(view.has_allocations, SWITCH, "track-memory-allocations", 0, "on|off",
           "how much memory is allocated, by its kind; default: off"),
    NVPROF(kernels, TEXT, "kernels", 0, "NAME",
           "of --metrics and --events: only these kernels; or CONTEXT:STREAM:NAME:N"),
    NVPROF(starts_on, SWITCH, "profile-from-start", 0, "on|off",
           "off: only between cudaProfilerStart and cudaProfilerStop; default: on"),
    NVPROF(view.csv, FLAG, "csv", 0, NULL, "as CSV"),
    NVPROF(view.time_unit, CHOICE, "normalized-time-unit", 'u', WL_NVPROF_UNIT_WORDS,
           "unit of times; default: auto"),
    NVPROF(profile.report.path, TEXT, "export-profile", 'o', "FILE", WL_REPORT_PATH_HELP),
    WL_OVERWRITE_ROW(struct options, profile.report.overwrite, "replace an existing report"),
    NVPROF(import_path, TEXT, "import-profile", 'i', "FILE", "run nothing, show this report"),
    WL_ROWS_END,
};

static const struct wl_option other_rows[] = {
    ONLY("aggregate-mode", "on|true|yes|1", "counts are of the whole GPU"),
    ACCEPTED("annotate-mpi", "off|openmpi|mpich", "calls of MPI are always recorded"),
    ACCEPTED("concurrent-kernels", "on|off", "kernels run as the program asks"),
    ONLY("continuous-sampling-interval", "0", "counters are read for each launch, not over time"),
    ONLY("cpu-profiling", OFF, CPU),
    ONLY("cpu-profiling-explain-ccff", "", CPU),
    ONLY("cpu-profiling-frequency", "", CPU),
    ONLY("cpu-profiling-max-depth", "", CPU),
    ONLY("cpu-profiling-mode", "", CPU),
    ONLY("cpu-profiling-percentage-threshold", "", CPU),
    ONLY("cpu-profiling-scope", "", CPU),
    ONLY("cpu-profiling-show-ccff", OFF, CPU),
    ONLY("cpu-profiling-show-library", OFF, CPU),
    ONLY("cpu-profiling-thread-mode", "", CPU),
    ONLY("cpu-profiling-unwind-stack", OFF, CPU),
    ONLY("cpu-thread-tracing", OFF, "calls of the system are in `warplens trace -t osrt`"),
    ONLY("context-name", "", "contexts have numbers"),
    ONLY("process-name", "", "reports are named with -o"),
    ONLY("stream-name", "", "streams have numbers"),
    ACCEPTED("demangling", "on|off", "names are demangled"),
    ACCEPTED("device-buffer-size", "MB", "there is no buffer of fixed size"),
    ACCEPTED("device-cdp-buffer-size", "MB", "there is no buffer of fixed size"),
    ONLY("devices", "all|0",
         "all GPUs of the program are profiled; choose with "
         "CUDA_VISIBLE_DEVICES"),
    ACCEPTED("event-collection-mode", "kernel|continuous", "events are counted for each launch"),
    ALWAYS("print-nvlink-topology"),
    REFUSED("pc-sampling-period", 0, "`warplens profile --warp-sampling-interval N` samples warps"),
    ALWAYS("print-openacc-constructs"),
    ALWAYS("print-openacc-summary"),
    ALWAYS("print-openacc-trace"),
    ALWAYS("print-openmp-summary"),
    ALWAYS("print-dependency-analysis-trace"),
    ACCEPTED("profile-api-trace", "none|runtime|driver|all",
             "calls that the program makes are recorded"),
    REFUSED("profile-all-processes", 0, "the program is always started by warplens"),
    ALWAYS("profile-child-processes"),
    ACCEPTED("profiling-semaphore-pool-size", "N", "there are no semaphores"),
    ACCEPTED("replay-mode", "disabled|kernel|application",
             "`warplens profile --replay-mode` chooses how counters of a real GPU are read"),
    ALWAYS("skip-kernel-replay-save-restore"),
    ACCEPTED("kernel-latency-timestamps", "on|off", "when a kernel was asked for is in the trace"),
    ALWAYS("print-summary-per-gpu"),
    ONLY("system-profiling", OFF, "power, clocks and temperature are not read over time"),
    REFUSED("timeout", 't', "`warplens trace --duration SECONDS` records for that long"),
    ONLY("trace", "gpu,api|api,gpu",
         "--print-gpu-trace and --print-api-trace choose what is shown"),
    ACCEPTED("unified-memory-profiling", "per-process-device|off",
             "migrations of managed memory are counted on a real GPU: warplens trace"),
    ONLY("openmp-summary-mode", "inclusive", "OpenMP regions are shown with their whole time"),
    ONLY("openacc-summary-mode", "inclusive", "OpenACC regions are shown with their whole time"),
    WL_ROWS_END,
};

const struct wl_option_table wl_nvprof_tables[] = {
    {rows, 0, 0},
    {wl_settings_options, offsetof(struct options, profile.settings),
     WL_SETTINGS_GPU | WL_SETTINGS_COLLECTOR},
    WL_TABLE(struct options, general, wl_general_rows),
    {other_rows, 0, 0},
    WL_TABLES_END,
};

static bool has_counts(const struct options *options)
{
    return options->metrics.length || options->events.length || options->has_analysis ||
           options->levels.length;
}

/* ---- the run ---- */

/* The report that is shown, and discarded where none was asked for. */
struct recording {
    const struct options *options;
    const struct wl_arguments *program;
    const struct wl_console *console;
    struct wl_settings settings;
    struct wl_report_options report;
    char *folder, *path;
    struct wl_launch_run run;
};

static void choose_kernels(struct wl_settings *settings, const char *kernels)
{
    if (!kernels)
        return;
    size_t colons = 0;
    for (const char *at = kernels; *at; at++)
        colons += *at == ':';
    if (colons >= 3) {
        wl_settings_set_text(&settings->kernel_id, kernels);
    } else {
        char *expression = wl_string_format("regex:%s", kernels);
        wl_settings_set_text(&settings->kernel_name, expression);
        free(expression);
    }
}

static void choose(struct recording *recording, bool is_trace)
{
    const struct options *options = recording->options;
    struct wl_settings *settings = &recording->settings;
    wl_settings_copy(settings, &options->profile.settings);
    choose_kernels(settings, is_trace ? NULL : options->kernels);
    settings->profile_from_start = options->starts_on;
    if (!is_trace)
        return;
    char *traced = wl_string_format("cuda,cublas,nvtx%s%s", options->has_openacc ? ",openacc" : "",
                                    options->has_openmp ? ",openmp" : "");
    wl_settings_set_text(&settings->trace, traced);
    settings->trace_range = options->starts_on ? WL_CAPTURE_ALL : WL_CAPTURE_PROFILER_API;
    free(traced);
}

static enum wl_code record_profile(struct wl_launch_run *run, struct wl_error *error)
{
    enum wl_code code = wl_launch_choose(run, error);
    if (!code)
        code = wl_launch_prepare(run, error);
    if (!code)
        code = wl_launch_execute(run, error);
    if (!code)
        wl_outcome_print_ending(run);
    return code ? code : wl_launch_record(run, error);
}

static enum wl_code show_pages(const struct options *options, struct wl_report *report,
                               const char *path, const struct wl_console *console,
                               struct wl_error *error)
{
    struct wl_page_options pages;
    wl_page_options_init(&pages);
    pages.csv = options->view.csv;
    pages.page = options->has_dependencies ? WL_PAGE_ADVICE : WL_PAGE_SOURCE;
    return wl_pages_print(report, path, &pages, NULL, console, error);
}

static enum wl_code show_report(const struct options *options, const char *path,
                                const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_nvprof_view view = options->view;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    view.out = console->pages;
    view.metrics = options->metrics.data;
    view.events = options->events.data;
    bool is_chosen =
        view.has_gpu_trace || view.has_api_trace || view.has_gpu_summary || view.has_api_summary;
    view.has_summary |= !is_chosen;
    bool is_counted = has_counts(options);
    bool has_tables = !is_counted || options->metrics.length || options->events.length;
    if (has_tables)
        code = wl_nvprof_print(report, &view, error);
    if (!code && (options->levels.length || options->has_dependencies))
        code = show_pages(options, report, path, console, error);
    wl_report_close(report);
    return code;
}

/* Mistakes are found before a long run. */
static enum wl_code check_names(const struct options *options, const struct wl_text *names,
                                struct wl_error *error)
{
    struct wl_metric_options asked = options->profile.pages.metrics; /* borrows its texts */
    if (!names->length || strcmp(names->data, "all") == 0)
        return WL_OK;
    asked.metrics = *names;
    return wl_lists_check(&asked, NULL, false, error);
}

static enum wl_code record(struct recording *recording, struct wl_error *error)
{
    static const struct wl_measure_options measure = {0};
    const struct options *options = recording->options;
    bool is_trace = !has_counts(options), has_report = false;
    struct wl_page_options pages;
    struct wl_view_options view;
    wl_page_options_init(&pages);
    wl_pages_view(&pages, NULL, recording->console->pages, &view);
    enum wl_code code = check_names(options, &options->metrics, error);
    if (!code)
        code = check_names(options, &options->events, error);
    if (code)
        return code;
    choose(recording, is_trace);
    recording->report = options->profile.report;
    if (!recording->report.path) {
        recording->report.path = recording->path;
        recording->report.overwrite = true;
    }
    const struct wl_run_request request = {
        .settings = &recording->settings,
        .report = &recording->report,
        .metrics = &options->profile.pages.metrics,
        .measure = &measure,
        .view = &view,
    };
    struct wl_launch_run *run = &recording->run;
    *run = (struct wl_launch_run){.request = &request,
                                  .messages = wl_console_messages(recording->console),
                                  .program = recording->program};
    code = is_trace ? wl_timeline_record(run, &has_report, error) : record_profile(run, error);
    struct wl_text command = {0};
    for (size_t i = 0; i < recording->program->count; i++)
        wl_text_add_word(&command, recording->program->items[i]);
    if (!code && !options->view.csv)
        wl_console_print(recording->console, "== Profiling application: %s\n", command.data);
    wl_text_free(&command);
    if (!code)
        code = show_report(options, run->report_path, recording->console, error);
    if (!code && options->profile.report.path)
        wl_outcome_print_report(run);
    if (!code && run->ending.exit_code)
        code = wl_error_set(error, WL_ERR_PROGRAM, "the program failed (%s)",
                            recording->program->items[0]);
    wl_launch_free(run);
    return code;
}

static enum wl_code nvprof(void *given, const struct wl_arguments *program,
                           const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct recording recording = {.options = options, .program = program, .console = console};
    if (options->lists_metrics || options->lists_events)
        return wl_nvprof_list(options->lists_events, console->pages, error);
    if (options->import_path)
        return show_report(options, options->import_path, console, error);
    if (wl_verb_need_program(program, "warplens nvprof [options] ./app arguments", error))
        return WL_ERR_USAGE;
    if (options->has_analysis && !options->profile.report.path) {
        wl_error_set(error, WL_ERR_USAGE, "--analysis-metrics makes a report, which needs -o");
        return wl_error_set_hint(error, "nvprof --analysis-metrics -o FILE ./app, then "
                                        "`warplens guide FILE.wlr`");
    }
    enum wl_code code = wl_folder_create_temporary("warplens-nvprof", &recording.folder, error);
    if (code)
        return code;
    recording.path = wl_string_format("%s/run.wlr", recording.folder);
    code = record(&recording, error);
    wl_settings_free(&recording.settings);
    wl_folder_remove(recording.folder, NULL);
    free(recording.folder);
    free(recording.path);
    return code;
}

static void init(void *given)
{
    struct options *options = given;
    wl_profile_init(&options->profile);
    options->starts_on = options->has_openacc = options->has_openmp = true;
}

static void release(void *given)
{
    struct options *options = given;
    wl_profile_release(&options->profile);
}

const struct wl_verb wl_verb_nvprof = {
    .name = "nvprof",
    .usage = "nvprof [options] PROGRAM [ARGUMENTS]",
    .summary = "the command line and the tables of nvprof",
    .options_bytes = sizeof(struct options),
    .tables = wl_nvprof_tables,
    .words = WL_WORDS_PROGRAM,
    .init = init,
    .release = release,
    .work = nvprof,
};
