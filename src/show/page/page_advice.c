/* The advice page as text and CSV: what the rules found, best first, each like a compiler's message
 * with what shows it and what to do below. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"

enum { detail_indent = 6 };

/* "      do: ...", wrapped; text need not be safe. */
static void add_detail(struct wl_view_context *context, const char *label, const char *text)
{
    struct wl_text safe = {0};
    char *prefix = wl_string_format("%*s%s: ", detail_indent, "", label);
    wl_format_safe(text, &safe);
    wl_format_wrap(prefix, safe.data ? safe.data : "", context->width, &context->text);
    wl_text_free(&safe);
    free(prefix);
}

static void add_chain(struct wl_view_context *context, const struct wl_advice *advice)
{
    for (size_t i = 0; i < advice->chain_count; i++) {
        const struct wl_advice_place *place = &advice->chain[i].place;
        struct wl_text text = {0};
        if (place->line > 0)
            wl_text_addf(&text, "%s:%" PRIu32 ": ", place->file, place->line);
        wl_text_add(&text, advice->chain[i].text);
        char *line = wl_advice_source_line(context->report, place);
        if (line[0] != '\0')
            wl_text_addf(&text, ": %s", line);
        add_detail(context, i == 0 ? "because" : "     of", text.data);
        free(line);
        wl_text_free(&text);
    }
}

/* "gemm.cu:87:14: shared-bank: 2-way conflicts; saves 13% (1.15x)" and the source line. */
static void add_headline(struct wl_view_context *context, const struct wl_advice *advice)
{
    struct wl_text line = {0}, gain = {0}, safe = {0};
    wl_advice_add_place(advice, &line);
    wl_text_addf(&line, ": %s%s: %s", advice->severity == WL_ADVICE_NOTE ? "note: " : "",
                 advice->rule->id, advice->title);
    wl_advice_add_gain(advice, &gain);
    if (gain.length > 0)
        wl_text_addf(&line, "; %s", gain.data);
    wl_format_safe(line.data, &safe);
    wl_fields_bold(context, true);
    wl_text_add(&context->text, safe.data);
    wl_fields_bold(context, false);
    wl_text_add_char(&context->text, '\n');
    char *source = wl_advice_source_line(context->report, &advice->place);
    if (source[0] != '\0') {
        safe.length = 0;
        wl_format_safe(source, &safe);
        wl_text_addf(&context->text, "  %5" PRIu32 " | %s\n", advice->place.line, safe.data);
    }
    free(source);
    wl_text_free(&line);
    wl_text_free(&gain);
    wl_text_free(&safe);
}

static void add_finding(struct wl_view_context *context, const struct wl_advice *advice)
{
    struct wl_text text = {0};
    add_headline(context, advice);
    if (advice->launch) {
        wl_text_addf(&text, "launch %" PRId64 ", %s", advice->launch->key,
                     wl_fields_kernel(advice->launch));
        if (advice->launch_count > 1)
            wl_text_addf(&text, ", and %zu more of it", advice->launch_count - 1);
        add_detail(context, "in", text.data);
    }
    for (size_t i = 0; i < advice->evidence_count; i++) {
        text.length = 0;
        wl_advice_add_evidence(context, &advice->evidence[i], &text);
        add_detail(context, "evidence", text.data);
    }
    add_chain(context, advice);
    add_detail(context, "do", advice->todo);
    if (advice->severity == WL_ADVICE_WARNING || advice->has_gain) {
        text.length = 0;
        wl_advice_add_method(advice, &text);
        add_detail(context, "gain", text.data);
    }
    wl_text_add_char(&context->text, '\n');
    wl_text_free(&text);
}

enum wl_code wl_page_advice_text(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    for (size_t i = 0; i < advice.finding_count; i++) {
        char *number = wl_string_format("%zu. ", i + 1);
        wl_text_add(&context->text, number);
        add_finding(context, &advice.findings[i]);
        wl_view_flush(context);
        free(number);
    }
    if (advice.finding_count == 0)
        wl_text_add(&context->text, "No rule found anything.\n\n");
    for (size_t i = 0; i < advice.skip_count; i++) {
        struct wl_text text = {0}, safe = {0};
        if (i == 0)
            wl_text_add(&context->text, "Not looked at:\n");
        if (wl_advice_add_skip(&advice, i, &text)) {
            wl_format_safe(text.data, &safe);
            wl_format_wrap("  ", safe.data, context->width, &context->text);
        }
        wl_text_free(&text);
        wl_text_free(&safe);
    }
    wl_mark_legend(context);
    wl_view_advice_free(&advice);
    return WL_OK;
}

static void csv_number(struct wl_text *out, double number)
{
    struct wl_text text = {0};
    wl_format_plain(number, &text);
    wl_csv_add(out, text.data);
    wl_text_free(&text);
}

static void csv_finding(struct wl_view_context *context, const struct wl_advice *advice,
                        size_t number)
{
    struct wl_text *out = &context->text;
    struct wl_text evidence = {0};
    for (size_t i = 0; i < advice->evidence_count; i++) {
        wl_text_add(&evidence, i ? "; " : "");
        wl_advice_add_evidence(context, &advice->evidence[i], &evidence);
    }
    wl_text_addf(out, "\"%zu\"", number);
    wl_csv_add(out, advice->rule->id);
    wl_csv_add(out, wl_advice_severity_name(advice->severity));
    csv_number(out, advice->launch ? (double)advice->launch->key : -1);
    wl_csv_add(out, advice->launch ? wl_fields_kernel(advice->launch) : "");
    wl_csv_add(out, advice->place.file);
    csv_number(out, advice->place.line);
    csv_number(out, advice->place.column);
    wl_csv_add(out, advice->title);
    wl_csv_add(out, evidence.data ? evidence.data : "");
    wl_csv_add(out, advice->todo);
    if (advice->has_gain) {
        csv_number(out, advice->saved);
        wl_csv_add(out, wl_advice_method_name(advice->method));
    } else {
        wl_csv_add(out, "");
        wl_csv_add(out, "");
    }
    wl_csv_add(out, wl_advice_confidence_name(advice->confidence));
    wl_csv_add(out, advice->group);
    csv_number(out, (double)advice->overlaps);
    wl_text_add_char(out, '\n');
    wl_text_free(&evidence);
}

enum wl_code wl_page_advice_csv(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_text_add(&context->text,
                "\"Number\",\"Rule\",\"Severity\",\"ID\",\"Kernel Name\",\"File\",\"Line\","
                "\"Column\",\"Finding\",\"Evidence\",\"Advice\",\"Saved\",\"Obtained\","
                "\"Confidence\",\"Group\",\"Overlaps\"\n");
    for (size_t i = 0; i < advice.finding_count; i++)
        csv_finding(context, &advice.findings[i], i + 1);
    wl_view_advice_free(&advice);
    return WL_OK;
}
