#include "show/page/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "show/page/context.h"
#include "show/page/fields.h"
#include "warplens/version.h"

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
    struct wl_view_context context;
    enum wl_code code = wl_view_context_open(report, options, out, &context, error);
    if (code == WL_OK)
        code = print_page(&context, error);
    wl_view_context_close(&context);
    return code;
}
