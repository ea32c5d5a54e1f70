/* The HTML page: template, style, scripts and data put together. */
#include "show/export/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/embedded.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "report/tables.h"
#include "show/draw/inks.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "warplens/version.h"

/* Sections in the order in which they stand in the page. */
static const struct {
    const char *name;
    wl_html_section *fill;
    bool is_of_launches; /* left out where there is none */
} sections[] = {
    {"launches", wl_html_launches, true},
    {"drawings", wl_html_drawings, true},
    {"whatif", wl_html_whatif, true},
    {"timeline", wl_html_timeline, false},
    {"advice", wl_html_advice, false},
    {"guide", wl_html_guide, false},
    {"source", wl_html_source, true},
    {"compare", wl_html_compare, true},
    {"session", wl_html_session, false},
    {"definitions", wl_html_definitions, false}, /* last: the others say which */
};

/* ---- data ---- */

/* A text as it is shown: what could change the look of the text around it is written \uNNNN. */
static json_t *safe_text(const char *text)
{
    struct wl_text safe = {0}, line = {0};
    for (const char *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, '\n');
        line.length = 0;
        wl_text_add_bytes(&line, text, end ? (size_t)(end - text) : strlen(text));
        wl_format_safe(line.data ? line.data : "", &safe);
        if (end)
            wl_text_add_char(&safe, '\n');
    }
    json_t *string = json_stringn(safe.data ? safe.data : "", safe.length);
    wl_text_free(&safe);
    wl_text_free(&line);
    return string;
}

/* Makes every text below node safe. */
static void make_safe(json_t *node)
{
    const char *key;
    json_t *member;
    void *next;
    size_t index;
    json_object_foreach_safe(node, next, key, member)
    {
        if (json_is_string(member))
            json_object_set_new(node, key, safe_text(json_string_value(member)));
        else
            make_safe(member);
    }
    json_array_foreach(node, index, member)
    {
        if (json_is_string(member))
            json_array_set_new(node, index, safe_text(json_string_value(member)));
        else
            make_safe(member);
    }
}

/* JSON that holds nothing a parser of HTML would look at: only ASCII, and no <, > or &. */
static void add_json(const json_t *data, struct wl_text *out)
{
    char *dump = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    for (const char *at = dump; at && *at != '\0';) {
        size_t plain = strcspn(at, "<>&");
        wl_text_add_bytes(out, at, plain);
        at += plain;
        if (*at != '\0')
            wl_text_addf(out, "\\u%04x", (unsigned)*at++);
    }
    free(dump);
}

static enum wl_code add_sections(struct wl_html *html, struct wl_text *out, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < WL_COUNT(sections) && !code; i++) {
        if (sections[i].is_of_launches && !html->set)
            continue;
        json_t *data = json_object();
        code = sections[i].fill(html, data, error);
        make_safe(data);
        if (!code && json_object_size(data) > 0) {
            wl_text_addf(out, "<script type=\"application/json\" id=\"data-%s\">",
                         sections[i].name);
            add_json(data, out);
            wl_text_add(out, "</script>\n");
        }
        json_decref(data);
    }
    return code;
}

/* ---- template ---- */

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* All files of data/html/ of a kind, in order of name. */
static void add_files(const char *ending, struct wl_text *out)
{
    for (const struct wl_embedded_file *file = wl_embedded_html; file->name; file++)
        if (ends_in(file->name, ending))
            wl_text_add_bytes(out, file->content, file->size_bytes);
}

static void add_title(const char *name, struct wl_text *out)
{
    struct wl_text safe = {0};
    wl_format_safe(name, &safe);
    wl_format_markup(safe.data, out);
    wl_text_free(&safe);
}

/* The hash by which the page's security policy knows its script, and runs no other. */
static void add_hash(const struct wl_text *script, struct wl_text *out)
{
    unsigned char bytes[WL_SHA256_HEX_LENGTH / 2];
    char hex[WL_SHA256_HEX_LENGTH + 1];
    wl_sha256_of(script->data, script->length, hex);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] =
            (unsigned char)strtoul((const char[]){hex[2 * i], hex[2 * i + 1], '\0'}, NULL, 16);
    wl_base64_add(bytes, sizeof bytes, out);
}

struct piece {
    const char *name;
    struct wl_text text;
};

