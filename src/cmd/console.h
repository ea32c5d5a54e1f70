/* Where a verb writes: pages, and messages to the user. The only place that prints. */
#ifndef WL_CMD_CONSOLE_H
#define WL_CMD_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "run/messages.h"

struct wl_console {
    FILE *pages;    /* stdout or --log-file */
    FILE *messages; /* stderr or --log-file */
    bool is_quiet;  /* --quiet: errors only */
};

/* Columns of the terminal that out is; where it is none those that the variable COLUMNS gives; 0:
 * neither. */
size_t wl_console_width(FILE *out);

/* stdout and stderr. */
void wl_console_init(struct wl_console *console);
/* --log-file: "stdout", "stderr" or a path. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_console_open(struct wl_console *console, const char *log_file,
                             struct wl_error *error);
/* Flushes and closes. Returns the exit status: code, or WL_ERR_OUTPUT (with a message) if all went
 * well but the pages could not be written. */
int wl_console_end(struct wl_console *console, enum wl_code code);

/* "warplens: error: MESSAGE (WHERE)", then "  hint: HINT". Returns error->code: the exit status. */
int wl_console_fail(const struct wl_console *console, const struct wl_error *error);
/* "warplens: warning: ...", and its hint if not NULL. */
void wl_console_warn(const struct wl_console *console, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "warplens: ..." */
void wl_console_say(const struct wl_console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* To the pages. All four show text as base/safe.h makes it, with its lines. */
void wl_console_print(const struct wl_console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For what runs a program; console must outlive it. */
struct wl_messages wl_console_messages(const struct wl_console *console);

#endif
