#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/counters.h"
#include "cmd/launch.h"
#include "cmd/lists.h"
#include "cmd/pages.h"
#include "cmd/program.h"
#include "cmd/show.h"
#include "cmd/tell.h"
#include "cmd/twin.h"
#include "cmd/verbs.h"
#include "report/report.h"

enum { few_launches = 8 };

/* Of a real GPU that was asked nothing in particular, the section of what it was asked then. */
static enum wl_code print_pages(const struct wl_launch_run *run, struct wl_report *report,
                                struct wl_error *error)
{
    struct wl_command command = *run->command; /* borrows its texts */
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool is_plain = !command.set && !command.sections.length && !command.metrics.length &&
                    launch_count <= few_launches;
    if (run->settings.collector == WL_SOURCE_HARDWARE && is_plain)
        command.set = "triage";
    char *shown = wl_counters_shown(run, report);
    if (shown)
        command.metrics = (struct wl_text){.data = shown, .length = strlen(shown)};
    enum wl_code code = wl_pages_print(report, run->report_path, &command, run->console, error);
    free(shown);
    return code;
}

/* Pages of many ranks at once are of no use to anybody who did not ask for them. */
static bool shows_pages(const struct wl_launch_run *run)
{
    bool is_silent = run->console->is_quiet || wl_rank_is_of_many(&run->rank);
    return !is_silent || wl_pages_are_asked(run->command);
}

static enum wl_code explain_nothing(const struct wl_launch_run *run, struct wl_error *error)
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
    bool has_filter = settings->kernel_name[0] || settings->kernel_id[0] || settings->launch_skip ||
                      settings->launch_skip_before_match || settings->nvtx_include[0] ||
                      settings->nvtx_exclude[0] || !settings->profile_from_start;
    if (has_filter)
        wl_error_set_hint(error, "the options that choose launches may have matched none");
    else if (settings->replay == WL_REPLAY_RANGE || settings->replay == WL_REPLAY_APP_RANGE)
        wl_error_set_hint(error, "ranges begin with cudaProfilerStart, or with an NVTX range that "
                                 "--nvtx-include names, and launch something");
    else if (settings->collector == WL_SOURCE_HARDWARE)
        wl_error_set_hint(error,
                          "if the program does launch kernels, `warplens doctor` says what is "
                          "in the way");
    else
        wl_program_explain_nothing(run->program_path, &run->info, run->console);
    return WL_ERR_NOTHING;
}

/* Pages of the new report. Errors: WL_ERR_NOTHING if no launch was profiled. */
static enum wl_code print_report(const struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_report *report = NULL;
    size_t launch_count = 0;
    enum wl_code code = wl_report_open(run->report_path, &report, error);
    if (code)
        return code;
    wl_report_launches(report, &launch_count);
    if (launch_count == 0)
        code = explain_nothing(run, error);
    else if (shows_pages(run))
        code = print_pages(run, report, error);
    wl_report_close(report);
    return code;
}

static enum wl_code profile(const struct wl_command *command, const struct wl_arguments *program,
                            const struct wl_console *console, struct wl_error *error)
{
    struct wl_launch_run run = {.command = command, .console = console, .program = program};
    enum wl_code code = wl_launch_choose(&run, error);
    if (!code && command->twin && run.settings.collector != WL_SOURCE_HARDWARE) {
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "--twin compares with a GPU, and there is none to measure on");
        wl_error_set_hint(error, "`warplens doctor` says what is missing");
    }
    if (!code)
        code = wl_lists_check(command, run.settings.collector == WL_SOURCE_HARDWARE, error);
    if (!code)
        code = wl_launch_prepare(&run, error);
    if (!code)
        code = wl_launch_execute(&run, error);
    if (code)
        goto out;
    wl_tell_ending(&run);
    bool is_recorded = wl_launch_is_recorded(&run);
    code = is_recorded ? wl_launch_record(&run, error) : wl_folder_remove(run.stream_folder, error);
    bool has_report = is_recorded && code == WL_OK;
    if (has_report && command->twin)
        code = wl_twin_run(&run, error);
    else if (has_report)
        code = print_report(&run, error);
    if (!has_report && code == WL_ERR_NOTHING)
        code = explain_nothing(&run, error);
    if (has_report)
        wl_tell_report(&run);
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

static enum wl_code run(struct wl_command *command, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    if (command->import_path && program->count)
        return wl_error_set(error, WL_ERR_USAGE, "--import shows a report, it runs no program");
    if (command->import_path)
        return wl_show_report(command->import_path, command, console, error);
    if (wl_lists_are_asked(command))
        return wl_lists_print(command, NULL, console, error);
    if (wl_verb_need_program(program, "warplens profile [options] ./app arguments", error))
        return WL_ERR_USAGE;
    return profile(command, program, console, error);
}

const struct wl_verb wl_verb_profile = {
    .name = "profile",
    .usage = "profile [options] PROGRAM [ARGUMENTS]",
    .summary = "run a CUDA program, on the GPU or a simulated one, and report on its kernels",
    .tables = wl_profile_tables,
    .words = WL_WORDS_PROGRAM,
    .work = run,
};
