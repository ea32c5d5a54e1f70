/* The advice page: what the rules found, best first, each like a compiler's message with what shows
 * it and what to do below. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/ladder.h"
#include "base/memory.h"
#include "show/page/advice_documents.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "show/page/program_time.h"
#include "show/page/shares.h"

enum { detail_indent = 6 };

/* ---- sentences ---- */

/* "      do: ...", wrapped. */
static void say_detail(struct wl_page_sink *sink, const char *label, const char *text)
{
    char *prefix = wl_string_format("%*s%s: ", detail_indent, "", label);
    wl_say(sink, prefix, text);
    free(prefix);
}

static void say_chain(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct wl_advice *advice)
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
        say_detail(sink, i == 0 ? "because" : "     of", text.data);
        free(line);
        wl_text_free(&text);
    }
}

/* Where the line is a function's that was inlined: its callers, innermost first. */
static void say_callers(struct wl_page_sink *sink, const char *callers)
{
    struct wl_text text = {0};
    wl_fields_add_callers(&text, callers);
    if (text.length > 0)
        say_detail(sink, "inlined at", text.data);
    wl_text_free(&text);
}

/* "1. gemm.cu:87:14: shared-bank: 2-way conflicts; saves 13% (1.15x)" and the source line. */
static void say_headline(struct wl_view_context *context, struct wl_page_sink *sink,
                         const struct wl_advice *advice, size_t number)
{
    struct wl_text line = {0}, gain = {0};
    wl_advice_add_place(advice, &line);
    wl_text_addf(&line, ": %s%s: %s", advice->severity == WL_ADVICE_NOTE ? "note: " : "",
                 advice->rule->id, advice->title);
    wl_advice_add_gain(advice, &gain);
    if (gain.length > 0)
        wl_text_addf(&line, "; %s", gain.data);
    char *prefix = wl_string_format("%zu. ", number);
    wl_line(sink, prefix, line.data, line.length);
    free(prefix);
    char *source = wl_advice_source_line(context->report, &advice->place);
    if (source[0] != '\0') {
        if (advice->place.line)
            wl_print(sink, "  %5" PRIu32 " | ", advice->place.line);
        else
            wl_print(sink, "    PTX | ");
        wl_print_safe(sink, source);
        wl_print(sink, "\n");
    }
    free(source);
    wl_text_free(&line);
    wl_text_free(&gain);
}

static void say_finding(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct wl_advice *advice, size_t number)
{
    struct wl_text text = {0};
    say_headline(context, sink, advice, number);
    if (advice->launch) {
        wl_text_addf(&text, "launch %" PRId64 ", %s", advice->launch->key,
                     wl_fields_short_kernel(advice->launch));
        if (advice->launch_count > 1)
            wl_text_addf(&text, ", and %zu more of it", advice->launch_count - 1);
        say_detail(sink, "in", text.data);
    }
    say_callers(sink, advice->place.inlined_at);
    for (size_t i = 0; i < advice->evidence_count; i++) {
        text.length = 0;
        wl_advice_add_evidence(sink->is_mark_shown, &advice->evidence[i], &text);
        say_detail(sink, "evidence", text.data);
    }
    say_chain(context, sink, advice);
    say_detail(sink, "do", advice->todo);
    if (advice->severity == WL_ADVICE_WARNING || advice->has_gain) {
        text.length = 0;
        wl_advice_add_method(advice, &text);
        say_detail(sink, "gain", text.data);
    }
    wl_print(sink, "\n");
    wl_text_free(&text);
}

/* ---- records ---- */

enum {
    NUMBER,
    RULE,
    SEVERITY,
    LAUNCH,
    KERNEL,
    FILE_NAME,
    LINE,
    COLUMN,
    FINDING,
    EVIDENCE,
    TODO,
    SAVED,
    OBTAINED,
    CONFIDENCE,
    GROUP,
    OVERLAPS,
    COLUMNS
};
static const struct wl_column columns[COLUMNS] = {
    [NUMBER] = {.csv = "Number", .json = "number"},
    [RULE] = {.csv = "Rule", .json = "id"},
    [SEVERITY] = {.csv = "Severity", .json = "severity"},
    [LAUNCH] = {.csv = "ID", .json = "launch"},
    [KERNEL] = {.csv = "Kernel Name", .json = "kernel"},
    [FILE_NAME] = {.csv = "File"},
    [LINE] = {.csv = "Line"},
    [COLUMN] = {.csv = "Column"},
    [FINDING] = {.csv = "Finding", .json = "title"},
    [EVIDENCE] = {.csv = "Evidence"},
    [TODO] = {.csv = "Advice", .json = "advice"},
    [SAVED] = {.csv = "Saved", .json = "saved", .flags = WL_COLUMN_REAL},
    [OBTAINED] = {.csv = "Obtained", .json = "obtained"},
    [CONFIDENCE] = {.csv = "Confidence"},
    [GROUP] = {.csv = "Group", .json = "group"},
    [OVERLAPS] = {.csv = "Overlaps", .json = "overlaps"},
};

