#include "show/page/table_forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/json.h"
#include "show/format/table.h"

/* Cells as they are written, row after row. */
struct grid {
    const struct wl_table_request *request;
    size_t column_count;
    char *headings[WL_TABLE_COLUMNS_MAX];
    struct wl_table table; /* of COLUMN and TABLE */
    struct wl_text *out;
    json_t *rows; /* of JSON */
    size_t row_count;
};

static const double per_unit_ns[] = {1, 1e3, 1e6, 1e9};

const char *wl_table_form_suffix(enum wl_table_form form)
{
    static const char *const suffixes[] = {"txt", "txt", "csv", "tsv", "json", "html", "html"};
    return suffixes[form];
}

static bool is_for_people(enum wl_table_form form)
{
    return form == WL_TABLE_FORM_COLUMN || form == WL_TABLE_FORM_TABLE;
}

/* "Avg (ns)" becomes "Avg (us)" where times are in microseconds. */
static char *make_heading(const struct wl_table_heading *heading, int time_unit)
{
    static const char *const units[] = {"(ns)", "(us)", "(ms)", "(s)"};
    const char *place = heading->unit == WL_UNIT_NS ? strstr(heading->name, "(ns)") : NULL;
    return place ? wl_string_format("%.*s%s", (int)(place - heading->name), heading->name,
                                    units[time_unit])
                 : wl_string_copy(heading->name);
}

/* "void gemm<8>(int, float *)" becomes "gemm". */
static char *make_base(const char *name)
{
    size_t length = strcspn(name, "(<");
    size_t start = length;
    while (start > 0 && name[start - 1] != ' ' && name[start - 1] != ':')
        start--;
    return length ? wl_string_copy_length(name + start, length - start) : wl_string_copy(name);
}

static double scale(const struct grid *grid, size_t column, double number)
{
    bool is_time = grid->request->table->columns[column].unit == WL_UNIT_NS;
    return is_time ? number / per_unit_ns[grid->request->time_unit] : number;
}

static bool is_whole_number(double number)
{
    return number >= -0x1p63 && number < 0x1p63 && number == (double)(int64_t)number;
}

/* As many decimals as nsys prints. */
static void add_number(const struct grid *grid, size_t column, double number, struct wl_text *out)
{
    static const int decimals[] = {
        [WL_UNIT_PERCENT] = 1,
        [WL_UNIT_NS] = 1,
        [WL_UNIT_MEGABYTES] = 3,
        [WL_UNIT_MEGABYTES_PER_SECOND] = 1,
    };
    enum wl_table_unit unit = grid->request->table->columns[column].unit;
    char digits[400];
    bool is_count = unit == WL_UNIT_COUNT || unit == WL_UNIT_ID || unit == WL_UNIT_TEXT;
    bool is_whole = is_count || (unit == WL_UNIT_NS && is_whole_number(number));
    int places = unit == WL_UNIT_NS && grid->request->time_unit ? 3 : decimals[unit];
    snprintf(digits, sizeof digits, "%.*f", is_whole ? 0 : places, number);
    if (unit == WL_UNIT_ID || unit == WL_UNIT_PERCENT)
        wl_text_add(out, digits);
    else
        wl_format_grouped(digits, out);
}

/* A field of TSV may hold neither tab nor newline: wl_format_safe leaves none. */
static void add_field(const struct grid *grid, const char *text, struct wl_text *out)
{
    switch (grid->request->form) {
    case WL_TABLE_FORM_CSV:
        wl_format_csv(text, out);
        break;
    case WL_TABLE_FORM_HDOC:
    case WL_TABLE_FORM_HTABLE:
        wl_format_markup(text, out);
        break;
    default:
        wl_format_safe(text, out);
        break;
    }
}

static void print_cell(const struct grid *grid, size_t column, const struct wl_table_cell *cell,
                       struct wl_text *out)
{
    bool is_base = grid->request->has_bases && cell->text && strchr(cell->text, '(');
    if (cell->text) {
        char *base = is_base ? make_base(cell->text) : NULL;
        add_field(grid, base ? base : cell->text, out);
        free(base);
    } else if (!cell->is_absent) {
        double number = scale(grid, column, cell->number);
        if (is_for_people(grid->request->form))
            add_number(grid, column, number, out);
        else
            wl_format_plain(number, out);
    }
}

