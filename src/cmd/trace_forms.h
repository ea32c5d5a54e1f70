/* The forms of other tools that a trace is written in, by their names. */
#ifndef WL_CMD_TRACE_FORMS_H
#define WL_CMD_TRACE_FORMS_H

#include "cmd/console.h"

/* names: "sqlite,chrome", "none", NULL. Errors: WL_ERR_USAGE. */
enum wl_code wl_tracing_forms_check(const char *names, struct wl_error *error);
/* Writes each beside the report, REPORT.sqlite for REPORT.wlr. All are tried; the error is the
 * first. Errors: WL_ERR_OUTPUT, WL_ERR_NOTHING. */
enum wl_code wl_tracing_forms_write(const char *names, const char *report_path, bool overwrite,
                                    const struct wl_console *console, struct wl_error *error);

#endif
