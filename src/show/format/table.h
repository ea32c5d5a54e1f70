/* Tables of text in Nsight Compute's look: dashed lines, columns as wide as their widest cell. */
#ifndef WL_SHOW_FORMAT_TABLE_H
#define WL_SHOW_FORMAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* What a column does where the table is wider than the page. */
enum wl_table_gives {
    WL_TABLE_STAYS,     /* is left out, after all those of a rank, from the right */
    WL_TABLE_SHORTENED, /* names: cut in the middle */
    WL_TABLE_CUT,       /* code: cut at its end */
    WL_TABLE_WRAPPED,   /* sentences: broken into lines */
};

struct wl_table_column {
    char *heading;
    bool is_left; /* else right-aligned */
    enum wl_table_gives gives;
    unsigned leaves; /* as which it is left out, from 1; 0: after those */
};

/* Zero-initialise; free with wl_table_free. */
struct wl_table {
    struct wl_table_column *columns;
    size_t column_count, column_capacity;
    char **cells; /* row after row */
    size_t cell_count, cell_capacity;
};

/* All columns come before the first cell. heading may be "". A column on the left is shortened
 * where it must be, another stays: for more, set gives and leaves of the last of columns. */
void wl_table_add_column(struct wl_table *table, const char *heading, bool is_left);
/* The next cell, from left to right, top to bottom; a safe text (show/format/format.h), in which a
 * newline begins the next line of the cell. */
void wl_table_add_cell(struct wl_table *table, const char *text);
size_t wl_table_rows(const struct wl_table *table);
/* Columns of the terminal that the widest line takes, without indent. */
size_t wl_table_width(const struct wl_table *table);
/* Makes the table no wider than so many columns of the terminal, if it can be: headings are broken
 * at spaces; columns are left out, those with a rank first, then from the right, never the first
 * one; what remains of names is cut in the middle. Adds the headings of columns that were left out
 * to left_out, with ", " between. */
void wl_table_fit(struct wl_table *table, size_t width, struct wl_text *left_out);
/* Columns of the terminal that the widest line of a cell takes. */
size_t wl_table_cell_width(const char *cell);
/* Every line begins with indent spaces; none ends in one. */
void wl_table_print(const struct wl_table *table, size_t indent, struct wl_text *out);
void wl_table_free(struct wl_table *table);

#endif