static json_t *make_json(const struct grid *grid, size_t column, const struct wl_table_cell *cell)
{
    if (cell->is_absent)
        return json_null();
    if (!cell->text)
        return wl_json_number(scale(grid, column, cell->number));
    char *base = grid->request->has_bases && strchr(cell->text, '(') ? make_base(cell->text) : NULL;
    json_t *value = wl_json_text(base ? base : cell->text);
    free(base);
    return value;
}

static void take_json(struct grid *grid, const struct wl_table_cell *cells)
{
    json_t *row = json_object();
    for (size_t i = 0; i < grid->column_count; i++)
        json_object_set_new(row, grid->headings[i], make_json(grid, i, &cells[i]));
    json_array_append_new(grid->rows, row);
}

static void take_html(struct grid *grid, const struct wl_table_cell *cells)
{
    wl_text_add(grid->out, "<tr>");
    for (size_t i = 0; i < grid->column_count; i++) {
        bool is_text = grid->request->table->columns[i].unit == WL_UNIT_TEXT;
        wl_text_add(grid->out, is_text ? "<td>" : "<td align=\"right\">");
        print_cell(grid, i, &cells[i], grid->out);
        wl_text_add(grid->out, "</td>");
    }
    wl_text_add(grid->out, "</tr>\n");
}

static void take_line(struct grid *grid, const struct wl_table_cell *cells)
{
    char between = grid->request->form == WL_TABLE_FORM_CSV ? ',' : '\t';
    for (size_t i = 0; i < grid->column_count; i++) {
        if (i)
            wl_text_add_char(grid->out, between);
        print_cell(grid, i, &cells[i], grid->out);
    }
    wl_text_add_char(grid->out, '\n');
}

static void take_row(void *self, const struct wl_table_cell *cells)
{
    struct grid *grid = self;
    struct wl_text text = {0};
    grid->row_count++;
    switch (grid->request->form) {
    case WL_TABLE_FORM_JSON:
        take_json(grid, cells);
        break;
    case WL_TABLE_FORM_HDOC:
    case WL_TABLE_FORM_HTABLE:
        take_html(grid, cells);
        break;
    case WL_TABLE_FORM_CSV:
    case WL_TABLE_FORM_TSV:
        take_line(grid, cells);
        break;
    default:
        for (size_t i = 0; i < grid->column_count; i++) {
            print_cell(grid, i, &cells[i], &text);
            wl_table_add_cell(&grid->table, text.data ? text.data : "");
            text.length = 0;
            if (text.data)
                text.data[0] = '\0';
        }
        wl_text_free(&text);
        break;
    }
}

static void begin_html(struct grid *grid)
{
    const struct wl_timeline_table *table = grid->request->table;
    if (grid->request->form == WL_TABLE_FORM_HDOC) {
        wl_text_addf(grid->out,
                     "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<title>%s</title></head><body>\n",
                     table->title);
        wl_text_addf(grid->out, "<h1>%s (%s)</h1>\n", table->title, table->name);
    }
    wl_text_addf(grid->out, "<table border=\"1\"><caption>%s (%s)</caption>\n<tr>", table->title,
                 table->name);
    for (size_t i = 0; i < grid->column_count; i++)
        wl_text_addf(grid->out, "<th scope=\"col\">%s</th>", grid->headings[i]);
    wl_text_add(grid->out, "</tr>\n");
}

static void begin(struct grid *grid)
{
    const struct wl_timeline_table *table = grid->request->table;
    enum wl_table_form form = grid->request->form;
    while (grid->column_count < WL_TABLE_COLUMNS_MAX && table->columns[grid->column_count].name) {
        size_t i = grid->column_count++;
        grid->headings[i] = make_heading(&table->columns[i], grid->request->time_unit);
    }
    if (grid->request->has_title && is_for_people(form))
        wl_text_addf(grid->out, " ** %s (%s):\n\n", table->title, table->name);
    if (form == WL_TABLE_FORM_JSON)
        grid->rows = json_array();
    if (form == WL_TABLE_FORM_HDOC || form == WL_TABLE_FORM_HTABLE)
        begin_html(grid);
    for (size_t i = 0; i < grid->column_count; i++) {
        bool is_last = i + 1 == grid->column_count;
        if (is_for_people(form))
            wl_table_add_column(&grid->table, grid->headings[i],
                                table->columns[i].unit == WL_UNIT_TEXT);
        else if (form == WL_TABLE_FORM_CSV || form == WL_TABLE_FORM_TSV)
            wl_text_addf(grid->out, "%s%c", grid->headings[i],
                         is_last                     ? '\n'
                         : form == WL_TABLE_FORM_CSV ? ','
                                                     : '\t');
    }
}

