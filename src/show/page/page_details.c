/* The details page: the chosen sections of each launch, as tables of metrics. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/settings.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/details_findings.h"
#include "show/page/fields.h"

static const char command_line_name[] = "Command line profiler metrics";

/* ---- absent values: named below the table, once for each reason ---- */

struct absent {
    const char *label, *reason;
};
struct absent_list {
    WL_VECTOR_FIELDS(struct absent);
};

static void note_absent(struct absent_list *list, const char *label,
                        const struct wl_metric_value *value)
{
    if (value->is_present)
        return;
    struct absent absent = {label, value->reason};
    WL_PUSH(list, absent);
}

static void say_absent(struct wl_page_sink *sink, struct absent_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].reason)
            continue;
        const char *reason = list->items[i].reason;
        struct wl_text line = {0};
        for (size_t j = i; j < list->count; j++) {
            if (!list->items[j].reason || strcmp(list->items[j].reason, reason) != 0)
                continue;
            wl_text_add(&line, j > i ? ", " : "");
            wl_text_add(&line, list->items[j].label);
            list->items[j].reason = NULL;
        }
        wl_text_addf(&line, ": %s", reason);
        wl_say(sink, "    n/a   ", line.data);
        wl_text_free(&line);
    }
    free(list->items);
}

static bool is_spread(struct wl_metric_set *set)
{
    const struct wl_metric_value *value = wl_metric_get(set, "launch__replay");
    return value->is_present && wl_replay_facts_named(value->text)->gives_means;
}

/* Whether it has no counters because launches like it have. */
static bool is_like_counted(struct wl_metric_set *set)
{
    const struct wl_metric_value *value = wl_metric_get(set, "launch__uncounted");
    return value->is_present && value->text &&
           strcmp(value->text, "launches like it are counted") == 0;
}

/* How far the launches lie apart that a value is the mean of: " +-3%"; "" where it is of one. */
static void describe_spread(struct wl_metric_set *set, const char *metric, struct wl_text *text)
{
    char *name = wl_string_format("%s.spread_pct", metric);
    const struct wl_metric_value *spread = wl_metric_get(set, name);
    if (spread->is_present)
        wl_text_addf(text, " \u00b1%.2g%%", spread->number);
    free(name);
}

/* ---- rows ---- */

enum { SECTION, LABEL, COLUMN_COUNT };
static const struct wl_column columns[COLUMN_COUNT] = {
    [SECTION] = {.csv = "Section Name"},
    [LABEL] = {.text = "Metric Name", .csv = "Metric Name", .flags = WL_COLUMN_LEFT},
};
static const struct wl_column name_column = {.json = "name"}, label_column = {.json = "label"},
                              reason_column = {.json = "reason"}, item_column = {.json = ""};

struct page {
    struct wl_view_context *context;
    struct wl_page_sink *sink;
    struct wl_metric_set *set;
    const struct wl_view_advice *advice; /* of the launch */
};

/* What people read as a metric's name. */
static char *make_label(const struct page *page, const char *label, const char *name)
{
    switch (page->context->options->metric_name) {
    case WL_METRIC_NAME:
        return wl_string_copy(name);
    case WL_METRIC_LABEL_AND_NAME:
        return wl_string_format("%s (%s)", label, name);
    default:
        return wl_string_copy(label);
    }
}

static void begin_table(struct wl_page_sink *sink)
{
    wl_table_begin(sink, 4);
    wl_table_columns(sink, columns, COLUMN_COUNT);
    wl_table_columns(sink, wl_metric_columns, WL_METRIC_COLUMNS);
}

/* Unit, value, and mark with how far launches lie apart. */
static void put_value(struct page *page, const char *metric, const struct wl_metric_value *value)
{
    struct wl_text spread = {0};
    if (value->is_present && is_spread(page->set))
        describe_spread(page->set, metric, &spread);
    wl_put_metric(page->sink, value, spread.data);
    wl_text_free(&spread);
}

static void put_metrics(struct page *page, const struct wl_section *section)
{
    struct wl_page_sink *sink = page->sink;
    struct absent_list absent = {0};
    begin_table(sink);
    wl_begin(sink, WL_LEVEL_LIST, "metrics", 0);
    for (size_t i = 0; i < section->metric_count; i++) {
        const struct wl_section_metric *metric = &section->metrics[i];
        const struct wl_metric_value *value = wl_metric_get(page->set, metric->metric);
        char *label = make_label(page, metric->label, value->name);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
        wl_put(sink, &columns[LABEL], wl_cell_text(label));
        wl_put(sink, &name_column, wl_cell_text(value->name));
        put_value(page, metric->metric, value);
        wl_put(sink, &label_column, wl_cell_text(metric->label));
        wl_end(sink);
        free(label);
        note_absent(&absent, metric->label, value);
    }
    wl_end(sink);
    wl_table_end(sink);
    say_absent(sink, &absent);
}

