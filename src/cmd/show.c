#include "cmd/show.h"

#include <string.h>

#include "cmd/lists.h"
#include "cmd/pages.h"
#include "cmd/verbs.h"
#include "report/report.h"
#include "show/page/timeline_tables.h"

static const struct wl_option table_rows[] = {
    WL_ROWS_HEADING("TABLES"),
    WL_ROW(struct wl_show_options, tables, COMMAS, "report", 'r', "NAMES",
           "tables of a trace, ',' between: cuda_api_sum, cuda_gpu_kern_sum, …; 'all': all "
           "summaries"),
    WL_ROWS_END,
};

static const struct wl_option recovery_rows[] = {
    WL_ROWS_HEADING("A RUN THAT WAS CUT OFF"),
    WL_ROW(struct wl_show_options, import_source, SWITCH, "import-source", 0, "yes|no",
           "keep the text of the source files in the report that is made of its streams; default: "
           "no"),
    WL_ROW(struct wl_show_options, source_folders, COLONS, "source-folders", 0, "FOLDERS",
           "where to look for them besides the working folder; ':' between"),
    WL_ROWS_END,
};

const struct wl_option_table wl_show_tables[] = {
    WL_TABLE(struct wl_show_options, pages, wl_page_rows),
    {table_rows, 0, 0},
    WL_SETTINGS_TABLE(struct wl_show_options, WL_SETTINGS_LAUNCHES),
    {recovery_rows, 0, 0},
    WL_TABLE(struct wl_show_options, general, wl_general_rows),
    {wl_refused_rows, 0, 0},
    WL_TABLES_END,
};

void wl_show_init(void *options)
{
    struct wl_show_options *show = options;
    wl_page_options_init(&show->pages);
    wl_settings_init_unchosen(&show->settings);
}

void wl_show_release(void *options)
{
    struct wl_show_options *show = options;
    wl_settings_free(&show->settings);
}

enum wl_code wl_show_report(const char *path, const struct wl_page_options *options,
                            const char *tables, const struct wl_settings *filter,
                            const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_page_options pages = *options; /* borrows its texts */
    bool has_tables = tables && *tables;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool is_plain = !wl_pages_are_requested(options) && !has_tables;
    bool is_of_trace = is_plain && !launch_count && wl_report_event_count(report);
    if (is_of_trace) /* its findings: there is no other page of it */
        pages.page = WL_PAGE_ADVICE;
    if (has_tables) {
        struct wl_view_options view;
        wl_pages_view(options, filter, console->pages, &view);
        code = wl_view_trace_tables(report, strcmp(tables, "all") == 0 ? NULL : tables, view.format,
                                    console->pages, error);
    } else {
        code = wl_pages_print(report, path, &pages, filter, console, error);
    }
    if (is_of_trace && !code)
        wl_console_say(console, "tables of its events: warplens show %s --report all", path);
    wl_report_close(report);
    return code;
}

enum wl_code wl_show(const struct wl_show_options *options, const struct wl_arguments *arguments,
                     const struct wl_console *console, struct wl_error *error)
{
    const struct wl_page_options *pages = &options->pages;
    enum wl_code code = wl_page_options_check(pages, error);
    if (code)
        return code;
    if (wl_lists_are_requested(&pages->lists))
        return wl_lists_print(&pages->lists, pages->metrics.section_folder, NULL, console, error);
    if (arguments->count != 1) {
        wl_error_set(error, WL_ERR_USAGE, "show takes one report, not %zu", arguments->count);
        return wl_error_set_hint(error, "warplens show REPORT.wlr --page details");
    }
    struct wl_report *report = NULL;
    if (options->import_source) {
        code = wl_report_open_with_sources(arguments->items[0], options->source_folders.data,
                                           &report, error);
        wl_report_close(report);
    }
    return code ? code
                : wl_show_report(arguments->items[0], pages, options->tables.data,
                                 &options->settings, console, error);
}

static enum wl_code show(void *options, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error)
{
    return wl_show(options, arguments, console, error);
}

const struct wl_verb wl_verb_show = {
    .name = "show",
    .usage = "show [options] REPORT",
    .summary = "print pages of a report",
    .options_bytes = sizeof(struct wl_show_options),
    .tables = wl_show_tables,
    .init = wl_show_init,
    .release = wl_show_release,
    .work = show,
};