static void put_field(struct wl_page_sink *sink, const char *key, struct wl_cell cell)
{
    const struct wl_column field = {.json = key};
    wl_put(sink, &field, cell);
}

static void put_real(struct wl_page_sink *sink, const char *key, double number)
{
    const struct wl_column field = {.json = key, .flags = WL_COLUMN_REAL};
    wl_put(sink, &field, wl_cell_number(number));
}

static void put_place(struct wl_page_sink *sink, const struct wl_advice_place *place)
{
    if (place->line == 0 && !place->instruction) {
        put_field(sink, "place", wl_cell_absent());
        return;
    }
    wl_begin(sink, WL_LEVEL_OBJECT, "place", 0);
    put_field(sink, "file", wl_cell_text(place->file));
    put_field(sink, "line", wl_cell_number(place->line));
    put_field(sink, "column", wl_cell_number(place->column));
    if (place->instruction) {
        put_field(sink, "instruction", wl_cell_number(place->instruction->index));
        put_field(sink, "ptx", wl_cell_text(place->instruction->text));
    }
    if (place->inlined_at)
        wl_fields_put_callers(sink, place->inlined_at);
    wl_end(sink);
}

static void put_evidence(struct wl_page_sink *sink, const struct wl_advice *advice)
{
    struct wl_text all = {0};
    bool is_mark_shown[3] = {false};
    wl_begin(sink, WL_LEVEL_LIST, "evidence", 0);
    for (size_t i = 0; i < advice->evidence_count; i++) {
        const struct wl_advice_evidence *evidence = &advice->evidence[i];
        wl_text_add(&all, i ? "; " : "");
        wl_advice_add_evidence(is_mark_shown, evidence, &all);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_field(sink, "metric", wl_cell_text(evidence->metric));
        put_field(sink, "value",
                  evidence->text ? wl_cell_text(evidence->text) : wl_cell_number(evidence->value));
        put_field(sink, "unit", wl_cell_text(evidence->unit));
        if (evidence->has_mark)
            put_field(sink, "mark", wl_cell_word(wl_metric_mark_name(evidence->mark)));
        if (evidence->has_threshold)
            put_field(sink, "threshold", wl_cell_number(evidence->threshold));
        wl_end(sink);
    }
    wl_end(sink);
    wl_put(sink, &columns[EVIDENCE], wl_cell_text(all.data));
    wl_text_free(&all);
}

static void put_chain(struct wl_page_sink *sink, const struct wl_advice *advice)
{
    wl_begin(sink, WL_LEVEL_LIST, "chain", 0);
    for (size_t i = 0; i < advice->chain_count; i++) {
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_place(sink, &advice->chain[i].place);
        put_field(sink, "text", wl_cell_text(advice->chain[i].text));
        wl_end(sink);
    }
    wl_end(sink);
}

static void put_gain(struct wl_page_sink *sink, const struct wl_advice *advice)
{
    static const struct wl_column factor = {.json = "factor", .flags = WL_COLUMN_REAL},
                                  saved_ns = {.json = "saved_ns", .flags = WL_COLUMN_REAL},
                                  of_program = {.json = "saved_program", .flags = WL_COLUMN_REAL};
    const char *confidence = wl_advice_confidence_name(advice->confidence);
    wl_put(sink, &columns[CONFIDENCE], wl_cell_text(confidence));
    if (!advice->has_gain) {
        put_field(sink, "gain", wl_cell_absent());
        return;
    }
    wl_begin(sink, WL_LEVEL_OBJECT, "gain", 0);
    wl_put(sink, &columns[SAVED], wl_cell_number(advice->saved));
    wl_put(sink, &factor, wl_cell_number(advice->factor));
    wl_put(sink, &columns[OBTAINED], wl_cell_text(wl_advice_method_name(advice->method)));
    put_field(sink, "how", wl_cell_text(advice->how));
    put_field(sink, "confidence", wl_cell_text(confidence));
    if (advice->saved_ns > 0)
        wl_put(sink, &saved_ns, wl_cell_number(advice->saved_ns));
    if (advice->saved_program > 0)
        wl_put(sink, &of_program, wl_cell_number(advice->saved_program));
    wl_end(sink);
}

/* What is absent in JSON is empty in CSV. */
static struct wl_cell absent(void)
{
    struct wl_cell cell = wl_cell_absent();
    cell.text = "";
    return cell;
}

