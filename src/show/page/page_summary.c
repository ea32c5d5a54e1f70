/* The summary page: a row for each launch, and below it what stands out in that launch. What the
 * columns are and which remarks are looked for says the section Summary (data/sections/). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

enum { longest_name = 40, shortest_name = 12, name_column = 1, indent = 2, most_ids = 8 };

static const struct wl_section empty_section;

/* What is remarked of some launches in the same words. */
struct remark {
    char *text;     /* safe for a terminal; the key */
    char *launches; /* the first launches, "0, 3, 6" */
    size_t count;
    UT_hash_handle hh;
};

static const struct wl_section *summary_section(const struct wl_view_context *context)
{
    const struct wl_section *section = wl_sections_find(context->sections, "Summary");
    return section ? section : &empty_section;
}

/* Cuts a safe text to so many columns. */
static void shorten(struct wl_text *text, size_t limit)
{
    if (wl_format_width(text->data) <= limit)
        return;
    size_t cut = 0;
    for (size_t columns = 0; columns < limit - 3; cut++)
        columns += ((unsigned char)text->data[cut + 1] & 0xc0) != 0x80;
    text->length = cut;
    text->data[cut] = '\0';
    wl_text_add(text, "...");
}

/* A kernel's name without its parameters, cut to fit. */
static void add_short_name(const struct wl_report_launch *launch, struct wl_text *out)
{
    const struct wl_record_kernel *kernel = launch->kernel ? &launch->kernel->record : NULL;
    bool has_function = kernel && kernel->function && kernel->function[0] != '\0';
    wl_format_safe(has_function ? kernel->function : wl_fields_kernel(launch), out);
    shorten(out, longest_name);
}

/* Names give way where the table is wider than the page. */
static void fit_names(struct wl_table *table, size_t page_width)
{
    size_t widest = 0, width = wl_table_width(table) + indent;
    for (size_t i = name_column; i < table->cell_count; i += table->column_count)
        if (wl_format_width(table->cells[i]) > widest)
            widest = wl_format_width(table->cells[i]);
    if (width <= page_width || widest <= shortest_name)
        return;
    size_t excess = width - page_width;
    size_t limit = widest > excess + shortest_name ? widest - excess : shortest_name;
    for (size_t i = name_column; i < table->cell_count; i += table->column_count) {
        struct wl_text name = {0};
        wl_text_add(&name, table->cells[i]);
        shorten(&name, limit);
        free(table->cells[i]);
        table->cells[i] = wl_text_take(&name);
    }
}

static void add_triple(struct wl_table *table, const uint32_t *triple)
{
    char *cell = wl_string_format("(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", triple[0], triple[1],
                                  triple[2]);
    wl_table_add_cell(table, cell);
    free(cell);
}

static void add_metric(struct wl_view_context *context, struct wl_table *table,
                       const struct wl_metric_value *value)
{
    struct wl_text cell = {0}, unit = {0};
    if (!value->is_present) {
        wl_table_add_cell(table, "n/a  ");
        return;
    }
    wl_format_metric(value, context->options->units, &cell, &unit);
    if (strcmp(unit.data, "%") == 0)
        wl_text_add_char(&cell, '%');
    else if (strcmp(unit.data, value->unit) != 0 || strcmp(unit.data, "byte") == 0)
        wl_text_addf(&cell, " %s", unit.data);
    wl_text_addf(&cell, " %s", wl_mark_text(context, value));
    wl_table_add_cell(table, cell.data);
    wl_text_free(&cell);
    wl_text_free(&unit);
}

/* Frees text. */
static void add_remark(struct remark **remarks, const char *id, char *text)
{
    struct wl_text safe = {0};
    struct remark *remark = NULL;
    wl_format_safe(text, &safe);
    free(text);
    HASH_FIND_STR(*remarks, safe.data, remark);
    if (!remark) {
        remark = wl_alloc_zero(1, sizeof *remark);
        remark->text = wl_text_take(&safe);
        remark->launches = wl_string_copy(id);
        HASH_ADD_KEYPTR(hh, *remarks, remark->text, strlen(remark->text), remark);
    } else if (remark->count < most_ids) {
        char *launches = wl_string_format("%s, %s", remark->launches, id);
        free(remark->launches);
        remark->launches = launches;
    }
    remark->count++;
    wl_text_free(&safe);
}

/* In the order in which they came up; frees them. */
static void print_remarks(struct wl_view_context *context, struct remark **remarks)
{
    struct remark *remark, *next;
    if (*remarks)
        wl_text_add(&context->text, "\n  What stands out, by ID:\n");
    HASH_ITER(hh, *remarks, remark, next)
    {
        struct wl_text line = {0};
        wl_text_addf(&line, "%s", remark->launches);
        if (remark->count > most_ids)
            wl_text_addf(&line, " and %zu more", remark->count - most_ids);
        wl_text_addf(&line, ": %s", remark->text);
        wl_format_wrap("  ", line.data, context->width, &context->text);
        wl_text_free(&line);
        HASH_DEL(*remarks, remark);
        free(remark->text);
        free(remark->launches);
        free(remark);
    }
}

