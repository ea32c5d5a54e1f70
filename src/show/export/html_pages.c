/* Sections that are pages as JSON: session and advice; and the comparison with baselines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/tables.h"
#include "show/export/html.h"
#include "show/format/format.h"
#include "show/format/json.h"
#include "show/page/advice_text.h"
#include "show/page/diff.h"
#include "show/page/fields.h"
#include "show/page/program_time.h"

json_t *wl_html_shown(double number, const char *unit)
{
    struct wl_metric_value value = {.is_present = true, .number = number, .unit = unit ? unit : ""};
    struct wl_text text = {0}, shown_unit = {0};
    wl_format_metric(&value, WL_UNITS_AUTO, &text, &shown_unit);
    if (shown_unit.length)
        wl_text_addf(&text, " %s", shown_unit.data);
    json_t *shown = wl_json_text(text.data);
    wl_text_free(&text);
    wl_text_free(&shown_unit);
    return shown;
}

/* Puts a page's fields, of the first report, into section. */
static enum wl_code take_page(struct wl_html *html, const struct wl_page *page, json_t *section,
                              struct wl_error *error)
{
    json_t *object = NULL;
    enum wl_code code = wl_page_to_json(page, &html->contexts[0], &object, error);
    if (!code)
        json_object_update(section, object);
    json_decref(object);
    return code;
}

enum wl_code wl_html_session(struct wl_html *html, json_t *section, struct wl_error *error)
{
    enum wl_code code = take_page(html, &wl_page_session, section, error);
    json_t *marks = json_array();
    for (int mark = WL_MARK_EXACT; mark <= WL_MARK_PREDICTED; mark++) {
        const char sign[] = {wl_metric_mark_sign((enum wl_mark)mark), '\0'};
        json_array_append_new(
            marks, json_pack("{s:s, s:s, s:s}", "name", wl_metric_mark_name((enum wl_mark)mark),
                             "sign", sign, "meaning", wl_mark_meaning((enum wl_mark)mark)));
    }
    json_object_set_new(section, "marks", marks);
    return code;
}

/* ---- advice ---- */

/* Numbers as they are shown, beside those that are there. */
static void add_shown(json_t *object, const char *key, const char *shown_key, const char *unit)
{
    json_t *number = json_object_get(object, key);
    if (json_is_number(number))
        json_object_set_new(object, shown_key, wl_html_shown(json_number_value(number), unit));
}

enum wl_code wl_html_advice(struct wl_html *html, json_t *section, struct wl_error *error)
{
    enum wl_code code = take_page(html, &wl_page_advice, section, error);
    size_t i, j;
    json_t *finding, *evidence;
    const struct wl_view_advice *advice = html->contexts[0].advice;
    const json_t *facts = code || !advice ? NULL : wl_advice_facts(advice->list);
    json_t *time = facts ? wl_program_time_json(facts) : NULL;
    if (time)
        json_object_set_new(section, "time", time);
    json_array_foreach(json_object_get(section, "findings"), i, finding)
    {
        json_array_foreach(json_object_get(finding, "evidence"), j, evidence)
        {
            const char *unit = json_string_value(json_object_get(evidence, "unit"));
            add_shown(evidence, "value", "shown", unit);
            add_shown(evidence, "threshold", "threshold_shown", unit);
            wl_html_define(html, json_string_value(json_object_get(evidence, "metric")));
        }
        add_shown(json_object_get(finding, "gain"), "saved_ns", "saved_shown", "ns");
    }
    return code;
}

enum wl_code wl_html_guide(struct wl_html *html, json_t *section, struct wl_error *error)
{
    if (!html->set && !wl_report_event_count(html->reports[0].report))
        return WL_OK;
    return take_page(html, &wl_page_guide, section, error);
}

/* ---- baselines ---- */

static void finish_change(struct wl_html *html, json_t *change)
{
    const char *name = json_string_value(json_object_get(change, "metric"));
    const struct wl_metric_value *value = wl_metric_get(html->set, name);
    add_shown(json_object_get(change, "base"), "mean", "shown", value->unit);
    add_shown(json_object_get(change, "new"), "mean", "shown", value->unit);
    if (value->is_present)
        json_object_set_new(change, "mark", json_string(wl_metric_mark_name(value->mark)));
    wl_html_define(html, name);
}

/* The page diff as JSON: the first baseline, then the others and the report beside it. */
static enum wl_code compare(struct wl_html *html, json_t **page, struct wl_error *error)
{
    size_t count = html->report_count;
    struct wl_diff_report *reports = wl_alloc_zero(count, sizeof *reports);
    for (size_t i = 0; i < count; i++)
        reports[i] = (struct wl_diff_report){html->reports[(i + 1) % count].name,
                                             html->reports[(i + 1) % count].report, NULL};
    const struct wl_diff_options options = {
        .section_folder = html->contexts[0].options->section_folder,
        .allows_unlike = html->allows_unlike,
    };
    enum wl_code code = wl_view_diff_json(reports, count, &options, page, error);
    free(reports);
    return code;
}

enum wl_code wl_html_compare(struct wl_html *html, json_t *section, struct wl_error *error)
{
    json_t *page = NULL;
    size_t i, j, k;
    json_t *comparison, *kernel, *change;
    if (html->report_count < 2)
        return WL_OK;
    enum wl_code code = compare(html, &page, error);
    if (page)
        json_object_update(section, page);
    json_decref(page);
    json_array_foreach(json_object_get(section, "comparisons"), i, comparison)
        json_array_foreach(json_object_get(comparison, "kernels"), j, kernel)
            json_array_foreach(json_object_get(kernel, "changes"), k, change)
                finish_change(html, change);
    return code;
}