/* Puts pieces (ended by a NULL name) for {{NAME}} in the template. */
static void fill_template(const struct piece *pieces, struct wl_text *out)
{
    struct wl_text template = {0};
    add_files(".html", &template);
    const char *at = template.data;
    for (const char *open; (open = strstr(at, "{{"));) {
        wl_text_add_bytes(out, at, (size_t)(open - at));
        at = open;
        for (const struct piece *piece = pieces; piece->name; piece++) {
            size_t length = strlen(piece->name);
            if (strncmp(open + 2, piece->name, length) != 0 || open[2 + length] != '}')
                continue;
            wl_text_add_bytes(out, piece->text.data, piece->text.length);
            at = open + length + 4;
        }
        if (at == open)
            wl_text_add_bytes(out, at++, 1);
    }
    wl_text_add(out, at);
    wl_text_free(&template);
}

/* Puts data into the template. policy: what the page may load besides what it carries. */
static void assemble(const char *title, const char *policy, const struct wl_text *data,
                     struct wl_text *page)
{
    struct piece pieces[] = {{"title", {0}},  {"generator", {0}}, {"style", {0}},  {"hash", {0}},
                             {"script", {0}}, {"data", {0}},      {"policy", {0}}, {NULL, {0}}};
    add_title(title, &pieces[0].text);
    wl_text_add(&pieces[1].text, "warplens " WL_VERSION_STRING);
    wl_ink_style(&pieces[2].text);
    add_files(".css", &pieces[2].text);
    add_files(".js", &pieces[4].text);
    add_hash(&pieces[4].text, &pieces[3].text);
    wl_text_add_bytes(&pieces[5].text, data->data, data->length);
    wl_text_add(&pieces[6].text, policy);
    fill_template(pieces, page);
    for (struct piece *piece = pieces; piece->name; piece++)
        wl_text_free(&piece->text);
}

/* ---- pages ---- */

struct wl_export_page {
    struct wl_html html;
    struct wl_view_options view;
    size_t open_count;
};

enum wl_code wl_export_page_open(const struct wl_export_report *reports, size_t count,
                                 bool allows_unlike, const struct wl_view_options *view,
                                 struct wl_export_page **opened, struct wl_error *error)
{
    struct wl_export_page *page = wl_alloc_zero(1, sizeof *page);
    struct wl_html *html = &page->html;
    enum wl_code code = WL_OK;
    page->view = *view;
    page->view.width = 0;
    page->view.page = WL_PAGE_ADVICE; /* a report with a trace needs no launches for it */
    page->view.color = false;
    if (!page->view.report_path)
        page->view.report_path = reports[0].name; /* of the commands that the walk names */
    html->reports = reports;
    html->report_count = count;
    html->allows_unlike = allows_unlike;
    html->contexts = wl_alloc_zero(count, sizeof *html->contexts);
    for (size_t i = 0; i < count && !code; i++) {
        code = wl_view_context_open(reports[i].report, &page->view, &html->contexts[i], error);
        page->open_count++;
        if (code)
            wl_error_set_where(error, "%s", reports[i].name);
    }
    if (!code)
        code = wl_rules_load(html->contexts[0].catalog, page->view.section_folder, &html->rules,
                             error);
    if (!code && html->contexts[0].launch_count)
        html->set = wl_metric_set_create(html->contexts[0].catalog, html->contexts[0].launches[0]);
    html->definitions = json_object();
    *opened = page;
    if (code) {
        wl_export_page_close(page);
        *opened = NULL;
    }
    return code;
}

void wl_export_page_close(struct wl_export_page *page)
{
    if (!page)
        return;
    json_decref(page->html.definitions);
    wl_metric_set_free(page->html.set);
    wl_rules_free(page->html.rules);
    for (size_t i = 0; i < page->open_count; i++)
        wl_view_context_close(&page->html.contexts[i]);
    free(page->html.contexts);
    free(page);
}

static enum wl_code fill_nothing(struct wl_html *html, json_t *section, struct wl_error *error)
{
    (void)html, (void)section, (void)error;
    return WL_OK;
}

