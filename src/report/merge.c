/* Several reports into one, table by table within SQLite (merge.sql): what is in memory at a time
 * is SQLite's cache, however large the reports are. Ids get new numbers; names, modules, kernels
 * and sets of attributes that are equal become one, as in a report of several processes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/database.h"
#include "report/failure.h"
#include "report/part.h"
#include "report/report.h"
#include "report/schema.h"
#include "warplens/version.h"

/* A text of wl_embedded_merge. */
static const char *find_sql(const char *name)
{
    const struct wl_embedded_file *file = wl_embedded_merge;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->content;
}

/* A report to be merged. */
struct input {
    const char *path;
    int64_t rank; /* the least of its processes; those without one come last */
    size_t position;
};

struct merging {
    sqlite3 *database;
    const char *part;
    struct wl_error *error;
};

static enum wl_code execute(struct merging *merging, const char *sql)
{
    if (sqlite3_exec(merging->database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return WL_OK;
    return wl_database_write_error(merging->database, merging->part, merging->error);
}

/* The first value of the first row; false if there is none, or it is NULL. */
static bool ask_text(sqlite3 *database, const char *sql, char **text)
{
    sqlite3_stmt *statement = NULL;
    *text = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        *text = wl_string_copy((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return *text != NULL;
}

static enum wl_code finish_interrupted(const char *path, struct wl_error *error)
{
    char *folder = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, path);
    bool is_there = access(folder, F_OK) == 0;
    free(folder);
    if (!is_there)
        return WL_OK;
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(path, &report, error);
    wl_report_close(report);
    return code;
}

/* Refuses what is no report before any is read, and asks for its rank. */
static enum wl_code look_at(struct input *input, struct wl_error *error)
{
    sqlite3 *database = NULL;
    uint64_t size_bytes;
    char *rank = NULL;
    enum wl_code code = finish_interrupted(input->path, error);
    if (!code)
        code = wl_database_open(input->path, &database, &size_bytes, error);
    if (code)
        return code;
    bool is_known = ask_text(database, "SELECT min(rank) FROM processes", &rank);
    input->rank = is_known ? strtoll(rank, NULL, 10) : INT64_MAX;
    free(rank);
    sqlite3_close(database);
    return WL_OK;
}

static int by_rank(const void *left, const void *right)
{
    const struct input *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

static enum wl_code refuse_twice(struct merging *merging, const char *path)
{
    char *stream;
    if (!ask_text(merging->database,
                  "SELECT stream FROM input.processes WHERE stream IN "
                  "(SELECT stream FROM main.processes)",
                  &stream))
        return WL_OK;
    wl_report_fail(merging->error, WL_ERR_INPUT, path,
                   "another of the reports holds the same process, %s", stream);
    free(stream);
    return wl_error_set_hint(merging->error, "name each report once, and none that was merged "
                                             "from others");
}

/* ATTACH cannot be within a transaction. */
static enum wl_code add(struct merging *merging, const char *path)
{
    sqlite3_stmt *statement = NULL;
    enum wl_code code = execute(merging, "COMMIT");
    if (code)
        return code;
    int status = sqlite3_prepare_v2(merging->database, "ATTACH ? AS input", -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE)
        return wl_report_fail(merging->error, WL_ERR_INPUT, path, "cannot open the report: %s",
                              sqlite3_errmsg(merging->database));
    code = execute(merging, "BEGIN EXCLUSIVE");
    if (!code)
        code = refuse_twice(merging, path);
    if (!code && sqlite3_exec(merging->database, find_sql("merge.sql"), NULL, NULL, NULL)) {
        int trouble = sqlite3_errcode(merging->database);
        code = trouble == SQLITE_CORRUPT || trouble == SQLITE_CONSTRAINT
                   ? wl_report_fail(merging->error, WL_ERR_CORRUPT, path,
                                    "the report is damaged: %s", sqlite3_errmsg(merging->database))
                   : wl_database_write_error(merging->database, merging->part, merging->error);
    }
    if (!code)
        code = execute(merging, "COMMIT; DETACH input; BEGIN EXCLUSIVE");
    return code;
}

static enum wl_code put_facts(struct merging *merging, size_t count)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO meta VALUES('format', %d), ('producer', %Q), ('created_ns', "
        "CAST(strftime('%%s', 'now') AS TEXT) || '000000000');INSERT INTO session SELECT "
        "coalesce(max(position), 0) + 1, 'merged_reports', NULL, %d FROM session",
        WL_REPORT_FORMAT, "warplens " WL_VERSION_STRING, (int)count);
    enum wl_code code = execute(merging, sql);
    sqlite3_free(sql);
    return code;
}

static enum wl_code merge_into(const char *part, const struct input *inputs, size_t count,
                               struct wl_error *error)
{
    struct merging merging = {.part = part, .error = error};
    enum wl_code code = wl_database_create(part, &merging.database, error);
    if (code)
        return code;
    code = execute(&merging, find_sql("merge_begin.sql"));
    for (size_t i = 0; !code && i < count; i++)
        code = add(&merging, inputs[i].path);
    if (!code)
        code = put_facts(&merging, count);
    if (code) {
        sqlite3_close(merging.database);
        return code;
    }
    return wl_database_finish(merging.database, part, error);
}

enum wl_code wl_report_merge(const struct wl_report_merge *merge, struct wl_error *error)
{
    struct input *inputs = wl_alloc_zero(merge->count, sizeof *inputs);
    struct wl_report_part part = {0};
    enum wl_code code = WL_OK;
    for (size_t i = 0; !code && i < merge->count; i++) {
        inputs[i] = (struct input){.path = merge->paths[i], .position = i};
        code = look_at(&inputs[i], error);
    }
    if (!code) {
        qsort(inputs, merge->count, sizeof *inputs, by_rank);
        code = wl_report_part_begin(&part, merge->report_path, merge->overwrite, error);
    }
    if (!code)
        code = merge_into(part.path, inputs, merge->count, error);
    code = wl_report_part_end(&part, code, error);
    free(inputs);
    return code;
}
