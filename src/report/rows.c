#include "report/rows.h"

#include <string.h>

#include "report/failure.h"

/* Not sqlite3_errmsg: it quotes what stands in the file. */
static void fail_by_sqlite(struct wl_rows *rows)
{
    sqlite3 *database = rows->file->database;
    int status = sqlite3_errcode(database);
    if (status == SQLITE_NOMEM)
        rows->code = wl_report_fail(rows->error, WL_ERR_MEMORY, rows->file->path,
                                    "out of memory while reading the report");
    else if (status == SQLITE_IOERR)
        rows->code =
            wl_report_fail(rows->error, WL_ERR_INPUT, rows->file->path,
                           "cannot read the report: %s", strerror(sqlite3_system_errno(database)));
    else
        rows->code = wl_report_fail(rows->error, WL_ERR_CORRUPT, rows->file->path,
                                    "the report is damaged: %s", sqlite3_errstr(status));
}

void wl_rows_begin(struct wl_rows *rows, struct wl_rows_file *file, const char *sql, int64_t key,
                   struct wl_error *error)
{
    *rows = (struct wl_rows){.file = file, .error = error};
    if (sqlite3_prepare_v2(file->database, sql, -1, &rows->statement, NULL) != SQLITE_OK ||
        (sqlite3_bind_parameter_count(rows->statement) &&
         sqlite3_bind_int64(rows->statement, 1, key) != SQLITE_OK))
        fail_by_sqlite(rows);
}

bool wl_rows_next(struct wl_rows *rows)
{
    if (rows->code != WL_OK)
        return false;
    int status = sqlite3_step(rows->statement);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        fail_by_sqlite(rows);
    return status == SQLITE_ROW;
}

enum wl_code wl_rows_end(struct wl_rows *rows)
{
    sqlite3_finalize(rows->statement);
    rows->statement = NULL;
    return rows->code;
}

void wl_rows_fail(struct wl_rows *rows, int column)
{
    const char *table = strstr(sqlite3_sql(rows->statement), " FROM ") + strlen(" FROM ");
    if (rows->code == WL_OK)
        rows->code =
            wl_report_fail(rows->error, WL_ERR_CORRUPT, rows->file->path,
                           "the report is damaged: unexpected %.*s.%s", (int)strcspn(table, " "),
                           table, sqlite3_column_name(rows->statement, column));
}

int64_t wl_rows_integer(struct wl_rows *rows, int column, int64_t least, int64_t most)
{
    int64_t value = sqlite3_column_int64(rows->statement, column);
    if (sqlite3_column_type(rows->statement, column) == SQLITE_INTEGER && value >= least &&
        value <= most)
        return value;
    wl_rows_fail(rows, column);
    return least;
}

uint32_t wl_rows_u32(struct wl_rows *rows, int column)
{
    return (uint32_t)wl_rows_integer(rows, column, 0, UINT32_MAX);
}

uint64_t wl_rows_u64(struct wl_rows *rows, int column)
{
    return (uint64_t)wl_rows_integer(rows, column, INT64_MIN, INT64_MAX);
}

double wl_rows_real(struct wl_rows *rows, int column)
{
    int type = sqlite3_column_type(rows->statement, column);
    if (type == SQLITE_FLOAT || type == SQLITE_INTEGER)
        return sqlite3_column_double(rows->statement, column);
    wl_rows_fail(rows, column);
    return 0;
}

bool wl_rows_is_null(const struct wl_rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

const char *wl_rows_text(struct wl_rows *rows, int column)
{
    if (sqlite3_column_type(rows->statement, column) != SQLITE_TEXT) {
        wl_rows_fail(rows, column);
        return "";
    }
    const char *text = (const char *)sqlite3_column_text(rows->statement, column);
    size_t length = (size_t)sqlite3_column_bytes(rows->statement, column);
    if (!text) {
        fail_by_sqlite(rows);
        return "";
    }
    if (length > rows->file->text_left_bytes || memchr(text, '\0', length)) {
        wl_rows_fail(rows, column);
        return "";
    }
    rows->file->text_left_bytes -= length;
    return length ? wl_arena_string(rows->file->arena, text, length) : "";
}

const char *wl_rows_text_or_null(struct wl_rows *rows, int column)
{
    return wl_rows_is_null(rows, column) ? NULL : wl_rows_text(rows, column);
}