/* Which parts there are, known without making them. */
static enum wl_code fill_parts(struct wl_html *html, json_t *section, struct wl_error *error)
{
    bool has_launches = html->set != NULL,
         has_events = wl_report_event_count(html->reports[0].report) > 0;
    return json_object_update_new(
               section, json_pack("{s:b, s:b, s:b, s:b, s:b}", "launches", has_launches, "guide",
                                  has_launches || has_events, "source", has_launches, "compare",
                                  has_launches && html->report_count > 1, "timeline", has_events))
               ? wl_error_set(error, WL_ERR_MEMORY, "out of memory")
               : WL_OK;
}

/* A section by its name; "launches", "drawings" and "whatif" may have ids behind a colon. */
static wl_html_section *find_section(const struct wl_html *html, const char *name)
{
    size_t length = strcspn(name, ":");
    if (strcmp(name, "parts") == 0)
        return fill_parts;
    for (size_t i = 0; i < WL_COUNT(sections); i++) {
        bool has_ids = sections[i].fill == wl_html_launches ||
                       sections[i].fill == wl_html_drawings || sections[i].fill == wl_html_whatif;
        if (strncmp(sections[i].name, name, length) == 0 && !sections[i].name[length] &&
            (!name[length] || has_ids))
            return sections[i].is_of_launches && !html->set ? fill_nothing : sections[i].fill;
    }
    return NULL;
}

enum wl_code wl_export_page_section(struct wl_export_page *page, const char *name,
                                    struct wl_text *json, struct wl_error *error)
{
    struct wl_html *html = &page->html;
    wl_html_section *fill = find_section(html, name);
    const char *colon = strchr(name, ':');
    if (!fill)
        return wl_error_set(error, WL_ERR_INPUT, "there is no section %s", name);
    html->is_served = true;
    html->only = colon ? colon + 1 : NULL;
    json_t *data = json_object(), *definitions = json_object();
    json_object_clear(html->definitions);
    enum wl_code code = fill(html, data, error);
    if (!code)
        code = wl_html_definitions(html, definitions, error);
    bool is_empty = json_object_size(data) == 0;
    json_t *answer = json_pack("{s:o, s:o}", "data", is_empty ? json_null() : json_incref(data),
                               "definitions", definitions);
    make_safe(answer);
    if (!code)
        add_json(answer, json);
    json_decref(answer);
    json_decref(data);
    return code;
}

static void free_whole(struct wl_html *html)
{
    for (size_t i = 0; html->whole && i < html->report_count; i++)
        free(html->whole[i]);
    free(html->whole);
    html->whole = NULL;
}

/* Of very many launches, which of each report are in the page whole. */
static enum wl_code choose_whole(struct wl_html *html, struct wl_error *error)
{
    if (!html->set || !wl_html_is_bare(html))
        return WL_OK;
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(&html->contexts[0], &advice, error);
    html->whole = wl_alloc_zero(html->report_count, sizeof *html->whole);
    for (size_t i = 0; i < html->report_count && !code; i++)
        html->whole[i] = wl_html_choose_whole(&html->contexts[i]);
    return code;
}

enum wl_code wl_export_page_whole(struct wl_export_page *page, struct wl_text *html,
                                  struct wl_error *error)
{
    struct wl_text data = {0};
    page->html.is_served = false;
    page->html.only = NULL;
    json_object_clear(page->html.definitions);
    enum wl_code code = choose_whole(&page->html, error);
    if (!code)
        code = add_sections(&page->html, &data, error);
    if (!code)
        assemble(page->html.reports[0].name, "", &data, html);
    free_whole(&page->html);
    wl_text_free(&data);
    return code;
}

void wl_export_page_shell(const char *title, struct wl_text *html)
{
    struct wl_text data = {0};
    wl_text_add(&data, "<script type=\"application/json\" id=\"data-served\">{}</script>\n");
    assemble(title, "; connect-src 'self'", &data, html);
    wl_text_free(&data);
}

enum wl_code wl_export_html(const struct wl_export_report *reports, size_t count,
                            bool allows_unlike, const struct wl_view_options *view,
                            const char *path, struct wl_error *error)
{
    struct wl_export_page *page = NULL;
    struct wl_text html = {0};
    enum wl_code code = wl_export_page_open(reports, count, allows_unlike, view, &page, error);
    if (!code)
        code = wl_export_page_whole(page, &html, error);
    if (!code)
        code = wl_file_write(path, html.data, html.length, error);
    wl_export_page_close(page);
    wl_text_free(&html);
    return code;
}
