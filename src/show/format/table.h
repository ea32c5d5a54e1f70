/* Tables of text in Nsight Compute's look: dashed lines, columns as wide as their widest cell. */
#ifndef WL_SHOW_FORMAT_TABLE_H
#define WL_SHOW_FORMAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct wl_table_column {
    char *heading;
    bool is_left; /* else right-aligned */
};

/* Zero-initialise; free with wl_table_free. */
struct wl_table {
    struct wl_table_column *columns;
    size_t column_count, column_capacity;
    char **cells; /* row after row */
    size_t cell_count, cell_capacity;
};

/* All columns come before the first cell. heading may be "". */
void wl_table_add_column(struct wl_table *table, const char *heading, bool is_left);
/* The next cell, from left to right, top to bottom; a safe text (show/format/format.h). */
void wl_table_add_cell(struct wl_table *table, const char *text);
size_t wl_table_rows(const struct wl_table *table);
/* Columns of the terminal that the widest line takes, without indent. */
size_t wl_table_width(const struct wl_table *table);
/* Every line begins with indent spaces; none ends in one. */
void wl_table_print(const struct wl_table *table, size_t indent, struct wl_text *out);
void wl_table_free(struct wl_table *table);

#endif
