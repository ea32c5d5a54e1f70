#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "cmd/console.h"
#include "cmd/lists.h"
#include "cmd/outcome.h"
#include "cmd/pages.h"
#include "cmd/profile.h"
#include "cmd/show.h"
#include "cmd/twin.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "run/counters.h"
#include "run/launch.h"
#include "run/program.h"
#include "timing/timing.h"

enum { few_launches = 8 };

static const struct wl_option import_rows[] = {
    WL_ROW(struct wl_profile_options, import_path, TEXT, "import", 'i', "FILE",
           "run nothing, show this report, like `warplens show FILE`"),
    WL_ROWS_END,
};

const struct wl_option_table wl_profile_tables[] = {
    WL_TABLE(struct wl_profile_options, report, wl_report_rows),
    {import_rows, 0, 0},
    WL_SETTINGS_TABLE(struct wl_profile_options, WL_SETTINGS_COLLECTOR),
    WL_TABLE(struct wl_profile_options, measure, wl_measure_rows),
    WL_SETTINGS_TABLE(struct wl_profile_options, WL_SETTINGS_GPU),
    WL_SETTINGS_TABLE(struct wl_profile_options, WL_SETTINGS_LAUNCHES | WL_SETTINGS_FILTERS),
    {wl_always_rows, 0, 0},
    WL_TABLE(struct wl_profile_options, pages, wl_page_rows),
    WL_TABLE(struct wl_profile_options, general, wl_general_rows),
    {wl_refused_rows, 0, 0},
    WL_TABLES_END,
};

void wl_profile_init(void *options)
{
    struct wl_profile_options *profile = options;
    profile->report.import_source = true;
    wl_settings_init_unchosen(&profile->settings);
    wl_page_options_init(&profile->pages);
}

void wl_profile_release(void *options)
{
    struct wl_profile_options *profile = options;
    wl_settings_free(&profile->settings);
}

/* Of a real GPU that was asked nothing in particular, the section of what it was asked then. */
static enum wl_code print_pages(const struct wl_launch_run *run, struct wl_report *report,
                                const struct wl_page_options *options,
                                const struct wl_console *console, struct wl_error *error)
{
    struct wl_page_options pages = *options; /* borrows its texts */
    struct wl_metric_options *metrics = &pages.metrics;
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool is_plain = !metrics->set && !metrics->sections.length && !metrics->metrics.length &&
                    launch_count <= few_launches;
    if (run->settings.collector == WL_COLLECTOR_HW && is_plain)
        metrics->set = "triage";
    char *shown = wl_counters_shown(run, report);
    if (shown)
        metrics->metrics = (struct wl_text){.data = shown, .length = strlen(shown)};
    enum wl_code code = wl_pages_print(report, run->report_path, &pages, NULL, console, error);
    free(shown);
    return code;
}

/* Pages of many ranks at once are printed on request only. */
static bool shows_pages(const struct wl_launch_run *run, const struct wl_page_options *options)
{
    bool is_silent = run->messages.is_quiet || wl_rank_is_of_many(&run->rank);
    return !is_silent || wl_pages_are_requested(options);
}

/* How many notes of this code the report has; texts: those of the first three, or NULL. */
static size_t count_notes(struct wl_report *report, const char *code, struct wl_text *texts)
{
    enum { SHOWN = 3 };
    size_t count = 0, found = 0;
    const struct wl_report_note *notes = report ? wl_report_notes(report, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(notes[i].record.code, code) != 0)
            continue;
        if (texts && found < SHOWN)
            wl_text_addf(texts, "%s%s", found ? "; " : "", notes[i].record.text);
        found++;
    }
    if (texts && found > SHOWN)
        wl_text_addf(texts, "; and %zu more: --page session", found - SHOWN);
    return found;
}

