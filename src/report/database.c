#include "report/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/failure.h"
#include "report/schema.h"

/* The VFS of SQLite that takes no locks: nobody else writes a file that we write beside the report
 * and rename when it is done, and network filesystems often refuse locks. */
#define LOCKLESS_VFS "unix-none"

enum {
    HEADER_BYTES = 100, /* of an SQLite file, https://www.sqlite.org/fileformat.html */
    MIN_PAGE_BYTES = 512,
    MIN_LENGTH_LIMIT_BYTES = 1 << 20,
    MAX_LENGTH_LIMIT_BYTES = 1 << 30,
};

enum wl_code wl_database_write_error(sqlite3 *database, const char *path, struct wl_error *error)
{
    int status = database ? sqlite3_errcode(database) : SQLITE_NOMEM;
    int system_error = database ? sqlite3_system_errno(database) : 0;
    if (status == SQLITE_NOMEM)
        return wl_report_fail(error, WL_ERR_MEMORY, path, "out of memory while writing the report");
    const char *reason = sqlite3_errmsg(database);
    if (status == SQLITE_FULL)
        reason = strerror(ENOSPC);
    else if ((status == SQLITE_IOERR || status == SQLITE_CANTOPEN) && system_error)
        reason = strerror(system_error);
    return wl_report_fail(error, WL_ERR_OUTPUT, path, "cannot write the report: %s", reason);
}

static int execute(sqlite3 *database, const char *sql)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL);
}

enum wl_code wl_database_create(const char *path, sqlite3 **database, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    char *pragmas = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(path, database, flags, LOCKLESS_VFS);
    if (status == SQLITE_OK) {
        /* a failed build is discarded, so nothing ever needs to be rolled back */
        pragmas = wl_string_format("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=OFF;PRAGMA "
                                   "synchronous=OFF; PRAGMA mmap_size=0;PRAGMA temp_store=MEMORY; "
                                   "PRAGMA cache_size=-65536;PRAGMA encoding='UTF-8'; PRAGMA "
                                   "application_id=%d;PRAGMA user_version=%d; BEGIN EXCLUSIVE",
                                   WL_REPORT_APPLICATION_ID, WL_REPORT_FORMAT);
        status = execute(*database, pragmas);
    }
    for (const struct wl_report_object *object = wl_report_schema;
         status == SQLITE_OK && object->name; object++)
        status = execute(*database, object->sql);
    if (status != SQLITE_OK) {
        code = wl_database_write_error(*database, path, error);
        sqlite3_close(*database);
        *database = NULL;
    }
    free(pragmas);
    return code;
}

