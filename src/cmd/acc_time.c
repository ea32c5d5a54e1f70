/* `warplens acc-time`: the times of OpenACC regions by source line, of a program, which is traced,
 * or of a report of such a run. */
#include "cmd/acc_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/help.h"
#include "cmd/verbs.h"
#include "view/acc_time.h"

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

static bool is_report(const char *word)
{
    size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".wlr") == 0;
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

static int show_report(size_t word_count, char **words)
{
    struct wl_command command;
    struct wl_console console;
    struct wl_arguments arguments;
    struct wl_error error = {0};
    wl_command_init(&command);
    wl_console_init(&console);
    enum wl_code code =
        wl_command_parse(&command, wl_acc_tables, words, word_count, false, &arguments, &error);
    if (!code && arguments.count != 1)
        code = wl_error_set(&error, WL_ERR_USAGE, "acc-time takes one report or a program");
    if (!code)
        code = wl_console_open(&console, command.log_file, &error);
    if (!code)
        code = show(arguments.items[0], &command, &console, &error);
    if (code)
        wl_console_fail(&console, &error);
    wl_command_free(&command);
    return wl_console_end(&console, code);
}

int wl_verb_acc_time(size_t word_count, char **words)
{
    static char option[] = "--acc-time", traced[] = "--trace=cuda,openacc,mpi";
    if (word_count && is_report(words[word_count - 1]))
        return show_report(word_count, words);
    char **all = wl_alloc_zero(word_count + 2, sizeof *all);
    all[0] = option;
    all[1] = traced;
    memcpy(all + 2, words, word_count * sizeof *words);
    int status = wl_verb_trace(word_count + 2, all);
    free(all);
    return status;
}
