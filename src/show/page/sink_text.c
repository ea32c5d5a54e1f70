/* Pages as text for a terminal: tables and sentences. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/table.h"
#include "show/page/marks.h"
#include "show/page/sink.h"

enum { default_width = 120, least_width = 60, least_value = 20, shortest_cell = 12 };

struct text_column {
    const struct wl_column *column;
    char *cell; /* of the row so far; NULL: none */
};

struct text_sink {
    struct wl_page_sink sink;
    FILE *out;
    struct wl_text text;
    size_t width;
    enum wl_view_units units;
    bool has_color;
    struct wl_table table;
    struct {
        struct text_column *items;
        size_t count, capacity;
    } columns; /* of the table */
    size_t indent;
    bool has_table;
};

/* ---- cells ---- */

static void add_scaled(struct text_sink *self, const struct wl_metric_value *metric, bool is_short,
                       struct wl_text *out)
{
    struct wl_text unit = {0};
    if (!metric->is_present && is_short) { /* as wide as a mark */
        wl_text_add(out, "n/a  ");
        return;
    }
    wl_format_metric(metric, self->units, out, &unit);
    if (is_short && strcmp(unit.data, "%") == 0)
        wl_text_add_char(out, '%');
    else if (metric->is_present &&
             (strcmp(unit.data, metric->unit) != 0 || (is_short && strcmp(unit.data, "byte") == 0)))
        wl_text_addf(out, " %s", unit.data);
    if (metric->is_present)
        wl_text_addf(out, " %s", wl_mark_text(self->sink.is_mark_shown, metric));
    wl_text_free(&unit);
}

static void add_metric(struct text_sink *self, enum wl_form form,
                       const struct wl_metric_value *metric, struct wl_text *out)
{
    struct wl_text number = {0}, unit = {0};
    if (form == WL_FORM_MARK) {
        wl_text_add(out, wl_mark_text(self->sink.is_mark_shown, metric));
        return;
    }
    if (form == WL_FORM_SCALED || form == WL_FORM_SHORT) {
        add_scaled(self, metric, form == WL_FORM_SHORT, out);
        return;
    }
    wl_format_metric(metric, self->units, &number, &unit);
    wl_text_add(out, form == WL_FORM_UNIT ? unit.data : number.data);
    if (form == WL_FORM_AMOUNT && unit.length)
        wl_text_addf(out, " %s", unit.data);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static char *write_cell(struct text_sink *self, enum wl_form form, const struct wl_cell *cell)
{
    struct wl_text out = {0};
    wl_text_add(&out, "");
    if (cell->shown) {
        wl_format_safe(cell->shown, &out);
        return wl_text_take(&out);
    }
    switch (cell->kind) {
    case WL_CELL_TEXT:
    case WL_CELL_WORD:
        wl_format_safe(cell->text, &out);
        break;
    case WL_CELL_NUMBER:
    case WL_CELL_FLAG:
        if (form == WL_FORM_GROUPED)
            wl_format_number(cell->number * (cell->factor != 0 ? cell->factor : 1), &out);
        else
            wl_format_plain(cell->number, &out);
        break;
    case WL_CELL_TRIPLE:
        wl_text_addf(&out, "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", cell->triple[0],
                     cell->triple[1], cell->triple[2]);
        break;
    case WL_CELL_METRIC:
        add_metric(self, form, cell->metric, &out);
        break;
    default:
        break;
    }
    wl_text_add(&out, cell->suffix ? cell->suffix : "");
    return wl_text_take(&out);
}

/* ---- tables ---- */

static void table(struct wl_page_sink *sink, size_t indent)
{
    struct text_sink *self = (struct text_sink *)sink;
    self->indent = indent;
    self->has_table = true;
}

static void columns(struct wl_page_sink *sink, const struct wl_column *columns, size_t count)
{
    struct text_sink *self = (struct text_sink *)sink;
    for (size_t i = 0; i < count; i++) {
        struct wl_text heading = {0};
        struct text_column column = {&columns[i], NULL};
        if (!columns[i].text)
            continue;
        wl_format_safe(columns[i].text, &heading);
        wl_table_add_column(&self->table, heading.data, columns[i].flags & WL_COLUMN_LEFT);
        WL_PUSH(&self->columns, column);
        wl_text_free(&heading);
    }
}

static void put(struct wl_page_sink *sink, const struct wl_column *column,
                const struct wl_cell *cell)
{
    struct text_sink *self = (struct text_sink *)sink;
    for (size_t i = 0; i < self->columns.count; i++) {
        struct text_column *place = &self->columns.items[i];
        if (place->column != column)
            continue;
        free(place->cell);
        place->cell = write_cell(self, column->form, cell);
        return;
    }
}

static void end(struct wl_page_sink *sink, unsigned flags)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (!(flags & WL_LEVEL_ROW))
        return;
    for (size_t i = 0; i < self->columns.count; i++) {
        wl_table_add_cell(&self->table, self->columns.items[i].cell);
        free(self->columns.items[i].cell);
        self->columns.items[i].cell = NULL;
    }
}

