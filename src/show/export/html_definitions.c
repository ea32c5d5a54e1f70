/* The section definitions: what the names of metrics, rules and sections mean. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/export/html.h"
#include "show/format/json.h"
#include "show/page/fields.h"

static void add_line(json_t *lines, const char *label, const char *text)
{
    if (text && text[0] != '\0')
        json_array_append_new(lines, json_sprintf("%s%s", label, text));
}

/* The rule about the warp state that a metric's name ends in, or NULL:
 * "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio" gives
 * stall-long-scoreboard. */
static const struct wl_rule *find_state(const struct wl_html *html, const char *name)
{
    static const char before[] = "_issue_stalled_", after[] = "_per_issue_active";
    const char *state = strstr(name, before);
    if (!state)
        return NULL;
    state += sizeof before - 1;
    const char *end = strstr(state, after);
    char *id =
        wl_string_format("stall-%.*s", (int)(end ? (size_t)(end - state) : strlen(state)), state);
    for (char *at = id; *at; at++)
        if (*at == '_')
            *at = '-';
    const struct wl_rule *rule = wl_rules_find(html->rules, id);
    free(id);
    return rule;
}

void wl_html_define(struct wl_html *html, const char *name)
{
    static const char *const sources[] = {
        [WL_METRIC_VALUE] = "counted, or a fact of the launch or the device",
        [WL_METRIC_FORMULA] = "computed from other metrics",
        [WL_METRIC_ALIAS] = "another name",
        [WL_METRIC_ABSENT] = NULL, /* of some collectors only */
        [WL_METRIC_INSTRUCTION] = "kept for each instruction",
    };
    const struct wl_metric_catalog *catalog = html->contexts[0].catalog;
    if (!name || json_object_get(html->definitions, name))
        return;
    const struct wl_metric_row *row = wl_metric_find(catalog, name);
    const struct wl_metric_value *value = html->set ? wl_metric_get(html->set, name) : NULL;
    const char *description = row ? row->description : value ? value->description : NULL;
    if (!description || description[0] == '\0')
        return;
    json_t *lines = json_array();
    add_line(lines, "", description);
    add_line(lines, "Unit: ", row ? row->unit : value->unit);
    add_line(lines, "Source: ", row ? sources[row->kind] : NULL);
    const struct wl_rule *rule = find_state(html, name);
    add_line(lines, "", rule ? rule->description : NULL);
    add_line(lines, "What to do: ", rule ? rule->advice : NULL);
    json_object_set_new(html->definitions, name,
                        json_pack("{s:o, s:o}", "title", wl_json_text(name), "lines", lines));
}

static void define_rules(struct wl_html *html)
{
    size_t count = 0;
    const struct wl_rule *all = wl_rules_all(html->rules, &count);
    for (size_t i = 0; i < count; i++) {
        json_t *lines = json_array();
        add_line(lines, "", all[i].description);
        add_line(lines, "What to do: ", all[i].advice);
        json_object_set_new(html->definitions, all[i].id,
                            json_pack("{s:o, s:o}", "title",
                                      json_sprintf("%s: %s", all[i].id, all[i].name), "lines",
                                      lines));
    }
}

static void define_sections(struct wl_html *html)
{
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(html->contexts[0].sections, &count);
    for (size_t i = 0; i < count; i++) {
        json_t *lines = json_array();
        add_line(lines, "", all[i].description);
        json_object_set_new(
            html->definitions, all[i].identifier,
            json_pack("{s:o, s:o}", "title", wl_json_text(all[i].name), "lines", lines));
    }
}

enum wl_code wl_html_definitions(struct wl_html *html, json_t *section, struct wl_error *error)
{
    (void)error;
    define_rules(html);
    define_sections(html);
    json_object_update(section, html->definitions);
    return WL_OK;
}
