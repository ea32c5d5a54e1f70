#include "show/page/timeline_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"
#include "show/page/sink.h"

/* Tables that are wanted, and what is printed of them. */
struct output {
    struct wl_report *report;
    const char *names; /* NULL: all summaries */
    struct wl_page_sink *sink;
    bool is_simulated, has_events;
    bool skips_empty;
    size_t printed; /* tables so far */
};

/* A table under way. */
struct page {
    const struct wl_timeline_table *table;
    struct output *output;
    struct wl_column columns[1 + WL_TABLE_COLUMNS_MAX]; /* [0]: the table's name, in CSV */
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

void wl_table_number_print(double number, enum wl_table_unit unit, struct wl_text *out)
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

static void put_cell(const struct page *page, size_t column, const struct wl_table_cell *cell)
{
    struct wl_text shown = {0};
    struct wl_cell value = cell->text        ? wl_cell_text(cell->text)
                           : cell->is_absent ? wl_cell_absent()
                                             : wl_cell_number(cell->number);
    if (value.kind == WL_CELL_NUMBER)
        wl_table_number_print(cell->number, page->table->columns[column].unit, &shown);
    value.shown = shown.data;
    if (cell->text && page->table->is_of_device &&
        !page->table->has_whole_texts) /* CSV and JSON have names whole */
        value.shown = wl_report_short_name(page->output->report, cell->text);
    wl_put(page->output->sink, &page->columns[1 + column], value);
    wl_text_free(&shown);
}

/* ---- tables ---- */

static void put_field(struct wl_page_sink *sink, const char *key, const char *text)
{
    const struct wl_column field = {.json = key};
    wl_put(sink, &field, wl_cell_text(text));
}

static void begin_page(struct page *page)
{
    const struct wl_timeline_table *table = page->table;
    struct wl_page_sink *sink = page->output->sink;
    size_t count = count_columns(table);
    bool is_predicted = table->is_of_device && page->output->is_simulated;
    bool is_of_several = !page->output->names || strchr(page->output->names, ',');
    page->columns[0] =
        (struct wl_column){.csv = is_of_several ? "Report" : NULL, .flags = WL_COLUMN_BARE};
    for (size_t i = 0; i < count; i++) {
        const char *name = table->columns[i].name;
        unsigned flags = WL_COLUMN_BARE;
        flags |= table->columns[i].unit == WL_UNIT_TEXT ? WL_COLUMN_LEFT : 0;
        page->columns[1 + i] = (struct wl_column){name, name, name, WL_FORM_PLAIN, flags};
    }
    wl_print(sink, "%s ** %s (%s):\n\n", page->output->printed ? "\n" : "", table->title,
             table->name);
    wl_part(sink);
    wl_heading(sink, page->columns + !is_of_several, count + is_of_several);
    wl_table_begin(sink, 1);
    wl_table_columns(sink, page->columns + 1, count);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    if (is_of_several)
        wl_put(sink, &page->columns[0], wl_cell_word(table->name));
    put_field(sink, "name", table->name);
    put_field(sink, "title", table->title);
    put_field(sink, "mark", is_predicted ? "predicted" : "exact");
    wl_begin(sink, WL_LEVEL_LIST, "rows", 0);
}

static void end_page(struct page *page)
{
    struct wl_page_sink *sink = page->output->sink;
    wl_end(sink);
    wl_end(sink);
    wl_table_end(sink);
    if (!page->row_count)
        wl_print(sink, " no rows: the trace has no such events\n");
    else if (page->table->is_of_device && page->output->is_simulated)
        wl_print(sink, " Times of the GPU are predicted: those of the simulated clock.\n");
    page->output->printed++;
}

static void take_row(void *self, const struct wl_table_cell *cells)
{
    struct page *page = self;
    size_t count = count_columns(page->table);
    if (page->row_count++ == 0)
        begin_page(page);
    wl_begin(page->output->sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
    for (size_t i = 0; i < count; i++)
        put_cell(page, i, &cells[i]);
    wl_end(page->output->sink);
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
    struct page page = {.table = table, .output = output};
    enum wl_code code = wl_timeline_table_read(output->report, table, take_row, &page, error);
    if (code || (!page.row_count && output->skips_empty))
        return code;
    if (!page.row_count)
        begin_page(&page);
    end_page(&page);
    wl_flush(output->sink);
    return WL_OK;
}

static enum wl_code put_named(struct output *output, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (const char *name = output->names; *name && !code;) {
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

static enum wl_code walk(void *self, struct wl_page_sink *sink, struct wl_error *error)
{
    struct output *output = self;
    output->sink = sink;
    wl_begin(sink, WL_LEVEL_LIST, "tables", 0);
    enum wl_code code = output->names ? put_named(output, error) : put_summaries(output, error);
    wl_end(sink);
    return code;
}

enum wl_code wl_view_trace_tables(struct wl_report *report, const char *names,
                                  enum wl_view_format format, FILE *out, struct wl_error *error)
{
    const struct wl_sink_setup setup = {.out = out, .page = "report"};
    struct output output = {.report = report, .names = names};
    if (format > WL_FORMAT_JSON)
        return wl_error_set(error, WL_ERR_USAGE,
                            "tables of a trace cannot be printed in this format");
    output.has_events = wl_report_event_count(report) != 0;
    output.is_simulated = wl_report_is_simulated(report);
    return wl_sink_run(format, &setup, walk, &output, error);
}
