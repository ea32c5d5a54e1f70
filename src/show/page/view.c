#include "show/page/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "show/page/context.h"

static const struct wl_page *const pages[] = {
#define WL_PAGE_ROW(id, name) [WL_PAGE_##id] = &wl_page_##name,
#include "show/page/pages.def"
#undef WL_PAGE_ROW
};

const char wl_view_page_list[] =
#define WL_PAGE_ROW(id, name) "|" #name
#include "show/page/pages.def"
#undef WL_PAGE_ROW
    ;

int wl_view_page_find(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(pages); i++)
        if (strcmp(pages[i]->name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- a page into a sink ---- */

struct visit {
    const struct wl_page *page;
    struct wl_view_context *context;
};

static enum wl_code walk(void *self, struct wl_page_sink *sink, struct wl_error *error)
{
    const struct visit *visit = self;
    return visit->page->walk(visit->context, sink, error);
}

enum wl_code wl_page_to_text(const struct wl_page *page, struct wl_view_context *context,
                             char **text, struct wl_error *error)
{
    size_t size = 0;
    struct visit visit = {page, context};
    struct wl_sink_setup setup = {.out = open_memstream(text, &size),
                                  .width = context->options->width,
                                  .units = context->options->units,
                                  .has_color = context->options->color};
    if (!setup.out)
        return wl_error_set(error, WL_ERR_MEMORY, "out of memory");
    enum wl_code code = wl_sink_run(WL_FORMAT_TEXT, &setup, walk, &visit, error);
    fclose(setup.out);
    return code;
}

enum wl_code wl_page_to_json(const struct wl_page *page, struct wl_view_context *context,
                             json_t **object, struct wl_error *error)
{
    struct visit visit = {page, context};
    struct wl_page_sink *sink = wl_sink_json(&(struct wl_sink_setup){0});
    enum wl_code code = wl_sink_walk(sink, walk, &visit, error);
    *object = wl_sink_json_take(sink);
    sink->free(sink);
    return code;
}

static enum wl_code write_document(struct wl_view_context *context, const struct wl_page *page,
                                   FILE *out, struct wl_error *error)
{
    struct wl_text text = {0};
    enum wl_code code = page->document[context->options->format](context, &text, error);
    if (code == WL_OK)
        fwrite(text.data, 1, text.length, out);
    if (code == WL_OK && (fflush(out) != 0 || ferror(out)))
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot write the page: %s", strerror(errno));
    wl_text_free(&text);
    return code;
}

/* The page that the options want; NULL: there is none like it. */
static const struct wl_page *choose_page(const struct wl_view_options *options,
                                         struct wl_error *error)
{
    const struct wl_page *page = pages[options->page];
    bool is_document = options->format > WL_FORMAT_JSON;
    if (is_document && !page->document[options->format]) {
        wl_error_set(error, WL_ERR_USAGE, "the page %s cannot be printed in this format",
                     page->name);
        wl_error_set_hint(error, "--sarif and --markdown are for --page advice");
        return NULL;
    }
    if (options->summary == WL_SUMMARY_NONE)
        return page;
    if (page->has_summary)
        return &wl_page_groups;
    wl_error_set(error, WL_ERR_USAGE, "--print-summary cannot be of the page %s", page->name);
    wl_error_set_hint(error, "--page details or --page raw");
    return NULL;
}

enum wl_code wl_view_context_print(struct wl_view_context *context, FILE *out,
                                   struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    const struct wl_page *page = choose_page(options, error);
    struct visit visit = {page, context};
    struct wl_sink_setup setup = {.out = out,
                                  .page = pages[options->page]->name,
                                  .width = options->width,
                                  .units = options->units,
                                  .has_color = options->color};
    if (!page)
        return WL_ERR_USAGE;
    if (options->format > WL_FORMAT_JSON)
        return write_document(context, page, out, error);
    return wl_sink_run(options->format, &setup, walk, &visit, error);
}

enum wl_code wl_view_print(struct wl_report *report, const struct wl_view_options *options,
                           FILE *out, struct wl_error *error)
{
    struct wl_view_context context;
    enum wl_code code = wl_view_context_open(report, options, &context, error);
    if (code == WL_OK)
        code = wl_view_context_print(&context, out, error);
    wl_view_context_close(&context);
    return code;
}