/* Dashes become corners and edges: "+-----+----+", "| a b | 12 |". */
static void print_boxed(const struct wl_table *table, struct wl_text *out)
{
    struct wl_text plain = {0};
    size_t ends[WL_TABLE_COLUMNS_MAX], count = 0;
    wl_table_print(table, 1, &plain);
    const char *line = plain.data ? plain.data : "";
    size_t rule = strcspn(line, "\n");
    for (size_t i = 1; i < rule && count < WL_TABLE_COLUMNS_MAX; i++)
        if (line[i] == ' ')
            ends[count++] = i;
    while (*line) {
        size_t length = strcspn(line, "\n"), place = 0;
        bool is_rule = length > 1 && strspn(line + 1, "- ") >= length - 1 && line[1] == '-';
        const char *at = line + 1, *end = line + length;
        wl_text_add(out, is_rule ? " +-" : " | ");
        for (size_t column = 1; column < rule; column++) {
            bool is_edge = place < count && ends[place] == column;
            if (is_edge) {
                wl_text_add(out, is_rule ? "-+-" : " | ");
                place++;
                at += at < end;
                continue;
            }
            do /* a character may have several bytes */
                wl_text_add_char(out, at < end ? *at : ' ');
            while (at++ < end && at < end && (*at & 0xC0) == 0x80);
        }
        wl_text_add(out, is_rule ? "-+\n" : " |\n");
        line += length + (line[length] == '\n');
    }
    wl_text_free(&plain);
}

/* Makes a table for people fit the terminal; lines around cells take two columns more of each. */
static void fit(struct grid *grid, struct wl_text *left_out)
{
    bool is_boxed = grid->request->form == WL_TABLE_FORM_TABLE;
    size_t around = is_boxed ? 2 * grid->column_count + 3 : 1;
    if (is_for_people(grid->request->form) && grid->request->width > around)
        wl_table_fit(&grid->table, grid->request->width - around, left_out);
}

static void say_left_out(const struct grid *grid, const struct wl_text *left_out)
{
    if (left_out->length)
        wl_format_wrap(" Too wide for this terminal: ", left_out->data, grid->request->width,
                       grid->out);
}

static void end(struct grid *grid)
{
    struct wl_text *out = grid->out, left_out = {0};
    fit(grid, &left_out);
    char *json = NULL;
    switch (grid->request->form) {
    case WL_TABLE_FORM_JSON:
        json = json_dumps(grid->rows, JSON_INDENT(4) | JSON_PRESERVE_ORDER);
        wl_text_addf(out, "%s\n", json ? json : "[]");
        free(json);
        json_decref(grid->rows);
        break;
    case WL_TABLE_FORM_HDOC:
        wl_text_add(out, "</table>\n</body></html>\n");
        break;
    case WL_TABLE_FORM_HTABLE:
        wl_text_add(out, "</table>\n");
        break;
    case WL_TABLE_FORM_COLUMN:
        wl_table_print(&grid->table, 1, out);
        break;
    case WL_TABLE_FORM_TABLE:
        print_boxed(&grid->table, out);
        break;
    default:
        break;
    }
    say_left_out(grid, &left_out);
    wl_text_free(&left_out);
}

enum wl_code wl_table_form_print(struct wl_report *report, const struct wl_table_request *request,
                                 size_t *row_count, struct wl_text *out, struct wl_error *error)
{
    struct grid grid = {.request = request, .out = out};
    size_t before = out->length;
    begin(&grid);
    enum wl_code code = wl_timeline_table_read(report, request->table, take_row, &grid, error);
    end(&grid);
    if (code) {
        out->length = before;
        if (out->data)
            out->data[before] = '\0';
    }
    for (size_t i = 0; i < grid.column_count; i++)
        free(grid.headings[i]);
    wl_table_free(&grid.table);
    if (row_count)
        *row_count = grid.row_count;
    return code;
}
