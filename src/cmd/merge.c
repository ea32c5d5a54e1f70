/* `warplens merge -o FILE REPORTS`: the reports of several ranks become one. */
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/console.h"
#include "cmd/verbs.h"
#include "report/name.h"
#include "report/report.h"
#include "show/page/timeline_tables.h"

struct options {
    struct wl_general_options general;
    const char *path;
    bool overwrite;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("REPORT"),
    WL_ROW(struct options, path, TEXT, "export", 'o', "FILE", "write this report (.wlr is added)"),
    WL_OVERWRITE_ROW(struct options, overwrite, "overwrite an existing report"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* What ranks there are and how unlike. */
static enum wl_code print_ranks(const char *path, const struct wl_console *console,
                                struct wl_error *error)
{
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    bool has_events = wl_report_event_count(report) != 0;
    code =
        wl_view_trace_tables(report, has_events ? "rank_sum,rank_imbalance_sum" : "rank_launch_sum",
                             WL_FORMAT_TEXT, console->pages, error);
    wl_report_close(report);
    return code;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat status, other_status;
    return stat(path, &status) == 0 && stat(other, &other_status) == 0 &&
           status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino;
}

static enum wl_code merge(void *given, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    char *path = NULL;
    if (arguments->count < 1 || !options->path) {
        wl_error_set(error, WL_ERR_USAGE,
                     arguments->count < 1 ? "which reports?" : "-o must name the new report");
        return wl_error_set_hint(error, "warplens merge -o all rank*.wlr");
    }
    enum wl_code code = wl_report_name(options->path, &path, error);
    if (code)
        return code;
    for (size_t i = 0; i < arguments->count && !code; i++)
        if (is_same_file(path, arguments->items[i]))
            code = wl_error_set(error, WL_ERR_OUTPUT,
                                "the new report would replace one that it is made of (%s)",
                                arguments->items[i]);
    if (code) {
        free(path);
        return code;
    }
    struct wl_report_merge merge = {
        .paths = (const char *const *)arguments->items,
        .count = arguments->count,
        .report_path = path,
        .overwrite = options->overwrite,
    };
    code = wl_report_merge(&merge, error);
    if (!code && !console->is_quiet)
        code = print_ranks(path, console, error);
    if (!code)
        wl_console_say(console, "report: %s", path);
    free(path);
    return code;
}

const struct wl_verb wl_verb_merge = {
    .name = "merge",
    .usage = "merge -o FILE REPORTS",
    .summary = "put the reports of several ranks of a parallel program into one",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .work = merge,
};
