#include "show/format/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"

void wl_table_add_column(struct wl_table *table, const char *heading, bool is_left)
{
    wl_vector_grow((void **)&table->columns, table->column_count, &table->column_capacity,
                   sizeof *table->columns);
    table->columns[table->column_count++] =
        (struct wl_table_column){.heading = wl_string_copy(heading),
                                 .is_left = is_left,
                                 .gives = is_left ? WL_TABLE_SHORTENED : WL_TABLE_STAYS};
}

void wl_table_add_cell(struct wl_table *table, const char *text)
{
    wl_vector_grow((void **)&table->cells, table->cell_count, &table->cell_capacity,
                   sizeof *table->cells);
    table->cells[table->cell_count++] = wl_string_copy(text ? text : "");
}

size_t wl_table_rows(const struct wl_table *table)
{
    return table->column_count ? table->cell_count / table->column_count : 0;
}

static void add_padding(struct wl_text *out, size_t count, char character)
{
    while (count-- > 0)
        wl_text_add_char(out, character);
}

static void trim_line(struct wl_text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    wl_text_add_char(out, '\n');
}

/* A line of a cell: what begins after so many newlines; its length in bytes. */
static const char *find_line(const char *cell, size_t number, size_t *length)
{
    while (number > 0 && *cell) {
        cell += strcspn(cell, "\n");
        cell += *cell == '\n';
        number--;
    }
    *length = number ? 0 : strcspn(cell, "\n");
    return cell;
}

static size_t count_lines(const char *cell)
{
    size_t count = 1;
    for (; *cell; cell++)
        count += *cell == '\n';
    return count;
}

static size_t measure_line(const char *line, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

/* Columns of its widest line. */
size_t wl_table_cell_width(const char *cell)
{
    size_t widest = 0;
    for (size_t i = 0, length; i < count_lines(cell); i++) {
        const char *line = find_line(cell, i, &length);
        size_t columns = measure_line(line, length);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* row 0: the headings. */
static const char *cell_of(const struct wl_table *table, size_t row, size_t column)
{
    return row == 0 ? table->columns[column].heading
                    : table->cells[(row - 1) * table->column_count + column];
}

/* Headings end at the lowest line, cells begin at the first. */
static void add_row(const struct wl_table *table, const size_t *widths, size_t row, size_t indent,
                    struct wl_text *out)
{
    size_t lines = 1;
    for (size_t i = 0; i < table->column_count; i++) {
        size_t own = count_lines(cell_of(table, row, i));
        lines = own > lines ? own : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        add_padding(out, indent, ' ');
        for (size_t i = 0, length; i < table->column_count; i++) {
            const char *cell = cell_of(table, row, i);
            size_t above = row == 0 ? lines - count_lines(cell) : 0;
            const char *text = find_line(cell, line >= above ? line - above : lines, &length);
            size_t padding = widths[i] - measure_line(text, length);
            if (i > 0)
                wl_text_add_char(out, ' ');
            if (!table->columns[i].is_left)
                add_padding(out, padding, ' ');
            wl_text_add_bytes(out, text, length);
            if (table->columns[i].is_left)
                add_padding(out, padding, ' ');
        }
        trim_line(out);
    }
}

static void add_line(const struct wl_table *table, const size_t *widths, size_t indent,
                     struct wl_text *out)
{
    add_padding(out, indent, ' ');
    for (size_t i = 0; i < table->column_count; i++) {
        add_padding(out, i > 0, ' ');
        add_padding(out, widths[i], '-');
    }
    trim_line(out);
}

/* free() it. */
static size_t *measure_columns(const struct wl_table *table)
{
    size_t *widths = wl_alloc_zero(table->column_count, sizeof *widths);
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = wl_table_cell_width(table->columns[i].heading);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t width = wl_table_cell_width(table->cells[i]);
        if (width > widths[i % table->column_count])
            widths[i % table->column_count] = width;
    }
    return widths;
}

size_t wl_table_width(const struct wl_table *table)
{
    size_t *widths = measure_columns(table);
    size_t width = table->column_count ? table->column_count - 1 : 0;
    for (size_t i = 0; i < table->column_count; i++)
        width += widths[i];
    free(widths);
    return width;
}

void wl_table_print(const struct wl_table *table, size_t indent, struct wl_text *out)
{
    size_t *widths = measure_columns(table);
    add_line(table, widths, indent, out);
    add_row(table, widths, 0, indent, out);
    add_line(table, widths, indent, out);
    for (size_t row = 1; row <= wl_table_rows(table); row++)
        add_row(table, widths, row, indent, out);
    add_line(table, widths, indent, out);
    free(widths);
}

void wl_table_free(struct wl_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].heading);
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->columns);
    free(table->cells);
    *table = (struct wl_table){0};
}