/* The kernels that there were. */
static void explain_filter(struct wl_report *report, struct wl_error *error)
{
    struct wl_text texts = {0};
    if (count_notes(report, "left-out", &texts))
        wl_error_set_hint(error, "the options that select launches matched none: %s", texts.data);
    else
        wl_error_set_hint(error, "the options that select launches may have matched none");
    wl_text_free(&texts);
}

/* report: NULL if there is none. */
static enum wl_code explain_nothing(const struct wl_launch_run *run, struct wl_report *report,
                                    struct wl_error *error)
{
    wl_error_set(error, WL_ERR_NOTHING, "no kernel launch was profiled");
    const struct wl_settings *settings = &run->settings;
    const struct wl_running *running = &run->running;
    if (running->unrecorded)
        return wl_error_set_hint(error, "the program could not write what it measured: %s",
                                 running->trouble);
    if (running->is_active)
        return wl_error_set_hint(error, "its launch %" PRIu64 ", of kernel %s, had not ended",
                                 running->launch, running->kernel);
    /* which the program itself was told */
    if (count_notes(report, "launch-refused", NULL))
        return wl_error_set_hint(error,
                                 "the program asked for launches that this GPU refuses, see "
                                 "above; cudaGetLastError() behind a launch tells a program");
    bool has_filter = settings->kernel_name[0] || settings->kernel_id[0] || settings->launch_skip ||
                      settings->launch_skip_before_match || settings->nvtx_include[0] ||
                      settings->nvtx_exclude[0] || !settings->profile_from_start;
    if (has_filter)
        explain_filter(report, error);
    else if (wl_replay_facts(settings->replay)->has_ranges)
        wl_error_set_hint(error, "ranges begin with cudaProfilerStart, or with an NVTX range that "
                                 "--nvtx-include names, and launch something");
    else if (settings->collector == WL_COLLECTOR_HW)
        wl_error_set_hint(error,
                          "if the program does launch kernels, `warplens doctor` says what is "
                          "preventing it");
    else if (!run->is_quit)
        wl_program_explain_nothing(run->program_path, &run->info, &run->messages);
    return WL_ERR_NOTHING;
}

/* A program that failed may have asked for what the model has, and run kernels of another GPU. */
static void tell_newer_targets(struct wl_report *report, const struct wl_console *console)
{
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    const char *said = "";
    for (size_t i = 0; i < count; i++) {
        const struct wl_record_note *note = &notes[i].record;
        if (strcmp(note->code, "newer-target") != 0 || strcmp(note->text, said) == 0)
            continue;
        said = note->text;
        wl_console_warn(console, note->hint, "%s", said);
    }
}

/* Pages of the new report. Errors: WL_ERR_NOTHING if no launch was profiled. */
static enum wl_code print_report(const struct wl_launch_run *run,
                                 const struct wl_page_options *options,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    size_t launch_count = 0;
    enum wl_code code = wl_report_open(run->report_path, &report, error);
    if (code)
        return code;
    wl_report_launches(report, &launch_count);
    if (run->ending.exit_code)
        tell_newer_targets(report, console);
    if (launch_count == 0)
        code = explain_nothing(run, report, error);
    else if (shows_pages(run, options))
        code = print_pages(run, report, options, console, error);
    wl_report_close(report);
    return code;
}

