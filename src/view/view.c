#include "view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collect/pattern.h"
#include "view/context.h"
#include "view/fields.h"
#include "warplens/version.h"

enum { default_width = 120, least_width = 60 };

static const struct page {
    const char *name;
    wl_view_page_print *print[WL_FORMAT_COUNT]; /* NULL: not in this format */
} pages[] = {
    [WL_PAGE_SUMMARY] = {"summary",
                         {wl_page_summary_text, wl_page_summary_csv, wl_page_summary_json}},
    [WL_PAGE_DETAILS] = {"details",
                         {wl_page_details_text, wl_page_details_csv, wl_page_details_json}},
    [WL_PAGE_SOURCE] = {"source", {wl_page_source_text, wl_page_source_csv, wl_page_source_json}},
    [WL_PAGE_RAW] = {"raw", {wl_page_raw_text, wl_page_raw_csv, wl_page_raw_json}},
    [WL_PAGE_SESSION] = {"session",
                         {wl_page_session_text, wl_page_session_csv, wl_page_session_json}},
    [WL_PAGE_ADVICE] = {"advice",
                        {wl_page_advice_text, wl_page_advice_csv, wl_page_advice_json,
                         wl_page_advice_sarif, wl_page_advice_markdown}},
    [WL_PAGE_WHATIF] = {"whatif", {wl_page_whatif_text, wl_page_whatif_csv, wl_page_whatif_json}},
    [WL_PAGE_GUIDE] = {"guide", {wl_page_guide_text}},
};
static wl_view_page_print *const group_pages[] = {wl_page_groups_text, wl_page_groups_csv,
                                                  wl_page_groups_json};

void wl_view_flush(struct wl_view_context *context)
{
    if (context->text.length)
        fwrite(context->text.data, 1, context->text.length, context->out);
    context->text.length = 0;
}

/* Launches by -k, -s and -c; a name is looked for in the function's name, as when profiling. */
static enum wl_code choose_launches(struct wl_view_context *context, struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    struct wl_pattern pattern = {0};
    if (options->kernel_name && options->kernel_name[0] != '\0') {
        enum wl_code code =
            wl_pattern_parse("--kernel-name", options->kernel_name, &pattern, error);
        if (code != WL_OK)
            return code;
    }
    size_t count = 0;
    uint64_t skipped = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    context->launches = wl_alloc_zero(count, sizeof *context->launches);
    for (size_t i = 0; i < count; i++) {
        const struct wl_report_kernel *kernel = launches[i].kernel;
        const char *name = kernel && kernel->record.function ? kernel->record.function : "";
        if (!wl_pattern_matches(&pattern, name))
            continue;
        if (skipped++ < options->launch_skip)
            continue;
        if (options->launch_count && context->launch_count >= options->launch_count)
            break;
        context->launches[context->launch_count++] = &launches[i];
    }
    wl_pattern_free(&pattern);
    if (context->launch_count == 0 && options->page != WL_PAGE_SESSION) {
        wl_error_set(error, WL_ERR_NOTHING,
                     count ? "no launch of the report is chosen by these options"
                           : "the report holds no kernel launch");
        return wl_error_set_hint(error, "%s",
                                 count ? "see --page summary without --kernel-name, "
                                         "--launch-skip and --launch-count"
                                       : "see --page session for what was skipped or failed");
    }
    return WL_OK;
}

/* Sections of the details page. All is counted anyway, so that without a choice all is shown. */
static enum wl_code choose_sections(struct wl_view_context *context, struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    bool is_free = !options->sections && !options->set && !options->metrics;
    size_t count = 0;
    wl_sections_all(context->sections, &count);
    context->chosen = wl_alloc_zero(count, sizeof *context->chosen);
    return wl_sections_choose(context->sections, options->sections, is_free ? "full" : options->set,
                              context->chosen, &context->chosen_count, error);
}

/* Names of --metrics; those that only launches have are looked for in the first few. */
static enum wl_code choose_metrics(struct wl_view_context *context, struct wl_error *error)
{
    if (!context->options->metrics)
        return WL_OK;
    struct wl_metric_set *sets[8];
    size_t count = context->launch_count < 8 ? context->launch_count : 8;
    for (size_t i = 0; i < count; i++)
        sets[i] = wl_metric_set_create(context->catalog, context->launches[i]);
    enum wl_code code = wl_metric_names_parse(context->catalog, sets, count,
                                              context->options->metrics, &context->names, error);
    for (size_t i = 0; i < count; i++)
        wl_metric_set_free(sets[i]);
    return code;
}

static enum wl_code choose(struct wl_view_context *context, struct wl_error *error)
{
    const char *folder = context->options->section_folder;
    enum wl_code code = wl_metric_catalog_create(folder, &context->catalog, error);
    if (code == WL_OK)
        code = wl_sections_load(context->catalog, folder, &context->sections, error);
    if (code == WL_OK)
        code = choose_launches(context, error);
    if (code == WL_OK)
        code = choose_sections(context, error);
    return code == WL_OK ? choose_metrics(context, error) : code;
}

static enum wl_code print_page(struct wl_view_context *context, struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    const struct page *page = &pages[options->page];
    wl_view_page_print *print = page->print[options->format];
    bool is_grouped = options->summary != WL_SUMMARY_NONE;
    if (!print) {
        wl_error_set(error, WL_ERR_USAGE, "the page %s cannot be printed in this format",
                     page->name);
        return wl_error_set_hint(
            error, "--sarif and --markdown are for --page advice, the page guide is only text");
    }
    if (is_grouped) {
        if (options->page != WL_PAGE_DETAILS && options->page != WL_PAGE_RAW) {
            wl_error_set(error, WL_ERR_USAGE, "--print-summary cannot be of the page %s",
                         page->name);
            return wl_error_set_hint(error, "--page details or --page raw");
        }
        if (options->format >= sizeof group_pages / sizeof *group_pages)
            return wl_error_set(error, WL_ERR_USAGE,
                                "--print-summary cannot be printed in this format");
        print = group_pages[options->format];
    }
    if (options->format == WL_FORMAT_JSON) {
        context->root =
            json_pack("{s:s, s:s, s:{s:s, s:s}}", "schema", "warplens/1", "page", page->name,
                      "generator", "name", "warplens", "version", WL_VERSION_STRING);
    }
    enum wl_code code = print(context, error);
    if (code != WL_OK)
        return code;
    if (context->root) {
        char *dump = json_dumps(context->root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        if (!dump)
            return wl_error_set(error, WL_ERR_INTERNAL, "the page could not be written as JSON");
        wl_text_add(&context->text, dump);
        wl_text_add_char(&context->text, '\n');
        free(dump);
    }
    wl_view_flush(context);
    if (fflush(context->out) != 0 || ferror(context->out))
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the page: %s", strerror(errno));
    return WL_OK;
}

enum wl_code wl_view_print(struct wl_report *report, const struct wl_view_options *options,
                           FILE *out, struct wl_error *error)
{
    struct wl_view_context context = {
        .report = report,
        .options = options,
        .out = out,
        .width = options->width == 0            ? default_width
                 : options->width < least_width ? least_width
                                                : options->width,
    };
    enum wl_code code = choose(&context, error);
    if (code == WL_OK)
        code = print_page(&context, error);
    json_decref(context.root);
    wl_text_free(&context.text);
    wl_metric_names_free(&context.names);
    free(context.launches);
    free(context.chosen);
    wl_sections_free(context.sections);
    wl_metric_catalog_free(context.catalog);
    return code;
}