static void put_finding(struct wl_page_sink *sink, const struct wl_advice *advice, size_t number)
{
    const struct wl_report_launch *launch = advice->launch;
    const struct wl_advice_place *place = &advice->place;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
    wl_put(sink, &columns[NUMBER], wl_cell_number((double)number));
    wl_put(sink, &columns[RULE], wl_cell_text(advice->rule->id));
    if (advice->rule->section[0] != '\0')
        put_field(sink, "section", wl_cell_text(advice->rule->section));
    wl_put(sink, &columns[SEVERITY], wl_cell_text(wl_advice_severity_name(advice->severity)));
    wl_put(sink, &columns[LAUNCH], launch ? wl_cell_number((double)launch->key) : absent());
    wl_put(sink, &columns[KERNEL], launch ? wl_cell_text(wl_fields_kernel(launch)) : absent());
    wl_put(sink, &columns[FILE_NAME], wl_cell_text(place->file));
    wl_put(sink, &columns[LINE], place->line ? wl_cell_number(place->line) : absent());
    wl_put(sink, &columns[COLUMN], place->line ? wl_cell_number(place->column) : absent());
    put_place(sink, place);
    wl_put(sink, &columns[FINDING], wl_cell_text(advice->title));
    put_evidence(sink, advice);
    put_chain(sink, advice);
    put_gain(sink, advice);
    wl_put(sink, &columns[GROUP], wl_cell_text(advice->group));
    if (advice->rule->lowers_least)
        put_field(sink, "lowers_least", wl_cell_flag(true));
    wl_put(sink, &columns[TODO], wl_cell_text(advice->todo));
    put_field(sink, "launches", wl_cell_number((double)advice->launch_count));
    wl_put(sink, &columns[OVERLAPS],
           advice->overlaps ? wl_cell_number((double)advice->overlaps) : absent());
    wl_end(sink);
}

static void put_skips(struct wl_page_sink *sink, const struct wl_view_advice *advice)
{
    wl_begin(sink, WL_LEVEL_LIST, "skipped", 0);
    for (size_t i = 0; i < advice->skip_count; i++) {
        const struct wl_advice_skip *skip = &advice->skips[i];
        struct wl_text text = {0};
        if (i == 0)
            wl_print(sink, "Not looked at:\n");
        if (wl_advice_add_skip(advice, i, &text))
            wl_say(sink, "  ", text.data);
        wl_text_free(&text);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_field(sink, "id", wl_cell_text(skip->rule->id));
        put_field(sink, "because", wl_cell_word(skip->is_failure ? "failed" : "needs"));
        put_field(sink, "text", wl_cell_text(skip->text));
        put_field(sink, "launches", wl_cell_number((double)skip->launch_count));
        wl_end(sink);
    }
    wl_end(sink);
}

/* The ladder of times of the heaviest launch of each kernel, and whether there is anything left to
 * do about it. */
static void put_ladders(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct wl_view_advice *advice)
{
    struct wl_shares shares;
    wl_begin(sink, WL_LEVEL_LIST, "kernels", 0);
    wl_shares_make(context, &shares);
    for (size_t i = 0; i < shares.count; i++) {
        const struct wl_report_launch *launch = shares.items[i].launch;
        struct wl_ladder ladder;
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        bool is_known = wl_ladder_read(set, &ladder);
        enum wl_verdict verdict = wl_verdict_find(is_known ? &ladder : NULL, advice->findings,
                                                  advice->finding_count, launch->kernel);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_field(sink, "launch", wl_cell_number((double)launch->key));
        put_field(sink, "kernel", wl_cell_text(wl_fields_kernel(launch)));
        put_field(sink, "verdict", wl_cell_word(wl_verdict_name(verdict)));
        if (is_known) {
            put_real(sink, "duration_ns", ladder.duration_ns);
            put_real(sink, "least_ns", wl_ladder_least_ns(&ladder));
            put_real(sink, "room", wl_ladder_room(&ladder));
            put_real(sink, "open", ladder.open_part);
            put_field(sink, "unit", wl_cell_text(ladder.unit ? ladder.unit : ""));
            put_real(sink, "unit_part", ladder.unit_part);
            wl_begin(sink, WL_LEVEL_OBJECT, "ladder_ns", 0);
            for (int step = 0; step < WL_LADDER_STEPS; step++)
                put_real(sink, wl_ladder_step_name((enum wl_ladder_step)step),
                         ladder.steps_ns[step]);
            wl_end(sink);
        }
        wl_end(sink);
        wl_metric_set_free(set);
    }
    wl_end(sink);
    wl_shares_free(&shares);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_heading(sink, columns, COLUMNS);
    wl_view_advice_say_looked_at(context, advice, sink);
    const json_t *facts = wl_advice_facts(advice->list);
    if (facts) {
        wl_program_time_print(sink, facts);
        wl_print(sink, "\n");
    }
    if (advice->finding_count > 1) {
        wl_say(
            sink, "",
            "Best first: by what is saved of all the time there is here. Of one kernel, gains within 5 "
            "points of its time count as equal: then the cheaper change comes first.");
        wl_print(sink, "\n");
    }
    wl_begin(sink, WL_LEVEL_LIST, "findings", 0);
    for (size_t i = 0; i < advice->finding_count; i++) {
        say_finding(context, sink, &advice->findings[i], i + 1);
        put_finding(sink, &advice->findings[i], i + 1);
        wl_flush(sink);
    }
    wl_end(sink);
    if (advice->finding_count == 0)
        wl_print(sink, "No rule found anything.\n\n");
    put_ladders(context, sink, advice);
    put_skips(sink, advice);
    wl_mark_legend(sink);
    return WL_OK;
}

const struct wl_page wl_page_advice = {
    .name = "advice",
    .walk = walk,
    .document = {[WL_FORMAT_SARIF] = wl_advice_write_sarif,
                 [WL_FORMAT_MARKDOWN] = wl_advice_write_markdown},
};