static void add_launch(struct wl_view_context *context, struct wl_table *table,
                       const struct wl_report_launch *launch, const struct wl_section *section,
                       struct remark **remarks)
{
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    struct wl_text name = {0};
    char *id = wl_string_format("%" PRId64, launch->key);
    add_short_name(launch, &name);
    wl_table_add_cell(table, id);
    wl_table_add_cell(table, name.data);
    add_triple(table, launch->record.grid);
    add_triple(table, launch->record.block);
    for (size_t i = 0; i < section->metric_count; i++)
        add_metric(context, table, wl_metric_get(set, section->metrics[i].metric));
    bool is_failed = launch->record.status == WL_LAUNCH_FAILED;
    if (is_failed)
        add_remark(remarks, id, wl_string_format("failed: %s", launch->record.message));
    for (size_t i = 0; i < section->remark_count && !is_failed; i++) {
        const struct wl_metric_value *remark = wl_metric_get(set, section->remarks[i]);
        if (remark->is_present && remark->text)
            add_remark(
                remarks, id,
                wl_string_format("%s (%s)", remark->text, wl_metric_mark_name(remark->mark)));
    }
    free(id);
    wl_text_free(&name);
    wl_metric_set_free(set);
}

enum wl_code wl_page_summary_text(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    const struct wl_section *section = summary_section(context);
    struct wl_table table = {0};
    struct remark *remarks = NULL;
    wl_table_add_column(&table, "ID", false);
    wl_table_add_column(&table, "Kernel", true);
    wl_table_add_column(&table, "Grid", false);
    wl_table_add_column(&table, "Block", false);
    for (size_t i = 0; i < section->metric_count; i++) {
        char *heading = wl_string_format("%s  ", section->metrics[i].label);
        wl_table_add_column(&table, heading, false);
        free(heading);
    }
    for (size_t i = 0; i < context->launch_count; i++)
        add_launch(context, &table, context->launches[i], section, &remarks);
    fit_names(&table, context->width);
    wl_table_print(&table, indent, &context->text);
    print_remarks(context, &remarks);
    wl_text_add_char(&context->text, '\n');
    wl_mark_legend(context);
    wl_table_free(&table);
    return WL_OK;
}

/* ---- CSV: value and mark of each column ---- */

static void csv_launch(struct wl_view_context *context, const struct wl_report_launch *launch,
                       const struct wl_section *section)
{
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    struct wl_text remarks = {0}, marks = {0}, number = {0};
    wl_fields_csv(launch, &context->text);
    for (size_t i = 0; i < section->metric_count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, section->metrics[i].metric);
        number.length = 0;
        wl_text_add(&number, "");
        if (value->is_present && value->text)
            wl_text_add(&number, value->text);
        else if (value->is_present)
            wl_format_plain(value->number, &number);
        wl_csv_add(&context->text, number.data);
        wl_text_addf(&marks, "%s%s", i ? " " : "",
                     value->is_present ? wl_metric_mark_name(value->mark) : "absent");
    }
    for (size_t i = 0; i < section->remark_count; i++) {
        const struct wl_metric_value *remark = wl_metric_get(set, section->remarks[i]);
        if (remark->is_present && remark->text)
            wl_text_addf(&remarks, "%s%s", remarks.length ? "; " : "", remark->text);
    }
    wl_csv_add(&context->text, launch->record.status == WL_LAUNCH_FAILED ? "failed" : "done");
    wl_csv_add(&context->text, remarks.data ? remarks.data : "");
    wl_csv_add(&context->text, marks.data ? marks.data : "");
    wl_text_add_char(&context->text, '\n');
    wl_text_free(&remarks);
    wl_text_free(&marks);
    wl_text_free(&number);
    wl_metric_set_free(set);
}

enum wl_code wl_page_summary_csv(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    const struct wl_section *section = summary_section(context);
    wl_fields_csv_names(&context->text);
    for (size_t i = 0; i < section->metric_count; i++)
        wl_csv_add(&context->text, section->metrics[i].metric);
    wl_text_add(&context->text, ",\"Status\",\"Remarks\",\"Mark\"\n");
    for (size_t i = 0; i < context->launch_count; i++) {
        csv_launch(context, context->launches[i], section);
        wl_view_flush(context);
    }
    return WL_OK;
}

enum wl_code wl_page_summary_json(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    const struct wl_section *section = summary_section(context);
    json_t *launches = json_array();
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, context->launches[i]);
        json_t *launch = wl_fields_json(context->launches[i]);
        json_t *metrics = json_object(), *remarks = json_array();
        for (size_t j = 0; j < section->metric_count; j++) {
            const char *name = section->metrics[j].metric;
            json_object_set_new(metrics, name, wl_json_metric(wl_metric_get(set, name), false));
        }
        for (size_t j = 0; j < section->remark_count; j++) {
            const struct wl_metric_value *remark = wl_metric_get(set, section->remarks[j]);
            if (remark->is_present && remark->text)
                json_array_append_new(remarks, json_pack("{s:o, s:o, s:s}", "name",
                                                         wl_json_text(remark->name), "text",
                                                         wl_json_text(remark->text), "mark",
                                                         wl_metric_mark_name(remark->mark)));
        }
        json_object_set_new(launch, "metrics", metrics);
        json_object_set_new(launch, "remarks", remarks);
        json_array_append_new(launches, launch);
        wl_metric_set_free(set);
    }
    json_object_set_new(context->root, "launches", launches);
    return WL_OK;
}
