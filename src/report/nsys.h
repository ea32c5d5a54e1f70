/* A trace in the main tables that `nsys export --type sqlite` makes, for tools that read those. */
#ifndef WL_REPORT_NSYS_H
#define WL_REPORT_NSYS_H

#include "report/report.h"

/* Writes a new database; a file that is there is replaced. Errors: WL_ERR_OUTPUT, WL_ERR_CORRUPT.
 */
enum wl_code wl_report_write_nsys(struct wl_report *report, const char *path,
                                  struct wl_error *error);

#endif
