/* For sqlite.c only: the tables of nsys's and nvprof's databases that are read, and what becomes of
 * a row. */
#ifndef WL_IMPORT_SQLITE_TABLES_H
#define WL_IMPORT_SQLITE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

enum { WL_SQLITE_COLUMNS_MOST = 20 };

/* A table: what its columns are called in nsys's databases, and in nvprof's where that differs. A
 * column is "-" for none, a name, "name|otherwise", or "(expression)". */
struct wl_sqlite_table {
    const char *name, *nvprof_name; /* NULL: there is none */
    enum wl_timeline_category category;
    const char *columns[WL_SQLITE_COLUMNS_MOST], *nvprof_columns[WL_SQLITE_COLUMNS_MOST];
    void (*fill)(struct wl_timeline_record *record, const int64_t *values);
};

extern const struct wl_sqlite_table wl_sqlite_tables[];
extern const size_t wl_sqlite_table_count;

/* The first columns of all. THREAD: globalTid or globalPid; 0 where it has none. */
enum { START, END, NAME, THREAD, CORRELATION, OWN };

/* eventType (ENUM_NSYS_EVENT_TYPE): of ranges and marks; 70 and 71 are those of a text file. The
 * others say what domains, categories and threads are called. */
enum { MARK = 34, PUSH_POP = 59, START_END = 60, PUSH_POP_OF_TEXT = 70, START_END_OF_TEXT = 71 };

/* Rows with call stacks of calls that have a row of their own (ENUM_NSYS_EVENT_CLASS). */
enum { CLASS_BACKTRACE = 67 };

#endif
