/* The details page: the chosen sections of each launch, as tables of metrics. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

static const char command_line_name[] = "Command line profiler metrics";

/* ---- absent values: named below the table, once for each reason ---- */

struct absent {
    const char *label, *reason;
};
struct absent_list {
    struct absent *items;
    size_t count, capacity;
};

static void note_absent(struct absent_list *list, const char *label,
                        const struct wl_metric_value *value)
{
    if (value->is_present)
        return;
    struct absent absent = {label, value->reason};
    WL_PUSH(list, absent);
}

static void print_absent(struct wl_view_context *context, struct absent_list *list)
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
            wl_format_safe(list->items[j].label, &line);
            list->items[j].reason = NULL;
        }
        wl_text_add(&line, ": ");
        wl_format_safe(reason, &line);
        wl_format_wrap("    n/a   ", line.data, context->width, &context->text);
        wl_text_free(&line);
    }
    free(list->items);
}

/* ---- text ---- */

static bool has_text(struct wl_metric_set *set, const char *metric, const char *text)
{
    const struct wl_metric_value *value = wl_metric_get(set, metric);
    return value->is_present && value->text && strcmp(value->text, text) == 0;
}

static bool is_spread(struct wl_metric_set *set)
{
    return has_text(set, "launch__replay", "spread");
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

static void add_metric_row(struct wl_view_context *context, struct wl_table *table,
                           struct wl_metric_set *set, const struct wl_section_metric *metric)
{
    const struct wl_metric_value *value = wl_metric_get(set, metric->metric);
    const char *label = metric->label;
    struct wl_text name = {0}, number = {0}, unit = {0}, mark = {0};
    wl_text_add(&mark, wl_mark_text(context, value));
    if (value->is_present && is_spread(set))
        describe_spread(set, metric->metric, &mark);
    wl_format_safe(label, &name);
    wl_format_metric(value, context->options->units, &number, &unit);
    wl_table_add_cell(table, name.data);
    wl_table_add_cell(table, unit.data);
    wl_table_add_cell(table, number.data);
    wl_table_add_cell(table, mark.data);
    wl_text_free(&mark);
    wl_text_free(&name);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static void begin_metric_table(struct wl_table *table)
{
    wl_table_add_column(table, "Metric Name", true);
    wl_table_add_column(table, "Metric Unit", false);
    wl_table_add_column(table, "Metric Value", false);
    wl_table_add_column(table, "", true);
}

static void print_metrics(struct wl_view_context *context, struct wl_metric_set *set,
                          const struct wl_section *section)
{
    struct wl_table table = {0};
    struct absent_list absent = {0};
    begin_metric_table(&table);
    for (size_t i = 0; i < section->metric_count; i++) {
        const struct wl_section_metric *metric = &section->metrics[i];
        const struct wl_metric_value *value = wl_metric_get(set, metric->metric);
        add_metric_row(context, &table, set, metric);
        note_absent(&absent, metric->label, value);
    }
    if (section->metric_count > 0)
        wl_table_print(&table, 4, &context->text);
    print_absent(context, &absent);
    wl_table_free(&table);
}

/* A cell has its mark behind the number; the unit is left to the heading, unless it scales. */
static void add_table_cell(struct wl_view_context *context, struct wl_table *table,
                           const struct wl_metric_value *value)
{
    struct wl_text cell = {0}, unit = {0};
    wl_format_metric(value, context->options->units, &cell, &unit);
    if (value->is_present && strcmp(unit.data, value->unit) != 0)
        wl_text_addf(&cell, " %s", unit.data);
    if (value->is_present)
        wl_text_addf(&cell, " %s", wl_mark_text(context, value));
    wl_table_add_cell(table, cell.data);
    wl_text_free(&cell);
    wl_text_free(&unit);
}

static void print_section_table(struct wl_view_context *context, struct wl_metric_set *set,
                                const struct wl_section_table *description)
{
    struct wl_table table = {0};
    struct wl_text heading = {0};
    wl_format_safe(description->name, &heading);
    wl_table_add_column(&table, heading.data, true);
    for (size_t i = 0; i < description->column_count; i++) {
        heading.length = 0;
        wl_format_safe(description->columns[i], &heading);
        wl_table_add_column(&table, heading.data, false);
    }
    for (size_t i = 0; i < description->row_count; i++) {
        const struct wl_section_row *row = &description->rows[i];
        heading.length = 0;
        wl_format_safe(row->label, &heading);
        wl_table_add_cell(&table, heading.data);
        for (size_t j = 0; j < description->column_count; j++) {
            if (row->metrics[j])
                add_table_cell(context, &table, wl_metric_get(set, row->metrics[j]));
            else
                wl_table_add_cell(&table, "");
        }
    }
    wl_table_print(&table, 4, &context->text);
    wl_table_free(&table);
    wl_text_free(&heading);
}

/* Sentences, of those that there are. */
static void print_remarks(struct wl_view_context *context, struct wl_metric_set *set,
                          const struct wl_section *section)
{
    for (size_t i = 0; i < section->remark_count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, section->remarks[i]);
        if (!value->is_present || !value->text)
            continue;
        struct wl_text line = {0};
        wl_format_safe(value->text, &line);
        wl_text_addf(&line, " %s", wl_mark_text(context, value));
        wl_format_wrap("    INF   ", line.data, context->width, &context->text);
        wl_text_free(&line);
    }
}

static void print_section(struct wl_view_context *context, struct wl_metric_set *set,
                          const struct wl_section *section)
{
    struct wl_text line = {0};
    wl_text_add(&context->text, "    Section: ");
    wl_fields_bold(context, true);
    wl_format_safe(section->name, &context->text);
    wl_fields_bold(context, false);
    wl_text_add_char(&context->text, '\n');
    if (section->absent) {
        wl_format_safe(section->absent, &line);
        wl_format_wrap("    n/a   ", line.data, context->width, &context->text);
        wl_text_free(&line);
    }
    print_metrics(context, set, section);
    print_remarks(context, set, section);
    for (size_t i = 0; i < section->table_count; i++)
        print_section_table(context, set, &section->tables[i]);
    wl_text_add_char(&context->text, '\n');
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
static void print_named(struct wl_view_context *context, struct wl_metric_set *set)
{
    const struct wl_metric_names *names = &context->names;
    struct wl_section_metric *metrics = wl_alloc_zero(names->count, sizeof *metrics);
    for (size_t i = 0; i < names->count; i++)
        metrics[i] = (struct wl_section_metric){names->items[i], names->items[i]};
    struct wl_section section = {
        .name = command_line_name, .metrics = metrics, .metric_count = names->count};
    if (names->count > 0)
        print_section(context, set, &section);
    free(metrics);
}

enum wl_code wl_page_details_text(struct wl_view_context *context, struct wl_error *error)
{
    size_t others = 0;
    (void)error;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        if (context->launch_count > 1 &&
            has_text(set, "launch__uncounted", "launches like it are counted")) {
            others++;
            wl_metric_set_free(set);
            continue;
        }
        wl_fields_headline(context, i ? context->launches[i - 1] : NULL, launch);
        for (size_t j = 0; j < context->chosen_count; j++)
            if (is_worth_showing(launch, set, context->chosen[j]))
                print_section(context, set, context->chosen[j]);
        print_named(context, set);
        wl_metric_set_free(set);
        wl_view_flush(context);
    }
    if (others)
        wl_text_addf(&context->text,
                     "  %zu launches like these have no counters of their own: --page raw lists "
                     "them\n",
                     others);
    wl_mark_legend(context);
    return WL_OK;
}

/* ---- CSV ---- */

static void csv_line(struct wl_view_context *context, const struct wl_text *launch,
                     const char *section, const char *label, const struct wl_metric_value *value)
{
    wl_text_add_bytes(&context->text, launch->data, launch->length);
    wl_csv_add(&context->text, section);
    wl_csv_add(&context->text, label);
    wl_csv_metric(&context->text, value);
    wl_text_add_char(&context->text, '\n');
}

static void csv_section(struct wl_view_context *context, const struct wl_text *launch,
                        struct wl_metric_set *set, const struct wl_section *section)
{
    for (size_t i = 0; i < section->metric_count; i++)
        csv_line(context, launch, section->name, section->metrics[i].label,
                 wl_metric_get(set, section->metrics[i].metric));
    for (size_t i = 0; i < section->remark_count; i++)
        csv_line(context, launch, section->name, section->remarks[i],
                 wl_metric_get(set, section->remarks[i]));
    for (size_t i = 0; i < section->table_count; i++) {
        const struct wl_section_table *table = &section->tables[i];
        for (size_t j = 0; j < table->row_count; j++) {
            const struct wl_section_row *row = &table->rows[j];
            for (size_t k = 0; k < table->column_count; k++) {
                if (!row->metrics[k])
                    continue;
                char *label =
                    wl_string_format("%s: %s: %s", table->name, row->label, table->columns[k]);
                csv_line(context, launch, section->name, label,
                         wl_metric_get(set, row->metrics[k]));
                free(label);
            }
        }
    }
}

enum wl_code wl_page_details_csv(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    wl_fields_csv_names(&context->text);
    wl_text_add(&context->text, ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
                                "Value\",\"Mark\"\n");
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        struct wl_text launch = {0};
        wl_fields_csv(context->launches[i], &launch);
        for (size_t j = 0; j < context->chosen_count; j++)
            csv_section(context, &launch, set, context->chosen[j]);
        for (size_t j = 0; j < context->names.count; j++)
            csv_line(context, &launch, command_line_name, context->names.items[j],
                     wl_metric_get(set, context->names.items[j]));
        wl_text_free(&launch);
        wl_metric_set_free(set);
        wl_view_flush(context);
    }
    return WL_OK;
}

