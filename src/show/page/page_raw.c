/* The raw page: every metric of each launch, or those of --metrics. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

struct values {
    const struct wl_metric_value **items;
    size_t count, capacity;
};

/* What the page shows of a launch: all, or what --metrics names. */
static struct values list_values(const struct wl_view_context *context, struct wl_metric_set *set)
{
    struct values values = {0};
    if (context->names.count > 0) {
        for (size_t i = 0; i < context->names.count; i++)
            WL_PUSH(&values, wl_metric_get(set, context->names.items[i]));
        return values;
    }
    size_t count = 0;
    const struct wl_metric_value *const *list = wl_metric_set_list(set, &count);
    for (size_t i = 0; i < count; i++)
        WL_PUSH(&values, list[i]);
    return values;
}

static void add_row(struct wl_view_context *context, struct wl_table *table,
                    const struct wl_metric_value *value)
{
    struct wl_text name = {0}, number = {0}, unit = {0};
    wl_format_safe(value->name, &name);
    wl_format_metric(value, context->options->units, &number, &unit);
    wl_table_add_cell(table, name.data);
    wl_table_add_cell(table, unit.data);
    wl_table_add_cell(table, number.data);
    wl_table_add_cell(table, wl_mark_text(context, value));
    wl_text_free(&name);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static void print_launch(struct wl_view_context *context, struct wl_metric_set *set)
{
    struct values values = list_values(context, set);
    struct wl_table table = {0};
    struct wl_text line = {0};
    wl_table_add_column(&table, "Metric Name", true);
    wl_table_add_column(&table, "Metric Unit", false);
    wl_table_add_column(&table, "Metric Value", false);
    wl_table_add_column(&table, "", true);
    for (size_t i = 0; i < values.count; i++)
        if (values.items[i]->is_present)
            add_row(context, &table, values.items[i]);
    if (wl_table_rows(&table) > 0)
        wl_table_print(&table, 4, &context->text);
    for (size_t i = 0; i < values.count; i++) {
        if (values.items[i]->is_present)
            continue;
        line.length = 0;
        wl_format_safe(values.items[i]->name, &line);
        wl_text_add(&line, ": ");
        wl_format_safe(values.items[i]->reason, &line);
        wl_format_wrap("    n/a   ", line.data, context->width, &context->text);
    }
    wl_text_add_char(&context->text, '\n');
    wl_text_free(&line);
    wl_table_free(&table);
    free(values.items);
}

enum wl_code wl_page_raw_text(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        wl_fields_headline(context, i ? context->launches[i - 1] : NULL, context->launches[i]);
        print_launch(context, set);
        wl_metric_set_free(set);
        wl_view_flush(context);
    }
    wl_mark_legend(context);
    return WL_OK;
}

/* ---- CSV: a row for each launch, a column for each metric that any launch has ---- */

struct column {
    char *name, *unit;
};
struct columns {
    struct column *items;
    size_t count, capacity;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct column *)left)->name, ((const struct column *)right)->name);
}

static void add_columns(struct columns *columns, const struct values *values, bool keeps_absent)
{
    size_t known = columns->count;
    for (size_t i = 0; i < values->count; i++) {
        const struct wl_metric_value *value = values->items[i];
        struct column column = {.name = (char *)value->name};
        if (!value->is_present && !keeps_absent)
            continue;
        if (known > 0 && bsearch(&column, columns->items, known, sizeof column, by_name))
            continue;
        column = (struct column){wl_string_copy(value->name), wl_string_copy(value->unit)};
        WL_PUSH(columns, column);
    }
}

/* Names of --metrics keep their order; else names are sorted. */
static struct columns list_columns(const struct wl_view_context *context)
{
    struct columns columns = {0};
    bool is_named = context->names.count > 0;
    for (size_t i = 0; i < (is_named ? 1 : context->launch_count); i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        struct values values = list_values(context, set);
        add_columns(&columns, &values, is_named);
        if (!is_named && columns.count > 0)
            qsort(columns.items, columns.count, sizeof *columns.items, by_name);
        free(values.items);
        wl_metric_set_free(set);
    }
    return columns;
}

static void csv_row(struct wl_view_context *context, const struct columns *columns,
                    const struct wl_report_launch *launch)
{
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    struct wl_text marks[3] = {{0}, {0}, {0}}, all = {0};
    wl_fields_csv(launch, &context->text);
    for (size_t i = 0; i < columns->count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, columns->items[i].name);
        struct wl_text number = {0};
        if (value->is_present && value->text)
            wl_text_add(&number, value->text);
        else if (value->is_present)
            wl_format_plain(value->number, &number);
        if (value->is_present && value->mark != WL_MARK_EXACT)
            wl_text_addf(&marks[value->mark], " %s", value->name);
        wl_csv_add(&context->text, number.data ? number.data : "");
        wl_text_free(&number);
    }
    for (int mark = WL_MARK_MODELLED; mark <= WL_MARK_PREDICTED; mark++)
        if (marks[mark].length)
            wl_text_addf(&all, "%s%s:%s", all.length ? "; " : "",
                         wl_metric_mark_name((enum wl_mark)mark), marks[mark].data);
    wl_csv_add(&context->text, all.data ? all.data : "exact");
    wl_text_add_char(&context->text, '\n');
    for (int mark = 0; mark < 3; mark++)
        wl_text_free(&marks[mark]);
    wl_text_free(&all);
    wl_metric_set_free(set);
}

enum wl_code wl_page_raw_csv(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct columns columns = list_columns(context);
    wl_fields_csv_names(&context->text);
    for (size_t i = 0; i < columns.count; i++)
        wl_csv_add(&context->text, columns.items[i].name);
    wl_text_add(&context->text, ",\"Mark\"\n\"\"");
    /* units stand below the metrics' names; the fields before them and the mark have none */
    struct wl_text names = {0};
    wl_fields_csv_names(&names);
    for (const char *at = names.data; (at = strchr(at, ',')); at++)
        wl_text_add(&context->text, ",\"\"");
    wl_text_free(&names);
    for (size_t i = 0; i < columns.count; i++)
        wl_csv_add(&context->text, columns.items[i].unit);
    wl_text_add(&context->text, ",\"\"\n");
    for (size_t i = 0; i < context->launch_count; i++) {
        csv_row(context, &columns, context->launches[i]);
        wl_view_flush(context);
    }
    for (size_t i = 0; i < columns.count; i++) {
        free(columns.items[i].name);
        free(columns.items[i].unit);
    }
    free(columns.items);
    return WL_OK;
}

enum wl_code wl_page_raw_json(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    json_t *launches = json_array();
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        struct values values = list_values(context, set);
        json_t *launch = wl_fields_json(context->launches[i]), *metrics = json_object();
        for (size_t j = 0; j < values.count; j++)
            json_object_set_new(metrics, values.items[j]->name,
                                wl_json_metric(values.items[j], false));
        json_object_set_new(launch, "metrics", metrics);
        json_array_append_new(launches, launch);
        free(values.items);
        wl_metric_set_free(set);
    }
    json_object_set_new(context->root, "launches", launches);
    return WL_OK;
}
