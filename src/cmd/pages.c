#include "cmd/pages.h"

#include <stdlib.h>
#include <unistd.h>

/* More launches than the first get a row each, more than the second only one for each kernel. */
enum { many_launches = 20, too_many_launches = 500 };

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

void wl_pages_view(const struct wl_page_options *options, const struct wl_settings *filter,
                   FILE *out, struct wl_view_options *view)
{
    bool is_terminal = isatty(fileno(out));
    const char *no_color = getenv("NO_COLOR");
    bool is_text = !options->csv && !options->json && !options->sarif && !options->markdown;
    *view = (struct wl_view_options){
        .page = options->page < 0 ? WL_PAGE_DETAILS : (enum wl_view_page)options->page,
        .format = options->csv        ? WL_FORMAT_CSV
                  : options->json     ? WL_FORMAT_JSON
                  : options->sarif    ? WL_FORMAT_SARIF
                  : options->markdown ? WL_FORMAT_MARKDOWN
                                      : WL_FORMAT_TEXT,
        .units = options->units == WL_UNITS_BASE || !is_text ? WL_UNITS_BASE : WL_UNITS_AUTO,
        .summary = options->summary < 0 ? WL_SUMMARY_NONE : (enum wl_view_summary)options->summary,
        .sections = options->metrics.sections.data,
        .set = options->metrics.set,
        .section_folder = options->metrics.section_folder,
        .metrics = options->metrics.metrics.data,
        .top = options->top,
        .rules = options->rules.data,
        .has_findings = options->applies_rules,
        .has_rule_details = options->has_rule_details,
        .details = (enum wl_view_details)options->details,
        .metric_name = (enum wl_view_metric_name)options->metric_name,
        .percent = options->percent,
        .view_source = options->print_source,
        .width = (uint32_t)wl_console_width(out),
        .color = is_terminal && !(no_color && *no_color),
    };
    if (filter) {
        view->kernel_name = text_or_null(filter->kernel_name);
        view->launch_skip = filter->launch_skip;
        view->launch_count = filter->launch_count;
        view->ranks = text_or_null(filter->ranks);
    }
    if (options->top && options->page < 0)
        view->page = WL_PAGE_SOURCE;
    if ((options->sarif || options->markdown || options->rules.data) && options->page < 0)
        view->page = WL_PAGE_ADVICE;
}

bool wl_pages_are_requested(const struct wl_page_options *options)
{
    return options->page >= 0 || options->csv || options->json || options->summary >= 0 ||
           options->top || options->sarif || options->markdown || options->rules.length;
}

enum wl_code wl_pages_print(struct wl_report *report, const char *path,
                            const struct wl_page_options *options, const struct wl_settings *filter,
                            const struct wl_console *console, struct wl_error *error)
{
    struct wl_view_options view;
    wl_pages_view(options, filter, console->pages, &view);
    view.report_path = path;
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool has_filter = view.kernel_name || view.launch_skip || view.launch_count;
    bool has_choice =
        options->metrics.sections.length || options->metrics.set || options->metrics.metrics.length;
    bool is_free = !wl_pages_are_requested(options) && !has_choice && !has_filter;
    bool is_long = is_free && launch_count > many_launches;
    bool is_too_long = is_free && launch_count > too_many_launches;
    if (is_too_long) {
        view.summary = WL_SUMMARY_PER_KERNEL;
        view.set = "basic";
    } else if (is_long) {
        view.page = WL_PAGE_SUMMARY;
    }
    enum wl_code code = wl_view_print(report, &view, console->pages, error);
    if (code)
        return code;
    if (is_long) {
        wl_console_say(console, "%zu launches: `warplens show %s --page %s` shows each",
                       launch_count, path, is_too_long ? "summary" : "details");
    } else if (is_free) {
        view.page = WL_PAGE_SUMMARY;
        code = wl_view_print(report, &view, console->pages, error);
    }
    return code;
}