/* Sentences; people read those that there are. */
static void put_remarks(struct page *page, const struct wl_section *section)
{
    struct wl_page_sink *sink = page->sink;
    if (section->remark_count == 0)
        return;
    wl_begin(sink, WL_LEVEL_LIST, "remarks", 0);
    for (size_t i = 0; i < section->remark_count; i++) {
        const struct wl_metric_value *value = wl_metric_get(page->set, section->remarks[i]);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
        wl_put(sink, &columns[LABEL], wl_cell_text(section->remarks[i]));
        wl_put(sink, &name_column, wl_cell_text(value->name));
        wl_put_metric(sink, value, NULL);
        wl_end(sink);
        if (value->is_present && value->text)
            wl_say_free(
                sink, "    INF   ",
                wl_string_format("%s %s", value->text, wl_mark_text(sink->is_mark_shown, value)));
    }
    wl_end(sink);
}

static void put_table_row(struct page *page, const struct wl_section_table *table,
                          const struct wl_section_row *row, const struct wl_column *headings)
{
    struct wl_page_sink *sink = page->sink;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_ROW);
    wl_put(sink, &headings[0], wl_cell_text(row->label));
    wl_begin(sink, WL_LEVEL_LIST, "cells", 0);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!row->metrics[i]) {
            wl_put(sink, &item_column, wl_cell_absent());
            continue;
        }
        const struct wl_metric_value *value = wl_metric_get(page->set, row->metrics[i]);
        char *label = wl_string_format("%s: %s: %s", table->name, row->label, table->columns[i]);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
        wl_put(sink, &columns[LABEL], wl_cell_text(label));
        wl_put(sink, &name_column, wl_cell_text(value->name));
        wl_put_metric(sink, value, NULL);
        wl_put(sink, &headings[i + 1], wl_cell_metric(value));
        wl_end(sink);
        free(label);
    }
    wl_end(sink);
    wl_end(sink);
}

static void put_table(struct page *page, const struct wl_section_table *table)
{
    struct wl_page_sink *sink = page->sink;
    struct wl_column *headings = wl_alloc_zero(table->column_count + 1, sizeof *headings);
    headings[0] = (struct wl_column){.text = table->name, .json = "label", .flags = WL_COLUMN_LEFT};
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &name_column, wl_cell_text(table->name));
    wl_begin(sink, WL_LEVEL_LIST, "columns", 0);
    for (size_t i = 0; i < table->column_count; i++) {
        headings[i + 1] = (struct wl_column){.text = table->columns[i], .form = WL_FORM_SCALED};
        wl_put(sink, &item_column, wl_cell_text(table->columns[i]));
    }
    wl_end(sink);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, headings, table->column_count + 1);
    wl_begin(sink, WL_LEVEL_LIST, "rows", 0);
    for (size_t i = 0; i < table->row_count; i++)
        put_table_row(page, table, &table->rows[i], headings);
    wl_end(sink);
    wl_table_end(sink);
    wl_end(sink);
    free(headings);
}

static void say_section(struct wl_page_sink *sink, const char *name)
{
    wl_print(sink, "    Section: ");
    wl_bold(sink, true);
    wl_print_safe(sink, name);
    wl_bold(sink, false);
    wl_print(sink, "\n");
}

static void put_section(struct page *page, const struct wl_section *section)
{
    static const struct wl_column identifier = {.json = "identifier"};
    struct wl_page_sink *sink = page->sink;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &identifier, wl_cell_text(section->identifier));
    wl_put(sink, &name_column, wl_cell_text(section->name));
    wl_put(sink, &columns[SECTION], wl_cell_text(section->name));
    say_section(sink, section->name);
    if (section->absent)
        wl_say(sink, "    n/a   ", section->absent);
    enum wl_view_details details = page->context->options->details;
    if (details != WL_DETAILS_BODY)
        put_metrics(page, section);
    wl_begin(sink, WL_LEVEL_LIST, "tables", 0); /* filled below */
    wl_end(sink);
    put_remarks(page, section);
    wl_begin(sink, WL_LEVEL_LIST, "tables", 0);
    for (size_t i = 0; i < section->table_count && details != WL_DETAILS_HEADER; i++)
        put_table(page, &section->tables[i]);
    wl_end(sink);
    wl_say_findings(page->advice, page->context->options->has_rule_details, section->identifier,
                    sink);
    if (page->advice)
        wl_put_findings(page->advice, section->identifier, sink);
    if (section->absent)
        wl_put(sink, &reason_column, wl_cell_text(section->absent));
    wl_print(sink, "\n");
    wl_end(sink);
}

/* False where a launch that failed left nothing for a section: the failure says it all. */
static bool is_worth_showing(const struct wl_report_launch *launch, struct wl_metric_set *set,
                             const struct wl_section *section)
{
    if (launch->record.status != WL_LAUNCH_FAILED || section->absent)
        return true;
    for (size_t i = 0; i < section->metric_count; i++)
        if (wl_metric_get(set, section->metrics[i].metric)->is_present)
            return true;
    for (size_t i = 0; i < section->table_count; i++) {
        const struct wl_section_table *table = &section->tables[i];
        for (size_t j = 0; j < table->row_count * table->column_count; j++) {
            const char *name =
                table->rows[j / table->column_count].metrics[j % table->column_count];
            if (name && wl_metric_get(set, name)->is_present)
                return true;
        }
    }
    return false;
}

