/* `warplens export REPORT`: a report as files for people. */
#include "show/export/export.h"
#include "base/count.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cmd/export.h"
#include "cmd/pages.h"
#include "cmd/verbs.h"

enum { most_quiet_launches = 200 }; /* a page of more takes long enough for a message */

#define EXPORT(field, ...) WL_ROW(struct wl_export_options, field, __VA_ARGS__)

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("EXPORT"),
    EXPORT(html_path, TEXT, "html", 0, "FILE", "one self-contained page for a browser"),
    EXPORT(pdf_path, TEXT, "pdf", 0, "FILE", "the whole analysis as a PDF document"),
    EXPORT(svg_folder, TEXT, "svg", 0, "FOLDER", "the drawings of each launch: FOLDER/ID-NAME.svg"),
    EXPORT(png_folder, TEXT, "png", 0, "FOLDER", "the drawings of each launch: FOLDER/ID-NAME.png"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_CHROME], TEXT, "chrome", 0, "FILE",
           "of a trace: as JSON for chrome://tracing and ui.perfetto.dev"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_PERFETTO], TEXT, "perfetto", 0, "FILE",
           "of a trace: as Perfetto's protobuf"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_SPEEDSCOPE], TEXT, "speedscope", 0, "FILE",
           "of a trace: as JSON for speedscope.app"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_FOLDED], TEXT, "folded", 0, "FILE",
           "of a trace: stacks and their nanoseconds, for flame graphs"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_PPROF], TEXT, "pprof", 0, "FILE",
           "stacks of a trace, or source lines of launches, for pprof (.pb.gz)"),
    EXPORT(trace_paths[WL_TIMELINE_FORM_NSYS], TEXT, "nsys-sqlite", 0, "FILE",
           "of a trace: the main tables of `nsys export --type sqlite`"),
    EXPORT(baselines, LINES, "baseline", 0, "REPORT",
           "compare with this report on the page of --html; repeatable"),
    EXPORT(allows_unlike, FLAG, "allow-unlike", 0, NULL, "baselines of another GPU or clock too"),
    WL_OVERWRITE_ROW(struct wl_export_options, overwrite, "overwrite existing files"),
    EXPORT(pages.metrics.set, TEXT, "set", 0, "NAME",
           "set of sections: `warplens show --list-sets`"),
    EXPORT(pages.metrics.sections, COMMAS, "section", 0, "NAME",
           "a section: `warplens show --list-sections`; repeatable"),
    EXPORT(pages.metrics.metrics, COMMAS, "metrics", 0, "NAMES",
           "these metrics too, ',' between; 'regex:EXPRESSION' too"),
    WL_SECTION_FOLDER_ROW(struct wl_export_options, pages.metrics.section_folder, WL_OWN_SECTIONS),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_SETTINGS_TABLE(struct wl_export_options, WL_SETTINGS_LAUNCHES),
    WL_TABLE(struct wl_export_options, general, wl_general_rows),
    WL_TABLES_END,
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file that is there is replaced only where the user says so; a device always. */
static enum wl_code check_target(const char *path, const struct wl_export_options *options,
                                 struct wl_error *error)
{
    struct stat status;
    if (options->overwrite || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return WL_OK;
    wl_error_set(error, WL_ERR_OUTPUT, "the file exists already (%s)", path);
    return wl_error_set_hint(error, "-f replaces it");
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat status, other_status;
    return stat(path, &status) == 0 && stat(other, &other_status) == 0 &&
           status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino;
}

/* Looks at all targets before a report is read. */
static enum wl_code check_targets(const struct wl_export_options *options,
                                  const char *const *reports, size_t count, struct wl_error *error)
{
    const char *targets[2 + WL_TIMELINE_FORM_COUNT] = {options->html_path, options->pdf_path};
    enum wl_code code = WL_OK;
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT; form++)
        targets[2 + form] = options->trace_paths[form];
    for (size_t i = 0; i < WL_COUNT(targets) && !code; i++) {
        for (size_t j = 0; targets[i] && j < count && !code; j++)
            if (is_same_file(targets[i], reports[j]))
                code = wl_error_set(error, WL_ERR_OUTPUT,
                                    "what is exported would replace the report (%s)", reports[j]);
        if (targets[i] && !code)
            code = check_target(targets[i], options, error);
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

static enum wl_code export_pictures(const struct wl_export_options *options,
                                    struct wl_report *report, const struct wl_view_options *view,
                                    enum wl_export_picture form, const char *folder,
                                    const struct wl_console *console, struct wl_error *error)
{
    size_t written = 0;
    if (!folder)
        return WL_OK;
    enum wl_code code =
        wl_export_pictures(report, view, form, folder, options->overwrite, &written, error);
    if (!code)
        wl_console_say(console, "%zu drawings: %s", written, folder);
    return code;
}

static enum wl_code export_traces(const struct wl_export_options *options, struct wl_report *report,
                                  const struct wl_console *console, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    struct wl_error other = {0};
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT; form++) {
        const char *path = options->trace_paths[form];
        if (!path)
            continue;
        enum wl_code written =
            wl_export_trace(report, (enum wl_timeline_form)form, path, code ? &other : error);
        if (!written)
            wl_console_say(console, "trace: %s", path);
        code = code ? code : written;
    }
    return code;
}

/* One that fails does not keep the others from being written: the first error is reported at the
 * end, those that follow at once. */
static enum wl_code keep_first(enum wl_code code, enum wl_code next, const struct wl_error *trouble,
                               const struct wl_console *console, struct wl_error *error)
{
    if (!next)
        return code;
    if (!code)
        *error = *trouble;
    else
        wl_console_warn(console, trouble->hint[0] ? trouble->hint : NULL, "%s", trouble->message);
    return code ? code : next;
}

static enum wl_code export_files(const struct wl_export_options *options,
                                 const struct wl_export_report *reports, size_t count,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_view_options view;
    enum wl_code code = WL_OK;
    wl_pages_view(&options->pages, &options->settings, console->pages, &view);
    struct wl_error trouble = {0};
    if (options->html_path) {
        size_t launches = 0;
        wl_report_launches(reports[0].report, &launches);
        if (launches > most_quiet_launches)
            wl_console_say(console, "writing the page of %zu launches, which takes some seconds",
                           launches);
        code = wl_export_html(reports, count, options->allows_unlike, &view, options->html_path,
                              error);
        if (!code)
            wl_console_say(console, "page: %s", options->html_path);
    }
    if (options->pdf_path) {
        enum wl_code next = wl_export_pdf(&reports[0], &view, options->pdf_path, &trouble);
        if (!next)
            wl_console_say(console, "pages: %s", options->pdf_path);
        code = keep_first(code, next, &trouble, console, error);
    }
    trouble = (struct wl_error){0};
    enum wl_code next = export_traces(options, reports[0].report, console, &trouble);
    code = keep_first(code, next, &trouble, console, error);
    trouble = (struct wl_error){0};
    next = export_pictures(options, reports[0].report, &view, WL_EXPORT_SVG, options->svg_folder,
                           console, &trouble);
    code = keep_first(code, next, &trouble, console, error);
    trouble = (struct wl_error){0};
    next = export_pictures(options, reports[0].report, &view, WL_EXPORT_PNG, options->png_folder,
                           console, &trouble);
    return keep_first(code, next, &trouble, console, error);
}

enum wl_code wl_export(struct wl_export_options *options, const struct wl_arguments *arguments,
                       const struct wl_console *console, struct wl_error *error)
{
    bool has_target =
        options->html_path || options->pdf_path || options->svg_folder || options->png_folder;
    for (int form = 0; form < WL_TIMELINE_FORM_COUNT; form++)
        has_target = has_target || options->trace_paths[form];
    if (arguments->count != 1 || !has_target) {
        if (arguments->count != 1)
            wl_error_set(error, WL_ERR_USAGE, "export takes one report, not %zu", arguments->count);
        else
            wl_error_set(error, WL_ERR_USAGE,
                         "export needs --html, --pdf, --svg, --png or a trace format");
        return wl_error_set_hint(error, "warplens export REPORT.wlr --html FILE.html");
    }
    if (options->baselines.length && !options->html_path) {
        wl_error_set(error, WL_ERR_USAGE, "--baseline is for --html");
        return wl_error_set_hint(error, "warplens diff BASE.wlr NEW.wlr");
    }
    const char **paths = NULL;
    size_t count = list_reports(arguments->items[0], &options->baselines, &paths);
    struct wl_export_report *reports = wl_alloc_zero(count, sizeof *reports);
    enum wl_code code = check_targets(options, paths, count, error);
    for (size_t i = 0; i < count && !code; i++) {
        reports[i].name = file_name(paths[i]);
        code = wl_report_open(paths[i], &reports[i].report, error);
    }
    if (!code)
        code = export_files(options, reports, count, console, error);
    for (size_t i = 0; i < count; i++)
        if (reports[i].report)
            wl_report_close(reports[i].report);
    free(reports);
    free(paths);
    return code;
}

void wl_export_init(void *options)
{
    struct wl_export_options *export = options;
    wl_page_options_init(&export->pages);
    wl_settings_init_unchosen(&export->settings);
}

void wl_export_release(void *options)
{
    struct wl_export_options *export = options;
    wl_settings_free(&export->settings);
}

static enum wl_code export_report(void *options, const struct wl_arguments *arguments,
                                  const struct wl_console *console, struct wl_error *error)
{
    return wl_export(options, arguments, console, error);
}

const struct wl_verb wl_verb_export = {
    .name = "export",
    .usage = "export --html FILE [options] REPORT",
    .summary = "write a report as one HTML page or PDF, and its drawings as SVG or PNG",
    .options_bytes = sizeof(struct wl_export_options),
    .tables = tables,
    .init = wl_export_init,
    .release = wl_export_release,
    .work = export_report,
};
