/* `warplens acc-time`: the times of OpenACC regions by source line, of a program, which is traced,
 * or of a report of such a run. */
#include "cmd/acc_time.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/verbs.h"
#include "show/page/acc_time.h"

bool wl_acc_time_is_wanted(const struct wl_command *command)
{
    const char *value = getenv("WARPLENS_ACC_TIME");
    return command->wants_acc_time || (value && *value && strcmp(value, "0") != 0);
}

enum wl_code wl_acc_time_print(struct wl_report *report, const struct wl_command *command,
                               const struct wl_console *console, struct wl_error *error)
{
    struct wl_acc_time time = {0};
    struct wl_compiler_log log = {0};
    enum wl_view_format format = command->csv    ? WL_FORMAT_CSV
                                 : command->json ? WL_FORMAT_JSON
                                                 : WL_FORMAT_TEXT;
    enum wl_code code =
        command->compiler_log ? wl_compiler_log_read(command->compiler_log, &log, error) : WL_OK;
    if (!code)
        code = wl_report_acc_time(report, command->ranks, &time, error);
    if (!code)
        code = wl_view_acc_time(&time, command->compiler_log ? &log : NULL, format, console->pages,
                                error);
    wl_report_acc_time_free(&time);
    wl_compiler_log_free(&log);
    return code;
}

static enum wl_code show(const char *path, const struct wl_command *command,
                         const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    code = wl_acc_time_print(report, command, console, error);
    wl_report_close(report);
    return code;
}

static enum wl_code run_program(struct wl_command *command, const struct wl_arguments *program,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_verb_trace.work(command, program, console, error);
}

static enum wl_code show_report(struct wl_command *command, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    if (arguments->count != 1)
        return wl_error_set(error, WL_ERR_USAGE, "acc-time takes one report or a program");
    return show(arguments->items[0], command, console, error);
}

static void prepare(struct wl_command *command)
{
    command->wants_acc_time = true;
    wl_text_add(&command->traced, "cuda,openacc,mpi");
}

static const struct wl_verb *choose(size_t word_count, char **words)
{
    static const struct wl_verb of_program = {
        .tables = wl_timeline_options,
        .words = WL_WORDS_PROGRAM,
        .prepare = prepare,
        .work = run_program,
    };
    static const struct wl_verb of_report = {
        .tables = wl_acc_tables,
        .work = show_report,
    };
    return wl_verb_is_of_report(word_count, words) ? &of_report : &of_program;
}

const struct wl_verb wl_verb_acc_time = {
    .name = "acc-time",
    .usage = "acc-time [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
    .summary = "tell where the time of an OpenACC program goes, by source line",
    .choose = choose,
};
