#include "report/nsys.h"

#include <unistd.h>

#include "base/embedded.h"
#include "report/database.h"
#include "report/failure.h"
#include "report/reader.h"

static enum wl_code attach(sqlite3 *database, const char *path)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(database, "ATTACH ? AS input", -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return status == SQLITE_DONE ? WL_OK : WL_ERR_INPUT;
}

enum wl_code wl_report_write_nsys(struct wl_report *report, const char *path,
                                  struct wl_error *error)
{
    sqlite3 *database = NULL;
    enum wl_code code = WL_OK;
    unlink(path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(path, &database, flags, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL,
                              NULL, NULL);
    if (status != SQLITE_OK)
        code = wl_database_write_error(database, path, error);
    else if (attach(database, report->path))
        code = wl_report_fail(error, WL_ERR_INPUT, report->path, "cannot open the report: %s",
                              sqlite3_errmsg(database));
    else if (sqlite3_exec(database, wl_embedded_nsys[0].content, NULL, NULL, NULL) != SQLITE_OK)
        code = sqlite3_errcode(database) == SQLITE_CORRUPT
                   ? wl_report_fail(error, WL_ERR_CORRUPT, report->path,
                                    "the report is damaged: %s", sqlite3_errmsg(database))
                   : wl_database_write_error(database, path, error);
    if (sqlite3_close(database) != SQLITE_OK && !code)
        code = wl_report_fail(error, WL_ERR_INTERNAL, path, "statements were left open");
    return code;
}
