/* Errors: every function that can fail returns an enum wl_code and fills a struct wl_error.
 * Only cmd/ prints them and chooses the exit status. A NULL error pointer is allowed everywhere. */
#ifndef WL_BASE_ERROR_H
#define WL_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* The codes double as the exit statuses of the program (docs/using/exit-codes.md). */
enum wl_code {
    WL_OK = 0,
    WL_ERR_PROGRAM = 1,     /* the profiled program failed; its report is complete up to there */
    WL_ERR_USAGE = 2,       /* wrong option or argument */
    WL_ERR_INPUT = 3,       /* a file is missing, unreadable or of the wrong kind */
    WL_ERR_CORRUPT = 4,     /* a file is damaged or hostile */
    WL_ERR_UNSUPPORTED = 5, /* understood, but Warplens cannot do it (yet) */
    WL_ERR_OUTPUT = 6,      /* a report or page could not be written */
    WL_ERR_NOTHING = 7,     /* nothing matched: no kernel ran or was selected */
    WL_ERR_MEMORY = 8,      /* out of memory */
    WL_ERR_INTERNAL = 9,    /* a bug of Warplens */
    WL_ERR_VERSION = 10,    /* made by a newer Warplens */
    WL_ERR_BUDGET = 11,     /* a limit of a budget is not kept */
};

struct wl_error {
    enum wl_code code;
    char message[512]; /* what is wrong, one sentence, no full stop needed */
    char where[256];   /* file, file:line:column, kernel or launch; empty if nowhere */
    char hint[512];    /* what the user can do next; empty if unknown */
};

/* Fills error (if not NULL) and returns code, so that `return wl_error_set(...)` reads well. */
enum wl_code wl_error_set(struct wl_error *error, enum wl_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds where the error happened; keeps what an inner function already said. Returns error->code. */
enum wl_code wl_error_set_where(struct wl_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what to do next; keeps what an inner function already said. Returns error->code. */
enum wl_code wl_error_set_hint(struct wl_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void wl_error_clear(struct wl_error *error);

#endif
