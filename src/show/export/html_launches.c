/* The section launches: what the pages summary and details show, of all reports.
 *
 * Metrics are listed once; a launch has the position of its value of each, in the same order. */
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "show/export/html.h"
#include "show/format/format.h"
#include "show/format/json.h"
#include "show/page/fields.h"

struct metric {
    const char *name;
    json_int_t position;
    UT_hash_handle hh;
};

struct plan {
    struct wl_html *html;
    struct metric *by_name;
    WL_VECTOR(const char *) names;
    struct wl_html_table values, units;
};

/* Position of a metric among those of the page; it is added if it is new. */
static json_t *place(struct plan *plan, const char *name)
{
    struct metric *metric = NULL;
    HASH_FIND_STR(plan->by_name, name, metric);
    if (!metric) {
        metric = wl_alloc_zero(1, sizeof *metric);
        metric->name = name;
        metric->position = (json_int_t)plan->names.count;
        HASH_ADD_KEYPTR(hh, plan->by_name, metric->name, strlen(name), metric);
        WL_PUSH(&plan->names, name);
    }
    return json_integer(metric->position);
}

static json_t *plan_labelled(struct plan *plan, const struct wl_section *section)
{
    json_t *metrics = json_array();
    for (size_t i = 0; i < section->metric_count; i++)
        json_array_append_new(metrics, json_pack("[o, o]", wl_json_text(section->metrics[i].label),
                                                 place(plan, section->metrics[i].metric)));
    return metrics;
}

/* Columns of the table of launches: the time first, then those of the section Summary. */
static json_t *plan_columns(struct plan *plan, const struct wl_section *summary)
{
    static const char time[] = "gpu__time_duration.sum";
    json_t *columns = summary ? plan_labelled(plan, summary) : json_array();
    for (size_t i = 0; summary && i < summary->metric_count; i++)
        if (strcmp(summary->metrics[i].metric, time) == 0)
            return columns;
    json_array_insert_new(columns, 0, json_pack("[s, o]", "Duration", place(plan, time)));
    return columns;
}

static json_t *plan_table(struct plan *plan, const struct wl_section_table *table)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < table->column_count; i++)
        json_array_append_new(columns, wl_json_text(table->columns[i]));
    for (size_t i = 0; i < table->row_count; i++) {
        json_t *cells = json_array();
        for (size_t j = 0; j < table->column_count; j++) {
            const char *name = table->rows[i].metrics[j];
            json_array_append_new(cells, name ? place(plan, name) : json_null());
        }
        json_array_append_new(rows, json_pack("{s:o, s:o}", "label",
                                              wl_json_text(table->rows[i].label), "cells", cells));
    }
    return json_pack("{s:o, s:o, s:o}", "name", wl_json_text(table->name), "columns", columns,
                     "rows", rows);
}

static json_t *plan_section(struct plan *plan, const struct wl_section *section)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < section->table_count; i++)
        json_array_append_new(tables, plan_table(plan, &section->tables[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "identifier",
                     wl_json_text(section->identifier), "name", wl_json_text(section->name),
                     "description", wl_json_text(section->description), "absent",
                     section->absent ? wl_json_text(section->absent) : json_null(), "metrics",
                     plan_labelled(plan, section), "tables", tables);
}

/* What --metrics names, as a section of its own. */
static json_t *plan_named(struct plan *plan, const struct wl_metric_names *names)
{
    struct wl_section section = {
        .identifier = "Named",
        .name = "Metrics of --metrics",
        .description = "Metrics that were asked for by name.",
        .metric_count = names->count,
        .metrics = wl_alloc_zero(names->count, sizeof *section.metrics),
    };
    for (size_t i = 0; i < names->count; i++)
        section.metrics[i] = (struct wl_section_metric){names->items[i], names->items[i]};
    json_t *planned = plan_section(plan, &section);
    free(section.metrics);
    return planned;
}

/* Whether a number as it is shown says all of it: "1,234". */
static bool says_all(const char *shown, double number)
{
    struct wl_text plain = {0};
    for (; *shown; shown++)
        if (*shown != ',')
            wl_text_add_char(&plain, *shown);
    bool is_all = plain.length > 0 && strtod(plain.data, NULL) == number;
    wl_text_free(&plain);
    return is_all;
}

/* [shown, 3 * position of its unit + mark], and the number where what is shown does not say it, or
 * null where it is a text; the reason alone where it is absent. */
static json_t *value_json(struct plan *plan, const struct wl_metric_value *value)
{
    if (!value->is_present)
        return wl_json_text(value->reason);
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(value, WL_UNITS_AUTO, &number, &unit);
    json_int_t position = wl_html_intern(&plan->units, wl_json_text(unit.data));
    json_t *item =
        json_pack("[o, I]", wl_json_text(number.data), 3 * position + (json_int_t)value->mark);
    if (value->text)
        json_array_append_new(item, json_null());
    else if (!says_all(number.data, value->number))
        json_array_append_new(item, wl_json_number(value->number));
    wl_text_free(&number);
    wl_text_free(&unit);
    return item;
}

static json_t *notes_json(const struct wl_view_context *context,
                          const struct wl_report_launch *launch)
{
    json_t *notes = json_array();
    size_t count = 0;
    const struct wl_report_note *all = wl_report_notes(context->report, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].launch_key == launch->key)
            json_array_append_new(notes, wl_fields_note_json(&all[i]));
    return notes;
}

