/* `warplens diff BASE NEW [MORE]`: what changed between reports. */
#include "view/diff.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/help.h"
#include "cmd/verbs.h"

static enum wl_code diff(const struct wl_command *command, const struct wl_arguments *arguments,
                         struct wl_console *console, struct wl_error *error)
{
    if (arguments->count < 2) {
        wl_error_set(error, WL_ERR_USAGE, "diff takes a base report and at least one other");
        return wl_error_set_hint(error, "warplens diff BASE.wlr NEW.wlr");
    }
    enum wl_code code = wl_console_open(console, command->log_file, error);
    struct wl_diff_report *reports = wl_alloc_zero(arguments->count, sizeof *reports);
    for (size_t i = 0; i < arguments->count && !code; i++) {
        reports[i].name = arguments->items[i];
        code = wl_report_open(arguments->items[i], &reports[i].report, error);
    }
    struct wl_diff_options options = {
        .metrics = command->metrics.data,
        .section_folder = command->section_folder,
        .is_all = command->compares_all,
        .json = command->json,
        .allows_unlike = command->allows_unlike,
    };
    if (!code)
        code = wl_view_diff(reports, arguments->count, &options, console->pages, error);
    for (size_t i = 0; i < arguments->count; i++)
        if (reports[i].report)
            wl_report_close(reports[i].report);
    free(reports);
    return code;
}

/* --html: the page of the second report, with the others as baselines, is made by the verb export.
 */
static int export_page(const struct wl_command *command, const struct wl_arguments *arguments)
{
    static char html[] = "--html", baseline[] = "--baseline", force[] = "--force-overwrite";
    static char unlike[] = "--allow-unlike", folder[] = "--section-folder", end[] = "--";
    char **words = wl_alloc_zero(2 * arguments->count + 8, sizeof *words);
    size_t count = 0;
    words[count++] = html;
    words[count++] = (char *)command->html_path;
    for (size_t i = 0; i < arguments->count; i++) {
        if (i == 1)
            continue;
        words[count++] = baseline;
        words[count++] = arguments->items[i];
    }
    if (command->overwrite)
        words[count++] = force;
    if (command->allows_unlike)
        words[count++] = unlike;
    if (command->section_folder) {
        words[count++] = folder;
        words[count++] = (char *)command->section_folder;
    }
    words[count++] = end;
    words[count++] = arguments->items[1];
    int status = wl_verb_export(count, words);
    free(words);
    return status;
}

int wl_verb_diff(size_t word_count, char **words)
{
    struct wl_command command;
    struct wl_console console;
    struct wl_arguments arguments;
    struct wl_error error = {0};
    wl_command_init(&command);
    wl_console_init(&console);
    enum wl_code code =
        wl_command_parse(&command, wl_diff_tables, words, word_count, false, &arguments, &error);
    if (!code && !command.wants_help && command.html_path && arguments.count > 1) {
        int status = export_page(&command, &arguments);
        wl_command_free(&command);
        return status;
    }
    if (!code && command.wants_help)
        wl_help_verb("diff", wl_diff_tables);
    else if (!code)
        code = diff(&command, &arguments, &console, &error);
    if (code)
        wl_console_fail(&console, &error);
    wl_command_free(&command);
    return wl_console_end(&console, code);
}
