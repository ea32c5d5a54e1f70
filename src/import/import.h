/* Files of other tools as reports of ours: what is known of each format, by its content, not its
 * name. What is not understood becomes a note of the report and is never guessed. Files may be
 * damaged or hostile. */
#ifndef WL_IMPORT_IMPORT_H
#define WL_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct wl_import_done {
    const char *format; /* "nsys SQLite" */
    uint64_t events, launches, notes;
};

/* Makes the report at report_path of the file at path. done may be NULL. Errors: WL_ERR_INPUT (no
 * such file, unknown format; hint says which there are), WL_ERR_CORRUPT, WL_ERR_NOTHING (neither
 * events nor launches), WL_ERR_OUTPUT. */
enum wl_code wl_import(const char *path, const char *report_path, bool overwrite,
                       struct wl_import_done *done, struct wl_error *error);

#endif
