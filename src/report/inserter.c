#include "report/inserter.h"

#include <string.h>

#include "report/database.h"

/* One more '?' than a table has columns would not compile in SQLite, so a row that lags behind the
 * schema fails in the first test. */
static const char *const insert_sql[WL_TABLE_COUNT] = {
    [WL_TABLE_META] = "INSERT INTO meta VALUES(?,?)",
    [WL_TABLE_SESSION] = "INSERT INTO session VALUES(?,?,?,?)",
    [WL_TABLE_NAMES] = "INSERT INTO names VALUES(?,?)",
    [WL_TABLE_ATTRIBUTES] = "INSERT OR IGNORE INTO attributes VALUES(?,?,?,?,?)",
    [WL_TABLE_PROCESSES] = "INSERT INTO processes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [WL_TABLE_DEVICES] = "INSERT INTO devices VALUES(?,?,?,?,?,?,?,?)",
    [WL_TABLE_MODULES] = "INSERT INTO modules VALUES(?,?,?,?,?,?)",
    [WL_TABLE_KERNELS] = "INSERT INTO kernels VALUES(?,?,?,?,?,?)",
    [WL_TABLE_INSTRUCTIONS] = "INSERT OR IGNORE INTO instructions VALUES(?,?,?,?,?,?,?,?,?,?,?)",
    [WL_TABLE_LAUNCHES] =
        "INSERT INTO launches VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [WL_TABLE_METRIC_VALUES] = "INSERT OR IGNORE INTO metric_values VALUES(?,?,?,?)",
    [WL_TABLE_INSTRUCTION_VALUES] = "INSERT OR IGNORE INTO instruction_values VALUES(?,?,?,?,?)",
    [WL_TABLE_NOTES] = "INSERT INTO notes VALUES(?,?,?,?,?,?,?,?)",
    [WL_TABLE_SOURCES] = "INSERT INTO sources VALUES(?,?,?,?,?)",
    [WL_TABLE_TRACE_CATEGORIES] = "INSERT INTO trace_categories VALUES(?,?,?,?,?,?,?,?,?)",
    [WL_TABLE_TRACE_EVENTS] =
        "INSERT INTO trace_events SELECT NULL, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, "
        "c13 FROM " WL_BULK_TABLE,
    [WL_TABLE_TRACE_RECORDINGS] = "INSERT INTO trace_recordings VALUES(?,?,?,?,?,?,?,?)",
};

static void fail(struct wl_inserter *inserter)
{
    if (inserter->error.code == WL_OK)
        wl_database_write_error(inserter->database, inserter->path, &inserter->error);
}

enum wl_code wl_inserter_open(struct wl_inserter *inserter, const char *path,
                              struct wl_error *error)
{
    *inserter = (struct wl_inserter){.path = path};
    enum wl_code code = wl_database_create(path, &inserter->database, error);
    if (code != WL_OK)
        return code;
    if (wl_bulk_register(inserter->database, &inserter->bulk) != SQLITE_OK)
        fail(inserter);
    for (int table = 0; table < WL_TABLE_COUNT; table++)
        if (sqlite3_prepare_v3(inserter->database, insert_sql[table], -1, SQLITE_PREPARE_PERSISTENT,
                               &inserter->statements[table], NULL) != SQLITE_OK)
            fail(inserter);
    return wl_inserter_has_failed(inserter) ? wl_inserter_close(inserter, error) : WL_OK;
}

static int bind(sqlite3_stmt *statement, int column, const struct wl_cell *cell)
{
    switch (cell->type) {
    case WL_CELL_INTEGER:
        return sqlite3_bind_int64(statement, column, cell->integer);
    case WL_CELL_REAL:
        return sqlite3_bind_double(statement, column, cell->real);
    case WL_CELL_TEXT:
        return sqlite3_bind_text(statement, column, cell->text ? cell->text : "", -1,
                                 SQLITE_STATIC);
    case WL_CELL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, column);
}

void wl_inserter_add(struct wl_inserter *inserter, enum wl_report_table table,
                     const struct wl_cell *cells, size_t count)
{
    if (wl_inserter_has_failed(inserter))
        return;
    sqlite3_stmt *statement = inserter->statements[table];
    int status = SQLITE_OK;
    if (count != (size_t)sqlite3_bind_parameter_count(statement)) {
        wl_error_set(&inserter->error, WL_ERR_INTERNAL, "%zu cells for: %s", count,
                     insert_sql[table]);
        return;
    }
    for (size_t i = 0; status == SQLITE_OK && i < count; i++)
        status = bind(statement, (int)i + 1, &cells[i]);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status != SQLITE_DONE)
        fail(inserter);
    sqlite3_reset(statement);
}

void wl_inserter_add_events(struct wl_inserter *inserter, size_t count, wl_bulk_fill *fill,
                            void *self)
{
    if (wl_inserter_has_failed(inserter))
        return;
    sqlite3_stmt *statement = inserter->statements[WL_TABLE_TRACE_EVENTS];
    inserter->bulk = (struct wl_bulk){.count = count, .fill = fill, .self = self};
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail(inserter);
    sqlite3_reset(statement);
}

bool wl_inserter_has_failed(const struct wl_inserter *inserter)
{
    return inserter->error.code != WL_OK;
}

enum wl_code wl_inserter_close(struct wl_inserter *inserter, struct wl_error *error)
{
    for (int table = 0; table < WL_TABLE_COUNT; table++)
        sqlite3_finalize(inserter->statements[table]);
    enum wl_code code = wl_database_finish(inserter->database, inserter->path, error);
    if (wl_inserter_has_failed(inserter)) {
        code = inserter->error.code;
        if (error)
            *error = inserter->error;
    }
    *inserter = (struct wl_inserter){0};
    return code;
}
