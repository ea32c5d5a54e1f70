#include "show/page/timeline_tables.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "warplens/version.h"

struct output {
    struct wl_report *report;
    enum wl_view_format format;
    bool is_simulated, has_events;
    bool skips_empty;
    FILE *file;
    json_t *tables; /* of JSON */
    size_t printed; /* tables so far */
};

/* A table under way. */
struct page {
    const struct wl_timeline_table *table;
    struct output *output;
    struct wl_table text;
    struct wl_text csv;
    json_t *rows;
    size_t row_count;
};

static size_t count_columns(const struct wl_timeline_table *table)
{
    size_t count = 0;
    while (count < WL_TABLE_COLUMNS_MAX && table->columns[count].name)
        count++;
    return count;
}

/* ---- cells ---- */

static bool is_whole_number(double number)
{
    return number >= -0x1p63 && number < 0x1p63 && number == (double)(int64_t)number;
}

/* For people: as many decimals as nsys prints. */
static void format_number(double number, enum wl_table_unit unit, struct wl_text *out)
{
    char digits[400];
    static const int decimals[] = {
        [WL_UNIT_PERCENT] = 1,
        [WL_UNIT_NS] = 1,
        [WL_UNIT_MEGABYTES] = 3,
        [WL_UNIT_MEGABYTES_PER_SECOND] = 1,
    };
    bool is_whole = (unit == WL_UNIT_NS && is_whole_number(number)) || unit == WL_UNIT_COUNT ||
                    unit == WL_UNIT_ID;
    snprintf(digits, sizeof digits, "%.*f", is_whole ? 0 : decimals[unit], number);
    if (unit == WL_UNIT_ID || unit == WL_UNIT_PERCENT)
        wl_text_add(out, digits);
    else
        wl_format_grouped(digits, out);
}

static void add_text_cell(struct page *page, const struct wl_table_cell *cell,
                          enum wl_table_unit unit)
{
    struct wl_text out = {0};
    if (cell->text)
        wl_format_safe(cell->text, &out);
    else if (!cell->is_absent)
        format_number(cell->number, unit, &out);
    wl_table_add_cell(&page->text, out.data ? out.data : "");
    wl_text_free(&out);
}

static void add_csv_cell(struct page *page, const struct wl_table_cell *cell, bool is_first)
{
    if (!is_first)
        wl_text_add_char(&page->csv, ',');
    if (cell->text)
        wl_format_csv(cell->text, &page->csv);
    else if (!cell->is_absent)
        wl_format_plain(cell->number, &page->csv);
}

static json_t *json_cell(const struct wl_table_cell *cell)
{
    if (cell->is_absent)
        return json_null();
    if (cell->text) {
        struct wl_text out = {0};
        wl_format_utf8(cell->text, &out);
        json_t *string = json_string(out.data ? out.data : "");
        wl_text_free(&out);
        return string;
    }
    if (is_whole_number(cell->number))
        return json_integer((json_int_t)cell->number);
    return json_real(cell->number);
}

static void take_row(void *self, const struct wl_table_cell *cells)
{
    struct page *page = self;
    const struct wl_timeline_table *table = page->table;
    size_t count = count_columns(table);
    json_t *row = page->output->format == WL_FORMAT_JSON ? json_object() : NULL;
    for (size_t i = 0; i < count; i++) {
        if (row)
            json_object_set_new(row, table->columns[i].name, json_cell(&cells[i]));
        else if (page->output->format == WL_FORMAT_CSV)
            add_csv_cell(page, &cells[i], i == 0);
        else
            add_text_cell(page, &cells[i], table->columns[i].unit);
    }
    if (row)
        json_array_append_new(page->rows, row);
    else if (page->output->format == WL_FORMAT_CSV)
        wl_text_add_char(&page->csv, '\n');
    page->row_count++;
}

/* ---- tables ---- */

static const char predicted_note[] =
    "Times of the GPU are predicted: those of the simulated clock.\n";

static void print_text(const struct page *page)
{
    struct wl_text out = {0};
    wl_text_addf(&out, "%s ** %s (%s):\n\n", page->output->printed ? "\n" : "", page->table->title,
                 page->table->name);
    if (page->row_count)
        wl_table_print(&page->text, 1, &out);
    else
        wl_text_add(&out, " no row: the trace has none of it\n");
    if (page->row_count && page->table->is_of_device && page->output->is_simulated)
        wl_text_addf(&out, " %s", predicted_note);
    fwrite(out.data, 1, out.length, page->output->file);
    wl_text_free(&out);
}

