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
        (struct wl_table_column){.heading = wl_string_copy(heading), .is_left = is_left};
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

static void add_row(const struct wl_table *table, const size_t *widths, size_t row, size_t indent,
                    struct wl_text *out)
{
    add_padding(out, indent, ' ');
    for (size_t i = 0; i < table->column_count; i++) {
        const char *cell = row == 0 ? table->columns[i].heading
                                    : table->cells[(row - 1) * table->column_count + i];
        size_t padding = widths[i] - wl_format_width(cell);
        if (i > 0)
            wl_text_add_char(out, ' ');
        if (!table->columns[i].is_left)
            add_padding(out, padding, ' ');
        wl_text_add(out, cell);
        if (table->columns[i].is_left)
            add_padding(out, padding, ' ');
    }
    trim_line(out);
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
        widths[i] = wl_format_width(table->columns[i].heading);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t width = wl_format_width(table->cells[i]);
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
