/* Names of reports as the user gives them to -o. */
#ifndef WL_REPORT_NAME_H
#define WL_REPORT_NAME_H

#include "base/error.h"

/* Expands %p (process id of warplens), %h (host), %q{VAR} (environment variable), %i (the smallest
 * number from 1 for which neither the report nor its PATH.stream/ is there) and %%; adds ".wlr" if
 * the pattern's last part has no suffix. Whether the name is free is not asked. free() *path.
 * Errors: WL_ERR_USAGE. */
enum wl_code wl_report_name(const char *pattern, char **path, struct wl_error *error);

/* Where the report is that the user names: path itself, or, where there is none, NAME.wlr for NAME
 * and for a name as other tools give it, NAME.ncu-rep, NAME.nsys-rep, ... free() it. */
char *wl_report_name_find(const char *path);

/* The pattern with "-rankRANK" before its suffix, so that the reports of ranks do not meet; a copy
 * where it tells them apart itself with %q or %p. free() it. */
char *wl_report_name_of_rank(const char *pattern, const char *rank);

#endif
