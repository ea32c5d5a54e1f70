/* pages REPORT: pages of a report as `warplens show REPORT` prints them, one after another, each
 * behind a line with its options and its bytes. The rules run once for all of them, as in no run of
 * warplens; check.py compares. */
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "show/page/context.h"

static const struct {
    const char *options;
    enum wl_view_page page;
    enum wl_view_format format;
} pages[] = {
    {"--page advice --json", WL_PAGE_ADVICE, WL_FORMAT_JSON},
    {"--page whatif --json", WL_PAGE_WHATIF, WL_FORMAT_JSON},
    {"--sarif", WL_PAGE_ADVICE, WL_FORMAT_SARIF},
    {"--page guide", WL_PAGE_GUIDE, WL_FORMAT_TEXT},
    {"--page advice", WL_PAGE_ADVICE, WL_FORMAT_TEXT},
    {"--page details", WL_PAGE_DETAILS, WL_FORMAT_TEXT},
    {"--page details --json", WL_PAGE_DETAILS, WL_FORMAT_JSON},
    {"--page summary --json", WL_PAGE_SUMMARY, WL_FORMAT_JSON},
};

/* A page that there is not of this report has no bytes. */
static void print(struct wl_view_context *context, struct wl_view_options *options, size_t i)
{
    char *text = NULL;
    size_t bytes = 0;
    struct wl_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    options->page = pages[i].page;
    options->format = pages[i].format;
    options->units = options->format == WL_FORMAT_TEXT ? WL_UNITS_AUTO : WL_UNITS_BASE;
    enum wl_code code = wl_view_context_print(context, out, &error);
    fclose(out);
    wl_error_clear(&error);
    printf("%s: %zu\n", pages[i].options, code == WL_OK ? bytes : 0);
    if (code == WL_OK)
        fwrite(text, 1, bytes, stdout);
    free(text);
}

int main(int count, char **words)
{
    struct wl_report *report = NULL;
    struct wl_view_context context;
    struct wl_view_options options = {
        .page = WL_PAGE_ADVICE, .report_path = words[1], .has_findings = true};
    struct wl_error error = {0};
    if (count != 2 || wl_report_open(words[1], &report, &error)) {
        fprintf(stderr, "pages: %s\n", count == 2 ? error.message : "which report?");
        return 1;
    }
    enum wl_code code = wl_view_context_open(report, &options, &context, &error);
    for (size_t i = 0; code == WL_OK && i < WL_COUNT(pages); i++)
        print(&context, &options, i);
    wl_view_context_close(&context);
    wl_report_close(report);
    return code != WL_OK;
}
