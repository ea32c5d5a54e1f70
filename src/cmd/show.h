#ifndef WL_CMD_SHOW_H
#define WL_CMD_SHOW_H

#include "cmd/command.h"
#include "cmd/console.h"

/* Opens a report and prints its pages. Errors: those of wl_report_open and wl_view_print. */
enum wl_code wl_show_report(const char *path, const struct wl_command *command,
                            const struct wl_console *console, struct wl_error *error);

#endif
