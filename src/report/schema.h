/* The tables of a report, in one place: the writer makes them, the reader demands exactly them.
 * docs/formats/report-schema.md describes them; a test compares the two. */
#ifndef WL_REPORT_SCHEMA_H
#define WL_REPORT_SCHEMA_H

#include <stdint.h>

#define WL_REPORT_APPLICATION_ID 0x574c5250 /* "WLRP" */
/* PRAGMA user_version. Raised when a reader of the old one would misread the new one. */
#define WL_REPORT_FORMAT 2
#define WL_REPORT_SUFFIX ".wlr"
#define WL_REPORT_STREAM_SUFFIX ".stream"
#define WL_STREAM_FILE_SUFFIX ".wls"

struct wl_report_object {
    const char *type; /* "table", "view" as in sqlite_schema */
    const char *name;
    const char *sql;
};

/* In the order they are made; ends with a row whose name is NULL. */
extern const struct wl_report_object wl_report_schema[];

#endif