enum wl_code wl_database_finish(sqlite3 *database, const char *path, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (execute(database, "COMMIT") != SQLITE_OK)
        code = wl_database_write_error(database, path, error);
    if (sqlite3_close(database) != SQLITE_OK && code == WL_OK)
        code = wl_report_fail(error, WL_ERR_INTERNAL, path, "statements were left open");
    return code;
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static enum wl_code fail_other(const char *path, struct wl_error *error)
{
    wl_report_fail(error, WL_ERR_INPUT, path, "not a Warplens report");
    return wl_error_set_hint(error, "`warplens import FILE` makes one of nsys's, nvprof's, ncu's "
                                    "and PyTorch's files");
}

static enum wl_code check_version(const char *path, const uint8_t *header, struct wl_error *error)
{
    enum { USER_VERSION = 60, APPLICATION_ID = 68 };
    if (big_endian(header + APPLICATION_ID) != WL_REPORT_APPLICATION_ID)
        return fail_other(path, error);
    uint32_t format = big_endian(header + USER_VERSION);
    if (format > WL_REPORT_FORMAT) {
        wl_report_fail(error, WL_ERR_VERSION, path,
                       "made by a newer Warplens (format %u, this one reads up to %d)", format,
                       WL_REPORT_FORMAT);
        wl_error_set_hint(error, "update Warplens, or make the report again with this one");
        return WL_ERR_VERSION;
    }
    if (format == 0)
        return wl_report_fail(error, WL_ERR_CORRUPT, path,
                              "the report is damaged: it has no format version");
    if (format < WL_REPORT_FORMAT) {
        wl_report_fail(error, WL_ERR_VERSION, path,
                       "made by an older Warplens (format %u, this one reads %d)", format,
                       WL_REPORT_FORMAT);
        wl_error_set_hint(error,
                          "make the report again, or read it with the warplens that made it");
        return WL_ERR_VERSION;
    }
    return WL_OK;
}

static const char copy_again[] = "copy it again from where it was made";

/* All that SQLite would only find out later, or would put less plainly. */
static enum wl_code check_header(const char *path, const uint8_t *header, size_t header_bytes,
                                 uint64_t file_bytes, struct wl_error *error)
{
    enum { PAGE_BYTES = 16, WRITE_VERSION = 18, READ_VERSION = 19, PAGE_COUNT = 28 };
    static const char magic[16] = "SQLite format 3";
    if (file_bytes == 0)
        return wl_report_fail(error, WL_ERR_INPUT, path, "not a Warplens report: it is empty");
    if (header_bytes < sizeof magic || memcmp(header, magic, sizeof magic) != 0)
        return fail_other(path, error);
    if (header_bytes < HEADER_BYTES) {
        wl_report_fail(error, WL_ERR_CORRUPT, path,
                       "the report is truncated: %llu bytes are left of it",
                       (unsigned long long)file_bytes);
        wl_error_set_hint(error, copy_again);
        return WL_ERR_CORRUPT;
    }
    enum wl_code code = check_version(path, header, error);
    if (code != WL_OK)
        return code;
    uint32_t page_bytes = (uint32_t)header[PAGE_BYTES] << 8 | header[PAGE_BYTES + 1];
    if (page_bytes == 1)
        page_bytes = 65536;
    if (page_bytes < MIN_PAGE_BYTES || (page_bytes & (page_bytes - 1)) ||
        header[WRITE_VERSION] != 1 || header[READ_VERSION] != 1)
        return wl_report_fail(error, WL_ERR_CORRUPT, path,
                              "the report is damaged: its header is not valid");
    uint64_t whole_bytes = (uint64_t)page_bytes * big_endian(header + PAGE_COUNT);
    if (file_bytes < whole_bytes) {
        wl_report_fail(error, WL_ERR_CORRUPT, path,
                       "the report is truncated: %llu of %llu bytes are there",
                       (unsigned long long)file_bytes, (unsigned long long)whole_bytes);
        wl_error_set_hint(error, copy_again);
        return WL_ERR_CORRUPT;
    }
    if (file_bytes != whole_bytes)
        return wl_report_fail(error, WL_ERR_CORRUPT, path,
                              "the report is damaged: it has %llu bytes where its header says %llu",
                              (unsigned long long)file_bytes, (unsigned long long)whole_bytes);
    return WL_OK;
}

static enum wl_code check_file(const char *path, uint64_t *size_bytes, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    uint8_t header[HEADER_BYTES];
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        code = wl_report_fail(error, WL_ERR_INPUT, path, "cannot open the report: %s",
                              strerror(errno));
        goto out;
    }
    if (!S_ISREG(status.st_mode)) {
        code = wl_report_fail(error, WL_ERR_INPUT, path, "not a Warplens report: %s",
                              S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a file");
        goto out;
    }
    ssize_t got = pread(descriptor, header, sizeof header, 0);
    if (got < 0) {
        code = wl_report_fail(error, WL_ERR_INPUT, path, "cannot read the report: %s",
                              strerror(errno));
        goto out;
    }
    *size_bytes = (uint64_t)status.st_size;
    code = check_header(path, header, (size_t)got, *size_bytes, error);
out:
    if (descriptor >= 0)
        close(descriptor);
    return code;
}

/* immutable: no locks are asked for and no journal is looked for. */
static char *immutable_uri(const char *path)
{
    struct wl_text uri = {0};
    wl_text_add(&uri, path[0] == '/' ? "file://" : "file:");
    for (const char *next = path; *next; next++) {
        if (strchr("%?#", *next) || *next < ' ')
            wl_text_addf(&uri, "%%%02X", (unsigned char)*next);
        else
            wl_text_add_char(&uri, *next);
    }
    wl_text_add(&uri, "?mode=ro&immutable=1");
    return wl_text_take(&uri);
}

static void distrust(sqlite3 *database, uint64_t size_bytes)
{
    static const struct {
        int option, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < WL_COUNT(settings); i++)
        sqlite3_db_config(database, settings[i].option, settings[i].value, NULL);
    /* no text in an honest report is longer than the report */
    uint64_t length_bytes = size_bytes;
    if (length_bytes < MIN_LENGTH_LIMIT_BYTES)
        length_bytes = MIN_LENGTH_LIMIT_BYTES;
    if (length_bytes > MAX_LENGTH_LIMIT_BYTES)
        length_bytes = MAX_LENGTH_LIMIT_BYTES;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, (int)length_bytes);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 10000);
    sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 64);
    sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 64);
    sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 1);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

