/* What a run tells the user while it goes on: only the caller prints. */
#ifndef WL_RUN_MESSAGES_H
#define WL_RUN_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

struct wl_messages {
    const void *self;
    /* hint: what to do about a warning, or NULL; of what is only said, NULL. */
    void (*warn)(const void *self, const char *hint, const char *text);
    void (*say)(const void *self, const char *text);
    bool is_quiet;  /* both are dropped */
    FILE *pages;    /* of --interactive */
    FILE *progress; /* for the line of a long kernel, if it is a terminal */
};

void wl_messages_warn(const struct wl_messages *messages, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void wl_messages_say(const struct wl_messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* To the pages: text as base/safe.h makes it, with its lines. */
void wl_messages_print(const struct wl_messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
