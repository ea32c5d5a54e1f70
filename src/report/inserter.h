/* Rows into a new report. Remembers the first failure and drops everything after it, as a sink may.
 */
#ifndef WL_REPORT_INSERTER_H
#define WL_REPORT_INSERTER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "report/bulk.h"
#include "report/cell.h"

enum wl_report_table {
    WL_TABLE_META,
    WL_TABLE_SESSION,
    WL_TABLE_NAMES,
    WL_TABLE_ATTRIBUTES,
    WL_TABLE_PROCESSES,
    WL_TABLE_DEVICES,
    WL_TABLE_MODULES,
    WL_TABLE_KERNELS,
    WL_TABLE_INSTRUCTIONS,
    WL_TABLE_LAUNCHES,
    WL_TABLE_METRIC_VALUES,
    WL_TABLE_INSTRUCTION_VALUES,
    WL_TABLE_NOTES,
    WL_TABLE_SOURCES,
    WL_TABLE_TRACE_CATEGORIES,
    WL_TABLE_TRACE_EVENTS,
    WL_TABLE_TRACE_RECORDINGS,
    WL_TABLE_COUNT,
};

struct wl_inserter {
    sqlite3 *database;
    const char *path; /* for messages; the caller's */
    sqlite3_stmt *statements[WL_TABLE_COUNT];
    struct wl_bulk bulk;   /* of what is added at once */
    struct wl_error error; /* code WL_OK as long as all is well */
};

/* path as in wl_database_create. */
enum wl_code wl_inserter_open(struct wl_inserter *inserter, const char *path,
                              struct wl_error *error);
/* Adds a row unless one with the same key is there. Cells in the order of the columns. */
void wl_inserter_add(struct wl_inserter *inserter, enum wl_report_table table,
                     const struct wl_cell *cells, size_t count);
#define WL_INSERT(inserter, table, ...)                                     \
    wl_inserter_add(inserter, table, (const struct wl_cell[]){__VA_ARGS__}, \
                    sizeof((const struct wl_cell[]){__VA_ARGS__}) / sizeof(struct wl_cell))
/* Adds count rows of WL_BULK_COLUMNS cells to the events of traces, which get the next ids. */
void wl_inserter_add_events(struct wl_inserter *inserter, size_t count, wl_bulk_fill *fill,
                            void *self);
bool wl_inserter_has_failed(const struct wl_inserter *inserter);
/* Ends the transaction and closes; gives the first failure. */
enum wl_code wl_inserter_close(struct wl_inserter *inserter, struct wl_error *error);

#endif
