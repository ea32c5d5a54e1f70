/* A growing byte string. Zero-initialise it ({0}); free with wl_text_free. text.data is always
 * NUL-terminated once something was added, and NULL before. */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/export.h"

struct wl_text {
    char *data;
    size_t length;
    size_t capacity;
};

void wl_text_add(struct wl_text *text, const char *string);
void wl_text_add_bytes(struct wl_text *text, const void *bytes, size_t length);
void wl_text_add_char(struct wl_text *text, char character);
void wl_text_addf(struct wl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wl_text_addv(struct wl_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* A word of a command line, as one would type it into a shell; a space before all but the first. */
void wl_text_add_word(struct wl_text *line, const char *word);
WL_EXPORT void wl_text_free(struct wl_text *text);
/* Gives the string to the caller (free() it) and leaves text empty. Never NULL. */
char *wl_text_take(struct wl_text *text);

/* Whether text begins with prefix. */
bool wl_text_starts(const char *text, const char *prefix);

/* Reads a whole file. Errors: WL_ERR_INPUT. */
WL_EXPORT enum wl_code wl_file_read(const char *path, struct wl_text *content,
                                    struct wl_error *error);
/* The same for a regular file of at most so many bytes; pipes and devices are refused without
 * blocking.
 */
enum wl_code wl_file_read_regular(const char *path, size_t most_bytes, struct wl_text *content,
                                  struct wl_error *error);

#endif
