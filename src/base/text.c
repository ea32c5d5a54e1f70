#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void reserve(struct wl_text *text, size_t extra)
{
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return;
    size_t grown = text->capacity ? text->capacity : 64;
    while (grown < needed)
        grown *= 2;
    text->data = wl_resize(text->data, grown, 1);
    text->capacity = grown;
}

void wl_text_add_bytes(struct wl_text *text, const void *bytes, size_t length)
{
    reserve(text, length);
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void wl_text_add(struct wl_text *text, const char *string)
{
    wl_text_add_bytes(text, string, strlen(string));
}

void wl_text_add_char(struct wl_text *text, char character)
{
    wl_text_add_bytes(text, &character, 1);
}

void wl_text_addv(struct wl_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void wl_text_addf(struct wl_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    wl_text_addv(text, format, arguments);
    va_end(arguments);
}

void wl_text_add_word(struct wl_text *line, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%^";
    if (line->length)
        wl_text_add_char(line, ' ');
    if (*word && strspn(word, plain) == strlen(word)) {
        wl_text_add(line, word);
        return;
    }
    wl_text_add_char(line, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            wl_text_add(line, "'\\''");
        else
            wl_text_add_char(line, *word);
    }
    wl_text_add_char(line, '\'');
}

bool wl_text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

void wl_text_free(struct wl_text *text)
{
    free(text->data);
    *text = (struct wl_text){0};
}

char *wl_text_take(struct wl_text *text)
{
    reserve(text, 0);
    text->data[text->length] = '\0';
    char *data = text->data;
    *text = (struct wl_text){0};
    return data;
}

static enum wl_code fail_large(const char *path, size_t most_bytes, struct wl_error *error)
{
    return wl_error_set(error, WL_ERR_INPUT, "%s is larger than %zu bytes", path, most_bytes);
}

static enum wl_code read_open(int descriptor, const char *path, size_t most_bytes,
                              struct wl_text *content, struct wl_error *error)
{
    char buffer[8192];
    for (;;) {
        ssize_t got = read(descriptor, buffer, sizeof buffer);
        if (got == 0)
            return WL_OK;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return wl_error_set(error, WL_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
        if ((size_t)got > most_bytes - content->length)
            return fail_large(path, most_bytes, error);
        wl_text_add_bytes(content, buffer, (size_t)got);
    }
}

enum wl_code wl_file_read(const char *path, struct wl_text *content, struct wl_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        reserve(content, (size_t)status.st_size);
    enum wl_code code = read_open(descriptor, path, SIZE_MAX, content, error);
    close(descriptor);
    return code;
}

enum wl_code wl_file_read_regular(const char *path, size_t most_bytes, struct wl_text *content,
                                  struct wl_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    struct stat status;
    enum wl_code code = WL_OK;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        code = wl_error_set(error, WL_ERR_INPUT, "%s is not a regular file", path);
    else if ((uint64_t)status.st_size > most_bytes)
        code = fail_large(path, most_bytes, error);
    if (!code)
        code = read_open(descriptor, path, most_bytes, content, error);
    close(descriptor);
    return code;
}
