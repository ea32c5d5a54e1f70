/* The section session: the page of that name, and what the marks mean. */
#include "export/html.h"
#include "view/fields.h"

/* What a page prints as JSON, of the first report. */
static json_t *take_page(struct wl_html *html, wl_view_page_print *print, struct wl_error *error)
{
    struct wl_view_context *context = &html->contexts[0];
    context->root = json_object();
    enum wl_code code = print(context, error);
    json_t *root = context->root;
    context->root = NULL;
    if (!code)
        return root;
    json_decref(root);
    return NULL;
}

enum wl_code wl_html_session(struct wl_html *html, json_t *section, struct wl_error *error)
{
    json_t *page = take_page(html, wl_page_session_json, error);
    if (!page)
        return error->code;
    json_object_update(section, page);
    json_decref(page);
    json_t *marks = json_array();
    for (int mark = WL_MARK_EXACT; mark <= WL_MARK_PREDICTED; mark++) {
        const char sign[] = {wl_metric_mark_sign((enum wl_mark)mark), '\0'};
        json_array_append_new(
            marks, json_pack("{s:s, s:s, s:s}", "name", wl_metric_mark_name((enum wl_mark)mark),
                             "sign", sign, "meaning", wl_mark_meaning((enum wl_mark)mark)));
    }
    json_object_set_new(section, "marks", marks);
    return WL_OK;
}
