#include "cmd/show.h"

#include <string.h>

#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/lists.h"
#include "cmd/pages.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "show/page/timeline_tables.h"

static enum wl_code print_tables(struct wl_report *report, const struct wl_command *command,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_view_options view;
    const char *names = command->tables.data;
    wl_command_view(command, console->pages, &view);
    return wl_view_trace_tables(report, strcmp(names, "all") == 0 ? NULL : names, view.format,
                                console->pages, error);
}

enum wl_code wl_show_report(const char *path, const struct wl_command *command,
                            const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_command pages = *command;
    pages.filters_pages = true;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool is_plain = !wl_pages_are_asked(command) && !command->tables.length;
    bool is_of_trace = is_plain && !launch_count && wl_report_event_count(report);
    if (is_of_trace) /* its findings: there is no other page of it */
        pages.page = WL_PAGE_ADVICE;
    if (command->tables.length)
        code = print_tables(report, command, console, error);
    else
        code = wl_pages_print(report, path, &pages, console, error);
    if (is_of_trace && !code)
        wl_console_say(console, "tables of its events: warplens show %s --report all", path);
    wl_report_close(report);
    return code;
}

static enum wl_code show(struct wl_command *command, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error)
{
    if (wl_lists_are_asked(command))
        return wl_lists_print(command, NULL, console, error);
    if (arguments->count != 1) {
        wl_error_set(error, WL_ERR_USAGE, "show takes one report, not %zu", arguments->count);
        return wl_error_set_hint(error, "warplens show REPORT.wlr --page details");
    }
    struct wl_report *report = NULL;
    enum wl_code code = command->import_source
                            ? wl_report_open_with_sources(
                                  arguments->items[0], command->source_folders.data, &report, error)
                            : WL_OK;
    wl_report_close(report);
    return code ? code : wl_show_report(arguments->items[0], command, console, error);
}

static void prepare(struct wl_command *command)
{
    command->import_source = false; /* streams that are left may come from anywhere */
}

const struct wl_verb wl_verb_show = {
    .name = "show",
    .usage = "show [options] REPORT",
    .summary = "print pages of a report",
    .tables = wl_show_tables,
    .prepare = prepare,
    .work = show,
};
