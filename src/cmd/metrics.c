#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/help.h"
#include "cmd/lists.h"
#include "cmd/verbs.h"

int wl_verb_metrics(size_t word_count, char **words)
{
    struct wl_command command;
    struct wl_console console;
    struct wl_arguments patterns;
    struct wl_error error = {0};
    wl_command_init(&command);
    wl_console_init(&console);
    enum wl_code code =
        wl_command_parse(&command, wl_metrics_tables, words, word_count, false, &patterns, &error);
    if (!code && command.wants_help)
        wl_help_verb("metrics", wl_metrics_tables);
    else if (!code)
        code = wl_console_open(&console, command.log_file, &error);
    if (!code && !command.wants_help)
        code = wl_lists_print(&command, &patterns, &console, &error);
    if (code)
        wl_console_fail(&console, &error);
    wl_command_free(&command);
    return wl_console_end(&console, code);
}