static json_t *launch_json(struct plan *plan, struct wl_view_context *context,
                           const struct wl_report_launch *launch)
{
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    json_t *object = wl_fields_json(launch), *values = json_array();
    for (size_t i = 0; i < plan->names.count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, plan->names.items[i]);
        json_array_append_new(values,
                              json_integer(wl_html_intern(&plan->values, value_json(plan, value))));
    }
    wl_html_add_kernel(launch, object);
    json_object_set_new(object, "notes", notes_json(context, launch));
    json_object_set_new(object, "values", values);
    wl_metric_set_free(set);
    return object;
}

/* Name and unit of every metric of the page. */
static json_t *metrics_json(struct plan *plan)
{
    json_t *metrics = json_array();
    for (size_t i = 0; i < plan->names.count; i++) {
        const struct wl_metric_value *value = wl_metric_get(plan->html->set, plan->names.items[i]);
        json_array_append_new(metrics, json_pack("{s:o, s:o}", "name", wl_json_text(value->name),
                                                 "unit", wl_json_text(value->unit)));
        wl_html_define(plan->html, value->name);
    }
    return metrics;
}

static json_t *whole_launches(struct plan *plan, size_t number)
{
    struct wl_view_context *context = &plan->html->contexts[number];
    json_t *launches = json_array();
    for (size_t i = 0; i < context->launch_count; i++)
        if (wl_html_is_wanted(plan->html, number, context->launches[i]))
            json_array_append_new(launches, launch_json(plan, context, context->launches[i]));
    return launches;
}

enum wl_code wl_html_launches(struct wl_html *html, json_t *section, struct wl_error *error)
{
    (void)error;
    struct plan plan = {.html = html};
    struct metric *metric, *next;
    const struct wl_view_context *context = &html->contexts[0];
    const struct wl_section *summary = wl_sections_find(context->sections, "Summary");
    json_t *sections = json_array(), *remarks = json_array(), *reports = json_array();
    json_object_set_new(section, "columns", plan_columns(&plan, summary));
    for (size_t i = 0; summary && i < summary->remark_count; i++)
        json_array_append_new(remarks, place(&plan, summary->remarks[i]));
    for (size_t i = 0; i < context->chosen_count; i++)
        json_array_append_new(sections, plan_section(&plan, context->chosen[i]));
    if (context->names.count > 0)
        json_array_append_new(sections, plan_named(&plan, &context->names));
    for (size_t i = 0; i < html->report_count; i++) {
        json_t *one = json_pack("{s:o}", "name", wl_json_text(html->reports[i].name));
        bool is_bare = wl_html_is_bare(html);
        if (is_bare)
            json_object_set_new(one, "bare", wl_html_bare_launches(&html->contexts[i]));
        json_object_set_new(one, "launches",
                            is_bare && html->is_served ? json_array() : whole_launches(&plan, i));
        json_array_append_new(reports, one);
    }
    if (html->only) { /* the page has the plan */
        json_decref(remarks);
        json_decref(sections);
        json_object_del(section, "columns");
    } else {
        json_object_set_new(section, "remarks", remarks);
        json_object_set_new(section, "sections", sections);
        json_object_set_new(section, "metrics", metrics_json(&plan));
    }
    json_object_set_new(section, "values", wl_html_table_take(&plan.values));
    json_object_set_new(section, "units", wl_html_table_take(&plan.units));
    json_object_set_new(section, "reports", reports);
    HASH_ITER(hh, plan.by_name, metric, next)
    {
        HASH_DEL(plan.by_name, metric);
        free(metric);
    }
    free(plan.names.items);
    return WL_OK;
}