/* Metrics of --metrics, under their names. */
static void put_named(struct page *page)
{
    const struct wl_metric_names *names = &page->context->names;
    struct wl_page_sink *sink = page->sink;
    struct absent_list absent = {0};
    if (names->count == 0)
        return;
    say_section(sink, command_line_name);
    begin_table(sink);
    wl_begin(sink, WL_LEVEL_OBJECT, "metrics", 0);
    wl_put(sink, &columns[SECTION], wl_cell_text(command_line_name));
    for (size_t i = 0; i < names->count; i++) {
        const struct wl_metric_value *value = wl_metric_get(page->set, names->items[i]);
        wl_begin(sink, WL_LEVEL_OBJECT, names->items[i], WL_LEVEL_RECORD | WL_LEVEL_ROW);
        wl_put(sink, &columns[LABEL], wl_cell_text(names->items[i]));
        put_value(page, names->items[i], value);
        wl_end(sink);
        note_absent(&absent, names->items[i], value);
    }
    wl_end(sink);
    wl_table_end(sink);
    say_absent(sink, &absent);
    wl_print(sink, "\n");
}

static void put_launch(struct page *page, size_t index)
{
    struct wl_view_context *context = page->context;
    struct wl_page_sink *sink = page->sink;
    const struct wl_report_launch *launch = context->launches[index];
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put_launch(sink, launch);
    wl_say_launch(context, sink, index ? context->launches[index - 1] : NULL, launch);
    wl_begin(sink, WL_LEVEL_LIST, "sections", 0);
    for (size_t i = 0; i < context->chosen_count; i++) {
        bool was_hidden = sink->is_hidden;
        wl_hide(sink, was_hidden || !is_worth_showing(launch, page->set, context->chosen[i]));
        put_section(page, context->chosen[i]);
        wl_hide(sink, was_hidden);
    }
    wl_end(sink);
    put_named(page);
    wl_end(sink);
}

/* Launches that rules look at in one process. */
enum { ADVISED_TOGETHER = 512 };

/* What rules found of the launches at hand, each by itself. */
struct advised {
    struct wl_rules *rules; /* NULL: findings are not shown */
    struct wl_advice_list *lists[ADVISED_TOGETHER];
};

/* Of launch i, into *advice: of those behind it, too, whenever it is the first of so many. */
static enum wl_code advise(struct wl_view_context *context, struct advised *advised, size_t i,
                           struct wl_view_advice *advice, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    size_t place = i % ADVISED_TOGETHER, rest = context->launch_count - i;
    if (place == 0)
        code = wl_view_advise_each(context, advised->rules, &context->launches[i],
                                   rest < ADVISED_TOGETHER ? rest : ADVISED_TOGETHER,
                                   advised->lists, error);
    if (code == WL_OK)
        wl_view_advice_set(advice, advised->lists[place]);
    advised->lists[place] = NULL;
    return code;
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    size_t others = 0;
    struct advised advised = {0};
    enum wl_code code = WL_OK;
    if (context->options->has_findings)
        code = wl_rules_load(context->catalog, context->options->section_folder, &advised.rules,
                             error);
    if (code)
        return code;
    wl_heading(sink, wl_launch_columns, WL_LAUNCH_COLUMNS);
    wl_heading(sink, columns, COLUMN_COUNT);
    wl_heading(sink, wl_metric_columns, WL_METRIC_COLUMNS - 1);
    if (advised.rules) /* between ncu's columns and the mark */
        wl_heading(sink, wl_finding_columns, WL_FINDING_COLUMNS);
    wl_heading(sink, &wl_metric_columns[WL_METRIC_COLUMNS - 1], 1);
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < context->launch_count && !code; i++) {
        struct wl_view_advice advice = {0};
        struct page page = {context, sink,
                            wl_metric_set_create(context->catalog, context->launches[i]), NULL};
        if (advised.rules)
            code = advise(context, &advised, i, &advice, error);
        page.advice = advice.list ? &advice : NULL;
        bool is_other = context->launch_count > 1 && is_like_counted(page.set);
        others += is_other;
        wl_hide(sink, is_other);
        put_launch(&page, i);
        wl_hide(sink, false);
        wl_metric_set_free(page.set);
        wl_flush(sink);
        wl_advice_free(advice.list);
    }
    wl_end(sink);
    wl_rules_free(advised.rules);
    if (code)
        return code;
    if (others)
        wl_print(sink,
                 "  %zu launches like these have no counters of their own: --page raw lists them\n",
                 others);
    wl_mark_legend(sink);
    return WL_OK;
}

const struct wl_page wl_page_details = {.name = "details", .walk = walk, .has_summary = true};
