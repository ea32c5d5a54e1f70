/* Tables of nsys's or nvprof's schema, wherever they come from. */
#ifndef WL_IMPORT_DATABASE_H
#define WL_IMPORT_DATABASE_H

#include <sqlite3.h>

#include "import/target.h"

/* Reads the tables of an open database into target. Errors: WL_ERR_INPUT: it is of no known tool;
 * WL_ERR_CORRUPT. */
enum wl_code wl_import_database(struct wl_import_target *target, sqlite3 *database,
                                struct wl_error *error);

#endif
