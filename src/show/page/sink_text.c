/* Pages as text for a terminal: tables and sentences. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/table.h"
#include "show/page/marks.h"
#include "show/page/sink.h"

enum { default_width = 120, least_width = 60 };

struct text_column {
    const struct wl_column *column;
    char *cell; /* of the row so far; NULL: none */
};

struct text_sink {
    struct wl_page_sink sink;
    FILE *out;
    struct wl_text text;
    size_t width;
    bool is_terminal;        /* tables fit the width, too */
    struct wl_text left_out; /* of the table before: headings */
    enum wl_view_units units;
    bool has_color;
    struct wl_table table;
    WL_VECTOR(struct text_column) columns; /* of the table */
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

static void give_way(struct wl_table_column *own, const struct wl_column *column)
{
    own->leaves = column->flags & WL_COLUMN_LEAVES_FIRST    ? 1
                  : column->flags & WL_COLUMN_LEAVES_SECOND ? 2
                                                            : 0;
    if (column->flags & WL_COLUMN_CODE)
        own->gives = WL_TABLE_CUT;
    if (column->flags & (WL_COLUMN_WRAPS | WL_COLUMN_FLOWS))
        own->gives = WL_TABLE_WRAPPED;
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
        give_way(&self->table.columns[self->table.column_count - 1], &columns[i]);
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

static bool has_flag(const struct text_sink *self, unsigned flag)
{
    for (size_t i = 0; i < self->columns.count; i++)
        if (self->columns.items[i].column->flags & flag)
            return true;
    return false;
}

/* What the table lacks is said once below those that lack the same. */
static void say_left_out(struct text_sink *self, struct wl_text *left_out)
{
    bool is_said =
        self->left_out.data && left_out->data && strcmp(self->left_out.data, left_out->data) == 0;
    if (left_out->length && !is_said) {
        char *prefix = wl_string_format("%*sToo wide for this terminal: ", (int)self->indent, "");
        wl_format_wrap(prefix, left_out->data, self->width, &self->text);
        free(prefix);
    }
    if (left_out->length) {
        wl_text_free(&self->left_out);
        self->left_out = *left_out;
        *left_out = (struct wl_text){0};
    }
}

static void end_table(struct wl_page_sink *sink)
{
    struct text_sink *self = (struct text_sink *)sink;
    struct wl_text left_out = {0};
    if ((self->is_terminal || has_flag(self, WL_COLUMN_WRAPS)) && self->width > self->indent)
        wl_table_fit(&self->table, self->width - self->indent, &left_out);
    if (wl_table_rows(&self->table) > 0) {
        wl_table_print(&self->table, self->indent, &self->text);
        say_left_out(self, &left_out);
    }
    wl_text_free(&left_out);
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

static void bold(struct wl_page_sink *sink, bool is_on)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (self->has_color)
        wl_text_add(&self->text, is_on ? "\x1b[1m" : "\x1b[0m");
}

/* Where in broken, from start on, so many bytes end that are no spaces. */
static size_t find_end(const char *broken, size_t start, size_t solid)
{
    size_t at = start;
    for (; solid > 0 && broken[at]; at++)
        solid -= broken[at] != ' ' && broken[at] != '\n';
    return at;
}

static void line(struct wl_page_sink *sink, const char *prefix, const char *text, size_t bold_bytes)
{
    struct text_sink *self = (struct text_sink *)sink;
    struct wl_text head = {0}, all = {0}, broken = {0};
    size_t solid = 0, start = strlen(prefix);
    char *front = wl_string_copy_length(text, bold_bytes);
    wl_format_safe(front, &head);
    wl_format_safe(text, &all);
    for (size_t i = 0; i < head.length; i++)
        solid += head.data[i] != ' ';
    if (self->is_terminal)
        wl_format_wrap(prefix, all.data, self->width, &broken);
    else
        wl_text_addf(&broken, "%s%s\n", prefix, all.data);
    size_t end = find_end(broken.data, start, solid);
    wl_text_add_bytes(&self->text, broken.data, start);
    if (bold_bytes > 0) {
        bold(sink, true);
        wl_text_add_bytes(&self->text, broken.data + start, end - start);
        bold(sink, false);
    }
    wl_text_add(&self->text, broken.data + end);
    free(front);
    wl_text_free(&head);
    wl_text_free(&all);
    wl_text_free(&broken);
}

static void print(struct wl_page_sink *sink, const char *text, bool is_own)
{
    struct text_sink *self = (struct text_sink *)sink;
    if (is_own)
        wl_text_add(&self->text, text);
    else
        wl_format_safe(text, &self->text);
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
    wl_text_free(&self->left_out);
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
        .line = line,
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
    self->is_terminal = setup->width != 0;
    self->units = setup->units;
    self->has_color = setup->has_color;
    return &self->sink;
}
