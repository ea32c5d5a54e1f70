#include "cmd/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/safe.h"

size_t wl_console_width(FILE *out)
{
    enum { widest = 10000 };
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    char *end = NULL;
    long known = columns ? strtol(columns, &end, 10) : 0;
    return known > 0 && known < widest && *end == '\0' ? (size_t)known : 0;
}

void wl_console_init(struct wl_console *console)
{
    *console = (struct wl_console){.pages = stdout, .messages = stderr};
}

enum wl_code wl_console_open(struct wl_console *console, const char *log_file,
                             struct wl_error *error)
{
    if (!log_file)
        return WL_OK;
    FILE *file = strcmp(log_file, "stdout") == 0   ? stdout
                 : strcmp(log_file, "stderr") == 0 ? stderr
                                                   : fopen(log_file, "we");
    if (!file)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the log file %s: %s", log_file,
                            strerror(errno));
    console->pages = console->messages = file;
    return WL_OK;
}

int wl_console_end(struct wl_console *console, enum wl_code code)
{
    errno = 0;
    bool is_bad = fflush(console->pages) != 0 || ferror(console->pages);
    bool is_log = console->pages != stdout && console->pages != stderr; /* with messages in it */
    if (is_bad && (code == WL_OK || is_log)) {
        struct wl_console terminal;
        struct wl_error error = {0};
        wl_console_init(&terminal);
        /* what failed earlier left no reason */
        wl_error_set(&error, WL_ERR_OUTPUT, "could not write all of the %s%s%s",
                     is_log ? "log file" : "output", errno ? ": " : "",
                     errno ? strerror(errno) : "");
        wl_console_fail(&terminal, &error);
        code = code ? code : WL_ERR_OUTPUT;
    }
    if (is_log)
        fclose(console->pages);
    return (int)code;
}

/* What is printed may come from the user's program, a file's name or a received report. */
static void print_safe(FILE *out, const char *text)
{
    struct wl_text safe = {0};
    wl_safe_add_lines(text, &safe);
    fwrite(safe.data, 1, safe.length, out);
    wl_text_free(&safe);
}

__attribute__((format(printf, 2, 0))) static void print_formatted(FILE *out, const char *format,
                                                                  va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        return;
    print_safe(out, text);
    free(text);
}

int wl_console_fail(const struct wl_console *console, const struct wl_error *error)
{
    FILE *out = console->messages;
    fflush(console->pages);
    fputs("warplens: error: ", out);
    print_safe(out, error->message);
    if (error->where[0]) {
        fputs(" (", out);
        print_safe(out, error->where);
        fputc(')', out);
    }
    fputc('\n', out);
    if (error->hint[0]) {
        fputs("  hint: ", out);
        print_safe(out, error->hint);
        fputc('\n', out);
    }
    return (int)error->code;
}

void wl_console_warn(const struct wl_console *console, const char *hint, const char *format, ...)
{
    if (console->is_quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("warplens: warning: ", console->messages);
    print_formatted(console->messages, format, arguments);
    fputc('\n', console->messages);
    va_end(arguments);
    if (hint) {
        fputs("  hint: ", console->messages);
        print_safe(console->messages, hint);
        fputc('\n', console->messages);
    }
}

void wl_console_say(const struct wl_console *console, const char *format, ...)
{
    if (console->is_quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("warplens: ", console->messages);
    print_formatted(console->messages, format, arguments);
    fputc('\n', console->messages);
    va_end(arguments);
}

static void put_warning(const void *self, const char *hint, const char *text)
{
    wl_console_warn(self, hint, "%s", text);
}

static void put_words(const void *self, const char *text)
{
    wl_console_say(self, "%s", text);
}

struct wl_messages wl_console_messages(const struct wl_console *console)
{
    return (struct wl_messages){
        .self = console,
        .warn = put_warning,
        .say = put_words,
        .is_quiet = console->is_quiet,
        .pages = console->pages,
        .progress = stderr,
    };
}

void wl_console_print(const struct wl_console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_formatted(console->pages, format, arguments);
    va_end(arguments);
}
