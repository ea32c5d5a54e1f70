#include "report/bulk.h"

#include <stdlib.h>

/* Begins with SQLite's part, as its interface wants it. */
struct source {
    sqlite3_vtab base;
    const struct wl_bulk *bulk;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct wl_bulk *bulk;
    size_t row;
    struct wl_cell cells[WL_BULK_COLUMNS];
};

static int connect_source(sqlite3 *database, void *bulk, int count, const char *const *arguments,
                          sqlite3_vtab **made, char **message)
{
    (void)count;
    (void)arguments;
    (void)message;
    struct source *source = sqlite3_malloc(sizeof *source);
    if (!source)
        return SQLITE_NOMEM;
    *source = (struct source){.bulk = bulk};
    *made = &source->base;
    return sqlite3_declare_vtab(
        database, "CREATE TABLE x(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13)");
}

static int disconnect_source(sqlite3_vtab *source)
{
    sqlite3_free(source);
    return SQLITE_OK;
}

static int choose_plan(sqlite3_vtab *source, sqlite3_index_info *info)
{
    (void)source;
    info->estimatedCost = 1;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *source, sqlite3_vtab_cursor **made)
{
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.bulk = ((struct source *)source)->bulk};
    *made = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int go_to(struct cursor *cursor, size_t row)
{
    cursor->row = row;
    if (row < cursor->bulk->count)
        cursor->bulk->fill(cursor->bulk->self, row, cursor->cells);
    return SQLITE_OK;
}

static int begin_rows(sqlite3_vtab_cursor *cursor, int plan, const char *text, int count,
                      sqlite3_value **values)
{
    (void)plan;
    (void)text;
    (void)count;
    (void)values;
    return go_to((struct cursor *)cursor, 0);
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
    struct cursor *own = (struct cursor *)cursor;
    return go_to(own, own->row + 1);
}

static int is_end(sqlite3_vtab_cursor *cursor)
{
    const struct cursor *own = (struct cursor *)cursor;
    return own->row >= own->bulk->count;
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct wl_cell *cell = &((struct cursor *)cursor)->cells[column];
    if (cell->type == WL_CELL_INTEGER)
        sqlite3_result_int64(context, cell->integer);
    return SQLITE_OK; /* NULL where nothing is given */
}

static int give_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    *number = (sqlite3_int64)((struct cursor *)cursor)->row;
    return SQLITE_OK;
}

int wl_bulk_register(sqlite3 *database, struct wl_bulk *bulk)
{
    static const sqlite3_module module = {
        .iVersion = 1,
        .xConnect = connect_source,
        .xBestIndex = choose_plan,
        .xDisconnect = disconnect_source,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = begin_rows,
        .xNext = next_row,
        .xEof = is_end,
        .xColumn = give_column,
        .xRowid = give_number,
    };
    return sqlite3_create_module_v2(database, WL_BULK_TABLE, &module, bulk, NULL);
}
