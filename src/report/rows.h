/* Rows of an open report, every cell checked: the file may be damaged or hostile. */
#ifndef WL_REPORT_ROWS_H
#define WL_REPORT_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct wl_rows_file {
    sqlite3 *database;
    const char *path;
    struct wl_arena *arena; /* where texts go */
    uint64_t
        text_left_bytes; /* the texts of an honest report are together no longer than its file */
};

/* Zero-initialise; always end what was begun. The first error wins, after it cells are 0 and "". */
struct wl_rows {
    struct wl_rows_file *file;
    sqlite3_stmt *statement;
    struct wl_error *error;
    enum wl_code code;
};

/* sql is ours, with at most one '?' that gets key. */
void wl_rows_begin(struct wl_rows *rows, struct wl_rows_file *file, const char *sql, int64_t key,
                   struct wl_error *error);
/* False at the end and after an error. */
bool wl_rows_next(struct wl_rows *rows);
enum wl_code wl_rows_end(struct wl_rows *rows);
/* The row at hand is not as it must be; column says where. */
void wl_rows_fail(struct wl_rows *rows, int column);

/* A wrong type or a number out of range is an error. */
int64_t wl_rows_integer(struct wl_rows *rows, int column, int64_t least, int64_t most);
uint32_t wl_rows_u32(struct wl_rows *rows, int column);
uint64_t wl_rows_u64(struct wl_rows *rows, int column); /* all 64 bits, also "negative" ones */
double wl_rows_real(struct wl_rows *rows, int column);
bool wl_rows_is_null(const struct wl_rows *rows, int column);
const char *wl_rows_text(struct wl_rows *rows, int column);
const char *wl_rows_text_or_null(struct wl_rows *rows, int column);

#endif