/* The column with a flag; the number of columns: none. */
static size_t find_flag(const struct text_sink *self, unsigned flag)
{
    size_t i = 0;
    while (i < self->columns.count && !(self->columns.items[i].column->flags & flag))
        i++;
    return i;
}

/* A column of names gives way where the table is wider than the page. */
static void shrink(struct text_sink *self, size_t column)
{
    struct wl_table *table = &self->table;
    size_t widest = 0, width = wl_table_width(table) + self->indent;
    for (size_t i = column; i < table->cell_count; i += table->column_count)
        if (wl_format_width(table->cells[i]) > widest)
            widest = wl_format_width(table->cells[i]);
    if (width <= self->width || widest <= shortest_cell)
        return;
    size_t excess = width - self->width;
    size_t limit = widest > excess + shortest_cell ? widest - excess : shortest_cell;
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        struct wl_text name = {0};
        wl_text_add(&name, table->cells[i]);
        wl_format_shorten(&name, limit);
        free(table->cells[i]);
        table->cells[i] = wl_text_take(&name);
    }
}

/* A row for each line of the last column, broken to fit the page beside the others. */
static void wrap(struct text_sink *self)
{
    struct wl_table wrapped = {0}, *table = &self->table;
    size_t last = table->column_count - 1, left = self->indent;
    for (size_t i = 0; i < table->column_count; i++)
        wl_table_add_column(&wrapped, table->columns[i].heading, table->columns[i].is_left);
    for (size_t i = 0; i < last; i++) {
        size_t widest = wl_format_width(table->columns[i].heading);
        for (size_t k = i; k < table->cell_count; k += table->column_count)
            if (wl_format_width(table->cells[k]) > widest)
                widest = wl_format_width(table->cells[k]);
        left += widest + 1;
    }
    size_t width = self->width > left + least_value ? self->width - left : least_value;
    for (size_t row = 0; row < wl_table_rows(table); row++) {
        char *const *cells = &table->cells[row * table->column_count];
        struct wl_text lines = {0};
        wl_format_wrap("", cells[last], width, &lines);
        for (char *line = lines.data; *line;) {
            size_t length = strcspn(line, "\n");
            line[length] = '\0';
            for (size_t i = 0; i < last; i++)
                wl_table_add_cell(&wrapped, line == lines.data ? cells[i] : "");
            wl_table_add_cell(&wrapped, line);
            line += length + 1;
        }
        wl_text_free(&lines);
    }
    wl_table_free(table);
    *table = wrapped;
}

static void end_table(struct wl_page_sink *sink)
{
    struct text_sink *self = (struct text_sink *)sink;
    size_t shrinking = find_flag(self, WL_COLUMN_SHRINKS);
    if (shrinking < self->columns.count)
        shrink(self, shrinking);
    if (find_flag(self, WL_COLUMN_WRAPS) < self->columns.count)
        wrap(self);
    if (wl_table_rows(&self->table) > 0)
        wl_table_print(&self->table, self->indent, &self->text);
    wl_table_free(&self->table);
    for (size_t i = 0; i < self->columns.count; i++)
        free(self->columns.items[i].cell);
    self->columns.count = 0;
    self->has_table = false;
}

/* ---- sentences ---- */

static void say(struct wl_page_sink *sink, const char *prefix, const char *text)
{
    struct text_sink *self = (struct text_sink *)sink;
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    wl_format_wrap(prefix, safe.data, self->width, &self->text);
    wl_text_free(&safe);
}

static void print(struct wl_page_sink *sink, const char *text, bool is_own)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (is_own)
        wl_text_add(&self->text, text);
    else
        wl_format_safe(text, &self->text);
}

static void bold(struct wl_page_sink *sink, bool is_on)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (self->has_color)
        wl_text_add(&self->text, is_on ? "\x1b[1m" : "\x1b[0m");
}

static void flush(struct wl_page_sink *sink)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (self->text.length)
        fwrite(self->text.data, 1, self->text.length, self->out);
    self->text.length = 0;
}

static enum wl_code finish(struct wl_page_sink *sink, struct wl_error *error)
{
    struct text_sink *self = (struct text_sink *)sink;
    flush(sink);
    if (fflush(self->out) != 0 || ferror(self->out))
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the page: %s", strerror(errno));
    return WL_OK;
}

static void free_sink(struct wl_page_sink *sink)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (self->has_table)
        end_table(sink);
    free(self->columns.items);
    wl_text_free(&self->text);
    free(self);
}

struct wl_page_sink *wl_sink_text(const struct wl_sink_setup *setup)
{
    struct text_sink *self = wl_alloc_zero(1, sizeof *self);
    self->sink = (struct wl_page_sink){
        .is_for_people = true,
        .end = end,
        .table = table,
        .columns = columns,
        .end_table = end_table,
        .put = put,
        .say = say,
        .print = print,
        .bold = bold,
        .flush = flush,
        .finish = finish,
        .free = free_sink,
    };
    self->out = setup->out;
    self->width = setup->width == 0            ? default_width
                  : setup->width < least_width ? least_width
                                               : setup->width;
    self->units = setup->units;
    self->has_color = setup->has_color;
    return &self->sink;
}