static void print_csv(const struct page *page)
{
    struct wl_text out = {0};
    size_t count = count_columns(page->table);
    if (page->output->printed)
        wl_text_add_char(&out, '\n');
    for (size_t i = 0; i < count; i++)
        wl_text_addf(&out, "%s%s", i ? "," : "", page->table->columns[i].name);
    wl_text_add_char(&out, '\n');
    fwrite(out.data, 1, out.length, page->output->file);
    if (page->csv.length)
        fwrite(page->csv.data, 1, page->csv.length, page->output->file);
    wl_text_free(&out);
}

static void add_json(const struct page *page)
{
    bool is_predicted = page->table->is_of_device && page->output->is_simulated;
    json_array_append_new(page->output->tables,
                          json_pack("{s:s, s:s, s:s, s:O}", "name", page->table->name, "title",
                                    page->table->title, "mark",
                                    is_predicted ? "predicted" : "exact", "rows", page->rows));
}

static void print_page(const struct page *page)
{
    if (page->output->format == WL_FORMAT_JSON)
        add_json(page);
    else if (page->output->format == WL_FORMAT_CSV)
        print_csv(page);
    else
        print_text(page);
    page->output->printed++;
}

static enum wl_code fail_without_trace(struct wl_error *error)
{
    wl_error_set(error, WL_ERR_NOTHING, "the report holds no trace");
    return wl_error_set_hint(error, "`warplens trace PROGRAM` makes one");
}

static enum wl_code put_table(struct output *output, const struct wl_timeline_table *table,
                              struct wl_error *error)
{
    if (!output->has_events && !table->is_of_launches)
        return output->skips_empty ? WL_OK : fail_without_trace(error);
    struct page page = {.table = table, .output = output, .rows = json_array()};
    size_t count = count_columns(table);
    for (size_t i = 0; i < count; i++)
        wl_table_add_column(&page.text, table->columns[i].name,
                            table->columns[i].unit == WL_UNIT_TEXT);
    enum wl_code code = wl_timeline_table_read(output->report, table, take_row, &page, error);
    if (!code && (page.row_count || !output->skips_empty))
        print_page(&page);
    wl_table_free(&page.text);
    wl_text_free(&page.csv);
    json_decref(page.rows);
    return code;
}

static enum wl_code put_named(struct output *output, const char *names, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (const char *name = names; *name && !code;) {
        const struct wl_timeline_table *table = NULL;
        size_t length = strcspn(name, ",");
        char *word = wl_string_copy_length(name, length);
        code = wl_timeline_table_find(word, &table, error);
        if (!code)
            code = put_table(output, table, error);
        free(word);
        name += length + (name[length] == ',');
    }
    return code;
}

static enum wl_code put_summaries(struct output *output, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    output->skips_empty = true;
    const struct wl_timeline_table *table = NULL;
    while (!code && (table = wl_timeline_table_next(table)))
        if (table->is_summary)
            code = put_table(output, table, error);
    if (!code && !output->has_events && !output->printed)
        code = fail_without_trace(error);
    return code;
}

static void print_json(struct output *output)
{
    json_t *root = json_pack("{s:s, s:s, s:{s:s, s:s}, s:O}", "schema", "warplens/1", "page",
                             "report", "generator", "name", "warplens", "version",
                             WL_VERSION_STRING, "tables", output->tables);
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fprintf(output->file, "%s\n", dump);
    free(dump);
    json_decref(root);
}

enum wl_code wl_view_trace_tables(struct wl_report *report, const char *names,
                                  enum wl_view_format format, FILE *out, struct wl_error *error)
{
    struct output output = {.report = report, .format = format, .file = out};
    if (format > WL_FORMAT_JSON)
        return wl_error_set(error, WL_ERR_USAGE,
                            "tables of a trace cannot be printed in this format");
    output.has_events = wl_report_event_count(report) != 0;
    output.is_simulated = wl_report_is_simulated(report);
    output.tables = json_array();
    enum wl_code code = names ? put_named(&output, names, error) : put_summaries(&output, error);
    if (!code && format == WL_FORMAT_JSON)
        print_json(&output);
    json_decref(output.tables);
    if (!code && (fflush(out) != 0 || ferror(out)))
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot write the tables: %s", strerror(errno));
    return code;
}
