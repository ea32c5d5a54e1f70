/* What a compiler said of OpenACC and OpenMP loops: the messages of nvc -Minfo=accel and of
 * gcc -fopt-info-omp, kept in a log. */
#ifndef WL_BINARY_COMPILER_LOG_H
#define WL_BINARY_COMPILER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

enum wl_compiler_saying {
    WL_SAID_OTHER,
    WL_SAID_MAPPING,       /* how a loop was spread over gangs, workers and vectors */
    WL_SAID_SEQUENTIAL,    /* that a loop runs on one thread */
    WL_SAID_DEPENDENCE,    /* what keeps a loop from running in parallel */
    WL_SAID_IMPLICIT_COPY, /* a copy that the source does not ask for */
};

struct wl_compiler_message {
    const char *file;     /* "" where the log does not say */
    const char *function; /* the same */
    uint32_t line;
    enum wl_compiler_saying saying;
    const char *text;
    const char *variable; /* of DEPENDENCE and IMPLICIT_COPY; else "" */
};

struct wl_compiler_log {
    WL_VECTOR_FIELDS(struct wl_compiler_message);
    WL_VECTOR(char *) texts; /* what the messages point into */
};

/* Lines that are no such messages are left out. Errors: WL_ERR_INPUT; also where there is no
 * message in it. Free with wl_compiler_log_free. */
enum wl_code wl_compiler_log_read(const char *path, struct wl_compiler_log *log,
                                  struct wl_error *error);
void wl_compiler_log_parse(const char *text, struct wl_compiler_log *log);
void wl_compiler_log_free(struct wl_compiler_log *log);

/* Whether the message is about this line; names of files are compared without their folders. */
bool wl_compiler_message_is_at(const struct wl_compiler_message *message, const char *file,
                               const char *function, uint32_t line);

#endif
