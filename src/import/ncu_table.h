/* What the tables have in common that ncu prints with --csv: where they begin, and the columns that
 * say which launch a row is of. */
#ifndef WL_IMPORT_NCU_TABLE_H
#define WL_IMPORT_NCU_TABLE_H

#include "import/csv.h"
#include "import/launch.h"

enum wl_ncu_column {
    WL_NCU_ID,
    WL_NCU_PROCESS,
    WL_NCU_PROGRAM,
    WL_NCU_HOST,
    WL_NCU_KERNEL,
    WL_NCU_TIME,
    WL_NCU_CONTEXT,
    WL_NCU_STREAM,
    WL_NCU_BLOCK,
    WL_NCU_GRID,
    WL_NCU_DEVICE,
    WL_NCU_CAPABILITY,
    WL_NCU_MARK,
    WL_NCU_COLUMNS
};

struct wl_ncu_table {
    struct wl_import_target *target;
    struct wl_csv csv;
    int columns[WL_NCU_COLUMNS]; /* -1: there is none */
    WL_VECTOR(char *) names;     /* of all columns; they belong to the content */
    uint64_t pid, short_rows;
};

/* Where the table begins: messages and what the program printed may stand before it. NULL: there is
 * none. */
char *wl_ncu_table_start(const struct wl_text *content);
/* Reads the names of the columns. */
void wl_ncu_table_begin(struct wl_ncu_table *table, struct wl_import_target *target);
/* Reads a row; counts those that have fewer fields than the table has columns. False at the end. */
bool wl_ncu_table_read(struct wl_ncu_table *table);
const char *wl_ncu_table_field(const struct wl_ncu_table *table, enum wl_ncu_column column);
/* Begins a launch, and its process, of the row. */
void wl_ncu_table_launch(struct wl_ncu_table *table, struct wl_import_launch *launch);
/* Puts the launch. Tables of old versions have no column of its sizes: they are its number of
 * blocks and threads. */
void wl_ncu_table_put(struct wl_ncu_table *table, struct wl_import_launch *launch);
/* Puts a value of that name; what is not available is passed over. */
void wl_ncu_table_value(struct wl_import_launch *launch, const char *name, const char *text,
                        const char *unit, enum wl_mark mark);
/* Notes what was cut off, and frees. */
void wl_ncu_table_end(struct wl_ncu_table *table);
/* "1,234.5": commas are of thousands. False: it is a text. */
bool wl_ncu_number(const char *text, double *value);

#endif
