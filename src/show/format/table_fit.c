/* Tables that are wider than the page. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"

/* Columns of the terminal that are left to a column which gives way. */
static const size_t least_width[] = {
    [WL_TABLE_STAYS] = SIZE_MAX,
    [WL_TABLE_SHORTENED] = 16,
    [WL_TABLE_CUT] = 32,
    [WL_TABLE_WRAPPED] = 24,
};

/* ---- widths ---- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Of the cells below the heading. */
static size_t measure_cells(const struct wl_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < table->cell_count; i += table->column_count)
        widest = larger(widest, wl_table_cell_width(table->cells[i]));
    return widest;
}

/* The least that a column may be made. */
static size_t measure_least(const struct wl_table *table, size_t column)
{
    const struct wl_table_column *own = &table->columns[column];
    return larger(wl_table_cell_width(own->heading),
                  smaller(least_width[own->gives], measure_cells(table, column)));
}

static size_t measure_least_table(const struct wl_table *table)
{
    size_t width = table->column_count ? table->column_count - 1 : 0;
    for (size_t i = 0; i < table->column_count; i++)
        width += measure_least(table, i);
    return width;
}

/* ---- headings ---- */

/* Breaks a heading at spaces into lines of at most width columns; the spaces at its end, which
 * stand above marks, end each line. */
static void break_heading(char **heading, size_t width)
{
    size_t length = strlen(*heading), end = length;
    struct wl_text lines = {0}, broken = {0};
    while (end > 0 && (*heading)[end - 1] == ' ')
        end--;
    char *words = wl_string_copy_length(*heading, end);
    const char *tail = *heading + end;
    wl_format_wrap("", words, width > length - end ? width - (length - end) : 1, &lines);
    for (const char *line = lines.data; *line;) {
        size_t own = strcspn(line, "\n");
        wl_text_addf(&broken, "%s%.*s%s", broken.length ? "\n" : "", (int)own, line, tail);
        line += own + (line[own] == '\n');
    }
    free(words);
    wl_text_free(&lines);
    free(*heading);
    wl_text_add(&broken, "");
    *heading = wl_text_take(&broken);
}

/* ---- leaving out ---- */

/* The column that is the next to be left out; 0: none is. */
static size_t find_leaving(const struct wl_table *table)
{
    size_t found = 0;
    for (size_t i = 1; i < table->column_count; i++) {
        unsigned leaves = table->columns[i].leaves;
        unsigned before = found ? table->columns[found].leaves : 0;
        if (leaves ? !before || leaves < before
                   : !before && table->columns[i].gives == WL_TABLE_STAYS)
            found = i;
    }
    return found;
}

static void remove_column(struct wl_table *table, size_t column)
{
    size_t rows = wl_table_rows(table), count = table->column_count, kept = 0;
    for (size_t i = 0; i < rows * count; i++) {
        if (i % count == column)
            free(table->cells[i]);
        else
            table->cells[kept++] = table->cells[i];
    }
    table->cell_count = kept;
    free(table->columns[column].heading);
    memmove(&table->columns[column], &table->columns[column + 1],
            (count - column - 1) * sizeof *table->columns);
    table->column_count--;
}

/* A heading with one space between its words. */
static void add_words(const char *heading, struct wl_text *out)
{
    for (const char *at = heading; *at; at += strspn(at, " \n")) {
        size_t length = strcspn(at, " \n");
        wl_text_addf(out, "%s%.*s", at == heading ? "" : " ", (int)length, at);
        at += length;
    }
}

static void leave_out(struct wl_table *table, size_t width, struct wl_text *left_out)
{
    size_t column;
    while (measure_least_table(table) > width && (column = find_leaving(table)) != 0) {
        char *heading = table->columns[column].heading;
        wl_text_add(left_out, left_out->length ? ", " : "");
        add_words(heading, left_out);
        remove_column(table, column);
    }
}

/* ---- giving way ---- */

/* Breaks a sentence into lines, and words that are longer than one. */
static void wrap(const char *sentence, size_t limit, struct wl_text *out)
{
    struct wl_text lines = {0};
    size_t column = 0;
    wl_format_wrap("", sentence, limit, &lines);
    lines.data[--lines.length] = '\0'; /* the newline at its end */
    for (const char *at = lines.data; *at; at++) {
        bool is_begun = ((unsigned char)*at & 0xc0) != 0x80;
        if (is_begun && *at != '\n' && column == limit) {
            wl_text_add_char(out, '\n');
            column = 0;
        }
        wl_text_add_char(out, *at);
        column = *at == '\n' ? 0 : column + is_begun;
    }
    wl_text_free(&lines);
}

static void give_way(char **cell, enum wl_table_gives gives, size_t limit)
{
    struct wl_text text = {0};
    if (wl_table_cell_width(*cell) <= limit)
        return;
    if (gives == WL_TABLE_WRAPPED) {
        wrap(*cell, limit, &text);
    } else {
        wl_text_add(&text, *cell);
        if (gives == WL_TABLE_SHORTENED)
            wl_format_shorten_middle(&text, limit);
        else
            wl_format_shorten(&text, limit);
    }
    free(*cell);
    *cell = wl_text_take(&text);
}

/* The widest column that can be narrower still; the number of columns: none. */
static size_t find_widest(const struct wl_table *table, const size_t *limits, const size_t *leasts)
{
    size_t widest = table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        if (limits[i] > leasts[i] && (widest == table->column_count || limits[i] > limits[widest]))
            widest = i;
    return widest;
}

/* What is too much is taken from the widest columns that give way. */
static void narrow(struct wl_table *table, size_t width)
{
    size_t count = table->column_count, sum = count ? count - 1 : 0, widest;
    size_t *limits = wl_alloc_zero(count + 1, sizeof *limits);
    size_t *leasts = wl_alloc_zero(count + 1, sizeof *leasts);
    for (size_t i = 0; i < count; i++) {
        limits[i] = larger(wl_table_cell_width(table->columns[i].heading), measure_cells(table, i));
        leasts[i] = measure_least(table, i);
        sum += limits[i];
    }
    for (; sum > width && (widest = find_widest(table, limits, leasts)) < count; sum--)
        limits[widest]--;
    for (size_t i = 0; i < table->cell_count; i++)
        give_way(&table->cells[i], table->columns[i % count].gives, limits[i % count]);
    free(limits);
    free(leasts);
}

void wl_table_fit(struct wl_table *table, size_t width, struct wl_text *left_out)
{
    if (wl_table_width(table) <= width)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        break_heading(&table->columns[i].heading, measure_cells(table, i));
    leave_out(table, width, left_out);
    narrow(table, width);
}