/* ---- JSON ---- */

static json_t *json_table(struct wl_metric_set *set, const struct wl_section_table *table)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < table->column_count; i++)
        json_array_append_new(columns, wl_json_text(table->columns[i]));
    for (size_t i = 0; i < table->row_count; i++) {
        json_t *cells = json_array();
        for (size_t j = 0; j < table->column_count; j++)
            json_array_append_new(
                cells, table->rows[i].metrics[j]
                           ? wl_json_metric(wl_metric_get(set, table->rows[i].metrics[j]), true)
                           : json_null());
        json_array_append_new(rows, json_pack("{s:o, s:o}", "label",
                                              wl_json_text(table->rows[i].label), "cells", cells));
    }
    return json_pack("{s:o, s:o, s:o}", "name", wl_json_text(table->name), "columns", columns,
                     "rows", rows);
}

static json_t *json_section(struct wl_metric_set *set, const struct wl_section *section)
{
    json_t *metrics = json_array(), *tables = json_array(), *remarks = json_array();
    for (size_t i = 0; i < section->remark_count; i++)
        json_array_append_new(remarks,
                              wl_json_metric(wl_metric_get(set, section->remarks[i]), true));
    for (size_t i = 0; i < section->metric_count; i++) {
        json_t *metric = wl_json_metric(wl_metric_get(set, section->metrics[i].metric), true);
        json_object_set_new(metric, "label", wl_json_text(section->metrics[i].label));
        json_array_append_new(metrics, metric);
    }
    for (size_t i = 0; i < section->table_count; i++)
        json_array_append_new(tables, json_table(set, &section->tables[i]));
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "identifier", wl_json_text(section->identifier), "name",
                  wl_json_text(section->name), "metrics", metrics, "tables", tables);
    if (section->remark_count > 0)
        json_object_set(object, "remarks", remarks);
    json_decref(remarks);
    if (section->absent)
        json_object_set_new(object, "reason", wl_json_text(section->absent));
    return object;
}

enum wl_code wl_page_details_json(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    json_t *launches = json_array();
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        json_t *launch = wl_fields_json(context->launches[i]), *sections = json_array();
        for (size_t j = 0; j < context->chosen_count; j++)
            json_array_append_new(sections, json_section(set, context->chosen[j]));
        json_object_set_new(launch, "sections", sections);
        if (context->names.count > 0) {
            json_t *metrics = json_object();
            for (size_t j = 0; j < context->names.count; j++)
                json_object_set_new(
                    metrics, context->names.items[j],
                    wl_json_metric(wl_metric_get(set, context->names.items[j]), false));
            json_object_set_new(launch, "metrics", metrics);
        }
        json_array_append_new(launches, launch);
        wl_metric_set_free(set);
    }
    json_object_set_new(context->root, "launches", launches);
    return WL_OK;
}
