#include "show/page/advice_documents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/json.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "warplens/version.h"

/* ---- SARIF ---- */

/* SARIF names files by URI: what is no plain character of a path is escaped. */
static json_t *uri_json(const char *file)
{
    struct wl_text uri = {0};
    wl_text_add(&uri, file[0] == '/' ? "file://" : "");
    for (const unsigned char *at = (const unsigned char *)file; *at; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || strchr("/-._~", *at);
        if (is_plain)
            wl_text_add_char(&uri, (char)*at);
        else
            wl_text_addf(&uri, "%%%02X", *at);
    }
    json_t *string = json_string(uri.data);
    wl_text_free(&uri);
    return string;
}

static json_t *location_json(const struct wl_advice_place *place)
{
    json_t *region = json_pack("{s:I}", "startLine", (json_int_t)place->line);
    if (place->column > 0)
        json_object_set_new(region, "startColumn", json_integer(place->column));
    return json_pack("{s:{s:{s:o}, s:o}}", "physicalLocation", "artifactLocation", "uri",
                     uri_json(place->file), "region", region);
}

static json_t *sarif_rules(const struct wl_rules *rules)
{
    size_t count = 0;
    const struct wl_rule *all = wl_rules_all(rules, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:{s:o}, s:{s:o}, s:{s:o}}", "id", all[i].id,
                                        "shortDescription", "text", wl_json_text(all[i].name),
                                        "fullDescription", "text", wl_json_text(all[i].description),
                                        "help", "text", wl_json_text(all[i].advice)));
    return list;
}

static json_t *sarif_result(const struct wl_advice *advice)
{
    struct wl_text message = {0};
    wl_text_add(&message, advice->title);
    if (advice->has_gain) {
        wl_text_add(&message, "; ");
        wl_advice_add_gain(advice, &message);
    }
    wl_text_addf(&message, ". %s", advice->todo);
    json_t *locations = json_array();
    if (advice->place.line > 0) {
        json_array_append_new(locations, location_json(&advice->place));
    } else if (advice->launch) {
        json_array_append_new(locations,
                              json_pack("{s:[{s:o}]}", "logicalLocations", "fullyQualifiedName",
                                        wl_json_text(wl_fields_kernel(advice->launch))));
    }
    json_t *result = json_pack("{s:s, s:s, s:{s:o}, s:o}", "ruleId", advice->rule->id, "level",
                               wl_advice_severity_name(advice->severity), "message", "text",
                               wl_json_text(message.data), "locations", locations);
    json_t *properties =
        json_pack("{s:s, s:s}", "confidence", wl_advice_confidence_name(advice->confidence),
                  "group", advice->group);
    if (advice->has_gain) {
        json_object_set_new(properties, "saved", json_real(advice->saved));
        json_object_set_new(properties, "obtained",
                            json_string(wl_advice_method_name(advice->method)));
    }
    json_object_set_new(result, "properties", properties);
    wl_text_free(&message);
    return result;
}

enum wl_code wl_advice_write_sarif(struct wl_view_context *context, struct wl_text *out,
                                   struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    json_t *results = json_array();
    for (size_t i = 0; i < advice->finding_count; i++)
        json_array_append_new(results, sarif_result(&advice->findings[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "warplens", "version", WL_VERSION_STRING, "rules",
                  sarif_rules(advice->rules), "results", results);
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    if (!dump)
        return wl_error_set(error, WL_ERR_INTERNAL, "the page could not be written as JSON");
    wl_text_addf(out, "%s\n", dump);
    free(dump);
    return WL_OK;
}

/* ---- Markdown ---- */

/* Text as Markdown shows it: what has a meaning there is escaped, and it stays on its line. */
static void add_markdown(struct wl_text *out, const char *text)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    for (const char *at = safe.data ? safe.data : ""; *at; at++) {
        if (strchr("\\`*_{}[]<>()#|!", *at))
            wl_text_add_char(out, '\\');
        wl_text_add_char(out, *at);
    }
    wl_text_free(&safe);
}

static void markdown_finding(struct wl_text *out, const struct wl_advice *advice, size_t number)
{
    struct wl_text piece = {0};
    bool is_mark_shown[3] = {false};
    wl_text_addf(out, "%zu. **", number);
    wl_advice_add_place(advice, &piece);
    add_markdown(out, piece.data);
    wl_text_addf(out, "** %s%s: ", advice->severity == WL_ADVICE_NOTE ? "note: " : "",
                 advice->rule->id);
    add_markdown(out, advice->title);
    piece.length = 0;
    wl_text_add(&piece, "");
    wl_advice_add_gain(advice, &piece);
    wl_text_addf(out, "%s%s\n", piece.length ? "; " : "", piece.data);
    for (size_t i = 0; i < advice->evidence_count; i++) {
        piece.length = 0;
        wl_advice_add_evidence(is_mark_shown, &advice->evidence[i], &piece);
        wl_text_add(out, "   - ");
        add_markdown(out, piece.data);
        wl_text_add_char(out, '\n');
    }
    wl_text_add(out, "   - ");
    add_markdown(out, advice->todo);
    wl_text_add(out, "\n");
    if (advice->has_gain) {
        piece.length = 0;
        wl_advice_add_method(advice, &piece);
        wl_text_add(out, "   - gain ");
        add_markdown(out, piece.data);
        wl_text_add_char(out, '\n');
    }
    wl_text_free(&piece);
}

enum wl_code wl_advice_write_markdown(struct wl_view_context *context, struct wl_text *out,
                                      struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_text_add(out, "## Findings\n\n");
    for (size_t i = 0; i < advice->finding_count; i++)
        markdown_finding(out, &advice->findings[i], i + 1);
    if (advice->finding_count == 0)
        wl_text_add(out, "No rule found anything.\n");
    for (size_t i = 0; i < advice->skip_count; i++) {
        struct wl_text text = {0};
        wl_text_add(out, i == 0 ? "\nNot looked at:\n\n" : "");
        if (wl_advice_add_skip(advice, i, &text)) {
            wl_text_add(out, "- ");
            add_markdown(out, text.data);
            wl_text_add_char(out, '\n');
        }
        wl_text_free(&text);
    }
    return WL_OK;
}
