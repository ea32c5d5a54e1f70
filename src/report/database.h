/* SQLite as a report needs it: no locks, no shared mapping, no side files (schema in schema.h). */
#ifndef WL_REPORT_DATABASE_H
#define WL_REPORT_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/error.h"

/* Makes a new database with the tables of a report and begins its only transaction.
 * path must not exist or be empty. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_database_create(const char *path, sqlite3 **database, struct wl_error *error);

/* Ends the transaction and closes; the file is then whole but not yet synced to the disk.
 * Closes also when it fails. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_database_finish(sqlite3 *database, const char *path, struct wl_error *error);

/* Opens a finished report read-only after checking that it is one: header, size, version, and that
 * it holds our tables and nothing else. Nothing in the file is ever run.
 * Errors: WL_ERR_INPUT, WL_ERR_CORRUPT, WL_ERR_VERSION. */
enum wl_code wl_database_open(const char *path, sqlite3 **database, uint64_t *size_bytes,
                              struct wl_error *error);

/* What SQLite says of a failed write, as a wl_error. */
enum wl_code wl_database_write_error(sqlite3 *database, const char *path, struct wl_error *error);

#endif
