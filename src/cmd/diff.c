/* `warplens diff BASE NEW [MORE]`: what changed between reports. */
#include "show/page/diff.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cmd/export.h"
#include "cmd/verbs.h"

struct options {
    struct wl_general_options general;
    struct wl_text metrics, fail_on;
    const char *html_path, *section_folder;
    bool compares_all, json, overwrite, allows_unlike;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("COMPARISON"),
    WL_ROW(struct options, metrics, COMMAS, "metrics", 0, "NAMES",
           "compare these metrics; default: time and what explains it"),
    WL_ROW(struct options, compares_all, FLAG, "all", 0, NULL,
           "compare every metric of the baseline"),
    WL_ROW(struct options, fail_on, COMMAS, "fail-on", 0, "METRIC:N%",
           "exit status 11 if METRIC grew by more than N % (METRIC:-N%: fell); 'time' is the "
           "duration, 'finding' a new finding"),
    WL_ROW(struct options, json, FLAG, "json", 0, NULL, "as JSON, in base units"),
    WL_ROW(struct options, html_path, TEXT, "html", 0, "FILE",
           "as a page for a browser: as `warplens export NEW --html FILE --baseline BASE`"),
    WL_OVERWRITE_ROW(struct options, overwrite, "overwrite an existing page"),
    WL_ROW(struct options, allows_unlike, FLAG, "allow-unlike", 0, NULL,
           "compare reports of different GPUs or clocks too"),
    WL_SECTION_FOLDER_ROW(struct options, section_folder, WL_OWN_METRICS),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

static enum wl_code diff(const struct options *options, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error)
{
    if (arguments->count < 2) {
        wl_error_set(error, WL_ERR_USAGE, "diff takes a baseline and at least one other report");
        return wl_error_set_hint(error, "warplens diff BASE.wlr NEW.wlr");
    }
    enum wl_code code = WL_OK;
    struct wl_diff_report *reports = wl_alloc_zero(arguments->count, sizeof *reports);
    for (size_t i = 0; i < arguments->count && !code; i++) {
        reports[i].name = arguments->items[i];
        code = wl_report_open(arguments->items[i], &reports[i].report, error);
    }
    struct wl_diff_options asked = {
        .metrics = options->metrics.data,
        .fail_on = options->fail_on.data,
        .section_folder = options->section_folder,
        .is_all = options->compares_all,
        .json = options->json,
        .allows_unlike = options->allows_unlike,
    };
    if (!code)
        code = wl_view_diff(reports, arguments->count, &asked, console->pages, error);
    for (size_t i = 0; i < arguments->count; i++)
        if (reports[i].report)
            wl_report_close(reports[i].report);
    free(reports);
    return code;
}

/* --html: the page of the second report, with the others as baselines, is made by the verb export.
 */
static enum wl_code export_page(const struct options *options, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    struct wl_export_options page = {.html_path = options->html_path,
                                     .allows_unlike = options->allows_unlike,
                                     .overwrite = options->overwrite};
    const struct wl_arguments report = {arguments->items + 1, 1};
    wl_export_init(&page);
    page.pages.metrics.metrics = options->metrics; /* borrowed */
    page.pages.metrics.section_folder = options->section_folder;
    for (size_t i = 0; i < arguments->count; i++)
        if (i != 1)
            wl_text_addf(&page.baselines, "%s%s", page.baselines.length ? "\n" : "",
                         arguments->items[i]);
    enum wl_code code = wl_export(&page, &report, console, error);
    wl_text_free(&page.baselines);
    wl_export_release(&page);
    return code;
}

static enum wl_code run(void *given, const struct wl_arguments *arguments,
                        const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    if (options->html_path && arguments->count > 1)
        return export_page(options, arguments, console, error);
    return diff(options, arguments, console, error);
}

const struct wl_verb wl_verb_diff = {
    .name = "diff",
    .usage = "diff BASE NEW [MORE]",
    .summary = "compare reports with a baseline",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .work = run,
};
