#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/near.h"
#include "base/text.h"
#include "report/failure.h"
#include "report/reader.h"
#include "report/table_functions.h"

static enum wl_code fail(const struct wl_report *report, struct wl_error *error)
{
    return wl_report_fail(error, WL_ERR_CORRUPT, report->path, "the report is damaged: %s",
                          sqlite3_errmsg(report->file.database));
}

static struct wl_table_cell read_cell(sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(statement, column);
        return (struct wl_table_cell){.text = text ? text : ""};
    }
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
        return (struct wl_table_cell){.number = sqlite3_column_double(statement, column)};
    return (struct wl_table_cell){.is_absent = true};
}

enum wl_code wl_timeline_table_read(struct wl_report *report, const struct wl_timeline_table *table,
                                    void (*take)(void *self, const struct wl_table_cell *cells),
                                    void *self, struct wl_error *error)
{
    sqlite3_stmt *statement = NULL;
    struct wl_table_cell cells[WL_TABLE_COLUMNS_MAX];
    wl_table_functions_add(report->file.database);
    if (sqlite3_prepare_v2(report->file.database, table->sql, -1, &statement, NULL) != SQLITE_OK)
        return fail(report, error);
    int status, columns = sqlite3_column_count(statement);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns && i < WL_TABLE_COLUMNS_MAX; i++)
            cells[i] = read_cell(statement, i);
        take(self, cells);
    }
    enum wl_code code = status == SQLITE_DONE ? WL_OK : fail(report, error);
    sqlite3_finalize(statement);
    return code;
}

static int64_t ask_number(struct wl_report *report, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = 0;
    if (sqlite3_prepare_v2(report->file.database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

uint64_t wl_report_event_count(struct wl_report *report)
{
    return (uint64_t)ask_number(report, "SELECT count(*) FROM trace_events");
}

bool wl_report_is_simulated(struct wl_report *report)
{
    size_t count;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    if (wl_report_event_count(report))
        return ask_number(report, "SELECT max(flags & 1) FROM trace_events") != 0;
    for (size_t i = 0; i < count; i++)
        if (wl_collector_facts_of(processes[i].record.collector)->is_simulated)
            return true;
    return false;
}

const struct wl_timeline_table *wl_timeline_table_next(const struct wl_timeline_table *table)
{
    static const struct wl_timeline_table *const lists[] = {wl_timeline_tables, wl_python_tables,
                                                            wl_rank_tables, wl_nsys_tables};
    bool is_found = !table;
    for (size_t i = 0; i < WL_COUNT(lists); i++)
        for (const struct wl_timeline_table *row = lists[i]; row->name; row++) {
            if (is_found)
                return row;
            is_found = row == table;
        }
    return NULL;
}

enum wl_code wl_timeline_table_find(const char *name, const struct wl_timeline_table **table,
                                    struct wl_error *error)
{
    struct wl_near near = {.word = name};
    struct wl_text hint = {0};
    for (const struct wl_table_alias *alias = wl_table_aliases; alias->name; alias++)
        if (strcmp(alias->name, name) == 0)
            name = alias->table;
    for (const struct wl_table_refusal *row = wl_table_refusals; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return wl_error_set(error, WL_ERR_USAGE, "there is no table %s of nsys: %s", name,
                                row->why);
    for (*table = wl_timeline_table_next(NULL); *table; *table = wl_timeline_table_next(*table)) {
        if (strcmp((*table)->name, name) == 0)
            return WL_OK;
        wl_near_offer(&near, (*table)->name);
    }
    wl_error_set(error, WL_ERR_USAGE, "there is no table %s", name);
    wl_near_print(&near, "", &hint);
    if (hint.length) {
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    } else {
        for (*table = wl_timeline_table_next(NULL); *table; *table = wl_timeline_table_next(*table))
            wl_text_addf(&hint, "%s%s", hint.length ? ", " : "", (*table)->name);
        wl_error_set_hint(error, "there are %s", hint.data);
    }
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}