static enum wl_code profile(const struct wl_profile_options *options,
                            const struct wl_arguments *program, const struct wl_console *console,
                            struct wl_error *error)
{
    struct wl_view_options view;
    const struct wl_run_request request = {
        .settings = &options->settings,
        .report = &options->report,
        .metrics = &options->pages.metrics,
        .measure = &options->measure,
        .view = &view,
    };
    struct wl_launch_run run = {
        .request = &request, .messages = wl_console_messages(console), .program = program};
    wl_pages_view(&options->pages, NULL, console->pages, &view);
    enum wl_code code = wl_launch_choose(&run, error);
    if (!code && run.settings.kill && run.settings.collector == WL_COLLECTOR_HW)
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "--kill yes is for simulated GPUs: a real one must be left in a clean "
                            "state");
    if (!code && options->measure.twin && run.settings.collector != WL_COLLECTOR_HW) {
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "--twin compares with a GPU, and there is none to measure on");
        wl_error_set_hint(error, "`warplens doctor` says what is missing");
    }
    if (!code)
        code = wl_lists_check(request.metrics, options->pages.rules.data,
                              run.settings.collector == WL_COLLECTOR_HW, error);
    if (!code)
        code = wl_launch_prepare(&run, error);
    if (!code)
        code = wl_launch_execute(&run, error);
    if (code)
        goto out;
    wl_outcome_print_ending(&run);
    bool is_recorded = wl_launch_is_recorded(&run);
    code = is_recorded ? wl_launch_record(&run, error) : wl_folder_remove(run.stream_folder, error);
    bool has_report = is_recorded && code == WL_OK;
    if (has_report && options->measure.twin)
        code = wl_twin_run(&run, &options->pages, console->pages, error);
    else if (has_report)
        code = print_report(&run, &options->pages, console, error);
    if (!has_report && code == WL_ERR_NOTHING)
        code = explain_nothing(&run, NULL, error);
    if (has_report)
        wl_outcome_print_report(&run);
    if (run.ending.exit_code && (code == WL_OK || code == WL_ERR_NOTHING)) {
        code = wl_error_set(error, WL_ERR_PROGRAM, "the program failed; %s",
                            has_report ? "the report holds what ran up to there"
                                       : "nothing had been profiled up to there");
        wl_error_set_where(error, "%s", program->items[0]);
    }
out:
    wl_launch_free(&run);
    return code;
}

/* A what-if of causes that are not known is refused before the program runs. */
static enum wl_code check_sets(const struct wl_settings *settings, struct wl_error *error)
{
    struct wl_timing_set sets[WL_TIMING_SETS_MOST];
    size_t count;
    return wl_timing_sets_read(settings->whatif_together, sets, &count, error);
}

enum wl_code wl_profile(const struct wl_profile_options *options,
                        const struct wl_arguments *program, const struct wl_console *console,
                        struct wl_error *error)
{
    const struct wl_page_options *pages = &options->pages;
    enum wl_code code = wl_page_options_check(pages, error);
    if (code)
        return code;
    if (options->settings.kill && !options->settings.launch_count) {
        wl_error_set(error, WL_ERR_USAGE, "--kill yes needs --launch-count");
        return wl_error_set_hint(error, "--launch-count N --kill yes ends the program after N");
    }
    if (options->settings.kill && options->settings.filter_mode != WL_FILTER_GLOBAL)
        return wl_error_set(error, WL_ERR_USAGE,
                            "--kill yes counts over the program: not with --filter-mode");
    if ((code = check_sets(&options->settings, error)))
        return code;
    if (options->import_path && program->count)
        return wl_error_set(error, WL_ERR_USAGE, "--import shows a report, it runs no program");
    if (options->import_path)
        return wl_show_report(options->import_path, pages, NULL, &options->settings, console,
                              error);
    if (wl_lists_are_requested(&pages->lists))
        return wl_lists_print(&pages->lists, pages->metrics.section_folder, NULL, console, error);
    if (wl_verb_need_program(program, "warplens profile [options] ./app arguments", error))
        return WL_ERR_USAGE;
    return profile(options, program, console, error);
}

static enum wl_code run(void *options, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    return wl_profile(options, program, console, error);
}

const struct wl_verb wl_verb_profile = {
    .name = "profile",
    .usage = "profile [options] PROGRAM [ARGUMENTS]",
    .summary = "run a CUDA program, on the GPU or a simulated one, and report on its kernels",
    .options_bytes = sizeof(struct wl_profile_options),
    .tables = wl_profile_tables,
    .words = WL_WORDS_PROGRAM,
    .init = wl_profile_init,
    .release = wl_profile_release,
    .work = run,
};