static bool column_equals(sqlite3_stmt *statement, int column, const char *expected)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text && strcmp(text, expected) == 0;
}

/* The tables and views must be ours to the letter, so that no statement of ours can run what
 * somebody else wrote. */
static enum wl_code check_schema(sqlite3 *database, const char *path, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    sqlite3_stmt *statement = NULL;
    size_t found = 0, expected = 0;
    int status = sqlite3_prepare_v2(
        database, "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", -1, &statement, NULL);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(statement);
        if (status != SQLITE_ROW)
            break;
        const struct wl_report_object *object = &wl_report_schema[found];
        if (!object->name || !column_equals(statement, 0, object->type) ||
            !column_equals(statement, 1, object->name) || !column_equals(statement, 2, object->sql))
            break;
        found++;
    }
    while (wl_report_schema[expected].name)
        expected++;
    if (status == SQLITE_ROW)
        code =
            wl_report_fail(error, WL_ERR_CORRUPT, path,
                           "the report is damaged: its tables are not those of a Warplens report");
    else if (status != SQLITE_DONE)
        code = wl_report_fail(error, WL_ERR_CORRUPT, path, "the report is damaged: %s",
                              sqlite3_errstr(SQLITE_CORRUPT));
    else if (found != expected)
        code = wl_report_fail(error, WL_ERR_CORRUPT, path,
                              "the report is damaged: the table %s is missing",
                              wl_report_schema[found].name);
    sqlite3_finalize(statement);
    return code;
}

enum wl_code wl_database_open(const char *path, sqlite3 **database, uint64_t *size_bytes,
                              struct wl_error *error)
{
    *database = NULL;
    enum wl_code code = check_file(path, size_bytes, error);
    if (code != WL_OK)
        return code;
    char *uri = immutable_uri(path);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(uri, database, flags, LOCKLESS_VFS) != SQLITE_OK) {
        code = wl_report_fail(error, WL_ERR_INPUT, path, "cannot open the report: %s",
                              *database ? sqlite3_errmsg(*database) : strerror(ENOMEM));
        goto out;
    }
    distrust(*database, *size_bytes);
    if (execute(*database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
                           "PRAGMA temp_store=MEMORY; PRAGMA query_only=ON") != SQLITE_OK)
        code = wl_report_fail(error, WL_ERR_CORRUPT, path, "the report is damaged: %s",
                              sqlite3_errstr(SQLITE_CORRUPT));
    else
        code = check_schema(*database, path, error);
out:
    if (code != WL_OK) {
        sqlite3_close(*database);
        *database = NULL;
    }
    free(uri);
    return code;
}
