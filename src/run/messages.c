#include "run/messages.h"

#include <stdarg.h>

#include "base/safe.h"
#include "base/text.h"

void wl_messages_warn(const struct wl_messages *messages, const char *hint, const char *format, ...)
{
    struct wl_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    wl_text_addv(&text, format, arguments);
    va_end(arguments);
    messages->warn(messages->self, hint, text.data ? text.data : "");
    wl_text_free(&text);
}

void wl_messages_say(const struct wl_messages *messages, const char *format, ...)
{
    struct wl_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    wl_text_addv(&text, format, arguments);
    va_end(arguments);
    messages->say(messages->self, text.data ? text.data : "");
    wl_text_free(&text);
}

void wl_messages_print(const struct wl_messages *messages, const char *format, ...)
{
    struct wl_text text = {0}, safe = {0};
    va_list arguments;
    va_start(arguments, format);
    wl_text_addv(&text, format, arguments);
    va_end(arguments);
    wl_safe_add_lines(text.data ? text.data : "", &safe);
    fwrite(safe.data, 1, safe.length, messages->pages);
    wl_text_free(&safe);
    wl_text_free(&text);
}
