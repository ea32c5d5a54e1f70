/* Many rows at once into a new report: SQLite takes them from a table that is not stored, in one
 * statement, in less than half the time that a statement for each takes. */
#ifndef WL_REPORT_BULK_H
#define WL_REPORT_BULK_H

#include <sqlite3.h>
#include <stddef.h>

#include "report/cell.h"

#define WL_BULK_TABLE "bulk"
enum { WL_BULK_COLUMNS = 14 };

/* Fills the cells of row number row, from 0: integers and NULLs only. */
typedef void wl_bulk_fill(void *self, size_t row, struct wl_cell cells[WL_BULK_COLUMNS]);

/* Where the rows come from, while a statement that selects from the table runs. */
struct wl_bulk {
    size_t count;
    wl_bulk_fill *fill;
    void *self;
};

/* Makes the table known to this connection: its columns are c0, c1, …. bulk is the caller's, for as
 * long as the connection. Returns SQLite's status. */
int wl_bulk_register(sqlite3 *database, struct wl_bulk *bulk);

#endif
