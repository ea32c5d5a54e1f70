/* The advice page for programs: JSON, SARIF 2.1.0, and Markdown for comments of a review. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "warplens/version.h"

/* ---- JSON ---- */

static json_t *place_json(const struct wl_advice_place *place)
{
    if (place->line == 0 && !place->instruction)
        return json_null();
    json_t *object = json_pack("{s:o, s:I, s:I}", "file", wl_json_text(place->file), "line",
                               (json_int_t)place->line, "column", (json_int_t)place->column);
    if (place->instruction) {
        json_object_set_new(object, "instruction", json_integer(place->instruction->index));
        json_object_set_new(object, "ptx", wl_json_text(place->instruction->text));
    }
    return object;
}

static json_t *evidence_json(const struct wl_advice *advice)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advice->evidence_count; i++) {
        const struct wl_advice_evidence *evidence = &advice->evidence[i];
        json_t *object = json_pack(
            "{s:o, s:o, s:o}", "metric", wl_json_text(evidence->metric), "value",
            evidence->text ? wl_json_text(evidence->text) : wl_json_number(evidence->value), "unit",
            wl_json_text(evidence->unit));
        if (evidence->has_mark)
            json_object_set_new(object, "mark", json_string(wl_metric_mark_name(evidence->mark)));
        if (evidence->has_threshold)
            json_object_set_new(object, "threshold", wl_json_number(evidence->threshold));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *gain_json(const struct wl_advice *advice)
{
    if (!advice->has_gain)
        return json_null();
    json_t *gain = json_pack("{s:f, s:f, s:s, s:o, s:s}", "saved", advice->saved, "factor",
                             advice->factor, "obtained", wl_advice_method_name(advice->method),
                             "how", wl_json_text(advice->how), "confidence",
                             wl_advice_confidence_name(advice->confidence));
    if (advice->saved_ns > 0)
        json_object_set_new(gain, "saved_ns", json_real(advice->saved_ns));
    return gain;
}

static json_t *finding_json(const struct wl_advice *advice, size_t number)
{
    json_t *chain = json_array();
    for (size_t i = 0; i < advice->chain_count; i++)
        json_array_append_new(chain,
                              json_pack("{s:o, s:o}", "place", place_json(&advice->chain[i].place),
                                        "text", wl_json_text(advice->chain[i].text)));
    json_t *object = json_pack(
        "{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "number", (json_int_t)number,
        "id", advice->rule->id, "severity", wl_advice_severity_name(advice->severity), "launch",
        advice->launch ? json_integer(advice->launch->key) : json_null(), "kernel",
        advice->launch ? wl_json_text(wl_fields_kernel(advice->launch)) : json_null(), "place",
        place_json(&advice->place), "title", wl_json_text(advice->title), "evidence",
        evidence_json(advice), "chain", chain, "gain", gain_json(advice), "group", advice->group);
    json_object_set_new(object, "advice", wl_json_text(advice->todo));
    json_object_set_new(object, "launches", json_integer((json_int_t)advice->launch_count));
    json_object_set_new(object, "overlaps",
                        advice->overlaps ? json_integer((json_int_t)advice->overlaps)
                                         : json_null());
    return object;
}

enum wl_code wl_page_advice_json(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    json_t *findings = json_array(), *skipped = json_array();
    for (size_t i = 0; i < advice.finding_count; i++)
        json_array_append_new(findings, finding_json(&advice.findings[i], i + 1));
    for (size_t i = 0; i < advice.skip_count; i++) {
        const struct wl_advice_skip *skip = &advice.skips[i];
        json_array_append_new(skipped, json_pack("{s:s, s:s, s:o, s:I}", "id", skip->rule->id,
                                                 "because", skip->is_failure ? "failed" : "needs",
                                                 "text", wl_json_text(skip->text), "launches",
                                                 (json_int_t)skip->launch_count));
    }
    json_object_set_new(context->root, "findings", findings);
    json_object_set_new(context->root, "skipped", skipped);
    wl_view_advice_free(&advice);
    return WL_OK;
}

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

enum wl_code wl_page_advice_sarif(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    json_t *results = json_array();
    for (size_t i = 0; i < advice.finding_count; i++)
        json_array_append_new(results, sarif_result(&advice.findings[i]));
    context->root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "warplens", "version", WL_VERSION_STRING, "rules",
                  sarif_rules(advice.rules), "results", results);
    wl_view_advice_free(&advice);
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

static void markdown_finding(struct wl_view_context *context, const struct wl_advice *advice,
                             size_t number)
{
    struct wl_text *out = &context->text, piece = {0};
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
        wl_advice_add_evidence(context, &advice->evidence[i], &piece);
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

enum wl_code wl_page_advice_markdown(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_text_add(&context->text, "## Findings\n\n");
    for (size_t i = 0; i < advice.finding_count; i++)
        markdown_finding(context, &advice.findings[i], i + 1);
    if (advice.finding_count == 0)
        wl_text_add(&context->text, "No rule found anything.\n");
    for (size_t i = 0; i < advice.skip_count; i++) {
        struct wl_text text = {0};
        wl_text_add(&context->text, i == 0 ? "\nNot looked at:\n\n" : "");
        if (wl_advice_add_skip(&advice, i, &text)) {
            wl_text_add(&context->text, "- ");
            add_markdown(&context->text, text.data);
            wl_text_add_char(&context->text, '\n');
        }
        wl_text_free(&text);
    }
    wl_view_advice_free(&advice);
    return WL_OK;
}
