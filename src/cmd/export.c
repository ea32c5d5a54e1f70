/* `warplens export REPORT`: a report as files for people. */
#include "show/export/export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/lists.h"
#include "cmd/verbs.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file that is there is replaced only where the user says so; a device always. */
static enum wl_code check_target(const char *path, const struct wl_command *command,
                                 struct wl_error *error)
{
    struct stat status;
    if (command->overwrite || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return WL_OK;
    wl_error_set(error, WL_ERR_OUTPUT, "there is a file already (%s)", path);
    return wl_error_set_hint(error, "-f replaces it");
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat status, other_status;
    return stat(path, &status) == 0 && stat(other, &other_status) == 0 &&
           status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino;
}

/* Looks at all targets before a report is read. */
static enum wl_code check_targets(const struct wl_command *command, const char *const *reports,
                                  size_t count, struct wl_error *error)
{
    const char *targets[2 + WL_TIMELINE_FORM_COUNT] = {command->html_path, command->pdf_path};
    enum wl_code code = WL_OK;
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT; form++)
        targets[2 + form] = command->trace_paths[form];
    for (size_t i = 0; i < sizeof targets / sizeof *targets && !code; i++) {
        for (size_t j = 0; targets[i] && j < count && !code; j++)
            if (is_same_file(targets[i], reports[j]))
                code = wl_error_set(error, WL_ERR_OUTPUT,
                                    "what is exported would replace the report (%s)", reports[j]);
        if (targets[i] && !code)
            code = check_target(targets[i], command, error);
    }
    return code;
}

/* The report and its baselines. paths points into text, which is cut at its lines. */
static size_t list_reports(const char *report, struct wl_text *baselines, const char ***paths)
{
    size_t count = 1;
    *paths = wl_alloc_zero(baselines->length + 2, sizeof **paths);
    (*paths)[0] = report;
    for (char *at = baselines->data; at && *at; count++) {
        (*paths)[count] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static enum wl_code export_pictures(const struct wl_command *command, struct wl_report *report,
                                    const struct wl_view_options *view, enum wl_export_picture form,
                                    const char *folder, const struct wl_console *console,
                                    struct wl_error *error)
{
    size_t written = 0;
    if (!folder)
        return WL_OK;
    enum wl_code code =
        wl_export_pictures(report, view, form, folder, command->overwrite, &written, error);
    if (!code)
        wl_console_say(console, "%zu drawings: %s", written, folder);
    return code;
}

static enum wl_code export_traces(const struct wl_command *command, struct wl_report *report,
                                  const struct wl_console *console, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT && !code; form++) {
        const char *path = command->trace_paths[form];
        if (!path)
            continue;
        code = wl_export_trace(report, (enum wl_timeline_form)form, path, error);
        if (!code)
            wl_console_say(console, "trace: %s", path);
    }
    return code;
}

static enum wl_code export_files(const struct wl_command *command,
                                 const struct wl_export_report *reports, size_t count,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_view_options view;
    enum wl_code code = WL_OK;
    wl_command_view(command, console->pages, &view);
    if (command->html_path) {
        code = wl_export_html(reports, count, command->allows_unlike, &view, command->html_path,
                              error);
        if (!code)
            wl_console_say(console, "page: %s", command->html_path);
    }
    if (!code && command->pdf_path) {
        code = wl_export_pdf(&reports[0], &view, command->pdf_path, error);
        if (!code)
            wl_console_say(console, "pages: %s", command->pdf_path);
    }
    if (!code)
        code = export_traces(command, reports[0].report, console, error);
    if (!code)
        code = export_pictures(command, reports[0].report, &view, WL_EXPORT_SVG,
                               command->svg_folder, console, error);
    if (!code)
        code = export_pictures(command, reports[0].report, &view, WL_EXPORT_PNG,
                               command->png_folder, console, error);
    return code;
}

static enum wl_code export_report(struct wl_command *command, const struct wl_arguments *arguments,
                                  const struct wl_console *console, struct wl_error *error)
{
    bool has_target =
        command->html_path || command->pdf_path || command->svg_folder || command->png_folder;
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT; form++)
        has_target = has_target || command->trace_paths[form];
    if (arguments->count != 1 || !has_target) {
        if (arguments->count != 1)
            wl_error_set(error, WL_ERR_USAGE, "export takes one report, not %zu", arguments->count);
        else
            wl_error_set(error, WL_ERR_USAGE,
                         "export needs --html, --pdf, --svg, --png or a form of traces");
        return wl_error_set_hint(error, "warplens export REPORT.wlr --html FILE.html");
    }
    if (command->baselines.length && !command->html_path) {
        wl_error_set(error, WL_ERR_USAGE, "--baseline is for --html");
        return wl_error_set_hint(error, "warplens diff BASE.wlr NEW.wlr");
    }
    const char **paths = NULL;
    size_t count = list_reports(arguments->items[0], &command->baselines, &paths);
    struct wl_export_report *reports = wl_alloc_zero(count, sizeof *reports);
    enum wl_code code = check_targets(command, paths, count, error);
    for (size_t i = 0; i < count && !code; i++) {
        reports[i].name = file_name(paths[i]);
        code = wl_report_open(paths[i], &reports[i].report, error);
    }
    if (!code)
        code = export_files(command, reports, count, console, error);
    for (size_t i = 0; i < count; i++)
        if (reports[i].report)
            wl_report_close(reports[i].report);
    free(reports);
    free(paths);
    return code;
}

static void prepare(struct wl_command *command)
{
    command->filters_pages = true;
}

const struct wl_verb wl_verb_export = {
    .name = "export",
    .usage = "export --html FILE [options] REPORT",
    .summary = "write a report as one HTML page or PDF, and its drawings as SVG or PNG",
    .tables = wl_export_tables,
    .prepare = prepare,
    .work = export_report,
};
