/* An error at a report: what is wrong, and the file as the place. */
#ifndef WL_REPORT_FAILURE_H
#define WL_REPORT_FAILURE_H

#include "base/error.h"

/* Returns code, so that `return wl_report_fail(...)` reads well. */
enum wl_code wl_report_fail(struct wl_error *error, enum wl_code code, const char *path,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
